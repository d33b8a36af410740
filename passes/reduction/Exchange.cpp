//===- Exchange.cpp - partial results by way of the workspace -----------------===//
//
// The workspace, in f32 elements:
//   partial results  [reduction][core that shares the channels][workspace_row]
//   folded only      [core][region][lanes], a core's own: one region per reduction and per spread operand
//
// A row of partial results has one element a channel, or in the schedule "folded" one a lane, for the strided
// transfer out of the workspace is what separates segments that do not start on UB blocks. Rows are combined
// in the order of the cores, so results do not depend on timing.
//
//===----------------------------------------------------------------------------===//
#include "passes/reduction/Lowering.h"

using namespace mlir;

namespace tilewright {

/// Orders this core's stores before its loads.
void ReductionLowering::drain() {
  b.create<hivm::PipeBarrierOp>(loc, hivm::PipeAttr::get(b.getContext(), hivm::Pipe::All));
}

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

/// The totals of a pass, one a channel and reduction, in `results`.
void ReductionLowering::finish(ArrayRef<Accumulator> accumulators, ValueRange results,
                               ArrayRef<Combine> combines, unsigned reduction) {
  if (schedule.family != Schedule::Folded) {
    for (auto [acc, result] : llvm::zip(accumulators, results)) {
      if (schedule.isRows()) {
        Value total = ub.total(acc, index.mul(channels, kFoldLanes), limits.lanes);
        ub.reduceRows(ub.matrix(total, channels, kFoldLanes), ub.matrix(result, channels, 1), acc.combine);
      } else {
        Value total = ub.total(acc, channelLanes(), limits.lanes);
        ub.copy(ub.view(total, channelLanes()), ub.view(result, channelLanes()));
      }
    }
    return exchange(results, channel, channels, combines, reduction);
  }
  Value lanes = index.select(isMerged, lanePeriod, laneColumns);
  SmallVector<Value> totals;
  for (const Accumulator &acc : accumulators)
    totals.push_back(ub.total(acc, lanes, limits.lanes));
  Value first = index.mul(channel, parts[2].extent);
  exchange(totals, index.select(isMerged, index.constant(0), first), lanes, combines, reduction);

  // Merged rows lie side by side: out, and in again as rows of their own.
  auto merged = b.create<scf::IfOp>(loc, isMerged);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(merged.thenBlock());
    SmallVector<Value> regions;
    for (auto [position, total] : llvm::enumerate(totals)) {
      regions.push_back(privateRegion(reduction + position));
      ub.store(ub.view(total, lanes), gmLine(workspace, regions.back(), lanes));
    }
    drain();
    combineRows(regions, merge, laneColumns, laneColumns, totals, combines);
  }
  foldSegments(totals, results, combines, reduction);
}

/// Segments of R0 lanes to one value a channel.
void ReductionLowering::foldSegments(ValueRange totals, ValueRange results, ArrayRef<Combine> combines,
                                     unsigned reduction) {
  Value r0 = parts[2].extent, zero = index.constant(0), one = index.constant(1), pitch = pitchOf(r0);
  auto segmented = b.create<scf::IfOp>(loc, index.less(one, r0), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(segmented.elseBlock());
  for (auto [total, result] : llvm::zip(totals, results))
    ub.copy(ub.view(total, channels), ub.view(result, channels));
  b.setInsertionPointToStart(segmented.thenBlock());
  SmallVector<Value> regions;
  for (auto [position, total] : llvm::enumerate(totals)) {
    regions.push_back(privateRegion(reduction + position));
    ub.store(ub.view(total, laneColumns), gmLine(workspace, regions.back(), laneColumns));
  }
  drain();
  for (auto [region, result, combine] : llvm::zip(regions, results, combines)) {
    Value segments = ub.rows(ub.allocate(limits.capacity), zero, channels, r0, pitch);
    ub.load(gmRows(workspace, region, channels, r0, r0), segments);
    ub.reduceRows(segments, ub.matrix(result, channels, 1), combine);
  }
}

Value ReductionLowering::privateRegion(unsigned region) {
  unsigned reductions = 0, spreads = 0;
  for (NestProgram &item : programs) {
    if (item.nest.kind == NestKind::Reduction)
      reductions += item.nest.op.getNumDpsInits();
    if (item.nest.kind != NestKind::Channel)
      spreads += llvm::count(item.covers, Covers::Channel);
  }
  Value shared = index.mul(index.mul(splits, workspaceRow), reductions);
  Value regions = index.add(index.mul(core, reductions + spreads), index.constant(region));
  return index.add(shared, index.mul(regions, limits.lanes));
}

/// Each channel's value on all lanes of its segment, `merge` times, in the first period of each tile.
void ReductionLowering::spreadSegments(ValueRange values, ValueRange tiles) {
  Value r0 = parts[2].extent, zero = index.constant(0), one = index.constant(1), pitch = pitchOf(r0);
  unsigned reductions = 0;
  for (NestProgram &item : programs)
    if (item.nest.kind == NestKind::Reduction)
      reductions += item.nest.op.getNumDpsInits();
  SmallVector<Value> regions;
  for (size_t i = 0; i < values.size(); ++i)
    regions.push_back(privateRegion(reductions + nextSpread++));
  auto segmented = b.create<scf::IfOp>(loc, index.less(one, r0), /*withElseRegion=*/true);
  auto storeRuns = [&](function_ref<void(Value, Value, Value)> store) {
    auto loop = b.create<scf::ForOp>(loc, zero, merge, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value run = index.mul(loop.getInductionVar(), laneColumns);
    for (auto [value, tile, region] : llvm::zip(values, tiles, regions))
      store(value, tile, index.add(region, run));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(segmented.thenBlock());
    // The tiles themselves hold the padded segments meanwhile.
    for (auto [value, tile] : llvm::zip(values, tiles))
      b.create<hivm::VBrcOp>(loc, ub.matrix(value, channels, 1), ub.rows(tile, zero, channels, pitch, pitch),
                             ArrayRef<int64_t>{1});
    storeRuns([&](Value, Value tile, Value to) {
      ub.store(ub.rows(tile, zero, channels, r0, pitch), gmRows(workspace, to, channels, r0, r0));
    });
    b.setInsertionPointToStart(segmented.elseBlock());
    storeRuns([&](Value value, Value, Value to) {
      ub.store(ub.view(value, channels), gmLine(workspace, to, channels));
    });
  }
  drain();
  Value lanes = index.select(isMerged, lanePeriod, laneColumns);
  for (auto [tile, region] : llvm::zip(tiles, regions)) {
    ub.fill(ub.view(tile, lanePeriod), 0.0);
    b.create<hivm::LoadOp>(loc, gmLine(workspace, region, lanes), ub.view(tile, lanes));
  }
}

} // namespace tilewright
