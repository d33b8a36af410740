// Masks, repeats and strides: how an element-wise instruction walks over UB.
//
// An instruction is a lane function (isa/lanes) plus up to three operands with strides. Three ways lead over
// the lanes and give the same result:
//   whole     all operands contiguous, in-place or disjoint, leading lanes active: one call over all lanes
//   rows      the same within each repeat: one call per repeat, directly on UB
//   lanes     anything else: a repeat's active source lanes are gathered, computed and scattered, all reads
//   of a repeat
//             before its writes, repeats in order
#ifndef TILEWRIGHT_EMULATOR_ISA_VECTOR_H
#define TILEWRIGHT_EMULATOR_ISA_VECTOR_H

#include "emulator/isa/Layout.h"
#include "emulator/isa/lanes/Lanes.h"
#include "emulator/machine/Core.h"

namespace tilewright::emulator {

/// One vector operand: address, strides and element size in bytes.
struct Operand {
  uint64_t base;
  Stride stride;
  uint32_t size;
  bool write;
  const char *name;
  bool contiguousBlocks() const { return stride.block == kBlock; }
};

/// Active lanes of an instruction.
struct Active {
  uint32_t lanes = 0;    ///< lanes of a repeat
  uint32_t repeats = 0;  ///< repeats to execute
  uint64_t total = 0;    ///< active lanes over all repeats
  bool prefix = true;    ///< active lanes of every repeat are its first ones
  uint32_t each = 0;     ///< prefix only: active lanes of every repeat but the last
  uint32_t last = 0;     ///< prefix only: active lanes of the last repeat
  uint64_t mask[2] = {}; ///< not prefix: the lane mask

  bool lane(uint32_t repeat, uint32_t e) const {
    return prefix ? e < count(repeat) : mask[e >> 6] >> (e & 63) & 1;
  }
  uint32_t count(uint32_t repeat) const { return repeat + 1 == repeats ? last : each; }
};

/// The active lanes by the mask registers. `widest` is the largest element size of the operands: a repeat has
/// 128, 64 or 32 lanes for 2, 4 or 8 bytes (the library steps conversions to s64 by 8 blocks on the s64
/// side).
Active activeLanes(Core &core, Op op, uint32_t widest, uint32_t repeatField);

/// Bytes [begin, end) relative to operand.base that active lanes touch.
uint64_t extent(const Operand &operand, const Active &active);

/// Bounds, UB use, counters and the observer for element-wise operands.
void recordVector(Core &core, Op op, const void *pc, const Operand *operands, unsigned count,
                  const Active &active);

/// Adds the accesses of a strided operand to an event.
void describeOperand(Event &event, const Operand &operand, const Active &active);

/// d = f(a, b), d = f(a, scalar), d = f(a) or d = value by what is given.
struct Lanewise {
  BinLane bin = nullptr;
  ScLane sc = nullptr;
  UnLane un = nullptr;
  FillLane fill = nullptr;
  uint64_t scalar = 0;
  void operator()(void *d, const void *a, const void *b, size_t n) const {
    if (bin)
      bin(d, a, b, n);
    else if (un)
      un(d, a, n);
    else if (sc)
      sc(d, a, scalar, n);
    else
      fill(d, scalar, n);
  }
};

/// Executes operand[0] = f(operand[1], operand[2]) with `sources` = 0, 1 or 2.
void runLanewise(Core &core, Op op, const void *pc, const Operand *operands, unsigned sources,
                 const Lanewise &f, uint32_t repeatField);

/// Copies a repeat's lanes from UB to `to` (inactive lanes keep what `to` holds).
void gatherRepeat(const Operand &operand, const Active &active, uint32_t repeat, uint8_t *to);
void scatterRepeat(const Operand &operand, const Active &active, uint32_t repeat, const uint8_t *from);

} // namespace tilewright::emulator
#endif
