#include "emulator/hivmc/Entry.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/LineTables.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace tilewright::hivmc {

namespace {

Error addEntry(Module &module, const Kernel &kernel) {
  Function *body = module.getFunction(kernel.name);
  if (!body || body->isDeclaration())
    return coded(kLowering, "kernel '" + kernel.name + "' was lost while lowering");
  LLVMContext &context = module.getContext();
  auto *type = FunctionType::get(Type::getVoidTy(context), {PointerType::get(context, 0)}, false);
  auto *entry = Function::Create(type, GlobalValue::ExternalLinkage, "tw_entry_" + kernel.name, module);
  entry->setDoesNotThrow();
  Value *base = entry->getArg(0);
  base->setName("args");
  IRBuilder<> builder(BasicBlock::Create(context, "entry", entry));

  SmallVector<Value *> operands;
  auto load = [&](Type *loaded, uint64_t offset) -> Value * {
    Value *address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
    return builder.CreateAlignedLoad(loaded, address, Align(1));
  };
  for (const Argument &argument : kernel.arguments) {
    if (operands.size() >= body->arg_size())
      return coded(kLowering, "kernel '" + kernel.name + "' has fewer parameters than arguments");
    Type *parameter = body->getArg(operands.size())->getType();
    if (argument.isMemref) {
      Value *pointer = load(parameter, argument.offset);
      operands.append({pointer, pointer, builder.getInt64(argument.memrefOffset)});
      for (int64_t size : argument.sizes)
        operands.push_back(builder.getInt64(size));
      for (int64_t stride : argument.strides)
        operands.push_back(builder.getInt64(stride));
    } else if (parameter->isIntegerTy(1)) {
      operands.push_back(builder.CreateTrunc(load(builder.getInt8Ty(), argument.offset), parameter));
    } else {
      operands.push_back(load(parameter, argument.offset));
    }
  }
  if (operands.size() != body->arg_size())
    return coded(kLowering, "kernel '" + kernel.name + "' has other parameters than its arguments need");
  builder.CreateCall(body, operands);
  builder.CreateRetVoid();
  shareScope(*entry, *body);
  if (!body->hasFnAttribute(Attribute::NoInline))
    body->addFnAttr(Attribute::AlwaysInline);
  return Error::success();
}

} // namespace

Error addEntries(Module &module, const ModuleSignature &signature) {
  StringSet<> exported;
  for (const std::string &host : signature.hostFunctions)
    exported.insert(host);
  for (const Kernel &kernel : signature.kernels) {
    if (Error error = addEntry(module, kernel))
      return error;
    exported.insert("tw_entry_" + kernel.name);
  }
  for (Function &function : module)
    if (!function.isDeclaration() && !exported.contains(function.getName()))
      function.setLinkage(GlobalValue::InternalLinkage);
  for (bool changed = true; changed;) {
    changed = false;
    for (Function &function : make_early_inc_range(module))
      if (function.use_empty() && (function.isDeclaration() || function.hasLocalLinkage())) {
        function.eraseFromParent();
        changed = true;
      }
  }
  return Error::success();
}

} // namespace tilewright::hivmc
