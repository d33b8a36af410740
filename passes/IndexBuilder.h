//===- IndexBuilder.h - index arithmetic without the noise ----------*- C++ -*-===//
#ifndef TILEWRIGHT_PASSES_INDEXBUILDER_H
#define TILEWRIGHT_PASSES_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace tilewright {

/// Builds index computations at the insertion point of `b`.
struct Index {
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Value = mlir::Value;
  Value constant(int64_t value) { return b.create<mlir::arith::ConstantIndexOp>(loc, value); }
  Value add(Value x, Value y) { return b.create<mlir::arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<mlir::arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<mlir::arith::MulIOp>(loc, x, y); }
  Value mul(Value x, int64_t y) { return mul(x, constant(y)); }
  Value div(Value x, Value y) { return b.create<mlir::arith::DivSIOp>(loc, x, y); }
  Value rem(Value x, Value y) { return b.create<mlir::arith::RemSIOp>(loc, x, y); }
  Value min(Value x, Value y) { return b.create<mlir::arith::MinSIOp>(loc, x, y); }
  Value max(Value x, Value y) { return b.create<mlir::arith::MaxSIOp>(loc, x, y); }
  Value equal(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::eq, x, y); }
  Value less(Value x, Value y) { return compare(mlir::arith::CmpIPredicate::slt, x, y); }
  Value select(Value c, Value x, Value y) { return b.create<mlir::arith::SelectOp>(loc, c, x, y); }
  /// x / y rounded up, of non-negative numbers.
  Value ceilDiv(Value x, Value y) { return div(add(x, sub(y, constant(1))), y); }
  /// x rounded up to a multiple.
  Value roundUp(Value x, int64_t multiple) {
    return multiple == 1 ? x : mul(ceilDiv(x, constant(multiple)), multiple);
  }
  /// Exact below 2^24.
  Value toF32(Value x) {
    Value number = b.create<mlir::arith::IndexCastOp>(loc, b.getI32Type(), x);
    return b.create<mlir::arith::SIToFPOp>(loc, b.getF32Type(), number);
  }

private:
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return b.create<mlir::arith::CmpIOp>(loc, predicate, x, y);
  }
};

} // namespace tilewright

#endif
