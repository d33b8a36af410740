//===- Annotation.h - The annotation dialect ----------------------------------------------------*- C++
//-*-===//

#ifndef TILEWRIGHT_DIALECT_ANNOTATION_ANNOTATION_H
#define TILEWRIGHT_DIALECT_ANNOTATION_ANNOTATION_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/annotation/AnnotationDialect.h.inc"

#define GET_OP_CLASSES
#include "dialect/annotation/Annotation.h.inc"

namespace mlir::annotation {

/// Mark on a loop-local buffer: number of copies that consecutive iterations use in turn (i32).
constexpr llvm::StringLiteral kMultiBufferAttrName = "hivm.multi_buffer";
/// Mark on a buffer of dynamic size: an upper bound of its bytes (i64).
constexpr llvm::StringLiteral kBufferSizeAttrName = "buffer_size_in_byte";

} // namespace mlir::annotation

#endif // TILEWRIGHT_DIALECT_ANNOTATION_ANNOTATION_H
