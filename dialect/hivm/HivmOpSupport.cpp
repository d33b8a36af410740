//===- HivmOpSupport.cpp - What the structured hivm operations share
//-----------------------------------------===//

#include "dialect/hivm/Hivm.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::hivm;

std::optional<AddressSpace> mlir::hivm::getAddressSpace(Type type) {
  auto memref = dyn_cast<BaseMemRefType>(type);
  if (!memref)
    return std::nullopt;
  auto space = dyn_cast_or_null<AddressSpaceAttr>(memref.getMemorySpace());
  if (!space)
    return std::nullopt;
  return space.getValue();
}

SmallVector<Type, 1> mlir::hivm::resultTypes(Value dst) {
  if (isa<RankedTensorType>(dst.getType()))
    return {dst.getType()};
  return {};
}

void mlir::hivm::buildElementwise(OpBuilder &builder, OperationState &state, ValueRange sources, Value dst) {
  state.addOperands(sources);
  state.addOperands(dst);
  state.addAttribute("operandSegmentSizes",
                     builder.getDenseI32ArrayAttr({static_cast<int32_t>(sources.size()), 1, 0}));
  state.addTypes(resultTypes(dst));
}

Pipe mlir::hivm::getCopyPipe(Type src, Type dst) {
  AddressSpace from = getAddressSpace(src).value_or(AddressSpace::UB);
  AddressSpace to = getAddressSpace(dst).value_or(AddressSpace::UB);
  if (from == AddressSpace::GM)
    return Pipe::MTE2;
  // Out of UB, only UB itself is reached by a vector instruction; GM and L1 are reached through MTE3.
  if (from == AddressSpace::UB)
    return to == AddressSpace::UB ? Pipe::V : Pipe::MTE3;
  if (from == AddressSpace::L0C)
    return Pipe::FIX;
  return Pipe::MTE1;
}

void mlir::hivm::getDestinationEffects(
    Operation *op, bool readsDst,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  auto destinationOp = cast<DestinationStyleOpInterface>(op);
  OperandRange inits = destinationOp.getDpsInits();
  unsigned firstInit = inits.getBeginOperandIndex();
  unsigned pastInits = firstInit + inits.size();
  auto *resource = SideEffects::DefaultResource::get();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    unsigned index = operand.getOperandNumber();
    bool isInit = index >= firstInit && index < pastInits;
    // Memrefs behind the inits are scratch buffers, except the index source of a reduction, for which a
    // write is the safe over-approximation.
    bool isScratch = index >= pastInits;
    if (!isInit || readsDst)
      effects.emplace_back(MemoryEffects::Read::get(), &operand, resource);
    if (isInit || isScratch)
      effects.emplace_back(MemoryEffects::Write::get(), &operand, resource);
  }
}

LogicalResult mlir::hivm::verifySameRank(Operation *op, ValueRange values) {
  std::optional<int64_t> rank;
  for (Value value : values) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (!shaped)
      continue;
    if (!rank)
      rank = shaped.getRank();
    if (*rank != shaped.getRank())
      return op->emitOpError("operands must have same rank, got ") << *rank << " and " << shaped.getRank();
  }
  return success();
}

/// Checks one source of an elementwise operation against the destination: each extent is the destination's,
/// or 1 where a broadcast is allowed. A transposed source is only compared by rank.
static LogicalResult verifyExtents(Operation *op, unsigned number, ShapedType source, ShapedType dst) {
  for (auto [dim, extents] : llvm::enumerate(llvm::zip_equal(source.getShape(), dst.getShape()))) {
    auto [have, want] = extents;
    if (ShapedType::isDynamic(have) || ShapedType::isDynamic(want) || have == want || have == 1)
      continue;
    return op->emitOpError("source ") << number << " has extent " << have << " in dimension " << dim
                                      << " where the destination has " << want;
  }
  return success();
}

LogicalResult mlir::hivm::verifyElementwise(Operation *op, ValueRange sources, ValueRange inits,
                                            unsigned arity, ArrayRef<int64_t> broadcast,
                                            ArrayRef<int64_t> transpose) {
  if (sources.size() != arity)
    return op->emitOpError("expects ") << arity << " sources, got " << sources.size();
  if (inits.size() != 1)
    return op->emitOpError("expects 1 destination, got ") << inits.size();
  if (!broadcast.empty() && !transpose.empty())
    return op->emitOpError("broadcast and transpose cannot be combined");
  SmallVector<Value> all(sources);
  llvm::append_range(all, inits);
  if (failed(verifySameRank(op, all)))
    return failure();
  auto dst = cast<ShapedType>(inits.front().getType());
  for (int64_t dim : llvm::concat<const int64_t>(broadcast, transpose))
    if (dim < 0 || dim >= dst.getRank())
      return op->emitOpError("dimension ")
             << dim << " of broadcast or transpose is outside rank " << dst.getRank();
  if (!transpose.empty())
    return success();
  for (auto [number, source] : llvm::enumerate(sources))
    if (auto shaped = dyn_cast<ShapedType>(source.getType()))
      if (failed(verifyExtents(op, number, shaped, dst)))
        return failure();
  return success();
}

LogicalResult mlir::hivm::verifyElementTypes(Operation *op, ValueRange sources, StringRef accepts) {
  if (accepts == "any")
    return success();
  SmallVector<StringRef> names;
  accepts.split(names, ' ');
  for (auto [number, source] : llvm::enumerate(sources)) {
    Type element = getElementTypeOrSelf(source.getType());
    std::string name;
    llvm::raw_string_ostream(name) << element;
    if (!llvm::is_contained(names, name))
      return op->emitOpError("source ") << number << " has element type " << element
                                        << "; the vector unit takes " << llvm::join(names, ", ");
  }
  return success();
}

LogicalResult mlir::hivm::verifyScalarSources(Operation *op, ValueRange sources, ScalarSource allowed) {
  unsigned scalars = 0;
  for (auto [number, source] : llvm::enumerate(sources)) {
    if (isa<ShapedType>(source.getType()))
      continue;
    ++scalars;
    if (allowed == ScalarSource::None || (allowed == ScalarSource::Second && number == 0))
      return op->emitOpError("source ") << number << " must be a tensor or memref, not a scalar";
  }
  if (allowed != ScalarSource::Any && scalars == sources.size())
    return op->emitOpError("needs at least one tensor or memref source");
  return success();
}
