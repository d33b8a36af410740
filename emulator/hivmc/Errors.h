// Coded errors: every refusal of hivmc is one message "TW31nn: what / at / hint" on stderr.
#ifndef TILEWRIGHT_HIVMC_ERRORS_H
#define TILEWRIGHT_HIVMC_ERRORS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright::hivmc {

enum Code : int {
  kUsage = 3100,           // command line
  kInput = 3101,           // input file cannot be read
  kParse = 3102,           // not a module: syntax, types, verification
  kUnsupportedOp = 3103,   // an operation without a meaning here
  kLibraryFunction = 3104, // the template library has no such function
  kLibraryMismatch = 3105, // the module calls a library function with other parameters than it has
  kInstruction = 3106,     // an instruction the emulated device does not know
  kArgument = 3107,        // a kernel argument whose layout is not defined
  kLibrary = 3108,         // the template library is missing or damaged
  kLink = 3109,            // linker missing or failed, or symbols left over
  kOutput = 3110,          // output or cache cannot be written
  kInternal = 3111,        // the compiler itself crashed or ran out of time
  kLowering = 3112,        // conversion to machine code failed
  kTarget = 3113,          // a module for cube cores
  kBuffers = 3114,         // buffers that the stock compiler placed wrongly
};

/// An error with its code; `at` and `hint` may be empty.
llvm::Error coded(Code code, const llvm::Twine &what, const llvm::Twine &at = "",
                  const llvm::Twine &hint = "");

/// The text to print: coded errors as they are, others as TW3111.
std::string render(llvm::Error error);

} // namespace tilewright::hivmc

#endif
