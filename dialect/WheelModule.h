//===- WheelModule.h - Reading what bishengir-compile prints -----------------------------------*- C++
//-*-===//
//
// The wheel's MLIR is 19.1.7 with patches. Where a patch changes what an upstream operation may look like,
// its text is rejected by the stock verifier. Known case: memref.collapse_shape that drops unit dimensions of
// a strided memref, see docs/dialect.md.
//
//===--------------------------------------------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_WHEELMODULE_H
#define TILEWRIGHT_DIALECT_WHEELMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
}

namespace tilewright {

/// Gives every memref.collapse_shape the result type that stock MLIR infers and casts it to the type its
/// users expect.
void adaptWheelModule(mlir::Operation *root);

/// Parses a module printed by the wheel's tools, adapts it, and verifies it. Null with diagnostics on
/// failure.
mlir::OwningOpRef<mlir::ModuleOp> parseWheelModule(const llvm::SourceMgr &sources,
                                                   mlir::MLIRContext *context);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_WHEELMODULE_H
