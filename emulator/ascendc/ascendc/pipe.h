// TPipe, TQue and TBuf: buffers of UB, their life cycle, and the flags that go with it (Ascend C note,
// sections 2.1 and 3).
//
//   VECIN    AllocTensor waits V->MTE2 (from the second use on); EnQue sets MTE2->V, DeQue waits for it;
//            FreeTensor sets V->MTE2
//   VECOUT   AllocTensor waits MTE3->V; EnQue sets V->MTE3, DeQue waits for it; FreeTensor sets MTE3->V
#ifndef TILEWRIGHT_ASCENDC_PIPE_H
#define TILEWRIGHT_ASCENDC_PIPE_H

#include "tensor.h"

namespace AscendC {

template <TPosition pos, int32_t depth, auto mask> class TQue;
template <TPosition pos> class TBuf;

class TPipe {
public:
  TW_INLINE TPipe() { *tw_core_slot() = reinterpret_cast<uint64_t>(&state); }
  /// Waits for the flags of freed buffers, as the real one does at the end of a kernel.
  TW_INLINE ~TPipe() {
    namespace impl = tilewright_ascendc;
    for (unsigned i = 0; i < state.count; ++i) {
      impl::Buffer &b = state.buffers[i];
      if (__builtin_expect(b.state != impl::State::Raw && b.state != impl::State::Free, 0))
        tw_core_misuse(impl::kQueue, b.place, "the tensor of this AllocTensor is never freed (%s)",
                       b.state == impl::State::Queued ? "it is still in its queue" : "FreeTensor is missing");
      if (b.freed >= 0)
        impl::waitFlag(b.freedEvent, b.freed);
    }
    PipeAllBarrier();
    *tw_core_slot() = 0;
  }
  TPipe(const TPipe &) = delete;

  template <class T> TW_INLINE bool InitBuffer(T &que, uint8_t num, uint32_t len) {
    namespace impl = tilewright_ascendc;
    TW_REQUIRE(!que.buffers, impl::kQueue, "InitBuffer: the queue has its buffers already");
    TW_REQUIRE(num >= 1, impl::kUbBudget, "InitBuffer: no buffers");
    que.buffers = &state.buffers[state.count];
    que.num = num;
    for (uint8_t i = 0; i < num; ++i)
      place(len, impl::State::Free, num);
    return true;
  }
  template <TPosition pos> TW_INLINE bool InitBuffer(TBuf<pos> &buf, uint32_t len) {
    namespace impl = tilewright_ascendc;
    TW_REQUIRE(!buf.buffer, impl::kQueue, "InitBuffer: the TBuf has its buffer already");
    buf.buffer = &state.buffers[state.count];
    place(len, impl::State::Raw, 1);
    return true;
  }

