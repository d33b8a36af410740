// Elementwise vector operations of two sources of the destination's element type.

#ifndef TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_BINARY_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_BINARY_OPS_TD

include "dialect/hivm/HivmOpBase.td"

class Hivm_BinaryOp<string mnemonic, string accepts> : Hivm_ArithmeticOp<mnemonic, 2, accepts> {
  let scalarSource = "Second";
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::mlir::Value":$dst), [{
    buildElementwise($_builder, $_state, {lhs, rhs}, dst);
  }]>];
}

def Hivm_VAddOp : Hivm_BinaryOp<"vadd", "f16 f32 i16 i32 i64"> { let summary = "sum"; }
def Hivm_VMulOp : Hivm_BinaryOp<"vmul", "f16 f32 i16 i32 i64"> { let summary = "product"; }
def Hivm_VMaxOp : Hivm_BinaryOp<"vmax", "f16 f32 i16 i32 i64"> { let summary = "maximum"; }
def Hivm_VMinOp : Hivm_BinaryOp<"vmin", "f16 f32 i16 i32 i64"> { let summary = "minimum"; }
def Hivm_VSubOp : Hivm_BinaryOp<"vsub", "f16 f32 i16 i32 i64"> {
  let summary = "difference";
  let scalarSource = "Any";
}
def Hivm_VDivOp : Hivm_BinaryOp<"vdiv", "f16 f32 i64"> {
  let summary = "quotient";
  let scalarSource = "Any";
}
def Hivm_VAndOp : Hivm_BinaryOp<"vand", HivmStorable> {
  let summary = "bitwise and";
  let scalarSource = "None";
}
def Hivm_VOrOp : Hivm_BinaryOp<"vor", HivmStorable> {
  let summary = "bitwise or";
  let scalarSource = "None";
}
def Hivm_VXorOp : Hivm_BinaryOp<"vxor", HivmIntegers> {
  let summary = "bitwise exclusive or";
  let scalarSource = "None";
}
def Hivm_VShlOp : Hivm_BinaryOp<"vshl", "i16 i32 i64"> { let summary = "shift left"; }
def Hivm_VShrOp : Hivm_BinaryOp<"vshr", "i16 i32 i64"> {
  let summary = "shift right";
  let arguments = (ins Variadic<AnyType>:$src, Variadic<Hivm_Shaped>:$dst, Optional<Hivm_Shaped>:$temp_buffer,
                   OptionalAttr<BoolAttr>:$round, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$transpose,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$broadcast);
  let assemblyFormat = elementwiseHead # "(`round` `:` $round^)?" # elementwiseTail;
}

#endif // TILEWRIGHT_DIALECT_HIVM_ELEMENTWISE_BINARY_OPS_TD
