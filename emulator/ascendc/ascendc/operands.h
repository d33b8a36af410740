// Checks of operands (Ascend C note, section 4, rules 1 to 7), and their addresses.
#ifndef TILEWRIGHT_ASCENDC_OPERANDS_H
#define TILEWRIGHT_ASCENDC_OPERANDS_H

#include "tensor.h"

namespace tilewright_ascendc {

template <typename T> TW_INLINE void *at(const AscendC::LocalTensor<T> &tensor) {
  return reinterpret_cast<void *>(tw_core_ub() + tensor.view.offset);
}

/// The tensor is live, starts at a block and has `bytes`.
template <typename T>
TW_INLINE void requireOperand(const char *api, const char *operand, const AscendC::LocalTensor<T> &tensor,
                              uint64_t bytes) {
  tensor.view.requireLive(api);
  TW_REQUIRE(tensor.view.offset % kBlock == 0, kLimit,
             "%s: %s starts at UB byte %u, which is no multiple of 32", api, operand, tensor.view.offset);
  TW_REQUIRE(bytes <= tensor.view.bytes, kOperand, "%s: %s needs %llu bytes, its LocalTensor has %u", api,
             operand, (unsigned long long)bytes, tensor.view.bytes);
}

TW_INLINE void requireCount(const char *api, int64_t count) {
  TW_REQUIRE(count >= 0, kOperand, "%s: count %lld", api, (long long)count);
}

/// Counted operands coincide or are disjoint; `same` says that both have the same element size.
template <typename D, typename S>
TW_INLINE void requireApart(const char *api, const AscendC::LocalTensor<D> &dst,
                            const AscendC::LocalTensor<S> &src, uint64_t count) {
  const uint64_t d = dst.view.offset, s = src.view.offset;
  const bool same = d == s && sizeof(D) == sizeof(S);
  TW_REQUIRE(same || count == 0 || d + count * sizeof(D) <= s || s + count * sizeof(S) <= d, kLimit,
             "%s: destination at UB byte %u overlaps a source at %u", api, uint32_t(d), uint32_t(s));
}

template <typename D, typename... S>
TW_INLINE void requireCounted(const char *api, int64_t count, const AscendC::LocalTensor<D> &dst,
                              const AscendC::LocalTensor<S> &...src) {
  requireCount(api, count);
  requireOperand(api, "the destination", dst, uint64_t(count) * sizeof(D));
  (requireOperand(api, "a source", src, uint64_t(count) * sizeof(S)), ...);
  (requireApart(api, dst, src, uint64_t(count)), ...);
}

/// Lanes of a level-0 call: the first `count`, or a bit mask.
struct LaneMask {
  uint64_t high = 0, low = 0;
  unsigned last = 0; ///< highest lane + 1
};
template <typename T>
TW_INLINE LaneMask laneMask(const char *api, uint64_t mask, unsigned lanes = 256 / sizeof(T)) {
  TW_REQUIRE(mask >= 1 && mask <= lanes, kLimit,
             "%s: mask %llu; elements of %u bytes have 1 to %u lanes a repeat", api, (unsigned long long)mask,
             unsigned(sizeof(T)), lanes);
  LaneMask m;
  m.low = mask >= 64 ? ~uint64_t(0) : (uint64_t(1) << mask) - 1;
  m.high = mask <= 64 ? 0 : mask == 128 ? ~uint64_t(0) : (uint64_t(1) << (mask - 64)) - 1;
  m.last = unsigned(mask);
  return m;
}
template <typename T>
TW_INLINE LaneMask laneMask(const char *api, const uint64_t mask[2], unsigned lanes = 256 / sizeof(T)) {
  TW_REQUIRE((mask[0] || mask[1]) &&
                 (lanes == 128 || (mask[1] == 0 && (lanes == 64 || mask[0] >> lanes == 0))),
             kLimit, "%s: mask words %#llx, %#llx; elements of %u bytes have %u lanes a repeat", api,
             (unsigned long long)mask[0], (unsigned long long)mask[1], unsigned(sizeof(T)), lanes);
  LaneMask m;
  m.low = mask[0];
  m.high = mask[1];
  m.last = mask[1] ? 128 - unsigned(__builtin_clzll(mask[1])) : 64 - unsigned(__builtin_clzll(mask[0]));
  return m;
}
TW_INLINE void setLanes(const LaneMask &m) { setVectorMask(m.high, m.low); }

TW_INLINE void requireRepeat(const char *api, int64_t repeat, int64_t limit = 255) {
  TW_REQUIRE(repeat >= 0 && repeat <= limit, kLimit, "%s: repeatTime %lld; 0 to %lld are possible", api,
             (long long)repeat, (long long)limit);
}

/// Bytes from the start of an operand that a level-0 call touches.
template <typename T> TW_INLINE uint64_t strided(unsigned last, uint64_t repeat, uint64_t blk, uint64_t rep) {
  if (repeat == 0)
    return 0;
  const uint64_t perBlock = kBlock / sizeof(T), blocks = (last + perBlock - 1) / perBlock;
  return (repeat - 1) * rep * kBlock + (blocks - 1) * blk * kBlock +
         (last - (blocks - 1) * perBlock) * sizeof(T);
}

} // namespace tilewright_ascendc

// One instruction by element type.
#define TW_CALL_FLOATS(op, T, ...)                                                                           \
  do {                                                                                                       \
    if constexpr (std::is_same_v<T, half>)                                                                   \
      tw_isa_##op##_f16(__VA_ARGS__);                                                                        \
    else                                                                                                     \
      tw_isa_##op##_f32(__VA_ARGS__);                                                                        \
  } while (false)
#define TW_CALL_FOUR(op, T, ...)                                                                             \
  do {                                                                                                       \
    if constexpr (std::is_same_v<T, half>)                                                                   \
      tw_isa_##op##_f16(__VA_ARGS__);                                                                        \
    else if constexpr (std::is_same_v<T, float>)                                                             \
      tw_isa_##op##_f32(__VA_ARGS__);                                                                        \
    else if constexpr (sizeof(T) == 2)                                                                       \
      tw_isa_##op##_s16(__VA_ARGS__);                                                                        \
    else                                                                                                     \
      tw_isa_##op##_s32(__VA_ARGS__);                                                                        \
  } while (false)
#define TW_CALL_BITS16(op, T, ...)                                                                           \
  do {                                                                                                       \
    if constexpr (std::is_same_v<T, int16_t>)                                                                \
      tw_isa_##op##_s16(__VA_ARGS__);                                                                        \
    else                                                                                                     \
      tw_isa_##op##_u16(__VA_ARGS__);                                                                        \
  } while (false)

#define TW_TYPES_FOUR(T) tilewright_ascendc::isOneOf<T, half, float, int16_t, int32_t>
#define TW_TYPES_FLOATS(T) tilewright_ascendc::isOneOf<T, half, float>
#define TW_TYPES_BITS16(T) tilewright_ascendc::isOneOf<T, int16_t, uint16_t>

#endif
