// Op interfaces of the hivm dialect.

#ifndef TILEWRIGHT_DIALECT_HIVM_INTERFACES_TD
#define TILEWRIGHT_DIALECT_HIVM_INTERFACES_TD

include "mlir/IR/OpBase.td"

def HivmPipeOpInterface : OpInterface<"HivmPipeOpInterface"> {
  let cppNamespace = "::mlir::hivm";
  let description = [{
    An operation whose whole work runs on one pipe. Operations of one pipe execute in program order
    only as far as the pipe's queue is concerned; operations of different pipes are ordered by flags.
  }];
  let methods = [
    InterfaceMethod<"The pipe that executes the operation.", "::mlir::hivm::Pipe", "getPipe", (ins)>
  ];
}

#endif // TILEWRIGHT_DIALECT_HIVM_INTERFACES_TD
