// The hfusion dialect, as far as it is left in final modules of kernels that started as linalg: one attribute.

#ifndef TILEWRIGHT_DIALECT_HFUSION_TD
#define TILEWRIGHT_DIALECT_HFUSION_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Hfusion_Dialect : Dialect {
  let name = "hfusion";
  let cppNamespace = "::mlir::hfusion";
  let summary = "What AscendNPU-IR's scheduler notes on functions";
  let useDefaultAttributePrinterParser = 1;
}

def Hfusion_FusionKind : I32EnumAttr<"FusionKind", "schedule family of a fused function", [
  I32EnumAttrCase<"PURE_ELEMWISE", 1>, I32EnumAttrCase<"ANY_PB", 2>, I32EnumAttrCase<"LAST_AXIS_PBR", 3>,
  I32EnumAttrCase<"ANY_PBR", 4>, I32EnumAttrCase<"SINGLE_CUBE", 5>, I32EnumAttrCase<"SHALLOW_CV", 6>,
  I32EnumAttrCase<"SHALLOW_VV", 7>, I32EnumAttrCase<"MIX_CV", 8>, I32EnumAttrCase<"MIX_C2", 9>,
  I32EnumAttrCase<"UNKNOWN", 10>
]> {
  let cppNamespace = "::mlir::hfusion";
  let genSpecializedAttr = 0;
}
def Hfusion_FusionKindAttr : EnumAttr<Hfusion_Dialect, Hfusion_FusionKind, "fusion_kind"> {
  let assemblyFormat = "`<` $value `>`";
}

#endif // TILEWRIGHT_DIALECT_HFUSION_TD
