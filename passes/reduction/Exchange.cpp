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

/// Lanes of each channel to one value.
void ReductionLowering::finishRows(const Accumulator &acc, Value result) {
  Value total = ub.total(acc, index.mul(channels, kFoldLanes), limits.lanes);
  ub.reduceRows(ub.matrix(total, channels, kFoldLanes), ub.matrix(result, channels, 1), acc.combine);
}

/// Orders the stores before it and the loads after it, between the cores if several share channels.
void ReductionLowering::synchronise(bool alsoAlone) {
  Value shared = index.less(index.constant(1), splits);
  auto several = b.create<scf::IfOp>(loc, shared, alsoAlone);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(several.thenBlock());
  MLIRContext *ctx = b.getContext();
  // With PIPE_ALL every pipe drains before and the scalar pipe waits, so that later loads come after.
  b.create<hivm::SyncBlockOp>(loc, hivm::SyncBlockModeAttr::get(ctx, hivm::SyncBlockMode::ALL_VECTOR),
                              b.getI16IntegerAttr(0), Value(), hivm::PipeAttr(),
                              hivm::PipeAttr::get(ctx, hivm::Pipe::All));
  if (alsoAlone) {
    b.setInsertionPointToStart(several.elseBlock());
    b.create<hivm::PipeBarrierOp>(loc, hivm::PipeAttr::get(ctx, hivm::Pipe::All));
  }
}

Accumulator ReductionLowering::reduceWorkspaceRows(Value offset, Value rows, Value stride, Value columns,
                                                   Combine combine) {
  Value pitch = pitchOf(columns), one = index.constant(1);
  Value most = index.div(index.constant(limits.capacity), pitch);
  Accumulator acc = ub.accumulator(limits.lanes, pitch, index.ceilDiv(rows, most), combine);
  auto loop = b.create<scf::ForOp>(loc, index.constant(0), rows, most);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value first = loop.getInductionVar(), count = index.min(most, index.sub(rows, first));
  Value tile = ub.allocate(limits.capacity);
  Value from = index.add(offset, index.mul(first, stride));
  ub.load(gmRows(workspace, from, count, columns, stride),
          ub.rows(tile, index.constant(0), count, columns, pitch));
  Value length = index.add(index.mul(index.sub(count, one), pitch), columns);
  ub.fold(tile, length, pitch, most, limits.capacity / 8, combine);
  Value isLast = index.less(index.sub(rows, index.constant(1)), index.add(first, most));
  ub.accumulate(acc, index.constant(0), columns, tile, index.div(first, most), isLast, columns, limits.lanes);
  return acc;
}

