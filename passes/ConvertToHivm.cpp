//===- ConvertToHivm.cpp - tw-convert-to-hivm ---------------------------------===//
#include "passes/KernelAbi.h"
#include "passes/KernelArguments.h"
#include "passes/Passes.h"
#include "passes/TileEmitter.h"
#include "passes/reduction/Reduction.h"

#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace tilewright {
#define GEN_PASS_DEF_CONVERTTOHIVM
#include "passes/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace tilewright {
namespace {

/// Walks the tiled kernel and writes the HIVM kernel beside it. Tensors become boxes of GM buffers; nothing
/// is bufferised in general, because the form that tw-tile-to-ub leaves is fixed.
class Lowering {
public:
  Lowering(func::FuncOp kernel, linalg::GenericOp nest, const VectorProgram &program, Capacity capacity)
      : kernel(kernel), nest(nest), program(program), emitter(program, capacity), builder(kernel) {}

  LogicalResult run() {
    Value core;
    func::FuncOp result = createTritonKernel(builder, kernel, mapping, core);
    cores = core;
    viewArguments();
    if (failed(lowerBlock(kernel.front())))
      return failure();
    builder.create<func::ReturnOp>(kernel.getLoc());
    kernel.erase();
    result->walk([](scf::ForOp loop) { moveLoopInvariantCode(loop); });
    eraseDeadOps(result);
    return success();
  }

private:
  /// The tensor argument behind a chain of slices and loop-carried values.
  static Value rootOf(Value tensor) {
    while (true) {
      if (auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>()) {
        tensor = slice.getSource();
        continue;
      }
      auto argument = dyn_cast<BlockArgument>(tensor);
      if (!argument)
        return tensor;
      Operation *owner = argument.getOwner()->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(owner))
        tensor = loop.getTiedLoopInit(argument)->get();
      else if (auto forall = dyn_cast<scf::ForallOp>(owner))
        tensor = forall.getTiedOpOperand(argument)->get();
      else
        return tensor;
    }
  }

  /// Boxes of whole tensors: row-major over the axes that the nest's map gives them.
  void viewArguments() {
    Location loc = kernel.getLoc();
    SmallVector<Value> extents;
    for (unsigned axis = 0; axis < nest.getNumLoops(); ++axis) {
      Value extent = mapping.lookup(findArgument(kernel, ("extent:" + Twine(axis)).str()));
      extents.push_back(builder.create<arith::IndexCastOp>(loc, builder.getIndexType(), extent));
    }
    Value zero = builder.create<arith::ConstantIndexOp>(loc, 0);
    Value one = builder.create<arith::ConstantIndexOp>(loc, 1);
    for (OpOperand &operand : nest->getOpOperands()) {
      Value root = rootOf(operand.get());
      GmView view{mapping.lookup(root), {}, {}, {}};
      AffineMap map = nest.getMatchingIndexingMap(&operand);
      Value stride = one;
      for (AffineExpr expr : llvm::reverse(map.getResults())) {
        Value extent = extents[cast<AffineDimExpr>(expr).getPosition()];
        view.offsets.insert(view.offsets.begin(), zero);
        view.sizes.insert(view.sizes.begin(), extent);
        view.strides.insert(view.strides.begin(), stride);
        stride = builder.create<arith::MulIOp>(loc, stride, extent);
      }
      views[root] = view;
      if (map.getNumResults() == 0)
        emitter.loadUniform(builder, operand.get().getLoc(), operand.getOperandNumber(), view);
    }
  }

  LogicalResult lowerBlock(Block &block) {
    for (Operation &op : block)
      if (failed(lowerOp(&op)))
        return failure();
    return success();
  }

