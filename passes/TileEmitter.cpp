//===- TileEmitter.cpp - HIVM operations of one tile --------------------------===//
#include "passes/TileEmitter.h"

#include "passes/KernelArguments.h"
#include "passes/Passes.h"

using namespace mlir;

namespace tilewright {
namespace {

/// A vector operation `name ins(sources) outs(destination)`.
Operation *createVector(OpBuilder &builder, Location loc, StringRef name, ValueRange sources,
                        Value destination) {
  OperationState state(loc, name);
  state.addOperands(sources);
  state.addOperands(destination);
  int32_t count = sources.size();
  state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr({count, 1, 0}));
  return builder.create(state);
}

Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return builder.create<arith::ConstantIndexOp>(loc, value);
}

Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  return builder.create<arith::ConstantOp>(loc, builder.getZeroAttr(type));
}

} // namespace

Value TileEmitter::allocate(OpBuilder &builder, Location loc, Type type, int64_t elements) {
  return builder.create<memref::AllocOp>(loc, MemRefType::get({elements}, type));
}

Value TileEmitter::flat(OpBuilder &builder, Location loc, Value buffer, Value count) {
  return builder.create<memref::SubViewOp>(loc, buffer, ArrayRef<OpFoldResult>{builder.getIndexAttr(0)},
                                           ArrayRef<OpFoldResult>{count},
                                           ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
}

Value TileEmitter::strided(OpBuilder &builder, Location loc, Value buffer, Value rows, Value columns,
                           Value pitch) {
  auto bufferType = cast<MemRefType>(buffer.getType());
  auto fold = [](Value v) { return getAsOpFoldResult(v); };
  SmallVector<OpFoldResult> sizes{fold(rows), fold(columns)};
  SmallVector<OpFoldResult> strides{fold(pitch), builder.getIndexAttr(1)};
  SmallVector<int64_t> shape, stride;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  dispatchIndexOpFoldResults(strides, dynamic, stride);
  auto type = MemRefType::get(shape, bufferType.getElementType(),
                              StridedLayoutAttr::get(builder.getContext(), 0, stride));
  return builder.create<memref::ReinterpretCastOp>(loc, type, buffer, OpFoldResult(builder.getIndexAttr(0)),
                                                   sizes, strides);
}

/// Columns rounded up so that each row starts on a UB block.
Value TileEmitter::pitchOf(OpBuilder &builder, Location loc, Value columns) {
  Value granule = constantIndex(builder, loc, capacity.rowGranule);
  Value up =
      builder.create<arith::AddIOp>(loc, columns, constantIndex(builder, loc, capacity.rowGranule - 1));
  return builder.create<arith::MulIOp>(loc, builder.create<arith::DivSIOp>(loc, up, granule), granule);
}

/// The last `rank` axes of a box as a strided view of the flat buffer; earlier axes have one index each.
Value TileEmitter::gmTile(OpBuilder &builder, Location loc, const GmView &view, unsigned rank) {
  Value offset;
  for (auto [position, stride] : llvm::zip(view.offsets, view.strides)) {
    Value term = builder.create<arith::MulIOp>(loc, position, stride);
    offset = offset ? builder.create<arith::AddIOp>(loc, offset, term).getResult() : term;
  }
  if (rank == 0)
    return offset ? offset : constantIndex(builder, loc, 0);
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<int64_t> strideTypes(rank, ShapedType::kDynamic);
  for (Value size : ArrayRef(view.sizes).take_back(rank))
    sizes.push_back(size);
  for (Value stride : ArrayRef(view.strides).take_back(rank))
    strides.push_back(stride);
  strides.back() = builder.getIndexAttr(1);
  strideTypes.back() = 1;
  auto type = MemRefType::get(
      SmallVector<int64_t>(rank, ShapedType::kDynamic), getElementTypeOrSelf(view.base.getType()),
      StridedLayoutAttr::get(builder.getContext(), ShapedType::kDynamic, strideTypes));
  return builder.create<memref::ReinterpretCastOp>(loc, type, view.base, OpFoldResult(offset), sizes,
                                                   strides);
}

/// A row's transfer fills up to the next 32 bytes of its own type. Where a narrower type sets the pitch,
/// lanes between are written once here, so that no instruction reads UB that nobody wrote.
void TileEmitter::fillPadding(OpBuilder &builder, Location loc, Type type, Value view) {
  if (type.getIntOrFloatBitWidth() * capacity.rowGranule > kUbBlockBytes * 8)
    builder.create<hivm::VBrcOp>(loc, zeroOf(builder, loc, type), view);
}

static void padWithZero(OpBuilder &builder, Location loc, hivm::LoadOp load, Type type) {
  load.setPadModeAttr(hivm::PadModeAttr::get(builder.getContext(), hivm::PadMode::PadValue));
  load.getPadValueMutable().assign(zeroOf(builder, loc, type));
}

void TileEmitter::load(OpBuilder &builder, Location loc, unsigned index, const GmView &view,
                       TileShape shape) {
  const ProgramInput &input = program.inputs[index];
  if (input.spread != Spread::Full)
    return loadLine(builder, loc, index, view, shape);
  Value buffer = allocate(builder, loc, input.type, capacity.elements);
  inputBuffers[index] = buffer;
  if (!program.twoDimensional) {
    builder.create<hivm::LoadOp>(loc, gmTile(builder, loc, view, 1),
                                 flat(builder, loc, buffer, shape.columns));
    return;
  }
  Value pitch = pitchOf(builder, loc, shape.columns);
  Value count = builder.create<arith::MulIOp>(loc, shape.rows, pitch);
  fillPadding(builder, loc, input.type, flat(builder, loc, buffer, count));
  auto transfer = builder.create<hivm::LoadOp>(
      loc, gmTile(builder, loc, view, 2), strided(builder, loc, buffer, shape.rows, shape.columns, pitch));
  padWithZero(builder, loc, transfer, input.type);
}

/// One row (or column) in, extended if it is half data, then spread over a tile of `shape`.
void TileEmitter::loadLine(OpBuilder &builder, Location loc, unsigned index, const GmView &view,
                           TileShape shape) {
  const ProgramInput &input = program.inputs[index];
  bool isRow = input.spread == Spread::Row;
  int64_t lineCapacity = isRow ? capacity.maxColumns : capacity.maxRows;
  Value pitch = pitchOf(builder, loc, shape.columns);
  Value one = constantIndex(builder, loc, 1);
  Value length = isRow ? pitch : shape.rows;

  Value line = allocate(builder, loc, input.type, lineCapacity);
  if (isRow)
    fillPadding(builder, loc, input.type, flat(builder, loc, line, pitch));
  auto transfer = builder.create<hivm::LoadOp>(loc, gmTile(builder, loc, view, 1),
                                               flat(builder, loc, line, isRow ? shape.columns : shape.rows));
  if (isRow)
    padWithZero(builder, loc, transfer, input.type);
  if (input.computeType != input.type) {
    Value extended = allocate(builder, loc, input.computeType, lineCapacity);
    builder.create<hivm::VCastOp>(loc, flat(builder, loc, line, length),
                                  flat(builder, loc, extended, length));
    line = extended;
  }
  Value tile = allocate(builder, loc, input.computeType, capacity.elements);
  inputBuffers[index] = tile;
  Value source = isRow ? strided(builder, loc, line, one, pitch, pitch)
                       : strided(builder, loc, line, shape.rows, one, one);
  builder.create<hivm::VBrcOp>(loc, source, strided(builder, loc, tile, shape.rows, pitch, pitch),
                               ArrayRef<int64_t>{isRow ? 0 : 1});
}

void TileEmitter::loadUniform(OpBuilder &builder, Location loc, unsigned index, const GmView &view) {
  Value offset = gmTile(builder, loc, view, 0);
  uniformValues[index] = builder.create<memref::LoadOp>(loc, view.base, offset);
}

SmallVector<Value> TileEmitter::evaluate(OpBuilder &builder, linalg::GenericOp nest, TileShape shape,
                                         IRMapping &mapping) {
  Location loc = nest.getLoc();
  Value pitch, count = shape.columns;
  if (program.twoDimensional) {
    pitch = pitchOf(builder, loc, shape.columns);
    count = builder.create<arith::MulIOp>(loc, shape.rows, pitch);
  }
  for (auto [index, value] : uniformValues)
    mapping.map(program.inputs[index].bodyValue, value);
  for (Operation *op : program.scalarOps)
    builder.clone(*op, mapping);

  SmallVector<Value> slots, results;
  for (Type type : program.slots)
    slots.push_back(flat(builder, loc, allocate(builder, loc, type, capacity.elements), count));
  for (Type type : program.outputs)
    results.push_back(allocate(builder, loc, type, capacity.elements));

  auto valueOf = [&](const Place &place, Location at) -> Value {
    switch (place.kind) {
    case Place::Input:
    case Place::Spread:
      return flat(builder, at, inputBuffers.lookup(place.index), count);
    case Place::Slot:
      return slots[place.index];
    case Place::Output:
      return flat(builder, at, results[place.index], count);
    case Place::Scalar:
      return mapping.lookupOrDefault(place.scalar);
    }
    llvm_unreachable("place");
  };
  for (const Instruction &instruction : program.instructions) {
    SmallVector<Value> sources;
    for (const Place &source : instruction.sources)
      sources.push_back(valueOf(source, instruction.loc));
    Value destination = valueOf(instruction.destination, instruction.loc);
    if (instruction.name == "hivm.hir.vbrc") {
      builder.create<hivm::VBrcOp>(instruction.loc, sources[0], destination);
    } else if (instruction.name == "hivm.hir.copy") {
      builder.create<hivm::CopyOp>(instruction.loc, sources[0], destination);
    } else if (instruction.compareMode) {
      auto mode = hivm::symbolizeCompareMode(*instruction.compareMode);
      builder.create<hivm::VCmpOp>(instruction.loc, sources[0], sources[1], destination, *mode);
    } else if (instruction.roundMode) {
      auto mode = hivm::symbolizeRoundMode(*instruction.roundMode);
      builder.create<hivm::VCastOp>(instruction.loc, sources[0], destination, *mode);
    } else {
      createVector(builder, instruction.loc, instruction.name, sources, destination);
    }
  }

  return results;
}

void TileEmitter::store(OpBuilder &builder, Location loc, Value buffer, const GmView &view, TileShape shape) {
  Value source = program.twoDimensional ? strided(builder, loc, buffer, shape.rows, shape.columns,
                                                  pitchOf(builder, loc, shape.columns))
                                        : flat(builder, loc, buffer, shape.columns);
  builder.create<hivm::StoreOp>(loc, source, gmTile(builder, loc, view, program.twoDimensional ? 2 : 1));
}

LogicalResult TileEmitter::compute(OpBuilder &builder, linalg::GenericOp nest, TileShape shape,
                                   ArrayRef<GmView> outputs, IRMapping &mapping) {
  SmallVector<Value> results = evaluate(builder, nest, shape, mapping);
  for (auto [index, view] : llvm::enumerate(outputs))
    store(builder, nest.getLoc(), results[index], view, shape);
  return success();
}

} // namespace tilewright