  /// An id that is free now; it is not taken.
  TW_INLINE TEventID FetchEventID(HardEvent evt) { return firstFree(evt); }
  template <HardEvent evt> TW_INLINE TEventID FetchEventID() { return firstFree(evt); }
  template <HardEvent evt> TW_INLINE TEventID AllocEventID() {
    const TEventID id = firstFree(evt);
    state.events[unsigned(evt)] |= uint8_t(1u << id);
    return id;
  }
  template <HardEvent evt> TW_INLINE void ReleaseEventID(TEventID id) {
    TW_REQUIRE(id >= 0 && id < 8 && (state.events[unsigned(evt)] >> id & 1), tilewright_ascendc::kEvent,
               "ReleaseEventID: id %d is not taken", int(id));
    state.events[unsigned(evt)] &= uint8_t(~(1u << id));
  }
  /// The emulator's own use.
  tilewright_ascendc::Pipe state;

private:
  TW_INLINE void PipeAllBarrier() { tw_isa_BARRIER(PIPE_ALL); }
  TW_INLINE TEventID firstFree(HardEvent evt) const {
    const unsigned taken = state.events[unsigned(evt)];
    TW_REQUIRE(taken != 0xff, tilewright_ascendc::kEvent,
               "all 8 event ids of this pair of pipes are taken: too many buffers are in flight");
    return TEventID(__builtin_ctz(~taken));
  }
  TW_INLINE void place(uint32_t len, tilewright_ascendc::State kind, unsigned num) {
    namespace impl = tilewright_ascendc;
    TW_REQUIRE(state.count < impl::Pipe::kMaxBuffers, impl::kUbBudget, "InitBuffer: more than %u buffers",
               impl::Pipe::kMaxBuffers);
    TW_REQUIRE(len > 0, impl::kUbBudget, "InitBuffer: a buffer of 0 bytes");
    const uint64_t end = uint64_t(state.used) + (uint64_t(len) + 31) / 32 * 32;
    const uint32_t limit = state.select ? impl::kSelectScratch : impl::kUbSize;
    TW_REQUIRE(end <= limit, impl::kUbBudget,
               "InitBuffer: %u buffers of %u bytes reach UB byte %llu, and there are %u%s", num, len,
               (unsigned long long)end, limit, state.select ? " beside the table of Select" : "");
    impl::Buffer &b = state.buffers[state.count++];
    b.offset = state.used;
    b.bytes = uint32_t(end - state.used);
    b.state = kind;
    state.used = uint32_t(end);
  }
};

TW_INLINE TPipe *GetTPipePtr() {
  tilewright_ascendc::Pipe *state = tilewright_ascendc::pipe();
  TW_REQUIRE(state, tilewright_ascendc::kQueue, "there is no TPipe in this kernel");
  return reinterpret_cast<TPipe *>(state);
}

template <TPosition pos, int32_t depth, auto mask = 0> class TQue {
  static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT,
                "queues of a vector core are VECIN or VECOUT");
  static_assert(depth >= 1 && depth <= 8, "the depth of a queue is 1 to 8");
  static constexpr HardEvent kFilled = pos == TPosition::VECIN ? HardEvent::MTE2_V : HardEvent::V_MTE3;
  static constexpr HardEvent kFreed = pos == TPosition::VECIN ? HardEvent::V_MTE2 : HardEvent::MTE3_V;
  static constexpr const char *kName = pos == TPosition::VECIN ? "VECIN" : "VECOUT";
  using Buffer = tilewright_ascendc::Buffer;
  using State = tilewright_ascendc::State;

public:
  template <typename T> TW_INLINE LocalTensor<T> AllocTensor() {
    namespace impl = tilewright_ascendc;
    TW_REQUIRE(buffers, impl::kQueue, "AllocTensor: InitBuffer was not called for this %s queue", kName);
    Buffer *b = nullptr;
    for (unsigned i = 0; i < num && !b; ++i) {
      Buffer &next = buffers[cursor];
      cursor = cursor + 1 == num ? 0 : cursor + 1;
      if (next.state == State::Free)
        b = &next;
    }
    TW_REQUIRE(b, impl::kQueue, "AllocTensor: all %u buffers of this %s queue are in use", unsigned(num),
               kName);
    if (b->freed >= 0) {
      impl::waitFlag(kFreed, b->freed);
      GetTPipePtr()->template ReleaseEventID<kFreed>(b->freed);
      b->freed = -1;
    }
    b->state = State::Allocated;
    ++b->generation;
    b->place = tw_core_here();
    return tensorOf<T>(b);
  }
  template <typename T> TW_INLINE bool EnQue(const LocalTensor<T> &tensor) {
    namespace impl = tilewright_ascendc;
    Buffer *b = own("EnQue", tensor.view);
    TW_REQUIRE(b->state != State::Queued, impl::kQueue, "EnQue: the tensor is in this %s queue already",
               kName);
    TW_REQUIRE(b->state == State::Allocated, impl::kQueue,
               "EnQue: the tensor was taken from this %s queue by DeQue; FreeTensor it", kName);
    TW_REQUIRE(waiting < depth, impl::kQueue, "EnQue: a %s queue of depth %d holds %d tensors already", kName,
               depth, waiting);
    b->filled = GetTPipePtr()->template AllocEventID<kFilled>();
    impl::setFlag(kFilled, b->filled);
    b->state = State::Queued;
    order[(head + waiting++) % depth] = uint8_t(b - buffers);
    return true;
  }
  template <typename T> TW_INLINE LocalTensor<T> DeQue() {
    namespace impl = tilewright_ascendc;
    TW_REQUIRE(buffers && waiting > 0, impl::kQueue, "DeQue: nothing was put into this %s queue by EnQue",
               kName);
    Buffer *b = &buffers[order[head]];
    head = (head + 1) % depth;
    --waiting;
    impl::waitFlag(kFilled, b->filled);
    GetTPipePtr()->template ReleaseEventID<kFilled>(b->filled);
    b->filled = -1;
    b->state = State::Taken;
    return tensorOf<T>(b);
  }
  template <typename T> TW_INLINE void FreeTensor(LocalTensor<T> &tensor) {
    namespace impl = tilewright_ascendc;
    Buffer *b = own("FreeTensor", tensor.view);
    TW_REQUIRE(b->state != State::Queued, impl::kQueue, "FreeTensor: the tensor is still in its %s queue",
               kName);
    b->state = State::Free;
    b->freed = GetTPipePtr()->template AllocEventID<kFreed>();
    b->freedEvent = kFreed;
    impl::setFlag(kFreed, b->freed);
  }
  TW_INLINE bool VacantInQue() const { return waiting < depth; }
  TW_INLINE bool HasTensorInQue() const { return waiting > 0; }
  TW_INLINE int32_t GetTensorCountInQue() const { return waiting; }
  TW_INLINE bool HasIdleBuffer() const {
    for (unsigned i = 0; i < num; ++i)
      if (buffers[i].state == State::Free)
        return true;
    return false;
  }

private:
  friend class TPipe;
  Buffer *buffers = nullptr;
  uint8_t num = 0, cursor = 0;
  int32_t head = 0, waiting = 0;
  uint8_t order[depth] = {};

