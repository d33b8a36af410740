//===- UbVectors.cpp - operations on vectors of runtime length in UB ----------===//
#include "passes/reduction/UbVectors.h"

using namespace mlir;

namespace tilewright {

double neutralOf(Combine combine) {
  double infinity = std::numeric_limits<double>::infinity();
  return combine == Combine::Sum ? 0.0 : combine == Combine::Max ? -infinity : infinity;
}

StringRef vectorNameOf(Combine combine) {
  return combine == Combine::Sum ? "vadd" : combine == Combine::Max ? "vmax" : "vmin";
}

Value UbVectors::allocate(int64_t elements, Type type) {
  return b.create<memref::AllocOp>(loc, MemRefType::get({elements}, type ? type : b.getF32Type()));
}

Value UbVectors::view(Value buffer, Value offset, Value count) {
  return b.create<memref::SubViewOp>(loc, buffer, ArrayRef<OpFoldResult>{getAsOpFoldResult(offset)},
                                     ArrayRef<OpFoldResult>{count},
                                     ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}

Value UbVectors::rows(Value buffer, Value offset, Value count, Value columns, Value pitch) {
  int64_t dynamic = ShapedType::kDynamic;
  auto type = MemRefType::get({dynamic, dynamic}, getElementTypeOrSelf(buffer.getType()),
                              StridedLayoutAttr::get(b.getContext(), dynamic, {dynamic, 1}));
  return b.create<memref::ReinterpretCastOp>(loc, type, buffer, OpFoldResult(offset),
                                             ArrayRef<OpFoldResult>{count, columns},
                                             ArrayRef<OpFoldResult>{pitch, b.getIndexAttr(1)});
}

Value UbVectors::matrix(Value buffer, Value count, int64_t columns) {
  auto type = MemRefType::get({ShapedType::kDynamic, columns}, getElementTypeOrSelf(buffer.getType()),
                              StridedLayoutAttr::get(b.getContext(), 0, {columns, 1}));
  return b.create<memref::ReinterpretCastOp>(
      loc, type, buffer, OpFoldResult(b.getIndexAttr(0)),
      ArrayRef<OpFoldResult>{count, b.getIndexAttr(columns)},
      ArrayRef<OpFoldResult>{b.getIndexAttr(columns), b.getIndexAttr(1)});
}

void UbVectors::reduceRows(Value from, Value to, Combine combine) {
  auto kind = combine == Combine::Sum   ? hivm::ReduceKind::Sum
              : combine == Combine::Max ? hivm::ReduceKind::Max
                                        : hivm::ReduceKind::Min;
  b.create<hivm::VReduceOp>(loc, kind, from, to, ArrayRef<int64_t>{1});
}

void UbVectors::fill(Value view, double value) {
  Type type = getElementTypeOrSelf(view.getType());
  Value scalar = b.create<arith::ConstantOp>(loc, b.getFloatAttr(type, value));
  b.create<hivm::VBrcOp>(loc, scalar, view);
}

void UbVectors::copy(Value from, Value to) { b.create<hivm::CopyOp>(loc, from, to); }

void UbVectors::binary(StringRef name, Value x, Value y, Value to) {
  OperationState state(loc, ("hivm.hir." + name).str());
  state.addOperands({x, y, to});
  state.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr({2, 1, 0}));
  b.create(state);
}

void UbVectors::cast(Value from, Value to) { b.create<hivm::VCastOp>(loc, from, to); }

void UbVectors::load(Value from, Value to) {
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(getElementTypeOrSelf(to.getType())));
  auto load = b.create<hivm::LoadOp>(loc, from, to);
  load.setPadModeAttr(hivm::PadModeAttr::get(b.getContext(), hivm::PadMode::PadValue));
  load.getPadValueMutable().assign(zero);
}

void UbVectors::store(Value from, Value to) { b.create<hivm::StoreOp>(loc, from, to); }

/// How often `periods` is halved, rounded up, until one is left.
Value UbVectors::halvings(Value periods, int64_t most) {
  Value steps = index.constant(0), one = index.constant(1), zero = steps;
  for (int64_t reached = 1; reached < most; reached *= 2)
    steps = index.add(steps, index.select(index.less(index.constant(reached), periods), one, zero));
  return steps;
}

