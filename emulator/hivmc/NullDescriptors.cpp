#include "emulator/hivmc/NullDescriptors.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tilewright::hivmc {

namespace {

/// Room for a descriptor of rank 5: two pointers, offset, five sizes, five strides.
constexpr unsigned kDescriptorWords = 16;
constexpr const char *kZeros = "tw_null_descriptor";

Constant *zeros(Module &module) {
  if (auto *existing = module.getNamedGlobal(kZeros))
    return existing;
  auto *type = ArrayType::get(Type::getInt64Ty(module.getContext()), kDescriptorWords);
  auto *variable = new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::InternalLinkage,
                                      Constant::getNullValue(type), kZeros);
  variable->setAlignment(Align(16));
  return variable;
}

/// The instructions of a chain of address arithmetic from `pointer` down to a value that may be null; that
/// value.
Value *baseOf(Value *pointer, SmallVectorImpl<GetElementPtrInst *> &chain) {
  while (auto *gep = dyn_cast<GetElementPtrInst>(pointer)) {
    chain.push_back(gep);
    pointer = gep->getPointerOperand();
  }
  return pointer;
}

bool neverNull(const Value *base) {
  if (isa<AllocaInst>(base) || isa<GlobalValue>(base))
    return true;
  if (auto *argument = dyn_cast<Argument>(base))
    return argument->hasNonNullAttr();
  if (auto *call = dyn_cast<CallBase>(base))
    return call->isReturnNonNull();
  return false;
}

/// `use` reads memory of address space 0.
void guard(Instruction &reader, Use &use) {
  SmallVector<GetElementPtrInst *, 4> chain;
  Value *base = baseOf(use.get(), chain);
  if (neverNull(base) || isa<ConstantExpr>(base))
    return;
  IRBuilder<> builder(&reader);
  Value *safe = builder.CreateSelect(builder.CreateIsNull(base), zeros(*reader.getModule()), base);
  for (GetElementPtrInst *gep : reverse(chain)) {
    auto *copy = cast<GetElementPtrInst>(gep->clone());
    copy->setOperand(gep->getPointerOperandIndex(), safe);
    safe = builder.Insert(copy);
  }
  use.set(safe);
}

} // namespace

void guardNullDescriptors(Function &function) {
  SmallVector<std::pair<Instruction *, Use *>> reads;
  for (Instruction &instruction : instructions(function)) {
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      if (load->getPointerAddressSpace() == 0)
        reads.emplace_back(load, &load->getOperandUse(LoadInst::getPointerOperandIndex()));
    } else if (auto *copy = dyn_cast<MemTransferInst>(&instruction)) {
      if (copy->getSourceAddressSpace() == 0)
        reads.emplace_back(copy, &copy->getRawSourceUse());
    }
  }
  for (auto [reader, use] : reads)
    guard(*reader, *use);
}

} // namespace tilewright::hivmc
