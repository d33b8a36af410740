#include "emulator/hivmc/Library.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/NullDescriptors.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tilewright::hivmc {

namespace {

constexpr StringRef kEntryPrefix = "_mlir_ciface_";
constexpr StringRef kInstructionPrefix = "llvm.hivm.";

std::string instructionSymbol(StringRef intrinsic) {
  std::string name = ("tw_isa_" + intrinsic.drop_front(kInstructionPrefix.size())).str();
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

void collectGlobals(const Constant *constant, SetVector<GlobalValue *> &found) {
  if (auto *global = dyn_cast<GlobalValue>(constant)) {
    found.insert(const_cast<GlobalValue *>(global));
    return;
  }
  for (const Use &operand : constant->operands())
    if (auto *inner = dyn_cast<Constant>(operand))
      collectGlobals(inner, found);
}

/// Functions and variables reachable from `roots`, with function bodies read in.
Error collectReachable(ArrayRef<GlobalValue *> roots, SetVector<GlobalValue *> &reachable) {
  for (GlobalValue *root : roots)
    reachable.insert(root);
  for (size_t i = 0; i < reachable.size(); ++i) {
    GlobalValue *value = reachable[i];
    if (Error error = value->materialize())
      return error;
    if (auto *function = dyn_cast<Function>(value)) {
      for (Instruction &instruction : instructions(*function))
        for (Use &operand : instruction.operands())
          if (auto *constant = dyn_cast<Constant>(operand))
            collectGlobals(constant, reachable);
    } else if (auto *variable = dyn_cast<GlobalVariable>(value); variable && variable->hasInitializer()) {
      collectGlobals(variable->getInitializer(), reachable);
    }
  }
  return Error::success();
}

/// Some instances of the library's templates are called (for i8 and 64-bit types, where an operand is
/// misaligned) but defined nowhere in the file. A kernel that gets there stops with a trap; most never do.
Function *trapStub(Module &target, const Function &missing) {
  Function *stub =
      Function::Create(missing.getFunctionType(), GlobalValue::InternalLinkage, missing.getName(), target);
  BasicBlock *block = BasicBlock::Create(target.getContext(), "entry", stub);
  FunctionCallee trap = target.getOrInsertFunction("tw_isa_TRAP", Type::getVoidTy(target.getContext()));
  CallInst::Create(trap, "", block);
  Type *result = missing.getReturnType();
  ReturnInst::Create(target.getContext(), result->isVoidTy() ? nullptr : Constant::getNullValue(result),
                     block);
  return stub;
}

/// Attributes that select the device's processor, or that stop optimisation across the x86 boundary.
void retarget(Function &function, bool alwaysInline, const SmallSet<unsigned, 8> &sanitizerKinds) {
  for (StringRef name :
       {"target-cpu", "target-features", "tune-cpu", "frame-pointer", "stack-protector-buffer-size"})
    function.removeFnAttr(name);
  if (!alwaysInline)
    function.removeFnAttr(Attribute::AlwaysInline);
  function.setComdat(nullptr);
  for (Instruction &instruction : instructions(function))
    instruction.eraseMetadataIf([&](unsigned kind, MDNode *) { return sanitizerKinds.contains(kind); });
}

} // namespace

Expected<std::unique_ptr<Library>> Library::open(StringRef path, LLVMContext &context) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return coded(kLibrary, "cannot read the template library '" + path + "': " + buffer.getError().message(),
                 "", "it comes with the wheel ascendnpu-ir 1.2.0; --tw-library=FILE names another place");
  Expected<std::unique_ptr<Module>> module =
      getOwningLazyBitcodeModule(std::move(*buffer), context, /*ShouldLazyLoadMetadata=*/true);
  if (!module)
    return coded(kLibrary, "the template library '" + path + "' is damaged: " + toString(module.takeError()));
  std::unique_ptr<Library> library(new Library);
  library->file = path.str();
  library->module = std::move(*module);
  return library;
}

