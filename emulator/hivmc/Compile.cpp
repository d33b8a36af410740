#include "emulator/hivmc/Compile.h"

#include "emulator/hivmc/Codegen.h"
#include "emulator/hivmc/Entry.h"
#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/Files.h"
#include "emulator/hivmc/KnownDefects.h"
#include "emulator/hivmc/LibraryObjects.h"
#include "emulator/hivmc/LibraryTypes.h"
#include "emulator/hivmc/Link.h"
#include "emulator/hivmc/LowerModule.h"
#include "emulator/hivmc/Metadata.h"
#include "emulator/hivmc/Observed.h"
#include "emulator/hivmc/ParseModule.h"
#include "emulator/hivmc/Signature.h"
#include "emulator/include/tilewright/seal.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <set>

using namespace llvm;

namespace tilewright::hivmc {

namespace {

/// The object with its seal, which the emulator verifies before the dynamic loader sees the file.
std::string sealed(StringRef object) {
  const Seal seal = makeSeal(object.data(), object.size());
  return (object + StringRef(reinterpret_cast<const char *>(&seal), sizeof seal)).str();
}

/// --tw-time: milliseconds since the previous phase ended.
class Phases {
public:
  explicit Phases(bool enabled) : enabled(enabled) {}
  void done(const Twine &phase) {
    auto now = std::chrono::steady_clock::now();
    if (enabled)
      errs() << "hivmc: " << phase << ": "
             << llvm::format("%.1f ms\n", std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
  }

private:
  bool enabled;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// --tw-save-stages: numbered files of one compilation.
class Stages {
public:
  static Expected<Stages> open(StringRef directory) {
    Stages stages;
    stages.directory = directory.str();
    if (!directory.empty())
      if (std::error_code error = sys::fs::create_directories(directory))
        return coded(kOutput, "cannot create '" + directory + "': " + error.message());
    return stages;
  }
  template <typename Printable> Error save(StringRef name, const Printable &value) {
    if (directory.empty())
      return Error::success();
    std::string text;
    raw_string_ostream(text) << value;
    SmallString<128> path(directory);
    sys::path::append(path, name);
    return writeAtomically(path, text);
  }

private:
  std::string directory;
};

std::string findLibrary(const Options &options, const ModuleSignature &signature) {
  return options.library.empty() ? signature.aivBitcode : options.library;
}

/// Names of emulated instructions and core functions that `module` calls.
void collectDeviceSymbols(const Module &module, std::set<std::string> &symbols) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.use_empty() &&
        (function.getName().starts_with("tw_isa_") || function.getName().starts_with("tw_core_")))
      symbols.insert(function.getName().str());
}

std::vector<Function *> entryFunctions(Module &module) {
  std::vector<Function *> entries;
  for (Function &function : module)
    if (!function.isDeclaration() && function.getName().starts_with("tw_entry_"))
      entries.push_back(&function);
  return entries;
}

/// Files that vanish with the compilation.
class TemporaryFiles {
public:
  ~TemporaryFiles() {
    for (const std::string &path : paths)
      sys::fs::remove(path);
  }
  Expected<std::string> create(StringRef suffix) {
    SmallString<128> path;
    if (std::error_code error = sys::fs::createTemporaryFile("hivmc", suffix, path))
      return coded(kOutput, "cannot make a temporary file: " + error.message());
    paths.push_back(path.str().str());
    return paths.back();
  }

private:
  std::vector<std::string> paths;
};

} // namespace

Error compile(const Options &options) {
  Phases phases(options.time);
  Expected<Stages> stages = Stages::open(options.saveStages);
  if (!stages)
    return stages.takeError();

  auto buffer = MemoryBuffer::getFile(options.input);
  if (!buffer)
    return coded(kInput, "cannot read '" + Twine(options.input) + "': " + buffer.getError().message());
  StringRef text = (*buffer)->getBuffer();
  std::string sourceHash = contentHash(text);

  std::unique_ptr<mlir::MLIRContext> context = makeContext();
  DiagnosticLog log(*context);
  phases.done("dialects");
  auto module = parseModule(text, options.input, *context, log);
  if (!module)
    return module.takeError();
  if (Error error = checkSupported(**module))
    return error;
  if (Error error = checkLibraryTypes(**module))
    return error;
  if (Error error = checkKnownDefects(**module))
    return error;
  Expected<ModuleSignature> signature = readSignature(**module);
  if (!signature)
    return signature.takeError();
  phases.done("parse");

  LLVMContext llvmContext;
  auto kernel = lowerModule(**module, llvmContext, log, options.lineTables ? options.input : std::string());
  if (Error error = stages->save("10-llvm.mlir", ***module))
    return error;
  if (!kernel)
    return kernel.takeError();
  phases.done("lower");

  Expected<std::unique_ptr<Codegen>> codegen = Codegen::create(options.native, options.optLevel);
  if (!codegen)
    return codegen.takeError();
  Module &ir = **kernel;
  (*codegen)->prepare(ir);
  if (Error error = addEntries(ir, *signature))
    return error;
  if (Error error = stages->save("20-kernel.ll", ir))
    return error;

  std::string libraryHash;
  std::unique_ptr<Library> library;
  std::vector<std::string> libraryCalls;
  bool callsLibrary = any_of(ir, [](const Function &function) {
    return function.isDeclaration() && function.getName().starts_with("_mlir_ciface_");
  });
  if (callsLibrary) {
    std::string path = findLibrary(options, *signature);
    if (path.empty())
      return coded(kLibrary, "the module names no template library (hivm.aiv_bitcode)", "",
                   "hivmc must answer --version to bishengir-compile, or use --tw-library=FILE");
    Expected<std::string> hash = hashLibrary(path);
    if (!hash)
      return hash.takeError();
    libraryHash = *hash;
    Expected<std::unique_ptr<Library>> opened = Library::open(path, llvmContext);
    if (!opened)
      return opened.takeError();
    library = std::move(*opened);
    Expected<std::vector<std::string>> used = bindLibraryCalls(ir, *library);
    if (!used)
      return used.takeError();
    libraryCalls = std::move(*used);
    phases.done("open library");
    if (options.inlineLibrary)
      if (Error error = library->copyInto(ir, libraryCalls, /*alwaysInline=*/true))
        return error;
  }
  if (options.inlineLibrary)
    for (const std::string &symbol : libraryCalls)
      ir.getFunction(symbol)->setLinkage(GlobalValue::InternalLinkage);
  if (Error error = (*codegen)->verify(ir))
    return error;
  (*codegen)->optimise(ir);
  addObservedForms(ir, entryFunctions(ir));
  countScalarGmAccesses(ir);
  if (Error error = stages->save("30-optimised.ll", ir))
    return error;
  phases.done("optimise");

  std::vector<std::string> objects(1);
  std::set<std::string> symbols;
  collectDeviceSymbols(ir, symbols);
  if (!options.inlineLibrary && !libraryCalls.empty()) {
    Expected<ObjectCache> cache = ObjectCache::open(options.cacheDir);
    if (!cache)
      return cache.takeError();
    LibraryObjects compiled(*library, **codegen, *cache, libraryHash);
    for (const std::string &symbol : libraryCalls) {
      Expected<std::string> path = compiled.get(symbol);
      if (!path)
        return path.takeError();
      Expected<std::vector<std::string>> undefined = undefinedSymbols(*path);
      if (!undefined)
        return undefined.takeError();
      symbols.insert(undefined->begin(), undefined->end());
      objects.push_back(*path);
    }
    phases.done("library functions (" + Twine(compiled.compiled()) + " of " + Twine(libraryCalls.size()) +
                " compiled)");
  }

  Expected<Emulator> emulator = Emulator::open(options.emulator);
  if (!emulator)
    return emulator.takeError();
  std::vector<std::string> instructions;
  for (const std::string &symbol : symbols)
    if (StringRef(symbol).starts_with("tw_isa_"))
      instructions.push_back(instructionName(symbol));
  addRuntimeFunctions(ir);
  addMetadata(ir, metadataJson(*signature, instructions, sourceHash, libraryHash));

  Expected<SmallVector<char, 0>> object = (*codegen)->emitObject(ir);
  if (!object)
    return object.takeError();
  StringRef objectBytes(object->data(), object->size());
  if (Error error = stages->save("40-kernel-only.o", objectBytes))
    return error;
  phases.done("generate code");

  TemporaryFiles temporaries;
  Expected<std::string> objectPath = temporaries.create("o");
  if (!objectPath)
    return objectPath.takeError();
  if (Error error = writeAtomically(*objectPath, objectBytes))
    return error;
  objects[0] = *objectPath;
  Expected<std::string> linked = temporaries.create("so");
  if (!linked)
    return linked.takeError();
  if (Error error = linkShared(objects, *linked))
    return error;
  Expected<std::vector<std::string>> undefined = undefinedSymbols(*linked);
  if (!undefined)
    return undefined.takeError();
  for (const std::string &symbol : *undefined)
    if (Error error = emulator->check(symbol))
      return error;
  auto result = MemoryBuffer::getFile(*linked, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!result)
    return coded(kLink, "the linker wrote no file: " + result.getError().message());
  if (Error error = writeAtomically(options.output, sealed((*result)->getBuffer()), 0777))
    return error;
  phases.done("link");
  return Error::success();
}

Error prepareLibrary(const Options &options) {
  LLVMContext context;
  Expected<std::string> hash = hashLibrary(options.prepareLibrary);
  if (!hash)
    return hash.takeError();
  auto library = Library::open(options.prepareLibrary, context);
  if (!library)
    return library.takeError();
  Expected<std::unique_ptr<Codegen>> codegen = Codegen::create(options.native, options.optLevel);
  if (!codegen)
    return codegen.takeError();
  Expected<ObjectCache> cache = ObjectCache::open(options.cacheDir);
  if (!cache)
    return cache.takeError();
  LibraryObjects objects(**library, **codegen, *cache, *hash);
  unsigned total = 0;
  for (const std::string &symbol : commonEntryPoints(**library)) {
    Expected<std::string> path = objects.get(symbol);
    if (!path)
      return path.takeError();
    ++total;
  }
  outs() << "hivmc: " << total << " library functions in " << cache->directory() << ", " << objects.compiled()
         << " compiled now\n";
  return Error::success();
}

} // namespace tilewright::hivmc
