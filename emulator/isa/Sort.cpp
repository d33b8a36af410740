// Sorting (c220 ISA note, 3.11). Records are 8 bytes: the score (f32, or f16 and two unused bytes) and a
// 32-bit index.
//
//   VBS32      each repeat sorts 32 scores with their indices in descending order into 32 records
//   VMRGSORT   merges up to four descending lists of records into one
// Equal scores keep the order of the source (lower list first): assumed, as is NaN sorting before every
// number.
#include "emulator/isa/Export.h"

#include <cstring>

using namespace tilewright::emulator;

namespace {

constexpr uint32_t kRecord = 8, kGroup = 32;

/// A key whose unsigned order is the order of the scores; -0 and +0 are equal.
uint32_t orderKey(const uint8_t *score, uint32_t size) {
  uint32_t v = 0;
  std::memcpy(&v, score, size);
  const uint32_t sign = size == 2 ? 0x8000u : 0x80000000u, infinity = size == 2 ? 0x7c00u : 0x7f800000u;
  const uint32_t mag = v & (sign - 1);
  if (mag > infinity)
    return ~0u;
  return v & sign ? sign - mag : sign + mag;
}

void sortGroups(Op op, uint32_t size, void *d, const void *scores, const void *indices, uint64_t word,
                const void *pc) {
  Core &core = *currentCore;
  const uint32_t repeat = uint32_t(bits(word, 56, 63));
  record(core, op, pc, [&](Event &e) {
    e.repeats = repeat;
    e.elements = uint64_t(repeat) * kGroup;
    e.add({Space::UB, true, uint64_t(d), repeat * kGroup * kRecord, 1, 1, 0, 0});
    e.add({Space::UB, false, uint64_t(scores), repeat * kGroup * size, 1, 1, 0, 0});
    e.add({Space::UB, false, uint64_t(indices), repeat * kGroup * 4, 1, 1, 0, 0});
  });
  useUb(core, op, "destination", uint64_t(d), uint64_t(repeat) * kGroup * kRecord, true);
  useUb(core, op, "scores", uint64_t(scores), uint64_t(repeat) * kGroup * size, false);
  useUb(core, op, "indices", uint64_t(indices), uint64_t(repeat) * kGroup * 4, false);
  for (uint32_t r = 0; r < repeat; ++r) {
    const uint8_t *score = static_cast<const uint8_t *>(scores) + uint64_t(r) * kGroup * size;
    const uint8_t *index = static_cast<const uint8_t *>(indices) + uint64_t(r) * kGroup * 4;
    uint8_t records[kGroup][kRecord] = {};
    uint32_t keys[kGroup];
    for (uint32_t i = 0; i < kGroup; ++i) { // insertion keeps equal scores in order
      const uint32_t key = orderKey(score + i * size, size);
      uint32_t at = i;
      for (; at > 0 && keys[at - 1] < key; --at) {
        keys[at] = keys[at - 1];
        std::memcpy(records[at], records[at - 1], kRecord);
      }
      keys[at] = key;
      std::memset(records[at], 0, kRecord);
      std::memcpy(records[at], score + i * size, size);
      std::memcpy(records[at] + 4, index + i * 4, 4);
    }
    std::memcpy(static_cast<uint8_t *>(d) + uint64_t(r) * sizeof records, records, sizeof records);
  }
}

/// List addresses arrive as four 16-bit fields in units of 8 bytes: enough for a 512 KiB window, which UB is
/// aligned to.
void mergeLists(Op op, uint32_t size, void *d, uint64_t packed, uint64_t lengths, uint64_t word,
                const void *pc) {
  Core &core = *currentCore;
  const uint32_t repeat = uint32_t(bits(word, 0, 7)), valid = uint32_t(bits(word, 8, 11));
  if (bits(word, 12, 63))
    failUnsupported(core, op, "merge that stops when a list is exhausted");
  const uint64_t window = uint64_t(core.ub) & ~uint64_t((512 << 10) - 1);
  uint64_t base[4], length[4], total = 0;
  for (unsigned k = 0; k < 4; ++k) {
    base[k] = window + (bits(packed, 16 * k, 16 * k + 15) << 3);
    length[k] = valid >> k & 1 ? bits(lengths, 16 * k, 16 * k + 15) : 0;
    total += length[k];
  }
  const uint64_t step = total * kRecord; // repeats: all lists follow one another, and so do the results
  record(core, op, pc, [&](Event &e) {
    e.repeats = repeat;
    e.elements = total * repeat;
    e.add({Space::UB, true, uint64_t(d), uint32_t(step * repeat), 1, 1, 0, 0});
    for (unsigned k = 0; k < 4; ++k)
      if (length[k])
        e.add({Space::UB, false, base[k], uint32_t(length[k] * kRecord), 1, repeat, 0, int64_t(step)});
  });
  if (repeat == 0 || total == 0)
    return;
  useUb(core, op, "destination", uint64_t(d), step * repeat, true);
  for (unsigned k = 0; k < 4; ++k)
    if (length[k])
      useUb(core, op, "list", base[k], (repeat - 1) * step + length[k] * kRecord, false);
  for (uint32_t r = 0; r < repeat; ++r) {
    uint64_t at[4] = {};
    uint8_t *to = static_cast<uint8_t *>(d) + r * step;
    for (uint64_t n = 0; n < total; ++n, to += kRecord) {
      int best = -1;
      uint32_t bestKey = 0;
      for (int k = 0; k < 4; ++k) {
        if (at[k] == length[k])
          continue;
        const uint32_t key =
            orderKey(reinterpret_cast<const uint8_t *>(base[k] + r * step + at[k] * kRecord), size);
        if (best < 0 || key > bestKey) {
          best = k;
          bestKey = key;
        }
      }
      std::memcpy(to, reinterpret_cast<const void *>(base[best] + r * step + at[best] * kRecord), kRecord);
      ++at[best];
    }
  }
}

} // namespace

TW_ISA(VBS32_f16)(void *d, const void *s, const void *i, uint64_t w) {
  sortGroups(Op::VBS32_f16, 2, d, s, i, w, TW_PC);
}
TW_ISA(VBS32_f32)(void *d, const void *s, const void *i, uint64_t w) {
  sortGroups(Op::VBS32_f32, 4, d, s, i, w, TW_PC);
}
TW_ISA(VMRGSORT_f16_V220)(void *d, uint64_t lists, uint64_t lengths, uint64_t w) {
  mergeLists(Op::VMRGSORT_f16_V220, 2, d, lists, lengths, w, TW_PC);
}
TW_ISA(VMRGSORT_f32_V220)(void *d, uint64_t lists, uint64_t lengths, uint64_t w) {
  mergeLists(Op::VMRGSORT_f32_V220, 4, d, lists, lengths, w, TW_PC);
}
