//===- Annotation.cpp - The annotation dialect
//---------------------------------------------------------------===//

#include "dialect/annotation/Annotation.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::annotation;

#include "dialect/annotation/AnnotationDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialect/annotation/Annotation.cpp.inc"

void AnnotationDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialect/annotation/Annotation.cpp.inc"
      >();
}

void MarkOp::build(OpBuilder &, OperationState &state, Value src, NamedAttribute mark) {
  state.addOperands(src);
  state.addAttribute(mark.getName(), mark.getValue());
}

void MarkOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get(), &getSrcMutable(), SideEffects::DefaultResource::get());
}

LogicalResult MarkOp::verify() {
  // The compiler itself marks with a value and an empty list of keys.
  size_t keys = getKeys() ? getKeys()->size() : 0;
  if (keys > getValues().size())
    return emitOpError("has ") << keys << " keys for " << getValues().size() << " values";
  return success();
}
