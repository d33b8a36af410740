// Persistent host threads that execute blocks.
#ifndef TILEWRIGHT_EMULATOR_MACHINE_POOL_H
#define TILEWRIGHT_EMULATOR_MACHINE_POOL_H

#include <cstdint>

namespace tilewright::emulator {

/// Calls `work(context)` on the calling thread and on up to `threads - 1` pool threads, and returns when all
/// calls have returned. When the pool is busy with another launch, only the calling thread works.
void runOnThreads(uint32_t threads, void (*work)(void *), void *context);

/// Processors this process may use.
uint32_t hostThreads();

} // namespace tilewright::emulator
#endif
