// CANN's command line: `hivmc IN.mlir --enable-...=... -o OUT`, plus our own `--tw-...` options.
#ifndef TILEWRIGHT_HIVMC_COMMANDLINE_H
#define TILEWRIGHT_HIVMC_COMMANDLINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace tilewright::hivmc {

struct Options {
  bool version = false, help = false;
  std::string input, output;
  /// --tw-line-tables=false: without line tables. (CANN's --enable-debug-info makes bishengir-compile write
  /// locations into the module; whether there are any shows in the module.)
  bool lineTables = true;
  /// --tw-library=FILE: template library instead of the one that the module names.
  std::string library;
  /// --tw-prepare-library=FILE: compile library functions into the cache; no module is read.
  std::string prepareLibrary;
  /// --tw-observe: the input is LLVM IR of a handwritten kernel; the output an object with its observed form,
  /// not linked.
  bool observe = false;
  /// --tw-save-stages=DIR: lowered module, LLVM IR, object files.
  std::string saveStages;
  /// --tw-emulator=FILE: the library that knows the instructions; default ../lib next to this program.
  std::string emulator;
  /// --tw-cache-dir=DIR; default TILEWRIGHT_CACHE_DIR, XDG_CACHE_HOME/tilewright, ~/.cache/tilewright.
  std::string cacheDir;
  /// --tw-inline-library: compile library bodies into the kernel (as always-inline), as the device compiler
  /// does.
  bool inlineLibrary = false;
  /// --tw-native: code for this machine's CPU instead of the portable baseline.
  bool native = false;
  /// --tw-time: one line per phase on stderr.
  bool time = false;
  /// --tw-opt-level=0..3.
  unsigned optLevel = 2;
  /// --tw-timeout=SECONDS for the whole run.
  unsigned timeout = 300;
};

llvm::Expected<Options> parseCommandLine(llvm::ArrayRef<const char *> arguments);
extern const char *const kHelp;

} // namespace tilewright::hivmc

#endif
