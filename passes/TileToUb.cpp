//===- TileToUb.cpp - tw-tile-to-ub -------------------------------------------===//
#include "passes/Box.h"
#include "passes/KernelArguments.h"
#include "passes/Passes.h"
#include "passes/VectorProgram.h"
#include "passes/reduction/Reduction.h"

#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace tilewright {
#define GEN_PASS_DEF_TILETOUB
#include "passes/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// Capacities are multiples of this many elements: a whole number of vector repeats for every type, and i1
/// masks that end on a 32-byte block.
constexpr int64_t kCapacityGranule = 256;

struct UbBudget {
  int64_t capacity, maxRows, maxColumns, bytes;
};

/// The largest capacity whose buffers fit; an error with the table when even the smallest does not.
FailureOr<UbBudget> fitBuffers(linalg::GenericOp nest, ArrayRef<Buffer> table, int64_t ubBytes,
                               int64_t maxCapacity) {
  auto total = [&](const UbBudget &budget) {
    int64_t bytes = 0;
    for (const Buffer &buffer : table)
      bytes += getBufferBytes(buffer, budget.capacity, budget.maxRows, budget.maxColumns);
    return bytes;
  };
  UbBudget best{0, kMaxTileRows, kMaxTileColumns, 0};
  for (int64_t capacity = kCapacityGranule; capacity <= maxCapacity; capacity += kCapacityGranule) {
    UbBudget budget{capacity, kMaxTileRows, std::min(kMaxTileColumns, capacity), 0};
    budget.bytes = total(budget);
    if (budget.bytes > ubBytes)
      break;
    best = budget;
  }
  if (best.capacity > 0)
    return best;
  UbBudget smallest{kCapacityGranule, kMaxTileRows, kCapacityGranule, 0};
  InFlightDiagnostic diag = nest.emitError("the operator needs ")
                            << total(smallest) << " bytes of UB for its smallest tile of " << kCapacityGranule
                            << " elements, and " << ubBytes << " are available";
  for (const Buffer &buffer : table)
    diag.attachNote() << buffer.name << ": "
                      << getBufferBytes(buffer, smallest.capacity, smallest.maxRows, smallest.maxColumns)
                      << " bytes";
  return failure();
}

DictionaryAttr describePlan(MLIRContext *ctx, linalg::GenericOp nest, const VectorProgram &program,
                            ArrayRef<Buffer> table, const UbBudget &budget) {
  Builder b(ctx);
  auto extentName = [](Extent extent) -> StringRef {
    switch (extent) {
    case Extent::Tile:
      return "tile";
    case Extent::Row:
      return "row";
    case Extent::Column:
      return "column";
    case Extent::Fixed:
      return "fixed";
    case Extent::ColumnSpread:
      return "column spread";
    }
    llvm_unreachable("extent");
  };
  SmallVector<Attribute> rows;
  for (const Buffer &buffer : table) {
    int64_t bytes = getBufferBytes(buffer, budget.capacity, budget.maxRows, budget.maxColumns);
    std::string type = "bytes";
    if (buffer.type)
      llvm::raw_string_ostream(type = "") << buffer.type;
    rows.push_back(b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(buffer.name)),
                                        b.getNamedAttr("type", b.getStringAttr(type)),
                                        b.getNamedAttr("extent", b.getStringAttr(extentName(buffer.extent))),
                                        b.getNamedAttr("copies", b.getI64IntegerAttr(buffer.copies)),
                                        b.getNamedAttr("bytes", b.getI64IntegerAttr(bytes))}));
  }
  // What moves: for each operand the axes it has ("01": the last of two) and the bytes of an element.
  SmallVector<Attribute> operands;
  for (auto [operand, map] : llvm::zip(nest->getOperands(), nest.getIndexingMapsArray())) {
    std::string axes;
    for (unsigned axis = 0; axis < nest.getNumLoops(); ++axis)
      axes += map.isFunctionOfDim(axis) ? '1' : '0';
    int64_t bytes = getElementTypeOrSelf(operand.getType()).getIntOrFloatBitWidth() / 8;
    operands.push_back(b.getDictionaryAttr({b.getNamedAttr("axes", b.getStringAttr(axes)),
                                            b.getNamedAttr("bytes", b.getI64IntegerAttr(bytes))}));
  }
  return b.getDictionaryAttr({b.getNamedAttr("axes", b.getI64IntegerAttr(nest.getNumLoops())),
                              b.getNamedAttr("block", b.getI64IntegerAttr(getBlockElements(nest))),
                              b.getNamedAttr("capacity", b.getI64IntegerAttr(budget.capacity)),
                              b.getNamedAttr("max_rows", b.getI64IntegerAttr(budget.maxRows)),
                              b.getNamedAttr("max_columns", b.getI64IntegerAttr(budget.maxColumns)),
                              b.getNamedAttr("row_granule", b.getI64IntegerAttr(program.rowGranule())),
                              b.getNamedAttr("ub_bytes", b.getI64IntegerAttr(budget.bytes)),
                              b.getNamedAttr("operands", b.getArrayAttr(operands)),
                              b.getNamedAttr("buffers", b.getArrayAttr(rows))});
}

