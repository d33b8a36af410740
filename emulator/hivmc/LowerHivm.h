// Conversion patterns for the hivm operations of a final module, to calls of the emulated device.
#ifndef TILEWRIGHT_HIVMC_LOWERHIVM_H
#define TILEWRIGHT_HIVMC_LOWERHIVM_H

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::hivmc {

/// Address spaces of the template library's bitcode (c220 ISA note, section 1).
enum AddressSpace : unsigned { kStack = 0, kGM = 1, kUB = 6 };

/// Number of `PIPE_...` in flag and barrier instructions (c220 ISA note, section 3.12), or -1.
int pipeNumber(llvm::StringRef keyword);

/// Rewrites memory spaces `#hivm.address_space<...>` into the integers above. Fails (null) with an error on
/// the module for spaces of cube cores.
mlir::LogicalResult rewriteAddressSpaces(mlir::ModuleOp module);

void populateHivmToLLVMPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

/// Loads and stores of bit-packed i1 buffers in UB and GM.
void populateBitBufferPatterns(mlir::LLVMTypeConverter &converter, mlir::RewritePatternSet &patterns);

} // namespace tilewright::hivmc

#endif
