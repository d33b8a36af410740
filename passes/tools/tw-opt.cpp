//===- tw-opt.cpp - runs passes on textual IR ---------------------------------===//
#include "dialect/Register.h"
#include "passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllNeededDialects(registry);
  tilewright::registerPasses();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "tilewright optimiser driver\n", registry));
}
