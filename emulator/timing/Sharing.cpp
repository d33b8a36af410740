#include "emulator/timing/Sharing.h"

#include <algorithm>
#include <limits>

namespace tilewright::emulator::timing {

void share(std::vector<Flow> &flows, double gmCapacity, double l2Capacity) {
  double gmWanted = 0, l2Wanted = 0;
  for (const Flow &f : flows) {
    gmWanted += f.cap * f.gm;
    l2Wanted += f.cap * f.l2;
  }
  if (gmWanted <= gmCapacity && l2Wanted <= l2Capacity) {
    for (Flow &f : flows)
      f.rate = f.cap;
    return;
  }
  // Every open flow has the rate level / f.dominant.
  constexpr double kOpen = -1;
  size_t open = 0;
  for (Flow &f : flows) {
    const bool free = f.dominant <= 0;
    f.rate = free ? f.cap : kOpen;
    open += !free;
  }
  double gmLeft = gmCapacity, l2Left = l2Capacity;
  while (open) {
    double gm = 0, l2 = 0; // drawn at level 1
    for (const Flow &f : flows)
      if (f.rate == kOpen) {
        const double rate = 1 / f.dominant;
        gm += f.gm * rate;
        l2 += f.l2 * rate;
      }
    const double infinite = std::numeric_limits<double>::infinity();
    const double gmLevel = gm > 0 ? gmLeft / gm : infinite, l2Level = l2 > 0 ? l2Left / l2 : infinite;
    const double level = std::min(gmLevel, l2Level);
    double gmUsed = 0, l2Used = 0;
    const size_t before = open;
    auto fix = [&](Flow &f, double rate) {
      f.rate = rate;
      gmUsed += rate * f.gm;
      l2Used += rate * f.l2;
      --open;
    };
    for (Flow &f : flows)
      if (f.rate == kOpen && f.cap * f.dominant <= level)
        fix(f, f.cap);
    if (open == before) // a pool is exhausted for everybody who uses it
      for (Flow &f : flows)
        if (f.rate == kOpen && (gmLevel <= l2Level ? f.gm > 0 : f.l2 > 0))
          fix(f, level / f.dominant);
    gmLeft = std::max(0.0, gmLeft - gmUsed);
    l2Left = std::max(0.0, l2Left - l2Used);
  }
}

} // namespace tilewright::emulator::timing
