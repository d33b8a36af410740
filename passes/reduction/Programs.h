//===- Programs.h - vector programs and UB buffers of a schedule ----*- C++ -*-===//
//
// Shared by tw-tile-to-ub, which counts the bytes, and tw-convert-to-hivm, which emits the operations.
//
// Schedules, by what fills the lanes of the vector unit
//   rows    one channel at a time: a tile is R1 rows x R0 columns of it; per-channel values are scalars
//   lanes   R0 = 1 and neighbouring channels fill the lanes: a tile is R1 rows x channels; per-channel values
//           are spread over the tile
//   folded  as lanes with short R0 segments inside a row, or with several R1 rows in one burst; gathers
//           separate the segments (Segments.cpp)
// and by where the data stays between passes: streamed (read once a pass), resident (a group of channels is
// read once and kept in UB), resident2 (the same with two buffers, so that the next group is read meanwhile).
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_REDUCTION_PROGRAMS_H
#define TILEWRIGHT_PASSES_REDUCTION_PROGRAMS_H

#include "passes/VectorProgram.h"
#include "passes/reduction/Reduction.h"

namespace tilewright {

struct Schedule {
  enum Family { Rows, Lanes, Folded } family;
  int residentCopies; ///< 0 when streamed

  static std::optional<Schedule> parse(llvm::StringRef text);
  bool isRows() const { return family == Rows; }
};

/// Lanes that one channel's partial result has in the schedule "rows".
inline constexpr int64_t kFoldLanes = 64;

/// Sizes of the UB buffers, in elements.
struct Limits {
  int64_t capacity;   ///< of a tile
  int64_t maxRows;    ///< rows of a tile
  int64_t maxColumns; ///< columns of a tile (rows); of a row of lanes
  int64_t group;      ///< channels of a group
  int64_t lanes;      ///< lanes of an accumulator
  int64_t resident;   ///< of each resident input; 0 when streamed
  int64_t rowGranule; ///< rows in UB start at multiples of this many elements
  int64_t segments;   ///< of all segments of R0 in rows of their own (folded)
};

/// A nest with its program. A reduction nest is replaced by a copy that yields the summands, and after them
/// the results of every axis.
struct NestProgram {
  Nest nest;
  mlir::linalg::GenericOp body; ///< the nest, or the copy
  VectorProgram program;
  llvm::SmallVector<Covers> covers; ///< of each input
};

/// Programs of all nests, in order. Copies stay in the function until `erasePrograms`.
mlir::FailureOr<llvm::SmallVector<NestProgram, 0>> buildPrograms(mlir::func::FuncOp func, Schedule schedule);
void erasePrograms(llvm::MutableArrayRef<NestProgram> programs);

/// The kernel's tensor argument behind an input, or null for a result of another nest.
mlir::BlockArgument argumentOf(mlir::Value input);

/// Tensors over all axes that are read, each once, in the order of the arguments.
llvm::SmallVector<mlir::BlockArgument> fullInputs(llvm::ArrayRef<NestProgram> programs);

/// A line of the UB table.
struct UbRow {
  std::string name;
  int64_t bytes;
};

/// The UB table: what lives for a whole group, and what the most demanding nest needs beside it.
llvm::SmallVector<UbRow> ubTable(llvm::ArrayRef<NestProgram> programs, Schedule schedule,
                                 const Limits &limits);

/// Elements of the buffer in which rows of the workspace are combined, for `count` values at once.
int64_t exchangeTile(const Limits &limits, unsigned count);

/// Multiple to which rows are padded in UB: 32 bytes of the narrowest full-sized type.
int64_t rowGranuleOf(llvm::ArrayRef<NestProgram> programs);

} // namespace tilewright

#endif
