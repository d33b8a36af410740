//===- NormalizeIteration.cpp - tw-normalize-iteration ------------------------===//
#include "passes/KernelArguments.h"
#include "passes/Passes.h"
#include "passes/reduction/Reduction.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright {
#define GEN_PASS_DEF_NORMALIZEITERATION
#include "passes/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// A run of neighbouring iteration axes that become one.
struct AxisGroup {
  unsigned first, count;
};

/// Named operations become generic ones and producers are fused into consumers.
LogicalResult fuseElementwise(func::FuncOp func) {
  RewritePatternSet patterns(func.getContext());
  linalg::populateLinalgNamedOpsGeneralizationPatterns(patterns);
  linalg::populateElementwiseOpsFusionPatterns(patterns, [](OpOperand *) { return true; });
  linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
  return applyPatternsAndFoldGreedily(func, std::move(patterns));
}

/// The nest must be elementwise over dense row-major tensors that are arguments of the function.
LogicalResult verifyNest(linalg::GenericOp nest, func::FuncOp func) {
  for (utils::IteratorType kind : nest.getIteratorTypesArray())
    if (kind != utils::IteratorType::parallel)
      return nest.emitError("reduction axes are not supported by this schedule");
  for (auto [operand, map] : llvm::zip(nest->getOperands(), nest.getIndexingMapsArray())) {
    if (!map.isProjectedPermutation())
      return nest.emitError("operand with a computed index: only whole axes may be read, got ")
             << AffineMapAttr::get(map);
    int64_t previous = -1;
    for (AffineExpr expr : map.getResults()) {
      int64_t axis = cast<AffineDimExpr>(expr).getPosition();
      if (axis < previous)
        return nest.emitError("permuted operand: axes must appear in iteration order, got ")
               << AffineMapAttr::get(map);
      previous = axis;
    }
  }
  for (auto [index, input] : llvm::enumerate(nest.getDpsInputs())) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (!argument || argument.getOwner() != &func.front())
      return nest.emitError("input ") << index << " is not an argument of the kernel";
  }
  for (OpOperand &init : nest.getDpsInitsMutable()) {
    if (!nest.getMatchingIndexingMap(&init).isIdentity())
      return nest.emitError("an output must cover every iteration axis");
    if (nest.payloadUsesValueFromOperand(&init))
      return nest.emitError("an output is read before it is written");
  }
  bool hasIndex = false;
  nest.walk([&](linalg::IndexOp) { hasIndex = true; });
  if (hasIndex)
    return nest.emitError("linalg.index is not supported: axes are merged");
  auto results = cast<func::ReturnOp>(func.front().getTerminator()).getOperands();
  if (results.size() != nest->getNumResults() || !llvm::equal(results, nest->getResults()))
    return nest.emitError("the kernel must return the results of its loop nest, in order");
  return success();
}

/// Two neighbouring axes belong together when every operand has both or neither.
SmallVector<AxisGroup> groupAxes(linalg::GenericOp nest) {
  SmallVector<AxisGroup> groups;
  unsigned axes = nest.getNumLoops();
  auto has = [](AffineMap map, unsigned axis) { return map.isFunctionOfDim(axis); };
  for (unsigned axis = 0; axis < axes; ++axis) {
    bool merge = axis > 0 && llvm::all_of(nest.getIndexingMapsArray(), [&](AffineMap map) {
                   return has(map, axis - 1) == has(map, axis);
                 });
    if (merge)
      ++groups.back().count;
    else
      groups.push_back({axis, 1});
  }
  return groups;
}

AffineMap mergeMap(AffineMap map, ArrayRef<AxisGroup> groups, MLIRContext *ctx) {
  SmallVector<AffineExpr> results;
  for (auto [index, group] : llvm::enumerate(groups))
    if (map.isFunctionOfDim(group.first))
      results.push_back(getAffineDimExpr(index, ctx));
  return AffineMap::get(groups.size(), 0, results, ctx);
}

RankedTensorType mergedType(Type type, AffineMap merged) {
  SmallVector<int64_t> shape(merged.getNumResults(), ShapedType::kDynamic);
  return RankedTensorType::get(shape, cast<RankedTensorType>(type).getElementType());
}

/// An extended half operand lives in a temporary twice its size: extend it where it is first needed.
void sinkExtensions(Block &body) {
  for (arith::ExtFOp extend : llvm::to_vector(body.getOps<arith::ExtFOp>())) {
    Operation *first = nullptr;
    for (Operation *user : extend->getUsers())
      if (!first || user->isBeforeInBlock(first))
        first = user;
    if (first)
      extend->moveBefore(first);
  }
}

struct NormalizeIterationPass : impl::NormalizeIterationBase<NormalizeIterationPass> {
  void runOnOperation() override {
    if (failed(forEachKernel(getOperation(), [](func::FuncOp func) { return normalize(func); })))
      signalPassFailure();
  }

  static LogicalResult normalize(func::FuncOp func) {
    if (isReduction(func))
      return normalizeReduction(func);
    if (failed(fuseElementwise(func)))
      return func.emitError("fusion of elementwise operations did not converge");
    linalg::GenericOp nest = getSingleNest(func);
    if (!nest || failed(verifyNest(nest, func)) || failed(classifyArguments(func)))
      return failure();
    SmallVector<AxisGroup> groups = groupAxes(nest);
    rebuild(func, nest, groups);
    SmallVector<tw::AxisKind> kinds(groups.size(), tw::AxisKind::A);
    func->setAttr(tw::kIterationAttrName, tw::IterationAttr::get(func.getContext(), kinds));
    return success();
  }

  /// Replaces the nest by one over the merged axes that writes into new trailing arguments.
  static void rebuild(func::FuncOp func, linalg::GenericOp nest, ArrayRef<AxisGroup> groups) {
    MLIRContext *ctx = func.getContext();
    OpBuilder builder(nest);
    SmallVector<AffineMap> maps;
    for (AffineMap map : nest.getIndexingMapsArray())
      maps.push_back(mergeMap(map, groups, ctx));

    SmallVector<Value> inputs, outputs;
    for (auto [input, map] : llvm::zip(nest.getDpsInputs(), maps)) {
      input.setType(mergedType(input.getType(), map));
      inputs.push_back(input);
    }
    for (unsigned i = 0, e = nest.getNumDpsInits(); i < e; ++i) {
      auto name = func.getResultAttrOfType<StringAttr>(i, tw::kNameAttrName);
      std::string label = name ? name.getValue().str() : "out" + std::to_string(i);
      auto type = mergedType(nest->getResult(i).getType(), maps[inputs.size() + i]);
      outputs.push_back(appendArgument(func, type, "tensor:" + label));
    }
    for (unsigned axis = 0; axis < groups.size(); ++axis)
      appendArgument(func, builder.getI64Type(), "extent:" + Twine(axis));

    SmallVector<utils::IteratorType> iterators(groups.size(), utils::IteratorType::parallel);
    auto merged = builder.create<linalg::GenericOp>(nest.getLoc(), TypeRange(ValueRange(outputs)), inputs,
                                                    outputs, maps, iterators);
    merged.getRegion().takeBody(nest.getRegion());
    sinkExtensions(*merged.getBody());
    Operation *terminator = func.front().getTerminator();
    terminator->setOperands(merged->getResults());
    nest.erase();
    eraseDeadOps(func);

    func.setType(FunctionType::get(ctx, func.front().getArgumentTypes(), terminator->getOperandTypes()));
    for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
      func.removeResultAttr(i, StringAttr::get(ctx, tw::kNameAttrName));
  }
};

} // namespace
} // namespace tilewright
