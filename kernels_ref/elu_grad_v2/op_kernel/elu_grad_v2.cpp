// EluGradV2: gradient of ELU, SELU and CELU.
//
//   x >  0                       y = dy * scale
//   otherwise, is_result false   y = dy * alpha * scale * input_scale * exp(x * input_scale)
//   otherwise, is_result true    y = dy * input_scale * (x + alpha * scale)
//
// Data types float, half, bfloat16_t (DTYPE_X); output DTYPE_Y is the same, or float for half types with
// is_result. Arithmetic is float, rounded once.
//
// Differences from the design this follows, where it has a defect: NaN in x gives NaN; factors are left out
// only when they are exactly 1; Select's table at 184 KiB is kept free of buffers. Tuned: tiles by UB size
// with two buffers a queue; mask inverted (one short instruction) so that the scalar form of Select serves
// and no tile of constants is held; one barrier a dependence.
#include "elu_grad_v2_kernel.h"
#include "elu_grad_v2_single_tile.h"

template <class Kernel>
__aicore__ inline void RunEluGradV2(GM_ADDR dy, GM_ADDR x, GM_ADDR y, const EluGradV2TilingData &tiling) {
  AscendC::TPipe pipe;
  Kernel op;
  op.Init(dy, x, y, tiling, &pipe);
  op.Process();
}

extern "C" __global__ __aicore__ void elu_grad_v2(GM_ADDR dy, GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  using namespace EluGradV2;
  REGISTER_TILING_DEFAULT(EluGradV2TilingData);
  GET_TILING_DATA_WITH_STRUCT(EluGradV2TilingData, tilingData, tiling);
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  if (TILING_KEY_IS(ELU_GRAD_V2_SAFE_EXP)) {
    RunEluGradV2<KernelEluGradV2<DTYPE_X, DTYPE_Y, false, false>>(dy, x, y, tilingData);
  } else if (TILING_KEY_IS(ELU_GRAD_V2_SAFE_RESULT)) {
    RunEluGradV2<KernelEluGradV2<DTYPE_X, DTYPE_Y, true, false>>(dy, x, y, tilingData);
  } else if (TILING_KEY_IS(ELU_GRAD_V2_SINGLE_TILE_EXP)) {
    RunEluGradV2<KernelEluGradV2SingleTile<DTYPE_X, DTYPE_Y, false>>(dy, x, y, tilingData);
  } else if (TILING_KEY_IS(ELU_GRAD_V2_SINGLE_TILE_RESULT)) {
    RunEluGradV2<KernelEluGradV2SingleTile<DTYPE_X, DTYPE_Y, true>>(dy, x, y, tilingData);
  } else if (TILING_KEY_IS(ELU_GRAD_V2_MIXED_EXP_FAST) || TILING_KEY_IS(ELU_GRAD_V2_FLOAT16_EXP_FAST)) {
    RunEluGradV2<KernelEluGradV2<DTYPE_X, DTYPE_Y, false, true>>(dy, x, y, tilingData);
  } else if (TILING_KEY_IS(ELU_GRAD_V2_MIXED_RESULT_FAST) || TILING_KEY_IS(ELU_GRAD_V2_FLOAT16_RESULT_FAST)) {
    RunEluGradV2<KernelEluGradV2<DTYPE_X, DTYPE_Y, true, true>>(dy, x, y, tilingData);
  }
}
