// BatchNormalizationGrad: gradients of batch norm in training, three outputs, one data type for all tensors
// (DTYPE_INPUT: float, half, bfloat16_t).
//
// Channels over cores, two passes per channel, whole rows of several batches in a tile or pieces of a row,
// Kahan summation of tile sums on the scalar unit, no workspace. `bias` is listed by the interface and not
// read.
//
// Differences from the design this follows, where it has a defect: grad_weight and grad_bias of half types
// are rounded to nearest even by the vector unit (the scalar conversion rounds to odd); offsets have 64 bits;
// the buffers per channel are in the UB budget (groups of channels), so any number of channels per core fits;
// rows of several batches are one transfer; the sum of g * (x - mean) is multiplied by invstd once. Tuned:
// loads run ahead of the scalar unit's waits, across passes and channels; sums take 8 lanes first in the
// vector unit; parameters of a group are loaded once; arithmetic in place, so that the tile is large.
#include "batch_normalization_grad_kernel.h"

extern "C" __global__ __aicore__ void
batch_normalization_grad(GM_ADDR grad_output, GM_ADDR input, GM_ADDR weight, GM_ADDR bias, GM_ADDR save_mean,
                         GM_ADDR save_invstd, GM_ADDR grad_input, GM_ADDR grad_weight, GM_ADDR grad_bias,
                         GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(BatchNormalizationGradTilingData);
  GET_TILING_DATA_WITH_STRUCT(BatchNormalizationGradTilingData, tilingData, tiling);
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AscendC::TPipe pipe;
  BatchNormalizationGrad::KernelBatchNormalizationGrad<DTYPE_INPUT> op;
  op.Init(grad_output, input, weight, save_mean, save_invstd, grad_input, grad_weight, grad_bias, tilingData,
          &pipe);
  op.Process();
}
