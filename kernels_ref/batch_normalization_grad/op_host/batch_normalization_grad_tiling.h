// Host tiling of BatchNormalizationGrad.
#ifndef BATCH_NORMALIZATION_GRAD_TILING_H
#define BATCH_NORMALIZATION_GRAD_TILING_H

#include "../../common/channel_tiling.h"
#include "../op_kernel/batch_normalization_grad_tiling_data.h"

namespace kernels_ref {

struct BatchNormalizationGradRequest {
  uint64_t batches, channels, spatial;
  int32_t type;
  double epsilon;
};

/// blockDim 0: refused (an extent is 0).
TilingOutcome TileBatchNormalizationGrad(const BatchNormalizationGradRequest &request,
                                         const PlatformInfo &platform,
                                         BatchNormalizationGradTilingData &data);

} // namespace kernels_ref
#endif
