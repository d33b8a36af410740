// Flags, barriers, mask registers, and who am I (Ascend C note, section 2.5).
#ifndef TILEWRIGHT_ASCENDC_SYNC_H
#define TILEWRIGHT_ASCENDC_SYNC_H

#include "pipe.h"

namespace AscendC {

template <HardEvent event> TW_INLINE void SetFlag(int32_t eventID) {
  tilewright_ascendc::setFlag(event, eventID);
}
template <HardEvent event> TW_INLINE void WaitFlag(int32_t eventID) {
  tilewright_ascendc::waitFlag(event, eventID);
}

template <pipe_t pipe> TW_INLINE void PipeBarrier() {
  static_assert(pipe != PIPE_S, "PipeBarrier<PIPE_S> does not exist: the scalar unit runs in order");
  static_assert(pipe == PIPE_V || pipe == PIPE_MTE2 || pipe == PIPE_MTE3 || pipe == PIPE_ALL,
                "a vector core has the pipes V, MTE2 and MTE3");
  tw_isa_BARRIER(pipe);
}

TW_INLINE int64_t GetBlockIdx() { return int64_t(tw_isa_GET_BLOCK_IDX()); }
TW_INLINE int64_t GetBlockNum() { return int64_t(tw_core_block_dim()); }

/// Blocks of the emulator run one after another to their end, so they cannot meet.
template <bool isAIVOnly = true> TW_INLINE void SyncAll() {
  TW_REQUIRE(tw_core_block_dim() == 1, tilewright_ascendc::kUnsupported,
             "SyncAll: the emulator runs blocks one after another; end the kernel and launch a second one");
}

TW_INLINE void SetMaskCount() { tilewright_ascendc::setMaskCount(); }
TW_INLINE void SetMaskNorm() { tilewright_ascendc::setMaskNorm(); }
TW_INLINE void ResetMask() { tilewright_ascendc::setVectorMask(~uint64_t(0), ~uint64_t(0)); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
TW_INLINE void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  tilewright_ascendc::setVectorMask(maskHigh, maskLow);
}

} // namespace AscendC
#endif
