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

void UbVectors::cast(Value from, Value to, hivm::RoundMode mode) {
  b.create<hivm::VCastOp>(loc, from, to, mode);
}

void UbVectors::gather(Value from, Value indices, Value to) {
  b.create<hivm::VGatherOp>(loc, TypeRange(), from, indices, to, /*temp_buffer=*/Value());
}

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

Value UbVectors::fold(ValueRange buffers, Value count, Value period, Value periods, int64_t most,
                      ArrayRef<Combine> combines) {
  Value steps = halvings(periods, most);
  auto loop = b.create<scf::ForOp>(loc, index.constant(0), steps, index.constant(1), ValueRange{count});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value length = loop.getRegionIterArg(0), two = index.constant(2);
    Value half = index.mul(index.ceilDiv(index.ceilDiv(length, period), two), period);
    Value rest = index.sub(length, half);
    b.create<scf::YieldOp>(loc, index.min(length, half));
    b.setInsertionPoint(loop.getBody()->getTerminator());
    // The last tile has fewer periods.
    auto several = b.create<scf::IfOp>(loc, index.less(index.constant(0), rest));
    b.setInsertionPointToStart(several.thenBlock());
    for (auto [buffer, combine] : llvm::zip(buffers, combines)) {
      Value low = view(buffer, rest);
      binary(vectorNameOf(combine), low, view(buffer, half, rest), low);
    }
  }
  return index.min(count, period);
}

void UbVectors::unfold(ValueRange buffers, Value period, Value count, int64_t most, Value step) {
  Value steps = halvings(index.ceilDiv(count, period), most);
  SmallVector<Value> start{period};
  if (step)
    start.push_back(step);
  auto loop = b.create<scf::ForOp>(loc, index.constant(0), steps, index.constant(1), start);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value filled = loop.getRegionIterArg(0);
  Value length = index.min(filled, index.sub(count, filled));
  for (Value buffer : buffers) {
    if (step)
      binary("vadd", view(buffer, length), loop.getRegionIterArg(1), view(buffer, filled, length));
    else
      copy(view(buffer, length), view(buffer, filled, length));
  }
  SmallVector<Value> next{index.add(filled, length)};
  if (step)
    next.push_back(b.create<arith::AddFOp>(loc, loop.getRegionIterArg(1), loop.getRegionIterArg(1)));
  b.create<scf::YieldOp>(loc, next);
}

Accumulator UbVectors::accumulator(int64_t lanes, Value count, Value summands, Combine combine) {
  Accumulator acc{allocate(lanes), {}, {}, {}, combine};
  fill(view(acc.high, count), neutralOf(combine));
  if (combine == Combine::Sum) {
    acc.low = allocate(lanes);
    acc.part = allocate(lanes);
    acc.isShort = index.less(summands, index.constant(kShortSum + 1));
    fill(view(acc.low, count), 0.0);
    fill(view(acc.part, count), 0.0);
  }
  return acc;
}

void UbVectors::accumulate(ArrayRef<Accumulator> accumulators, Value offset, Value count, ValueRange values,
                           Value position, Value isLast, Value width, int64_t lanes) {
  struct Lane {
    Value high, low, part, sum, share, error;
  };
  SmallVector<std::pair<Value, Value>> plain; // accumulator lanes and the value for them
  SmallVector<Lane> sums;
  Value isShort;
  for (auto [acc, value] : llvm::zip(accumulators, values)) {
    Value high = view(acc.high, offset, count), summand = view(value, count);
    if (!acc.low) {
      binary(vectorNameOf(acc.combine), high, summand, high);
      continue;
    }
    isShort = acc.isShort;
    Value first = b.create<arith::SelectOp>(loc, isShort, acc.high, acc.part);
    plain.push_back({view(first, offset, count), summand});
    sums.push_back({view(acc.high, offset, width),
                    view(acc.low, offset, width),
                    view(acc.part, offset, width),
                    {},
                    {},
                    {}});
  }
  if (sums.empty())
    return;
  for (auto [part, value] : plain)
    binary("vadd", part, value, part);
  Value eighth = index.equal(index.rem(position, index.constant(kShortSum)), index.constant(kShortSum - 1));
  Value full = b.create<arith::OrIOp>(loc, eighth, isLast);
  Value isLong = b.create<arith::XOrIOp>(loc, isShort, b.create<arith::ConstantOp>(loc, b.getBoolAttr(true)));
  auto flush = b.create<scf::IfOp>(loc, b.create<arith::AndIOp>(loc, full, isLong));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(flush.thenBlock());
  for (Lane &l : sums)
    for (Value *temporary : {&l.sum, &l.share, &l.error})
      *temporary = view(allocate(lanes), width);
  auto each = [&](StringRef name, Value Lane::*x, Value Lane::*y, Value Lane::*to) {
    for (Lane &l : sums)
      binary(name, l.*x, l.*y, l.*to);
  };
  each("vadd", &Lane::high, &Lane::part, &Lane::sum);    // rounded
  each("vsub", &Lane::sum, &Lane::high, &Lane::share);   // what of `part` arrived
  each("vsub", &Lane::sum, &Lane::share, &Lane::error);  // what of `high` arrived
  each("vsub", &Lane::high, &Lane::error, &Lane::error); // what of `high` was lost
  each("vadd", &Lane::high, &Lane::part, &Lane::high);   // `sum` again, in place
  each("vsub", &Lane::part, &Lane::share, &Lane::part);  // what of `part` was lost
  each("vadd", &Lane::error, &Lane::part, &Lane::error);
  each("vadd", &Lane::low, &Lane::error, &Lane::low);
  for (Lane &l : sums)
    fill(l.part, 0.0);
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
