#include "emulator/hivmc/CommandLine.h"
#include "emulator/hivmc/Compile.h"
#include "emulator/hivmc/Errors.h"
#include "emulator/hivmc/Isolate.h"
#include "emulator/hivmc/Version.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright::hivmc;

int main(int argc, char **argv) {
  auto options = parseCommandLine(llvm::ArrayRef<const char *>(argv + 1, argc - 1));
  if (!options) {
    llvm::errs() << render(options.takeError()) << '\n';
    return 1;
  }
  if (options->version || options->help) {
    llvm::outs() << (options->version ? kVersionLine : kHelp) << (options->version ? "\n" : "");
    return 0;
  }
  return runIsolated(options->timeout, [&]() -> llvm::Error {
    return options->observe                  ? observeModule(*options)
           : options->prepareLibrary.empty() ? compile(*options)
                                             : prepareLibrary(*options);
  });
}
