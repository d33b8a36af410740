// Reading a final AscendNPU-IR module: stock MLIR plus our hivm/hacc dialects, with the few places healed
// where the wheel's patched MLIR prints what stock MLIR 19.1.7 rejects.
#ifndef TILEWRIGHT_HIVMC_PARSEMODULE_H
#define TILEWRIGHT_HIVMC_PARSEMODULE_H

#include "emulator/hivmc/Errors.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace tilewright::hivmc {

/// Collects MLIR diagnostics of a context so that they end in a coded error instead of on stderr.
class DiagnosticLog {
public:
  explicit DiagnosticLog(mlir::MLIRContext &context);
  ~DiagnosticLog();
  /// First error since the last call: text, and "file:line:column" or "".
  std::pair<std::string, std::string> takeFirstError();
  /// The stage that errors belong to from here on.
  void setStage(Code code, llvm::StringRef text);

private:
  mlir::MLIRContext &context;
  mlir::DiagnosticEngine::HandlerID handler;
  std::string message, place;
  Code stage = kParse;
  std::string stageText = "the module does not parse";
};

/// "file:line:column" of the location nearest to the user, or "".
std::string describe(mlir::Location location);

/// The word inside `#hivm.pipe<PIPE_V>` and the like: `PIPE_V`; quotes are removed. Works on attributes of
/// our dialects and on those left opaque, so a module of a newer compiler does not fail on decoration we
/// never read.
std::string keyword(mlir::Attribute attribute);

/// All dialects a final module may use.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Parses, heals and verifies. Errors: TW3101, TW3102.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> parseModule(llvm::StringRef text, llvm::StringRef fileName,
                                                              mlir::MLIRContext &context, DiagnosticLog &log);

/// Checks that every operation has a lowering (TW3103), that the module is for vector cores (TW3113) and has
/// an entry function.
llvm::Error checkSupported(mlir::ModuleOp module);

} // namespace tilewright::hivmc

#endif
