//===- KernelArguments.h - host-visible kernel arguments ------------*- C++ -*-===//
//
// Arguments of a kernel function that the host fills carry the string attribute `tw.arg`:
//
//   tensor:<name>   a tensor or GM buffer, inputs first, then outputs
//   scalar:<name>   a runtime attribute
//   extent:<axis>   i64, size of an iteration axis
//   tiling:<name>   i64, a number that the host's planner chooses
//   grid:cores      i64, number of blocks launched (becomes gridX)
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_KERNELARGUMENTS_H
#define TILEWRIGHT_PASSES_KERNELARGUMENTS_H

#include "dialect/tw/Tw.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {

/// Role of an argument, see above. The other attributes are named in dialect/tw/Tw.h.
inline constexpr llvm::StringLiteral kArgAttr = "tw.arg";

/// On a loop over groups of channels: what it transfers once a group is not double-buffered. Removed by
/// tw-double-buffer.
inline constexpr llvm::StringLiteral kGroupsAttr = "tw.groups";

/// Bytes of one block, the unit of work that is given to a core. 512 bytes is the L2 line of the 910B
/// (facts: timing model, section 5) and the block of the seed designs.
inline constexpr int64_t kBlockBytes = 512;
/// UB addresses and DMA rows are aligned to 32 bytes (c220 block).
inline constexpr int64_t kUbBlockBytes = 32;

/// The `tw.arg` of argument `index`, or an empty string.
llvm::StringRef getArgKind(mlir::func::FuncOp func, unsigned index);

/// Appends an argument with the given `tw.arg` and returns it.
mlir::BlockArgument appendArgument(mlir::func::FuncOp func, mlir::Type type, const llvm::Twine &kind);

/// Appends an i64 argument and returns it cast to index at the builder's insertion point.
mlir::Value appendIndexArgument(mlir::OpBuilder &builder, mlir::func::FuncOp func, const llvm::Twine &kind);

/// The argument with the given `tw.arg`; null when there is none.
mlir::BlockArgument findArgument(mlir::func::FuncOp func, llvm::StringRef kind);

/// `tw.name = "x"` on each argument becomes `tw.arg = "tensor:x"` or `"scalar:x"`.
mlir::LogicalResult classifyArguments(mlir::func::FuncOp func);

/// The single linalg.generic of a kernel; emits an error and returns null when there is not exactly one.
mlir::linalg::GenericOp getSingleNest(mlir::func::FuncOp func);

/// Calls `fn` on each function marked `tw.kernel`; stops at the first failure.
mlir::LogicalResult forEachKernel(mlir::ModuleOp module,
                                  llvm::function_ref<mlir::LogicalResult(mlir::func::FuncOp)> fn);

/// Erases operations without uses and effects, users first.
void eraseDeadOps(mlir::func::FuncOp func);

/// Elements of one block on the innermost axis: 512 bytes of the widest output.
int64_t getBlockElements(mlir::linalg::GenericOp nest);

} // namespace tilewright

#endif
