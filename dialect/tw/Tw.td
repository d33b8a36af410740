// The tw dialect: tilewright's own attributes. No operations; plans are attributes on functions and loops.

#ifndef TILEWRIGHT_DIALECT_TW_TD
#define TILEWRIGHT_DIALECT_TW_TD

include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tw_Dialect : Dialect {
  let name = "tw";
  let cppNamespace = "::mlir::tw";
  let summary = "Plans of tilewright kernels";
  let description = [{
    Typed attributes for the passes. Discardable attributes used beside them: `tw.kernel` (unit, on a kernel
    function), `tw.name` (string, on arguments and results), `tw.args` (array of strings) and `tw.plan`
    (dictionary) on a function.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}

def Tw_AxisKind : I32EnumAttr<"AxisKind", "role of a canonical iteration axis", [
  I32EnumAttrCase<"R1", 0>, I32EnumAttrCase<"A", 1>, I32EnumAttrCase<"R0", 2>
]> {
  let cppNamespace = "::mlir::tw";
  let genSpecializedAttr = 0;
}

def Tw_IterationAttr : AttrDef<Tw_Dialect, "Iteration"> {
  let mnemonic = "iteration";
  let summary = "kinds of the iteration axes of a normalised operation, outermost first";
  let description = [{
    `A` is kept ("channel"), `R1` is reduced outside it, `R0` is reduced inside it. An elementwise operation is
    `#tw.iteration<[A]>`, a channel reduction `#tw.iteration<[R1, A, R0]>`. Adjacent axes of one kind are merged
    by normalisation where the layout allows.
  }];
  let parameters = (ins ArrayRefParameter<"AxisKind", "kinds">:$kinds);
  let assemblyFormat = "`<` `[` $kinds `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// True when no axis is reduced.
    bool isElementwise() const;
  }];
}

def Tw_CoreDim : I32EnumAttr<"CoreDim", "dimension of the launch grid", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">
]> {
  let cppNamespace = "::mlir::tw";
  let genSpecializedAttr = 0;
}

def Tw_CoreAttr : AttrDef<Tw_Dialect, "Core", [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "core";
  let summary = "maps a dimension of scf.forall to the vector cores along one dimension of the launch grid";
  let parameters = (ins EnumParameter<Tw_CoreDim>:$dim);
  let assemblyFormat = "`<` $dim `>`";
}

#endif // TILEWRIGHT_DIALECT_TW_TD
