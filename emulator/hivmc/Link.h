// Objects -> shared object, and the check that nothing but the emulated device is left to resolve.
#ifndef TILEWRIGHT_HIVMC_LINK_H
#define TILEWRIGHT_HIVMC_LINK_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilewright::hivmc {

/// Links with `ld.lld -shared` into `output` (a temporary file of the caller). Errors: TW3109.
llvm::Error linkShared(llvm::ArrayRef<std::string> objects, llvm::StringRef output);

/// Undefined symbols of an object file or shared object. Errors: TW3109.
llvm::Expected<std::vector<std::string>> undefinedSymbols(llvm::StringRef path);

/// The emulated device as far as the compiler needs it: which symbols it has and which instructions mean
/// something.
class Emulator {
public:
  /// `path` empty: ../lib/libtilewright_emulator.so next to this program; when that is absent every tw_
  /// symbol is accepted (they are checked again when the kernel is loaded).
  static llvm::Expected<Emulator> open(llvm::StringRef path);
  /// TW3106 for a symbol it does not have or an instruction without a meaning.
  llvm::Error check(llvm::StringRef symbol) const;

private:
  void *handle = nullptr;
  int (*supported)(const char *) = nullptr;
};

/// Name of the instruction behind `tw_isa_A_B` (`A.B`).
std::string instructionName(llvm::StringRef symbol);

} // namespace tilewright::hivmc

#endif
