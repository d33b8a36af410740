#include "emulator/hivmc/Codegen.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/LowerHivm.h"
#include "emulator/hivmc/Observed.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/IPO/ModuleInliner.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace tilewright::hivmc {

namespace {
// Objects go into caches that machines may share: a CPU of 2013. F16C turns half conversions of scalar code
// into instructions instead of run-time library calls; FMA is left out so that scalar results are the same
// everywhere.
constexpr const char *kBaselineCPU = "x86-64-v2";
constexpr const char *kBaselineFeatures = "+avx,+f16c";
constexpr const char *kTriple = "x86_64-unknown-linux-gnu";
} // namespace

Expected<std::unique_ptr<Codegen>> Codegen::create(bool native, unsigned optLevel) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  std::string reason;
  const Target *target = TargetRegistry::lookupTarget(kTriple, reason);
  if (!target)
    return coded(kLowering, "LLVM cannot make x86-64 code: " + reason);
  std::string cpu = kBaselineCPU, features = kBaselineFeatures;
  if (native) {
    cpu = sys::getHostCPUName().str();
    features.clear();
    StringMap<bool> host = sys::getHostCPUFeatures();
    for (auto &feature : host)
      features +=
          (features.empty() ? "" : ",") + std::string(feature.second ? "+" : "-") + feature.first().str();
  }
  CodeGenOptLevel level = optLevel == 0 ? CodeGenOptLevel::None : CodeGenOptLevel::Less;
  TargetOptions options;
  options.FunctionSections = options.DataSections = true;
  std::unique_ptr<Codegen> codegen(new Codegen);
  codegen->optLevel = optLevel;
  codegen->machine.reset(
      target->createTargetMachine(kTriple, cpu, features, options, Reloc::PIC_, CodeModel::Small, level));
  if (!codegen->machine)
    return coded(kLowering, "LLVM has no x86-64 code generator for CPU '" + cpu + "'");
  return codegen;
}

std::string Codegen::description() const {
  return (Twine(kTriple) + " " + machine->getTargetCPU() + " " + machine->getTargetFeatureString() + " O" +
          Twine(optLevel) + " LLVM " LLVM_VERSION_STRING)
      .str();
}

void Codegen::prepare(Module &module) const {
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine->createDataLayout());
}

void Codegen::optimise(Module &module) const { run(module, /*shortPipeline=*/false); }

void Codegen::optimiseLibrary(Module &module) const { run(module, /*shortPipeline=*/optLevel > 0); }

namespace {

FunctionPassManager simplify() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(SimplifyCFGPass());
  passes.addPass(InstCombinePass());
  return passes;
}

ModulePassManager libraryPipeline() {
  constexpr int kInlineThreshold =
      40; // instructions; the helpers of the library are either tiny or whole loops nests
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(simplify()));
  passes.addPass(IPSCCPPass());
  passes.addPass(GlobalDCEPass());
  ModuleInlinerWrapperPass inliner(getInlineParams(kInlineThreshold), /*MandatoryFirst=*/false);
  FunctionPassManager after = simplify();
  after.addPass(SimplifyCFGPass());
  inliner.getPM().addPass(createCGSCCToFunctionPassAdaptor(std::move(after), /*EagerlyInvalidate=*/true));
  passes.addPass(std::move(inliner));
  passes.addPass(GlobalDCEPass());
  return passes;
}

} // namespace

void Codegen::run(Module &module, bool shortPipeline) const {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopUnrolling = tuning.LoopInterleaving = false;
  PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  OptimizationLevel level = optLevel == 0   ? OptimizationLevel::O0
                            : optLevel == 1 ? OptimizationLevel::O1
                            : optLevel == 2 ? OptimizationLevel::O2
                                            : OptimizationLevel::O3;
  ModulePassManager passes = shortPipeline   ? libraryPipeline()
                             : optLevel == 0 ? builder.buildO0DefaultPipeline(level)
                                             : builder.buildPerModuleDefaultPipeline(level);
  passes.run(module, modules);
}

Error Codegen::verify(const Module &module) const {
  std::string reason;
  raw_string_ostream os(reason);
  if (verifyModule(module, &os))
    return coded(kLowering, "the lowered module is not valid LLVM IR: " +
                                StringRef(reason).take_until([](char c) { return c == '\n'; }));
  return Error::success();
}

Expected<SmallVector<char, 0>> Codegen::emitObject(Module &module) const {
  SmallVector<char, 0> object;
  raw_svector_ostream os(object);
  legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, os, nullptr, CodeGenFileType::ObjectFile))
    return coded(kLowering, "LLVM cannot write x86-64 object files");
  passes.run(module);
  return object;
}

void addRuntimeFunctions(Module &module) {
  LLVMContext &context = module.getContext();
  auto *type = FunctionType::get(Type::getBFloatTy(context), {Type::getFloatTy(context)}, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage, "__truncsfbf2", module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  // Round to nearest even on the bits; a NaN keeps its upper bits and becomes quiet.
  IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
  Value *bits = builder.CreateBitCast(function->getArg(0), builder.getInt32Ty());
  Value *odd = builder.CreateAnd(builder.CreateLShr(bits, 16), 1);
  Value *rounded = builder.CreateAdd(builder.CreateAdd(bits, builder.getInt32(0x7fff)), odd);
  Value *magnitude = builder.CreateAnd(bits, 0x7fffffff);
  Value *isNaN = builder.CreateICmpUGT(magnitude, builder.getInt32(0x7f800000));
  Value *chosen = builder.CreateSelect(isNaN, builder.CreateOr(bits, 0x00400000), rounded);
  Value *upper = builder.CreateTrunc(builder.CreateLShr(chosen, 16), builder.getInt16Ty());
  builder.CreateRet(builder.CreateBitCast(upper, type->getReturnType()));
}

void countScalarGmAccesses(Module &module) {
  FunctionCallee report;
  for (Function &function : module) {
    for (BasicBlock &block : function) {
      uint64_t accesses = 0;
      for (Instruction &instruction : block) {
        const Value *pointer = getLoadStorePointerOperand(&instruction);
        accesses +=
            pointer && pointer->getType()->getPointerAddressSpace() == kGM && !isInterfaceCode(instruction);
      }
      if (!accesses)
        continue;
      IRBuilder<> builder(&*block.getFirstInsertionPt());
      if (!report)
        report =
            module.getOrInsertFunction("tw_core_count_scalar_gm", builder.getVoidTy(), builder.getInt64Ty());
      builder.SetCurrentDebugLocation(DebugLoc());
      if (DISubprogram *scope = function.getSubprogram())
        builder.SetCurrentDebugLocation(DILocation::get(function.getContext(), 0, 0, scope));
      builder.CreateCall(report, {builder.getInt64(accesses)});
    }
  }
}

} // namespace tilewright::hivmc
