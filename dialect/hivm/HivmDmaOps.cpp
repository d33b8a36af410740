//===- HivmDmaOps.cpp - load, store, copy
//--------------------------------------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::hivm;

#define GET_OP_CLASSES
#include "dialect/hivm/HivmDmaOps.cpp.inc"

void HivmDialect::registerDmaOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/hivm/HivmDmaOps.cpp.inc"
      >();
}

/// Rules of every transfer: one element type, one rank.
static LogicalResult verifyTransfer(Operation *op, Value src, Value dst) {
  Type from = getElementTypeOrSelf(src.getType());
  Type to = getElementTypeOrSelf(dst.getType());
  if (from != to)
    return op->emitOpError("element types of source and destination differ: ") << from << " and " << to;
  if (failed(verifyElementTypes(op, src, kStorable)))
    return failure();
  return verifySameRank(op, {src, dst});
}

/// pad_value exists exactly for <PadValue>, and has the element type.
static LogicalResult verifyPadding(Operation *op, std::optional<PadMode> mode, Value value, Value dst) {
  bool wantsValue = mode && *mode == PadMode::PadValue;
  if (wantsValue && !value)
    return op->emitOpError("pad_mode <PadValue> needs a pad_value");
  if (value && !mode)
    return op->emitOpError("pad_value needs a pad_mode");
  Type element = getElementTypeOrSelf(dst.getType());
  if (value && value.getType() != element)
    return op->emitOpError("pad_value has type ") << value.getType() << ", the elements are " << element;
  return success();
}

//===-- load
//------------------------------------------------------------------------------------------------===//

void LoadOp::build(OpBuilder &builder, OperationState &state, Value src, Value dst) {
  SmallVector<Type, 1> types = resultTypes(dst);
  build(builder, state, types.empty() ? Type() : types.front(), src, dst, PadModeAttr(), Value(), Value(),
        Value(), BoolAttr(), Value(), BoolAttr(), CoreTypeAttr());
}

LogicalResult LoadOp::verify() {
  if (failed(verifyTransfer(*this, getSrc(), getDst())) ||
      failed(verifyPadding(*this, getPadMode(), getPadValue(), getDst())))
    return failure();
  auto from = getAddressSpace(getSrc().getType());
  auto to = getAddressSpace(getDst().getType());
  if ((from && *from != AddressSpace::GM) || (to && *to == AddressSpace::GM))
    return emitOpError("reads GM into a local memory, got ")
           << stringifyAddressSpace(from.value_or(AddressSpace::GM)) << " to "
           << stringifyAddressSpace(to.value_or(AddressSpace::UB));
  return success();
}

//===-- store
//-----------------------------------------------------------------------------------------------===//

void StoreOp::build(OpBuilder &builder, OperationState &state, Value src, Value dst,
                    AtomicKindAttr atomicKind) {
  SmallVector<Type, 1> types = resultTypes(dst);
  build(builder, state, types.empty() ? Type() : types.front(), src, dst, atomicKind);
}

bool StoreOp::isAtomic() {
  std::optional<AtomicKind> kind = getAtomicKind();
  return kind && *kind != AtomicKind::NONE;
}

LogicalResult StoreOp::verify() {
  if (failed(verifyTransfer(*this, getSrc(), getDst())))
    return failure();
  auto from = getAddressSpace(getSrc().getType());
  auto to = getAddressSpace(getDst().getType());
  if ((from && *from != AddressSpace::UB) || (to && *to != AddressSpace::GM))
    return emitOpError("writes UB to GM, got ")
           << stringifyAddressSpace(from.value_or(AddressSpace::UB)) << " to "
           << stringifyAddressSpace(to.value_or(AddressSpace::GM));
  return success();
}

//===-- copy
//------------------------------------------------------------------------------------------------===//

void CopyOp::build(OpBuilder &builder, OperationState &state, Value src, Value dst) {
  SmallVector<Type, 1> types = resultTypes(dst);
  build(builder, state, types.empty() ? Type() : types.front(), src, dst, PadModeAttr(), Value(),
        ArrayAttr());
}

LogicalResult CopyOp::verify() {
  if (getElementTypeOrSelf(getSrc().getType()) != getElementTypeOrSelf(getDst().getType()))
    return emitOpError("element types of source and destination differ");
  if (failed(verifyPadding(*this, getPadMode(), getPadValue(), getDst())))
    return failure();
  if (getAddressSpace(getSrc().getType()) == AddressSpace::GM &&
      getAddressSpace(getDst().getType()) == AddressSpace::GM)
    return emitOpError("cannot copy from gm to gm");
  return success();
}
