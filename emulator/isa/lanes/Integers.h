// Exact integer to float conversion in every rounding direction.
#ifndef TILEWRIGHT_EMULATOR_ISA_LANES_INTEGERS_H
#define TILEWRIGHT_EMULATOR_ISA_LANES_INTEGERS_H

#include "emulator/isa/lanes/Number.h"

namespace {

/// The bits of the float format with E exponent and M mantissa bits nearest to `x` in direction R.
/// The magnitudes that occur never reach the format's infinity (s16 to half, s32 and s64 to float).
template <int E, int M, Round R> TW_INLINE uint32_t floatOfInteger(int64_t x) {
  constexpr int bias = (1 << (E - 1)) - 1;
  const bool negative = x < 0;
  const uint64_t mag = negative ? 0 - uint64_t(x) : uint64_t(x);
  if (mag == 0)
    return 0;
  const int top = 63 - __builtin_clzll(mag); // position of the leading one
  const uint32_t sign = negative ? 1u << (E + M) : 0;
  if (top <= M)
    return sign | ((uint32_t(top + bias) << M) + uint32_t(mag << (M - top)) - (1u << M));
  const int s = top - M;
  const uint64_t kept = mag >> s, rest = mag & ((uint64_t(1) << s) - 1), half = uint64_t(1) << (s - 1);
  bool up = false;
  if constexpr (R == Round::Even)
    up = rest > half || (rest == half && (kept & 1));
  if constexpr (R == Round::Away)
    up = rest >= half;
  if constexpr (R == Round::Floor)
    up = negative && rest;
  if constexpr (R == Round::Ceil)
    up = !negative && rest;
  return sign |
         ((uint32_t(top + bias) << M) + uint32_t(kept) - (1u << M) + up); // a carry moves into the exponent
}

} // namespace
#endif
