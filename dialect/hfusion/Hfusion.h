//===- Hfusion.h - The part of hfusion that final modules keep ---------------------------------*- C++
//-*-===//

#ifndef TILEWRIGHT_DIALECT_HFUSION_HFUSION_H
#define TILEWRIGHT_DIALECT_HFUSION_HFUSION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"

#include "dialect/hfusion/HfusionDialect.h.inc"
#include "dialect/hfusion/HfusionEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hfusion/HfusionAttrs.h.inc"

#endif // TILEWRIGHT_DIALECT_HFUSION_HFUSION_H
