//===- Hacc.h - The hacc dialect ----------------------------------------------------------------*- C++
//-*-===//
//
// Its own translation unit, apart from hivm: TableGen gives the attribute parsers of every dialect the same
// file-local names.
//
//===--------------------------------------------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_HACC_HACC_H
#define TILEWRIGHT_DIALECT_HACC_HACC_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

#include "dialect/hacc/HaccDialect.h.inc"
#include "dialect/hacc/HaccEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hacc/HaccAttrs.h.inc"

namespace mlir::hacc {

/// Unit attribute of a kernel that the host can launch.
constexpr llvm::StringLiteral kEntryAttrName = "hacc.entry";
/// Attribute of a function: FunctionKindAttr.
constexpr llvm::StringLiteral kFunctionKindAttrName = "hacc.function_kind";
/// Attribute of a function argument: ArgTypeAttr.
constexpr llvm::StringLiteral kArgTypeAttrName = "hacc.arg_type";
/// Attribute of a host function: HostFuncTypeAttr.
constexpr llvm::StringLiteral kHostFuncTypeAttrName = "hacc.host_func_type";

/// True for a function the host can launch on the device.
bool isEntry(Operation *func);
/// The role of argument `index` of a function-like operation, nothing for a user argument.
std::optional<ArgType> getArgType(Operation *func, unsigned index);
/// The device specification of the module around `op`, null if there is none.
TargetDeviceSpecAttr getDeviceSpec(Operation *op);

} // namespace mlir::hacc

#endif // TILEWRIGHT_DIALECT_HACC_HACC_H
