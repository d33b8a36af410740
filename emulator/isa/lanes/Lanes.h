// Lane functions: the arithmetic of an instruction over n consecutive elements, without masks or strides.
//
// They are compiled three times (baseline x86-64, AVX2, AVX-512) and chosen once at load. All three give the
// same bits, apart from which NaN an operation on two NaNs gives: no contraction, no reassociation, no
// library functions whose result depends on the machine.
//
// Aliasing contract: the destination is identical to a source (same address and element size) or disjoint
// from it.
#ifndef TILEWRIGHT_EMULATOR_ISA_LANES_H
#define TILEWRIGHT_EMULATOR_ISA_LANES_H

#include <cstddef>
#include <cstdint>

namespace tilewright::emulator {

using BinLane = void (*)(void *d, const void *a, const void *b, size_t n);
using UnLane = void (*)(void *d, const void *a, size_t n);
using ScLane = void (*)(void *d, const void *a, uint64_t scalarBits, size_t n);
/// Write ceil(n / 8) bytes; bits past n are 0.
using CmpLane = void (*)(uint8_t *bits, const void *a, const void *b, size_t n);
using CmpsLane = void (*)(uint8_t *bits, const void *a, uint64_t scalarBits, size_t n);
/// d[i] = bit i ? a[i] : b[i]
using SelLane = void (*)(void *d, const uint8_t *bits, const void *a, const void *b, size_t n);
using FillLane = void (*)(void *d, uint64_t valueBits, size_t n);

struct LaneTable {
  const char *level;
#define TW_BIN(id) BinLane id;
#define TW_UN(id) UnLane id;
#define TW_SC(id) ScLane id;
#define TW_CMP(id) CmpLane id;
#define TW_CMPS(id) CmpsLane id;
#include "Lanes.def"
  SelLane sel_b16, sel_b32;
  FillLane fill_b16, fill_b32;
};

namespace lanes_base {
const LaneTable &table();
}
namespace lanes_v3 {
const LaneTable &table();
}
namespace lanes_v4 {
const LaneTable &table();
}

/// The table for this machine, or the one named by TILEWRIGHT_ISA_LEVEL (base, v3, v4) when the machine has
/// it.
extern const LaneTable *const laneTable;
inline const LaneTable &lanes() { return *laneTable; }

} // namespace tilewright::emulator
#endif
