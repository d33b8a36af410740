// Transfers between GM, UB and the other memories of a core.

#ifndef TILEWRIGHT_DIALECT_HIVM_DMA_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_DMA_OPS_TD

include "dialect/hivm/HivmOpBase.td"

def Hivm_LoadOp : Hivm_DestinationOp<"load", [AttrSizedOperandSegments]> {
  let summary = "Copy from GM into a local memory, optionally padded";
  let description = [{
    Padding counts are in elements. `init_out_buffer` fills the whole destination with `pad_value` first,
    under `init_condition` if given.
  }];
  let pipe = "Pipe::MTE2";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$dst, OptionalAttr<Hivm_PadModeAttr>:$pad_mode,
                   Optional<AnyType>:$pad_value, Optional<Index>:$left_padding_num,
                   Optional<AnyType>:$right_padding_num, OptionalAttr<BoolAttr>:$init_out_buffer,
                   Optional<AnyType>:$init_condition,
                   OptionalAttr<BoolAttr>:$may_implicit_transpose_with_last_axis,
                   OptionalAttr<Hivm_CoreTypeAttr>:$tcoretype);
  let results = (outs Optional<AnyRankedTensor>:$result_tensor);
  let assemblyFormat = [{
    `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict
    (`pad_mode` `=` $pad_mode^)? (`pad_value` `=` $pad_value^ `:` type($pad_value))?
    (`left_padding_num` `=` $left_padding_num^ `:` type($left_padding_num))?
    (`init_out_buffer` `=` $init_out_buffer^)?
    (`right_padding_num` `=` $right_padding_num^ `:` type($right_padding_num))?
    (`init_condition` `=` $init_condition^ `:` type($init_condition))?
    (`may_implicit_transpose_with_last_axis` `=` $may_implicit_transpose_with_last_axis^)?
    (`core_type` `=` $tcoretype^)? (`->` type($result_tensor)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst)>];
}

def Hivm_StoreOp : Hivm_DestinationOp<"store"> {
  let summary = "Copy from UB to GM, optionally combined atomically with the value in GM";
  let pipe = "Pipe::MTE3";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$dst, OptionalAttr<Hivm_AtomicKindAttr>:$atomic_kind);
  let results = (outs Optional<AnyRankedTensor>:$result_tensor);
  let assemblyFormat = [{
    `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict
    (`atomic` `=` $atomic_kind^)? (`->` type($result_tensor)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst,
                             CArg<"AtomicKindAttr", "nullptr">:$atomicKind)>];
  let extraClassDeclaration = destinationDeclaration # [{
    /// True when the store combines with what GM holds instead of replacing it.
    bool isAtomic();
  }];
  let readsDst = "isAtomic()";
}

def Hivm_CopyOp : Hivm_DestinationOp<"copy"> {
  let summary = "Copy between local memories";
  let description = [{
    A UB to UB copy is a vector instruction; the other directions belong to the transfer pipe of the memories.
  }];
  let pipe = "getCopyPipe(getSrc().getType(), getDst().getType())";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$dst, OptionalAttr<Hivm_PadModeAttr>:$pad_mode,
                   Optional<AnyType>:$pad_value, OptionalAttr<IndexListArrayAttr>:$collapse_reassociation);
  let results = (outs Optional<AnyRankedTensor>:$result_tensor);
  let assemblyFormat = [{
    `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` attr-dict
    (`pad_mode` `=` $pad_mode^)? (`pad_value` `=` $pad_value^ `:` type($pad_value))?
    (`collapse_reassociation` `=` $collapse_reassociation^)? (`->` type($result_tensor)^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst)>];
}

#endif // TILEWRIGHT_DIALECT_HIVM_DMA_OPS_TD
