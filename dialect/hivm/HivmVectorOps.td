// Vector operations that change the shape: vbrc, vreduce, vtranspose.

#ifndef TILEWRIGHT_DIALECT_HIVM_VECTOR_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_VECTOR_OPS_TD

include "dialect/hivm/HivmOpBase.td"

def Hivm_VBrcOp : Hivm_DestinationOp<"vbrc"> {
  let summary = "broadcast of a scalar, or of the extent-1 dimensions of a source";
  let arguments = (ins AnyType:$src, Hivm_Shaped:$dst, Optional<Hivm_Shaped>:$temp_buffer,
                   DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$broadcast_dims);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)? (`broadcast_dims` `=` $broadcast_dims^)?
    (`->` type($result)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst,
                             CArg<"::llvm::ArrayRef<int64_t>", "{}">:$broadcastDims)>];
}

def Hivm_VReduceOp : Hivm_DestinationOp<"vreduce", [AttrSizedOperandSegments]> {
  let summary = "reduction over dimensions that keep extent 1 in the destination";
  let description = [{
    Source and destination have the same rank. The `*_with_index_*` kinds have a second, i32 destination.
    The library adds per-repeat partial sums, so the order of additions is not sequential.
  }];
  let arguments = (ins Hivm_Shaped:$src, Variadic<Hivm_Shaped>:$dst, Optional<Hivm_Shaped>:$temp_buffer,
                   Optional<Hivm_Shaped>:$indices, Hivm_ReduceKindAttr:$arith,
                   DenseI64ArrayAttr:$reduce_dims);
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    attr-dict $arith `ins` `(` $src `:` type($src) `)` (`indices` `(` $indices^ `:` type($indices) `)`)?
    `outs` `(` $dst `:` type($dst) `)` (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)?
    `reduce_dims` `=` $reduce_dims (`->` type($result)^)?
  }];
  let builders = [OpBuilder<(ins "ReduceKind":$kind, "::mlir::Value":$src, "::mlir::Value":$dst,
                             "::llvm::ArrayRef<int64_t>":$reduceDims)>];
}

def Hivm_VTransposeOp : Hivm_DestinationOp<"vtranspose"> {
  let summary = "exchange of two dimensions";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$dst, Optional<Hivm_Shaped>:$temp_buffer,
                   OptionalAttr<DenseI64ArrayAttr>:$permutation,
                   DefaultValuedAttr<BoolAttr, "false">:$disable_align);
  let results = (outs Optional<AnyRankedTensor>:$result);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)? (`permutation` `=` $permutation^)?
    (`disable_align` `=` $disable_align^)? (`->` type($result)^)?
  }];
}

#endif // TILEWRIGHT_DIALECT_HIVM_VECTOR_OPS_TD
