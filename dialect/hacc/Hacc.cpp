//===- Hacc.cpp - The hacc dialect
//---------------------------------------------------------------------------===//

#include "dialect/hacc/Hacc.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hacc;

#include "dialect/hacc/HaccDialect.cpp.inc"
#include "dialect/hacc/HaccEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/hacc/HaccAttrs.cpp.inc"

void HaccDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hacc/HaccAttrs.cpp.inc"
      >();
}

std::optional<int64_t> hacc::TargetDeviceSpecAttr::getInteger(StringRef name) const {
  for (DataLayoutEntryInterface entry : getEntries()) {
    auto key = llvm::dyn_cast<StringAttr>(entry.getKey());
    auto value = llvm::dyn_cast<IntegerAttr>(entry.getValue());
    if (key && key.getValue() == name && value)
      return value.getInt();
  }
  return std::nullopt;
}

bool mlir::hacc::isEntry(Operation *func) { return func->hasAttr(kEntryAttrName); }

std::optional<ArgType> mlir::hacc::getArgType(Operation *func, unsigned index) {
  auto function = dyn_cast<FunctionOpInterface>(func);
  if (!function || index >= function.getNumArguments())
    return std::nullopt;
  if (auto type = function.getArgAttrOfType<ArgTypeAttr>(index, kArgTypeAttrName))
    return type.getValue();
  return std::nullopt;
}

hacc::TargetDeviceSpecAttr mlir::hacc::getDeviceSpec(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto spec = op->getAttrOfType<TargetSystemSpecAttr>(DLTIDialect::kTargetSystemDescAttrName))
      for (DeviceIDTargetDeviceSpecPair entry : spec.getEntries())
        if (auto device = dyn_cast<hacc::TargetDeviceSpecAttr>(entry.second))
          return device;
  return {};
}
