// From what an instruction did (Event) to what its time depends on (Step).
#ifndef TILEWRIGHT_EMULATOR_TIMING_DESCRIBE_H
#define TILEWRIGHT_EMULATOR_TIMING_DESCRIBE_H

#include "emulator/timing/Trace.h"

namespace tilewright::emulator::timing {

/// GM is served in lines of this many bytes (public Ascend C guide on GM addresses).
inline constexpr uint64_t kGmLine = 512;

/// Two equal keys mean equal steps. UB addresses count relative to `ub`, GM addresses by their alignment.
struct Key {
  uint64_t a, b;
  bool operator==(const Key &o) const { return a == o.a && b == o.b; }
};
struct KeyHash {
  size_t operator()(const Key &k) const { return size_t(k.a); }
};
Key keyOf(const Event &event, uint64_t ub, bool counterMode);

/// The step of an event, without the scalar work before it.
Step describe(const Event &event, uint64_t ub, bool counterMode, const Rates &rates);

} // namespace tilewright::emulator::timing
#endif
