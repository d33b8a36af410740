// Tiling data of the binary cross-entropy gradients, equal on host and device.
#ifndef BINARY_CROSS_ENTROPY_GRAD_TILING_DATA_H
#define BINARY_CROSS_ENTROPY_GRAD_TILING_DATA_H

#include <cstdint>

struct BinaryCrossEntropyGradTilingData {
  uint64_t totalNum;         ///< elements of the call
  uint64_t bigCoreDataNum;   ///< elements of the first bigCoreNum cores: one block more
  uint64_t smallCoreDataNum; ///< elements of the others
  uint32_t coreNum, bigCoreNum;
  uint32_t tileDataNum; ///< elements of a full tile
  uint32_t isMean;      ///< the gradient is divided by totalNum
};

// Tiling keys. The family numbers the reductions none 0, sum 1, mean 2 (aten: none 0, mean 1, sum 2).
#define ELEMENTWISE_TPL_SCH_MODE_0 0 // none: a gradient an element
#define ELEMENTWISE_TPL_SCH_MODE_1 1 // sum, mean: one gradient

#endif
