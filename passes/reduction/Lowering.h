//===- Lowering.h - loops and HIVM operations of a kernel with reductions ------===//
//
// One core's work: its box of the canonical axes, group by group of channels; in a group, nest by nest; in a
// nest, tile by tile. Partial results of cores that share channels meet in the workspace.
//
//===----------------------------------------------------------------------------===//
#ifndef TILEWRIGHT_PASSES_REDUCTION_LOWERING_H
#define TILEWRIGHT_PASSES_REDUCTION_LOWERING_H

#include "passes/TileEmitter.h"
#include "passes/reduction/Programs.h"
#include "passes/reduction/UbVectors.h"

namespace tilewright {

class ReductionLowering {
public:
  ReductionLowering(mlir::func::FuncOp kernel, llvm::MutableArrayRef<NestProgram> programs, Schedule schedule,
                    const Limits &limits)
      : kernel(kernel), programs(programs), schedule(schedule), limits(limits), b(kernel),
        loc(kernel.getLoc()), index{b, loc}, ub(b, loc) {}

  mlir::LogicalResult run();

private:
  using Value = mlir::Value;

  /// This core's part of an axis.
  struct Part {
    Value extent, offset, size;
  };

  /// A tile: `rows` x `columns` elements, `stride` apart in GM from element `offset` on.
  struct Tile {
    Value number;      ///< in the group
    Value channel;     ///< in the group (rows)
    Value row, column; ///< of the core's box
    Value rows, columns, offset, stride;
  };

  // Convert.cpp
  Value number(const llvm::Twine &name);
  void readNumbers(Value core);
  void readUniforms();
  Part partOf(unsigned axis, Value position);
  void emitGroup();
  void loadChannelInputs();
  void loadResident();
  void emitChannelNest(NestProgram &item);
  void emitReductionNest(NestProgram &item);
  void emitElementwiseNest(NestProgram &item);
  void forEachTile(llvm::function_ref<void(const Tile &)> body);
  void forEachSample(llvm::function_ref<void(const Tile &)> body);
  int64_t sampleParts();
  Value sampleIsAlongR0();
  Value sampleRows();
  Value sampleColumns();
  Value sampleScale();
  llvm::SmallVector<Value> spreadChannels(const NestProgram &item);
  void provideInputs(TileEmitter &emitter, const NestProgram &item, const Tile &tile,
                     llvm::ArrayRef<Value> spreads);
  llvm::SmallVector<Value> evaluateTile(TileEmitter &emitter, NestProgram &item, const Tile &tile);
  void storeChannels(mlir::linalg::GenericOp nest, unsigned result, Value buffer);
  Value gm(mlir::BlockArgument argument) const { return mapping.lookup(argument); }
  Value gmLine(Value base, Value offset, Value count);
  Value gmRows(Value base, Value offset, Value rows, Value columns, Value stride);
  GmView viewOf(Value base, const Tile &tile);
  Value pitchOf(Value columns) { return index.roundUp(columns, limits.rowGranule); }
  /// Elements of a tile up to its last one, the padding between rows included.
  Value lengthOf(const Tile &tile);
  Value residentOffset(const Tile &tile);
  Value channelLanes();
  llvm::SmallVector<mlir::BlockArgument> destinationsOf(mlir::linalg::GenericOp nest, unsigned result);

  // Exchange.cpp
  void combineRows(mlir::ValueRange offsets, Value rows, Value stride, Value columns, mlir::ValueRange values,
                   llvm::ArrayRef<Combine> combines);
  void exchange(mlir::ValueRange values, Value first, Value count, llvm::ArrayRef<Combine> combines,
                unsigned reduction);
  void finish(llvm::ArrayRef<Accumulator> accumulators, mlir::ValueRange results, const Nest &nest);

  // Segments.cpp
  void numberLanes();
  void findChannels();
  Value indicesOf(Value numbers, Value count);
  void divideNumbers(Value numbers, Value count, Value divisor);
  llvm::SmallVector<Value> separateRows(mlir::ValueRange sources, Value rows, Value columns);
  void foldMerged(mlir::ValueRange totals, llvm::ArrayRef<Combine> combines);
  void foldSegments(mlir::ValueRange totals, mlir::ValueRange results, llvm::ArrayRef<Combine> combines);
  void spreadSegments(mlir::ValueRange values, mlir::ValueRange tiles);

  mlir::func::FuncOp kernel;
  llvm::MutableArrayRef<NestProgram> programs;
  Schedule schedule;
  const Limits &limits;
  mlir::OpBuilder b;
  mlir::Location loc;
  Index index;
  UbVectors ub;
  mlir::IRMapping mapping;

  Value core, workspace; ///< the workspace as f32 elements
  Part parts[3];         ///< of R1, A, R0
  Value splits, split;   ///< cores that share a channel, and this one among them
  Value isOwner;         ///< this core stores what a channel has once
  Value groupSize, tileRows, tileColumns, merge, isMerged, workspaceRow;
  Value channel, channels;         ///< first channel of the group, and how many
  Value laneColumns, lanePeriod;   ///< columns of a row of lanes, and lanes until channels repeat
  Value laneNumbers, laneChannels; ///< of every lane: its number, and its channel in the group (folded)
  unsigned nextReduction = 0;
  llvm::DenseMap<Value, Value> vectors;  ///< per-channel tensor -> its UB buffer in this group
  llvm::DenseMap<Value, Value> uniforms; ///< one-element tensor -> its value
  llvm::DenseMap<Value, Value> resident; ///< full tensor -> its UB buffer in this group
  llvm::SmallVector<mlir::BlockArgument> destinations;
};

} // namespace tilewright

#endif
