// What the timing model keeps of a launch: every distinct step once, and per block the numbers of its steps.
//
// Kernels are loops over tiles, so a launch has few distinct steps (some hundred) however long it runs, and
// blocks with equal work have equal traces. A trace costs four bytes per instruction of every *different*
// block.
#ifndef TILEWRIGHT_EMULATOR_TIMING_TRACE_H
#define TILEWRIGHT_EMULATOR_TIMING_TRACE_H

#include "emulator/machine/Event.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::emulator::timing {

enum class Kind : uint8_t { Scalar, Vector, Load, Store, SetFlag, WaitFlag, Barrier, CrossSet, CrossWait };

/// In-order units of a core. Flags between other pipes belong to the scalar unit here.
enum Unit : uint8_t { S, V, Mte2, Mte3, Units };
Unit unitOf(uint64_t pipe);

/// UB bytes of an operand, as the hull of its runs; for pictures.
struct UbRange {
  uint32_t begin, end;
  bool write;
};

/// One instruction, reduced to what its time depends on. No constant of a profile is in it, so that a
/// recorded launch can be timed again under other constants.
struct Step {
  Kind kind = Kind::Scalar;
  Op op = Op::Count;
  uint16_t scalars = 0;  ///< scalar instructions just before it, seen as instructions
  uint32_t compiled = 0; ///< counted instructions of compiled scalar code before it
  uint32_t scalarGm = 0; ///< scalar accesses of GM before it
  uint32_t scalarUb = 0; ///< scalar accesses of UB before it
  Unit from = S, to = S; ///< flags; a barrier drains `from`; a cross-core flag is set by `from` or holds `to`
  bool all = false;      ///< barrier of all pipes
  uint8_t id = 0;        ///< flags
  bool own = false;      ///< cross-core flag among the vector cores of a block
  bool masked = false;   ///< binary instruction under a partial or counted mask
  float product = 0;     ///< vector: cycles of all repeats, rate times conflicts
  float maximum = 0;     ///< vector: the same with max(rate, conflicts)
  float isolated = 0;    ///< vector: start-up of the isolated instruction, 0 if not known
  uint32_t repeats = 0, conflicts = 0;
  uint64_t bytes = 0;      ///< transfers
  uint32_t bursts = 0;     ///< rows of a transfer
  bool misaligned = false; ///< rows of 512 bytes or more that start off the 512-byte grid
  bool streaming = false;  ///< told to leave no trace in L2
  std::vector<UbRange> ub;
};

/// Cycles of vector instructions by name: the longest entry that the name starts with counts.
struct Rate {
  double perRepeat = 1, perElement = 0, perByte = 0;
  double isolated = 0; ///< start-up of the isolated instruction, 0 if not known
  bool binary = false; ///< pays the mask floor
};
class Rates {
public:
  void add(const std::string &prefix, const Rate &rate) { entries.emplace_back(prefix, rate); }
  Rate of(const char *name) const;

private:
  std::vector<std::pair<std::string, Rate>> entries;
};

/// Bytes that a launch can touch decide what L2 may hold; bytes that it moves, how often L2 evicts.
struct Footprint {
  double read = 0, written = 0, streamed = 0; ///< streamed: the part of `read` that leaves no trace in L2
  double loaded = 0, stored = 0; ///< more than `read` and `written` if bytes are moved repeatedly
};

struct Trace {
  using Program = std::vector<uint32_t>;
  std::vector<Step> steps;
  std::vector<Program> programs; ///< different sequences of steps
  std::vector<uint32_t> blocks;  ///< program of every block
  Footprint footprint;

  uint64_t storedSteps() const;
};

} // namespace tilewright::emulator::timing
#endif
