// Atomic stores: read, combine and write GM elements as one step among all cores of a launch.
#ifndef TILEWRIGHT_EMULATOR_ISA_ATOMIC_H
#define TILEWRIGHT_EMULATOR_ISA_ATOMIC_H

#include "emulator/isa/Layout.h"
#include "emulator/machine/Core.h"

namespace tilewright::emulator {

struct AtomicOperation {
  /// gm[i] = gm[i] op ub[i] over `bytes` bytes.
  using Combine = void (*)(uint8_t *gm, const uint8_t *ub, uint64_t bytes);
  Combine combine;
  /// Combines page by page under the page's lock. The order among cores is that of the host's threads: sums
  /// of floats from several blocks may differ in the last bits from run to run, as on a device.
  void apply(Core &core, uint8_t *gm, const uint8_t *ub, uint64_t bytes) const;
};

/// The operation the control word asks for, for rows of `bytes` at `gm`, `step` apart; an error for undefined
/// codes and for rows that do not consist of whole, aligned elements.
AtomicOperation atomicOperation(Core &core, Op op, const Control &control, const void *gm, uint64_t bytes,
                                uint64_t step);

} // namespace tilewright::emulator
#endif
