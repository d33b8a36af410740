//===- Tw.h - The tw dialect --------------------------------------------------------------------*- C++
//-*-===//

#ifndef TILEWRIGHT_DIALECT_TW_TW_H
#define TILEWRIGHT_DIALECT_TW_TW_H

#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "dialect/tw/TwDialect.h.inc"
#include "dialect/tw/TwEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/tw/TwAttrs.h.inc"

namespace mlir::tw {

/// Unit attribute of a kernel function.
constexpr llvm::StringLiteral kKernelAttrName = "tw.kernel";
/// String attribute of an argument or result: the name of the user's tensor or scalar.
constexpr llvm::StringLiteral kNameAttrName = "tw.name";
/// Array of strings on a function in Triton ABI: the role of each argument for the host.
constexpr llvm::StringLiteral kArgsAttrName = "tw.args";
/// Dictionary on a function: what the host needs to tile (UB capacity, tile limits, ...).
constexpr llvm::StringLiteral kPlanAttrName = "tw.plan";
/// IterationAttr on a normalised linalg operation or function.
constexpr llvm::StringLiteral kIterationAttrName = "tw.iteration";

} // namespace mlir::tw

#endif // TILEWRIGHT_DIALECT_TW_TW_H
