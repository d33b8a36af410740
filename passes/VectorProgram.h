//===- VectorProgram.h - what one tile of an elementwise nest does ---*- C++ -*-===//
//
// The body of a `linalg.generic` as a list of vector instructions over UB buffers. Two passes share it:
// tw-tile-to-ub counts the bytes, tw-convert-to-hivm emits the operations. Both see the same program because
// building it is deterministic, so the UB table of the plan is what the kernel uses.
//
// What counts for UB
//  * transfer buffers: each loaded or stored operand, twice (double buffering);
//  * slots: temporaries of the program, shared by values that are not alive at the same time;
//  * spread buffers: operands shared by a row or column, spread over the tile (plus the library's temporary
//  of the
//    same size: AscendNPU-IR facts, section 15);
//  * 64 bytes for each instruction with a scalar first operand, a division by a scalar, or a select (the
//  block that
//    the library spreads a scalar into, or the address of the mask).
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_VECTORPROGRAM_H
#define TILEWRIGHT_PASSES_VECTORPROGRAM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {

/// How an input covers a tile of [rows, columns].
enum class Spread { Full, Row, Column, Uniform };

/// Extent of a buffer: the whole tile, one row, one column, a fixed number of bytes, or what spreading a
/// column over a tile takes beside its result: for each row of the column buffer, its share of the tile
/// rounded up to a UB block (found by compiling `vbrc` along the last axis with buffers of several sizes).
enum class Extent { Tile, Row, Column, Fixed, ColumnSpread };

/// One UB buffer of the plan.
struct Buffer {
  std::string name;
  mlir::Type type; ///< element type
  Extent extent;
  int64_t copies;     ///< 2 when double-buffered
  int64_t fixedBytes; ///< for Extent::Fixed
};

/// Where an instruction finds or puts a value.
struct Place {
  enum Kind { Input, Slot, Spread, Output, Scalar } kind;
  unsigned index = 0;      ///< of the input, slot or output
  mlir::Value scalar = {}; ///< for Scalar: a value of the nest's body or from above it
};

/// One vector instruction.
struct Instruction {
  llvm::StringRef name; ///< HIVM operation, e.g. "hivm.hir.vadd"
  mlir::Location loc;
  llvm::SmallVector<Place, 3> sources;
  Place destination;
  std::optional<llvm::StringRef> compareMode; ///< for vcmp
  std::optional<llvm::StringRef> roundMode;   ///< for vcast
};

struct ProgramInput {
  Spread spread;
  mlir::Type type;        ///< element type in GM
  mlir::Type computeType; ///< element type the program uses (f32 for half data that is spread)
  std::string name;
  mlir::Value bodyValue = {}; ///< what stands for the input in the body: its argument, or the extension of it
};

class VectorProgram {
public:
  /// Builds the program of `nest`; emits an error at the operation that has no vector form.
  static mlir::FailureOr<VectorProgram> build(mlir::linalg::GenericOp nest);
  /// The same with the way each input covers the tile given; uniform half inputs are extended beforehand.
  static mlir::FailureOr<VectorProgram> build(mlir::linalg::GenericOp nest, llvm::ArrayRef<Spread> spreads,
                                              bool twoDimensional);

  llvm::SmallVector<ProgramInput> inputs;
  llvm::SmallVector<Instruction> instructions;
  llvm::SmallVector<mlir::Type> slots;            ///< element type of each slot
  llvm::SmallVector<mlir::Type> outputs;          ///< element type of each output
  llvm::SmallVector<mlir::Operation *> scalarOps; ///< operations on uniform values, in order
  bool twoDimensional = false;

  /// Bytes of the small buffers that the library takes for scalar operands and selects.
  int64_t scratchBytes() const;
  /// The UB table, in the order of allocation.
  llvm::SmallVector<Buffer> buffers() const;
  /// Elements to which rows are padded in UB so that each starts on 32 bytes for every element type used.
  int64_t rowGranule() const;
};

/// Bytes of `buffer` when a tile has `capacity` elements and at most `maxRows` rows and `maxColumns` columns.
int64_t getBufferBytes(const Buffer &buffer, int64_t capacity, int64_t maxRows, int64_t maxColumns);

/// Rows and columns of a two-dimensional tile are bounded, so that buffers for one row or column stay small.
inline constexpr int64_t kMaxTileRows = 512;
inline constexpr int64_t kMaxTileColumns = 2048;

} // namespace tilewright

#endif
