#include "emulator/hivmc/LowerModule.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/LineTables.h"
#include "emulator/hivmc/LowerHivm.h"
#include "emulator/hivmc/ViewBounds.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tilewright::hivmc {

namespace {

/// Drops what only the device compiler reads. `llvm.emit_c_interface` stays: it makes calls of the template
/// library pass pointers to descriptors.
void stripAttributes(ModuleOp module) {
  module.walk([&](Operation *op) {
    SmallVector<StringAttr> names;
    for (NamedAttribute attribute : op->getDiscardableAttrs())
      if (attribute.getName() != "llvm.emit_c_interface")
        names.push_back(attribute.getName());
    for (StringAttr name : names)
      op->removeDiscardableAttr(name);
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      function.removeArgAttrsAttr();
      function.removeResAttrsAttr();
    }
  });
}

/// `copy_ubuf_to_ubuf_*` is called with a pad mode and a pad value that its definition does not have
/// (AscendNPU-IR note, section 4). Without padding they carry nothing; drop them. With padding, refuse.
LogicalResult dropSurplusCopyOperands(ModuleOp module) {
  LogicalResult result = success();
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (!function.isExternal() || !function.getSymName().starts_with("copy_ubuf_to_ubuf_") ||
        function.getNumArguments() != 4)
      continue;
    auto uses = SymbolTable::getSymbolUses(function.getOperation(), module);
    if (!uses)
      continue;
    for (SymbolTable::SymbolUse use : *uses) {
      auto call = dyn_cast<func::CallOp>(use.getUser());
      if (!call || call.getNumOperands() != 4)
        continue;
      if (!matchPattern(call.getOperand(2), m_Zero())) {
        call.emitError()
            << "'" << function.getSymName()
            << "' is called with a pad mode, which its definition in the template library ignores";
        result = failure();
        continue;
      }
      call->eraseOperands(2, 2);
    }
    auto type = function.getFunctionType();
    function.setFunctionType(
        FunctionType::get(type.getContext(), type.getInputs().take_front(2), type.getResults()));
  }
  return result;
}

struct ConvertToLLVM : PassWrapper<ConvertToLLVM, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertToLLVM)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }

  void runOnOperation() override {
    MLIRContext &context = getContext();
    LowerToLLVMOptions options(&context);
    LLVMTypeConverter converter(&context, options);
    RewritePatternSet patterns(&context);
    populateHivmToLLVMPatterns(converter, patterns);
    populateBitBufferPatterns(converter, patterns);
    populateFinalizeMemRefToLLVMConversionPatterns(converter, patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    populateMathToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    LLVMConversionTarget target(context);
    target.addLegalOp<ModuleOp>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return false; });
    if (failed(applyFullConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

llvm::Error lastError(DiagnosticLog &log, Code code, const llvm::Twine &what) {
  auto [message, place] = log.takeFirstError();
  return coded(code, what + (message.empty() ? "" : ": " + message), place);
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>> lowerModule(ModuleOp module, llvm::LLVMContext &context,
                                                          DiagnosticLog &log, StringRef input) {
  log.setStage(kLowering, "the module cannot be lowered");
  if (failed(rewriteAddressSpaces(module)))
    return lastError(log, kTarget, "a module for cube cores");
  stripAttributes(module);
  if (failed(dropSurplusCopyOperands(module)))
    return lastError(log, kLibraryMismatch, "library call");
  checkViewBounds(module);

  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  passes.enableVerifier(false); // every pass is stock; the translation checks its input
  passes.addPass(createLowerAffinePass());
  passes.addPass(createConvertSCFToCFPass());
  passes.addPass(memref::createExpandStridedMetadataPass());
  passes.addPass(createLowerAffinePass()); // expand-strided-metadata makes affine.apply
  passes.addPass(arith::createArithExpandOpsPass());
  passes.addPass(std::make_unique<ConvertToLLVM>());
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (failed(passes.run(module)))
    return lastError(log, kLowering, "the module cannot be lowered");
  if (!input.empty())
    addLineTables(module, input);

  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context, "kernel");
  if (!result)
    return lastError(log, kLowering, "the module cannot be translated to LLVM IR");
  return result;
}

} // namespace tilewright::hivmc
