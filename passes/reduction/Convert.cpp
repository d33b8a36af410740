//===- Convert.cpp - tw-convert-to-hivm of kernels with reductions ------------===//
#include "passes/reduction/Lowering.h"

#include "passes/KernelAbi.h"
#include "passes/KernelArguments.h"

#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;

namespace tilewright {

LogicalResult convertReduction(func::FuncOp func) {
  auto plan = func->getAttrOfType<DictionaryAttr>(tw::kPlanAttrName);
  if (!plan)
    return func.emitError("no tw.plan: run tw-tile-to-ub first");
  if (!plan.getAs<StringAttr>("schedule") || !findArgument(func, "tiling:workspace"))
    return func.emitError("tw.plan and the arguments are not those of a kernel with reductions: run "
                          "tw-tile-to-ub on it");
  auto number = [&](StringRef name) { return cast<IntegerAttr>(plan.get(name)).getInt(); };
  auto schedule = Schedule::parse(cast<StringAttr>(plan.get("schedule")).getValue());
  Limits limits{number("capacity"), number("max_rows"), number("max_columns"), number("group"),
                number("lanes"),    number("resident"), number("row_granule"), number("segments")};
  FailureOr<SmallVector<NestProgram, 0>> programs = buildPrograms(func, *schedule);
  if (failed(programs))
    return failure();
  return ReductionLowering(func, *programs, *schedule, limits).run();
}

LogicalResult ReductionLowering::run() {
  for (BlockArgument argument : kernel.getArguments())
    if (isa<TensorType>(argument.getType()))
      destinations.push_back(argument);
  destinations.erase(destinations.begin(), destinations.end() - kernel.getNumResults());

  func::FuncOp result = createTritonKernel(b, kernel, mapping, core);
  for (Operation &op : kernel.front())
    if (isa<arith::ArithDialect>(op.getDialect()))
      b.clone(op, mapping);
  readNumbers(core);
  Value bytes = result.getArgument(1), elements = number("workspace");
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getF32Type());
  workspace = b.create<memref::ViewOp>(loc, type, bytes, index.constant(0), ValueRange{elements});
  readUniforms();
  if (schedule.family == Schedule::Folded)
    numberLanes();

  auto groups = b.create<scf::ForOp>(loc, index.constant(0), parts[1].size, groupSize);
  groups->setAttr(kGroupsAttr, b.getUnitAttr());
  b.setInsertionPointToStart(groups.getBody());
  channel = index.add(parts[1].offset, groups.getInductionVar());
  channels = index.min(groupSize, index.sub(parts[1].size, groups.getInductionVar()));
  emitGroup();
  b.setInsertionPointAfter(groups);
  b.create<func::ReturnOp>(loc);
  kernel.erase();
  result->walk([](scf::ForOp loop) { moveLoopInvariantCode(loop); });
  eraseDeadOps(result);
  return success();
}

Value ReductionLowering::number(const Twine &name) {
  BlockArgument argument = findArgument(kernel, ("tiling:" + name).str());
  return b.create<arith::IndexCastOp>(loc, b.getIndexType(), mapping.lookup(argument));
}

/// Units are shared out evenly: the first `big` cores along the axis have one more.
ReductionLowering::Part ReductionLowering::partOf(unsigned axis, Value position) {
  StringRef name = kAxisNames[axis];
  Value extent = b.create<arith::IndexCastOp>(
      loc, b.getIndexType(), mapping.lookup(findArgument(kernel, ("extent:" + Twine(axis)).str())));
  Value base = number(name + "_base"), big = number(name + "_big"), unit = number(name + "_unit");
  Value first = index.add(index.mul(position, base), index.min(position, big));
  Value one = index.select(index.less(position, big), index.constant(1), index.constant(0));
  Value offset = index.mul(first, unit);
  Value size = index.min(index.mul(index.add(base, one), unit), index.sub(extent, offset));
  return {extent, offset, size};
}

