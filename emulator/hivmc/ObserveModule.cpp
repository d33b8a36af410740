// --tw-observe: LLVM IR that clang made of a handwritten Ascend C kernel, to an object with the observed form
// beside the plain one, so that its scalar code is seen and priced as that of compiled kernels.
#include "emulator/hivmc/Codegen.h"
#include "emulator/hivmc/Compile.h"
#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/Files.h"
#include "emulator/hivmc/Observed.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace tilewright::hivmc {

Error observeModule(const Options &options) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(options.input, diagnostic, context);
  if (!module)
    return coded(kInput, "'" + Twine(options.input) + "' is no LLVM IR: " + diagnostic.getMessage());
  Expected<std::unique_ptr<Codegen>> codegen = Codegen::create(options.native, options.optLevel);
  if (!codegen)
    return codegen.takeError();
  (*codegen)->prepare(*module);
  SmallVector<Function *> entries;
  for (Function &function : *module)
    if (!function.isDeclaration() && function.getName().starts_with("tw_entry_"))
      entries.push_back(&function);
  if (entries.empty())
    return coded(kInput, "'" + Twine(options.input) + "' has no kernel entry (tw_entry_NAME)");
  addObservedForms(*module, entries);
  countScalarGmAccesses(*module);
  if (Error error = (*codegen)->verify(*module))
    return error;
  Expected<SmallVector<char, 0>> object = (*codegen)->emitObject(*module);
  if (!object)
    return object.takeError();
  return writeAtomically(options.output, StringRef(object->data(), object->size()));
}

} // namespace tilewright::hivmc
