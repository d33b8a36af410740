//===- HivmElementwiseBinaryOps.cpp
//---------------------------------------------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::hivm;

#define GET_OP_CLASSES
#include "dialect/hivm/HivmElementwiseBinaryOps.cpp.inc"

void HivmDialect::registerElementwiseBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/hivm/HivmElementwiseBinaryOps.cpp.inc"
      >();
}
