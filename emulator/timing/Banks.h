// Bank conflicts of the unified buffer.
//
// Address bits: [17:16] bank within its group, [15:9] row, [8:5] bank group, [4:0] byte: 16 groups of 3 banks
// of 4 KiB (public Ascend C guide on avoiding UB bank conflicts, architecture 2201). Per repeat:
//   * two reads in one bank group follow one another, whatever the bank;
//   * a read and a write in one bank follow one another, unless source and destination walk through the same
//     banks in the same order: then the write is one repeat late and nothing is lost;
//   * the blocks of one operand that fall into one group follow one another (block stride 16 blocks: 8
//   cycles);
//   * a source with block stride 0 reads its block once per repeat, with repeat stride 0 once in all.
#ifndef TILEWRIGHT_EMULATOR_TIMING_BANKS_H
#define TILEWRIGHT_EMULATOR_TIMING_BANKS_H

#include <cstddef>
#include <cstdint>

namespace tilewright::emulator::timing {

/// Blocks of one operand: repeats [first, first + repeats) touch `blocks` blocks each. Addresses are offsets
/// in UB; strides are in bytes.
struct Walk {
  bool write;
  uint64_t begin;
  uint32_t blocks, repeats, first;
  int64_t blockStride, repeatStride;
};

/// Cycles of the repeats of an instruction whose conflict-free rate is `rate` cycles a repeat.
struct RepeatCost {
  double product = 0;     ///< sum of rate * conflicts
  double maximum = 0;     ///< sum of max(rate, conflicts)
  uint32_t conflicts = 0; ///< repeats that need more than one access cycle
};
RepeatCost repeatCost(const Walk *walks, size_t count, uint32_t repeats, double rate);

} // namespace tilewright::emulator::timing
#endif
