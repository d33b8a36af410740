// exp and ln for float, computed in double: the error before the final rounding is below 0.001 ulp, so
// results are within 0.501 ulp, monotone over the tested grid, right in the subnormal range and at overflow.
// The device's own accuracy is not public; see emulator/README.md.
#ifndef TILEWRIGHT_EMULATOR_ISA_LANES_ELEMENTARY_H
#define TILEWRIGHT_EMULATOR_ISA_LANES_ELEMENTARY_H

#include "emulator/isa/lanes/Number.h"

namespace {

TW_INLINE float expLane(float x) {
  double d = double(x);
  d = d > 89.0 ? 89.0 : d; // exp(89) overflows, exp(-104) underflows; NaN passes both tests
  d = d < -104.0 ? -104.0 : d;
  // n = round(d / ln 2): adding 1.5 * 2^52 leaves the integer in the low bits.
  const double shifted = d * 0x1.71547652b82fep+0 + 0x1.8p52;
  const double n = shifted - 0x1.8p52;
  const double r = d - n * 0x1.62e42fefa39efp-1; // |n| < 2^8: the product is off by less than 2^-46
  // Degree 7 on |r| <= ln(2)/2, Chebyshev interpolation, relative error 5.6e-11.
  const double r2 = r * r;
  const double p01 = 0x1.ffffffffa7014p-1 + r * 0x1.fffffffff6206p-1;
  const double p23 = 0x1.0000005c97ffbp-1 + r * 0x1.5555557e74ad8p-3;
  const double p45 = 0x1.555464886b7cfp-5 + r * 0x1.1110a61a3eac8p-7;
  const double p67 = 0x1.6da76788f2858p-10 + r * 0x1.a17e017e94ac1p-13;
  const double p = (p01 + r2 * p23) + (r2 * r2) * (p45 + r2 * p67);
  // Times 2^n by exponent arithmetic; no overflow in double for |n| <= 151.
  const uint64_t scaled = as<uint64_t>(p) + (as<uint64_t>(shifted) << 52);
  return x == x ? float(as<double>(scaled)) : x + x;
}

TW_INLINE float lnLane(float x) {
  const double d = double(x); // subnormal floats become normal doubles
  const uint64_t u = as<uint64_t>(d);
  // Split into 2^e * m with m in [sqrt(1/2), sqrt(2)).
  const uint64_t offset = 0x3fe6a09e667f3bcdull; // sqrt(1/2)
  const uint64_t biased = (u - offset) >> 52;
  const uint64_t mBits = u - (biased << 52);
  const double m = as<double>(mBits);
  // biased is e modulo 4096; sign-extend by the 2^52 trick.
  const uint64_t e12 = (biased + 2048) & 4095;
  const double e = as<double>(e12 | 0x4330000000000000ull) - (0x1p52 + 2048.0);
  // 1 / (m + 1): a float quotient and one Newton step, relative error below 2^-46, cheaper than a double
  // division.
  const double denominator = m + 1.0, q0 = double(1.0f / float(denominator));
  const double s = (m - 1.0) * (q0 * (2.0 - denominator * q0)), t = s * s, t2 = t * t;
  // 2 atanh(s) / s, degree 4 in t, relative error 4.3e-12.
  const double p = (2.000000000008401 + t * 0.6666666524181442) +
                   t2 * ((0.4000038583564311 + t * 0.2853497703555875) + t2 * 0.23617798438260257);
  float r = float(e * 0x1.62e42fefa39efp-1 + s * p);
  r = x == 0.0f ? -__builtin_inff() : r;
  r = x < 0.0f ? __builtin_nanf("") : r;
  r = x == __builtin_inff() ? x : r;
  return x == x ? r : x + x;
}

// A float estimate and one Newton step in double: relative error below 2^-44 before the final rounding.
TW_INLINE float rsqrtLane(float x) {
  const float y = 1.0f / __builtin_sqrtf(x);
  const double d = double(y);
  const float r = float(d * (1.5 - 0.5 * double(x) * d * d));
  const bool special = !(y > 0.0f && y < __builtin_inff()); // 0, infinity, NaN
  return special || x == __builtin_inff() ? y : r;
}

} // namespace
#endif
