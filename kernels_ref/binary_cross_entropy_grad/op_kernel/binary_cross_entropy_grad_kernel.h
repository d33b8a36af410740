// Elementwise skeleton of the binary cross-entropy gradients: four inputs, one output, tiles double buffered.
//
//   z = formula(prediction, target) * weight * grad          SCALAR_GRAD false
//   z = formula(prediction, target) * weight * (grad[0] / n)   SCALAR_GRAD true; n = 1 for sum
//
// Integers are computed in their own type and wrap; float types in float, rounded once.
#ifndef BINARY_CROSS_ENTROPY_GRAD_KERNEL_H
#define BINARY_CROSS_ENTROPY_GRAD_KERNEL_H

#include "binary_cross_entropy_grad_formula.h"
#include "binary_cross_entropy_grad_tiling_data.h"

namespace BinaryCrossEntropyGrad {

constexpr int32_t BUFFER_NUM = 2;

template <typename T, class FORMULA, bool SCALAR_GRAD, bool HAS_WEIGHT> class Kernel {
  static constexpr bool CASTS = IsSameType<T, half>::value || IsSameType<T, bfloat16_t>::value;
  static constexpr bool LOGIT = IsSameType<FORMULA, FromLogit>::value;

public:
  __aicore__ inline void Init(GM_ADDR grad, GM_ADDR prediction, GM_ADDR target, GM_ADDR weight,
                              GM_ADDR outgrad, const BinaryCrossEntropyGradTilingData &tiling, TPipe *pipe) {
    const uint64_t block = GetBlockIdx();
    uint64_t start;
    if (block < tiling.bigCoreNum) {
      start = block * tiling.bigCoreDataNum;
      length = tiling.bigCoreDataNum;
    } else {
      start =
          tiling.bigCoreNum * tiling.bigCoreDataNum + (block - tiling.bigCoreNum) * tiling.smallCoreDataNum;
      length = tiling.smallCoreDataNum;
    }
    if (block + 1 == tiling.coreNum) { // whole blocks, but for the very last one
      length = tiling.totalNum - start;
    }
    tile = tiling.tileDataNum;
    predictionGm.SetGlobalBuffer((__gm__ T *)prediction + start, length);
    targetGm.SetGlobalBuffer((__gm__ T *)target + start, length);
    outgradGm.SetGlobalBuffer((__gm__ T *)outgrad + start, length);
    pipe->InitBuffer(predictionQueue, BUFFER_NUM, tile * sizeof(T));
    pipe->InitBuffer(targetQueue, BUFFER_NUM, tile * sizeof(T));
    pipe->InitBuffer(outgradQueue, BUFFER_NUM, tile * sizeof(T));
    if constexpr (HAS_WEIGHT) {
      weightGm.SetGlobalBuffer((__gm__ T *)weight + start, length);
      pipe->InitBuffer(weightQueue, BUFFER_NUM, tile * sizeof(T));
    }
    if constexpr (SCALAR_GRAD) {
      gradGm.SetGlobalBuffer((__gm__ T *)grad, 1);
      factor = ReadGrad();
      if (tiling.isMean) {
        factor = factor / static_cast<float>(tiling.totalNum);
      }
    } else {
      gradGm.SetGlobalBuffer((__gm__ T *)grad + start, length);
      pipe->InitBuffer(gradQueue, BUFFER_NUM, tile * sizeof(T));
    }
    if constexpr (CASTS) {
      pipe->InitBuffer(aBuf, tile * sizeof(float));
      pipe->InitBuffer(bBuf, tile * sizeof(float));
      pipe->InitBuffer(rBuf, tile * sizeof(float));
    }
    if constexpr (LOGIT) {
      pipe->InitBuffer(cBuf, tile * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    for (uint64_t done = 0; done < length; done += tile) {
      const uint32_t count = length - done < tile ? static_cast<uint32_t>(length - done) : tile;
      CopyIn(done, count);
      Compute(count);
      CopyOut(done, count);
    }
  }

private:
  /// Exactly one element is read.
  __aicore__ inline float ReadGrad() {
    if constexpr (IsSameType<T, bfloat16_t>::value) {
      return ToFloat(gradGm.GetValue(0));
    } else {
      return static_cast<float>(gradGm.GetValue(0));
    }
  }

  __aicore__ inline void Load(TQue<TPosition::VECIN, 1> &queue, const GlobalTensor<T> &gm, uint64_t offset,
                              uint32_t count) {
    LocalTensor<T> local = queue.template AllocTensor<T>();
    DataCopyPad(local, gm[offset], DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),
                DataCopyPadExtParams<T>(false, 0, 0, static_cast<T>(0)));
    queue.EnQue(local);
  }

  __aicore__ inline void CopyIn(uint64_t offset, uint32_t count) {
    Load(predictionQueue, predictionGm, offset, count);
    Load(targetQueue, targetGm, offset, count);
    if constexpr (HAS_WEIGHT) {
      Load(weightQueue, weightGm, offset, count);
    }
    if constexpr (!SCALAR_GRAD) {
      Load(gradQueue, gradGm, offset, count);
    }
  }

  /// The next tensor of a queue in float, in `to`; its buffer is free afterwards.
  __aicore__ inline void TakeFloat(TQue<TPosition::VECIN, 1> &queue, const LocalTensor<float> &to,
                                   uint32_t count) {
    LocalTensor<T> local = queue.template DeQue<T>();
    Cast(to, local, RoundMode::CAST_NONE, count);
    queue.FreeTensor(local);
  }

  template <typename U>
  __aicore__ inline void Formula(const LocalTensor<U> &r, const LocalTensor<U> &a, const LocalTensor<U> &b,
                                 int32_t count) {
    if constexpr (LOGIT) {
      FORMULA::Run(r, a, b, cBuf.Get<float>(), count);
    } else {
      FORMULA::Run(r, a, b, count);
    }
  }

  __aicore__ inline void Compute(uint32_t count) {
    const int32_t n = static_cast<int32_t>(count);
    if constexpr (CASTS) {
      const LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>(), r = rBuf.Get<float>();
      TakeFloat(predictionQueue, a, count);
      TakeFloat(targetQueue, b, count);
      PipeBarrier<PIPE_V>();
      Formula(r, a, b, n);
      if constexpr (HAS_WEIGHT) { // a and b are free: vector instructions read before later ones write
        TakeFloat(weightQueue, a, count);
      }
      if constexpr (!SCALAR_GRAD) {
        TakeFloat(gradQueue, b, count);
      }
      PipeBarrier<PIPE_V>();
      if constexpr (HAS_WEIGHT) {
        Mul(r, r, a, n);
        PipeBarrier<PIPE_V>();
      }
      if constexpr (SCALAR_GRAD) {
        Muls(r, r, factor, n);
      } else {
        Mul(r, r, b, n);
      }
      LocalTensor<T> outgrad = outgradQueue.AllocTensor<T>();
      PipeBarrier<PIPE_V>();
      Cast(outgrad, r, RoundMode::CAST_RINT, count);
      outgradQueue.EnQue(outgrad);
    } else {
      LocalTensor<T> a = predictionQueue.DeQue<T>(), b = targetQueue.DeQue<T>();
      LocalTensor<T> r = outgradQueue.AllocTensor<T>();
      Formula(r, a, b, n);
      PipeBarrier<PIPE_V>();
      predictionQueue.FreeTensor(a);
      targetQueue.FreeTensor(b);
      if constexpr (HAS_WEIGHT) {
        LocalTensor<T> weight = weightQueue.DeQue<T>();
        Mul(r, r, weight, n);
        PipeBarrier<PIPE_V>();
        weightQueue.FreeTensor(weight);
      }
      if constexpr (SCALAR_GRAD) {
        Muls(r, r, static_cast<T>(factor), n); // T is float here: reductions of integers are refused
      } else {
        LocalTensor<T> grad = gradQueue.DeQue<T>();
        Mul(r, r, grad, n);
        gradQueue.FreeTensor(grad);
      }
      outgradQueue.EnQue(r);
    }
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
    LocalTensor<T> outgrad = outgradQueue.DeQue<T>();
    DataCopyPad(outgradGm[offset], outgrad, DataCopyExtParams(1, count * sizeof(T), 0, 0, 0));
    outgradQueue.FreeTensor(outgrad);
  }

  TQue<TPosition::VECIN, 1> gradQueue, predictionQueue, targetQueue, weightQueue;
  TQue<TPosition::VECOUT, 1> outgradQueue;
  TBuf<TPosition::VECCALC> aBuf, bBuf, cBuf, rBuf;
  GlobalTensor<T> gradGm, predictionGm, targetGm, weightGm, outgradGm;
  uint64_t length;
  uint32_t tile;
  float factor;
};

/// One launch of a formula: `weight` may be null.
template <typename T, class FORMULA, bool SCALAR_GRAD, bool HAS_WEIGHT>
__aicore__ inline void Run(GM_ADDR grad, GM_ADDR prediction, GM_ADDR target, GM_ADDR weight, GM_ADDR outgrad,
                           const BinaryCrossEntropyGradTilingData &tiling) {
  TPipe pipe;
  Kernel<T, FORMULA, SCALAR_GRAD, HAS_WEIGHT> op;
  op.Init(grad, prediction, target, weight, outgrad, tiling, &pipe);
  op.Process();
}

} // namespace BinaryCrossEntropyGrad
#endif
