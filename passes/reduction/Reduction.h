//===- Reduction.h - kernels with reductions ------------------------*- C++ -*-===//
//
// A kernel whose function carries the unit attribute `tw.reduction` is a list of nests over the canonical
// axes (R1, A, R0): R1 and R0 are reduced, A ("channels") is kept.
//
//   channel nest      over A alone: what is computed once a channel
//   reduction nest    over all axes into tensors over A: one pass over the data, which may write results of
//                     the full shape too (after the reductions)
//   elementwise nest  over all axes, last: writes the other results of the full shape
//
// The nests keep this form until tw-convert-to-hivm, so that the function can be executed after every pass;
// the passes before it decide and add what the host has to give:
//
//   tw-normalize-iteration  checks the form, adds destinations and extents
//   tw-partition-channels   adds the numbers by which the cores share each axis
//   tw-tile-to-ub           picks the UB buffers of a schedule, adds the numbers of the tiles
//   tw-convert-to-hivm      writes the loops
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_REDUCTION_REDUCTION_H
#define TILEWRIGHT_PASSES_REDUCTION_REDUCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {

inline constexpr llvm::StringLiteral kReductionAttr = "tw.reduction";

/// On a reduction nest of sums: a part of the data, scaled to the size of all of it, will do.
inline constexpr llvm::StringLiteral kSampleAttr = "tw.sample";

/// Which canonical axes an operand of a nest over all axes has.
enum class Covers { All, Channel, Inner, Outer, One };

enum class NestKind { Channel, Reduction, Elementwise };

/// How a reduction combines two partial results.
enum class Combine { Sum, Max, Min };

struct Nest {
  mlir::linalg::GenericOp op;
  NestKind kind;
  llvm::SmallVector<Combine> combines; ///< of a reduction nest: of its first results, which are over A

  /// Whether it may sum a sample of the data.
  bool isSample() const { return op->hasAttr(kSampleAttr); }
  /// Whether the result covers every axis.
  bool isFull(unsigned result) const { return kind != NestKind::Channel && result >= combines.size(); }
};

bool isReduction(mlir::func::FuncOp func);

/// The nests in order; an error at the operation that does not have the form above.
mlir::FailureOr<llvm::SmallVector<Nest>> collectNests(mlir::func::FuncOp func);

/// What an operand of `nest` covers, from its indexing map.
Covers coversOf(const Nest &nest, unsigned operand);

mlir::LogicalResult normalizeReduction(mlir::func::FuncOp func);
mlir::LogicalResult partitionReduction(mlir::func::FuncOp func);
mlir::LogicalResult tileReduction(mlir::func::FuncOp func, llvm::StringRef schedule, int64_t ubBytes);
mlir::LogicalResult convertReduction(mlir::func::FuncOp func);

/// Names of the axes in the numbers that the host gives: `tiling:r1_cores`, `tiling:a_base`, ...
inline constexpr llvm::StringLiteral kAxisNames[] = {"r1", "a", "r0"};

} // namespace tilewright

#endif
