//===- Hfusion.cpp - The part of hfusion that final modules keep ----------------------------------------===//

#include "dialect/hfusion/Hfusion.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::hfusion;

#include "dialect/hfusion/HfusionDialect.cpp.inc"
#include "dialect/hfusion/HfusionEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialect/hfusion/HfusionAttrs.cpp.inc"

void HfusionDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialect/hfusion/HfusionAttrs.cpp.inc"
      >();
}
