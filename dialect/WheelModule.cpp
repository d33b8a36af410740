//===- WheelModule.cpp - Reading what bishengir-compile prints
//-----------------------------------------------===//

#include "dialect/WheelModule.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;

/// The result type that stock MLIR infers, given the wheel's: the stride of a group whose last non-unit
/// dimension is dynamic is dynamic, because that dimension could be 1 at run time and its stride then means
/// nothing. The wheel skips the static unit dimensions before it and keeps the stride.
static MemRefType stockCollapsedType(memref::CollapseShapeOp op) {
  MemRefType source = op.getSrcType();
  MemRefType result = op.getResultType();
  if (source.getLayout().isIdentity())
    return result;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(result, strides, offset)))
    return result;
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    ArrayRef<int64_t> rest = group;
    while (rest.size() > 1 && source.getDimSize(rest.back()) == 1)
      rest = rest.drop_back();
    if (rest.size() > 1 && source.isDynamicDim(rest.back()))
      strides[dim] = ShapedType::kDynamic;
  }
  auto layout = StridedLayoutAttr::get(op.getContext(), offset, strides);
  return MemRefType::get(result.getShape(), result.getElementType(), layout, result.getMemorySpace());
}

void tilewright::adaptWheelModule(Operation *root) {
  SmallVector<memref::CollapseShapeOp> collapses;
  root->walk([&](memref::CollapseShapeOp op) { collapses.push_back(op); });
  for (memref::CollapseShapeOp op : collapses) {
    MemRefType wanted = op.getResultType();
    MemRefType inferred = stockCollapsedType(op);
    if (inferred == wanted || !memref::CastOp::areCastCompatible(inferred, wanted))
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    op.getResult().setType(inferred);
    auto cast = builder.create<memref::CastOp>(op.getLoc(), wanted, op.getResult());
    op.getResult().replaceAllUsesExcept(cast, cast);
  }
}

OwningOpRef<ModuleOp> tilewright::parseWheelModule(const llvm::SourceMgr &sources, MLIRContext *context) {
  ParserConfig config(context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  if (!module)
    return nullptr;
  adaptWheelModule(*module);
  if (failed(verify(*module)))
    return nullptr;
  return module;
}
