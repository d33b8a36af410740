// Batch-norm backward with frozen statistics. DTYPE_X: float, half, bfloat16_t; DTYPE_WEIGHT for weight,
// running statistics, grad_weight and grad_bias: float or the data type.
//
// Restates the evaluation backward of a Triton batch-norm module for Ascend C; what differs: compensated sums
// in float instead of one running sum in the data type, one division a channel instead of one an element.
// Tuned: one pass over the data, loads run ahead of the scalar unit's waits.
#include "batch_norm_frozen_grad_kernel.h"

extern "C" __global__ __aicore__ void batch_norm_frozen_grad(GM_ADDR grad_output, GM_ADDR x, GM_ADDR weight,
                                                             GM_ADDR running_mean, GM_ADDR running_var,
                                                             GM_ADDR grad_input, GM_ADDR grad_weight,
                                                             GM_ADDR grad_bias, GM_ADDR workspace,
                                                             GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(BatchNormTilingData);
  GET_TILING_DATA_WITH_STRUCT(BatchNormTilingData, tilingData, tiling);
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AscendC::TPipe pipe;
  BatchNorm::KernelBatchNormFrozenGrad<DTYPE_X, DTYPE_WEIGHT> op;
  op.Init(grad_output, x, weight, running_mean, running_var, grad_input, grad_weight, grad_bias, tilingData,
          &pipe);
  op.Process();
}
