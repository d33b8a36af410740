// Happens-before between the pipes of a core, as vector clocks.
//
// S issues instructions in program order; each pipe executes its own in order, pipes run side by side. An
// instruction starts after everything that S knew to be complete when it issued it, and after what its pipe
// learnt from flags. A set tells that all earlier instructions of its pipe are complete. In-order start does
// not mean that the pipe's earlier instructions are complete: a barrier of the pipe (or a round trip through
// flags) says so.
#ifndef TILEWRIGHT_EMULATOR_CHECK_CLOCKS_H
#define TILEWRIGHT_EMULATOR_CHECK_CLOCKS_H

#include "emulator/check/CrossOrder.h"
#include "emulator/machine/Core.h"

#include <cstring>

namespace tilewright::emulator::check {

inline constexpr unsigned kQueues = 6; ///< pipes without ALL

/// Per pipe, how many of its instructions are known to be complete; and the known releases of cross-core
/// flags.
struct Clock {
  uint64_t done[kQueues] = {};
  Releases releases;
  void join(const Clock &other) {
    for (unsigned i = 0; i < kQueues; ++i)
      done[i] = done[i] > other.done[i] ? done[i] : other.done[i];
    releases.join(other.releases);
  }
};

class Clocks {
public:
  void reset() { *this = Clocks(); }

  /// The next instruction of `pipe` is issued; returns its number, from 1.
  uint64_t issue(unsigned pipe) {
    known[pipe].join(known[unsigned(Pipe::S)]);
    return ++count[pipe];
  }
  /// What the last issued instruction of `pipe` may rely on.
  const Clock &of(unsigned pipe) const { return known[pipe]; }
  /// The pipe's instructions before the last issued one are complete.
  void completeBefore(unsigned pipe) { known[pipe].done[pipe] = count[pipe] - 1; }

  /// The clock that a flag set by `pipe` carries.
  Clock set(unsigned pipe) {
    known[pipe].join(known[unsigned(Pipe::S)]);
    Clock clock = known[pipe];
    clock.done[pipe] = count[pipe];
    return clock;
  }
  void wait(unsigned pipe, const Clock &flag) {
    known[pipe].join(known[unsigned(Pipe::S)]);
    known[pipe].join(flag);
  }
  /// `pipe` has waited for a cross-core flag.
  void learn(unsigned pipe, const Releases &releases) {
    known[pipe].join(known[unsigned(Pipe::S)]);
    known[pipe].releases.join(releases);
  }
  void barrier(unsigned pipe) {
    if (pipe < kQueues) {
      known[pipe].join(known[unsigned(Pipe::S)]);
      known[pipe].done[pipe] = count[pipe];
      return;
    }
    Clock &s = known[unsigned(Pipe::S)]; // ALL: S waits for every pipe
    for (unsigned i = 0; i < kQueues; ++i) {
      s.join(known[i]);
      s.done[i] = count[i];
    }
  }

private:
  Clock known[kQueues];
  uint64_t count[kQueues] = {};
};

/// Identifies an executed instruction in shadow memory: number within its pipe, pipe, site. 0 means none.
struct Stamp {
  static uint64_t make(uint64_t number, unsigned pipe, uint16_t site) {
    return number << 20 | uint64_t(pipe) << 16 | site;
  }
  static uint64_t number(uint64_t stamp) { return stamp >> 20; }
  static unsigned pipe(uint64_t stamp) { return unsigned(stamp >> 16) & 15; }
  static uint16_t site(uint64_t stamp) { return uint16_t(stamp); }
};

inline bool ordered(const Clock &clock, uint64_t stamp) {
  return stamp == 0 || Stamp::number(stamp) <= clock.done[Stamp::pipe(stamp)];
}

} // namespace tilewright::emulator::check
#endif
