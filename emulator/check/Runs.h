// Walking over the byte runs of an access.
#ifndef TILEWRIGHT_EMULATOR_CHECK_RUNS_H
#define TILEWRIGHT_EMULATOR_CHECK_RUNS_H

#include "emulator/machine/Core.h"

namespace tilewright::emulator::check {

/// Calls `run(begin, end, defined)` for each maximal run: neighbouring ones are joined, repeated ones given
/// once, masked lanes left out. Fill bytes come as runs of their own with `defined` false.
template <class Run> void forEachRun(const Event &event, const Access &a, Run &&run) {
  if (!a.run || !a.inner || !a.outer)
    return;
  if (a.masked) {
    const uint32_t perBlock = a.run / a.laneBytes;
    for (uint32_t o = 0; o < a.outer; ++o)
      for (uint32_t i = 0; i < a.inner; ++i) {
        const uint64_t at = a.begin + uint64_t(o * a.outerStride + i * a.innerStride);
        uint32_t from = 0;
        for (uint32_t e = 0; e <= perBlock; ++e) {
          const uint32_t lane = i * perBlock + e;
          if (e < perBlock && lane < 128 && (event.mask[lane >> 6] >> (lane & 63) & 1))
            continue;
          if (e > from)
            run(at + from * a.laneBytes, at + e * a.laneBytes, true);
          from = e + 1;
        }
      }
    return;
  }
  uint32_t inner = a.inner, outer = a.outer;
  uint64_t length = a.run;
  if (!a.fill) {
    if (inner > 1 && a.innerStride == 0)
      inner = 1;
    if (inner > 1 && uint64_t(a.innerStride) == length) {
      length *= inner;
      inner = 1;
    }
    if (outer > 1 && a.outerStride == 0)
      outer = 1;
    if (outer > 1 && inner == 1 && uint64_t(a.outerStride) == length) {
      length *= outer;
      outer = 1;
    }
  }
  for (uint32_t o = 0; o < outer; ++o)
    for (uint32_t i = 0; i < inner; ++i) {
      const uint64_t at = a.begin + uint64_t(o * a.outerStride + i * a.innerStride);
      if (length > a.fill)
        run(at, at + length - a.fill, true);
      if (a.fill)
        run(at + length - a.fill, at + length, false);
    }
}

/// Bytes from the first to behind the last one.
inline uint64_t hullEnd(const Access &a) {
  return a.begin + uint64_t((a.outer - 1) * a.outerStride + (a.inner - 1) * a.innerStride) + a.run;
}

} // namespace tilewright::emulator::check
#endif
