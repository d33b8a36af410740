// The gradient with respect to logits: outgrad = grad * (sigmoid(input) - target) * weight.
// The skeleton of BinaryCrossEntropyGrad with another formula; bit 1 of the key says that there is a weight.
#include "binary_cross_entropy_grad_kernel.h"

extern "C" __global__ __aicore__ void
binary_cross_entropy_with_logits_backward(GM_ADDR grad, GM_ADDR logits, GM_ADDR labels, GM_ADDR weight,
                                          GM_ADDR outgrad, GM_ADDR workspace, GM_ADDR tiling) {
  using namespace BinaryCrossEntropyGrad;
  REGISTER_TILING_DEFAULT(BinaryCrossEntropyGradTilingData);
  GET_TILING_DATA_WITH_STRUCT(BinaryCrossEntropyGradTilingData, tilingData, tiling);
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  if (TILING_KEY_IS(0)) {
    Run<DTYPE_LOGITS, FromLogit, false, false>(grad, logits, labels, weight, outgrad, tilingData);
  } else if (TILING_KEY_IS(1)) {
    Run<DTYPE_LOGITS, FromLogit, true, false>(grad, logits, labels, weight, outgrad, tilingData);
  } else if (TILING_KEY_IS(2)) {
    Run<DTYPE_LOGITS, FromLogit, false, true>(grad, logits, labels, weight, outgrad, tilingData);
  } else if (TILING_KEY_IS(3)) {
    Run<DTYPE_LOGITS, FromLogit, true, true>(grad, logits, labels, weight, outgrad, tilingData);
  }
}
