// Attributes of the hivm dialect that are not plain enumerations.

#ifndef TILEWRIGHT_DIALECT_HIVM_ATTRS_TD
#define TILEWRIGHT_DIALECT_HIVM_ATTRS_TD

include "mlir/Dialect/SCF/IR/DeviceMappingInterface.td"
include "dialect/hivm/HivmEnums.td"

// Path of one file of the template library; bishengir-compile writes five of them on the final module.
class Hivm_BitcodeAttr<string name, string attrMnemonic> : AttrDef<Hivm_Dialect, name> {
  let mnemonic = attrMnemonic;
  let parameters = (ins AttrParameter<"::mlir::StringAttr", "absolute path of a bitcode file">:$path);
  let assemblyFormat = "`<` $path `>`";
}

def Hivm_AicBitcodeAttr : Hivm_BitcodeAttr<"AicBitcode", "aic_bitcode">;
def Hivm_AivBitcodeAttr : Hivm_BitcodeAttr<"AivBitcode", "aiv_bitcode">;
def Hivm_HostBitcodeAttr : Hivm_BitcodeAttr<"HostBitcode", "host_bitcode">;
def Hivm_MixAicBitcodeAttr : Hivm_BitcodeAttr<"MixAicBitcode", "mix_aic_bitcode">;
def Hivm_MixAivBitcodeAttr : Hivm_BitcodeAttr<"MixAivBitcode", "mix_aiv_bitcode">;

// Marker without parameters, e.g. `#hivm.storage_aligned`. Final modules carry most of them as unit
// attributes under the same name instead.
class Hivm_MarkerAttr<string name, string attrMnemonic> : AttrDef<Hivm_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Hivm_StorageAlignedAttr : Hivm_MarkerAttr<"StorageAligned", "storage_aligned">;
def Hivm_EnableSavingUbAttr : Hivm_MarkerAttr<"EnableSavingUb", "enable_saving_ub">;
def Hivm_DisableSizeAlignForCastAttr : Hivm_MarkerAttr<"DisableSizeAlignForCast", "disable_size_align_for_cast">;
def Hivm_PartOfMixAttr : Hivm_MarkerAttr<"PartOfMix", "part_of_mix">;
def Hivm_ParallelLoopAttr : Hivm_MarkerAttr<"ParallelLoop", "parallel_loop">;
def Hivm_MultiBufferAttr : Hivm_MarkerAttr<"MultiBuffer", "multi_buffer">;

// Mapping of scf.forall to blocks, as the wheel's own schedules write it.
def Hivm_BlockMappingAttr
    : AttrDef<Hivm_Dialect, "BlockMapping", [DeclareAttrInterfaceMethods<DeviceMappingAttrInterface>]> {
  let mnemonic = "block";
  let parameters = (ins OptionalParameter<"std::optional<int32_t>">:$order);
  let assemblyFormat = "(`<` `linear_dim` `=` $order^ `>`)?";
}

#endif // TILEWRIGHT_DIALECT_HIVM_ATTRS_TD
