//===- VectorProgram.cpp - what one tile of an elementwise nest does ----------===//
#include "passes/VectorProgram.h"

#include "passes/KernelArguments.h"
#include "passes/VectorSelection.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Which of the last two axes an operand spans.
Spread classify(AffineMap map) {
  unsigned axes = map.getNumDims();
  bool lastAxis = map.isFunctionOfDim(axes - 1);
  if (axes == 1)
    return lastAxis ? Spread::Full : Spread::Uniform;
  bool rowAxis = map.isFunctionOfDim(axes - 2);
  if (lastAxis && rowAxis)
    return Spread::Full;
  return lastAxis ? Spread::Row : rowAxis ? Spread::Column : Spread::Uniform;
}

std::string nameOf(Value input) {
  while (auto slice = input.getDefiningOp<tensor::ExtractSliceOp>())
    input = slice.getSource();
  auto argument = dyn_cast<BlockArgument>(input);
  if (!argument)
    return "input";
  auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return func ? getArgKind(func, argument.getArgNumber()).split(':').second.str() : "input";
}

class Builder {
public:
  Builder(linalg::GenericOp nest, VectorProgram &program, ArrayRef<Spread> spreads)
      : nest(nest), program(program), spreads(spreads), body(nest.getBody()),
        yield(cast<linalg::YieldOp>(body->getTerminator())) {}

  LogicalResult run() {
    collectInputs();
    for (Value init : nest.getDpsInits())
      program.outputs.push_back(getElementTypeOrSelf(init.getType()));
    collectUses();
    for (Operation &op : body->without_terminator()) {
      if (places.count(op.getResult(0)))
        continue; // the extension of a spread operand, done once outside the loop
      if (isUniform(&op))
        addScalar(&op);
      else if (failed(addVector(&op)))
        return failure();
    }
    return writeRemainingOutputs();
  }

private:
  void collectInputs() {
    for (auto [index, input] : llvm::enumerate(nest.getDpsInputs())) {
      BlockArgument argument = body->getArgument(index);
      ProgramInput info;
      AffineMap map = nest.getMatchingIndexingMap(nest.getDpsInputOperand(index));
      info.spread = spreads.empty() ? classify(map) : spreads[index];
      info.type = info.computeType = argument.getType();
      info.name = nameOf(input);
      info.bodyValue = argument;
      bool isLine = info.spread == Spread::Row || info.spread == Spread::Column;
      // Half data is extended before it is spread: one short conversion instead of a long one.
      // Where the caller says how inputs are spread, it also extends per-channel scalars.
      bool isChannel = !spreads.empty() && info.spread == Spread::Uniform && map.getNumResults() > 0;
      if ((isLine || isChannel) && argument.hasOneUse())
        if (auto extend = dyn_cast<arith::ExtFOp>(*argument.getUsers().begin()))
          info.bodyValue = extend.getResult();
      info.computeType = info.bodyValue.getType();
      if (info.spread == Spread::Full)
        places[argument] = {Place::Input, unsigned(index)};
      else if (isLine)
        places[info.bodyValue] = {Place::Spread, unsigned(index)};
      else
        places[info.bodyValue] = {Place::Scalar, 0, info.bodyValue};
      program.inputs.push_back(info);
    }
  }

  void collectUses() {
    unsigned position = 0;
    for (Operation &op : *body) {
      for (Value operand : op.getOperands())
        lastUse[operand] = position;
      ++position;
    }
  }

  /// A value without lanes: constants, runtime attributes, one-element tensors and what is computed from
  /// them.
  bool isScalar(Value value) const {
    auto it = places.find(value);
    if (it != places.end())
      return it->second.kind == Place::Scalar;
    return value.getParentBlock() != body;
  }

  /// What only the vector unit does well stays there, also for one value: rounding to a half type, because
  /// AscendNPU-IR folds the scalar pair extf(truncf(x)) to x; and functions, which the scalar unit lacks.
  bool isUniform(Operation *op) const {
    if (isa<arith::TruncFOp, math::ExpOp, math::LogOp, math::SqrtOp, math::RsqrtOp>(op))
      return false;
    return llvm::all_of(op->getOperands(), [&](Value v) { return isScalar(v); });
  }

