// Entry point of the Python op classes: mlir-tblgen -gen-python-op-bindings -bind-dialect=hivm
// The enum helpers come from the same file with -gen-python-enum-bindings -bind-dialect=hivm.
#ifndef TILEWRIGHT_DIALECT_PYTHON_HIVM_OPS_TD
#define TILEWRIGHT_DIALECT_PYTHON_HIVM_OPS_TD
include "dialect/hivm/HivmDmaOps.td"
include "dialect/hivm/HivmElementwiseUnaryOps.td"
include "dialect/hivm/HivmElementwiseBinaryOps.td"
include "dialect/hivm/HivmElementwiseOtherOps.td"
include "dialect/hivm/HivmVectorOps.td"
include "dialect/hivm/HivmVectorExtraOps.td"
include "dialect/hivm/HivmSyncOps.td"
include "dialect/hivm/HivmSystemOps.td"
#endif
