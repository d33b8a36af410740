// BatchNorm forward: training (batch statistics, running statistics updated in place) and inference (frozen
// statistics). DTYPE_X: float, half, bfloat16_t; DTYPE_WEIGHT for weight, bias and running statistics: float
// or the data type; save_mean and save_invstd are float.
//
// Restates the forward designs of a Triton batch-norm module for Ascend C; what differs: every layout with
// channels second, not NC alone; variance by merging counts, means and squared deviations, never as a
// difference of squares; running_var with the unbiased variance; arithmetic in float whatever the data type;
// whole rows instead of one element a row. Tuned: as BatchNormalizationGrad; the factor invstd * weight is
// formed once a channel.
#include "batch_norm_inference_kernel.h"
#include "batch_norm_training_kernel.h"

extern "C" __global__ __aicore__ void batch_norm(GM_ADDR x, GM_ADDR weight, GM_ADDR bias,
                                                 GM_ADDR running_mean, GM_ADDR running_var, GM_ADDR y,
                                                 GM_ADDR save_mean, GM_ADDR save_invstd, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(BatchNormTilingData);
  GET_TILING_DATA_WITH_STRUCT(BatchNormTilingData, tilingData, tiling);
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(BATCH_NORM_INFERENCE)) {
    BatchNorm::KernelBatchNormInference<DTYPE_X, DTYPE_WEIGHT> op;
    op.Init(x, weight, bias, running_mean, running_var, y, tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(BATCH_NORM_TRAINING)) {
    BatchNorm::KernelBatchNormTraining<DTYPE_X, DTYPE_WEIGHT> op;
    op.Init(x, weight, bias, running_mean, running_var, y, save_mean, save_invstd, tilingData, &pipe);
    op.Process();
  }
}
