// What check mode found: collected for each block, merged over a launch, printed as JSON in a fixed order.
#ifndef TILEWRIGHT_EMULATOR_CHECK_FINDINGS_H
#define TILEWRIGHT_EMULATOR_CHECK_FINDINGS_H

#include "emulator/machine/Core.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tilewright::emulator::check {

/// In the order of the report.
enum class Kind : uint8_t {
  RaceRaw,        ///< a pipe reads what another wrote, unordered
  RaceWar,        ///< a pipe overwrites what another reads, unordered
  RaceWaw,        ///< both write, unordered
  CoreRace,       ///< the same GM bytes from two blocks, one of them writing
  WaitWithoutSet, ///< a wait that nothing before it releases
  FlagLeftSet,    ///< at the end of the block
  FlagOverfull,   ///< set again before it was waited for
  ReservedEvent,  ///< overfull, on an id that the vector library uses by itself
  UbBounds,
  GmBounds,
  Misaligned,
  UninitializedRead,
  MaskMode,     ///< a mask used as bits and as a count
  GmNotWritten, ///< bytes of a write-only allocation that no block stored
  NotFlushed,   ///< a scalar store to GM whose cache line is never written back
  Misuse,       ///< the block broke a rule of the Ascend C interface
  Stopped,      ///< the block ended with another error
  // ---- lints ----
  SelectScratch,     ///< Select with UB in use from 184 KiB on
  MaskLeft,          ///< counter mode left set at the end of the block
  ReservedEventHeld, ///< a reserved id stays set across other instructions
};
const char *kindName(Kind kind);
inline bool isLint(Kind kind) { return kind >= Kind::SelectScratch; }

/// One of the two instructions of a finding; no pc: there is none.
struct Place {
  Op op{};
  const void *pc = nullptr;
  const void *call = nullptr; ///< see CallSites
  bool operator==(const Place &o) const { return op == o.op && pc == o.pc && call == o.call; }
  bool operator<(const Place &o) const { return std::tie(op, pc, call) < std::tie(o.op, o.pc, o.call); }
};

struct Finding {
  Kind kind{};
  Place first, second;     ///< earlier and later in program order
  uint32_t block = 0;      ///< lowest block that shows it
  uint32_t otherBlock = 0; ///< CoreRace
  bool inGm = false, hasRange = false, hasFlag = false;
  uint64_t begin = 0, end = 0; ///< UB bytes, or GM addresses
  uint8_t flag[3] = {};        ///< source pipe, destination pipe, id
  uint32_t tag = 0;            ///< tells findings of one kind and place apart
  uint64_t count = 0;
  uint64_t seen = 0;  ///< number of the instruction that showed it last
  std::string detail; ///< instead of the standard sentence

  using Key = std::tuple<Kind, Place, Place, uint32_t>;
  Key key() const {
    return {kind, first, second, hasFlag ? 1u + flag[0] * 64u + flag[1] * 8u + flag[2] : tag};
  }
};

class Findings {
public:
  /// Adds or merges; the description of the lowest block is kept.
  void add(const Finding &finding);
  void merge(const Findings &other);
  void clear() { found.clear(); }
  bool empty() const { return found.empty(); }
  bool has(Kind kind) const;
  /// The finding that `finding` would merge with, or null.
  Finding *like(const Finding &finding);

  /// All findings in the order of kinds and code, at most `limit`, as a JSON array.
  std::string json(const tw_gm_range *ranges, size_t rangeCount, uint32_t limit) const;
  uint64_t number(bool lints) const;

private:
  std::map<Finding::Key, Finding> found;
};

} // namespace tilewright::emulator::check
#endif
