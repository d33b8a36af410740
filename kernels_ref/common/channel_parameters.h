// Per-channel tensors of a group of channels in UB: loaded once, read by the scalar unit; results collected
// by the scalar unit and stored once.
#ifndef KERNELS_REF_COMMON_CHANNEL_PARAMETERS_H
#define KERNELS_REF_COMMON_CHANNEL_PARAMETERS_H

#include "kernel_operator.h"

namespace ChannelTiles {

using namespace AscendC;

/// One per-channel tensor of type T: `values` holds the group in float.
template <typename T> class Parameter {
  static constexpr bool CASTS = !IsSameType<T, float>::value;

public:
  __aicore__ inline void Init(GM_ADDR address, uint64_t channels, uint32_t group, TPipe *pipe) {
    gm.SetGlobalBuffer((__gm__ T *)address, channels);
    pipe->InitBuffer(buffer, group * sizeof(float));
    if constexpr (CASTS) {
      pipe->InitBuffer(raw, group * sizeof(T));
    }
  }
  /// Starts the load of `count` channels. Convert after a flag MTE2->V (half types), read after one to S.
  __aicore__ inline void Load(uint64_t first, uint32_t count) {
    LocalTensor<T> to = Raw();
    DataCopyPad(to, gm[first], DataCopyExtParams(1, count * sizeof(T), 0, 0, 0),
                DataCopyPadExtParams<T>(false, 0, 0, static_cast<T>(0)));
  }
  __aicore__ inline void Convert(uint32_t count) {
    if constexpr (CASTS) {
      Cast(Values(), raw.template Get<T>(), RoundMode::CAST_NONE, count);
    }
  }
  /// Rounds the collected values to T (half types).
  __aicore__ inline void Round(uint32_t count) {
    if constexpr (CASTS) {
      Cast(raw.template Get<T>(), Values(), RoundMode::CAST_RINT, count);
    }
  }
  __aicore__ inline void Store(uint64_t first, uint32_t count) {
    DataCopyPad(gm[first], Raw(), DataCopyExtParams(1, count * sizeof(T), 0, 0, 0));
  }
  __aicore__ inline LocalTensor<float> Values() { return buffer.template Get<float>(); }

private:
  GlobalTensor<T> gm;
  TBuf<TPosition::VECCALC> buffer, raw;

  __aicore__ inline LocalTensor<T> Raw() {
    if constexpr (CASTS) {
      return raw.template Get<T>();
    } else {
      return buffer.template Get<T>();
    }
  }
};

/// MTE2 is done: V may convert, S may read.
__aicore__ inline void ParametersLoaded() {
  SetFlag<HardEvent::MTE2_V>(EVENT_ID7);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID7);
  SetFlag<HardEvent::MTE2_S>(EVENT_ID7);
  WaitFlag<HardEvent::MTE2_S>(EVENT_ID7);
}
__aicore__ inline void VectorToScalar() {
  SetFlag<HardEvent::V_S>(EVENT_ID7);
  WaitFlag<HardEvent::V_S>(EVENT_ID7);
}
/// The scalar unit has collected results: V may round them, then MTE3 may store them.
__aicore__ inline void ScalarToVector() {
  SetFlag<HardEvent::S_V>(EVENT_ID7);
  WaitFlag<HardEvent::S_V>(EVENT_ID7);
}
__aicore__ inline void ResultsToStore() {
  SetFlag<HardEvent::V_MTE3>(EVENT_ID7);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID7);
  SetFlag<HardEvent::S_MTE3>(EVENT_ID7);
  WaitFlag<HardEvent::S_MTE3>(EVENT_ID7);
}

} // namespace ChannelTiles
#endif
