//===- Normalize.cpp - tw-normalize-iteration of kernels with reductions ------===//
#include "passes/reduction/Reduction.h"

#include "passes/KernelArguments.h"

using namespace mlir;

namespace tilewright {

LogicalResult normalizeReduction(func::FuncOp func) {
  if (func->hasAttr(tw::kIterationAttrName))
    return func.emitError("the kernel is normalized already: tw-partition-channels comes next");
  FailureOr<SmallVector<Nest>> nests = collectNests(func);
  if (failed(nests) || failed(classifyArguments(func)))
    return failure();
  MLIRContext *ctx = func.getContext();
  auto results = cast<func::ReturnOp>(func.front().getTerminator()).getOperands();
  for (auto [index, result] : llvm::enumerate(results)) {
    if (!result.getDefiningOp<linalg::GenericOp>())
      return func.emitError("result ") << index << " is not computed by a nest";
    auto name = func.getResultAttrOfType<StringAttr>(index, tw::kNameAttrName);
    std::string label = name ? name.getValue().str() : "out" + std::to_string(index);
    appendArgument(func, result.getType(), "tensor:" + label);
  }
  for (unsigned axis = 0; axis < 3; ++axis)
    appendArgument(func, IntegerType::get(ctx, 64), "extent:" + Twine(axis));
  using tw::AxisKind;
  func->setAttr(tw::kIterationAttrName,
                tw::IterationAttr::get(ctx, {AxisKind::R1, AxisKind::A, AxisKind::R0}));
  func.setType(FunctionType::get(ctx, func.front().getArgumentTypes(),
                                 func.front().getTerminator()->getOperandTypes()));
  for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
    func.removeResultAttr(i, StringAttr::get(ctx, tw::kNameAttrName));
  return success();
}

LogicalResult partitionReduction(func::FuncOp func) {
  if (!func->hasAttr(tw::kIterationAttrName))
    return func.emitError("no tw.iteration: run tw-normalize-iteration first");
  if (failed(collectNests(func)))
    return failure();
  if (findArgument(func, "tiling:a_cores"))
    return func.emitError("the axes are shared out already: tw-tile-to-ub comes next");
  Type i64 = IntegerType::get(func.getContext(), 64);
  for (StringRef axis : kAxisNames)
    for (StringRef number : {"cores", "base", "big", "unit"})
      appendArgument(func, i64, "tiling:" + axis + "_" + number);
  appendArgument(func, i64, "grid:cores");
  func.setType(FunctionType::get(func.getContext(), func.front().getArgumentTypes(),
                                 func.front().getTerminator()->getOperandTypes()));
  return success();
}

} // namespace tilewright
