// Enumerations of the hacc dialect.

#ifndef TILEWRIGHT_DIALECT_HACC_ENUMS_TD
#define TILEWRIGHT_DIALECT_HACC_ENUMS_TD

include "dialect/hacc/HaccBase.td"

class Hacc_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::hacc";
  let genSpecializedAttr = 0;
}

class Hacc_EnumAttr<string attrMnemonic, Hacc_Enum enumInfo> : EnumAttr<Hacc_Dialect, enumInfo, attrMnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Hacc_FunctionKind : Hacc_Enum<"FunctionKind", "where a function runs", [
  I32EnumAttrCase<"HOST", 1>, I32EnumAttrCase<"DEVICE", 2>
]>;
def Hacc_FunctionKindAttr : Hacc_EnumAttr<"function_kind", Hacc_FunctionKind>;

def Hacc_ArgType : Hacc_Enum<"ArgType", "role of a kernel argument", [
  I32EnumAttrCase<"FftsBaseAddress", 0, "ffts_base_address">, I32EnumAttrCase<"Input", 1, "input">,
  I32EnumAttrCase<"Output", 2, "output">, I32EnumAttrCase<"InputAndOutput", 3, "input_and_output">,
  I32EnumAttrCase<"Workspace", 4, "workspace">, I32EnumAttrCase<"SyncBlockLock", 5, "sync_block_lock">,
  I32EnumAttrCase<"TilingKey", 6, "tiling_key">, I32EnumAttrCase<"TilingData", 7, "tiling_data">,
  I32EnumAttrCase<"TilingStruct", 8, "tiling_struct">, I32EnumAttrCase<"MeshArg", 9, "mesh_arg">,
  I32EnumAttrCase<"SanitizerAddr", 10, "sanitizer_addr">
]>;
def Hacc_ArgTypeAttr : Hacc_EnumAttr<"arg_type", Hacc_ArgType>;

def Hacc_HostFuncType : Hacc_Enum<"HostFuncType", "what a host function computes for the launcher", [
  I32EnumAttrCase<"HostEntry", 1, "host_entry">, I32EnumAttrCase<"TilingFunction", 2, "tiling_function">,
  I32EnumAttrCase<"InferOutputShapeFunction", 3, "infer_output_shape_function">,
  I32EnumAttrCase<"InferWorkspaceShapeFunction", 4, "infer_workspace_shape_function">,
  I32EnumAttrCase<"InferSyncBlockLockNumFunction", 5, "infer_sync_block_lock_num_function">,
  I32EnumAttrCase<"InferSyncBlockLockInitFunction", 6, "infer_sync_block_lock_init_function">,
  I32EnumAttrCase<"GetTilingStructSizeFunction", 7, "get_tiling_struct_size_function">,
  I32EnumAttrCase<"InferTaskTypeFunction", 8, "infer_task_type_function">
]>;
def Hacc_HostFuncTypeAttr : Hacc_EnumAttr<"host_func_type", Hacc_HostFuncType>;

#endif // TILEWRIGHT_DIALECT_HACC_ENUMS_TD
