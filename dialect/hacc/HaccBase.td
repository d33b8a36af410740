// The hacc dialect: attributes that tell host code from device code and describe kernel arguments.

#ifndef TILEWRIGHT_DIALECT_HACC_BASE_TD
#define TILEWRIGHT_DIALECT_HACC_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Hacc_Dialect : Dialect {
  let name = "hacc";
  let cppNamespace = "::mlir::hacc";
  let summary = "Heterogeneous host and device programs for Ascend";
  let description = [{
    A text-compatible subset of the `hacc` dialect of AscendNPU-IR. It has attributes only. Besides the typed
    ones it uses the unit attributes `hacc.entry`, `hacc.mix_entry` and `hacc.always_inline` on functions.
  }];
  let useDefaultAttributePrinterParser = 1;
}

#endif // TILEWRIGHT_DIALECT_HACC_BASE_TD
