// The observed form of a kernel: the same code once more, telling the emulated device of what is not an
// instruction of it.
//
// Vector instructions and transfers are calls and seen by every mode. Scalar loads and stores of UB and GM,
// and the scalar work between instructions, are plain machine code. Check mode and time mode need them, fast
// mode must not pay for them: so every function gets a twin `tw_observed_NAME` that reports
//   tw_core_scalar_access(address, bytes, is_write)   before each scalar access of UB or GM
//   tw_core_count_scalar(n)                           once per basic block
#ifndef TILEWRIGHT_HIVMC_OBSERVED_H
#define TILEWRIGHT_HIVMC_OBSERVED_H

#include "llvm/IR/Module.h"

namespace tilewright::hivmc {

inline constexpr const char *kObservedPrefix = "tw_observed_";

/// Adds the twins of `roots` and of what they call. Calls of library functions that are only declared
/// (`_mlir_ciface_*`) go to twins with the same naming. After optimisation.
void addObservedForms(llvm::Module &module, llvm::ArrayRef<llvm::Function *> roots);

/// Code of the Ascend C headers (emulator/ascendc), inlined into a handwritten kernel: checks and bookkeeping
/// of the emulator that a device does not execute. It reports its scalar accesses itself.
bool isInterfaceCode(const llvm::Instruction &instruction);

} // namespace tilewright::hivmc

#endif
