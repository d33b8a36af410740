// Enumerations of the hivm dialect. The spelling of every case is the one the wheel's parser lists.

#ifndef TILEWRIGHT_DIALECT_HIVM_ENUMS_TD
#define TILEWRIGHT_DIALECT_HIVM_ENUMS_TD

include "dialect/hivm/HivmBase.td"

class Hivm_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::hivm";
  let genSpecializedAttr = 0;
}

// `#hivm.mnemonic<case>`; inside an operation's own syntax only `<case>` is printed.
class Hivm_EnumAttr<string attrMnemonic, Hivm_Enum enumInfo>
    : EnumAttr<Hivm_Dialect, enumInfo, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

//===-- Memory and pipes ----------------------------------------------------------------------------===//

def Hivm_AddressSpace : Hivm_Enum<"AddressSpace", "memory of an AI core or the device", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"GM", 1, "gm">, I32EnumAttrCase<"L1", 2, "cbuf">,
  I32EnumAttrCase<"L0A", 3, "ca">, I32EnumAttrCase<"L0B", 4, "cb">, I32EnumAttrCase<"L0C", 5, "cc">,
  I32EnumAttrCase<"UB", 6, "ub">
]>;
def Hivm_AddressSpaceAttr : Hivm_EnumAttr<"address_space", Hivm_AddressSpace>;

def Hivm_Pipe : Hivm_Enum<"Pipe", "in-order execution queue of a core", [
  I32EnumAttrCase<"S", 0, "PIPE_S">, I32EnumAttrCase<"V", 1, "PIPE_V">, I32EnumAttrCase<"M", 2, "PIPE_M">,
  I32EnumAttrCase<"MTE1", 3, "PIPE_MTE1">, I32EnumAttrCase<"MTE2", 4, "PIPE_MTE2">,
  I32EnumAttrCase<"MTE3", 5, "PIPE_MTE3">, I32EnumAttrCase<"All", 6, "PIPE_ALL">,
  I32EnumAttrCase<"MTE4", 7, "PIPE_MTE4">, I32EnumAttrCase<"MTE5", 8, "PIPE_MTE5">,
  I32EnumAttrCase<"V2", 9, "PIPE_V2">, I32EnumAttrCase<"FIX", 10, "PIPE_FIX">
]>;
def Hivm_PipeAttr : Hivm_EnumAttr<"pipe", Hivm_Pipe>;

def Hivm_Event : Hivm_Enum<"Event", "flag number of an ordered pair of pipes", [
  I32EnumAttrCase<"EVENT_ID0", 0>, I32EnumAttrCase<"EVENT_ID1", 1>, I32EnumAttrCase<"EVENT_ID2", 2>,
  I32EnumAttrCase<"EVENT_ID3", 3>, I32EnumAttrCase<"EVENT_ID4", 4>, I32EnumAttrCase<"EVENT_ID5", 5>,
  I32EnumAttrCase<"EVENT_ID6", 6>, I32EnumAttrCase<"EVENT_ID7", 7>
]>;
def Hivm_EventAttr : Hivm_EnumAttr<"event", Hivm_Event>;

//===-- Operation modes -----------------------------------------------------------------------------===//

def Hivm_PadMode : Hivm_Enum<"PadMode", "how a load fills the part its source does not cover", [
  I32EnumAttrCase<"PadNull", 0>, I32EnumAttrCase<"PadFirstElem", 1>, I32EnumAttrCase<"PadValue", 2>
]>;
def Hivm_PadModeAttr : Hivm_EnumAttr<"padmode", Hivm_PadMode>;

