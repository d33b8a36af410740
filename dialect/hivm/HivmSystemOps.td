// Core state, core indices and addresses.

#ifndef TILEWRIGHT_DIALECT_HIVM_SYSTEM_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_SYSTEM_OPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/hivm/HivmAttrs.td"

// Constant during one launch on one core.
class Hivm_IndexQueryOp<string mnemonic> : Hivm_Op<mnemonic, [Pure]> {
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `->` type($result)";
}

def Hivm_GetBlockIdxOp : Hivm_IndexQueryOp<"get_block_idx"> { let summary = "index of this block"; }
def Hivm_GetBlockNumOp : Hivm_IndexQueryOp<"get_block_num"> { let summary = "number of blocks launched"; }
def Hivm_GetSubBlockIdxOp : Hivm_IndexQueryOp<"get_sub_block_idx"> {
  let summary = "index of this vector core beside its cube core";
}
def Hivm_GetSubBlockNumOp : Hivm_IndexQueryOp<"get_sub_block_num"> {
  let summary = "number of vector cores beside one cube core";
}

def Hivm_GetSysCntOp : Hivm_Op<"get_sys_cnt"> {
  let summary = "free-running system counter";
  let results = (outs I64:$result);
  let assemblyFormat = "attr-dict `->` type($result)";
}

def Hivm_SetMaskNormOp : Hivm_Op<"set_mask_norm"> {
  let summary = "Put the vector mask in normal (bit mask) mode";
  let assemblyFormat = "attr-dict";
}

def Hivm_SetCtrlOp : Hivm_Op<"set_ctrl"> {
  let summary = "Write one bit of the core's control register";
  let arguments = (ins BoolAttr:$enable, I64Attr:$idx);
  let assemblyFormat = "$enable `at` `ctrl` `` `[` $idx `]` attr-dict";
}

def Hivm_SetAtomicOp : Hivm_Op<"set_atomic"> {
  let summary = "Choose how later stores combine with GM";
  let arguments = (ins Hivm_AtomicKindAttr:$kind, OptionalAttr<TypeAttr>:$type);
  let assemblyFormat = "`kind` `=` $kind `` `[` `type` `=` $type `]` attr-dict";
}

def Hivm_DcciOp : Hivm_Op<"dcci"> {
  let summary = "Clean and invalidate lines of the scalar unit's data cache";
  let arguments = (ins Hivm_DcciModeAttr:$mode, Hivm_DataCacheKindAttr:$dataCacheKind,
                   Optional<AnyMemRef>:$ptr);
  let assemblyFormat = "attr-dict `(` $mode `,` $dataCacheKind (`,` $ptr^ `:` type($ptr))? `)`";
}

def Hivm_SetFFTSBaseAddrOp : Hivm_Op<"set_ffts_base_addr"> {
  let summary = "Give the core the address used by cross-core flags";
  let arguments = (ins I64:$ffts_base_addr);
  let assemblyFormat = "attr-dict $ffts_base_addr";
}

def Hivm_PointerCastOp : Hivm_Op<"pointer_cast", [AttrSizedOperandSegments]> {
  let summary = "Buffer at given byte offsets of its address space";
  let description = [{
    More than one address makes a multi-buffer: consecutive iterations of the enclosing loop use the addresses
    in turn. `dynamicSizes` gives the dynamic extents of the result.
  }];
  let arguments = (ins Variadic<I64>:$addrs, Variadic<Index>:$dynamicSizes);
  let results = (outs Res<AnyMemRef, "buffer", [MemAlloc]>:$result);
  let assemblyFormat = "`(` $addrs `)` (`[` $dynamicSizes^ `]`)? attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::mlir::MemRefType":$type, "::mlir::Value":$address)>];
  let hasVerifier = 1;
}

// With its C++ class, so that the type prints without `!llvm.ptr`.
def Hivm_Pointer : Type<CPred<"::llvm::isa<::mlir::LLVM::LLVMPointerType>($_self)">, "LLVM pointer",
                        "::mlir::LLVM::LLVMPointerType">;

def Hivm_LoadScalarOp : Hivm_Op<"load_scalar"> {
  let summary = "Read one scalar from GM";
  let arguments = (ins Arg<Hivm_Pointer, "address", [MemRead]>:$addr);
  let results = (outs AnyTypeOf<[AnyInteger, AnyFloat]>:$result);
  let assemblyFormat = "attr-dict $addr `:` type($addr) `->` type($result)";
  let hasVerifier = 1;
}

def Hivm_BitcastOp : Hivm_Op<"bitcast", [Pure]> {
  let summary = "The same bits as another element type";
  let arguments = (ins AnyType:$src);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$src `:` type($src) `->` type($result) attr-dict";
}

//===-- Printing from a kernel ----------------------------------------------------------------------===//

def Hivm_InitDebugOp : Hivm_Op<"init_debug"> {
  let summary = "Prepare printing from the kernel";
  let assemblyFormat = "attr-dict";
}
def Hivm_FinishDebugOp : Hivm_Op<"finish_debug"> {
  let summary = "Flush printing from the kernel";
  let assemblyFormat = "attr-dict";
}
def Hivm_DebugOp : Hivm_Op<"debug"> {
  let summary = "Print or check a value from the kernel";
  let arguments = (ins StrAttr:$debugtype, StrAttr:$prefix, BoolAttr:$hex, AnyType:$arg,
                   OptionalAttr<Hivm_CoreTypeAttr>:$tcoretype);
  let assemblyFormat = "attr-dict $arg `:` type($arg)";
}

#endif // TILEWRIGHT_DIALECT_HIVM_SYSTEM_OPS_TD
