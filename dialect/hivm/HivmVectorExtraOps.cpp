//===- HivmVectorExtraOps.cpp - Vector operations beyond our own kernels
//-------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::hivm;

#define GET_OP_CLASSES
#include "dialect/hivm/HivmVectorExtraOps.cpp.inc"

void HivmDialect::registerVectorExtraOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/hivm/HivmVectorExtraOps.cpp.inc"
      >();
}
