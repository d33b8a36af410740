#include "emulator/timing/Banks.h"

#include <cstring>

namespace tilewright::emulator::timing {
namespace {

constexpr unsigned kGroups = 16;
unsigned groupOf(uint64_t address) { return unsigned(address >> 5) & 15; }
unsigned bankOf(uint64_t address) { return (unsigned(address >> 16) & 3) * kGroups + groupOf(address); }

bool activeIn(const Walk &w, uint32_t repeat) {
  if (repeat < w.first || repeat - w.first >= w.repeats)
    return false;
  // Repeat stride 0: a source is read with the first repeat only.
  return w.write || w.repeatStride != 0 || repeat == w.first;
}
uint64_t startOf(const Walk &w, uint32_t repeat) {
  return w.begin + uint64_t(int64_t(repeat - w.first) * w.repeatStride);
}
/// Block stride 0: a source reads its block once.
uint32_t blocksOf(const Walk &w) { return !w.write && w.blockStride == 0 ? 1 : w.blocks; }

bool sameBanks(const Walk &a, const Walk &b, uint32_t repeat) {
  const uint32_t n = blocksOf(a);
  if (n != blocksOf(b))
    return false;
  uint64_t x = startOf(a, repeat), y = startOf(b, repeat);
  for (uint32_t i = 0; i < n; ++i, x += uint64_t(a.blockStride), y += uint64_t(b.blockStride))
    if (bankOf(x) != bankOf(y))
      return false;
  return true;
}

unsigned accessCycles(const Walk *walks, size_t count, uint32_t repeat) {
  uint16_t reads[kGroups] = {}, writes[kGroups] = {}, readBank[4 * kGroups] = {};
  unsigned cycles = 1;
  for (size_t k = 0; k < count; ++k) {
    const Walk &w = walks[k];
    if (!activeIn(w, repeat))
      continue;
    uint64_t at = startOf(w, repeat);
    for (uint32_t i = 0, n = blocksOf(w); i < n; ++i, at += uint64_t(w.blockStride)) {
      const unsigned group = groupOf(at), used = w.write ? ++writes[group] : ++reads[group];
      cycles = used > cycles ? used : cycles;
      if (!w.write)
        ++readBank[bankOf(at)];
    }
  }
  // A written bank that is also read: the accesses of both kinds add up, except for sources that walk with
  // it.
  for (size_t k = 0; k < count; ++k) {
    const Walk &d = walks[k];
    if (!d.write || !activeIn(d, repeat))
      continue;
    uint16_t exempt[4 * kGroups] = {}, written[4 * kGroups] = {};
    for (size_t j = 0; j < count; ++j) {
      const Walk &s = walks[j];
      if (s.write || !activeIn(s, repeat) || !sameBanks(d, s, repeat))
        continue;
      uint64_t at = startOf(s, repeat);
      for (uint32_t i = 0, n = blocksOf(s); i < n; ++i, at += uint64_t(s.blockStride))
        ++exempt[bankOf(at)];
    }
    uint64_t at = startOf(d, repeat);
    for (uint32_t i = 0; i < d.blocks; ++i, at += uint64_t(d.blockStride)) {
      const unsigned bank = bankOf(at);
      const unsigned both = unsigned(readBank[bank] - exempt[bank]);
      if (both)
        cycles = both + ++written[bank] > cycles ? both + written[bank] : cycles;
    }
  }
  return cycles;
}

} // namespace

RepeatCost repeatCost(const Walk *walks, size_t count, uint32_t repeats, double rate) {
  RepeatCost cost;
  for (uint32_t r = 0; r < repeats; ++r) {
    const unsigned cycles = accessCycles(walks, count, r);
    cost.product += rate * cycles;
    cost.maximum += rate > cycles ? rate : cycles;
    cost.conflicts += cycles > 1;
  }
  return cost;
}

} // namespace tilewright::emulator::timing
