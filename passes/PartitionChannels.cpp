//===- PartitionChannels.cpp - tw-partition-channels --------------------------===//
#include "passes/Box.h"
#include "passes/IndexBuilder.h"
#include "passes/KernelArguments.h"
#include "passes/Passes.h"
#include "passes/reduction/Reduction.h"

namespace tilewright {
#define GEN_PASS_DEF_PARTITIONCHANNELS
#include "passes/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// The work as a sequence of elements cut into units. The columns are cut into panels; panels follow each
/// other, and within a panel its rows do, in row-major order over all axes.
struct Units {
  Value base, big;            ///< the first `big` cores have `base + 1` units, the rest `base`
  Value unit;                 ///< elements of a unit
  Value panel;                ///< columns of a panel; the last panel may have fewer
  SmallVector<Value> extents; ///< elements of each axis
};

/// Offset and size of each axis of a box.
struct Ranges {
  SmallVector<Value> offsets, sizes;
};

/// First element of a core and the element after its last.
std::pair<Value, Value> elementsOfCore(Index ib, const Units &units, Value core) {
  Value first = ib.add(ib.mul(core, units.base), ib.min(core, units.big));
  Value isBig = ib.less(core, units.big);
  Value count = ib.add(units.base, ib.select(isBig, ib.constant(1), ib.constant(0)));
  Value total = units.extents.front();
  for (Value extent : ArrayRef(units.extents).drop_front())
    total = ib.mul(total, extent);
  Value end = ib.min(ib.mul(ib.add(first, count), units.unit), total);
  return {ib.mul(first, units.unit), end};
}

/// The largest box that starts at element `current` and ends before `end`, and how many elements it has:
/// whole panels side by side if `current` starts one; else in one panel, along the outermost axis whose inner
/// axes `current` starts anew and of which a whole step is left. No element left: empty ranges.
std::pair<Ranges, Value> nextBox(Index ib, const Units &units, Value current, Value end) {
  unsigned axes = units.extents.size();
  Value zero = ib.constant(0), one = ib.constant(1), no = ib.less(one, zero);
  Value rows = one;
  for (Value extent : ArrayRef(units.extents).drop_back())
    rows = ib.mul(rows, extent);
  Value panelSize = ib.mul(rows, units.panel);
  Value panel = ib.div(current, panelSize);
  Value column = ib.mul(panel, units.panel);
  // At the very end no column is left; 1 keeps the divisions below defined.
  Value width = ib.max(ib.min(units.panel, ib.sub(units.extents.back(), column)), one);
  Value start = ib.mul(panel, panelSize);
  Value local = ib.sub(current, start);
  Value rest = ib.sub(ib.min(end, ib.add(start, ib.mul(rows, width))), current);

  SmallVector<Value> counts(units.extents), strides(axes, one);
  counts.back() = width;
  for (int64_t axis = axes - 2; axis >= 0; --axis)
    strides[axis] = ib.mul(strides[axis + 1], counts[axis + 1]);
  Value whole = ib.select(ib.equal(local, zero), ib.div(ib.sub(end, current), panelSize), zero);
  Value panels = ib.less(zero, whole);
  Value done = panels, advance = ib.mul(whole, panelSize);
  Value inner = local;
  SmallVector<Value> firsts, lengths;
  for (unsigned axis = 0; axis < axes; ++axis) {
    // The innermost axis moves by single elements: every element starts a step.
    bool single = axis + 1 == axes;
    Value digit = single ? inner : ib.div(inner, strides[axis]);
    inner = single ? zero : ib.rem(inner, strides[axis]);
    Value steps = single ? rest : ib.div(rest, strides[axis]);
    Value here = ib.select(done, no, ib.select(ib.equal(inner, zero), ib.less(zero, steps), no));
    Value length = ib.min(ib.sub(counts[axis], digit), steps);
    firsts.push_back(ib.select(done, zero, digit));
    lengths.push_back(ib.select(done, counts[axis], ib.select(here, length, one)));
    advance = ib.select(here, ib.mul(length, strides[axis]), advance);
    done = ib.select(done, done, here);
  }
  firsts.back() = ib.add(column, firsts.back());
  lengths.back() = ib.select(panels, ib.mul(whole, units.panel), lengths.back());
  Ranges ranges;
  for (unsigned axis = 0; axis < axes; ++axis) {
    ranges.offsets.push_back(firsts[axis]);
    ranges.sizes.push_back(ib.select(done, lengths[axis], zero));
  }
  return {ranges, advance};
}

struct PartitionChannelsPass : impl::PartitionChannelsBase<PartitionChannelsPass> {
  void runOnOperation() override {
    if (failed(forEachKernel(getOperation(), [](func::FuncOp func) { return partition(func); })))
      signalPassFailure();
  }

