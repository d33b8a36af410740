//===- Exchange.cpp - partial results by way of the workspace -----------------===//
//
// The workspace, in f32 elements: [reduction][core that shares the channels][workspace_row]
//
// A row of partial results has one element a channel. Rows are combined in the order of the cores, so results
// do not depend on timing.
//
//===----------------------------------------------------------------------------===//
#include "passes/reduction/Lowering.h"

using namespace mlir;

namespace tilewright {

int64_t exchangeTile(const Limits &limits, unsigned count) {
  int64_t share = limits.capacity / count / limits.rowGranule * limits.rowGranule;
  return std::max(limits.lanes, share);
}

/// Combines rows of the workspace, in their order, into the first `columns` elements of the values; row 0 of
/// value i starts at `offsets[i]`.
void ReductionLowering::combineRows(ValueRange offsets, Value rows, Value stride, Value columns,
                                    ValueRange values, ArrayRef<Combine> combines) {
  Value pitch = pitchOf(columns), one = index.constant(1);
  int64_t elements = exchangeTile(limits, combines.size());
  Value most = index.div(index.constant(elements), pitch);
  SmallVector<Accumulator> accumulators;
  for (Combine combine : combines)
    accumulators.push_back(ub.accumulator(limits.lanes, pitch, index.ceilDiv(rows, most), combine));
  auto loop = b.create<scf::ForOp>(loc, index.constant(0), rows, most);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), count = index.min(most, index.sub(rows, first));
  SmallVector<Value> tiles;
  for (Value offset : offsets) {
    tiles.push_back(ub.allocate(elements));
    ub.load(gmRows(workspace, index.add(offset, index.mul(first, stride)), count, columns, stride),
            ub.rows(tiles.back(), index.constant(0), count, columns, pitch));
  }
  Value length = index.add(index.mul(index.sub(count, one), pitch), columns);
  ub.fold(tiles, length, pitch, most, elements / 8, combines);
  Value isLast = index.less(index.sub(rows, one), index.add(first, most));
  ub.accumulate(accumulators, index.constant(0), columns, tiles, index.div(first, most), isLast, columns,
                limits.lanes);
  b.setInsertionPointAfter(loop);
  for (auto [acc, value] : llvm::zip(accumulators, values))
    ub.copy(ub.view(ub.total(acc, columns, limits.lanes), columns), ub.view(value, columns));
}

/// Combines the first `count` elements of each of the values on all cores that share the channels; on each
/// they are the part from `first` on of a row of partial results. Nothing to do where there is one core.
void ReductionLowering::exchange(ValueRange values, Value first, Value count, ArrayRef<Combine> combines,
                                 unsigned reduction) {
  auto several = b.create<scf::IfOp>(loc, index.less(index.constant(1), splits));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(several.thenBlock());
  SmallVector<Value> offsets;
  for (auto [position, value] : llvm::enumerate(values)) {
    Value row = index.mul(index.mul(index.constant(reduction + position), splits), workspaceRow);
    offsets.push_back(index.add(row, first));
    Value own = index.add(offsets.back(), index.mul(split, workspaceRow));
    ub.store(ub.view(value, count), gmLine(workspace, own, count));
  }
  // With PIPE_ALL every pipe drains before and the scalar pipe waits, so that later loads come after.
  MLIRContext *ctx = b.getContext();
  b.create<hivm::SyncBlockOp>(loc, hivm::SyncBlockModeAttr::get(ctx, hivm::SyncBlockMode::ALL_VECTOR),
                              b.getI16IntegerAttr(0), Value(), hivm::PipeAttr(),
                              hivm::PipeAttr::get(ctx, hivm::Pipe::All));
  combineRows(offsets, splits, workspaceRow, count, values, combines);
}

/// The totals of a pass, one a channel and reduction, in `results`. All cores took the same sample, if they
/// took one, so they have nothing to exchange then.
void ReductionLowering::finish(ArrayRef<Accumulator> accumulators, ValueRange results, const Nest &nest) {
  Value lanes = channelLanes();
  if (schedule.isRows())
    lanes = index.mul(channels, kFoldLanes);
  else if (schedule.family == Schedule::Folded)
    lanes = index.select(isMerged, lanePeriod, laneColumns);
  SmallVector<Value> totals;
  for (const Accumulator &acc : accumulators)
    totals.push_back(ub.total(acc, lanes, limits.lanes));
  switch (schedule.family) {
  case Schedule::Rows:
    for (auto [total, result, combine] : llvm::zip(totals, results, nest.combines))
      ub.reduceRows(ub.matrix(total, channels, kFoldLanes), ub.matrix(result, channels, 1), combine);
    break;
  case Schedule::Lanes:
    for (auto [total, result] : llvm::zip(totals, results))
      ub.copy(ub.view(total, lanes), ub.view(result, lanes));
    break;
  case Schedule::Folded:
    foldMerged(totals, nest.combines);
    foldSegments(totals, results, nest.combines);
    break;
  }
  if (nest.isSample())
    return;
  exchange(results, channel, channels, nest.combines, nextReduction);
  nextReduction += nest.combines.size();
}

} // namespace tilewright
