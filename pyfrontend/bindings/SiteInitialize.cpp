// tilewright.mlir._mlir_libs._site_initialize_0: MLIR's package imports modules of this name and
// calls register_dialects with the registry that every Context is given.

#include "pyfrontend/bindings/Registration.h"

#include "mlir/Bindings/Python/PybindAdaptors.h"

PYBIND11_MODULE(_site_initialize_0, module) {
  module.doc() = "Registers tilewright's dialects and passes with MLIR.";
  tilewrightRegisterPasses();
  module.def(
      "register_dialects", [](MlirDialectRegistry registry) { tilewrightRegisterDialects(registry); },
      pybind11::arg("registry"), "Adds the pipeline's dialects to a registry.");
}
