// Order between blocks that cross-core flags make.
//
// The k-th release of a flag tells every block that waited for it what all blocks had completed when they set
// the flag for the k-th time. An access of block a comes before one of block b if a set of a covers the first
// (its pipe knew the access to be complete) and b's pipe knew of that release when it issued the second.
#ifndef TILEWRIGHT_EMULATOR_CHECK_CROSSORDER_H
#define TILEWRIGHT_EMULATOR_CHECK_CROSSORDER_H

#include "emulator/machine/CrossCore.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace tilewright::emulator::check {

/// Per flag, a number of releases: those that a pipe knows of, or the first one that covers an access.
struct Releases {
  std::array<uint16_t, CrossCore::kFlags> count{};

  void join(const Releases &other) {
    for (unsigned i = 0; i < CrossCore::kFlags; ++i)
      count[i] = std::max(count[i], other.count[i]);
  }
  bool operator==(const Releases &o) const { return count == o.count; }
  bool operator<(const Releases &o) const { return count < o.count; }
};

/// Each set of releases once, by number; 0 is the empty one.
class ReleaseTable {
public:
  uint32_t number(const Releases &releases) {
    if (releases == table[last])
      return last;
    const auto [at, fresh] = numbers.try_emplace(releases, uint32_t(table.size()));
    if (fresh)
      table.push_back(releases);
    return last = at->second;
  }
  const Releases &operator[](uint32_t number) const { return table[number]; }
  void clear() {
    table.assign(1, Releases());
    numbers = {{Releases(), 0}};
    last = 0;
  }

private:
  std::vector<Releases> table{Releases()};
  std::map<Releases, uint32_t> numbers{{Releases(), 0}};
  uint32_t last = 0;
};

/// An access that `covered` describes comes before one whose pipe knew `known`.
inline bool comesBefore(const Releases &covered, const Releases &known) {
  for (unsigned i = 0; i < CrossCore::kFlags; ++i)
    if (covered.count[i] && covered.count[i] <= known.count[i])
      return true;
  return false;
}

/// What the sets of all blocks carry.
class CrossOrder {
public:
  /// A block sets `flag` for the `time`-th time, knowing `known`.
  void set(unsigned flag, uint16_t time, const Releases &known) {
    std::lock_guard<std::mutex> lock(mutex);
    std::vector<Releases> &releases = carried[flag];
    if (releases.size() < time)
      releases.resize(time);
    releases[time - 1].join(known);
  }
  /// What a block learns when it has waited for `flag` the `time`-th time: all sets for that release are
  /// done.
  Releases wait(unsigned flag, uint16_t time) {
    std::lock_guard<std::mutex> lock(mutex);
    Releases learnt;
    if (time <= carried[flag].size())
      learnt = carried[flag][time - 1u];
    learnt.count[flag] = std::max(learnt.count[flag], time);
    return learnt;
  }

private:
  std::mutex mutex;
  std::array<std::vector<Releases>, CrossCore::kFlags> carried;
};

} // namespace tilewright::emulator::check
#endif
