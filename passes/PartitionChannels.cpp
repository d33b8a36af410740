//===- PartitionChannels.cpp - tw-partition-channels --------------------------===//
#include "passes/Box.h"
#include "passes/KernelArguments.h"
#include "passes/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_PARTITIONCHANNELS
#include "passes/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// Index arithmetic without the noise.
struct IndexBuilder {
  OpBuilder &b;
  Location loc;
  Value constant(int64_t value) { return b.create<arith::ConstantIndexOp>(loc, value); }
  Value add(Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulIOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.create<arith::DivSIOp>(loc, x, y); }
  Value rem(Value x, Value y) { return b.create<arith::RemSIOp>(loc, x, y); }
  Value min(Value x, Value y) { return b.create<arith::MinSIOp>(loc, x, y); }
  Value lessThan(Value x, Value y) { return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, x, y); }
  Value select(Value c, Value x, Value y) { return b.create<arith::SelectOp>(loc, c, x, y); }
};

/// The numbers that cut one axis: the first `big` runs have `base + 1` blocks, the rest `base`.
struct AxisCut {
  Value cores, base, big, extent;
  int64_t block;
};

/// Offset and size of the run at `position`.
std::pair<Value, Value> cutAxis(IndexBuilder ib, const AxisCut &cut, Value position) {
  Value firstBlock = ib.add(ib.mul(position, cut.base), ib.min(position, cut.big));
  Value isBig = ib.lessThan(position, cut.big);
  Value blocks = ib.add(cut.base, ib.select(isBig, ib.constant(1), ib.constant(0)));
  Value block = ib.constant(cut.block);
  Value offset = ib.mul(firstBlock, block);
  return {offset, ib.min(ib.mul(blocks, block), ib.sub(cut.extent, offset))};
}

struct PartitionChannelsPass : impl::PartitionChannelsBase<PartitionChannelsPass> {
  void runOnOperation() override {
    if (failed(forEachKernel(getOperation(), [](func::FuncOp func) { return partition(func); })))
      signalPassFailure();
  }

  static LogicalResult partition(func::FuncOp func) {
    linalg::GenericOp nest = getSingleNest(func);
    if (!nest)
      return failure();
    if (!func->hasAttr(tw::kIterationAttrName))
      return func.emitError("no tw.iteration: run tw-normalize-iteration first");
    if (nest->getParentOp() != func)
      return nest.emitError("the loop nest is already inside a loop");

    OpBuilder builder(nest);
    SmallVector<AxisCut> cuts;
    unsigned axes = nest.getNumLoops();
    for (unsigned axis = 0; axis < axes; ++axis) {
      BlockArgument extent = findArgument(func, ("extent:" + Twine(axis)).str());
      if (!extent)
        return func.emitError("no argument extent:") << axis;
      AxisCut cut;
      cut.extent = builder.create<arith::IndexCastOp>(nest.getLoc(), builder.getIndexType(), extent);
      // The outermost axis takes what is left of the core number, so it needs no count of its own.
      if (axis > 0)
        cut.cores = appendIndexArgument(builder, func, "tiling:cores_" + Twine(axis));
      cut.base = appendIndexArgument(builder, func, "tiling:base_" + Twine(axis));
      cut.big = appendIndexArgument(builder, func, "tiling:big_" + Twine(axis));
      cut.block = axis + 1 == axes ? getBlockElements(nest) : 1;
      cuts.push_back(cut);
    }
    Value cores = appendIndexArgument(builder, func, "grid:cores");
    func.setType(
        FunctionType::get(func.getContext(), func.front().getArgumentTypes(), func.getResultTypes()));
    distribute(builder, nest, cuts, cores);
    return success();
  }

  static void distribute(OpBuilder &builder, linalg::GenericOp nest, ArrayRef<AxisCut> cuts, Value cores) {
    Location loc = nest.getLoc();
    Attribute mapping = tw::CoreAttr::get(builder.getContext(), tw::CoreDim::X);
    auto forall = builder.create<scf::ForallOp>(loc, ArrayRef<OpFoldResult>{cores}, nest.getDpsInits(),
                                                builder.getArrayAttr(mapping));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forall.getBody());
    IndexBuilder ib{builder, loc};

    SmallVector<Value> offsets(cuts.size()), sizes(cuts.size());
    Value rest = forall.getInductionVar(0);
    for (int64_t axis = cuts.size() - 1; axis >= 0; --axis) {
      Value position = axis > 0 ? ib.rem(rest, cuts[axis].cores) : rest;
      if (axis > 0)
        rest = ib.div(rest, cuts[axis].cores);
      std::tie(offsets[axis], sizes[axis]) = cutAxis(ib, cuts[axis], position);
    }
    auto boxOf = [&](AffineMap map) { return Box(builder, map, offsets, sizes); };

    SmallVector<AffineMap> maps = nest.getIndexingMapsArray();
    IRMapping values;
    unsigned inputs = nest.getNumDpsInputs();
    for (auto [index, input] : llvm::enumerate(nest.getDpsInputs()))
      values.map(input, boxOf(maps[index]).extract(builder, loc, input));
    for (auto [index, shared] : llvm::enumerate(forall.getRegionIterArgs()))
      values.map(nest.getDpsInits()[index], boxOf(maps[inputs + index]).extract(builder, loc, shared));
    auto inner = cast<linalg::GenericOp>(builder.clone(*nest, values));
    for (auto [init, result] : llvm::zip(inner.getDpsInits(), inner->getResults()))
      result.setType(init.getType());

    builder.setInsertionPointToStart(forall.getTerminator().getBody());
    for (auto [index, result] : llvm::enumerate(inner->getResults())) {
      Box box = boxOf(maps[inputs + index]);
      builder.create<tensor::ParallelInsertSliceOp>(loc, result, forall.getRegionIterArgs()[index],
                                                    box.offsets, box.sizes, box.strides);
    }
    nest->replaceAllUsesWith(forall->getResults());
    nest.erase();
  }
};

} // namespace
} // namespace tilewright
