#include "emulator/hivmc/Observed.h"

#include "emulator/hivmc/LowerHivm.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/Path.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright::hivmc {

namespace {

bool isLibraryEntry(const Function &function) { return function.getName().starts_with("_mlir_ciface_"); }

bool isDeviceMemory(const Value *pointer) {
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  return space == kGM || space == kUB;
}

/// Whether a scalar core spends an instruction on it. The library is inlined on the device, so memory of the
/// stack (descriptors that are passed to it) and calls disappear there; casts and constant addresses are
/// free.
bool isScalarWork(const Instruction &instruction) {
  if (isInterfaceCode(instruction))
    return false;
  if (isa<PHINode, AllocaInst, CastInst, InsertValueInst, ExtractValueInst, CallBase, ReturnInst,
          UnreachableInst, FreezeInst>(instruction))
    return false;
  if (const Value *pointer = getLoadStorePointerOperand(&instruction))
    return isDeviceMemory(pointer);
  if (const auto *address = dyn_cast<GetElementPtrInst>(&instruction))
    return !address->hasAllConstantIndices();
  if (const auto *branch = dyn_cast<BranchInst>(&instruction))
    return branch->isConditional();
  return true;
}

/// The twin of a library function that another object defines.
FunctionCallee declaredTwin(Module &module, const Function &function) {
  FunctionCallee twin = module.getOrInsertFunction((Twine(kObservedPrefix) + function.getName()).str(),
                                                   function.getFunctionType(), function.getAttributes());
  return twin;
}

class Hooks {
public:
  explicit Hooks(Module &module)
      : word(Type::getInt64Ty(module.getContext())),
        access(module.getOrInsertFunction("tw_core_scalar_access", Type::getVoidTy(module.getContext()), word,
                                          word, Type::getInt32Ty(module.getContext()))),
        count(module.getOrInsertFunction("tw_core_count_scalar", Type::getVoidTy(module.getContext()), word)),
        layout(module.getDataLayout()) {}

  void addTo(Function &function) {
    for (BasicBlock &block : function) {
      uint64_t work = 0;
      SmallVector<Instruction *> accesses;
      for (Instruction &instruction : block) {
        work += isScalarWork(instruction);
        if (touchesDevice(instruction))
          accesses.push_back(&instruction);
      }
      if (work) {
        IRBuilder<> builder(&*block.getFirstInsertionPt());
        // Line 0: belongs to no line of the source.
        builder.SetCurrentDebugLocation(DebugLoc());
        if (DISubprogram *scope = function.getSubprogram())
          builder.SetCurrentDebugLocation(DILocation::get(function.getContext(), 0, 0, scope));
        builder.CreateCall(count, {builder.getInt64(work)});
      }
      for (Instruction *instruction : accesses)
        report(*instruction);
    }
  }

private:
  static bool touchesDevice(const Instruction &instruction) {
    if (isInterfaceCode(instruction))
      return false;
    if (const Value *pointer = getLoadStorePointerOperand(&instruction))
      return isDeviceMemory(pointer);
    if (const auto *update = dyn_cast<AtomicRMWInst>(&instruction))
      return isDeviceMemory(update->getPointerOperand());
    if (const auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return isDeviceMemory(exchange->getPointerOperand());
    if (const auto *block = dyn_cast<MemIntrinsic>(&instruction)) {
      const auto *transfer = dyn_cast<MemTransferInst>(block);
      return isDeviceMemory(block->getRawDest()) || (transfer && isDeviceMemory(transfer->getRawSource()));
    }
    return false;
  }

  void one(IRBuilder<> &builder, Value *pointer, Value *bytes, bool write) {
    if (isDeviceMemory(pointer))
      builder.CreateCall(access, {builder.CreatePtrToInt(pointer, word),
                                  builder.CreateZExtOrTrunc(bytes, word), builder.getInt32(write)});
  }

  void report(Instruction &instruction) {
    IRBuilder<> builder(&instruction);
    auto sized = [&](Type *type) { return builder.getInt64(layout.getTypeStoreSize(type).getFixedValue()); };
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      one(builder, load->getPointerOperand(), sized(load->getType()), false);
    } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      one(builder, store->getPointerOperand(), sized(store->getValueOperand()->getType()), true);
    } else if (auto *update = dyn_cast<AtomicRMWInst>(&instruction)) {
      one(builder, update->getPointerOperand(), sized(update->getType()), true);
    } else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
      one(builder, exchange->getPointerOperand(), sized(exchange->getCompareOperand()->getType()), true);
    } else if (auto *block = dyn_cast<MemIntrinsic>(&instruction)) { // a loop over elements in the source
      if (auto *transfer = dyn_cast<MemTransferInst>(block))
        one(builder, transfer->getRawSource(), block->getLength(), false);
      one(builder, block->getRawDest(), block->getLength(), true);
      Value *words = builder.CreateLShr(builder.CreateZExtOrTrunc(block->getLength(), word), 2);
      builder.CreateCall(count, {builder.CreateMul(words, builder.getInt64(kLoopTurn))});
    }
  }

  /// Scalar instructions of one turn of a loop that moves a word: address, access, counter, branch.
  static constexpr uint64_t kLoopTurn = 4;
  Type *word;
  FunctionCallee access, count;
  const DataLayout &layout;
};

} // namespace

bool isInterfaceCode(const Instruction &instruction) {
  const DILocation *place = instruction.getDebugLoc();
  if (!place)
    return false;
  SmallString<256> file(place->getFilename());
  if (!sys::path::is_absolute(file)) {
    file = place->getDirectory();
    sys::path::append(file, place->getFilename());
  }
  const StringRef folder = sys::path::parent_path(file);
  return sys::path::filename(folder) == "ascendc";
}

void addObservedForms(Module &module, ArrayRef<Function *> roots) {
  SetVector<Function *> reached(roots.begin(), roots.end());
  for (size_t i = 0; i < reached.size(); ++i)
    for (Instruction &instruction : instructions(*reached[i]))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction(); callee && !callee->isDeclaration())
          reached.insert(callee);
  DenseMap<Function *, Function *> twins;
  for (Function *function : reached) {
    ValueToValueMapTy map;
    Function *twin = CloneFunction(function, map);
    twin->setName(Twine(kObservedPrefix) + function->getName());
    twin->setLinkage(function->getLinkage());
    twin->setVisibility(function->getVisibility());
    twin->setDSOLocal(function->isDSOLocal());
    twins[function] = twin;
  }
  Hooks hooks(module);
  for (auto [function, twin] : twins) {
    for (Instruction &instruction : make_early_inc_range(instructions(*twin))) {
      auto *call = dyn_cast<CallBase>(&instruction);
      Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee)
        continue;
      if (auto at = twins.find(callee); at != twins.end())
        call->setCalledFunction(at->second);
      else if (callee->isDeclaration() && isLibraryEntry(*callee))
        call->setCalledFunction(declaredTwin(module, *callee));
    }
    hooks.addTo(*twin);
  }
}

} // namespace tilewright::hivmc
