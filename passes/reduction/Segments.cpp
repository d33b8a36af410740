//===- Segments.cpp - segments of lanes that do not start on UB blocks ---------===//
//
// In the schedule "folded" a row of lanes is channels x R0, packed as in GM: the R0 lanes of a channel, its
// segment, start on any lane. Vector operations start on UB blocks (32 bytes), so segments are moved with
// VGATHER: to rows of their own before they are reduced, and from one value a channel to all its lanes. That
// is 5 lanes a cycle (timing model, section 3), for at most Limits::lanes of them, and no byte of GM.
//
//===----------------------------------------------------------------------------===//
#include "passes/reduction/Lowering.h"

using namespace mlir;

namespace tilewright {

/// 0, 1, 2, ... in f32, for every lane. The first block is scalar stores, so this is done once for a launch.
void ReductionLowering::numberLanes() {
  constexpr int64_t kBlock = 8;
  auto constant = [&](double value) { return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(value)); };
  laneNumbers = ub.allocate(limits.lanes);
  for (int64_t lane = 0; lane < kBlock; ++lane)
    b.create<memref::StoreOp>(loc, constant(lane), laneNumbers, index.constant(lane));
  ub.unfold({laneNumbers}, index.constant(kBlock), index.constant(limits.lanes), limits.lanes / kBlock,
            constant(kBlock));
}

/// Whole numbers in f32 as the i32 that VGATHER takes.
Value ReductionLowering::indicesOf(Value numbers, Value count) {
  int64_t elements = cast<MemRefType>(numbers.getType()).getDimSize(0);
  Value indices = ub.allocate(elements, b.getI32Type());
  ub.cast(ub.view(numbers, count), ub.view(indices, count), hivm::RoundMode::TRUNC);
  return indices;
}

/// numbers = numbers / divisor rounded down. Half a number more keeps the product of the rounded reciprocal
/// on the right side: numbers stay below 2^14, so its error is below 2^-9 of 1 / divisor.
void ReductionLowering::divideNumbers(Value numbers, Value count, Value divisor) {
  auto constant = [&](double value) { return b.create<arith::ConstantOp>(loc, b.getF32FloatAttr(value)); };
  Value lanes = ub.view(numbers, count);
  ub.binary("vadd", lanes, constant(0.5), lanes);
  ub.binary("vmul", lanes, b.create<arith::DivFOp>(loc, constant(1.0), index.toF32(divisor)), lanes);
  Value whole = ub.view(indicesOf(numbers, count), count);
  ub.cast(whole, lanes);
}

/// Rows of `columns` packed elements each: every one to a row of its own, on UB blocks. The lanes between two
/// rows are those that follow in the source, or its last.
SmallVector<Value> ReductionLowering::separateRows(ValueRange sources, Value rows, Value columns) {
  Value pitch = pitchOf(columns), one = index.constant(1);
  Value length = index.add(index.mul(index.sub(rows, one), pitch), columns);
  Value numbers = ub.allocate(limits.segments);
  ub.copy(ub.view(laneNumbers, pitch), ub.view(numbers, pitch));
  ub.unfold({numbers}, pitch, index.mul(rows, pitch), limits.segments / limits.rowGranule,
            index.toF32(columns));
  Value lanes = ub.view(numbers, length), packed = index.mul(rows, columns);
  ub.binary("vmin", lanes, index.toF32(index.sub(packed, one)), lanes);
  Value indices = ub.view(indicesOf(numbers, length), length);
  SmallVector<Value> separate;
  for (Value source : sources) {
    separate.push_back(ub.allocate(limits.segments));
    ub.gather(ub.view(source, packed), indices, ub.view(separate.back(), length));
  }
  return separate;
}

/// Merged rows lie side by side: combines them into the first row of lanes.
void ReductionLowering::foldMerged(ValueRange totals, ArrayRef<Combine> combines) {
  auto merged = b.create<scf::IfOp>(loc, isMerged);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(merged.thenBlock());
  SmallVector<Value> rows = separateRows(totals, merge, laneColumns);
  Value pitch = pitchOf(laneColumns);
  Value length = index.add(index.mul(index.sub(merge, index.constant(1)), pitch), laneColumns);
  ub.fold(rows, length, pitch, merge, limits.segments / limits.rowGranule, combines);
  for (auto [row, total] : llvm::zip(rows, totals))
    ub.copy(ub.view(row, laneColumns), ub.view(total, laneColumns));
}

/// Segments of R0 lanes to one value a channel.
void ReductionLowering::foldSegments(ValueRange totals, ValueRange results, ArrayRef<Combine> combines) {
  Value r0 = parts[2].extent, zero = index.constant(0);
  auto segmented = b.create<scf::IfOp>(loc, index.less(index.constant(1), r0), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(segmented.elseBlock());
  for (auto [total, result] : llvm::zip(totals, results))
    ub.copy(ub.view(total, channels), ub.view(result, channels));
  b.setInsertionPointToStart(segmented.thenBlock());
  SmallVector<Value> segments = separateRows(totals, channels, r0);
  for (auto [segment, result, combine] : llvm::zip(segments, results, combines))
    ub.reduceRows(ub.rows(segment, zero, channels, r0, pitchOf(r0)), ub.matrix(result, channels, 1), combine);
}

/// The channel that every lane belongs to; rows of lanes that were merged repeat the channels.
void ReductionLowering::findChannels() {
  Value lanes = index.select(isMerged, lanePeriod, laneColumns), numbers = ub.allocate(limits.lanes);
  Value segment = ub.view(numbers, lanes);
  ub.copy(ub.view(laneNumbers, lanes), segment);
  divideNumbers(numbers, lanes, parts[2].extent);
  auto merged = b.create<scf::IfOp>(loc, isMerged);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(merged.thenBlock());
    Value rows = ub.allocate(limits.lanes), row = ub.view(rows, lanes);
    ub.copy(segment, row);
    divideNumbers(rows, lanes, channels);
    ub.binary("vmul", row, index.toF32(channels), row);
    ub.binary("vsub", segment, row, segment);
  }
  laneChannels = ub.view(indicesOf(numbers, lanes), lanes);
}

/// Each channel's value on all lanes of its segment, `merge` times, in the first period of each tile.
void ReductionLowering::spreadSegments(ValueRange values, ValueRange tiles) {
  Value lanes = index.select(isMerged, lanePeriod, laneColumns);
  for (auto [value, tile] : llvm::zip(values, tiles)) {
    ub.fill(ub.view(tile, lanePeriod), 0.0);
    // The library reads a source of one element with the scalar unit, once a lane.
    ub.gather(value, laneChannels, ub.view(tile, lanes));
  }
}

} // namespace tilewright
