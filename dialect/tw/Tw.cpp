//===- Tw.cpp - The tw dialect
//-------------------------------------------------------------------------------===//

#include "dialect/tw/Tw.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tw;

#include "dialect/tw/TwDialect.cpp.inc"
#include "dialect/tw/TwEnums.cpp.inc"

namespace mlir {
/// Axis kinds print bare, without the quotes and angle brackets of an attribute.
template <> struct FieldParser<SmallVector<AxisKind>> {
  static FailureOr<SmallVector<AxisKind>> parse(AsmParser &parser) {
    SmallVector<AxisKind> kinds;
    auto parseKind = [&]() -> ParseResult {
      FailureOr<AxisKind> kind = FieldParser<AxisKind>::parse(parser);
      if (failed(kind))
        return failure();
      kinds.push_back(*kind);
      return success();
    };
    if (parser.parseCommaSeparatedList(parseKind))
      return failure();
    return kinds;
  }
};
} // namespace mlir

#define GET_ATTRDEF_CLASSES
#include "dialect/tw/TwAttrs.cpp.inc"

void TwDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/tw/TwAttrs.cpp.inc"
      >();
}

/// Checks the attributes the host reads, so that a wrong one is found where it is written.
LogicalResult TwDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  bool isFunction = isa<FunctionOpInterface>(op);
  if (name == kKernelAttrName || name == kArgsAttrName || name == kPlanAttrName) {
    if (!isFunction)
      return op->emitOpError("has '") << name << "', which belongs on a function";
  }
  if (name == kArgsAttrName) {
    auto roles = dyn_cast<ArrayAttr>(value);
    if (!roles || !llvm::all_of(roles, llvm::IsaPred<StringAttr>))
      return op->emitOpError("'") << name << "' must be an array of strings";
  }
  if (name == kPlanAttrName && !isa<DictionaryAttr>(value))
    return op->emitOpError("'") << name << "' must be a dictionary";
  if (name == kIterationAttrName && !isa<IterationAttr>(value))
    return op->emitOpError("'") << name << "' must be a #tw.iteration attribute";
  return success();
}

//===-- iteration
//-------------------------------------------------------------------------------------------===//

LogicalResult IterationAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                    ArrayRef<AxisKind> kinds) {
  if (!kinds.empty() && !llvm::is_contained(kinds, AxisKind::A) && kinds.size() > 1)
    return emitError() << "more than one reduced axis without a kept axis between must be merged";
  return success();
}

bool IterationAttr::isElementwise() const {
  return llvm::all_of(getKinds(), [](AxisKind kind) { return kind == AxisKind::A; });
}

//===-- core
//------------------------------------------------------------------------------------------------===//

int64_t CoreAttr::getMappingId() const { return static_cast<int64_t>(getDim()); }

/// The launch grid has one block per core; its dimensions are used as they are.
bool CoreAttr::isLinearMapping() const { return false; }

int64_t CoreAttr::getRelativeIndex() const { return getMappingId(); }
