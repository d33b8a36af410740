//===- KernelAbi.cpp - the Triton kernel ABI ----------------------------------===//
#include "passes/KernelAbi.h"

#include "passes/KernelArguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tilewright {
namespace {

/// Order of the user's part of the argument list.
unsigned rankOf(StringRef kind) {
  if (kind.starts_with("tensor:"))
    return 0;
  return kind.starts_with("scalar:") ? 1 : 2;
}

SmallVector<unsigned> orderArguments(func::FuncOp kernel) {
  SmallVector<unsigned> order;
  for (unsigned rank = 0; rank < 3; ++rank)
    for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
      if (rankOf(getArgKind(kernel, i)) == rank && getArgKind(kernel, i) != "grid:cores")
        order.push_back(i);
  return order;
}

} // namespace

func::FuncOp createTritonKernel(OpBuilder &builder, func::FuncOp kernel, IRMapping &mapping, Value &core) {
  MLIRContext *ctx = builder.getContext();
  Location loc = kernel.getLoc();
  Type i32 = builder.getI32Type();
  auto buffer = [](Type element) { return MemRefType::get({ShapedType::kDynamic}, element); };

  SmallVector<Type> types{buffer(builder.getI8Type()), buffer(builder.getI8Type())};
  SmallVector<StringRef> names{"lock", "workspace"};
  SmallVector<unsigned> order = orderArguments(kernel);
  for (unsigned index : order) {
    Type type = kernel.getArgument(index).getType();
    types.push_back(isa<TensorType>(type) ? buffer(getElementTypeOrSelf(type)) : type);
    names.push_back(getArgKind(kernel, index));
  }
  for (StringRef name : {"grid:x", "grid:y", "grid:z", "pid:x", "pid:y", "pid:z"}) {
    types.push_back(i32);
    names.push_back(name);
  }

  builder.setInsertionPoint(kernel);
  auto result = builder.create<func::FuncOp>(loc, kernel.getName(), FunctionType::get(ctx, types, {}));
  result->setAttr("SyncBlockLockArgIdx", builder.getI64IntegerAttr(0));
  result->setAttr("WorkspaceArgIdx", builder.getI64IntegerAttr(1));
  result->setAttr("global_kernel", builder.getStringAttr("local"));
  result->setAttr("mix_mode", builder.getStringAttr("aiv"));
  for (StringRef name : {tw::kKernelAttrName, tw::kIterationAttrName, tw::kPlanAttrName})
    if (Attribute attr = kernel->getAttr(name))
      result->setAttr(name, attr);
  result->setAttr(tw::kArgsAttrName, builder.getStrArrayAttr(names));

  Block *entry = result.addEntryBlock();
  builder.setInsertionPointToStart(entry);
  for (auto [position, index] : llvm::enumerate(order))
    mapping.map(kernel.getArgument(index), entry->getArgument(position + 2));
  unsigned grid = order.size() + 2;
  core = builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), entry->getArgument(grid + 3));
  if (BlockArgument cores = findArgument(kernel, "grid:cores"))
    mapping.map(cores, builder.create<arith::ExtSIOp>(loc, builder.getI64Type(), entry->getArgument(grid)));
  return result;
}

} // namespace tilewright
