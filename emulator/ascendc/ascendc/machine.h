// State behind the interface: buffers of the pipe, event ids, mask registers, and how misuse is reported.
#ifndef TILEWRIGHT_ASCENDC_MACHINE_H
#define TILEWRIGHT_ASCENDC_MACHINE_H

#include "types.h"

#include "isa.h"

namespace tilewright_ascendc {

/// Error numbers of emulator.h.
enum : int {
  kUnsupported = 4015,
  kQueue = 4030,
  kTensorState = 4031,
  kOperand = 4032,
  kLimit = 4033,
  kUbBudget = 4034,
  kEvent = 4035,
  kGmTensor = 4036
};

/// Reports at the kernel's line: callers are inlined.
#define TW_REQUIRE(condition, code, ...)                                                                     \
  do {                                                                                                       \
    if (__builtin_expect(!(condition), 0))                                                                   \
      tw_core_misuse(code, nullptr, __VA_ARGS__);                                                            \
  } while (false)

enum class State : uint8_t { Raw, Free, Allocated, Queued, Taken };

/// A buffer of UB. `generation` counts the times it was allocated, so that an old LocalTensor is known.
struct Buffer {
  uint32_t offset = 0, bytes = 0, generation = 0;
  State state = State::Free;
  int8_t filled = -1, freed = -1; ///< event ids of the sets that somebody still has to wait for
  AscendC::HardEvent freedEvent = AscendC::HardEvent::MAX;
  const void *place = nullptr; ///< of its AllocTensor
};

struct Pipe {
  static constexpr unsigned kMaxBuffers = 64;
  Buffer buffers[kMaxBuffers];
  unsigned count = 0;
  uint32_t used = 0;                                      ///< bytes of UB
  bool select = false;                                    ///< Select in mode 1 or 2 was used
  uint8_t events[unsigned(AscendC::HardEvent::MAX)] = {}; ///< ids in use, one bit each
};

/// The pipe of this block, or null before a TPipe exists.
TW_INLINE Pipe *pipe() { return reinterpret_cast<Pipe *>(*tw_core_slot()); }

struct Pair {
  uint8_t src, dst;
};
TW_INLINE constexpr Pair pipesOf(AscendC::HardEvent e) {
  using E = AscendC::HardEvent;
  switch (e) {
  case E::MTE2_V:
    return {PIPE_MTE2, PIPE_V};
  case E::V_MTE2:
    return {PIPE_V, PIPE_MTE2};
  case E::MTE3_V:
    return {PIPE_MTE3, PIPE_V};
  case E::V_MTE3:
    return {PIPE_V, PIPE_MTE3};
  case E::V_V:
    return {PIPE_V, PIPE_V};
  case E::MTE3_MTE2:
    return {PIPE_MTE3, PIPE_MTE2};
  case E::MTE2_MTE3:
    return {PIPE_MTE2, PIPE_MTE3};
  case E::S_V:
    return {PIPE_S, PIPE_V};
  case E::V_S:
    return {PIPE_V, PIPE_S};
  case E::S_MTE2:
    return {PIPE_S, PIPE_MTE2};
  case E::MTE2_S:
    return {PIPE_MTE2, PIPE_S};
  case E::S_MTE3:
    return {PIPE_S, PIPE_MTE3};
  default:
    return {PIPE_MTE3, PIPE_S};
  }
}

TW_INLINE void setFlag(AscendC::HardEvent e, int32_t id) {
  TW_REQUIRE(id >= 0 && id < 8, kEvent, "SetFlag: event id %d; ids are 0 to 7", id);
  tw_isa_SET_FLAG_IMM(pipesOf(e).src, pipesOf(e).dst, uint64_t(id));
}
TW_INLINE void waitFlag(AscendC::HardEvent e, int32_t id) {
  TW_REQUIRE(id >= 0 && id < 8, kEvent, "WaitFlag: event id %d; ids are 0 to 7", id);
  tw_isa_WAIT_FLAG_IMM(pipesOf(e).src, pipesOf(e).dst, uint64_t(id));
}

// ---- mask registers (Ascend C note, section 3) ----

TW_INLINE void setMaskCount() { tw_isa_SET_CTRL(tw_isa_SBITSET1(tw_isa_GET_CTRL(), 56)); }
TW_INLINE void setMaskNorm() { tw_isa_SET_CTRL(tw_isa_SBITSET0(tw_isa_GET_CTRL(), 56)); }
TW_INLINE void setVectorMask(uint64_t high, uint64_t low) {
  tw_isa_MOVEMASK(1, high);
  tw_isa_MOVEMASK(0, low);
}

/// One instruction for the first `count` elements: counter mode around it.
struct Counted {
  TW_INLINE explicit Counted(int64_t count) {
    setMaskCount();
    setVectorMask(0, uint64_t(count));
  }
  TW_INLINE ~Counted() {
    setMaskNorm();
    setVectorMask(~uint64_t(0), ~uint64_t(0));
  }
  Counted(const Counted &) = delete;
};

template <typename T, typename... Ts> inline constexpr bool isOneOf = (std::is_same_v<T, Ts> || ...);

} // namespace tilewright_ascendc

namespace tilewright_ascendc {

/// The 16 bits of the nearest bfloat16, ties to even.
TW_INLINE uint16_t bfloat16Bits(float v) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, v);
  if ((bits & 0x7fffffff) > 0x7f800000)
    return uint16_t((bits | 0x00400000) >> 16);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

} // namespace tilewright_ascendc

/// Scalar conversions to bfloat16_t call this; no library of the emulated device has it.
extern "C" __attribute__((weak, visibility("hidden"))) bfloat16_t __truncsfbf2(float v) {
  return __builtin_bit_cast(bfloat16_t, tilewright_ascendc::bfloat16Bits(v));
}

#endif
