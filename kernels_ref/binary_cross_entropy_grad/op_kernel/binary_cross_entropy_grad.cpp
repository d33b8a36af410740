// BinaryCrossEntropyGrad: outgrad = weight * grad * (logits - labels), full shape in every reduction.
//
// `logits` is the prediction (sigmoid applied) and `labels` the target: the text this follows describes the
// two the other way round, which would flip the sign. Data types (DTYPE_LOGITS): float, half, bfloat16_t;
// int32_t and int16_t without reduction.
//
// Differences from the design this follows, where it has a defect: the last piece goes through DataCopyPad
// instead of whole 512-byte blocks, which would read and write up to 508 bytes past the end; half types are
// computed in float and rounded once; the mean is divided in float, so that it does not underflow in half;
// the single gradient of sum and mean is read alone. Tuned: tiles by UB size, all queues with two buffers;
// two scratch tensors serve all four inputs of half types.
#include "binary_cross_entropy_grad_kernel.h"

extern "C" __global__ __aicore__ void binary_cross_entropy_grad(GM_ADDR grad, GM_ADDR logits, GM_ADDR labels,
                                                                GM_ADDR weight, GM_ADDR outgrad,
                                                                GM_ADDR workspace, GM_ADDR tiling) {
  using namespace BinaryCrossEntropyGrad;
  REGISTER_TILING_DEFAULT(BinaryCrossEntropyGradTilingData);
  GET_TILING_DATA_WITH_STRUCT(BinaryCrossEntropyGradTilingData, tilingData, tiling);
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  if (TILING_KEY_IS(ELEMENTWISE_TPL_SCH_MODE_0)) {
    Run<DTYPE_LOGITS, FromSigmoid, false, true>(grad, logits, labels, weight, outgrad, tilingData);
  } else if (TILING_KEY_IS(ELEMENTWISE_TPL_SCH_MODE_1)) {
    Run<DTYPE_LOGITS, FromSigmoid, true, true>(grad, logits, labels, weight, outgrad, tilingData);
  }
}
