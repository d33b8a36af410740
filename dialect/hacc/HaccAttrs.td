// Attributes of the hacc dialect that are not plain enumerations.

#ifndef TILEWRIGHT_DIALECT_HACC_ATTRS_TD
#define TILEWRIGHT_DIALECT_HACC_ATTRS_TD

include "mlir/Interfaces/DataLayoutInterfaces.td"
include "dialect/hacc/HaccEnums.td"

class Hacc_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<Hacc_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// Marker without parameters, e.g. `#hacc.export_as_dag`.
class Hacc_MarkerAttr<string name, string attrMnemonic> : Hacc_Attr<name, attrMnemonic>;

// `#hacc.tiling_function<@f>`: names a host function of a kernel.
class Hacc_FunctionRefAttr<string name, string attrMnemonic> : Hacc_Attr<name, attrMnemonic> {
  let parameters = (ins AttrParameter<"::mlir::FlatSymbolRefAttr", "name of the function">:$function);
  let assemblyFormat = "`<` $function `>`";
}

class Hacc_StringAttr<string name, string attrMnemonic> : Hacc_Attr<name, attrMnemonic> {
  let parameters = (ins AttrParameter<"::mlir::StringAttr", "text">:$value);
  let assemblyFormat = "`<` $value `>`";
}

class Hacc_IndexAttr<string name, string attrMnemonic> : Hacc_Attr<name, attrMnemonic> {
  let parameters = (ins "unsigned":$index);
  let assemblyFormat = "`<` $index `>`";
}

def Hacc_TilingFunctionAttr : Hacc_FunctionRefAttr<"TilingFunction", "tiling_function">;
def Hacc_InferOutputShapeFunctionAttr
    : Hacc_FunctionRefAttr<"InferOutputShapeFunction", "infer_output_shape_function">;
def Hacc_InferWorkspaceShapeFunctionAttr
    : Hacc_FunctionRefAttr<"InferWorkspaceShapeFunction", "infer_workspace_shape_function">;
def Hacc_InferSyncBlockLockNumFunctionAttr
    : Hacc_FunctionRefAttr<"InferSyncBlockLockNumFunction", "infer_sync_block_lock_num_function">;
def Hacc_InferSyncBlockLockInitFunctionAttr
    : Hacc_FunctionRefAttr<"InferSyncBlockLockInitFunction", "infer_sync_block_lock_init_function">;
def Hacc_GetTilingStructSizeFunctionAttr
    : Hacc_FunctionRefAttr<"GetTilingStructSizeFunction", "get_tiling_struct_size_function">;
def Hacc_InferTaskTypeFunctionAttr : Hacc_FunctionRefAttr<"InferTaskTypeFunction", "infer_task_type_function">;
def Hacc_RenameFuncAttr : Hacc_FunctionRefAttr<"RenameFunc", "rename_func">;

def Hacc_TargetAttr : Hacc_StringAttr<"Target", "target">;
def Hacc_HivmcVersionAttr : Hacc_StringAttr<"HivmcVersion", "hivmc_version">;

def Hacc_InputIdxAttr : Hacc_IndexAttr<"InputIdx", "input_idx">;
def Hacc_OutputIdxAttr : Hacc_IndexAttr<"OutputIdx", "output_idx">;

def Hacc_ExportAsDagAttr : Hacc_MarkerAttr<"ExportAsDag", "export_as_dag">;
def Hacc_BlockDimAttr : Hacc_MarkerAttr<"BlockDim", "block_dim">;
def Hacc_DummyFuncAttr : Hacc_MarkerAttr<"DummyFunc", "dummy_func">;
def Hacc_CachedIoAttr : Hacc_MarkerAttr<"CachedIo", "cached_io">;
def Hacc_NoIoAliasAttr : Hacc_MarkerAttr<"NoIoAlias", "no_io_alias">;
def Hacc_HivmcCompatiblePrintAttr : Hacc_MarkerAttr<"HivmcCompatiblePrint", "hivmc_compatible_print">;
def Hacc_ExternalFunctionPathAttr : Hacc_MarkerAttr<"ExternalFunctionPath", "external_function_path">;

def Hacc_TargetDeviceSpecTrait : NativeAttrTrait<"TargetDeviceSpecInterface::Trait"> {
  let cppNamespace = "::mlir";
}

// The numbers of one target; sizes are in bits. Sits in `dlti.target_system_spec` of the module.
def Hacc_TargetDeviceSpecAttr
    : Hacc_Attr<"TargetDeviceSpec", "target_device_spec", [Hacc_TargetDeviceSpecTrait]> {
  let parameters = (ins ArrayRefParameter<"::mlir::DataLayoutEntryInterface", "entries">:$entries);
  let assemblyFormat = "`<` $entries `>`";
  let extraClassDeclaration = [{
    /// The value of one entry ("UB_SIZE", "VECTOR_CORE_COUNT", ...), nothing if absent or not an integer.
    std::optional<int64_t> getInteger(::llvm::StringRef name) const;
  }];
}

#endif // TILEWRIGHT_DIALECT_HACC_ATTRS_TD