void ReductionLowering::readNumbers(Value core) {
  Value cores1 = number("r1_cores"), cores0 = number("r0_cores");
  splits = index.mul(cores1, cores0);
  split = index.rem(core, splits);
  parts[0] = partOf(0, index.div(split, cores0));
  parts[1] = partOf(1, index.div(core, splits));
  parts[2] = partOf(2, index.rem(split, cores0));
  isOwner = index.equal(split, index.constant(0));
  groupSize = number("group");
  tileRows = number("tile_rows");
  tileColumns = number("tile_cols");
  merge = number("merge");
  isMerged = index.less(index.constant(1), merge);
  workspaceRow = number("workspace_row");
}

void ReductionLowering::readUniforms() {
  for (NestProgram &item : programs)
    for (auto [input, covers] : llvm::zip(item.nest.op.getDpsInputs(), item.covers))
      if (covers == Covers::One && !uniforms.count(input))
        uniforms[input] = b.create<memref::LoadOp>(loc, gm(argumentOf(input)), index.constant(0)).getResult();
}

void ReductionLowering::emitGroup() {
  laneColumns = index.mul(channels, parts[2].extent);
  lanePeriod = index.select(isMerged, index.mul(merge, laneColumns), pitchOf(laneColumns));
  loadChannelInputs();
  if (schedule.residentCopies)
    loadResident();
  // While the first data is on its way.
  if (schedule.family == Schedule::Folded)
    findChannels();
  for (NestProgram &item : programs) {
    switch (item.nest.kind) {
    case NestKind::Channel:
      emitChannelNest(item);
      break;
    case NestKind::Reduction:
      emitReductionNest(item);
      break;
    case NestKind::Elementwise:
      emitElementwiseNest(item);
      break;
    }
  }
}

