#include "emulator/timing/Sharing.h"

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
  constexpr double kOpen = -1;
  size_t open = flows.size();
  for (Flow &f : flows)
    f.rate = kOpen;
  double gmLeft = gmCapacity, l2Left = l2Capacity;
  while (open) {
    double gm = 0, l2 = 0;
    for (const Flow &f : flows)
      if (f.rate == kOpen) {
        gm += f.gm;
        l2 += f.l2;
      }
    const double infinite = std::numeric_limits<double>::infinity();
    const double gmLevel = gm > 0 ? gmLeft / gm : infinite, l2Level = l2 > 0 ? l2Left / l2 : infinite;
    const double level = gmLevel < l2Level ? gmLevel : l2Level;
    double gmUsed = 0, l2Used = 0;
    const size_t before = open;
    auto fix = [&](Flow &f, double rate) {
      f.rate = rate;
      gmUsed += rate * f.gm;
      l2Used += rate * f.l2;
      --open;
    };
    for (Flow &f : flows)
      if (f.rate == kOpen && f.cap <= level)
        fix(f, f.cap);
    if (open == before) // the pool is exhausted for everybody who uses it
      for (Flow &f : flows)
        if (f.rate == kOpen && (gmLevel <= l2Level ? f.gm > 0 : f.l2 > 0))
          fix(f, level);
    gmLeft = gmLeft > gmUsed ? gmLeft - gmUsed : 0;
    l2Left = l2Left > l2Used ? l2Left - l2Used : 0;
  }
}

} // namespace tilewright::emulator::timing