/// One loop over tiles of an axis.
struct TileLoop {
  unsigned axis;
  Value step;
};

struct TileToUbPass : impl::TileToUbBase<TileToUbPass> {
  using TileToUbBase::TileToUbBase;

  void runOnOperation() override {
    if (failed(forEachKernel(getOperation(), [&](func::FuncOp func) { return tile(func); })))
      signalPassFailure();
  }

  LogicalResult tile(func::FuncOp func) {
    if (isReduction(func))
      return tileReduction(func, schedule, ubBytes);
    linalg::GenericOp nest = getSingleNest(func);
    if (!nest)
      return failure();
    if (!nest->getParentOfType<scf::ForallOp>())
      return nest.emitError("the loop nest is not inside scf.forall: run tw-partition-channels first");
    FailureOr<VectorProgram> program = VectorProgram::build(nest);
    if (failed(program))
      return failure();
    SmallVector<Buffer> table = program->buffers();
    FailureOr<UbBudget> budget = fitBuffers(nest, table, ubBytes, maxCapacity);
    if (failed(budget))
      return failure();
    func->setAttr(tw::kPlanAttrName, describePlan(&getContext(), nest, *program, table, *budget));

    OpBuilder entry(&func.front(), func.front().begin());
    SmallVector<TileLoop> loops;
    unsigned axes = nest.getNumLoops();
    if (axes == 1) {
      loops.push_back({0, appendIndexArgument(entry, func, "tiling:tile")});
    } else {
      Value one = entry.create<arith::ConstantIndexOp>(func.getLoc(), 1);
      // Columns outermost: a row that all other axes share is loaded once for all of them.
      loops.push_back({axes - 1, appendIndexArgument(entry, func, "tiling:tile_cols")});
      for (unsigned axis = 0; axis + 2 < axes; ++axis)
        loops.push_back({axis, one});
      loops.push_back({axes - 2, appendIndexArgument(entry, func, "tiling:tile_rows")});
    }
    func.setType(FunctionType::get(&getContext(), func.front().getArgumentTypes(), func.getResultTypes()));
    tileNest(nest, loops);
    eraseDeadOps(func);
    return success();
  }

  /// Builds the loops outside in and moves the nest into the innermost one.
  static void tileNest(linalg::GenericOp nest, ArrayRef<TileLoop> loops) {
    Location loc = nest.getLoc();
    OpBuilder builder(nest);
    unsigned axes = nest.getNumLoops(), inputs = nest.getNumDpsInputs();
    SmallVector<AffineMap> maps = nest.getIndexingMapsArray();
    Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);

    // An output covers every axis, so its slice has the core's size of each.
    SmallVector<Value> sizes, offsets(axes, zero), tileSizes(axes);
    auto out = cast<tensor::ExtractSliceOp>(nest.getDpsInits()[0].getDefiningOp());
    for (unsigned axis = 0; axis < axes; ++axis)
      sizes.push_back(getValueOrCreateConstantIndexOp(builder, loc, out.getMixedSizes()[axis]));

    SmallVector<Value> carried(nest.getDpsInits());
    SmallVector<scf::ForOp> nestLoops;
    for (const TileLoop &loop : loops) {
      auto forOp = builder.create<scf::ForOp>(loc, zero, sizes[loop.axis], loop.step, carried);
      if (!nestLoops.empty())
        builder.create<scf::YieldOp>(loc, forOp.getResults());
      nestLoops.push_back(forOp);
      builder.setInsertionPointToStart(forOp.getBody());
      offsets[loop.axis] = forOp.getInductionVar();
      Value rest = builder.create<arith::SubIOp>(loc, sizes[loop.axis], forOp.getInductionVar());
      tileSizes[loop.axis] = builder.create<arith::MinSIOp>(loc, rest, loop.step);
      carried.assign(forOp.getRegionIterArgs().begin(), forOp.getRegionIterArgs().end());
    }

    auto boxOf = [&](AffineMap map) { return Box(builder, map, offsets, tileSizes); };
    IRMapping mapping;
    for (auto [index, input] : llvm::enumerate(nest.getDpsInputs()))
      mapping.map(input, boxOf(maps[index]).extract(builder, loc, input));
    for (auto [index, init] : llvm::enumerate(nest.getDpsInits()))
      mapping.map(init, boxOf(maps[inputs + index]).extract(builder, loc, carried[index]));
    auto inner = cast<linalg::GenericOp>(builder.clone(*nest, mapping));
    SmallVector<Value> updated;
    for (auto [index, result] : llvm::enumerate(inner->getResults())) {
      result.setType(inner.getDpsInits()[index].getType());
      Box box = boxOf(maps[inputs + index]);
      updated.push_back(builder.create<tensor::InsertSliceOp>(loc, result, carried[index], box.offsets,
                                                              box.sizes, box.strides));
    }
    builder.create<scf::YieldOp>(loc, updated);
    nest->replaceAllUsesWith(nestLoops.front().getResults());
    nest.erase();
    // Slices that a loop does not move leave it: shared rows and columns stay in UB.
    for (scf::ForOp loop : llvm::reverse(nestLoops))
      moveLoopInvariantCode(loop);
  }
};

} // namespace
} // namespace tilewright
