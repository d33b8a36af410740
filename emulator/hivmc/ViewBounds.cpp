// Buffers in UB come as bytes with a constant size, and a view of runtime size on them. The stock planner
// derives the constant from an upper bound of the tile, and gets some wrong: for row masks it forgets that
// each row is padded to 256 bits, so the view of a full tile reaches into the next buffer and results are
// wrong on any device. The view's size is therefore compared with its buffer's when it is taken.
#include "emulator/hivmc/ViewBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilewright::hivmc {

void checkViewBounds(ModuleOp module) {
  module.getContext()->loadDialect<arith::ArithDialect, cf::ControlFlowDialect>();
  module.walk([](memref::ViewOp view) {
    MemRefType buffer = view.getSource().getType(), type = view.getType();
    if (!buffer.hasStaticShape() || type.hasStaticShape() || !type.getElementType().isIntOrFloat())
      return;
    Location loc = view.getLoc();
    OpBuilder builder(view);
    auto constant = [&](int64_t value) -> Value {
      return builder.create<arith::ConstantIndexOp>(loc, value);
    };
    // i1 elements are bits (BitBuffers.cpp). The sizes are tile sizes, far from where a product overflows.
    Value bits = constant(type.getElementTypeBitWidth());
    auto dynamic = view.getSizes().begin();
    for (int64_t size : type.getShape())
      bits = builder.create<arith::MulIOp>(loc, bits,
                                           ShapedType::isDynamic(size) ? Value(*dynamic++) : constant(size));
    Value shift = builder.create<arith::MulIOp>(loc, view.getByteShift(), constant(8));
    Value end = builder.create<arith::AddIOp>(loc, shift, bits);
    Value fits = builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ule, end,
                                               constant(8 * buffer.getNumElements()));
    builder.create<cf::AssertOp>(loc, fits, "a view is larger than its buffer");
  });
}

} // namespace tilewright::hivmc
