#include "emulator/timing/Trace.h"

#include <cstring>

namespace tilewright::emulator::timing {

Unit unitOf(uint64_t pipe) {
  switch (Pipe(pipe)) {
  case Pipe::V:
    return V;
  case Pipe::MTE2:
    return Mte2;
  case Pipe::MTE3:
    return Mte3;
  default: // a vector core has no matrix unit and no L1: nothing runs on these pipes
    return S;
  }
}

Rate Rates::of(const char *name) const {
  const Rate *best = nullptr;
  size_t length = 0;
  for (const auto &[prefix, rate] : entries)
    if (prefix.size() >= length && !std::strncmp(name, prefix.c_str(), prefix.size())) {
      best = &rate;
      length = prefix.size();
    }
  return best ? *best : Rate();
}

uint64_t Trace::storedSteps() const {
  uint64_t n = 0;
  for (const Program &p : programs)
    n += p.size();
  return n;
}

} // namespace tilewright::emulator::timing
