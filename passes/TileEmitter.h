//===- TileEmitter.h - HIVM operations of one tile ------------------*- C++ -*-===//
//
// Emits the loads, vector operations and stores of one tile of a VectorProgram. The caller decides where an
// operand is loaded (inside or outside a loop); this class owns the UB allocations and their views.
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_TILEEMITTER_H
#define TILEWRIGHT_PASSES_TILEEMITTER_H

#include "passes/VectorProgram.h"

#include "mlir/IR/IRMapping.h"

namespace tilewright {

/// A box of a tensor in GM: a flat buffer with the offset, sizes and strides of each axis the tensor has.
struct GmView {
  mlir::Value base; ///< memref<?xT>
  llvm::SmallVector<mlir::Value> offsets, sizes, strides;
};

/// Sizes of the tile at hand; for one axis, rows and pitch are null and columns is the length.
struct TileShape {
  mlir::Value rows, columns;
};

/// Limits of the buffers, from `tw.plan`.
struct Capacity {
  int64_t elements, maxRows, maxColumns, rowGranule;
};

class TileEmitter {
public:
  TileEmitter(const VectorProgram &program, Capacity capacity) : program(program), capacity(capacity) {}

  /// Loads input `index` from `view`. For operands shared by a row or column, `shape` is the largest tile
  /// they will be used with, and they are spread here.
  void load(mlir::OpBuilder &builder, mlir::Location loc, unsigned index, const GmView &view,
            TileShape shape);
  /// Input `index` is in UB already: its elements, spread over the tile if the program wants that.
  void provide(unsigned index, mlir::Value buffer) { inputBuffers[index] = buffer; }
  /// Uniform input `index` has this value.
  void provideScalar(unsigned index, mlir::Value value) { uniformValues[index] = value; }
  /// Reads a uniform input with the scalar unit.
  void loadUniform(mlir::OpBuilder &builder, mlir::Location loc, unsigned index, const GmView &view);
  /// Computes the tile; returns the buffer of each output.
  llvm::SmallVector<mlir::Value> evaluate(mlir::OpBuilder &builder, mlir::linalg::GenericOp nest,
                                          TileShape shape, mlir::IRMapping &mapping);
  /// Stores the tile of output `index` from `buffer`.
  void store(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer, const GmView &view,
             TileShape shape);
  /// Computes the tile and stores output i to `outputs[i]`. `mapping` gives the values of scalars from
  /// outside the body.
  mlir::LogicalResult compute(mlir::OpBuilder &builder, mlir::linalg::GenericOp nest, TileShape shape,
                              llvm::ArrayRef<GmView> outputs, mlir::IRMapping &mapping);

private:
  mlir::Value allocate(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, int64_t elements);
  mlir::Value flat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer, mlir::Value count);
  mlir::Value strided(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value buffer, mlir::Value rows,
                      mlir::Value columns, mlir::Value pitch);
  mlir::Value pitchOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value columns);
  mlir::Value gmTile(mlir::OpBuilder &builder, mlir::Location loc, const GmView &view, unsigned rank);
  void fillPadding(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type, mlir::Value view);
  void loadLine(mlir::OpBuilder &builder, mlir::Location loc, unsigned index, const GmView &view,
                TileShape shape);

  const VectorProgram &program;
  Capacity capacity;
  llvm::DenseMap<unsigned, mlir::Value> inputBuffers;  ///< allocation of each loaded or spread input
  llvm::DenseMap<unsigned, mlir::Value> uniformValues; ///< scalar of each uniform input
};

} // namespace tilewright

#endif
