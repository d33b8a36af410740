// LocalTensor and GlobalTensor.
#ifndef TILEWRIGHT_ASCENDC_TENSOR_H
#define TILEWRIGHT_ASCENDC_TENSOR_H

#include "machine.h"

namespace tilewright_ascendc {

/// Bytes of UB that a LocalTensor stands for.
struct View {
  uint32_t offset = 0, bytes = 0;
  Buffer *buffer = nullptr;
  uint32_t generation = 0;

  /// The tensor may be touched: allocated or taken from its queue, and not freed since.
  TW_INLINE void requireLive(const char *api) const {
    TW_REQUIRE(buffer, kTensorState,
               "%s: the LocalTensor has no buffer; AllocTensor, DeQue or TBuf::Get give one", api);
    TW_REQUIRE(buffer->generation == generation && buffer->state != State::Free, kTensorState,
               "%s: the LocalTensor is used after FreeTensor", api);
    TW_REQUIRE(buffer->state != State::Queued, kTensorState,
               "%s: the LocalTensor is used between EnQue and DeQue", api);
  }
};

} // namespace tilewright_ascendc

namespace AscendC {

template <typename T> class LocalTensor {
public:
  using PrimType = T;

  __aicore__ LocalTensor() {}

  TW_INLINE T GetValue(const uint32_t index) const {
    touch("GetValue", index, 0);
    return *reinterpret_cast<const T *>(tw_core_ub() + view.offset + uint64_t(index) * sizeof(T));
  }
  TW_INLINE void SetValue(const uint32_t index, const T value) const {
    touch("SetValue", index, 1);
    *reinterpret_cast<T *>(tw_core_ub() + view.offset + uint64_t(index) * sizeof(T)) = value;
  }
  TW_INLINE LocalTensor operator[](const uint32_t offset) const {
    TW_REQUIRE(uint64_t(offset) * sizeof(T) <= view.bytes, tilewright_ascendc::kOperand,
               "operator[]: offset %u in a LocalTensor of %u elements", offset,
               uint32_t(view.bytes / sizeof(T)));
    LocalTensor part = *this;
    part.view.offset += offset * uint32_t(sizeof(T));
    part.view.bytes -= offset * uint32_t(sizeof(T));
    return part;
  }
  template <typename U> TW_INLINE LocalTensor<U> ReinterpretCast() const {
    LocalTensor<U> other;
    other.view = view;
    return other;
  }
  TW_INLINE uint32_t GetSize() const { return view.bytes / uint32_t(sizeof(T)); }
  TW_INLINE void SetSize(const uint32_t size) {
    TW_REQUIRE(uint64_t(size) * sizeof(T) <= view.bytes, tilewright_ascendc::kOperand,
               "SetSize: %u elements of a LocalTensor of %u", size, GetSize());
    view.bytes = size * uint32_t(sizeof(T));
  }
  /// Address in UB, from 0 as on the device.
  TW_INLINE uint64_t GetPhyAddr() const { return view.offset; }
  TW_INLINE uint64_t GetPhyAddr(const uint32_t offset) const { return view.offset + offset * sizeof(T); }

  /// Not part of the interface.
  tilewright_ascendc::View view;

private:
  TW_INLINE void touch(const char *api, uint32_t index, int write) const {
    view.requireLive(api);
    TW_REQUIRE((uint64_t(index) + 1) * sizeof(T) <= view.bytes, tilewright_ascendc::kOperand,
               "%s: index %u in a LocalTensor of %u elements", api, index, uint32_t(view.bytes / sizeof(T)));
    tw_core_scalar_ub(tw_core_ub() + view.offset + uint64_t(index) * sizeof(T), sizeof(T), write);
  }
};

template <typename T> class GlobalTensor {
public:
  using PrimType = T;

  __aicore__ GlobalTensor() {}

  TW_INLINE void SetGlobalBuffer(__gm__ T *buffer, uint64_t bufferSize) {
    base = buffer;
    size = bufferSize;
  }
  TW_INLINE void SetGlobalBuffer(__gm__ T *buffer) {
    base = buffer;
    size = kUnlimited;
  }
  TW_INLINE GlobalTensor operator[](const uint64_t offset) const {
    TW_REQUIRE(offset <= size, tilewright_ascendc::kGmTensor,
               "operator[]: offset %llu in a GlobalTensor of %llu elements", (unsigned long long)offset,
               (unsigned long long)size);
    GlobalTensor part;
    part.base = base + offset;
    part.size = size == kUnlimited ? size : size - offset;
    return part;
  }
  /// Through the scalar data cache.
  TW_INLINE T GetValue(const uint64_t offset) const {
    touch("GetValue", offset, 0);
    return base[offset];
  }
  TW_INLINE void SetValue(const uint64_t offset, T value) {
    touch("SetValue", offset, 1);
    base[offset] = value;
  }
  TW_INLINE uint64_t GetSize() const { return size; }
  TW_INLINE const __gm__ T *GetPhyAddr() const { return base; }
  TW_INLINE __gm__ T *GetPhyAddr(const uint64_t offset) const { return base + offset; }

  /// Not part of the interface: `bytes` from the start on must be there.
  TW_INLINE void requireBytes(const char *api, uint64_t bytes) const {
    TW_REQUIRE(base, tilewright_ascendc::kGmTensor, "%s: the GlobalTensor has no SetGlobalBuffer", api);
    TW_REQUIRE(size == kUnlimited || bytes <= size * sizeof(T), tilewright_ascendc::kGmTensor,
               "%s: %llu bytes of a GlobalTensor that ends after %llu", api, (unsigned long long)bytes,
               (unsigned long long)(size * sizeof(T)));
  }
  TW_INLINE void *address() const { return reinterpret_cast<void *>(reinterpret_cast<uint64_t>(base)); }

private:
  static constexpr uint64_t kUnlimited = ~uint64_t(0);
  __gm__ T *base = nullptr;
  uint64_t size = 0;

  TW_INLINE void touch(const char *api, uint64_t offset, int write) const {
    TW_REQUIRE(base, tilewright_ascendc::kGmTensor, "%s: the GlobalTensor has no SetGlobalBuffer", api);
    TW_REQUIRE(size == kUnlimited || offset < size, tilewright_ascendc::kGmTensor,
               "%s: index %llu in a GlobalTensor of %llu elements", api, (unsigned long long)offset,
               (unsigned long long)size);
    tw_core_scalar_gm(reinterpret_cast<uint64_t>(base + offset), sizeof(T), write);
  }
};

} // namespace AscendC
#endif
