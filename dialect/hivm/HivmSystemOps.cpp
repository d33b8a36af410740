//===- HivmSystemOps.cpp - Core state, indices, addresses
//----------------------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::hivm;

#define GET_OP_CLASSES
#include "dialect/hivm/HivmSystemOps.cpp.inc"

void HivmDialect::registerSystemOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/hivm/HivmSystemOps.cpp.inc"
      >();
}

void PointerCastOp::build(OpBuilder &builder, OperationState &state, MemRefType type, Value address) {
  build(builder, state, type, ValueRange{address}, ValueRange{});
}

LogicalResult PointerCastOp::verify() {
  if (getAddrs().empty())
    return emitOpError("needs at least one address");
  auto type = cast<MemRefType>(getResult().getType());
  if (static_cast<int64_t>(getDynamicSizes().size()) != type.getNumDynamicDims())
    return emitOpError("has ") << getDynamicSizes().size() << " dynamic sizes for a result with "
                               << type.getNumDynamicDims() << " dynamic dimensions";
  return success();
}

LogicalResult LoadScalarOp::verify() {
  // LLVM address spaces are the numbers of hivm's: the template library's bitcode uses 1 for GM.
  auto pointer = cast<LLVM::LLVMPointerType>(getAddr().getType());
  if (pointer.getAddressSpace() != static_cast<unsigned>(AddressSpace::GM))
    return emitOpError("reads GM, so the pointer must be in address space 1");
  return success();
}