  template <typename T> TW_INLINE LocalTensor<T> tensorOf(Buffer *b) const {
    LocalTensor<T> tensor;
    tensor.view = {b->offset, b->bytes, b, b->generation};
    return tensor;
  }
  TW_INLINE Buffer *own(const char *api, const tilewright_ascendc::View &view) const {
    namespace impl = tilewright_ascendc;
    TW_REQUIRE(view.buffer && view.buffer >= buffers && view.buffer < buffers + num, impl::kQueue,
               "%s: the tensor does not belong to this %s queue", api, kName);
    TW_REQUIRE(view.buffer->generation == view.generation && view.buffer->state != State::Free, impl::kQueue,
               "%s: the tensor was freed before", api);
    return view.buffer;
  }
};

/// Scratch memory without any synchronisation.
template <TPosition pos = TPosition::LCM> class TBuf {
public:
  template <typename T> TW_INLINE LocalTensor<T> Get() { return part<T>("Get", 0, ~0u); }
  template <typename T> TW_INLINE LocalTensor<T> Get(uint32_t len) { return part<T>("Get", 0, len); }
  template <typename T> TW_INLINE LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset) {
    return part<T>("GetWithOffset", bufOffset, size);
  }

private:
  friend class TPipe;
  tilewright_ascendc::Buffer *buffer = nullptr;

  template <typename T> TW_INLINE LocalTensor<T> part(const char *api, uint32_t offset, uint32_t size) const {
    namespace impl = tilewright_ascendc;
    TW_REQUIRE(buffer, impl::kQueue, "%s: InitBuffer was not called for this TBuf", api);
    const uint64_t bytes = size == ~0u ? buffer->bytes - offset : uint64_t(size) * sizeof(T);
    TW_REQUIRE(offset + bytes <= buffer->bytes, impl::kOperand, "%s: bytes %u to %llu of a TBuf of %u", api,
               offset, (unsigned long long)(offset + bytes), buffer->bytes);
    LocalTensor<T> tensor;
    tensor.view = {buffer->offset + offset, uint32_t(bytes), buffer, 0};
    return tensor;
  }
};

} // namespace AscendC
#endif
