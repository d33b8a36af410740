// Choice of the lane functions by what the processor and the operating system offer.
#include "emulator/isa/lanes/Lanes.h"

#include <cpuid.h>
#include <cstdlib>
#include <cstring>

namespace tilewright::emulator {
namespace {

enum Level { Base, V3, V4 };

Level machineLevel() {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d))
    return Base;
  const bool osxsave = c & (1u << 27), avx = c & (1u << 28), fma = c & (1u << 12), f16c = c & (1u << 29),
             movbe = c & (1u << 22);
  if (!osxsave || !avx || !fma || !f16c || !movbe)
    return Base;
  unsigned lo, hi;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0)); // registers the system saves
  if ((lo & 6) != 6)
    return Base;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return Base;
  const bool bmi1 = b & (1u << 3), avx2 = b & (1u << 5), bmi2 = b & (1u << 8);
  const unsigned avx512 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; // F DQ CD BW VL
  if (!bmi1 || !avx2 || !bmi2)
    return Base;
  unsigned a1, b1, c1, d1;
  if (!__get_cpuid(0x80000001, &a1, &b1, &c1, &d1) || !(c1 & (1u << 5))) // LZCNT
    return Base;
  return (b & avx512) == avx512 && (lo & 0xe6) == 0xe6 ? V4 : V3;
}

const LaneTable *choose() {
  Level level = machineLevel();
  if (const char *want = std::getenv("TILEWRIGHT_ISA_LEVEL")) {
    if (!std::strcmp(want, "base"))
      level = Base;
    else if (!std::strcmp(want, "v3") && level >= V3)
      level = V3;
  }
  switch (level) {
  case V4:
    return &lanes_v4::table();
  case V3:
    return &lanes_v3::table();
  case Base:
    break;
  }
  return &lanes_base::table();
}

} // namespace

const LaneTable *const laneTable = choose();

} // namespace tilewright::emulator