  static LogicalResult partition(func::FuncOp func) {
    if (isReduction(func))
      return partitionReduction(func);
    linalg::GenericOp nest = getSingleNest(func);
    if (!nest)
      return failure();
    if (!func->hasAttr(tw::kIterationAttrName))
      return func.emitError("no tw.iteration: run tw-normalize-iteration first");
    if (nest->getParentOp() != func)
      return nest.emitError("the loop nest is already inside a loop");

    OpBuilder builder(nest);
    Units units;
    unsigned axes = nest.getNumLoops();
    for (unsigned axis = 0; axis < axes; ++axis) {
      BlockArgument extent = findArgument(func, ("extent:" + Twine(axis)).str());
      if (!extent)
        return func.emitError("no argument extent:") << axis;
      units.extents.push_back(
          builder.create<arith::IndexCastOp>(nest.getLoc(), builder.getIndexType(), extent));
    }
    units.base = appendIndexArgument(builder, func, "tiling:base");
    units.big = appendIndexArgument(builder, func, "tiling:big");
    Value boxes;
    if (axes == 1) {
      units.unit = builder.create<arith::ConstantIndexOp>(nest.getLoc(), getBlockElements(nest));
    } else {
      units.unit = appendIndexArgument(builder, func, "tiling:unit");
      units.panel = appendIndexArgument(builder, func, "tiling:panel");
      boxes = appendIndexArgument(builder, func, "tiling:boxes");
    }
    Value cores = appendIndexArgument(builder, func, "grid:cores");
    func.setType(
        FunctionType::get(func.getContext(), func.front().getArgumentTypes(), func.getResultTypes()));
    distribute(builder, nest, units, boxes, cores);
    return success();
  }

  static void distribute(OpBuilder &builder, linalg::GenericOp nest, const Units &units, Value boxes,
                         Value cores) {
    Location loc = nest.getLoc();
    Attribute mapping = tw::CoreAttr::get(builder.getContext(), tw::CoreDim::X);
    auto forall = builder.create<scf::ForallOp>(loc, ArrayRef<OpFoldResult>{cores}, nest.getDpsInits(),
                                                builder.getArrayAttr(mapping));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forall.getBody());
    Index ib{builder, loc};
    auto [first, end] = elementsOfCore(ib, units, forall.getInductionVar(0));

    SmallVector<Value> results;
    Ranges ranges;
    if (units.extents.size() == 1) {
      ranges = {{first}, {ib.sub(end, first)}};
      results = cloneNest(builder, nest, ranges, forall.getRegionIterArgs())->getResults();
    } else {
      results = visitBoxes(ib, nest, units, boxes, first, end, forall.getRegionIterArgs());
      ranges.offsets.assign(units.extents.size(), ib.constant(0));
      ranges.sizes = units.extents;
    }

    builder.setInsertionPointToStart(forall.getTerminator().getBody());
    unsigned inputs = nest.getNumDpsInputs();
    for (auto [index, result] : llvm::enumerate(results)) {
      Box box(builder, nest.getIndexingMapsArray()[inputs + index], ranges.offsets, ranges.sizes);
      builder.create<tensor::ParallelInsertSliceOp>(loc, result, forall.getRegionIterArgs()[index],
                                                    box.offsets, box.sizes, box.strides);
    }
    nest->replaceAllUsesWith(forall->getResults());
    nest.erase();
  }

  /// A core's elements over k axes are at most 4k - 1 boxes: whole panels in the middle, and before and after
  /// them a part of a panel, at most 2k - 1 boxes each (k - 1 that complete started rows, one in the middle,
  /// k - 1 that start rows). One loop visits as many as the host counted.
  static SmallVector<Value> visitBoxes(Index ib, linalg::GenericOp nest, const Units &units, Value boxes,
                                       Value first, Value end, ValueRange outputs) {
    SmallVector<Value> carried{first};
    llvm::append_range(carried, outputs);
    auto loop = ib.b.create<scf::ForOp>(ib.loc, ib.constant(0), boxes, ib.constant(1), carried);
    OpBuilder::InsertionGuard guard(ib.b);
    ib.b.setInsertionPointToStart(loop.getBody());
    Value current = loop.getRegionIterArgs().front();
    auto [ranges, advance] = nextBox(ib, units, current, end);
    ValueRange shared = loop.getRegionIterArgs().drop_front();
    linalg::GenericOp inner = cloneNest(ib.b, nest, ranges, shared);
    SmallVector<Value> updated{ib.add(current, advance)};
    for (auto [index, result] : llvm::enumerate(inner->getResults())) {
      Box box(ib.b, nest.getIndexingMapsArray()[nest.getNumDpsInputs() + index], ranges.offsets,
              ranges.sizes);
      updated.push_back(ib.b.create<tensor::InsertSliceOp>(ib.loc, result, shared[index], box.offsets,
                                                           box.sizes, box.strides));
    }
    ib.b.create<scf::YieldOp>(ib.loc, updated);
    return llvm::to_vector_of<Value>(loop.getResults().drop_front());
  }

  /// The nest over the boxes that its operands have in `ranges`, writing into `outputs`.
  static linalg::GenericOp cloneNest(OpBuilder &builder, linalg::GenericOp nest, const Ranges &ranges,
                                     ValueRange outputs) {
    SmallVector<AffineMap> maps = nest.getIndexingMapsArray();
    auto boxOf = [&](AffineMap map) { return Box(builder, map, ranges.offsets, ranges.sizes); };
    unsigned inputs = nest.getNumDpsInputs();
    IRMapping values;
    for (auto [index, input] : llvm::enumerate(nest.getDpsInputs()))
      values.map(input, boxOf(maps[index]).extract(builder, nest.getLoc(), input));
    for (auto [index, output] : llvm::enumerate(outputs))
      values.map(nest.getDpsInits()[index],
                 boxOf(maps[inputs + index]).extract(builder, nest.getLoc(), output));
    auto inner = cast<linalg::GenericOp>(builder.clone(*nest, values));
    for (auto [init, result] : llvm::zip(inner.getDpsInits(), inner->getResults()))
      result.setType(init.getType());
    return inner;
  }
};

} // namespace
} // namespace tilewright
