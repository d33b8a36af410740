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
#define TW_INSTRUCTION(id, name, pipe) id,
#include "emulator/isa/AscendC.def"
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
/// far as whole runs go (the last group of a counted instruction is described by a second access).
struct Access {
  Space space = Space::UB;
  bool write = false;
  uint64_t begin = 0;
  uint32_t run = 0, inner = 1, outer = 1;
  int64_t innerStride = 0, outerStride = 0;
  uint32_t fill = 0; ///< writes: the last bytes of each run have no documented value

  // ---- operands that are walked lane by lane ----
  uint8_t laneBytes = 0;    ///< element size; 0: not such an operand
  bool masked = false;      ///< Event::mask says which lanes are touched; runs are whole blocks then
  uint16_t firstLane = 0;   ///< lane of the first element of a group
  uint32_t firstRepeat = 0; ///< repeat of the first group
};

struct Event {
  static constexpr unsigned kMaxAccesses = 8;
  Op op;
  const void *pc;          ///< return address into kernel code
  uint32_t repeats = 0;    ///< vector instructions
  uint64_t elements = 0;   ///< active lanes over all repeats, or bytes moved by a transfer
  uint64_t immediate[3]{}; ///< pipes and event id of flags, pipe of a barrier, value of a register write
  uint64_t mask[2]{};      ///< of masked accesses
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
  /// A scalar load or store of UB or GM, before it happens; `pc` as in Event.
  virtual void scalarAccess(Core &core, const void *pc, uint64_t address, uint64_t bytes, bool write) {
    (void)core, (void)pc, (void)address, (void)bytes, (void)write;
  }
};

} // namespace tilewright::emulator
#endif
