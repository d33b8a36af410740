//===- Register.h - Dialects of tilewright ------------------------------------------------------*- C++
//-*-===//

#ifndef TILEWRIGHT_DIALECT_REGISTER_H
#define TILEWRIGHT_DIALECT_REGISTER_H

namespace mlir {
class DialectRegistry;
}

namespace tilewright {

/// Adds hivm, hacc, annotation, hfusion and tw.
void registerDialects(mlir::DialectRegistry &registry);

/// Adds the dialects above and the upstream ones that occur in modules from linalg down to what
/// bishengir-compile prints. Listed one by one: registerAllDialects costs half a minute of compile time.
void registerAllNeededDialects(mlir::DialectRegistry &registry);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_REGISTER_H
