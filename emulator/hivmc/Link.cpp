#include "emulator/hivmc/Link.h"

#include "emulator/hivmc/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;

namespace tilewright::hivmc {

namespace {

Expected<std::string> findLinker() {
  if (const char *own = std::getenv("TILEWRIGHT_LLD"); own && *own)
    return std::string(own);
  for (const char *name : {"ld.lld-19", "ld.lld"})
    if (auto path = sys::findProgramByName(name))
      return *path;
  if (auto path = sys::findProgramByName("ld.lld", {TILEWRIGHT_LLVM_TOOLS}))
    return *path;
  return coded(kLink, "no linker: neither ld.lld-19 nor ld.lld is on PATH", "",
               "install the package lld-19, or set TILEWRIGHT_LLD");
}

/// What LLVM may call behind the kernel's back; resolved from the C library that the emulated device has
/// loaded.
bool isRuntimeFunction(StringRef symbol) {
  static const char *const known[] = {
      "memcpy", "memmove", "memset", "memcmp", "expf", "exp",  "exp2f",  "exp2",  "logf",   "log",   "log2f",
      "log2",   "log10f",  "log10",  "powf",   "pow",  "sinf", "sin",    "cosf",  "cos",    "fmodf", "fmod",
      "fmaf",   "fma",     "fminf",  "fmaxf",  "fmin", "fmax", "roundf", "round", "ldexpf", "tanf"};
  return is_contained(known, symbol);
}

} // namespace

Error linkShared(ArrayRef<std::string> objects, StringRef output) {
  Expected<std::string> linker = findLinker();
  if (!linker)
    return linker.takeError();
  SmallString<128> log;
  if (std::error_code error = sys::fs::createTemporaryFile("hivmc-link", "log", log))
    return coded(kLink, "cannot make a temporary file: " + error.message());
  std::vector<StringRef> arguments{
      *linker, "-shared",     "--gc-sections",   "-Bsymbolic", "--hash-style=gnu",
      "-O1",   "--threads=1", "--build-id=none", "-z",         "noexecstack",
      "-o",    output};
  arguments.insert(arguments.end(), objects.begin(), objects.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(log), StringRef(log)};
  std::string reason;
  int status = sys::ExecuteAndWait(*linker, arguments, std::nullopt, redirects, /*SecondsToWait=*/60,
                                   /*MemoryLimit=*/0, &reason);
  Error result = Error::success();
  if (status != 0) {
    std::string text = reason;
    if (auto buffer = MemoryBuffer::getFile(log))
      text += (*buffer)->getBuffer().trim().str();
    result = coded(kLink, "the linker failed: " + text);
  }
  sys::fs::remove(log);
  return result;
}

Expected<std::vector<std::string>> undefinedSymbols(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return coded(kLink, "cannot read '" + path + "': " + buffer.getError().message());
  auto object = object::ObjectFile::createELFObjectFile((*buffer)->getMemBufferRef());
  if (!object)
    return coded(kLink, "'" + path + "' is not an object file: " + toString(object.takeError()));
  std::vector<std::string> names;
  auto *elf = cast<object::ELFObjectFileBase>(object->get());
  auto add = [&](const object::SymbolRef &symbol) -> Error {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags || !name)
      return joinErrors(flags ? Error::success() : flags.takeError(),
                        name ? Error::success() : name.takeError());
    if ((*flags & object::SymbolRef::SF_Undefined) && !name->empty())
      names.push_back(name->str());
    return Error::success();
  };
  if (elf->getEType() == ELF::ET_DYN) {
    for (const object::SymbolRef symbol : elf->getDynamicSymbolIterators())
      if (Error error = add(symbol))
        return std::move(error);
  } else {
    for (const object::SymbolRef symbol : elf->symbols())
      if (Error error = add(symbol))
        return std::move(error);
  }
  return names;
}

Expected<Emulator> Emulator::open(StringRef path) {
  SmallString<256> file(path);
  if (file.empty()) {
    file = sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&linkShared));
    sys::path::remove_filename(file);
    sys::path::append(file, "..", "lib", "libtilewright_emulator.so");
    if (!sys::fs::exists(file))
      return Emulator();
  }
  Emulator emulator;
  emulator.handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!emulator.handle)
    return coded(kLink, "cannot load the emulated device '" + file + "': " + dlerror());
  emulator.supported = reinterpret_cast<int (*)(const char *)>(dlsym(emulator.handle, "tw_isa_supported"));
  return emulator;
}

std::string instructionName(StringRef symbol) {
  symbol.consume_front("tw_isa_");
  std::string name = symbol.str();
  std::replace(name.begin(), name.end(), '_', '.');
  return name;
}

Error Emulator::check(StringRef symbol) const {
  if (symbol.starts_with("tw_isa_")) {
    std::string name = instructionName(symbol);
    if (!handle)
      return Error::success();
    if (!dlsym(handle, symbol.str().c_str()) || (supported && supported(name.c_str()) < 0))
      return coded(kInstruction, "the emulated device does not know the instruction '" + name + "'");
    return Error::success();
  }
  if (symbol.starts_with("tw_core_")) {
    if (handle && !dlsym(handle, symbol.str().c_str()))
      return coded(kInstruction, "the emulated device has no '" + symbol + "'");
    return Error::success();
  }
  if (isRuntimeFunction(symbol))
    return Error::success();
  return coded(kLink, "'" + symbol +
                          "' is defined neither by the module, the template library nor the emulated device");
}

} // namespace tilewright::hivmc
