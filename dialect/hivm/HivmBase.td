// The hivm dialect and the base classes of its operations.
//
// The textual form follows `bishengir-opt` of ascendnpu-ir 1.2.0 exactly; see docs/dialect.md.

#ifndef TILEWRIGHT_DIALECT_HIVM_BASE_TD
#define TILEWRIGHT_DIALECT_HIVM_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def Hivm_Dialect : Dialect {
  let name = "hivm";
  let cppNamespace = "::mlir::hivm";
  let summary = "Instructions of one Ascend AI core on tensors or memrefs";
  let description = [{
    A text-compatible subset of the `hivm` dialect of AscendNPU-IR. An AI core has several in-order
    pipes (scalar S, vector V, transfers MTE1..MTE3, cube M, FIX) that run concurrently and are ordered
    by flags. Structured operations (`ins`/`outs`) exist in a tensor form, which returns the updated
    destination, and a memref form, which writes the destination in place.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerDmaOps();
    void registerElementwiseUnaryOps();
    void registerElementwiseBinaryOps();
    void registerElementwiseOtherOps();
    void registerVectorOps();
    void registerVectorExtraOps();
    void registerSyncOps();
    void registerSystemOps();
  }];
}

class Hivm_Op<string mnemonic, list<Trait> traits = []>
    : Op<Hivm_Dialect, "hir." # mnemonic, traits>;

def Hivm_Shaped : AnyTypeOf<[AnyRankedTensor, AnyMemRef], "tensor or memref">;

#endif // TILEWRIGHT_DIALECT_HIVM_BASE_TD
