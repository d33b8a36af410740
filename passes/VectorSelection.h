//===- VectorSelection.h - arith and math to HIVM vector operations --*- C++ -*-===//
//
// Which vector operations an operation of a nest's body becomes. Types follow AscendNPU-IR facts, section 7
// (the wheel's real support, not the sources').
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_VECTORSELECTION_H
#define TILEWRIGHT_PASSES_VECTORSELECTION_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// One vector operation of an expansion.
struct VectorStep {
  struct Source {
    mlir::Value value;     ///< operand of the expanded operation or a constant
    bool previous = false; ///< the result of the step before
  };
  llvm::StringRef name;
  llvm::SmallVector<Source, 3> sources;
  mlir::Type type; ///< element type of the result
  std::optional<llvm::StringRef> compareMode = std::nullopt;
  std::optional<llvm::StringRef> roundMode = std::nullopt;
  /// Source and destination may be one buffer (same element width, lane by lane).
  bool inPlace = true;
};

/// The steps of `op`, or failure with an error at `op`. `isScalar` tells operands without lanes.
mlir::FailureOr<llvm::SmallVector<VectorStep, 2>>
selectVectorOps(mlir::Operation *op, llvm::function_ref<bool(mlir::Value)> isScalar);

} // namespace tilewright

#endif
