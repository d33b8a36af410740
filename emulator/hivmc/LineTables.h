// Where in the source an operation comes from, as line tables of the object.
#ifndef TILEWRIGHT_HIVMC_LINETABLES_H
#define TILEWRIGHT_HIVMC_LINETABLES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/Function.h"

namespace tilewright::hivmc {

/// Gives every function of the LLVM dialect a scope and every operation a line: of the file that its location
/// names, or of the module itself (`input`, by its base name). A location `loc("tw.node.N"(...))` is line N +
/// 1 of the file "tw.graph": the front end knows where node N of the traced operator is written, also when
/// the object comes from a cache and the source has moved since.
void addLineTables(mlir::ModuleOp module, llvm::StringRef input);

/// Gives `entry` the scope that lets the lines of `body` survive being inlined into it.
void shareScope(llvm::Function &entry, const llvm::Function &body);

} // namespace tilewright::hivmc

#endif
