// Runs the compiler in a child process, so that whatever a damaged module does to the parser or to LLVM ends
// in a coded message and exit status 1.
#ifndef TILEWRIGHT_HIVMC_ISOLATE_H
#define TILEWRIGHT_HIVMC_ISOLATE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tilewright::hivmc {

/// Exit status of the work: 0, or 1 after one message on stderr. A child that dies of a signal, calls abort,
/// or takes more than `timeoutSeconds` is reported as TW3111 with the last line that it wrote.
int runIsolated(unsigned timeoutSeconds, llvm::function_ref<llvm::Error()> work);

/// The coded message to report should this process die from here on: MLIR's parser can corrupt its heap while
/// it cleans up after an error that it has already diagnosed (a block with forward references is freed in
/// order).
void setCrashNote(llvm::StringRef note);

} // namespace tilewright::hivmc

#endif
