// Elementwise vector operations of one source.

#ifndef TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_UNARY_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_UNARY_OPS_TD

include "dialect/hivm/HivmOpBase.td"

class Hivm_UnaryOp<string mnemonic, string accepts> : Hivm_ArithmeticOp<mnemonic, 1, accepts> {
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst), [{
    buildElementwise($_builder, $_state, {src}, dst);
  }]>];
}

def Hivm_VExpOp : Hivm_UnaryOp<"vexp", "f16 f32"> { let summary = "e to the power of each element"; }
def Hivm_VLnOp : Hivm_UnaryOp<"vln", "f16 f32"> { let summary = "natural logarithm"; }
def Hivm_VSqrtOp : Hivm_UnaryOp<"vsqrt", "f16 f32"> { let summary = "square root"; }
def Hivm_VRsqrtOp : Hivm_UnaryOp<"vrsqrt", "f16 f32"> { let summary = "reciprocal square root"; }
def Hivm_VRecOp : Hivm_UnaryOp<"vrec", "f16 f32"> { let summary = "reciprocal"; }
def Hivm_VAbsOp : Hivm_UnaryOp<"vabs", "f16 f32 i16 i32 i64"> { let summary = "absolute value"; }
def Hivm_VReluOp : Hivm_UnaryOp<"vrelu", "f16 f32 i32"> { let summary = "maximum with zero"; }
def Hivm_VNotOp : Hivm_UnaryOp<"vnot", HivmStorable> { let summary = "bitwise complement"; }

// The template library of the wheel has no function for these four: they stay in the final module.
def Hivm_VTanhOp : Hivm_BareElementwiseOp<"vtanh", 1, "any"> {
  let summary = "hyperbolic tangent (no library function)";
}
def Hivm_VSinOp : Hivm_BareElementwiseOp<"vsin", 1, "any"> {
  let summary = "sine (no library function)";
}
def Hivm_VCosOp : Hivm_BareElementwiseOp<"vcos", 1, "any"> {
  let summary = "cosine (no library function)";
}
def Hivm_VErfOp : Hivm_BareElementwiseOp<"verf", 1, "any"> {
  let summary = "error function (no library function)";
}

#endif // TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_UNARY_OPS_TD
