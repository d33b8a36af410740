// Host tiling of EluGradV2.
#ifndef ELU_GRAD_V2_TILING_H
#define ELU_GRAD_V2_TILING_H

#include "../../common/host_tiling.h"
#include "../op_kernel/elu_grad_v2_tiling_data.h"

namespace kernels_ref {

struct EluGradV2Request {
  uint64_t total; ///< elements, at least 1
  int32_t type, outputType;
  double alpha, scale, inputScale;
  bool isResult;
};

TilingOutcome TileEluGradV2(const EluGradV2Request &request, const PlatformInfo &platform,
                            EluGradV2TilingData &data);

} // namespace kernels_ref
#endif
