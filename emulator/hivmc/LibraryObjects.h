// Compiled library functions, one relocatable object per entry point, kept in the cache.
//
// A kernel calls library functions with the C calling convention and the linker puts the objects together, so
// a kernel's own compile does not pay for the library. On the device the bodies are inlined;
// Library::copyInto does that here on request (--tw-inline-library).
#ifndef TILEWRIGHT_HIVMC_LIBRARYOBJECTS_H
#define TILEWRIGHT_HIVMC_LIBRARYOBJECTS_H

#include "emulator/hivmc/Codegen.h"
#include "emulator/hivmc/Files.h"
#include "emulator/hivmc/Library.h"

namespace tilewright::hivmc {

class LibraryObjects {
public:
  LibraryObjects(Library &library, const Codegen &codegen, const ObjectCache &cache, std::string libraryHash)
      : library(library), codegen(codegen), cache(cache), libraryHash(std::move(libraryHash)) {}

  /// Path of the object that defines `symbol`, compiled now if the cache has none.
  llvm::Expected<std::string> get(const std::string &symbol);
  unsigned compiled() const { return compiledCount; }

private:
  Library &library;
  const Codegen &codegen;
  const ObjectCache &cache;
  std::string libraryHash;
  unsigned compiledCount = 0;
};

/// The entry points worth compiling ahead: what bishengir-compile emits for elementwise operations, moves,
/// casts, broadcasts and reductions of f32, f16, bf16, i32 and i16 (AscendNPU-IR note, section 4).
std::vector<std::string> commonEntryPoints(const Library &library);

/// Fast content hash of the library file, for cache keys.
llvm::Expected<std::string> hashLibrary(llvm::StringRef path);

} // namespace tilewright::hivmc

#endif
