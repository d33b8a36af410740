//===- Hivm.h - The hivm dialect ----------------------------------------------------------------*- C++
//-*-===//
//
// Text-compatible subset of AscendNPU-IR's `hivm` dialect on stock MLIR 19.1.7. docs/dialect.md lists what
// is covered and where the text of the wheel and of stock MLIR differ.
//
//===--------------------------------------------------------------------------------------------------------===//

#ifndef TILEWRIGHT_DIALECT_HIVM_HIVM_H
#define TILEWRIGHT_DIALECT_HIVM_HIVM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/DeviceMappingInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/hivm/HivmDialect.h.inc"
#include "dialect/hivm/HivmEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialect/hivm/HivmAttrs.h.inc"

#include "dialect/hivm/HivmInterfaces.h.inc"

#include "dialect/hivm/HivmOpSupport.h"

#define GET_OP_CLASSES
#include "dialect/hivm/HivmDmaOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/hivm/HivmElementwiseUnaryOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/hivm/HivmElementwiseBinaryOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/hivm/HivmElementwiseOtherOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/hivm/HivmVectorOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/hivm/HivmSyncOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/hivm/HivmSystemOps.h.inc"
#define GET_OP_CLASSES
#include "dialect/hivm/HivmVectorExtraOps.h.inc"

#endif // TILEWRIGHT_DIALECT_HIVM_HIVM_H