const Function *Library::find(StringRef symbol) const {
  const Function *function = module->getFunction(symbol);
  return function && !function->isDeclaration() ? function : nullptr;
}

std::vector<std::string> Library::entryPoints() const {
  std::vector<std::string> names;
  for (const Function &function : *module)
    if (function.getName().starts_with(kEntryPrefix) && !function.isDeclaration())
      names.push_back(function.getName().str());
  return names;
}

Error Library::copyInto(Module &target, ArrayRef<std::string> symbols, bool alwaysInline) {
  auto damaged = [&](Error error) {
    return coded(kLibrary, "the template library '" + file + "' is damaged: " + toString(std::move(error)));
  };
  if (Error error = module->materializeMetadata())
    return damaged(std::move(error));
  SmallVector<GlobalValue *> roots;
  for (const std::string &symbol : symbols)
    roots.push_back(module->getFunction(symbol));
  SetVector<GlobalValue *> reachable;
  if (Error error = collectReachable(roots, reachable))
    return damaged(std::move(error));

  ValueToValueMapTy map;
  auto isRoot = [&](GlobalValue *value) { return is_contained(roots, value); };
  for (GlobalValue *value : reachable) {
    if (auto *source = dyn_cast<Function>(value)) {
      StringRef name = source->getName();
      Function *copy = nullptr;
      if (name.starts_with(kInstructionPrefix)) {
        // Declared without attributes: a call may touch any memory (transposes take addresses from
        // registers), so the optimiser must keep the order of instructions and of scalar accesses.
        std::string symbol = instructionSymbol(name);
        copy = target.getFunction(symbol);
        if (copy && copy->getFunctionType() != source->getFunctionType())
          return coded(kLibraryMismatch,
                       "the module uses instruction '" + Twine(symbol) + "' with other operands");
        if (!copy)
          copy = Function::Create(source->getFunctionType(), GlobalValue::ExternalLinkage, symbol, target);
        if (name == "llvm.hivm.SBITSET0" || name == "llvm.hivm.SBITSET1") {
          copy->setDoesNotThrow();
          copy->setDoesNotAccessMemory();
          copy->setWillReturn();
        }
      } else if (source->isIntrinsic()) {
        copy = dyn_cast<Function>(
            target.getOrInsertFunction(name, source->getFunctionType(), source->getAttributes()).getCallee());
      } else if (source->isDeclaration()) {
        copy = trapStub(target, *source);
      } else {
        if (isRoot(value))
          copy = target.getFunction(name);
        if (!copy)
          copy = Function::Create(source->getFunctionType(),
                                  isRoot(value) ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage,
                                  name, target);
        copy->setLinkage(isRoot(value) ? GlobalValue::ExternalLinkage : GlobalValue::InternalLinkage);
        if (isRoot(value))
          copy->setVisibility(GlobalValue::HiddenVisibility);
        copy->setDSOLocal(true);
      }
      map[source] = copy;
    } else if (auto *source = dyn_cast<GlobalVariable>(value)) {
      auto *copy = new GlobalVariable(target, source->getValueType(), source->isConstant(),
                                      GlobalValue::InternalLinkage, nullptr, source->getName(), nullptr,
                                      source->getThreadLocalMode(), source->getAddressSpace());
      copy->copyAttributesFrom(source);
      copy->setVisibility(GlobalValue::DefaultVisibility);
      map[source] = copy;
    } else {
      return coded(kLibrary, "the template library '" + file + "' has an alias '" + value->getName() + "'");
    }
  }
  // Names of vendor API calls for its address sanitizer.
  SmallSet<unsigned, 8> sanitizerKinds;
  SmallVector<StringRef> kinds;
  target.getContext().getMDKindNames(kinds);
  for (auto [kind, name] : enumerate(kinds))
    if (name.starts_with("asan."))
      sanitizerKinds.insert(kind);
  // Bodies; metadata is shared between the two modules of one context.
  for (GlobalValue *value : reachable) {
    if (auto *source = dyn_cast<GlobalVariable>(value)) {
      auto *copy = cast<GlobalVariable>(map[source]);
      if (source->hasInitializer())
        copy->setInitializer(MapValue(source->getInitializer(), map));
      else
        copy->setInitializer(Constant::getNullValue(source->getValueType()));
      continue;
    }
    auto *source = cast<Function>(value);
    if (source->isDeclaration() || source->getName().starts_with(kInstructionPrefix))
      continue;
    auto *copy = cast<Function>(map[source]);
    for (auto [from, to] : zip(source->args(), copy->args())) {
      to.setName(from.getName());
      map[&from] = &to;
    }
    SmallVector<ReturnInst *, 4> returns;
    CloneFunctionInto(copy, source, map, CloneFunctionChangeType::DifferentModule, returns);
    copy->setVisibility(isRoot(value) ? GlobalValue::HiddenVisibility : GlobalValue::DefaultVisibility);
    retarget(*copy, alwaysInline, sanitizerKinds);
    if (isRoot(value)) // called by kernels with the address of a descriptor on the stack
      for (Argument &argument : copy->args())
        if (argument.getType()->isPointerTy())
          argument.addAttr(Attribute::NonNull);
    guardNullDescriptors(*copy);
  }
  // Attributes of an intrinsic's call sites promise less memory traffic than the note above allows.
  for (GlobalValue *value : reachable)
    if (value->getName().starts_with(kInstructionPrefix))
      for (User *user : cast<Function>(map[value])->users())
        if (auto *call = dyn_cast<CallBase>(user))
          call->setAttributes(AttributeList());
  return Error::success();
}

