// Final modules that bishengir-compile 1.2.0 is known to get wrong without a word.
#ifndef TILEWRIGHT_HIVMC_KNOWNDEFECTS_H
#define TILEWRIGHT_HIVMC_KNOWNDEFECTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace tilewright::hivmc {

/// A loop that hands two buffers on in turn (ping-pong through iter_args): the memory planner gives both one
/// address, so each turn overwrites what the last one left. Order is kept, so nothing but values would show
/// it. Errors: TW3114.
llvm::Error checkKnownDefects(mlir::ModuleOp module);

} // namespace tilewright::hivmc

#endif
