// GM as one block uses it: transfers that may still be under way, and the bytes touched in all.
#ifndef TILEWRIGHT_EMULATOR_CHECK_GMHISTORY_H
#define TILEWRIGHT_EMULATOR_CHECK_GMHISTORY_H

#include "emulator/check/Runs.h"
#include "emulator/check/Shadow.h"

#include <vector>

namespace tilewright::emulator::check {

/// Transfers that some pipe does not know to be complete.
class GmPending {
public:
  void clear() { transfers.clear(); }

  /// Reports races of an access, which may rely on `clock`, with earlier ones, then adds it. `found` gets GM
  /// addresses.
  template <class Found>
  void add(const Event &event, const Access &access, uint64_t stamp, const Clock &clock, const Clocks &clocks,
           Found &&found) {
    const uint64_t end = hullEnd(access);
    for (const Transfer &t : transfers) {
      if (!(access.write || t.access.write) || t.end <= access.begin || end <= t.access.begin ||
          ordered(clock, t.stamp))
        continue;
      uint64_t from, to;
      if (overlap(event, access, t, from, to))
        found(t.stamp, t.access.write, from, to);
    }
    if (Pipe(Stamp::pipe(stamp)) == Pipe::S) {
      // The scalar unit waits for what it loads. Stores of a loop over elements become one.
      if (!access.write || joined(access, end, stamp))
        return;
    }
    if (transfers.size() >= kMany)
      forget(clocks);
    transfers.push_back({access, end, stamp});
  }

private:
  static constexpr size_t kMany = 32, kMost = 4096;
  struct Transfer {
    Access access;
    uint64_t end, stamp;
  };
  static bool overlap(const Event &event, const Access &a, const Transfer &t, uint64_t &from, uint64_t &to);
  void forget(const Clocks &clocks);
  bool joined(const Access &access, uint64_t end, uint64_t stamp) {
    for (size_t i = transfers.size(); i > 0 && i + 4 > transfers.size(); --i) {
      Transfer &t = transfers[i - 1];
      if (Stamp::site(t.stamp) != Stamp::site(stamp) || t.end != access.begin || t.access.outer != 1 ||
          t.access.run > 1u << 30)
        continue;
      t.access.run += access.run;
      t.end = end;
      t.stamp = stamp;
      return true;
    }
    return false;
  }

  std::vector<Transfer> transfers;
};

/// GM bytes that a block read or wrote, as joined intervals with the instruction that touched them.
struct Interval {
  uint64_t begin, end;
  uint32_t site;
  bool write, atomic;
  uint64_t stamp;       ///< of the last access to it
  uint32_t known = 0;   ///< releases of cross-core flags that the pipe knew of (number in a ReleaseTable)
  uint32_t covered = 0; ///< releases that tell others of the access
  bool sameKind(const Interval &o) const {
    return site == o.site && write == o.write && atomic == o.atomic && known == o.known &&
           covered == o.covered;
  }
  void extend(const Interval &o) {
    end = end > o.end ? end : o.end;
    stamp = stamp > o.stamp ? stamp : o.stamp; // one site, so one pipe: the later number
  }
};

class Footprint {
public:
  void clear() {
    list.clear();
    limit = kFirstLimit;
  }
  void add(const Interval &i) {
    if (!list.empty() && list.back().sameKind(i) && list.back().end == i.begin) {
      list.back().extend(i);
      return;
    }
    list.push_back(i);
    if (list.size() >= limit)
      compact();
  }
  /// A set of cross-core flag `flag` for the `time`-th time by a pipe that knows `clock`.
  void cover(unsigned flag, uint16_t time, const Clock &clock, ReleaseTable &table);
  /// Sorted, intervals of the same kind that touch joined.
  const std::vector<Interval> &compact();

private:
  static constexpr size_t kFirstLimit = 1 << 14;
  std::vector<Interval> list;
  size_t limit = kFirstLimit;
};

} // namespace tilewright::emulator::check
#endif
