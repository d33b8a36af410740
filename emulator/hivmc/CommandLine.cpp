#include "emulator/hivmc/CommandLine.h"

#include "emulator/hivmc/Errors.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace tilewright::hivmc {

const char *const kHelp = R"(hivmc: final AscendNPU-IR module -> kernel object for the emulated Ascend 910B

usage: hivmc IN.mlir [options] -o OUT
       hivmc --version
       hivmc --tw-prepare-library=FILE.bc

Options of CANN's hivmc (--enable-..., any other -x or --x=y) are accepted and change nothing here. Own options:
  --tw-library=FILE          template library instead of the one named by the module
  --tw-prepare-library=FILE  compile the common library functions into the cache and stop
  --tw-emulator=FILE         libtilewright_emulator.so that the kernel will run on
  --tw-cache-dir=DIR         cache of compiled library functions
  --tw-observe               IN is LLVM IR of a handwritten kernel (docs/ascendc.md); OUT is not linked
  --tw-save-stages=DIR       keep the lowered module, LLVM IR and objects
  --tw-inline-library        compile library bodies into the kernel
  --tw-line-tables=false     no line tables (MLIR locations, else lines of IN.mlir)
  --tw-native                code for this CPU only
  --tw-opt-level=N           0 to 3, default 2
  --tw-timeout=SECONDS       default 300
  --tw-time                  time of each phase on stderr
)";

namespace {

/// CANN options that bishengir-compile passes, or that its documentation lists. They steer code generation
/// for the device (bare pointers, relocation, barriers, sanitizer) and have no counterpart in an x86 object;
/// static bare pointers, the only one that changes the calling convention, is what we always do.
bool isTrue(StringRef value) { return value.empty() || value == "true" || value == "1"; }

Error number(StringRef name, StringRef value, unsigned low, unsigned high, unsigned &out) {
  if (value.getAsInteger(10, out) || out < low || out > high)
    return coded(kUsage, "option --" + name + " takes a number from " + Twine(low) + " to " + Twine(high) +
                             ", not '" + value + "'");
  return Error::success();
}

Error ownOption(StringRef name, StringRef value, Options &options) {
  auto text = [&](std::string &out) -> Error {
    if (value.empty())
      return coded(kUsage, "option --" + name + " needs a value");
    out = value.str();
    return Error::success();
  };
  if (name == "tw-library")
    return text(options.library);
  if (name == "tw-prepare-library")
    return text(options.prepareLibrary);
  if (name == "tw-save-stages")
    return text(options.saveStages);
  if (name == "tw-emulator")
    return text(options.emulator);
  if (name == "tw-cache-dir")
    return text(options.cacheDir);
  if (name == "tw-opt-level")
    return number(name, value, 0, 3, options.optLevel);
  if (name == "tw-timeout")
    return number(name, value, 1, 86400, options.timeout);
  bool *flag = name == "tw-inline-library" ? &options.inlineLibrary
               : name == "tw-native"       ? &options.native
               : name == "tw-observe"      ? &options.observe
               : name == "tw-line-tables"  ? &options.lineTables
               : name == "tw-time"         ? &options.time
                                           : nullptr;
  if (!flag)
    return coded(kUsage, "unknown option --" + name, "", "hivmc --help lists the options");
  *flag = isTrue(value);
  return Error::success();
}

} // namespace

Expected<Options> parseCommandLine(ArrayRef<const char *> arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    StringRef argument = arguments[i];
    if (argument == "--version" || argument == "-version") {
      options.version = true;
    } else if (argument == "--help" || argument == "-h") {
      options.help = true;
    } else if (argument == "-o") {
      if (i + 1 == arguments.size())
        return coded(kUsage, "option -o needs a file name");
      options.output = arguments[++i];
    } else if (argument.starts_with("-o") && !argument.starts_with("-o=") && argument.size() > 2 &&
               !argument.contains('=')) {
      options.output = argument.drop_front(2).str();
    } else if (argument.size() > 1 && argument[0] == '-') {
      auto [name, value] = argument.ltrim('-').split('=');
      if (name.starts_with("tw-")) {
        if (Error error = ownOption(name, value, options))
          return std::move(error);
      } // every other option is CANN's: accepted
    } else {
      if (!options.input.empty())
        return coded(kUsage, "two input files: '" + Twine(options.input) + "' and '" + argument + "'");
      options.input = argument.str();
    }
  }
  if (options.version || options.help || !options.prepareLibrary.empty())
    return options;
  if (options.input.empty())
    return coded(kUsage, "no input file", "", "hivmc IN.mlir -o OUT");
  if (options.output.empty())
    return coded(kUsage, "no output file", "", "hivmc IN.mlir -o OUT");
  return options;
}

} // namespace tilewright::hivmc
