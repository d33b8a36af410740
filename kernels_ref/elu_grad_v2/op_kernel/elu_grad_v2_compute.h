// The arithmetic of EluGradV2 on one tile in UB, in float for every data type.
#ifndef ELU_GRAD_V2_COMPUTE_H
#define ELU_GRAD_V2_COMPUTE_H

#include "elu_grad_v2_tiling_data.h"
#include "kernel_operator.h"

namespace EluGradV2 {

using namespace AscendC;

/// CompareScalar takes multiples of 256 bytes; lanes past the count are computed and dropped.
constexpr uint32_t COMPARE_LANES = 256 / sizeof(float);

/// y = dy * (x > 0 ? scale : negative(x)). The mask is "not greater", so that NaN takes the second branch,
/// whose exponential or sum keeps it. `y` may not alias `x` or `dy`. The mask holds one bit an element.
template <bool IS_RESULT> class Compute {
public:
  __aicore__ inline void Init(const EluGradV2TilingData &tiling) {
    scale = tiling.scale;
    negativeScale = tiling.negativeScale;
    inputScale = tiling.inputScale;
    alphaScale = tiling.alphaScale;
  }

  __aicore__ inline void Run(const LocalTensor<float> &y, const LocalTensor<float> &x,
                             const LocalTensor<float> &dy, const LocalTensor<uint8_t> &mask, uint32_t count) {
    const uint32_t lanes = (count + COMPARE_LANES - 1) / COMPARE_LANES * COMPARE_LANES;
    CompareScalar(mask, x, 0.0f, CMPMODE::GT, lanes);
    Negative(y, x, count);
    const LocalTensor<uint16_t> words = mask.ReinterpretCast<uint16_t>();
    PipeBarrier<PIPE_V>();
    Not(words, words, static_cast<int32_t>(lanes / 16));
    PipeBarrier<PIPE_V>();
    Select(y, mask, y, scale, SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    PipeBarrier<PIPE_V>();
    Mul(y, y, dy, static_cast<int32_t>(count));
  }

private:
  float scale, negativeScale, inputScale, alphaScale;

  /// Factors of exactly 1 are left out; nothing near 1 is.
  __aicore__ inline void Negative(const LocalTensor<float> &y, const LocalTensor<float> &x, int32_t count) {
    if constexpr (IS_RESULT) {
      Adds(y, x, alphaScale, count);
      if (inputScale != 1.0f) {
        PipeBarrier<PIPE_V>();
        Muls(y, y, inputScale, count);
      }
    } else {
      if (inputScale != 1.0f) {
        Muls(y, x, inputScale, count);
        PipeBarrier<PIPE_V>();
        Exp(y, y, count);
      } else {
        Exp(y, x, count);
      }
      if (negativeScale != 1.0f) {
        PipeBarrier<PIPE_V>();
        Muls(y, y, negativeScale, count);
      }
    }
  }
};

/// From float to the output type, nearest even.
template <typename T>
__aicore__ inline void CastFromFloat(const LocalTensor<T> &y, const LocalTensor<float> &f, uint32_t count) {
  Cast(y, f, RoundMode::CAST_RINT, count);
}

} // namespace EluGradV2
#endif
