//===- DoubleBuffer.cpp - tw-double-buffer ------------------------------------===//
#include "passes/KernelArguments.h"
#include "passes/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_DOUBLEBUFFER
#include "passes/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

constexpr llvm::StringLiteral kMultiBufferAttr = "hivm.multi_buffer";

/// The allocation behind a chain of views, when it is in the same loop body as the transfer.
memref::AllocOp transferBuffer(Value view, Operation *transfer) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>())
    view = op.getViewSource();
  auto alloc = view.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->getBlock() == transfer->getBlock() ? alloc : memref::AllocOp();
}

struct DoubleBufferPass : impl::DoubleBufferBase<DoubleBufferPass> {
  using DoubleBufferBase::DoubleBufferBase;

  void runOnOperation() override {
    if (buffers < 1) {
      getOperation().emitError("buffers must be at least 1, got ") << buffers.getValue();
      return signalPassFailure();
    }
    if (failed(forEachKernel(getOperation(), [&](func::FuncOp func) { return mark(func); })))
      signalPassFailure();
  }

  LogicalResult mark(func::FuncOp func) {
    if (!func->hasAttr(tw::kArgsAttrName))
      return func.emitError("the kernel is not in HIVM form: run tw-convert-to-hivm first");
    llvm::SetVector<memref::AllocOp> allocations;
    func.walk([&](Operation *op) {
      auto loop = op->getParentOfType<scf::ForOp>();
      if (buffers == 1 || !loop || loop->hasAttr(kGroupsAttr))
        return;
      memref::AllocOp alloc;
      if (auto load = dyn_cast<hivm::LoadOp>(op))
        alloc = transferBuffer(load.getDst(), op);
      else if (auto store = dyn_cast<hivm::StoreOp>(op))
        alloc = transferBuffer(store.getSrc(), op);
      if (alloc)
        allocations.insert(alloc);
    });
    func.walk([](scf::ForOp loop) { loop->removeAttr(kGroupsAttr); });
    for (memref::AllocOp alloc : allocations) {
      OpBuilder builder(alloc->getContext());
      builder.setInsertionPointAfter(alloc);
      builder.create<annotation::MarkOp>(
          alloc.getLoc(), alloc.getResult(),
          builder.getNamedAttr(kMultiBufferAttr, builder.getI32IntegerAttr(buffers)));
    }
    return success();
  }
};

} // namespace
} // namespace tilewright
