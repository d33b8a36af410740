//===- Nests.cpp - the form of a kernel with reductions -----------------------===//
#include "passes/reduction/Reduction.h"

#include "passes/KernelArguments.h"
#include "passes/reduction/UbVectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright {

bool isReduction(func::FuncOp func) { return func->hasAttr(kReductionAttr); }

Covers coversOf(const Nest &nest, unsigned operand) {
  linalg::GenericOp op = nest.op;
  AffineMap map = op.getIndexingMapsArray()[operand];
  if (map.getNumResults() == 0)
    return Covers::One;
  if (nest.kind == NestKind::Channel)
    return Covers::Channel;
  if (map.getNumResults() == 3)
    return Covers::All;
  unsigned axis = cast<AffineDimExpr>(map.getResult(0)).getPosition();
  return axis == 1 ? Covers::Channel : axis == 0 ? Covers::Outer : Covers::Inner;
}

namespace {

/// The combination of the accumulator `acc` with a summand that `value` is, if it is one.
std::optional<Combine> combinationOf(Value value, Value acc) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2 || op->getOperand(0) != acc || op->getOperand(1) == acc)
    return std::nullopt;
  if (isa<arith::AddFOp>(op))
    return Combine::Sum;
  if (isa<arith::MaximumFOp>(op))
    return Combine::Max;
  if (isa<arith::MinimumFOp>(op))
    return Combine::Min;
  return std::nullopt;
}

LogicalResult verifyMaps(linalg::GenericOp op) {
  for (AffineMap map : op.getIndexingMapsArray()) {
    bool line = map.getNumResults() <= 1 || map.getNumResults() == op.getNumLoops();
    if (!map.isProjectedPermutation() || !line)
      return op.emitError("operands have all axes, one axis, or none; got ") << AffineMapAttr::get(map);
    if (map.getNumResults() > 1 && !map.isIdentity())
      return op.emitError("permuted operand: axes must appear in iteration order, got ")
             << AffineMapAttr::get(map);
  }
  return success();
}

/// Inputs are arguments of the kernel or results of nests before.
LogicalResult verifyInputs(linalg::GenericOp op, func::FuncOp func) {
  for (Value input : op.getDpsInputs()) {
    auto argument = dyn_cast<BlockArgument>(input);
    bool fromKernel = argument && argument.getOwner() == &func.front();
    if (!fromKernel && !input.getDefiningOp<linalg::GenericOp>())
      return op.emitError("an input is neither an argument of the kernel nor the result of a nest");
  }
  return success();
}

/// What the lowered kernel takes for granted: it starts sums at the neutral element, writes results it has
/// not read, and has no numbers of iterations.
LogicalResult verifyBody(const Nest &nest) {
  linalg::GenericOp op = nest.op;
  WalkResult index = op.walk([](linalg::IndexOp) { return WalkResult::interrupt(); });
  if (index.wasInterrupted())
    return op.emitError("linalg.index is not supported: the axes are those of the storage order, merged");
  for (auto [position, init] : llvm::enumerate(op.getDpsInitsMutable())) {
    if (position >= nest.combines.size()) {
      if (op.payloadUsesValueFromOperand(&init))
        return op.emitError("result ") << position << " is read before it is written";
      continue;
    }
    auto fill = init.get().getDefiningOp<linalg::FillOp>();
    FloatAttr value;
    if (!fill || !matchPattern(fill.value(), m_Constant(&value)) ||
        value.getValueAsDouble() != neutralOf(nest.combines[position]))
      return op.emitError("result ") << position << " must start as linalg.fill of "
                                     << neutralOf(nest.combines[position])
                                     << ", the neutral element of its combination";
  }
  return success();
}

FailureOr<Nest> classify(linalg::GenericOp op) {
  using utils::IteratorType;
  SmallVector<IteratorType> kinds = op.getIteratorTypesArray();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ArrayRef<AffineMap> results = ArrayRef(maps).take_back(op.getNumDpsInits());
  const IteratorType parallel = IteratorType::parallel, reduction = IteratorType::reduction;
  if (kinds == SmallVector<IteratorType>{parallel}) {
    for (AffineMap map : results)
      if (!map.isIdentity())
        return op.emitError("a result of a channel nest must cover A");
    return Nest{op, NestKind::Channel, {}};
  }
  if (kinds == SmallVector<IteratorType>{parallel, parallel, parallel}) {
    for (AffineMap map : results)
      if (!map.isIdentity())
        return op.emitError("a result of an elementwise nest must cover every axis");
    return Nest{op, NestKind::Elementwise, {}};
  }
  if (kinds != SmallVector<IteratorType>{reduction, parallel, reduction})
    return op.emitError(
        "the axes of a nest are (A), or (R1, A, R0) with R1 and R0 both parallel or both reduced");
  Nest nest{op, NestKind::Reduction, {}};
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  for (auto [index, map] : llvm::enumerate(results)) {
    if (map.isIdentity()) {
      if (index == 0)
        return op.emitError("the first results of a nest over reduced axes are reductions");
      continue;
    }
    if (nest.combines.size() < index)
      return op.emitError("result ") << index << ": reductions come before results of every axis";
    Value acc = op.getBody()->getArgument(op.getNumDpsInputs() + index);
    auto combine = combinationOf(yield.getOperand(index), acc);
    if (!combine || !acc.hasOneUse() || !yield.getOperand(index).hasOneUse())
      return op.emitError("result ") << index << " must be acc + v, maximum(acc, v) or minimum(acc, v)";
    if (coversOf(nest, op.getNumDpsInputs() + index) != Covers::Channel || !acc.getType().isF32())
      return op.emitError("a reduction's result is an f32 tensor over A");
    nest.combines.push_back(*combine);
  }
  if (nest.isSample() && (!llvm::all_equal(nest.combines) || nest.combines[0] != Combine::Sum ||
                          nest.isFull(results.size() - 1)))
    return op.emitError("a sample of the data gives sums only");
  return nest;
}

} // namespace

FailureOr<SmallVector<Nest>> collectNests(func::FuncOp func) {
  SmallVector<Nest> nests;
  for (Operation &op : func.front().without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic) {
      if (isa<tensor::EmptyOp, tensor::DimOp, linalg::FillOp>(op) ||
          isa<arith::ArithDialect>(op.getDialect()))
        continue;
      return op.emitError("unexpected operation in a kernel with reductions");
    }
    if (!nests.empty() && nests.back().kind == NestKind::Elementwise)
      return generic.emitError("the elementwise nest must be the last one");
    FailureOr<Nest> nest = failure();
    if (failed(verifyMaps(generic)) || failed(verifyInputs(generic, func)) ||
        failed(nest = classify(generic)) || failed(verifyBody(*nest)))
      return failure();
    nests.push_back(*nest);
  }
  if (nests.empty())
    return func.emitError("a kernel with reductions has no nest");
  return nests;
}

} // namespace tilewright