namespace {

std::string printSignature(const FunctionType *type) {
  std::string text;
  raw_string_ostream os(text);
  os << '(';
  for (unsigned i = 0; i < type->getNumParams(); ++i)
    os << (i ? ", " : "") << *type->getParamType(i);
  os << ')';
  return text;
}

} // namespace

Expected<std::vector<std::string>> bindLibraryCalls(Module &kernel, const Library &library) {
  std::vector<std::string> used;
  for (Function &function : kernel) {
    if (!function.isDeclaration() || !function.getName().starts_with(kEntryPrefix))
      continue;
    // A declaration nobody calls is not a request: MLIR makes a caller for each, dead ones are gone by now.
    if (function.use_empty())
      continue;
    StringRef name = function.getName().drop_front(kEntryPrefix.size());
    const Function *definition = library.find(function.getName());
    if (!definition)
      return coded(
          kLibraryFunction, "the template library has no function '" + name + "'", "",
          "a known gap between bishengir-compile 1.2.0 and its library; another data type or operation must "
          "be used");
    if (definition->getFunctionType() != function.getFunctionType())
      return coded(
          kLibraryMismatch,
          "'" + name + "' is called with parameters " + printSignature(function.getFunctionType()) +
              " but the template library defines " + printSignature(definition->getFunctionType()),
          "",
          "a known mismatch between bishengir-compile 1.2.0 and its library; the result would be undefined");
    AttributeList attributes = definition->getAttributes();
    AttributeList parameters =
        AttributeList::get(function.getContext(), AttributeSet(), attributes.getRetAttrs(), [&] {
          SmallVector<AttributeSet> sets;
          for (unsigned i = 0; i < definition->arg_size(); ++i)
            sets.push_back(attributes.getParamAttrs(i));
          return sets;
        }());
    function.setAttributes(parameters);
    for (User *user : function.users())
      if (auto *call = dyn_cast<CallBase>(user))
        call->setAttributes(parameters);
    used.push_back(function.getName().str());
  }
  std::sort(used.begin(), used.end());
  return used;
}

} // namespace tilewright::hivmc
