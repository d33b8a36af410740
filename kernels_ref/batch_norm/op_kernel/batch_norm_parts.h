// What the batch-norm kernels share: one input tile in float, and inverse standard deviations.
#ifndef BATCH_NORM_PARTS_H
#define BATCH_NORM_PARTS_H

#include "../../common/channel_parameters.h"
#include "../../common/channel_steps.h"
#include "batch_norm_tiling_data.h"

namespace BatchNorm {

using namespace AscendC;
using namespace ChannelTiles;

constexpr int32_t BUFFER_NUM = 2;

/// A queue of tiles of T that hands them out in float: half types are converted into scratch and their buffer
/// is free at once, float tiles are worked on where they are.
template <typename T> class FloatTiles {
  static constexpr bool CASTS = !IsSameType<T, float>::value;

public:
  __aicore__ inline void Init(GM_ADDR address, uint64_t elements, uint32_t tileElements, TPipe *pipe) {
    gm.SetGlobalBuffer((__gm__ T *)address, elements);
    pipe->InitBuffer(queue, BUFFER_NUM, tileElements * sizeof(T));
    if constexpr (CASTS) {
      pipe->InitBuffer(scratch, tileElements * sizeof(float));
    }
  }
  __aicore__ inline void CopyIn(const Walk<T> &walk, const Tile &tile) {
    LocalTensor<T> to = queue.template AllocTensor<T>();
    walk.Load(to, gm, tile);
    queue.EnQue(to);
  }
  /// Half types: a barrier is due before the result is read.
  __aicore__ inline LocalTensor<float> Take(uint32_t count) {
    local = queue.template DeQue<T>();
    if constexpr (CASTS) {
      const LocalTensor<float> values = scratch.template Get<float>();
      Cast(values, local, RoundMode::CAST_NONE, count);
      queue.FreeTensor(local);
      return values;
    } else {
      return local;
    }
  }
  __aicore__ inline void Release() {
    if constexpr (!CASTS) {
      queue.FreeTensor(local);
    }
  }

private:
  TQue<TPosition::VECIN, BUFFER_NUM> queue;
  TBuf<TPosition::VECCALC> scratch;
  GlobalTensor<T> gm;
  LocalTensor<T> local;
};

/// A queue of result tiles: `Put` applies y = x * factor + offset on the way out.
template <typename T> class ResultTiles {
  static constexpr bool CASTS = !IsSameType<T, float>::value;

public:
  __aicore__ inline void Init(GM_ADDR address, uint64_t elements, uint32_t tileElements, TPipe *pipe) {
    gm.SetGlobalBuffer((__gm__ T *)address, elements);
    pipe->InitBuffer(queue, BUFFER_NUM, tileElements * sizeof(T));
  }
  /// `x` is overwritten for half types.
  __aicore__ inline void Put(const Walk<T> &walk, const Tile &tile, const LocalTensor<float> &x,
                             float factor) {
    const int32_t count = static_cast<int32_t>(tile.Elements());
    LocalTensor<T> out = queue.template AllocTensor<T>();
    if constexpr (CASTS) {
      Muls(x, x, factor, count);
      Finish(walk, tile, out, x);
    } else {
      Muls(out, x, factor, count);
      CopyOut(walk, tile, out);
    }
  }
  __aicore__ inline void Put(const Walk<T> &walk, const Tile &tile, const LocalTensor<float> &x, float factor,
                             float offset) {
    const int32_t count = static_cast<int32_t>(tile.Elements());
    Muls(x, x, factor, count);
    PipeBarrier<PIPE_V>();
    LocalTensor<T> out = queue.template AllocTensor<T>();
    if constexpr (CASTS) {
      Adds(x, x, offset, count);
      Finish(walk, tile, out, x);
    } else {
      Adds(out, x, offset, count);
      CopyOut(walk, tile, out);
    }
  }

private:
  TQue<TPosition::VECOUT, BUFFER_NUM> queue;
  GlobalTensor<T> gm;

  __aicore__ inline void Finish(const Walk<T> &walk, const Tile &tile, LocalTensor<T> &out,
                                const LocalTensor<float> &x) {
    PipeBarrier<PIPE_V>();
    Cast(out, x, RoundMode::CAST_RINT, tile.Elements());
    PipeBarrier<PIPE_V>(); // the next tile uses the same scratch
    CopyOut(walk, tile, out);
  }
  __aicore__ inline void CopyOut(const Walk<T> &walk, const Tile &tile, LocalTensor<T> &out) {
    queue.EnQue(out);
    out = queue.template DeQue<T>();
    walk.Store(gm, out, tile);
    queue.FreeTensor(out);
  }
};

/// values[i] = 1 / sqrt(values[i] + epsilon), correctly rounded steps; `ones` is scratch of the same size.
__aicore__ inline void InverseDeviation(const LocalTensor<float> &values, const LocalTensor<float> &ones,
                                        float epsilon, int32_t count) {
  Adds(values, values, epsilon, count);
  Duplicate(ones, 1.0f, count);
  PipeBarrier<PIPE_V>();
  Sqrt(values, values, count);
  PipeBarrier<PIPE_V>();
  Div(values, ones, values, count);
}

} // namespace BatchNorm
#endif
