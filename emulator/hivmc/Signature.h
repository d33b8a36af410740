// The kernels and host functions of a module, and the packed argument struct of each kernel (device launch
// ABI, AscendNPU-IR note, section 11: memrefs are 8-byte words, scalars have natural alignment).
#ifndef TILEWRIGHT_HIVMC_SIGNATURE_H
#define TILEWRIGHT_HIVMC_SIGNATURE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilewright::hivmc {

struct Argument {
  std::string kind; ///< ffts, lock, workspace, pointer, scalar, grid
  std::string role; ///< the module's hacc.arg_type (input, output, tiling_data, ...) or ""
  std::string type; ///< i64, f32, ...; of a pointer: its element type
  uint64_t offset = 0, size = 0;
  /// Of a memref: constant sizes (kUnknown for the outermost dynamic one), strides in elements and offset.
  bool isMemref = false;
  std::vector<int64_t> sizes, strides;
  int64_t memrefOffset = 0;
  /// Elements that a memref of static shape spans from its pointer on; 0 if a dimension is dynamic.
  uint64_t elements = 0;
};

struct Kernel {
  std::string name;
  std::vector<Argument> arguments;
  uint64_t argumentBytes = 0;
  /// Blocks that the code divides its work among (hacc.block_dim), or 0: any number.
  uint64_t blockDim = 0;
};

struct ModuleSignature {
  std::vector<Kernel> kernels;
  std::vector<std::string> hostFunctions;
  std::string target;       ///< name in the module attribute, or ""
  unsigned vectorCores = 0; ///< of the device specification in the module, or 0
  std::string aivBitcode;   ///< path named by hivm.aiv_bitcode, or ""
  uint64_t ubBytes = 0;     ///< end of the highest buffer that a pointer_cast places at a constant address
};

/// Reads the signature before any lowering. Errors: TW3107 with the argument's place.
llvm::Expected<ModuleSignature> readSignature(mlir::ModuleOp module);

} // namespace tilewright::hivmc

#endif
