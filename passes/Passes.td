//===- Passes.td - tilewright passes -----------------------------*- tablegen -*-===//
//
// Rules of this folder
//  * One pass, one file, one flag, one lit test: `tw-foo-bar` is FooBar.cpp and test/passes/foo-bar.mlir.
//  * Each pass works on functions that carry the unit attribute `tw.kernel`; others are left alone.
//  * A pass either leaves IR in the form stated under "Out" or fails with a diagnostic at the user's line.
//  * Host-visible arguments carry `tw.arg = "<kind>:<name>"`; KernelArguments.h lists the kinds.
//
// The pipeline, in order:
//   tw-normalize-iteration -> tw-partition-channels -> tw-tile-to-ub -> tw-convert-to-hivm -> tw-double-buffer
//
//===----------------------------------------------------------------------------===//

#ifndef TILEWRIGHT_PASSES_TD
#define TILEWRIGHT_PASSES_TD

include "mlir/Pass/PassBase.td"

def NormalizeIteration : Pass<"tw-normalize-iteration", "::mlir::ModuleOp"> {
  let summary = "Bring a kernel to one loop nest over its canonical iteration axes";
  let description = [{
    In: a function marked `tw.kernel` on tensors, whose body is elementwise linalg (named or generic).
    Scalar arguments are runtime attributes; results are the kernel's outputs.

    Out: a single `linalg.generic` whose destinations are new trailing tensor arguments (destination style), whose
    iteration axes are merged as far as every operand allows (two neighbouring axes merge when each operand has
    both or neither), and whose extents are `i64` arguments `extent:0..k-1`. The function carries
    `tw.iteration = #tw.iteration<...>` with one kind per axis; an elementwise operator has only A axes.

    Assumes: dense row-major tensors, so that merging axes does not change addresses. A permuted operand, a
    `linalg.index`, or two loop nests that cannot be fused are errors.

    Kernels with channels (`tw.reduction`; all passes treat them apart, see passes/reduction/Reduction.h).
    In: a flat list of `linalg.generic` over the canonical axes (R1, A, R0), which the front end has merged: *channel
    nests* over A alone, *reduction nests* over all axes with R1 and R0 reduced, each result an f32 tensor over A that
    starts as `linalg.fill` of the neutral element and is `acc + v`, `maximum(acc, v)` or `minimum(acc, v)`; at most
    one *elementwise nest*, last. Operands have all axes, one of them, or none. A kernel without reduction nests is
    allowed. Out: the same nests; destinations and the three extents are arguments, and `tw.iteration` is [R1, A, R0].
    Everything else is an error at its operation.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::bufferization::BufferizationDialect", "::mlir::tw::TwDialect"];
}

def PartitionChannels : Pass<"tw-partition-channels", "::mlir::ModuleOp"> {
  let summary = "Spread the iteration axes over the vector cores";
  let description = [{
    In: the form left by `tw-normalize-iteration`.

    Out: the loop nest inside a `scf.forall (%core) in (%cores)` with `mapping = [#tw.core<x>]`. The work is a sequence
    of elements, counted in units; the first `tiling:big` cores ("big cores") take `tiling:base + 1` units, the rest
    ("small cores") `tiling:base`. With one axis the unit is a block of 512 bytes of the output (the unit the memory
    system likes best, and the unit of the seed designs). With k axes it is `tiling:unit` elements. The last axis is then
    cut into panels of `tiling:panel` columns; panels follow each other, and within a panel the sequence is row-major.
    One panel is row-major order and has the longest bursts; narrow panels are column-major order, in which a core reads
    few columns of a row that all rows share. The host chooses (partition.py). A loop visits the boxes that a core's
    elements are, at most 4k - 1; `tiling:boxes` is the number of the core that has most. All numbers are `i64`
    arguments, so that one binary serves every shape and order; the grid is `grid:cores`.

    Assumes: the host never launches a core without work.

    Kernels with channels. Out: the nests as they were and the numbers by which the host shares out each axis:
    `tiling:AXIS_cores`, `_base`, `_big`, `_unit` for AXIS in r1, a, r0. The cores form a grid; along an axis the first
    `big` of its `cores` have `base + 1` units of `unit` elements, the others `base`. Blocks are numbered with the
    channels outermost, so that cores which share channels are neighbours.
    Assumes: cores that wait for each other have equally many groups of channels (plan_reduction.py).
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect", "::mlir::tw::TwDialect"];
}

def TileToUb : Pass<"tw-tile-to-ub", "::mlir::ModuleOp"> {
  let summary = "Cut each core's part into tiles that fit the unified buffer";
  let description = [{
    In: the form left by `tw-partition-channels`.

    Out: `scf.for` loops around the nest. With one axis the tile is `tiling:tile` elements; with more it is
    `tiling:tile_rows` x `tiling:tile_cols` on the last two axes (columns outermost and rows innermost, so that data
    shared by all rows stays in UB) and 1 on the outer ones. The function carries `tw.plan`: the fixed UB capacity per buffer
    in elements, the limits of rows and columns, the UB bytes used, the axes and element sizes of the operands, and a
    table of buffers. The capacity is what fits
    the option `ub-bytes` with every input and output in two buffers and every temporary counted; see
    VectorProgram.h for what counts. An operator that does not fit with even the smallest tile is an error.

    Assumes: the host keeps tiles within the capacity that `tw.plan` states.

    Kernels with channels. Out: the nests as they were, the numbers `tiling:group` (channels of a group),
    `tile_rows`, `tile_cols`, `merge` (rows of a run in "folded"), `workspace_row` and `workspace` (f32 elements), and
    `tw.plan`: limits of the option `schedule` (capacity of a tile, rows, columns, channels of a group, lanes of an
    accumulator, elements of a resident input), what the kernel moves for an element (`streamed_bytes`,
    `resident_bytes`, `result_bytes`), and the UB table. The table counts what lives for a group, and beside it the most
    demanding nest. A schedule that the operator cannot have (an operand over R0 alone needs "rows") or that does
    not fit with tiles of 128 elements is an error with the table in its notes.
    Assumes: the buffers of different nests share addresses; how well AscendNPU-IR packs them is known after
    its run, and the compiler tries again with less of UB if it does not fit.
  }];
  let options = [
    Option<"ubBytes", "ub-bytes", "int64_t", "188416",
           "Bytes of UB that buffers may take (192 KiB less the 8 KiB that Select may use at the top)">,
    Option<"maxCapacity", "max-capacity", "int64_t", "16384",
           "Upper bound of the capacity of one buffer, in elements">,
    Option<"schedule", "schedule", "std::string", "\"rows\"",
           "Schedule of a kernel with channels: rows, lanes or folded, with -resident or -resident2 behind it">
  ];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def ConvertToHivm : Pass<"tw-convert-to-hivm", "::mlir::ModuleOp"> {
  let summary = "Lower tiles to HIVM loads, vector operations and stores in the Triton kernel ABI";
  let description = [{
    In: the form left by `tw-tile-to-ub`.

    Out: a function on memrefs in the Triton kernel ABI: lock and workspace, tensors as flat GM buffers, scalars,
    numbers, three grid sizes and three program ids. Each tile is loaded into fixed UB allocations by
    `hivm.hir.load`, computed by vector operations on runtime-sized views, and written by `hivm.hir.store`.
    Operands shared by a whole row or column are loaded once outside the loop that does not move them and spread
    by `hivm.hir.vbrc`; uniform values are scalar operands. `tw.args` lists the meaning of every argument in order.

    Assumes: elementwise bodies over arith and math operations that have a vector instruction; any other operation is
    an error at its location.

    Kernels with channels. Out: a loop over the groups of channels of this core. In a group: what a channel has once is
    loaded, resident inputs are loaded, then nest after nest; a pass over the data is one loop over its tiles, in which
    the summands are folded to the lanes of an accumulator. After the pass the lanes become one number a channel; where
    `cores` along R1 and R0 share channels, each stores its partial results in the workspace, all wait
    (`hivm.hir.sync_block` with PIPE_ALL), and each combines all in the order of the cores. One of them stores what a
    channel has once. Sums of many terms are compensated (UbVectors.h).
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect", "::mlir::hivm::HivmDialect",
                           "::mlir::annotation::AnnotationDialect"];
}

def DoubleBuffer : Pass<"tw-double-buffer", "::mlir::ModuleOp"> {
  let summary = "Ask for two buffers where a transfer can overlap with compute";
  let description = [{
    In: the form left by `tw-convert-to-hivm`.

    Out: every UB allocation inside a loop that is the destination of a `hivm.hir.load` or the source of a
    `hivm.hir.store` is marked `annotation.mark {hivm.multi_buffer = 2}`. AscendNPU-IR gives it two addresses and picks by
    the parity of the iteration, with flags by parity.

    Assumes: `tw-tile-to-ub` counted these buffers twice, which it does.

    Kernels with channels: transfers inside the loop over groups but outside the loops over tiles keep one buffer, but for
    resident inputs, which `tw-convert-to-hivm` has marked already in the schedules "-resident2".
  }];
  let options = [
    Option<"buffers", "buffers", "int64_t", "2", "Number of buffers per transfer; 1 switches the pass off">
  ];
  let dependentDialects = ["::mlir::annotation::AnnotationDialect"];
}

#endif