def Hivm_RoundMode : Hivm_Enum<"RoundMode", "rounding of a cast", [
  I32EnumAttrCase<"RINT", 0, "rint">, I32EnumAttrCase<"ROUND", 1, "round">, I32EnumAttrCase<"FLOOR", 2, "floor">,
  I32EnumAttrCase<"CEIL", 3, "ceil">, I32EnumAttrCase<"TRUNC", 4, "trunc">, I32EnumAttrCase<"ODD", 5, "odd">,
  I32EnumAttrCase<"TRUNCWITHOVERFLOW", 6, "truncwithoverflow">
]>;
def Hivm_RoundModeAttr : Hivm_EnumAttr<"round_mode", Hivm_RoundMode>;

def Hivm_TypeFn : Hivm_Enum<"TypeFn", "how a cast reads an integer", [
  I32EnumAttrCase<"cast_signed", 0>, I32EnumAttrCase<"cast_unsigned", 1>, I32EnumAttrCase<"bitcast", 2>
]>;
def Hivm_TypeFnAttr : Hivm_EnumAttr<"cast", Hivm_TypeFn>;

def Hivm_CompareMode : Hivm_Enum<"CompareMode", "relation tested by vcmp", [
  I32EnumAttrCase<"EQ", 0, "eq">, I32EnumAttrCase<"NE", 1, "ne">, I32EnumAttrCase<"LT", 2, "lt">,
  I32EnumAttrCase<"GT", 3, "gt">, I32EnumAttrCase<"GE", 4, "ge">, I32EnumAttrCase<"LE", 5, "le">
]>;
def Hivm_CompareModeAttr : Hivm_EnumAttr<"compare_mode", Hivm_CompareMode>;

def Hivm_ReduceKind : Hivm_Enum<"ReduceKind", "combination of a vreduce", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"Prod", 2, "prod">,
  I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">,
  I32EnumAttrCase<"MaxWithIndexLeft", 5, "max_with_index_left">,
  I32EnumAttrCase<"MaxWithIndexRight", 6, "max_with_index_right">,
  I32EnumAttrCase<"MinWithIndexLeft", 7, "min_with_index_left">,
  I32EnumAttrCase<"MinWithIndexRight", 8, "min_with_index_right">, I32EnumAttrCase<"Any", 11, "any">,
  I32EnumAttrCase<"All", 12, "all">, I32EnumAttrCase<"Xori", 13, "xori">, I32EnumAttrCase<"Ori", 14, "ori">,
  I32EnumAttrCase<"Andi", 15, "andi">
]>;
def Hivm_ReduceKindAttr : Hivm_EnumAttr<"reduce_op", Hivm_ReduceKind>;

// The wheel also has compare-and-swap and exchange, but prints them as `or` and `xor`: they do not survive
// its own round trip, so they are left out here.
def Hivm_AtomicKind : Hivm_Enum<"AtomicKind", "combination of a store with the value in GM", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"ADD", 1, "add">, I32EnumAttrCase<"MAX", 2, "max">,
  I32EnumAttrCase<"MIN", 3, "min">, I32EnumAttrCase<"AND", 4, "and">, I32EnumAttrCase<"OR", 5, "or">,
  I32EnumAttrCase<"XOR", 6, "xor">, I32EnumAttrCase<"UMAX", 9, "umax">, I32EnumAttrCase<"UMIN", 10, "umin">
]>;
def Hivm_AtomicKindAttr : Hivm_EnumAttr<"atomic_kind", Hivm_AtomicKind>;

def Hivm_DeinterleaveMode : Hivm_Enum<"DeinterleaveMode", "channels that a vdeinterleave returns", [
  I32EnumAttrCase<"CHANNEL_0", 0>, I32EnumAttrCase<"CHANNEL_1", 1>, I32EnumAttrCase<"ALL_CHANNELS", 999>
]>;
def Hivm_DeinterleaveModeAttr : Hivm_EnumAttr<"deinterleave_mode", Hivm_DeinterleaveMode>;

//===-- Core types ----------------------------------------------------------------------------------===//

