// Cast between element types, and the scalar conversions (Ascend C note, section 2.3).
#ifndef TILEWRIGHT_ASCENDC_CONVERT_H
#define TILEWRIGHT_ASCENDC_CONVERT_H

#include "operands.h"

namespace tilewright_ascendc {

// Instructions of a pair by rounding: r nearest even, a nearest away, f down, c up, z towards zero, o odd.
#define TW_ROUNDED(pair, none)                                                                               \
  switch (mode) {                                                                                            \
  case AscendC::RoundMode::CAST_NONE:                                                                        \
    if (!(none))                                                                                             \
      break;                                                                                                 \
    [[fallthrough]];                                                                                         \
  case AscendC::RoundMode::CAST_RINT:                                                                        \
    return tw_isa_VCONV_##pair##r_v220(dst, src, word);                                                      \
  case AscendC::RoundMode::CAST_FLOOR:                                                                       \
    return tw_isa_VCONV_##pair##f_v220(dst, src, word);                                                      \
  case AscendC::RoundMode::CAST_CEIL:                                                                        \
    return tw_isa_VCONV_##pair##c_v220(dst, src, word);                                                      \
  case AscendC::RoundMode::CAST_ROUND:                                                                       \
    return tw_isa_VCONV_##pair##a_v220(dst, src, word);                                                      \
  case AscendC::RoundMode::CAST_TRUNC:                                                                       \
    return tw_isa_VCONV_##pair##z_v220(dst, src, word);                                                      \
  default:                                                                                                   \
    break;                                                                                                   \
  }
#define TW_EXACT(pair)                                                                                       \
  if (mode == AscendC::RoundMode::CAST_NONE)                                                                 \
    return tw_isa_VCONV_##pair##_v220(dst, src, word);

template <typename D, typename S>
TW_INLINE void convert(void *dst, const void *src, AscendC::RoundMode mode, uint64_t word) {
  constexpr bool fromF32 = std::is_same_v<S, float>, fromF16 = std::is_same_v<S, half>,
                 fromBf16 = std::is_same_v<S, bfloat16_t>, from32 = std::is_same_v<S, int32_t>,
                 from16 = std::is_same_v<S, int16_t>;
  constexpr bool toF32 = std::is_same_v<D, float>, toF16 = std::is_same_v<D, half>,
                 toBf16 = std::is_same_v<D, bfloat16_t>, to32 = std::is_same_v<D, int32_t>,
                 to16 = std::is_same_v<D, int16_t>;
  if constexpr (fromF16 && toF32) {
    TW_EXACT(f162f32)
  } else if constexpr (fromBf16 && toF32) {
    TW_EXACT(bf162f32)
  } else if constexpr (from16 && toF32) {
    TW_EXACT(s162f32)
  } else if constexpr (from32 && to16) {
    TW_EXACT(s322s16)
  } else if constexpr (fromF32 && toF16) {
    if (mode == AscendC::RoundMode::CAST_ODD)
      return tw_isa_VCONV_f322f16o_v220(dst, src, word);
    TW_ROUNDED(f322f16, true)
  } else if constexpr (fromF32 && toBf16) {
    TW_ROUNDED(f322bf16, false)
  } else if constexpr (fromF32 && to32) {
    TW_ROUNDED(f322s32, false)
  } else if constexpr (fromF32 && to16) {
    TW_ROUNDED(f322s16, false)
  } else if constexpr (from32 && toF32) {
    TW_ROUNDED(s322f32, true)
  } else if constexpr (fromF16 && to32) {
    TW_ROUNDED(f162s32, false)
  } else if constexpr (fromF16 && to16) {
    TW_ROUNDED(f162s16, false)
  } else if constexpr (from16 && toF16) {
    TW_ROUNDED(s162f16, true)
  } else if constexpr (fromBf16 && to32) {
    TW_ROUNDED(bf162s32, false)
  } else {
    static_assert(sizeof(D) == 0, "Cast: this core has no conversion between the two types");
  }
  tw_core_misuse(kLimit, nullptr, "Cast: the pair of types has no conversion with round mode %d", int(mode));
}
#undef TW_ROUNDED
#undef TW_EXACT

/// A repeat is 256 bytes of the wider type; the narrower side advances by half as much.
template <typename T, typename Other>
inline constexpr uint64_t castStride = sizeof(T) < sizeof(Other) ? 4 : 8;

} // namespace tilewright_ascendc

