// EluGradV2 over queues: tiles of a core's share, double buffered.
//
// ALIGNED: every tile of every core is whole 32-byte blocks, so plain DataCopy serves; otherwise tails go
// through DataCopyPad.
#ifndef ELU_GRAD_V2_KERNEL_H
#define ELU_GRAD_V2_KERNEL_H

#include "elu_grad_v2_compute.h"

namespace EluGradV2 {

/// A core's share of the elements.
struct CoreRange {
  uint64_t start, length;
  __aicore__ inline explicit CoreRange(const EluGradV2TilingData &tiling) {
    const uint64_t block = GetBlockIdx();
    if (block < tiling.bigCoreNum) {
      start = block * tiling.bigCoreDataNum;
      length = tiling.bigCoreDataNum;
    } else {
      start =
          tiling.bigCoreNum * tiling.bigCoreDataNum + (block - tiling.bigCoreNum) * tiling.smallCoreDataNum;
      length = tiling.smallCoreDataNum;
    }
    if (block + 1 == tiling.coreNum) {
      length = tiling.lastCoreDataNum;
    }
  }
};

template <typename T, typename OUT, bool IS_RESULT, bool ALIGNED> class KernelEluGradV2 {
  static constexpr bool CASTS = !IsSameType<T, float>::value;

public:
  __aicore__ inline void Init(GM_ADDR dy, GM_ADDR x, GM_ADDR y, const EluGradV2TilingData &tiling,
                              TPipe *pipe) {
    const CoreRange range(tiling);
    length = range.length;
    tile = tiling.tileDataNum;
    dyGm.SetGlobalBuffer((__gm__ T *)dy + range.start, length);
    xGm.SetGlobalBuffer((__gm__ T *)x + range.start, length);
    yGm.SetGlobalBuffer((__gm__ OUT *)y + range.start, length);
    pipe->InitBuffer(dyQueue, tiling.bufferNum, tile * sizeof(T));
    pipe->InitBuffer(xQueue, tiling.bufferNum, tile * sizeof(T));
    pipe->InitBuffer(yQueue, tiling.bufferNum, tile * sizeof(OUT));
    pipe->InitBuffer(maskBuf, tile / 8);
    if constexpr (CASTS) {
      pipe->InitBuffer(dyBuf, tile * sizeof(float));
      pipe->InitBuffer(xBuf, tile * sizeof(float));
    }
    if constexpr (!IsSameType<OUT, float>::value) {
      pipe->InitBuffer(yBuf, tile * sizeof(float));
    }
    compute.Init(tiling);
  }

  __aicore__ inline void Process() {
    for (uint64_t done = 0; done < length; done += tile) {
      const uint32_t count = length - done < tile ? static_cast<uint32_t>(length - done) : tile;
      CopyIn(done, count);
      ComputeTile(count);
      CopyOut(done, count);
    }
  }

private:
  __aicore__ inline void Load(TQue<TPosition::VECIN, 1> &queue, const GlobalTensor<T> &gm, uint64_t offset,
                              uint32_t count) {
    LocalTensor<T> local = queue.template AllocTensor<T>();
    if constexpr (ALIGNED) {
      DataCopy(local, gm[offset], count);
    } else {
      DataCopyPad(local, gm[offset], DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),
                  DataCopyPadExtParams<T>(false, 0, 0, static_cast<T>(0)));
    }
    queue.EnQue(local);
  }

  __aicore__ inline void CopyIn(uint64_t offset, uint32_t count) {
    Load(xQueue, xGm, offset, count);
    Load(dyQueue, dyGm, offset, count);
  }

  __aicore__ inline void ComputeTile(uint32_t count) {
    const LocalTensor<uint8_t> mask = maskBuf.Get<uint8_t>();
    LocalTensor<T> x = xQueue.DeQue<T>();
    if constexpr (CASTS) {
      const LocalTensor<float> xFloat = xBuf.Get<float>(), dyFloat = dyBuf.Get<float>();
      Cast(xFloat, x, RoundMode::CAST_NONE, count);
      xQueue.FreeTensor(x);
      LocalTensor<T> dy = dyQueue.DeQue<T>();
      Cast(dyFloat, dy, RoundMode::CAST_NONE, count);
      dyQueue.FreeTensor(dy);
      PipeBarrier<PIPE_V>();
      LocalTensor<OUT> y = yQueue.AllocTensor<OUT>();
      if constexpr (IsSameType<OUT, float>::value) {
        compute.Run(y, xFloat, dyFloat, mask, count);
      } else {
        const LocalTensor<float> yFloat = yBuf.Get<float>();
        compute.Run(yFloat, xFloat, dyFloat, mask, count);
        PipeBarrier<PIPE_V>();
        CastFromFloat(y, yFloat, count);
      }
      yQueue.EnQue(y);
    } else {
      LocalTensor<T> dy = dyQueue.DeQue<T>();
      LocalTensor<T> y = yQueue.AllocTensor<T>();
      compute.Run(y, x, dy, mask, count);
      yQueue.EnQue(y);
      xQueue.FreeTensor(x);
      dyQueue.FreeTensor(dy);
    }
    PipeBarrier<PIPE_V>(); // the next tile uses the same scratch
  }

  __aicore__ inline void CopyOut(uint64_t offset, uint32_t count) {
    LocalTensor<OUT> y = yQueue.DeQue<OUT>();
    if constexpr (ALIGNED) {
      DataCopy(yGm[offset], y, count);
    } else {
      DataCopyPad(yGm[offset], y, DataCopyExtParams(1, count * sizeof(OUT), 0, 0, 0));
    }
    yQueue.FreeTensor(y);
  }

  TQue<TPosition::VECIN, 1> dyQueue, xQueue;
  TQue<TPosition::VECOUT, 1> yQueue;
  TBuf<TPosition::VECCALC> maskBuf, dyBuf, xBuf, yBuf;
  GlobalTensor<T> dyGm, xGm;
  GlobalTensor<OUT> yGm;
  Compute<IS_RESULT> compute;
  uint64_t length;
  uint32_t tile;
};

} // namespace EluGradV2
#endif
