// The template library of AscendNPU-IR (meta_op.aiv.bc): vendor bitcode over llvm.hivm.* instructions, given
// an x86 form one entry point at a time.
//
// The file is opened lazily (15 MB, 8,000 functions); what a kernel needs is copied out with its callees, its
// instructions renamed to calls of the emulated device (llvm.hivm.A.B -> tw_isa_A_B), and everything that
// names the device's processor dropped.
#ifndef TILEWRIGHT_HIVMC_LIBRARY_H
#define TILEWRIGHT_HIVMC_LIBRARY_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright::hivmc {

class Library {
public:
  /// Opens the bitcode; functions are read on demand. Errors: TW3108.
  static llvm::Expected<std::unique_ptr<Library>> open(llvm::StringRef path, llvm::LLVMContext &context);

  const std::string &path() const { return file; }
  llvm::LLVMContext &context() const { return module->getContext(); }
  /// Name of the entry point behind a module's function (`vadd_1d_float` -> `_mlir_ciface_vadd_1d_float`).
  static std::string entryName(llvm::StringRef function) { return ("_mlir_ciface_" + function).str(); }
  /// The function's declaration, or null when the library does not define it.
  const llvm::Function *find(llvm::StringRef symbol) const;
  /// All entry points.
  std::vector<std::string> entryPoints() const;

  /// Copies `symbols` and everything they call into `target`, where declarations of them may already exist.
  /// `alwaysInline` keeps the device compiler's always-inline marks.
  llvm::Error copyInto(llvm::Module &target, llvm::ArrayRef<std::string> symbols, bool alwaysInline);

private:
  Library() = default;
  std::string file;
  std::unique_ptr<llvm::Module> module;
};

/// Makes the declarations of library functions in `kernel` and their calls agree with the library: parameter
/// attributes (how i1 and i16 are extended is part of the C calling convention) and types. Returns the entry
/// points used. Errors: TW3104 unknown function, TW3105 other parameters.
llvm::Expected<std::vector<std::string>> bindLibraryCalls(llvm::Module &kernel, const Library &library);

} // namespace tilewright::hivmc

#endif
