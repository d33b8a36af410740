//===- HivmVectorOps.cpp - vbrc, vreduce, vtranspose
//---------------------------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::hivm;

#define GET_OP_CLASSES
#include "dialect/hivm/HivmVectorOps.cpp.inc"

void HivmDialect::registerVectorOps() {
  addOperations<
#define GET_OP_LIST
#include "dialect/hivm/HivmVectorOps.cpp.inc"
      >();
}

/// The library addresses scratch memory as one run of bytes.
static LogicalResult verifyFlatScratch(Operation *op, Value scratch) {
  if (scratch && cast<ShapedType>(scratch.getType()).getRank() != 1)
    return op->emitOpError("temp_buffer must have rank 1");
  return success();
}

/// Checks that `dims` is not empty, in range, and that `type` has extent 1 (or unknown) there.
static LogicalResult verifyUnitDims(Operation *op, ArrayRef<int64_t> dims, ShapedType type, StringRef name,
                                    StringRef role) {
  if (dims.empty())
    return op->emitOpError(name) << " must not be empty";
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= type.getRank())
      return op->emitOpError(name) << " has " << dim << ", outside rank " << type.getRank();
    if (!type.isDynamicDim(dim) && type.getDimSize(dim) != 1)
      return op->emitOpError(role) << " must have extent 1 in dimension " << dim << " of " << name << ", has "
                                   << type.getDimSize(dim);
  }
  return success();
}

//===-- vbrc
//------------------------------------------------------------------------------------------------===//

void VBrcOp::build(OpBuilder &builder, OperationState &state, Value src, Value dst,
                   ArrayRef<int64_t> broadcastDims) {
  SmallVector<Type, 1> types = resultTypes(dst);
  build(builder, state, types.empty() ? Type() : types.front(), src, dst, /*temp_buffer=*/nullptr,
        broadcastDims);
}

LogicalResult VBrcOp::verify() {
  Type element = getElementTypeOrSelf(getSrc().getType());
  if (element != getElementTypeOrSelf(getDst().getType()))
    return emitOpError("broadcasts ") << element << " into " << getElementTypeOrSelf(getDst().getType());
  if (failed(verifyFlatScratch(*this, getTempBuffer())) ||
      failed(verifyElementTypes(*this, getSrc(), kStorable)))
    return failure();
  auto src = dyn_cast<ShapedType>(getSrc().getType());
  if (!src) {
    if (!getBroadcastDims().empty())
      return emitOpError("broadcast_dims must be empty for a scalar source");
    return success();
  }
  if (failed(verifySameRank(*this, {getSrc(), getDst()})))
    return failure();
  return verifyUnitDims(*this, getBroadcastDims(), src, "broadcast_dims", "source");
}

//===-- vreduce
//---------------------------------------------------------------------------------------------===//

void VReduceOp::build(OpBuilder &builder, OperationState &state, ReduceKind kind, Value src, Value dst,
                      ArrayRef<int64_t> reduceDims) {
  build(builder, state, resultTypes(dst), src, dst, /*temp_buffer=*/nullptr, /*indices=*/nullptr, kind,
        reduceDims);
}

static bool returnsIndex(ReduceKind kind) {
  return kind == ReduceKind::MaxWithIndexLeft || kind == ReduceKind::MaxWithIndexRight ||
         kind == ReduceKind::MinWithIndexLeft || kind == ReduceKind::MinWithIndexRight;
}

static bool isBitwise(ReduceKind kind) {
  return kind == ReduceKind::Xori || kind == ReduceKind::Ori || kind == ReduceKind::Andi;
}

LogicalResult VReduceOp::verify() {
  unsigned destinations = returnsIndex(getArith()) ? 2 : 1;
  if (getDst().size() != destinations)
    return emitOpError() << stringifyReduceKind(getArith()) << " has " << destinations
                         << " destination(s), got " << getDst().size();
  if (getIndices() && !returnsIndex(getArith()))
    return emitOpError("indices are only for the kinds with index");
  auto dst = cast<ShapedType>(getDst().front().getType());
  if (getElementTypeOrSelf(getSrc().getType()) != dst.getElementType())
    return emitOpError("reduces ") << getElementTypeOrSelf(getSrc().getType()) << " into "
                                   << dst.getElementType();
  if (failed(verifyElementTypes(*this, getSrc(), "i1 i8 ui8 i16 ui16 i32 ui32 i64 ui64 f16 f32")))
    return failure();
  if (isBitwise(getArith()) && !dst.getElementType().isInteger())
    return emitOpError() << stringifyReduceKind(getArith()) << " needs integers, got "
                         << dst.getElementType();
  SmallVector<Value> ranked = {getSrc()};
  llvm::append_range(ranked, getDst());
  if (failed(verifyFlatScratch(*this, getTempBuffer())) || failed(verifySameRank(*this, ranked)))
    return failure();
  return verifyUnitDims(*this, getReduceDims(), dst, "reduce_dims", "destination");
}

//===-- vtranspose
//------------------------------------------------------------------------------------------===//

/// A transpose moves whole bytes, so no i1.
constexpr StringLiteral kMovable = "i8 ui8 i16 ui16 i32 ui32 i64 ui64 f16 bf16 f32 f8E4M3FN f8E5M2";

LogicalResult VTransposeOp::verify() {
  std::optional<ArrayRef<int64_t>> permutation = getPermutation();
  if (!permutation || permutation->empty())
    return emitOpError("needs a permutation");
  if (failed(verifySameRank(*this, {getSrc(), getDst()})) ||
      failed(verifyElementTypes(*this, getSrc(), kMovable)))
    return failure();
  auto rank = cast<ShapedType>(getSrc().getType()).getRank();
  if (static_cast<int64_t>(permutation->size()) != rank || !isPermutationVector(*permutation))
    return emitOpError("permutation must list each of the ") << rank << " dimensions once";
  unsigned moved = 0;
  for (auto [to, from] : llvm::enumerate(*permutation))
    moved += static_cast<int64_t>(to) != from;
  if (moved != 2)
    return emitOpError("permutation must exchange exactly two dimensions");
  return success();
}
