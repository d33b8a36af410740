// EluGradV2 for small tensors: a core's share is one tile, held in plain buffers with three flags instead of
// queues.
#ifndef ELU_GRAD_V2_SINGLE_TILE_H
#define ELU_GRAD_V2_SINGLE_TILE_H

#include "elu_grad_v2_kernel.h"

namespace EluGradV2 {

template <typename T, typename OUT, bool IS_RESULT> class KernelEluGradV2SingleTile {
  static constexpr bool CASTS = !IsSameType<T, float>::value;

public:
  __aicore__ inline void Init(GM_ADDR dy, GM_ADDR x, GM_ADDR y, const EluGradV2TilingData &tiling,
                              TPipe *pipe) {
    const CoreRange range(tiling);
    count = static_cast<uint32_t>(range.length);
    dyGm.SetGlobalBuffer((__gm__ T *)dy + range.start, count);
    xGm.SetGlobalBuffer((__gm__ T *)x + range.start, count);
    yGm.SetGlobalBuffer((__gm__ OUT *)y + range.start, count);
    const uint32_t tile = tiling.tileDataNum;
    pipe->InitBuffer(dyBuf, tile * sizeof(T));
    pipe->InitBuffer(xBuf, tile * sizeof(T));
    pipe->InitBuffer(yBuf, tile * sizeof(OUT));
    pipe->InitBuffer(maskBuf, tile / 8);
    if constexpr (CASTS) {
      pipe->InitBuffer(dyFloatBuf, tile * sizeof(float));
      pipe->InitBuffer(xFloatBuf, tile * sizeof(float));
    }
    if constexpr (!IsSameType<OUT, float>::value) {
      pipe->InitBuffer(yFloatBuf, tile * sizeof(float));
    }
    compute.Init(tiling);
  }

  __aicore__ inline void Process() {
    const LocalTensor<T> x = xBuf.Get<T>(), dy = dyBuf.Get<T>();
    const LocalTensor<OUT> y = yBuf.Get<OUT>();
    const LocalTensor<uint8_t> mask = maskBuf.Get<uint8_t>();
    const DataCopyExtParams in(1, count * sizeof(T), 0, 0, 0);
    const DataCopyPadExtParams<T> pad(false, 0, 0, static_cast<T>(0));
    DataCopyPad(x, xGm, in, pad);
    DataCopyPad(dy, dyGm, in, pad);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if constexpr (CASTS) {
      const LocalTensor<float> xFloat = xFloatBuf.Get<float>(), dyFloat = dyFloatBuf.Get<float>();
      Cast(xFloat, x, RoundMode::CAST_NONE, count);
      Cast(dyFloat, dy, RoundMode::CAST_NONE, count);
      PipeBarrier<PIPE_V>();
      if constexpr (IsSameType<OUT, float>::value) {
        compute.Run(y, xFloat, dyFloat, mask, count);
      } else {
        const LocalTensor<float> yFloat = yFloatBuf.Get<float>();
        compute.Run(yFloat, xFloat, dyFloat, mask, count);
        PipeBarrier<PIPE_V>();
        CastFromFloat(y, yFloat, count);
      }
    } else {
      compute.Run(y, x, dy, mask, count);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(yGm, y, DataCopyExtParams(1, count * sizeof(OUT), 0, 0, 0));
  }

private:
  TBuf<TPosition::VECCALC> dyBuf, xBuf, yBuf, maskBuf, dyFloatBuf, xFloatBuf, yFloatBuf;
  GlobalTensor<T> dyGm, xGm;
  GlobalTensor<OUT> yGm;
  Compute<IS_RESULT> compute;
  uint32_t count;
};

} // namespace EluGradV2
#endif
