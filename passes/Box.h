//===- Box.h - the part of an operand that a tile covers ------------*- C++ -*-===//
#ifndef TILEWRIGHT_PASSES_BOX_H
#define TILEWRIGHT_PASSES_BOX_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

namespace tilewright {

/// Offsets, sizes and unit strides of the axes that an operand has, as slice operations take them.
struct Box {
  llvm::SmallVector<mlir::OpFoldResult> offsets, sizes, strides;

  /// The box of an operand with the indexing map `map`, when axis a of the iteration covers `sizes[a]`
  /// positions from `offsets[a]` on.
  Box(mlir::OpBuilder &builder, mlir::AffineMap map, mlir::ValueRange axisOffsets,
      mlir::ValueRange axisSizes) {
    for (mlir::AffineExpr expr : map.getResults()) {
      unsigned axis = mlir::cast<mlir::AffineDimExpr>(expr).getPosition();
      offsets.push_back(axisOffsets[axis]);
      sizes.push_back(axisSizes[axis]);
      strides.push_back(builder.getIndexAttr(1));
    }
  }

  /// The box of `tensor`; a one-element tensor has no axes and is its own box.
  mlir::Value extract(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor) const {
    if (offsets.empty())
      return tensor;
    return builder.create<mlir::tensor::ExtractSliceOp>(loc, tensor, offsets, sizes, strides);
  }
};

} // namespace tilewright

#endif
