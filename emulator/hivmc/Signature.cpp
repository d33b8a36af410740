#include "emulator/hivmc/Signature.h"

#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/ParseModule.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::hivmc {

namespace {

std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Bytes of a scalar argument or memref element; 0 when there is no layout for it. i1 counts a byte.
uint64_t scalarBytes(Type type) {
  if (type.isIndex())
    return 8;
  if (!type.isIntOrFloat())
    return 0;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return 1;
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 ? bits / 8 : 0;
}

/// Constant sizes, strides and offset of a memref that arrives as a bare pointer. Only the outermost
/// dimension may be dynamic: its extent is unknown to the kernel and must not enter an address; the
/// descriptor gets the largest extent whose byte count stays below 2^62, so that no arithmetic on it
/// overflows.
llvm::Error describeMemref(MemRefType type, Argument &argument, const llvm::Twine &place) {
  argument.isMemref = true;
  argument.size = 8;
  argument.type = print(type.getElementType());
  uint64_t elementBytes = scalarBytes(type.getElementType());
  if (!elementBytes)
    return coded(kArgument, "memref of " + argument.type + ": no memory layout for this element type", place);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  if (failed(getStridesAndOffset(type, strides, offset)) || ShapedType::isDynamic(offset) ||
      llvm::is_contained(strides, ShapedType::kDynamic))
    return coded(kArgument,
                 "memref argument '" + print(type) + "' does not fit one pointer: its strides are dynamic",
                 place, "pass sizes as scalars and use memref.reinterpret_cast on memref<?xT>");
  argument.strides.assign(strides.begin(), strides.end());
  argument.memrefOffset = offset;
  for (auto [axis, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size)) {
      argument.sizes.push_back(size);
      continue;
    }
    uint64_t rowBytes = elementBytes * uint64_t(std::max<int64_t>(1, std::abs(strides[axis])));
    argument.sizes.push_back(int64_t((uint64_t(1) << 62) / rowBytes));
  }
  if (type.hasStaticShape() && type.getNumElements() && offset >= 0) {
    argument.elements = uint64_t(offset) + 1;
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
      argument.elements += uint64_t(size - 1) * uint64_t(std::max<int64_t>(0, stride));
  }
  return llvm::Error::success();
}

std::string kindOf(StringRef role, bool isPointer) {
  return llvm::StringSwitch<std::string>(role)
      .Case("ffts_base_address", "ffts")
      .Case("sync_block_lock", "lock")
      .Case("workspace", "workspace")
      .Default(isPointer ? "pointer" : "scalar");
}

llvm::Error readKernel(func::FuncOp function, Kernel &kernel) {
  kernel.name = function.getSymName().str();
  std::string place = describe(function.getLoc());
  if (function.getNumResults())
    return coded(kArgument, "kernel '" + kernel.name + "' returns a value", place);
  if (auto blocks = function->getAttrOfType<IntegerAttr>("hacc.block_dim"))
    kernel.blockDim = blocks.getValue().getLimitedValue(UINT32_MAX);
  bool ffts = false;
  for (unsigned i = 0, end = function.getNumArguments(); i < end; ++i) {
    Argument argument;
    Type type = function.getArgumentTypes()[i];
    argument.role = keyword(function.getArgAttr(i, "hacc.arg_type"));
    if (auto memref = dyn_cast<MemRefType>(type)) {
      if (llvm::Error error = describeMemref(
              memref, argument, "argument " + llvm::Twine(i) + " of '" + kernel.name + "', " + place))
        return error;
    } else if (isa<LLVM::LLVMPointerType>(type)) {
      argument.size = 8;
      argument.type = "ptr";
    } else if (uint64_t bytes = scalarBytes(type)) {
      argument.size = bytes;
      argument.type = print(type);
    } else {
      return coded(kArgument,
                   "argument " + llvm::Twine(i) + " of kernel '" + kernel.name + "' has type " + print(type) +
                       ", which has no place in the argument struct",
                   place);
    }
    argument.kind = kindOf(argument.role, argument.isMemref || argument.type == "ptr");
    ffts |= argument.kind == "ffts";
    argument.offset = llvm::alignTo(kernel.argumentBytes, argument.size);
    kernel.argumentBytes = argument.offset + argument.size;
    kernel.arguments.push_back(std::move(argument));
  }
  // Triton ABI: the ffts address comes first, the grid (i32, i32, i32) last; nothing marks the latter.
  size_t count = kernel.arguments.size();
  if (ffts && count >= 4)
    if (llvm::all_of(ArrayRef(kernel.arguments).take_back(3),
                     [](const Argument &a) { return a.type == "i32" && !a.isMemref; }))
      for (size_t i = count - 3; i < count; ++i)
        kernel.arguments[i].kind = "grid";
  kernel.argumentBytes = llvm::alignTo(kernel.argumentBytes, 8);
  return llvm::Error::success();
}

