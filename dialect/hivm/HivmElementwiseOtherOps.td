// Elementwise vector operations that change the element type or select: vcast, vcmp, vsel.

#ifndef TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_OTHER_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_OTHER_OPS_TD

include "dialect/hivm/HivmOpBase.td"

def Hivm_VCastOp : Hivm_ElementwiseOp<"vcast", [AttrSizedOperandSegments]> {
  let summary = "conversion of the element type";
  let arguments = (ins Variadic<AnyType>:$src, Variadic<Hivm_Shaped>:$dst, Optional<Hivm_Shaped>:$temp_buffer,
                   DefaultValuedAttr<Hivm_RoundModeAttr, "::mlir::hivm::RoundMode::RINT">:$round_mode,
                   DefaultValuedAttr<Hivm_TypeFnAttr, "::mlir::hivm::TypeFn::cast_signed">:$cast,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$transpose,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$broadcast);
  let assemblyFormat = elementwiseHead # "(`round_mode` `=` $round_mode^)? (`cast` `=` $cast^)?" # elementwiseTail;
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst,
                             CArg<"RoundMode", "RoundMode::RINT">:$roundMode)>];
}

def Hivm_VCmpOp : Hivm_ElementwiseOp<"vcmp", [AttrSizedOperandSegments]> {
  let summary = "comparison to a bit-packed i1 mask";
  let arguments = (ins Variadic<AnyType>:$src, Variadic<Hivm_Shaped>:$dst,
                   DefaultValuedAttr<Hivm_CompareModeAttr, "::mlir::hivm::CompareMode::EQ">:$compare_mode,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$transpose,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$broadcast);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`compare_mode` `=` $compare_mode^)? (`broadcast` `=` $broadcast^)? (`transpose` `=` $transpose^)?
    (`->` type($result)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::mlir::Value":$dst,
                             "CompareMode":$mode)>];
}

def Hivm_VSelOp : Hivm_ElementwiseOp<"vsel", [AttrSizedOperandSegments]> {
  let summary = "choice between two sources by an i1 mask";
  let description = "Sources are the mask, the value where it is set, and the value where it is clear.";
  let builders = [OpBuilder<(ins "::mlir::Value":$mask, "::mlir::Value":$ifSet, "::mlir::Value":$ifClear,
                             "::mlir::Value":$dst), [{
    buildElementwise($_builder, $_state, {mask, ifSet, ifClear}, dst);
  }]>];
}

#endif // TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_OTHER_OPS_TD
