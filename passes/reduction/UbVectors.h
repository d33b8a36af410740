//===- UbVectors.h - operations on vectors of runtime length in UB --*- C++ -*-===//
#ifndef TILEWRIGHT_PASSES_REDUCTION_UBVECTORS_H
#define TILEWRIGHT_PASSES_REDUCTION_UBVECTORS_H

#include "passes/IndexBuilder.h"
#include "passes/Passes.h"
#include "passes/reduction/Reduction.h"

namespace tilewright {

/// A running total of many lanes. Long sums are compensated: `low` gathers what rounding takes from `high`,
/// so the error does not grow with the number of summands (two-sum of Knuth; `high` alone is the plain sum,
/// so infinities stay infinite). A few summands at a time are added plainly first, in `part`; where `isShort`
/// holds there are no more than these, and `high` is all. Maxima have `high` alone.
struct Accumulator {
  mlir::Value high, low, part, isShort;
  Combine combine;
};

/// Summands a lane that are added plainly: their error is below 8 * 2^-24 / 2 of the sum of their magnitudes.
inline constexpr int64_t kShortSum = 8;

/// f32 vectors in UB. Lengths, offsets and periods are index values; buffers are memref<Nxf32>.
class UbVectors {
public:
  UbVectors(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc), index{builder, loc} {}

  mlir::Value allocate(int64_t elements, mlir::Type type = {});
  /// buffer[offset : offset + count].
  mlir::Value view(mlir::Value buffer, mlir::Value offset, mlir::Value count);
  mlir::Value view(mlir::Value buffer, mlir::Value count) { return view(buffer, index.constant(0), count); }
  /// Rows of `columns` elements, `pitch` apart.
  mlir::Value rows(mlir::Value buffer, mlir::Value offset, mlir::Value rows, mlir::Value columns,
                   mlir::Value pitch);

  /// `count` rows of a fixed number of columns, one behind the other.
  mlir::Value matrix(mlir::Value buffer, mlir::Value count, int64_t columns);

  void fill(mlir::Value view, double value);
  void copy(mlir::Value from, mlir::Value to);
  /// `name` is the operation without its dialect: "vadd". `y` may be a scalar.
  void binary(llvm::StringRef name, mlir::Value x, mlir::Value y, mlir::Value to);
  void cast(mlir::Value from, mlir::Value to, mlir::hivm::RoundMode mode = mlir::hivm::RoundMode::RINT);
  /// to[i] = from[indices[i]]; indices are i32.
  void gather(mlir::Value from, mlir::Value indices, mlir::Value to);
  /// Rows of a flat GM buffer into rows of UB; lanes between them become 0.
  void load(mlir::Value from, mlir::Value to);
  void store(mlir::Value from, mlir::Value to);
  /// Reduces the rows of `from` to the only column of `to`.
  void reduceRows(mlir::Value from, mlir::Value to, Combine combine);

  /// Combines the periods of buffer[0 : count] into its first one, in a tree of halves, for all buffers side
  /// by side: operations that do not wait for each other share a barrier. Returns how many lanes hold
  /// results: min(count, period). There are at most `periods` of them, a value that should not change from
  /// tile to tile, and `most` bounds it.
  mlir::Value fold(mlir::ValueRange buffers, mlir::Value count, mlir::Value period, mlir::Value periods,
                   int64_t most, llvm::ArrayRef<Combine> combines);
  /// Repeats the first `period` elements of each buffer up to `count` elements, of at most `most` periods;
  /// with a `step`, each repetition is that much more than the one before.
  void unfold(mlir::ValueRange buffers, mlir::Value period, mlir::Value count, int64_t most,
              mlir::Value step = {});

  /// An accumulator of `lanes`, of which the first `count` are used, for `summands` summands a lane.
  Accumulator accumulator(int64_t lanes, mlir::Value count, mlir::Value summands, Combine combine);
  /// Adds the first `count` lanes of each of `values` to the lanes of its accumulator from `offset` on. All
  /// accumulators are for equally many summands; this is summand `position`, and `isLast` tells the last one.
  /// Of the accumulators, `width` lanes belong together and are folded into the total at a time.
  void accumulate(llvm::ArrayRef<Accumulator> accumulators, mlir::Value offset, mlir::Value count,
                  mlir::ValueRange values, mlir::Value position, mlir::Value isLast, mlir::Value width,
                  int64_t lanes);
  /// The totals of the first `count` lanes, in `acc.high`.
  mlir::Value total(const Accumulator &acc, mlir::Value count, int64_t lanes);

private:
  mlir::Value halvings(mlir::Value periods, int64_t most);

  mlir::OpBuilder &b;
  mlir::Location loc;
  Index index;
};

double neutralOf(Combine combine);
llvm::StringRef vectorNameOf(Combine combine);

} // namespace tilewright

#endif
