// `tw_kernel_metadata`: what the runtime must know of an object, as JSON in section .tilewright.
#ifndef TILEWRIGHT_HIVMC_METADATA_H
#define TILEWRIGHT_HIVMC_METADATA_H

#include "emulator/hivmc/Signature.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace tilewright::hivmc {

/// `instructions`: names as after `llvm.hivm.`. `sourceHash`: SHA-256 of the input module.
std::string metadataJson(const ModuleSignature &signature, llvm::ArrayRef<std::string> instructions,
                         llvm::StringRef sourceHash, llvm::StringRef library);

void addMetadata(llvm::Module &module, llvm::StringRef json);

} // namespace tilewright::hivmc

#endif
