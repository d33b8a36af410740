// Host tiling of batch norm forward and of its backward with frozen statistics.
#ifndef BATCH_NORM_TILING_H
#define BATCH_NORM_TILING_H

#include "../../common/channel_tiling.h"
#include "../op_kernel/batch_norm_tiling_data.h"

namespace kernels_ref {

struct BatchNormRequest {
  uint64_t batches, channels, spatial;
  int32_t type, parameterType;
  uint64_t variant; ///< BATCH_NORM_INFERENCE, _TRAINING or _FROZEN_GRAD
  double epsilon, momentum;
};

/// blockDim 0: refused (an extent is 0, or no such variant).
TilingOutcome TileBatchNorm(const BatchNormRequest &request, const PlatformInfo &platform,
                            BatchNormTilingData &data);

} // namespace kernels_ref

#endif
