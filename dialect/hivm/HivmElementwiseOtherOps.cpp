//===- HivmElementwiseOtherOps.cpp - vcast, vcmp, vsel
//-------------------------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::hivm;

#define GET_OP_CLASSES
#include "dialect/hivm/HivmElementwiseOtherOps.cpp.inc"

void HivmDialect::registerElementwiseOtherOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/hivm/HivmElementwiseOtherOps.cpp.inc"
      >();
}

/// A mask is i1 (one bit an element in UB) or i8.
static LogicalResult verifyMask(Operation *op, Value mask, StringRef role) {
  Type element = getElementTypeOrSelf(mask.getType());
  if (!element.isInteger(1) && !element.isInteger(8))
    return op->emitOpError(role) << " must have element type i1 or i8, got " << element;
  return success();
}

void VCastOp::build(OpBuilder &builder, OperationState &state, Value src, Value dst, RoundMode roundMode) {
  build(builder, state, resultTypes(dst), src, dst, /*temp_buffer=*/nullptr, roundMode);
}

LogicalResult VCastOp::verify() {
  if (failed(verifyElementwise(*this, getSrc(), getDst(), /*arity=*/1, getBroadcast(), getTranspose())))
    return failure();
  Type from = getElementTypeOrSelf(getSrc().front().getType());
  Type to = getElementTypeOrSelf(getDst().front().getType());
  if (!isCastSupported(from, to, getRoundMode(), getCast()))
    return emitOpError("the vector unit does not cast ")
           << from << " to " << to << " with rounding " << stringifyRoundMode(getRoundMode()) << " ("
           << stringifyTypeFn(getCast()) << ")";
  return success();
}

void VCmpOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs, Value dst,
                   CompareMode mode) {
  build(builder, state, resultTypes(dst), ValueRange{lhs, rhs}, dst, mode);
}

LogicalResult VCmpOp::verify() {
  if (failed(verifyElementwise(*this, getSrc(), getDst(), /*arity=*/2, getBroadcast(), getTranspose())) ||
      failed(verifyScalarSources(*this, getSrc(), ScalarSource::Second)) ||
      failed(verifyElementTypes(*this, getSrc(), "f16 f32 i16 i32 i64")))
    return failure();
  Type lhs = getElementTypeOrSelf(getSrc()[0].getType());
  Type rhs = getElementTypeOrSelf(getSrc()[1].getType());
  if (lhs != rhs)
    return emitOpError("compares ") << lhs << " with " << rhs;
  return verifyMask(*this, getDst().front(), "destination");
}

LogicalResult VSelOp::verify() {
  if (failed(verifyElementwise(*this, getSrc(), getDst(), /*arity=*/3, getBroadcast(), getTranspose())) ||
      failed(verifyMask(*this, getSrc().front(), "source 0")))
    return failure();
  Type element = getElementTypeOrSelf(getDst().front().getType());
  for (Value value : getSrc().drop_front())
    if (getElementTypeOrSelf(value.getType()) != element)
      return emitOpError("chooses between elements of type ")
             << getElementTypeOrSelf(value.getType()) << " for a destination of " << element;
  return verifyElementTypes(*this, getSrc().drop_front(), "f16 bf16 f32 i16 ui16 i32 ui32 i64");
}
