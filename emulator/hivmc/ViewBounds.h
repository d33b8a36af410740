// Views that are larger than their buffer stop the kernel.
#ifndef TILEWRIGHT_HIVMC_VIEWBOUNDS_H
#define TILEWRIGHT_HIVMC_VIEWBOUNDS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::hivmc {

/// Puts an assertion before every memref.view of runtime size on a buffer of constant size.
void checkViewBounds(mlir::ModuleOp module);

} // namespace tilewright::hivmc

#endif