  void addScalar(Operation *op) {
    program.scalarOps.push_back(op);
    for (Value result : op->getResults())
      places[result] = {Place::Scalar, 0, result};
  }

  Place placeOf(Value value) const {
    auto it = places.find(value);
    return it != places.end() ? it->second : Place{Place::Scalar, 0, value};
  }

  LogicalResult addVector(Operation *op) {
    auto steps = selectVectorOps(op, [&](Value v) { return isScalar(v); });
    if (failed(steps))
      return failure();
    unsigned position = std::distance(body->begin(), op->getIterator());
    Place previous{};
    for (auto [index, step] : llvm::enumerate(*steps)) {
      bool last = index + 1 == steps->size();
      Instruction instruction{step.name, op->getLoc(), {}, {}, step.compareMode, step.roundMode};
      for (const VectorStep::Source &source : step.sources)
        instruction.sources.push_back(source.previous ? previous : placeOf(source.value));
      // Buffers of operands that die here are free for the result, except where the instruction may write
      // lanes before it has read the others.
      if (step.inPlace && last)
        releaseDead(op, position);
      instruction.destination = destinationOf(op, step.type, last);
      if (index > 0 && previous.kind == Place::Slot)
        release(previous);
      previous = instruction.destination;
      program.instructions.push_back(instruction);
      if (last && !step.inPlace)
        releaseDead(op, position);
    }
    places[op->getResult(0)] = previous;
    if (previous.kind == Place::Slot && !lastUse.count(op->getResult(0)))
      release(previous); // a result that nobody reads
    return success();
  }

  /// The last instruction of a yielded value writes the output buffer itself.
  Place destinationOf(Operation *op, Type type, bool last) {
    if (last)
      for (auto [index, value] : llvm::enumerate(yield.getOperands()))
        if (value == op->getResult(0) && !written.count(index)) {
          written.insert(index);
          return {Place::Output, unsigned(index)};
        }
    return allocate(type);
  }

  Place allocate(Type type) {
    auto &pool = free[type];
    if (!pool.empty())
      return {Place::Slot, pool.pop_back_val()};
    program.slots.push_back(type);
    return {Place::Slot, unsigned(program.slots.size() - 1)};
  }

  void release(Place place) { free[program.slots[place.index]].push_back(place.index); }

  void releaseDead(Operation *op, unsigned position) {
    llvm::SmallPtrSet<Value, 4> seen;
    for (Value operand : op->getOperands()) {
      auto it = places.find(operand);
      if (it == places.end() || it->second.kind != Place::Slot || !seen.insert(operand).second)
        continue;
      if (lastUse.lookup(operand) == position)
        release(it->second);
    }
  }

  /// Outputs that no instruction produced directly: an input passed through, a uniform value, or one value
  /// twice.
  LogicalResult writeRemainingOutputs() {
    for (auto [index, value] : llvm::enumerate(yield.getOperands())) {
      if (written.count(index))
        continue;
      Place source = placeOf(value);
      StringRef name = source.kind == Place::Scalar ? "hivm.hir.vbrc" : "hivm.hir.copy";
      program.instructions.push_back(
          {name, yield.getLoc(), {source}, {Place::Output, unsigned(index)}, std::nullopt, std::nullopt});
    }
    return success();
  }

  linalg::GenericOp nest;
  VectorProgram &program;
  ArrayRef<Spread> spreads;
  Block *body;
  linalg::YieldOp yield;
  llvm::DenseMap<Value, Place> places;
  llvm::DenseMap<Value, unsigned> lastUse;
  llvm::DenseMap<Type, SmallVector<unsigned>> free;
  llvm::DenseSet<unsigned> written;
};

