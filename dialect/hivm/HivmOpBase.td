// Base classes of the structured (ins/outs) operations.

#ifndef TILEWRIGHT_DIALECT_HIVM_OP_BASE_TD
#define TILEWRIGHT_DIALECT_HIVM_OP_BASE_TD

include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/hivm/HivmAttrs.td"
include "dialect/hivm/HivmInterfaces.td"

// Element types that UB and the transfers hold, and the ones the vector unit's logic works on.
defvar HivmIntegers = "i1 i8 ui8 i16 ui16 i32 ui32 i64 ui64";
defvar HivmStorable = HivmIntegers # " f16 bf16 f32";

// Destination style: operand `dst` is the init; the memref form has no result, the tensor form one per init.
class Hivm_DestinationOp<string mnemonic, list<Trait> traits = []>
    : Hivm_Op<mnemonic, traits # [
        DestinationStyleOpInterface, HivmPipeOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  // C++ expression of type Pipe, evaluated in the operation's scope.
  string pipe = "Pipe::V";
  // C++ condition: the value already in `dst` takes part in the result.
  string readsDst = "false";
  // C++ body of verify(); empty when it is written by hand.
  string verifyBody = "";
  let hasVerifier = 1;
  code destinationDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getDstMutable(); }
    ::mlir::hivm::Pipe getPipe();
  }];
  let extraClassDeclaration = destinationDeclaration;
  let extraClassDefinition = "::mlir::hivm::Pipe $cppClass::getPipe() { return " # pipe # "; }" # [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      ::mlir::hivm::getDestinationEffects(*this, }] # readsDst # ", effects);\n}\n" #
    !if(!empty(verifyBody), "", "::llvm::LogicalResult $cppClass::verify() { " # verifyBody # " }");
}

// Vector operation with on-the-fly broadcast (a source of extent 1 in those dimensions) or transpose.
class Hivm_ElementwiseOp<string mnemonic, list<Trait> traits = []> : Hivm_DestinationOp<mnemonic, traits> {
  let arguments = (ins Variadic<AnyType>:$src, Variadic<Hivm_Shaped>:$dst, Optional<Hivm_Shaped>:$temp_buffer,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$transpose,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$broadcast);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  string elementwiseHead = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)?
  }];
  string elementwiseTail = [{
    (`broadcast` `=` $broadcast^)? (`transpose` `=` $transpose^)? (`->` type($result)^)?
  }];
  let assemblyFormat = elementwiseHead # elementwiseTail;
}

// Elementwise operation whose textual form has no scratch buffer.
class Hivm_BareElementwiseOp<string mnemonic, int sources, string accepts>
    : Hivm_ElementwiseOp<mnemonic, [AttrSizedOperandSegments, SameOperandsElementType]> {
  string scalarSource = "None";
  let arguments = (ins Variadic<AnyType>:$src, Variadic<Hivm_Shaped>:$dst,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$transpose,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$broadcast);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
  }] # elementwiseTail;
  let verifyBody = "return verifyArithmetic(*this, " # !cast<string>(sources) # ", \"" # accepts #
                   "\", ScalarSource::" # scalarSource # ");";
}

// Operation of the vector unit on sources and destination of one element type. `accepts` lists the element
// types that the wheel's verifier accepts, e.g. "f16 f32"; `scalarSource` says which sources may be a scalar.
class Hivm_ArithmeticOp<string mnemonic, int sources, string accepts>
    : Hivm_ElementwiseOp<mnemonic, [AttrSizedOperandSegments, SameOperandsElementType]> {
  string scalarSource = "None";
  let verifyBody = "return verifyArithmetic(*this, " # !cast<string>(sources) # ", \"" # accepts #
                   "\", ScalarSource::" # scalarSource # ");";
}

#endif // TILEWRIGHT_DIALECT_HIVM_OP_BASE_TD
