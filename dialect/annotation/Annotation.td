// The annotation dialect: key-value marks on values.

#ifndef TILEWRIGHT_DIALECT_ANNOTATION_TD
#define TILEWRIGHT_DIALECT_ANNOTATION_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Annotation_Dialect : Dialect {
  let name = "annotation";
  let cppNamespace = "::mlir::annotation";
  let summary = "Key-value marks on values, read by bishengir-compile";
}

def Annotation_MarkOp : Op<Annotation_Dialect, "mark", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Attach attributes, or values under names, to a value";
  let description = [{
    ```mlir
    annotation.mark %buffer {hivm.multi_buffer = 2 : i32} : memref<4096xf16>
    annotation.mark %t keys = ["size"] values = [%n : index] : tensor<?xf32>
    ```
    Has a write effect, so that clean-up passes keep the mark and its place.
  }];
  let arguments = (ins AnyType:$src, Variadic<AnyType>:$values, OptionalAttr<StrArrayAttr>:$keys);
  let assemblyFormat = [{
    $src attr-dict (`keys` `=` $keys^)? (`values` `=` `[` $values^ `:` type($values) `]`)? `:` type($src)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::NamedAttribute":$mark)>];
  let hasVerifier = 1;
}

#endif // TILEWRIGHT_DIALECT_ANNOTATION_TD
