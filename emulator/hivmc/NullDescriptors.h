// The template library reads descriptors through null pointers.
#ifndef TILEWRIGHT_HIVMC_NULLDESCRIPTORS_H
#define TILEWRIGHT_HIVMC_NULLDESCRIPTORS_H

#include "llvm/IR/Function.h"

namespace tilewright::hivmc {

/// One-source operations of the library pass null for the descriptors that they do not have (second source,
/// temporary buffer), and callees copy the whole descriptor before they look whether it is there. On the
/// device this reads the bottom of the scalar stack and the values stay unused; on x86 it would fault, and
/// LLVM may assume that it never happens. Every read through a pointer that can be null reads zeros instead.
void guardNullDescriptors(llvm::Function &function);

} // namespace tilewright::hivmc

#endif
