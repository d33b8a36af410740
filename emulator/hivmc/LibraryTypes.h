// What the name of a library function says about its memrefs.
#ifndef TILEWRIGHT_HIVMC_LIBRARYTYPES_H
#define TILEWRIGHT_HIVMC_LIBRARYTYPES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace tilewright::hivmc {

/// Descriptors pass as plain pointers, so the bitcode's types do not tell a call with memrefs of another
/// rank, element type or address space from a right one; the library would read a wrong descriptor. Moves and
/// 1-D vector functions, whose names carry rank and element type (AscendNPU-IR note, section 4), are checked
/// against their declarations. Before address spaces are rewritten. Errors: TW3105.
llvm::Error checkLibraryTypes(mlir::ModuleOp module);

} // namespace tilewright::hivmc

#endif
