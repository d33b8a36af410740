//===- tw-lsp-server.cpp - language server for tilewright's IR ----------------===//
#include "dialect/Register.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewright::registerAllNeededDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
