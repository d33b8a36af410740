#include "emulator/hivmc/KnownDefects.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/ParseModule.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tilewright::hivmc {

namespace {

struct Range {
  uint64_t begin, end;
};

Value withoutViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view && op->getName().getStringRef() != "memref.cast")
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// UB bytes of a buffer with a constant address.
std::optional<Range> placeOf(Value buffer) {
  Operation *op = withoutViews(buffer).getDefiningOp();
  if (!op || op->getName().getStringRef() != "hivm.hir.pointer_cast" || op->getNumOperands() == 0)
    return std::nullopt;
  auto type = dyn_cast<MemRefType>(op->getResult(0).getType());
  llvm::APInt address;
  if (!type || !type.hasStaticShape() || !type.getElementType().isIntOrFloat() ||
      keyword(type.getMemorySpace()) != "ub" || !matchPattern(op->getOperand(0), m_ConstantInt(&address)))
    return std::nullopt;
  uint64_t bits = uint64_t(type.getNumElements()) * type.getElementTypeBitWidth();
  return Range{address.getZExtValue(), address.getZExtValue() + llvm::divideCeil(bits, 8)};
}

} // namespace

llvm::Error checkKnownDefects(ModuleOp module) {
  llvm::Error error = llvm::Error::success();
  module.walk([&](scf::ForOp loop) {
    for (auto [i, yielded] : llvm::enumerate(loop.getYieldedValues())) {
      auto carried = dyn_cast<BlockArgument>(withoutViews(yielded));
      if (!carried || carried.getOwner() != loop.getBody() || carried.getArgNumber() == 0)
        continue;
      unsigned from = carried.getArgNumber() - 1; // after the counter
      if (from == i)
        continue;
      std::optional<Range> own = placeOf(loop.getInitArgs()[i]), other = placeOf(loop.getInitArgs()[from]);
      if (!own || !other || own->begin >= other->end || other->begin >= own->end)
        continue;
      error = coded(
          kBuffers,
          "a loop hands two buffers on in turn, and both are at UB bytes [" +
              llvm::Twine(std::max(own->begin, other->begin)) + ", " +
              llvm::Twine(std::min(own->end, other->end)) + "): each turn overwrites the last one's values",
          describe(loop.getLoc()),
          "a known defect of bishengir-compile 1.2.0; carry tensors through the loop, or copy, or unroll "
          "it by two");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return error;
}

} // namespace tilewright::hivmc
