// `tw_entry_NAME(const void *args)`: unpacks the device's argument struct and calls the kernel.
#ifndef TILEWRIGHT_HIVMC_ENTRY_H
#define TILEWRIGHT_HIVMC_ENTRY_H

#include "emulator/hivmc/Signature.h"
#include "llvm/IR/Module.h"

namespace tilewright::hivmc {

/// Adds one entry per kernel, exports host functions, makes everything else internal, and drops what nobody
/// uses.
llvm::Error addEntries(llvm::Module &module, const ModuleSignature &signature);

} // namespace tilewright::hivmc

#endif
