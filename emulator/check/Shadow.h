// Shadow memory of UB: who last wrote and read each byte, and whether it was ever written.
//
// State is kept for 32-byte blocks, the unit in which UB is accessed; a block whose bytes have different
// histories gets a detail record with one entry a byte, until a whole-block write makes it uniform again.
// A write forgets the reads before it: they are ordered before the write or were reported when it came.
#ifndef TILEWRIGHT_EMULATOR_CHECK_SHADOW_H
#define TILEWRIGHT_EMULATOR_CHECK_SHADOW_H

#include "emulator/check/Clocks.h"

#include <vector>

namespace tilewright::emulator::check {

enum class Hazard : uint8_t { ReadAfterWrite, WriteAfterRead, WriteAfterWrite, Uninitialized };

/// Receives what shadow memory finds; bytes are relative to UB.
class ShadowSink {
public:
  virtual ~ShadowSink() = default;
  virtual void found(Hazard hazard, uint64_t prior, uint32_t begin, uint32_t end) = 0;
};

class Shadow {
public:
  static constexpr uint32_t kBlocks = kUbSize / kBlock;

  Shadow();
  void reset();

  struct Check {
    uint64_t stamp;     ///< the instruction
    const Clock &clock; ///< what it may rely on
    bool races, uninitialized;
    ShadowSink &sink;
  };
  /// Whether all bytes of [begin, end) have a value; whether one has.
  bool allDefined(uint32_t begin, uint32_t end) const;
  bool isDefined(uint32_t byte) const { return defined[byte / kBlock] >> byte % kBlock & 1; }
  /// The last writer of a byte.
  uint64_t writer(uint32_t byte) const;
  /// Bytes that were written, but with nothing to rely on.
  void undefine(uint32_t begin, uint32_t end);

  /// Bytes [begin, end) of UB. First all accesses of an instruction are checked, then all are noted, so that
  /// an in-place instruction does not race with itself.
  void check(const Check &c, uint32_t begin, uint32_t end, bool write);
  void noteRead(uint64_t stamp, uint32_t begin, uint32_t end);
  /// `defined` false: the bytes hold something, but nothing to rely on.
  void noteWrite(uint64_t stamp, uint32_t begin, uint32_t end, bool defined);

private:
  static constexpr unsigned kReaders = 3; // S, V, MTE3
  static unsigned reader(uint64_t stamp);

  struct Detail {
    uint64_t write[kBlock];
    uint64_t read[kReaders][kBlock];
  };
  /// Blocks of [begin, end): `whole(first, last)` for covered ones, `part(block, from, to)` for the others.
  template <class Whole, class Part>
  static void split(uint32_t begin, uint32_t end, Whole &&whole, Part &&part);
  Detail &detailOf(uint32_t block);
  void dropDetail(uint32_t block);
  void checkBytes(const Check &c, uint32_t block, uint32_t from, uint32_t to, bool write) const;

  std::vector<uint64_t> write, read[kReaders]; ///< stamps, valid where detail is 0
  std::vector<uint32_t> defined;               ///< one bit a byte
  std::vector<uint16_t> detail;                ///< index into details + 1
  std::vector<Detail> details;
  std::vector<uint16_t> freeDetails;
  bool readerUsed[kReaders] = {}; ///< since reset; the others' stamps are all 0
  size_t detailsInUse() const { return details.size() - freeDetails.size(); }
  uint32_t used = 0; ///< blocks above were never touched since reset
};

} // namespace tilewright::emulator::check
#endif
