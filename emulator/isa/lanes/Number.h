// Element types and their exact conversions. Included only by the lane functions: everything has internal
// linkage, because the including files are compiled for different processors.
#ifndef TILEWRIGHT_EMULATOR_ISA_LANES_NUMBER_H
#define TILEWRIGHT_EMULATOR_ISA_LANES_NUMBER_H

#include <cstdint>

namespace {

#define TW_INLINE static inline __attribute__((always_inline))

struct f16 {
  uint16_t v;
};
struct bf16 {
  uint16_t v;
};

template <class To, class From> TW_INLINE To as(From x) { return __builtin_bit_cast(To, x); }

#ifdef __F16C__
TW_INLINE float widen(f16 h) { return float(as<_Float16>(h.v)); }
TW_INLINE f16 narrow16(float x) { return {as<uint16_t>(_Float16(x))}; }
#else
// Without F16C the compiler would call a library function per element; these forms vectorise on SSE2.
TW_INLINE float widen(f16 h) {
  const uint32_t sign = uint32_t(h.v & 0x8000) << 16, mag = h.v & 0x7fff;
  const float scaled = as<float>(mag << 13) * 0x1p112f; // exact also for subnormal halves
  uint32_t u = as<uint32_t>(scaled);
  u = mag >= 0x7c00 ? (mag << 13) + (uint32_t(255 - 31) << 23) : u;
  u |= mag > 0x7c00 ? 0x400000u : 0u; // signalling NaN becomes quiet, as in hardware conversions
  return as<float>(u | sign);
}
TW_INLINE f16 narrow16(float x) {
  const uint32_t u = as<uint32_t>(x), sign = (u >> 16) & 0x8000, mag = u & 0x7fffffff;
  // Normal results: round to nearest even at bit 13, rebias. Overflow carries into infinity by itself.
  uint32_t normal = (mag + 0xfff + ((mag >> 13) & 1) - (112u << 23)) >> 13;
  normal = normal > 0x7c00 ? 0x7c00u : normal;
  // Subnormal results: adding 0.5 aligns the least significant half bit with the float's.
  const uint32_t tiny = as<uint32_t>(as<float>(mag) + 0.5f) - 0x3f000000;
  uint32_t r = mag < (113u << 23) ? tiny : normal;
  r = mag > 0x7f800000 ? 0x7e00u | (mag >> 13 & 0x1ff) : r;
  return {uint16_t(r | sign)};
}
#endif

TW_INLINE float widen(bf16 h) { return as<float>(uint32_t(h.v) << 16); }
TW_INLINE float widen(float x) { return x; }

// Loading into the type in which the operation is computed, and rounding once on the way out.
TW_INLINE float load(f16 x) { return widen(x); }
TW_INLINE float load(bf16 x) { return widen(x); }
TW_INLINE float load(float x) { return x; }
TW_INLINE int16_t load(int16_t x) { return x; }
TW_INLINE int32_t load(int32_t x) { return x; }
TW_INLINE uint16_t load(uint16_t x) { return x; }
TW_INLINE uint32_t load(uint32_t x) { return x; }
TW_INLINE int64_t load(int64_t x) { return x; }
TW_INLINE int8_t load(int8_t x) { return x; }
TW_INLINE uint8_t load(uint8_t x) { return x; }
TW_INLINE void store(f16 &d, float x) { d = narrow16(x); }
TW_INLINE void store(f16 &d, f16 x) { d = x; }
TW_INLINE void store(bf16 &d, bf16 x) { d = x; }
template <class T> TW_INLINE void store(T &d, T x) { d = x; }

enum class Round { Even, Away, Floor, Ceil, Trunc, Odd };

/// Float to the integral value as float. No rounding-mode dependent library call: exact tricks that
/// vectorise.
template <Round R> TW_INLINE float integral(float x) {
  const float mag = as<float>(as<uint32_t>(x) & 0x7fffffffu);
  const uint32_t sign = as<uint32_t>(x) & 0x80000000u;
  // Adding and taking away 2^23 rounds to nearest even; larger magnitudes are integral already.
  const float even = (mag + 0x1p23f) - 0x1p23f;
  const float down = even > mag ? even - 1.0f : even; // |x| truncated
  float r = even;
  if constexpr (R == Round::Trunc)
    r = down;
  if constexpr (R == Round::Away)
    r = mag - down >= 0.5f ? down + 1.0f : down;
  if constexpr (R == Round::Floor)
    r = sign && down != mag ? down + 1.0f : down;
  if constexpr (R == Round::Ceil)
    r = !sign && down != mag ? down + 1.0f : down;
  r = mag < 0x1p23f ? r : mag; // also infinities and NaN
  return as<float>(as<uint32_t>(r) | sign);
}

/// Float to a narrower float format with E exponent bits and M mantissa bits (IEEE, gradual underflow), any
/// rounding. Overflow follows IEEE: infinity, or the largest finite number in the directions that round
/// towards it.
template <int E, int M, Round R> TW_INLINE uint16_t narrowFloat(float x) {
  constexpr int shift = 23 - M;
  constexpr int bias = (1 << (E - 1)) - 1;
  constexpr uint32_t infinity = ((1u << E) - 1) << M;
  const uint32_t u = as<uint32_t>(x), sign = u >> 31, mag = u & 0x7fffffff;
  // Bring subnormal results to a fixed point: value = mantissa with the hidden bit >> extra.
  const int32_t exponent = int32_t(mag >> 23) - 127 + bias; // biased exponent in the target
  const uint32_t mantissa = (mag & 0x7fffff) | (mag >= 0x800000 ? 0x800000u : 0u);
  int32_t extra = exponent < 1 ? 1 - exponent : 0;
  if constexpr (bias == 127)
    extra = 0; // same exponent range: the encoding shifts uniformly, subnormals included
  extra = extra > 25 - shift ? 25 - shift : extra;
  const uint32_t fixed = extra ? mantissa : (bias == 127 ? mag : mag - (uint32_t(127 - bias) << 23));
  const uint32_t s = uint32_t(shift) + uint32_t(extra);
  const uint32_t kept = fixed >> s, rest = fixed & ((1u << s) - 1), half = 1u << (s - 1);
  uint32_t up = 0;
  if constexpr (R == Round::Even)
    up = rest > half || (rest == half && (kept & 1));
  if constexpr (R == Round::Away)
    up = rest >= half;
  if constexpr (R == Round::Floor)
    up = sign && rest;
  if constexpr (R == Round::Ceil)
    up = !sign && rest;
  if constexpr (R == Round::Odd)
    up = rest && !(kept & 1);
  uint32_t r = kept + up;
  const bool towardsZero =
      R == Round::Trunc || R == Round::Odd || (R == Round::Floor && !sign) || (R == Round::Ceil && sign);
  const uint32_t limit = towardsZero ? infinity - 1 : infinity;
  const bool large = (bias != 127 && exponent >= (1 << E) - 1) || r >= infinity;
  r = large ? limit : r;
  r = mag == 0x7f800000 ? infinity : r;
  r = mag > 0x7f800000 ? (infinity | 1u << (M - 1) | (mag >> shift & ((1u << (M - 1)) - 1))) : r;
  return uint16_t(r | sign << 15);
}

} // namespace
#endif
