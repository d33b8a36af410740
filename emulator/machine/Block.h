// Running one block on this thread's core, with every way of stopping it turned into an error.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_BLOCK_H
#define TILEWRIGHT_EMULATOR_MACHINE_BLOCK_H

#include "emulator/machine/Core.h"

namespace tilewright::emulator {

using Entry = void (*)(const void *args);

/// Ends blocks that wait for one that an error stopped; not an error of theirs, and not reported.
inline constexpr int kStoppedByOther = -1;

/// Calls `entry(args)` with `core` current. Returns 0 or the error number; core.message has the text.
int runGuarded(Core &core, Entry entry, const void *args);

/// Turns SIGSEGV, SIGBUS and SIGFPE of kernel code into errors while an instance lives; faults elsewhere go
/// to the handler that was there before. Instances may overlap in any order.
class FaultHandler {
public:
  FaultHandler();
  ~FaultHandler();
  FaultHandler(const FaultHandler &) = delete;
  FaultHandler &operator=(const FaultHandler &) = delete;
};

} // namespace tilewright::emulator
#endif
