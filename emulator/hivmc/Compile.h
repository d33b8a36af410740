// The whole way of one module, and preparation of the library.
#ifndef TILEWRIGHT_HIVMC_COMPILE_H
#define TILEWRIGHT_HIVMC_COMPILE_H

#include "emulator/hivmc/CommandLine.h"

namespace tilewright::hivmc {

llvm::Error compile(const Options &options);
/// Compiles library functions into the cache: every entry point that bishengir-compile emits for f32, f16,
/// bf16, i32 and i16 elementwise and reduction operations.
/// --tw-observe.
llvm::Error observeModule(const Options &options);
llvm::Error prepareLibrary(const Options &options);

} // namespace tilewright::hivmc

#endif