Value UbVectors::fold(ValueRange buffers, Value count, Value period, int64_t most,
                      ArrayRef<Combine> combines) {
  Value steps = halvings(index.ceilDiv(count, period), most);
  auto loop = b.create<scf::ForOp>(loc, index.constant(0), steps, index.constant(1), ValueRange{count});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value length = loop.getRegionIterArg(0), two = index.constant(2);
    Value half = index.mul(index.ceilDiv(index.ceilDiv(length, period), two), period);
    Value rest = index.sub(length, half);
    for (auto [buffer, combine] : llvm::zip(buffers, combines)) {
      Value low = view(buffer, rest);
      binary(vectorNameOf(combine), low, view(buffer, half, rest), low);
    }
    b.create<scf::YieldOp>(loc, half);
  }
  return index.min(count, period);
}

void UbVectors::unfold(Value buffer, Value period, Value count, int64_t most) {
  Value steps = halvings(index.ceilDiv(count, period), most);
  auto loop = b.create<scf::ForOp>(loc, index.constant(0), steps, index.constant(1), ValueRange{period});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value filled = loop.getRegionIterArg(0);
  Value length = index.min(filled, index.sub(count, filled));
  copy(view(buffer, length), view(buffer, filled, length));
  b.create<scf::YieldOp>(loc, index.add(filled, length));
}

Accumulator UbVectors::accumulator(int64_t lanes, Value count, Value summands, Combine combine) {
  Accumulator acc{allocate(lanes), {}, {}, combine};
  fill(view(acc.high, count), neutralOf(combine));
  if (combine == Combine::Sum) {
    acc.low = allocate(lanes);
    acc.isShort = index.less(summands, index.constant(kShortSum + 1));
    fill(view(acc.low, count), 0.0);
  }
  return acc;
}

void UbVectors::accumulate(ArrayRef<Accumulator> accumulators, Value offset, Value count, ValueRange values,
                           int64_t lanes) {
  struct Lane {
    Value high, low, value, sum, share, error;
  };
  SmallVector<Lane> sums;
  Value isShort;
  for (auto [acc, value] : llvm::zip(accumulators, values)) {
    Value high = view(acc.high, offset, count), summand = view(value, count);
    if (acc.low)
      sums.push_back({high, view(acc.low, offset, count), summand, {}, {}, {}});
    else
      binary(vectorNameOf(acc.combine), high, summand, high);
    isShort = acc.isShort ? acc.isShort : isShort;
  }
  if (sums.empty())
    return;
  auto either = b.create<scf::IfOp>(loc, isShort, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.thenBlock());
  for (Lane &l : sums)
    binary("vadd", l.high, l.value, l.high);
  b.setInsertionPointToStart(either.elseBlock());
  for (Lane &l : sums)
    for (Value *temporary : {&l.sum, &l.share, &l.error})
      *temporary = view(allocate(lanes), count);
  auto each = [&](StringRef name, Value Lane::*x, Value Lane::*y, Value Lane::*to) {
    for (Lane &l : sums)
      binary(name, l.*x, l.*y, l.*to);
  };
  each("vadd", &Lane::high, &Lane::value, &Lane::sum);    // rounded
  each("vsub", &Lane::sum, &Lane::high, &Lane::share);    // what of the value arrived
  each("vsub", &Lane::sum, &Lane::share, &Lane::error);   // what of `high` arrived
  each("vsub", &Lane::high, &Lane::error, &Lane::error);  // what of `high` was lost
  each("vadd", &Lane::high, &Lane::value, &Lane::high);   // `sum` again, in place
  each("vsub", &Lane::value, &Lane::share, &Lane::value); // what of the value was lost
  each("vadd", &Lane::error, &Lane::value, &Lane::error);
  each("vadd", &Lane::low, &Lane::error, &Lane::low);
}

Value UbVectors::total(const Accumulator &acc, Value count, int64_t lanes) {
  if (!acc.low)
    return acc.high;
  auto either = b.create<scf::IfOp>(loc, acc.isShort, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(either.elseBlock());
  // Where the plain sum is infinite the compensation is NaN and does not count.
  Value high = view(acc.high, count), low = view(acc.low, count);
  Value both = view(allocate(lanes), count);
  Value valid = view(allocate(lanes, b.getI1Type()), count);
  binary("vadd", high, low, both);
  b.create<hivm::VCmpOp>(loc, low, low, valid, hivm::CompareMode::EQ);
  OperationState select(loc, "hivm.hir.vsel");
  select.addOperands({valid, both, high, high});
  select.addAttribute("operandSegmentSizes", b.getDenseI32ArrayAttr({3, 1, 0}));
  b.create(select);
  return acc.high;
}

} // namespace tilewright