/// One value a channel from each core that shares the channels; nothing to do where there is one core.
void ReductionLowering::exchangeChannels(Value result, Combine combine, unsigned reduction) {
  auto several = b.create<scf::IfOp>(loc, index.less(index.constant(1), splits));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(several.thenBlock());
  Value base = index.add(index.mul(index.mul(index.constant(reduction), splits), workspaceRow), channel);
  Value own = index.add(base, index.mul(split, workspaceRow));
  ub.store(ub.view(result, channels), gmLine(workspace, own, channels));
  synchronise(/*alsoAlone=*/false);
  Accumulator acc = reduceWorkspaceRows(base, splits, workspaceRow, channels, combine);
  Value total = ub.total(acc, channels, limits.lanes);
  ub.copy(ub.view(total, channels), ub.view(result, channels));
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

void ReductionLowering::finishLanes(const Accumulator &acc, Value result, unsigned reduction) {
  if (schedule.family == Schedule::Lanes) {
    Value lanes = channelLanes();
    Value total = ub.total(acc, lanes, limits.lanes);
    ub.copy(ub.view(total, lanes), ub.view(result, lanes));
    exchangeChannels(result, acc.combine, reduction);
    return;
  }
  // A row of lanes has `merge` runs of the group's columns, and each split has one.
  Value lanes = index.select(isMerged, lanePeriod, laneColumns);
  Value total = ub.total(acc, lanes, limits.lanes);
  Value base = index.mul(index.mul(index.constant(reduction), splits), workspaceRow);
  base = index.add(base, index.mul(channel, parts[2].extent));
  Value own = index.add(base, index.mul(split, workspaceRow));
  ub.store(ub.view(total, lanes), gmLine(workspace, own, lanes));
  synchronise(/*alsoAlone=*/true);
  Value rows = index.mul(splits, merge);
  Value stride = index.mul(parts[1].extent, parts[2].extent);
  Accumulator sums = reduceWorkspaceRows(base, rows, stride, laneColumns, acc.combine);
  foldSegments(ub.total(sums, laneColumns, limits.lanes), result, acc.combine, reduction);
}

/// Segments of R0 lanes to one value a channel.
void ReductionLowering::foldSegments(Value lanes, Value result, Combine combine, unsigned reduction) {
  Value r0 = parts[2].extent, zero = index.constant(0), one = index.constant(1);
  auto segmented = b.create<scf::IfOp>(loc, index.less(one, r0), /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(segmented.elseBlock());
  ub.copy(ub.view(lanes, channels), ub.view(result, channels));
  b.setInsertionPointToStart(segmented.thenBlock());
  Value region = privateRegion(reduction), pitch = pitchOf(r0);
  ub.store(ub.view(lanes, laneColumns), gmLine(workspace, region, laneColumns));
  b.create<hivm::PipeBarrierOp>(loc, hivm::PipeAttr::get(b.getContext(), hivm::Pipe::All));
  Value tile = ub.allocate(limits.capacity);
  Value segments = ub.rows(tile, zero, channels, r0, pitch);
  ub.load(gmRows(workspace, region, channels, r0, r0), segments);
  ub.reduceRows(segments, ub.matrix(result, channels, 1), combine);
}

/// Each channel's value on all lanes of its segment, `merge` times, in the first period of `tile`.
void ReductionLowering::spreadSegments(Value values, Value tile, unsigned spread) {
  Value r0 = parts[2].extent, zero = index.constant(0), one = index.constant(1), pitch = pitchOf(r0);
  unsigned reductions = 0;
  for (NestProgram &item : programs)
    if (item.nest.kind == NestKind::Reduction)
      reductions += item.nest.op.getNumDpsInits();
  Value region = privateRegion(reductions + spread);
  auto segmented = b.create<scf::IfOp>(loc, index.less(one, r0), /*withElseRegion=*/true);
  auto storeRuns = [&](Value view, function_ref<Value(Value)> to) {
    auto loop = b.create<scf::ForOp>(loc, zero, merge, one);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ub.store(view, to(index.add(region, index.mul(loop.getInductionVar(), laneColumns))));
  };
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(segmented.thenBlock());
    Value padded = ub.allocate(limits.capacity);
    b.create<hivm::VBrcOp>(loc, ub.matrix(values, channels, 1), ub.rows(padded, zero, channels, pitch, pitch),
                           ArrayRef<int64_t>{1});
    storeRuns(ub.rows(padded, zero, channels, r0, pitch),
              [&](Value to) { return gmRows(workspace, to, channels, r0, r0); });
    b.setInsertionPointToStart(segmented.elseBlock());
    storeRuns(ub.view(values, channels), [&](Value to) { return gmLine(workspace, to, channels); });
  }
  b.create<hivm::PipeBarrierOp>(loc, hivm::PipeAttr::get(b.getContext(), hivm::Pipe::All));
  Value lanes = index.select(isMerged, lanePeriod, laneColumns);
  ub.fill(ub.view(tile, lanePeriod), 0.0);
  b.create<hivm::LoadOp>(loc, gmLine(workspace, region, lanes), ub.view(tile, lanes));
}

} // namespace tilewright