namespace AscendC {

template <typename T, typename U>
TW_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                    const uint32_t count) {
  namespace impl = tilewright_ascendc;
  impl::requireCounted("Cast", count, dst, src);
  impl::Counted mode(count);
  impl::convert<T, U>(impl::at(dst), impl::at(src), roundMode,
                      impl::wordUn(1, 1, impl::castStride<T, U>, impl::castStride<U, T>, 1));
}
template <typename T, typename U, bool isSetMask = true>
TW_INLINE void Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &roundMode,
                    const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams &repeatParams) {
  namespace impl = tilewright_ascendc;
  constexpr unsigned lanes = 256 / (sizeof(T) > sizeof(U) ? sizeof(T) : sizeof(U));
  const auto m = impl::laneMask<T>("Cast", mask, lanes);
  impl::requireRepeat("Cast", repeatTime);
  impl::requireOperand(
      "Cast", "the destination", dst,
      impl::strided<T>(m.last, repeatTime, repeatParams.dstBlkStride, repeatParams.dstRepStride));
  impl::requireOperand(
      "Cast", "the source", src,
      impl::strided<U>(m.last, repeatTime, repeatParams.srcBlkStride, repeatParams.srcRepStride));
  if constexpr (isSetMask)
    impl::setLanes(m);
  impl::convert<T, U>(impl::at(dst), impl::at(src), roundMode,
                      impl::wordUn(repeatParams.dstBlkStride, repeatParams.srcBlkStride,
                                   repeatParams.dstRepStride, repeatParams.srcRepStride, repeatTime));
}

/// The scalar unit of this core converts float to half by rounding to odd, in no other way.
template <typename T, typename U, RoundMode roundMode> TW_INLINE U ScalarCast(T valueIn) {
  static_assert(std::is_same_v<T, float> && std::is_same_v<U, half> && roundMode == RoundMode::CAST_ODD,
                "ScalarCast: float to half with CAST_ODD is what the scalar unit has");
  const uint32_t bits = __builtin_bit_cast(uint32_t, valueIn), magnitude = bits & 0x7fffffff;
  const uint32_t sign = bits >> 16 & 0x8000;
  uint32_t out;
  if (magnitude > 0x7f800000)
    out = 0x7e00;
  else if (magnitude == 0x7f800000)
    out = 0x7c00;
  else if (magnitude >= 0x47800000) // 65536 and more: the largest finite number is odd
    out = 0x7bff;
  else if (magnitude >= 0x38800000) // normal
    out = ((magnitude - 0x38000000) >> 13) | ((magnitude & 0x1fff) != 0);
  else if (magnitude >= 0x33000000) { // subnormal
    const uint32_t shift = 126 - (magnitude >> 23), mantissa = (magnitude & 0x7fffff) | 0x800000;
    out = (mantissa >> shift) | ((mantissa & ((1u << shift) - 1)) != 0);
  } else
    out = magnitude != 0;
  return __builtin_bit_cast(half, uint16_t(sign | out));
}

TW_INLINE bfloat16_t ToBfloat16(const float &fVal) {
  return __builtin_bit_cast(bfloat16_t, tilewright_ascendc::bfloat16Bits(fVal));
}
TW_INLINE float ToFloat(const bfloat16_t &bVal) {
  return __builtin_bit_cast(float, uint32_t(__builtin_bit_cast(uint16_t, bVal)) << 16);
}

} // namespace AscendC
#endif
