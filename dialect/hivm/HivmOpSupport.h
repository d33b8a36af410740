//===- HivmOpSupport.h - What the structured hivm operations share ------------------------------*- C++
//-*-===//

#ifndef TILEWRIGHT_DIALECT_HIVM_HIVMOPSUPPORT_H
#define TILEWRIGHT_DIALECT_HIVM_HIVMOPSUPPORT_H

#include "mlir/IR/Value.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::hivm {

/// Sources of a vector operation that may be a scalar; the vector unit has no scalar-first form of the
/// commutative instructions.
enum class ScalarSource { None, Second, Any };

/// The hivm address space of a memref, nothing for a tensor, a scalar or a memref without one.
std::optional<AddressSpace> getAddressSpace(Type type);

/// The result types of a structured operation: the type of `dst` when it is a tensor, else none.
SmallVector<Type, 1> resultTypes(Value dst);

/// Fills `state` with an elementwise operation without scratch buffer, broadcast or transpose.
void buildElementwise(OpBuilder &builder, OperationState &state, ValueRange sources, Value dst);

/// The pipe of a copy: V inside UB, MTE1 out of L1, MTE2 out of GM, MTE3 into GM. Tensors and memrefs without
/// an address space count as UB.
Pipe getCopyPipe(Type src, Type dst);

/// Memref effects of a destination style operation: inits are written (and read if `readsDst`), the operand
/// segment `temp_buffer` is written, every other memref is read. Tensors have no effects.
void getDestinationEffects(Operation *op, bool readsDst,
                           SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects);

/// Checks that every shaped operand in `values` has the rank of the first one.
LogicalResult verifySameRank(Operation *op, ValueRange values);

/// Checks the number of sources, their element types against the list `accepts` ("f16 f32", or "any"), which
/// sources are scalars, ranks, and the broadcast and transpose attributes.
LogicalResult verifyElementwise(Operation *op, ValueRange sources, ValueRange inits, unsigned arity,
                                ArrayRef<int64_t> broadcast, ArrayRef<int64_t> transpose);
LogicalResult verifyElementTypes(Operation *op, ValueRange sources, StringRef accepts);

/// The element types that transfers and UB hold.
constexpr StringLiteral kStorable = "i1 i8 ui8 i16 ui16 i32 ui32 i64 ui64 f16 bf16 f32 f8E4M3FN f8E5M2";

/// True if the vector unit converts `from` to `to` (element types) with this rounding.
bool isCastSupported(Type from, Type to, RoundMode mode, TypeFn fn);

LogicalResult verifyScalarSources(Operation *op, ValueRange sources, ScalarSource allowed);

template <typename OpT>
LogicalResult verifyArithmetic(OpT op, unsigned arity, StringRef accepts, ScalarSource allowed) {
  if (failed(verifyElementwise(op, op.getSrc(), op.getDst(), arity, op.getBroadcast(), op.getTranspose())) ||
      failed(verifyScalarSources(op, op.getSrc(), allowed)))
    return failure();
  return verifyElementTypes(op, op.getSrc(), accepts);
}

} // namespace mlir::hivm

#endif // TILEWRIGHT_DIALECT_HIVM_HIVMOPSUPPORT_H
