// LLVM IR -> x86-64 object code.
#ifndef TILEWRIGHT_HIVMC_CODEGEN_H
#define TILEWRIGHT_HIVMC_CODEGEN_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>

namespace tilewright::hivmc {

class Codegen {
public:
  static llvm::Expected<std::unique_ptr<Codegen>> create(bool native, unsigned optLevel);

  /// Sets triple and data layout; before any optimisation.
  void prepare(llvm::Module &module) const;
  /// Scalar optimisation without vectorising or unrolling: the heavy work is in the instructions.
  void optimise(llvm::Module &module) const;
  /// For library functions: a short pipeline of what pays on unoptimised clang output (stack slots to
  /// registers, constant arguments into templates' helpers, small helpers inlined). A third of the time of
  /// `optimise`.
  void optimiseLibrary(llvm::Module &module) const;
  llvm::Error verify(const llvm::Module &module) const;
  llvm::Expected<llvm::SmallVector<char, 0>> emitObject(llvm::Module &module) const;
  /// What the code depends on, for cache keys.
  std::string description() const;

private:
  Codegen() = default;
  void run(llvm::Module &module, bool shortPipeline) const;
  std::unique_ptr<llvm::TargetMachine> machine;
  unsigned optLevel = 2;
};

/// Defines the run-time functions that code generation may call where x86-64 of the baseline has no
/// instruction (float to bfloat). Hidden; the linker drops them when unused. After optimisation.
void addRuntimeFunctions(llvm::Module &module);

/// Adds reports of scalar GM accesses (one call a basic block) for the emulated device's counters.
void countScalarGmAccesses(llvm::Module &module);

} // namespace tilewright::hivmc

#endif
