//===- KernelAbi.h - the Triton kernel ABI --------------------------*- C++ -*-===//
//
// The argument list that public launchers use on real devices (AscendNPU-IR facts, sections 3 and 11): lock
// and workspace pointers, the user's buffers, scalars, then three grid sizes and three program ids as i32.
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_KERNELABI_H
#define TILEWRIGHT_PASSES_KERNELABI_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright {

/// Creates, next to `kernel`, the same kernel with an empty body and the Triton ABI. Tensor arguments become
/// flat `memref<?xT>`, `grid:cores` becomes gridX. `mapping` receives the new value of every old argument and
/// `core` the program id, both usable at the end of the new entry block, where `builder` is left.
mlir::func::FuncOp createTritonKernel(mlir::OpBuilder &builder, mlir::func::FuncOp kernel,
                                      mlir::IRMapping &mapping, mlir::Value &core);

} // namespace tilewright

#endif