  LogicalResult lowerOp(Operation *op) {
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      return lowerForall(forall);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return lowerFor(loop);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return lowerSlice(slice);
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      views[insert.getResult()] = views.lookup(insert.getDest());
      return success();
    }
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return lowerNest(generic);
    if (isa<scf::YieldOp, scf::InParallelOp, func::ReturnOp>(op))
      return success();
    if (isa<arith::ArithDialect>(op->getDialect())) {
      builder.clone(*op, mapping);
      return success();
    }
    return op->emitError("unexpected operation in a tiled kernel");
  }

  LogicalResult lowerForall(scf::ForallOp forall) {
    mapping.map(forall.getInductionVar(0), cores);
    for (auto [argument, init] : llvm::zip(forall.getRegionIterArgs(), forall.getOutputs()))
      views[argument] = views.lookup(init);
    for (auto [result, init] : llvm::zip(forall.getResults(), forall.getOutputs()))
      views[result] = views.lookup(init);
    return lowerBlock(*forall.getBody());
  }

  /// Tensors that a loop carries are boxes of GM and need no value; indices stay.
  LogicalResult lowerFor(scf::ForOp loop) {
    SmallVector<Value> carried;
    for (Value init : loop.getInitArgs())
      if (!isa<TensorType>(init.getType()))
        carried.push_back(mapping.lookup(init));
    auto lowered = builder.create<scf::ForOp>(loop.getLoc(), mapping.lookup(loop.getLowerBound()),
                                              mapping.lookup(loop.getUpperBound()),
                                              mapping.lookup(loop.getStep()), carried);
    mapping.map(loop.getInductionVar(), lowered.getInductionVar());
    unsigned next = 0;
    for (auto [argument, init, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
      if (isa<TensorType>(init.getType())) {
        views[argument] = views.lookup(init);
        views[result] = views.lookup(init);
      } else {
        mapping.map(argument, lowered.getRegionIterArg(next));
        mapping.map(result, lowered.getResult(next++));
      }
    }
    OpBuilder::InsertionGuard guard(builder);
    if (carried.empty())
      builder.setInsertionPoint(lowered.getBody()->getTerminator());
    else
      builder.setInsertionPointToStart(lowered.getBody());
    if (failed(lowerBlock(*loop.getBody())))
      return failure();
    if (carried.empty())
      return success();
    SmallVector<Value> yielded;
    for (Value value : loop.getYieldedValues())
      if (!isa<TensorType>(value.getType()))
        yielded.push_back(mapping.lookup(value));
    builder.create<scf::YieldOp>(loop.getLoc(), yielded);
    return success();
  }

  LogicalResult lowerSlice(tensor::ExtractSliceOp slice) {
    GmView view = views.lookup(slice.getSource());
    auto value = [&](OpFoldResult ofr) {
      if (auto dynamic = dyn_cast<Value>(ofr))
        return mapping.lookupOrDefault(dynamic);
      return builder.create<arith::ConstantIndexOp>(slice.getLoc(), *getConstantIntValue(ofr)).getResult();
    };
    for (unsigned i = 0, e = view.offsets.size(); i < e; ++i) {
      view.offsets[i] =
          builder.create<arith::AddIOp>(slice.getLoc(), view.offsets[i], value(slice.getMixedOffsets()[i]));
      view.sizes[i] = value(slice.getMixedSizes()[i]);
    }
    views[slice.getResult()] = view;
    for (OpOperand &use : slice->getUses())
      if (use.getOwner() == nest && use.getOperandNumber() < nest.getNumDpsInputs())
        loadInput(slice.getLoc(), use.getOperandNumber(), view);
    return success();
  }

  /// Inputs are loaded where their slice stands: a slice that left a loop is loaded once for all its
  /// iterations.
  void loadInput(Location loc, unsigned index, const GmView &view) {
    switch (program.inputs[index].spread) {
    case Spread::Uniform:
      return emitter.loadUniform(builder, loc, index, view);
    case Spread::Full:
      return emitter.load(builder, loc, index, view, shapeOf(view));
    case Spread::Row:
      return emitter.load(builder, loc, index, view, {largestRows(loc), view.sizes.back()});
    case Spread::Column:
      return emitter.load(builder, loc, index, view, {view.sizes.back(), tileColumns()});
    }
  }

  TileShape shapeOf(const GmView &view) const {
    if (!program.twoDimensional)
      return {{}, view.sizes.back()};
    return {view.sizes[view.sizes.size() - 2], view.sizes.back()};
  }

  /// Rows of the largest tile of the innermost loop, known outside it.
  Value largestRows(Location loc) {
    auto loop = nest->getParentOfType<scf::ForOp>();
    return builder.create<arith::MinSIOp>(loc, mapping.lookup(loop.getUpperBound()),
                                          mapping.lookup(loop.getStep()));
  }

  Value tileColumns() {
    auto out = nest.getDpsInits()[0].getDefiningOp<tensor::ExtractSliceOp>();
    return mapping.lookup(cast<Value>(out.getMixedSizes().back()));
  }

  LogicalResult lowerNest(linalg::GenericOp generic) {
    SmallVector<GmView> outputs;
    for (Value init : generic.getDpsInits())
      outputs.push_back(views.lookup(init));
    for (auto [result, init] : llvm::zip(generic->getResults(), generic.getDpsInits()))
      views[result] = views.lookup(init);
    return emitter.compute(builder, generic, shapeOf(outputs[0]), outputs, mapping);
  }

  func::FuncOp kernel;
  linalg::GenericOp nest;
  const VectorProgram &program;
  TileEmitter emitter;
  OpBuilder builder;
  IRMapping mapping;
  Value cores;
  llvm::DenseMap<Value, GmView> views;
};

struct ConvertToHivmPass : impl::ConvertToHivmBase<ConvertToHivmPass> {
  void runOnOperation() override {
    if (failed(forEachKernel(getOperation(), [](func::FuncOp func) { return convert(func); })))
      signalPassFailure();
  }

  static LogicalResult convert(func::FuncOp func) {
    if (func->hasAttr(tw::kArgsAttrName))
      return func.emitError("the kernel is in HIVM form already");
    if (isReduction(func))
      return convertReduction(func);
    linalg::GenericOp nest = getSingleNest(func);
    auto plan = func->getAttrOfType<DictionaryAttr>(tw::kPlanAttrName);
    if (!nest || !plan)
      return func.emitError("no tw.plan: run tw-tile-to-ub first");
    auto number = [&](StringRef name) { return cast<IntegerAttr>(plan.get(name)).getInt(); };
    Capacity capacity{number("capacity"), number("max_rows"), number("max_columns"), number("row_granule")};
    FailureOr<VectorProgram> program = VectorProgram::build(nest);
    if (failed(program))
      return failure();
    return Lowering(func, nest, *program, capacity).run();
  }
};

} // namespace
} // namespace tilewright
