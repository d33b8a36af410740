// What an instruction did, as seen by observers (hazard checking, timing). Built only when an observer is
// attached.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_EVENT_H
#define TILEWRIGHT_EMULATOR_MACHINE_EVENT_H

#include <cstdint>

namespace tilewright::emulator {

/// Pipe numbers as the instructions encode them (c220 ISA note, 3.12).
enum class Pipe : uint8_t { S = 0, V = 1, M = 2, MTE1 = 3, MTE2 = 4, MTE3 = 5, ALL = 6 };
const char *pipeName(uint64_t number);

enum class Op : uint16_t {
#define TW_INSTRUCTION(id, name, pipe) id,
#include "emulator/isa/Instructions.def"
  Count
};

struct InstructionInfo {
  const char *name;
  Pipe pipe;
  const char *unsupported; ///< reason, or nullptr
};
extern const InstructionInfo instructionTable[];
inline const InstructionInfo &info(Op op) { return instructionTable[unsigned(op)]; }

enum class Space : uint8_t { UB, GM };

/// Bytes touched by one operand: `outer` groups of `inner` runs of `run` bytes. Masked lanes are left out as
/// far as whole runs go (the last group of a counted instruction is described by a second access). For a lane
/// mask with holes, runs are whole blocks, `laneBytes` is the element size and Event::mask says which of a
/// group's elements are touched.
struct Access {
  Space space = Space::UB;
  bool write = false;
  uint64_t begin = 0;
  uint32_t run = 0, inner = 1, outer = 1;
  int64_t innerStride = 0, outerStride = 0;
  uint32_t fill = 0; ///< writes: the last bytes of each run have no documented value
  uint32_t laneBytes = 0;
};

struct Event {
  static constexpr unsigned kMaxAccesses = 8;
  Op op;
  const void *pc;          ///< return address into kernel code
  uint32_t repeats = 0;    ///< vector instructions
  uint64_t elements = 0;   ///< active lanes over all repeats, or bytes moved by a transfer
  uint64_t immediate[3]{}; ///< pipes and event id of flags, pipe of a barrier, value of a register write
  uint64_t mask[2]{};      ///< of accesses with laneBytes
  unsigned accessCount = 0;
  Access access[kMaxAccesses];

  void add(const Access &a) {
    if (accessCount < kMaxAccesses)
      access[accessCount++] = a;
  }
};

class Core;

class Observer {
public:
  virtual ~Observer() = default;
  /// Called before the instruction takes effect.
  virtual void instruction(Core &core, const Event &event) = 0;
};

} // namespace tilewright::emulator
#endif
