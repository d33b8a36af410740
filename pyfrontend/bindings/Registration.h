// The C functions that the Python module _site_initialize_0 calls. C, because a Python extension is
// built with exceptions and its own visibility and shares only MLIR's C API with the rest.

#ifndef TILEWRIGHT_PYFRONTEND_BINDINGS_REGISTRATION_H
#define TILEWRIGHT_PYFRONTEND_BINDINGS_REGISTRATION_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds the dialects of the pipeline, with their bufferization models, to a registry.
MLIR_CAPI_EXPORTED void tilewrightRegisterDialects(MlirDialectRegistry registry);

/// Registers own passes and the MLIR passes that pipelines name. Call once per process.
MLIR_CAPI_EXPORTED void tilewrightRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif // TILEWRIGHT_PYFRONTEND_BINDINGS_REGISTRATION_H