Value ReductionLowering::gmLine(Value base, Value offset, Value count) {
  auto type = MemRefType::get({ShapedType::kDynamic}, getElementTypeOrSelf(base.getType()),
                              StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1}));
  return b.create<memref::ReinterpretCastOp>(loc, type, base, OpFoldResult(offset),
                                             ArrayRef<OpFoldResult>{count},
                                             ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value ReductionLowering::gmRows(Value base, Value offset, Value rows, Value columns, Value stride) {
  return ub.rows(base, offset, rows, columns, stride);
}

GmView ReductionLowering::viewOf(Value base, const Tile &tile) {
  Value zero = index.constant(0), one = index.constant(1);
  return {base, {tile.offset, zero, zero}, {one, tile.rows, tile.columns}, {one, tile.stride, one}};
}

Value ReductionLowering::lengthOf(const Tile &tile) {
  Value before = index.mul(index.sub(tile.rows, index.constant(1)), pitchOf(tile.columns));
  return index.add(before, tile.columns);
}

/// How many elements of a per-channel buffer take part in vector operations: whole UB blocks where the lanes
/// of a row are the channels, because rows are padded too.
Value ReductionLowering::channelLanes() {
  return schedule.family == Schedule::Lanes ? pitchOf(channels) : channels;
}

void ReductionLowering::loadChannelInputs() {
  for (NestProgram &item : programs)
    for (auto [input, covers] : llvm::zip(item.nest.op.getDpsInputs(), item.covers)) {
      BlockArgument argument = argumentOf(input);
      if (covers != Covers::Channel || !argument || vectors.count(input))
        continue;
      Value buffer = ub.allocate(limits.group), line = gmLine(gm(argument), channel, channels);
      if (schedule.family == Schedule::Lanes)
        ub.fill(buffer, 0.0);
      Type type = getElementTypeOrSelf(input.getType());
      if (type.isF32()) {
        b.create<hivm::LoadOp>(loc, line, ub.view(buffer, channels));
      } else {
        Value half = ub.allocate(limits.group, type);
        b.create<hivm::LoadOp>(loc, line, ub.view(half, channels));
        ub.cast(ub.view(half, channels), ub.view(buffer, channels));
      }
      vectors[input] = buffer;
    }
}

/// Visits the tiles of the group in one loop, so that two buffers alternate from tile to tile.
void ReductionLowering::forEachTile(function_ref<void(const Tile &)> body) {
  Value zero = index.constant(0), one = index.constant(1), a = parts[1].extent, r0 = parts[2].extent;
  Value rowTiles = index.ceilDiv(parts[0].size, tileRows), columnTiles = one, count = rowTiles;
  if (schedule.isRows()) {
    columnTiles = index.ceilDiv(parts[2].size, tileColumns);
    count = index.mul(channels, index.mul(rowTiles, columnTiles));
  }
  auto loop = b.create<scf::ForOp>(loc, zero, count, one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Tile tile{loop.getInductionVar(), zero, {}, zero, {}, {}, {}, {}};
  Value rowTile = tile.number, stride = index.mul(a, r0), first = channel;
  if (schedule.isRows()) {
    Value perChannel = index.mul(rowTiles, columnTiles);
    tile.channel = index.div(tile.number, perChannel);
    Value inChannel = index.rem(tile.number, perChannel);
    tile.column = index.mul(index.div(inChannel, rowTiles), tileColumns);
    rowTile = index.rem(inChannel, rowTiles);
    first = index.add(channel, tile.channel);
  }
  tile.row = index.mul(rowTile, tileRows);
  Value rows = index.min(tileRows, index.sub(parts[0].size, tile.row));
  Value line = index.add(index.mul(index.add(parts[0].offset, tile.row), a), first);
  tile.offset = index.mul(line, r0);
  tile.stride = stride;
  tile.rows = rows;
  if (schedule.isRows()) {
    tile.columns = index.min(tileColumns, index.sub(parts[2].size, tile.column));
    tile.offset = index.add(tile.offset, index.add(parts[2].offset, tile.column));
  } else if (schedule.family == Schedule::Folded) {
    // Merged rows are one run of memory.
    tile.rows = index.select(isMerged, one, rows);
    tile.columns = index.select(isMerged, index.mul(rows, laneColumns), laneColumns);
  } else {
    tile.columns = laneColumns;
  }
  body(tile);
}

/// Every tile of a resident input has a place of the largest tile's size.
Value ReductionLowering::residentOffset(const Tile &tile) {
  Value size;
  if (schedule.isRows())
    size = index.mul(tileRows, pitchOf(tileColumns));
  else
    size = index.select(isMerged, pitchOf(index.mul(tileRows, laneColumns)),
                        index.mul(tileRows, pitchOf(laneColumns)));
  return index.mul(tile.number, size);
}

void ReductionLowering::loadResident() {
  SmallVector<BlockArgument> inputs = fullInputs(programs);
  for (BlockArgument input : inputs) {
    resident[input] = ub.allocate(limits.resident, getElementTypeOrSelf(input.getType()));
    if (schedule.residentCopies > 1)
      b.create<annotation::MarkOp>(
          loc, resident[input],
          b.getNamedAttr("hivm.multi_buffer", b.getI32IntegerAttr(schedule.residentCopies)));
  }
  forEachTile([&](const Tile &tile) {
    Value offset = residentOffset(tile), pitch = pitchOf(tile.columns);
    for (BlockArgument input : inputs)
      ub.load(gmRows(gm(input), tile.offset, tile.rows, tile.columns, tile.stride),
              ub.rows(resident[input], offset, tile.rows, tile.columns, pitch));
  });
}

/// The kernel's results that are result `result` of `nest`.
SmallVector<BlockArgument> ReductionLowering::destinationsOf(linalg::GenericOp nest, unsigned result) {
  SmallVector<BlockArgument> found;
  auto results = cast<func::ReturnOp>(kernel.front().getTerminator()).getOperands();
  for (auto [position, value] : llvm::enumerate(results))
    if (value == nest.getResult(result))
      found.push_back(destinations[position]);
  return found;
}

void ReductionLowering::storeChannels(linalg::GenericOp nest, unsigned result, Value buffer) {
  SmallVector<BlockArgument> own = destinationsOf(nest, result);
  if (own.empty())
    return;
  auto owner = b.create<scf::IfOp>(loc, isOwner);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(owner.thenBlock());
  for (BlockArgument destination : own)
    ub.store(ub.view(buffer, channels), gmLine(gm(destination), channel, channels));
}

void ReductionLowering::emitChannelNest(NestProgram &item) {
  TileEmitter emitter(item.program, {limits.group, 1, limits.group, limits.rowGranule});
  for (auto [position, input] : llvm::enumerate(item.nest.op.getDpsInputs())) {
    if (item.covers[position] == Covers::One)
      emitter.provideScalar(position, uniforms.lookup(input));
    else
      emitter.provide(position, vectors.lookup(input));
  }
  SmallVector<Value> results = emitter.evaluate(b, item.body, {{}, channelLanes()}, mapping);
  for (auto [position, buffer] : llvm::enumerate(results)) {
    vectors[item.nest.op.getResult(position)] = buffer;
    storeChannels(item.nest.op, position, buffer);
  }
}

/// Per-channel operands of a pass, spread over a whole tile; null where they are scalars.
SmallVector<Value> ReductionLowering::spreadChannels(const NestProgram &item) {
  linalg::GenericOp op = item.nest.op;
  SmallVector<Value> spreads(item.covers.size());
  if (schedule.isRows())
    return spreads;
  Value rows = index.min(tileRows, parts[0].size);
  Value count = index.mul(rows, pitchOf(laneColumns));
  if (schedule.family == Schedule::Folded)
    count = index.select(isMerged, index.mul(rows, laneColumns), count);
  Value lines = index.min(lanePeriod, count);
  SmallVector<Value> values, tiles;
  for (auto [position, input] : llvm::enumerate(op.getDpsInputs())) {
    if (item.covers[position] != Covers::Channel)
      continue;
    values.push_back(vectors.lookup(input));
    tiles.push_back(spreads[position] = ub.allocate(limits.capacity));
  }
  if (values.empty())
    return spreads;
  if (schedule.family == Schedule::Folded)
    spreadSegments(values, tiles);
  else
    for (auto [value, tile] : llvm::zip(values, tiles))
      ub.copy(ub.view(value, lanePeriod), ub.view(tile, lanePeriod));
  ub.unfold(tiles, lines, count, limits.capacity / limits.rowGranule);
  return spreads;
}

void ReductionLowering::provideInputs(TileEmitter &emitter, const NestProgram &item, const Tile &tile,
                                      ArrayRef<Value> spreads) {
  linalg::GenericOp op = item.nest.op;
  TileShape shape{tile.rows, tile.columns};
  for (auto [position, input] : llvm::enumerate(op.getDpsInputs())) {
    Value one = index.constant(1);
    switch (item.covers[position]) {
    case Covers::All:
      if (Value buffer = item.nest.isSample() ? Value() : resident.lookup(input)) {
        Value length = index.mul(tile.rows, pitchOf(tile.columns));
        emitter.provide(position, ub.view(buffer, residentOffset(tile), length));
      } else {
        emitter.load(b, loc, position, viewOf(gm(argumentOf(input)), tile), shape);
      }
      break;
    case Covers::Channel:
      if (spreads[position])
        emitter.provide(position, spreads[position]);
      else
        emitter.provideScalar(position, b.create<memref::LoadOp>(loc, vectors.lookup(input), tile.channel));
      break;
    case Covers::Inner: {
      Value offset = index.add(parts[2].offset, tile.column);
      emitter.load(b, loc, position, {gm(argumentOf(input)), {offset}, {tile.columns}, {one}}, shape);
      break;
    }
    case Covers::Outer: {
      Value offset = index.add(parts[0].offset, tile.row);
      emitter.load(b, loc, position, {gm(argumentOf(input)), {offset}, {tile.rows}, {one}}, shape);
      break;
    }
    case Covers::One:
      emitter.provideScalar(position, uniforms.lookup(input));
      break;
    }
  }
}

/// What the body yields for a tile; results of every axis are stored.
SmallVector<Value> ReductionLowering::evaluateTile(TileEmitter &emitter, NestProgram &item,
                                                   const Tile &tile) {
  TileShape shape{tile.rows, tile.columns};
  SmallVector<Value> results = emitter.evaluate(b, item.body, shape, mapping);
  for (auto [position, buffer] : llvm::enumerate(results))
    if (item.nest.isFull(position))
      for (BlockArgument destination : destinationsOf(item.nest.op, position))
        emitter.store(b, loc, buffer, viewOf(gm(destination), tile), shape);
  return results;
}

void ReductionLowering::emitReductionNest(NestProgram &item) {
  SmallVector<Accumulator> accumulators;
  Value lanes = lanePeriod, perLane = index.ceilDiv(parts[0].size, tileRows);
  if (schedule.isRows()) {
    lanes = index.mul(channels, kFoldLanes);
    perLane = index.mul(perLane, index.ceilDiv(parts[2].size, tileColumns));
  }
  Value rows = tileRows;
  if (item.nest.isSample()) {
    perLane = index.constant(1);
    rows = sampleRows();
  }
  for (Combine combine : item.nest.combines)
    accumulators.push_back(ub.accumulator(limits.lanes, lanes, perLane, combine));
  SmallVector<Value> spreads = spreadChannels(item);
  auto addTile = [&](const Tile &tile) {
    TileEmitter emitter(item.program,
                        {limits.capacity, limits.maxRows, limits.maxColumns, limits.rowGranule});
    provideInputs(emitter, item, tile, spreads);
    ArrayRef<Combine> combines = item.nest.combines;
    SmallVector<Value> summands = evaluateTile(emitter, item, tile);
    summands.truncate(combines.size());
    Value one = index.constant(1);
    if (schedule.isRows()) {
      Value width = index.constant(kFoldLanes);
      ub.fold(summands, lengthOf(tile), pitchOf(tile.columns), rows, limits.maxRows, combines);
      Value lanes = ub.fold(summands, tile.columns, width, index.ceilDiv(tileColumns, width),
                            limits.capacity / kFoldLanes, combines);
      Value position = index.rem(tile.number, perLane);
      ub.accumulate(accumulators, index.mul(tile.channel, kFoldLanes), lanes, summands, position,
                    index.equal(position, index.sub(perLane, one)), width, kFoldLanes);
    } else {
      Value lanes = ub.fold(summands, lengthOf(tile), lanePeriod, index.ceilDiv(rows, merge),
                            limits.capacity / 8, combines);
      Value valid = index.select(isMerged, lanes, laneColumns);
      ub.accumulate(accumulators, index.constant(0), valid, summands, tile.number,
                    index.equal(tile.number, index.sub(perLane, one)), lanePeriod, limits.lanes);
    }
  };
  if (item.nest.isSample())
    forEachSample(addTile);
  else
    forEachTile(addTile);
  SmallVector<Value> results;
  for (size_t i = 0; i < accumulators.size(); ++i)
    results.push_back(ub.allocate(limits.group));
  finish(accumulators, results, item.nest);
  if (item.nest.isSample())
    for (Value result : results)
      ub.binary("vmul", ub.view(result, channelLanes()), sampleScale(), ub.view(result, channelLanes()));
  for (auto [position, result] : llvm::enumerate(results)) {
    vectors[item.nest.op.getResult(position)] = result;
    storeChannels(item.nest.op, position, result);
  }
}

void ReductionLowering::emitElementwiseNest(NestProgram &item) {
  SmallVector<Value> spreads = spreadChannels(item);
  forEachTile([&](const Tile &tile) {
    TileEmitter emitter(item.program,
                        {limits.capacity, limits.maxRows, limits.maxColumns, limits.rowGranule});
    provideInputs(emitter, item, tile, spreads);
    evaluateTile(emitter, item, tile);
  });
}

} // namespace tilewright
