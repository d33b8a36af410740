// Host tiling of the binary cross-entropy gradients.
#ifndef BINARY_CROSS_ENTROPY_GRAD_TILING_H
#define BINARY_CROSS_ENTROPY_GRAD_TILING_H

#include "../../common/host_tiling.h"
#include "../op_kernel/binary_cross_entropy_grad_tiling_data.h"

namespace kernels_ref {

enum class BceFormula { FromSigmoid = 0, FromProbability = 1, FromLogit = 2 };

struct BinaryCrossEntropyGradRequest {
  uint64_t total; ///< elements, at least 1
  int32_t type;
  int32_t reduction; ///< the family's numbers: none 0, sum 1, mean 2
  BceFormula formula = BceFormula::FromSigmoid;
  bool hasWeight = true; ///< the formula from sigmoid has one always
};

/// blockDim 0: the call is refused (reductions of integers, integers in another formula).
TilingOutcome TileBinaryCrossEntropyGrad(const BinaryCrossEntropyGradRequest &request,
                                         const PlatformInfo &platform,
                                         BinaryCrossEntropyGradTilingData &data);

} // namespace kernels_ref
#endif