def Hivm_FuncCoreType : Hivm_Enum<"FuncCoreType", "cores that run a function", [
  I32EnumAttrCase<"AIC", 1>, I32EnumAttrCase<"AIV", 2>, I32EnumAttrCase<"MIX", 3>,
  I32EnumAttrCase<"AIC_OR_AIV", 4>
]>;
def Hivm_FuncCoreTypeAttr : Hivm_EnumAttr<"func_core_type", Hivm_FuncCoreType>;

def Hivm_ModuleCoreType : Hivm_Enum<"ModuleCoreType", "cores that run a module", [
  I32EnumAttrCase<"AIC", 1>, I32EnumAttrCase<"AIV", 2>, I32EnumAttrCase<"MIX", 3>
]>;
def Hivm_ModuleCoreTypeAttr : Hivm_EnumAttr<"module_core_type", Hivm_ModuleCoreType>;

def Hivm_CoreType : Hivm_Enum<"CoreType", "cores that run an operation", [
  I32EnumAttrCase<"CUBE", 1>, I32EnumAttrCase<"VECTOR", 2>, I32EnumAttrCase<"CUBE_OR_VECTOR", 3>,
  I32EnumAttrCase<"CUBE_AND_VECTOR", 4>
]>;
def Hivm_CoreTypeAttr : Hivm_EnumAttr<"tcore_type", Hivm_CoreType>;

//===-- Synchronisation between cores ----------------------------------------------------------------===//

def Hivm_SyncBlockMode : Hivm_Enum<"SyncBlockMode", "cores that meet at a sync_block", [
  I32EnumAttrCase<"ALL_CUBE", 0>, I32EnumAttrCase<"ALL_VECTOR", 1>, I32EnumAttrCase<"ALL_SUB_VECTOR", 2>,
  I32EnumAttrCase<"BARRIER_CUBE", 3>, I32EnumAttrCase<"BARRIER_VECTOR", 4>, I32EnumAttrCase<"ALL", 5>
]>;
def Hivm_SyncBlockModeAttr : Hivm_EnumAttr<"sync_block_mode", Hivm_SyncBlockMode>;

def Hivm_SyncBlockInstrMode : Hivm_Enum<"SyncBlockInstrMode", "reach of a sync_block_set", [
  I32EnumAttrCase<"INTER_BLOCK_SYNCHRONIZATION", 0>, I32EnumAttrCase<"INTER_SUBBLOCK_SYNCHRONIZATION", 1>,
  I32EnumAttrCase<"INTRA_BLOCK_SYNCHRONIZATION", 2>
]>;
def Hivm_SyncBlockInstrModeAttr : Hivm_EnumAttr<"sync_block_instr_mode", Hivm_SyncBlockInstrMode>;

//===-- Data cache ----------------------------------------------------------------------------------===//

def Hivm_DataCacheKind : Hivm_Enum<"DataCacheKind", "data that a dcci acts on", [
  I32EnumAttrCase<"ALL", 0, "all">, I32EnumAttrCase<"UB", 1, "ub">, I32EnumAttrCase<"OUT", 2, "out">,
  I32EnumAttrCase<"ATOMIC", 3, "atomic">
]>;
def Hivm_DataCacheKindAttr : Hivm_EnumAttr<"DataCacheKind", Hivm_DataCacheKind>;

def Hivm_DcciMode : Hivm_Enum<"DcciMode", "cache lines that a dcci acts on", [
  I32EnumAttrCase<"SINGLE_CACHE_LINE", 0, "single_cache_line">,
  I32EnumAttrCase<"ALL_CACHE_LINES", 1, "all_cache_lines">
]>;
def Hivm_DcciModeAttr : Hivm_EnumAttr<"DCCIMode", Hivm_DcciMode>;

// Integer attribute of any width, printed with its type except for i64.
def Hivm_IntegerAttr : Attr<CPred<"::llvm::isa<::mlir::IntegerAttr>($_self)">, "integer attribute"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "::mlir::IntegerAttr";
  let convertFromStorage = "$_self";
}

#endif // TILEWRIGHT_DIALECT_HIVM_ENUMS_TD
