// Processor sharing of the memory between transfers, as a fluid.
#ifndef TILEWRIGHT_EMULATOR_TIMING_SHARING_H
#define TILEWRIGHT_EMULATOR_TIMING_SHARING_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::emulator::timing {

/// One running transfer. It draws `gm` bytes of memory and `l2` bytes of L2 for every byte it moves.
struct Flow {
  uint32_t core, pipe;
  double remaining; ///< bytes
  double cap;       ///< bytes a cycle that its pipe can move
  double gm, l2;
  double dominant = 0; ///< largest share of a pool that one byte a cycle takes; set by `weigh`
  double rate = 0;

  void weigh(double gmCapacity, double l2Capacity) {
    dominant = gm / gmCapacity > l2 / l2Capacity ? gm / gmCapacity : l2 / l2Capacity;
  }
};

/// Rates by progressive filling: the shares that flows take of the pool they use most (dominant shares) grow
/// alike until a flow's own cap or a pool is exhausted. No pool gives more than its capacity, and no flow
/// could be faster without slowing a flow that has no larger share. Every flow has been weighed with these
/// capacities.
void share(std::vector<Flow> &flows, double gmCapacity, double l2Capacity);

} // namespace tilewright::emulator::timing
#endif
