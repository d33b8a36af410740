//===- KernelArguments.cpp - host-visible kernel arguments --------------------===//
#include "passes/KernelArguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewright {

StringRef getArgKind(func::FuncOp func, unsigned index) {
  auto attr = func.getArgAttrOfType<StringAttr>(index, kArgAttr);
  return attr ? attr.getValue() : StringRef();
}

BlockArgument appendArgument(func::FuncOp func, Type type, const Twine &kind) {
  MLIRContext *ctx = func.getContext();
  unsigned index = func.getNumArguments();
  NamedAttribute attr(StringAttr::get(ctx, kArgAttr), StringAttr::get(ctx, kind));
  func.insertArgument(index, type, DictionaryAttr::get(ctx, attr), func.getLoc());
  return func.getArgument(index);
}

Value appendIndexArgument(OpBuilder &builder, func::FuncOp func, const Twine &kind) {
  BlockArgument argument = appendArgument(func, builder.getI64Type(), kind);
  return builder.create<arith::IndexCastOp>(func.getLoc(), builder.getIndexType(), argument);
}

BlockArgument findArgument(func::FuncOp func, StringRef kind) {
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
    if (getArgKind(func, i) == kind)
      return func.getArgument(i);
  return {};
}

LogicalResult classifyArguments(func::FuncOp func) {
  for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i) {
    auto name = func.getArgAttrOfType<StringAttr>(i, tw::kNameAttrName);
    if (!name)
      return func.emitError("argument ") << i << " of a kernel needs the attribute tw.name";
    StringRef kind = isa<TensorType>(func.getArgument(i).getType()) ? "tensor:" : "scalar:";
    func.removeArgAttr(i, tw::kNameAttrName);
    func.setArgAttr(i, kArgAttr, StringAttr::get(func.getContext(), kind + name.getValue()));
  }
  return success();
}

linalg::GenericOp getSingleNest(func::FuncOp func) {
  linalg::GenericOp nest;
  int count = 0;
  func.walk([&](linalg::GenericOp op) {
    nest = op;
    ++count;
  });
  if (count == 1)
    return nest;
  func.emitError("expected one loop nest in the kernel, found ")
      << count << ": results over different axes belong in operators of their own";
  return {};
}

LogicalResult forEachKernel(ModuleOp module, llvm::function_ref<LogicalResult(func::FuncOp)> fn) {
  for (auto func : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (func->hasAttr(tw::kKernelAttrName) && failed(fn(func)))
      return failure();
  return success();
}

void eraseDeadOps(func::FuncOp func) {
  func.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

int64_t getBlockElements(linalg::GenericOp nest) {
  unsigned bits = 8;
  for (Value init : nest.getDpsInits())
    bits = std::max(bits, getElementTypeOrSelf(init.getType()).getIntOrFloatBitWidth());
  return kBlockBytes * 8 / bits;
}

} // namespace tilewright
