// Vector operations that reorder, index, scan or combine in ways our kernels do not use. They are here so that
// other people's kernels parse, print and can be analysed.

#ifndef TILEWRIGHT_DIALECT_HIVM_VECTOR_EXTRA_OPS_TD
#define TILEWRIGHT_DIALECT_HIVM_VECTOR_EXTRA_OPS_TD

include "dialect/hivm/HivmOpBase.td"

class Hivm_ExtraOp<string mnemonic, list<Trait> traits = []> : Hivm_DestinationOp<mnemonic, traits> {
  let results = (outs Variadic<AnyRankedTensor>:$result);
  let verifyBody = "return ::mlir::success();";
}

class Hivm_BareBinaryOp<string mnemonic, string accepts> : Hivm_BareElementwiseOp<mnemonic, 2, accepts> {
  let scalarSource = "Second";
}

def Hivm_VModOp : Hivm_BareBinaryOp<"vmod", "i16 i32 i64"> { let summary = "remainder"; }
// One destination takes the high half, two take both halves.
class Hivm_WideProductOp<string mnemonic> : Hivm_BareBinaryOp<mnemonic, "i32"> {
  let verifyBody = "return verifyElementTypes(*this, getSrc(), \"i32\");";
}
def Hivm_VMulExtOp : Hivm_WideProductOp<"vmulext"> { let summary = "wide signed product"; }
def Hivm_VMulExtUiOp : Hivm_WideProductOp<"vmulextui"> { let summary = "wide unsigned product"; }
def Hivm_VPowOp : Hivm_ArithmeticOp<"vpow", 2, "i32"> { let summary = "integer power"; }

def Hivm_VMulExtendedOp : Hivm_ExtraOp<"vmulextended", [AttrSizedOperandSegments]> {
  let summary = "low and high half of a product";
  let arguments = (ins Variadic<AnyType>:$src, Variadic<Hivm_Shaped>:$dst, Optional<Hivm_Shaped>:$temp_buffer);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)? (`->` type($result)^)?
  }];
}

def Hivm_VArangeOp : Hivm_ExtraOp<"varange", [AttrSizedOperandSegments]> {
  let summary = "offset plus the sum of index times stride over the dimensions";
  let arguments = (ins Hivm_Shaped:$dst, Optional<Index>:$offset, Variadic<Index>:$strides);
  let assemblyFormat = [{
    attr-dict (`offset` `[` $offset^ `]`)? `strides` `[` $strides `]` `outs` `(` $dst `:` type($dst) `)`
    (`->` type($result)^)?
  }];
}

def Hivm_VInterleaveOp : Hivm_ExtraOp<"vinterleave", [AttrSizedOperandSegments]> {
  let summary = "elements of the sources in turn";
  let arguments = (ins Variadic<Hivm_Shaped>:$src, Variadic<Hivm_Shaped>:$dst,
                   Optional<Hivm_Shaped>:$temp_buffer, I64Attr:$interleave_channel_nums);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    `interleave_channel_nums` `=` $interleave_channel_nums
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)? (`->` type($result)^)?
  }];
}

def Hivm_VDeinterleaveOp : Hivm_ExtraOp<"vdeinterleave"> {
  let summary = "every second element, or both halves";
  let arguments = (ins Hivm_Shaped:$src, Variadic<Hivm_Shaped>:$dst, OptionalAttr<I64Attr>:$channel_num,
                   OptionalAttr<Hivm_DeinterleaveModeAttr>:$index_mode);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`channel_num` `=` $channel_num^)? (`index_mode` `=` $index_mode^)? (`->` type($result)^)?
  }];
}

def Hivm_VFlipOp : Hivm_ExtraOp<"vflip"> {
  let summary = "reversal of one dimension";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$dst, I64Attr:$flip_axis);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)` `flip_axis` `=` $flip_axis
    (`->` type($result)^)?
  }];
}

def Hivm_VPadOp : Hivm_ExtraOp<"vpad", [AttrSizedOperandSegments]> {
  let summary = "source surrounded by a value";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$dst, AnyType:$pad_value, Variadic<Index>:$low,
                   Variadic<Index>:$high, DenseI64ArrayAttr:$static_low, DenseI64ArrayAttr:$static_high);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    `low` `` custom<DynamicIndexList>($low, $static_low) `high` `` custom<DynamicIndexList>($high, $static_high)
    `pad_value` $pad_value `:` type($pad_value) (`->` type($result)^)?
  }];
}

def Hivm_VConcatOp : Hivm_ExtraOp<"vconcat"> {
  let summary = "sources one after the other along a dimension";
  let arguments = (ins I64Attr:$dim, Variadic<Hivm_Shaped>:$src, Hivm_Shaped:$dst);
  let assemblyFormat = [{
    `dim` `(` $dim `)` attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    (`->` type($result)^)?
  }];
}

def Hivm_VGatherOp : Hivm_ExtraOp<"vgather"> {
  let summary = "elements picked by index along the last dimension";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$indices, Hivm_Shaped:$dst,
                   Optional<Hivm_Shaped>:$temp_buffer);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `indices` `(` $indices `:` type($indices) `)`
    `outs` `(` $dst `:` type($dst) `)` (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)?
    (`->` type($result)^)?
  }];
}

def Hivm_VGatherMaskOp : Hivm_ExtraOp<"vgathermask"> {
  let summary = "elements whose mask is set, packed";
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$mask, Hivm_Shaped:$dst);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `mask` `(` $mask `:` type($mask) `)`
    `outs` `(` $dst `:` type($dst) `)` (`->` type($result)^)?
  }];
}

class Hivm_ScanOp<string mnemonic> : Hivm_ExtraOp<mnemonic> {
  let arguments = (ins Hivm_Shaped:$src, Hivm_Shaped:$dst, DenseI64ArrayAttr:$cum_dims, BoolAttr:$reverse);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    `cum_dims` `=` $cum_dims `reverse` `=` $reverse (`->` type($result)^)?
  }];
}
def Hivm_VCumsumOp : Hivm_ScanOp<"vcumsum"> { let summary = "running sum"; }
def Hivm_VCumprodOp : Hivm_ScanOp<"vcumprod"> { let summary = "running product"; }

def Hivm_VSortOp : Hivm_ExtraOp<"vsort", [AttrSizedOperandSegments]> {
  let summary = "sorted values, and where they came from if there is a second destination";
  let arguments = (ins Hivm_Shaped:$src, Variadic<Hivm_Shaped>:$dst, Optional<Hivm_Shaped>:$temp_buffer,
                   BoolAttr:$descending, I64Attr:$sort_axis);
  let assemblyFormat = [{
    attr-dict `ins` `(` $src `:` type($src) `)` `outs` `(` $dst `:` type($dst) `)`
    `descending` `=` $descending `sort_axis` `=` $sort_axis
    (`temp_buffer` `(` $temp_buffer^ `:` type($temp_buffer) `)`)? (`->` type($result)^)?
  }];
}

#endif // TILEWRIGHT_DIALECT_HIVM_VECTOR_EXTRA_OPS_TD
