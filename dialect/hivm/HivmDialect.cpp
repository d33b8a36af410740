//===- HivmDialect.cpp - Dialect, enumerations, attributes
//---------------------------------------------------===//
//
// Operations register themselves from the file that defines them, so that each .td compiles on its own.
//
//===--------------------------------------------------------------------------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hivm;

#include "dialect/hivm/HivmDialect.cpp.inc"
#include "dialect/hivm/HivmEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/hivm/HivmAttrs.cpp.inc"
#include "dialect/hivm/HivmInterfaces.cpp.inc"

void HivmDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hivm/HivmAttrs.cpp.inc"
      >();
}

int64_t BlockMappingAttr::getMappingId() const { return getOrder().value_or(0); }
bool BlockMappingAttr::isLinearMapping() const { return true; }
int64_t BlockMappingAttr::getRelativeIndex() const { return getMappingId(); }

void HivmDialect::initialize() {
  registerAttributes();
  registerDmaOps();
  registerElementwiseUnaryOps();
  registerElementwiseBinaryOps();
  registerElementwiseOtherOps();
  registerVectorOps();
  registerVectorExtraOps();
  registerSyncOps();
  registerSystemOps();
}
