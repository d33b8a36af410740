// The three gradients with respect to the prediction, on a tile in UB. All leave their result in `r` and may
// overwrite `a` (the prediction) and `b` (the target).
#ifndef BINARY_CROSS_ENTROPY_GRAD_FORMULA_H
#define BINARY_CROSS_ENTROPY_GRAD_FORMULA_H

#include "kernel_operator.h"

namespace BinaryCrossEntropyGrad {

using namespace AscendC;

/// r = a - b: with respect to the logit, where a = sigmoid(logit) was applied before.
struct FromSigmoid {
  template <typename T>
  static __aicore__ inline void Run(const LocalTensor<T> &r, const LocalTensor<T> &a, const LocalTensor<T> &b,
                                    int32_t count) {
    Sub(r, a, b, count);
  }
};

/// r = (a - b) / max(a * (1 - a), 1e-12): with respect to the probability.
struct FromProbability {
  static __aicore__ inline void Run(const LocalTensor<float> &r, const LocalTensor<float> &a,
                                    const LocalTensor<float> &b, int32_t count) {
    Sub(r, a, b, count);
    PipeBarrier<PIPE_V>();
    Muls(b, a, -1.0f, count);
    PipeBarrier<PIPE_V>();
    Adds(b, b, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Mul(b, b, a, count);
    PipeBarrier<PIPE_V>();
    Maxs(b, b, 1e-12f, count);
    PipeBarrier<PIPE_V>();
    Div(r, r, b, count);
  }
};

/// r = sigmoid(a) - b = ((1 - b) * exp(min(a, 0)) - b * exp(min(-a, 0))) / (1 + exp(-|a|)): with respect to
/// the logit. Neither end cancels, no branch is needed, infinities are legal. `c` is scratch.
struct FromLogit {
  static __aicore__ inline void Run(const LocalTensor<float> &r, const LocalTensor<float> &a,
                                    const LocalTensor<float> &b, const LocalTensor<float> &c, int32_t count) {
    Muls(c, a, -1.0f, count);
    Mins(a, a, 0.0f, count);
    PipeBarrier<PIPE_V>();
    Mins(c, c, 0.0f, count);
    Exp(a, a, count);
    PipeBarrier<PIPE_V>();
    Exp(c, c, count);
    PipeBarrier<PIPE_V>();
    Mul(r, a, c, count); // exp(-|a|): one of the two is 1
    PipeBarrier<PIPE_V>();
    Mul(c, c, b, count);
    Muls(b, b, -1.0f, count);
    PipeBarrier<PIPE_V>();
    Adds(b, b, 1.0f, count);
    Adds(r, r, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Mul(a, a, b, count);
    PipeBarrier<PIPE_V>();
    Sub(a, a, c, count);
    PipeBarrier<PIPE_V>();
    Div(r, a, r, count);
  }
};

} // namespace BinaryCrossEntropyGrad
#endif