/// Instructions for which the library spreads a scalar or a mask address into a small buffer of its own.
bool needsScratch(const Instruction &instruction) {
  if (instruction.name == "hivm.hir.vsel")
    return true;
  if (instruction.sources.size() < 2)
    return false;
  bool scalarFirst = instruction.sources[0].kind == Place::Scalar;
  bool scalarSecond = instruction.sources[1].kind == Place::Scalar;
  return scalarFirst || (scalarSecond && instruction.name == "hivm.hir.vdiv");
}

int64_t alignTo32(int64_t bytes) { return llvm::alignTo(bytes, kUbBlockBytes); }

} // namespace

FailureOr<VectorProgram> VectorProgram::build(linalg::GenericOp nest) {
  return build(nest, {}, nest.getNumLoops() > 1);
}

FailureOr<VectorProgram> VectorProgram::build(linalg::GenericOp nest, ArrayRef<Spread> spreads,
                                              bool twoDimensional) {
  VectorProgram program;
  program.twoDimensional = twoDimensional;
  if (failed(Builder(nest, program, spreads).run()))
    return failure();
  return program;
}

int64_t VectorProgram::scratchBytes() const {
  int64_t bytes = 0;
  // A half scalar is extended by way of UB.
  for (const ProgramInput &input : inputs)
    bytes += input.spread == Spread::Uniform ? 2 * kUbBlockBytes : 0;
  for (const Instruction &instruction : instructions)
    bytes += needsScratch(instruction) ? 2 * kUbBlockBytes : 0;
  return bytes;
}

SmallVector<Buffer> VectorProgram::buffers() const {
  SmallVector<Buffer> table;
  for (const ProgramInput &input : inputs) {
    switch (input.spread) {
    case Spread::Full:
      table.push_back({input.name, input.type, Extent::Tile, 2, 0});
      break;
    case Spread::Row:
    case Spread::Column: {
      Extent line = input.spread == Spread::Row ? Extent::Row : Extent::Column;
      table.push_back({input.name, input.type, line, 2, 0});
      if (input.computeType != input.type)
        table.push_back({input.name + " extended", input.computeType, line, 1, 0});
      table.push_back({input.name + " spread", input.computeType, Extent::Tile, 1, 0});
      table.push_back({input.name + " spread scratch", input.computeType,
                       input.spread == Spread::Row ? Extent::Tile : Extent::ColumnSpread, 1, 0});
      break;
    }
    case Spread::Uniform:
      break;
    }
  }
  for (auto [index, type] : llvm::enumerate(slots))
    table.push_back({("slot" + Twine(index)).str(), type, Extent::Tile, 1, 0});
  for (auto [index, type] : llvm::enumerate(outputs))
    table.push_back({("out" + Twine(index)).str(), type, Extent::Tile, 2, 0});
  if (int64_t scratch = scratchBytes())
    table.push_back({"scalar scratch", {}, Extent::Fixed, 1, scratch});
  return table;
}

int64_t VectorProgram::rowGranule() const {
  unsigned bits = 32;
  auto narrow = [&](Type type) {
    if (type.getIntOrFloatBitWidth() >= 8)
      bits = std::min(bits, type.getIntOrFloatBitWidth());
  };
  for (const ProgramInput &input : inputs)
    narrow(input.type);
  for (Type type : outputs)
    narrow(type);
  return kUbBlockBytes * 8 / bits;
}

int64_t getBufferBytes(const Buffer &buffer, int64_t capacity, int64_t maxRows, int64_t maxColumns) {
  if (buffer.extent == Extent::Fixed)
    return buffer.fixedBytes;
  unsigned bits = buffer.type.getIntOrFloatBitWidth();
  int64_t elements = capacity;
  if (buffer.extent == Extent::Row)
    elements = maxColumns;
  else if (buffer.extent == Extent::Column)
    elements = maxRows;
  else if (buffer.extent == Extent::ColumnSpread)
    elements = maxRows * llvm::alignTo(llvm::divideCeil(capacity, maxRows), kUbBlockBytes * 8 / bits);
  return buffer.copies * alignTo32(llvm::divideCeil(elements * bits, 8));
}

} // namespace tilewright
