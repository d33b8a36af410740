// Final module -> LLVM IR, in this process.
#ifndef TILEWRIGHT_HIVMC_LOWERMODULE_H
#define TILEWRIGHT_HIVMC_LOWERMODULE_H

#include "emulator/hivmc/ParseModule.h"
#include "llvm/IR/Module.h"

namespace tilewright::hivmc {

/// Lowers in place to the LLVM dialect and translates. `input` is the module's file; line tables refer to it
/// where the module has no locations of its own. Empty: no line tables. Errors: TW3103, TW3105, TW3112,
/// TW3113.
llvm::Expected<std::unique_ptr<llvm::Module>> lowerModule(mlir::ModuleOp module, llvm::LLVMContext &context,
                                                          DiagnosticLog &log, llvm::StringRef input);

} // namespace tilewright::hivmc

#endif