uint64_t endOfBuffer(Operation *cast) {
  auto type = dyn_cast<MemRefType>(cast->getResult(0).getType());
  llvm::APInt address;
  if (!type || !type.hasStaticShape() || !cast->getNumOperands() ||
      !matchPattern(cast->getOperand(0), m_ConstantInt(&address)) || keyword(type.getMemorySpace()) != "ub")
    return 0;
  if (!type.getElementType().isIntOrFloat())
    return 0;
  uint64_t bits = uint64_t(type.getNumElements()) * type.getElementTypeBitWidth();
  return type.getNumElements() ? address.getZExtValue() + llvm::divideCeil(bits, 8) : 0;
}

/// The target's name is not in the final module; the numbers of its specification are. Recorded as written.
std::string targetOf(ModuleOp module) {
  if (Attribute target = module->getAttr("hacc.target"))
    return keyword(target);
  return "";
}

/// The specification is an attribute of dialects that are not loaded here: read from its text.
unsigned vectorCoresOf(ModuleOp module) {
  std::string text;
  if (Attribute specification = module->getAttr("dlti.target_system_spec"))
    llvm::raw_string_ostream(text) << specification;
  StringRef rest = StringRef(text).split("\"VECTOR_CORE_COUNT\",").second.ltrim();
  unsigned count = 0;
  return rest.consumeInteger(10, count) ? 0 : count;
}

} // namespace

llvm::Expected<ModuleSignature> readSignature(ModuleOp module) {
  ModuleSignature signature;
  signature.target = targetOf(module);
  signature.vectorCores = vectorCoresOf(module);
  signature.aivBitcode = keyword(module->getAttr("hivm.aiv_bitcode"));
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<func::FuncOp>(op);
    if (!function || function.isExternal())
      continue;
    StringRef name = function.getSymName();
    bool entry = function->hasAttr("hacc.entry");
    bool host = keyword(function->getAttr("hacc.function_kind")) == "HOST";
    if (name.starts_with("tw_") || name.starts_with("_mlir_ciface_") || name.contains('\0'))
      return coded(kArgument, "function name '" + name + "' is reserved", describe(function.getLoc()));
    if (host) {
      // A host entry is the launcher of device entries, which the emulator's runtime replaces.
      if (!entry)
        signature.hostFunctions.push_back(name.str());
    } else if (entry) {
      Kernel kernel;
      if (llvm::Error error = readKernel(function, kernel))
        return std::move(error);
      signature.kernels.push_back(std::move(kernel));
    }
  }
  module.walk([&](Operation *op) {
    if (op->getName().getStringRef() == "hivm.hir.pointer_cast" && op->getNumResults() == 1)
      signature.ubBytes = std::max(signature.ubBytes, endOfBuffer(op));
  });
  if (signature.kernels.empty())
    return coded(kParse, "the module has no kernel for the device: its hacc.entry functions run on the host",
                 describe(module.getLoc()));
  return signature;
}

} // namespace tilewright::hivmc
