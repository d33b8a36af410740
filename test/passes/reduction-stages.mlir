// Kernels with reductions through the passes, one by one: what each adds.
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration | FileCheck %s --check-prefix=NORMAL
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:   | FileCheck %s --check-prefix=CORES
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=schedule=folded-resident2 | FileCheck %s --check-prefix=FOLDED
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub="schedule=lanes ub-bytes=65536" | FileCheck %s --check-prefix=SMALL
// RUN: tw-opt %S/Inputs/reduction-lines.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:   | FileCheck %s --check-prefix=LINES
//
// Out of order: each pass says which one comes first, or next.
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-normalize-iteration 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-partition-channels 2>&1 | FileCheck %s --check-prefix=NO-AXES
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-partition-channels 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-tile-to-ub 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOT-SHARED
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:     -tw-tile-to-ub 2>&1 | FileCheck %s --check-prefix=TILED
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-convert-to-hivm 2>&1 | FileCheck %s --check-prefix=NO-PLAN
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:     -tw-double-buffer 2>&1 | FileCheck %s --check-prefix=NOT-HIVM
//
// Schedules that do not exist, do not serve, do not fit.
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=schedule=diagonal 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=schedule=rows-resident3 2>&1 | FileCheck %s --check-prefix=COPIES
// RUN: not tw-opt %S/Inputs/reduction-lines.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=schedule=folded 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=ub-bytes=8192 2>&1 | FileCheck %s --check-prefix=OVERFLOW

// Destinations and extents are arguments; the nests stay as they are.
// NORMAL: func.func @norm(
// NORMAL-SAME: {tw.arg = "scalar:s0"}, %{{[a-z0-9]+}}: tensor<?x?x?xf16> {tw.arg = "tensor:out0"},
// NORMAL-SAME: tensor<?xf32> {tw.arg = "tensor:out1"}, %{{[a-z0-9]+}}: i64 {tw.arg = "extent:0"},
// NORMAL-SAME: {tw.arg = "extent:1"}, %{{[a-z0-9]+}}: i64 {tw.arg = "extent:2"})
// NORMAL-SAME: tw.iteration = #tw.iteration<[R1, A, R0]>
// NORMAL: iterator_types = ["reduction", "parallel", "reduction"]
// NORMAL: iterator_types = ["parallel"]
// NORMAL: iterator_types = ["parallel", "parallel", "parallel"]

// CORES: func.func @norm(
// CORES-SAME: "tiling:r1_cores"{{.*}}"tiling:r1_base"{{.*}}"tiling:r1_big"{{.*}}"tiling:r1_unit"
// CORES-SAME: "tiling:a_cores"{{.*}}"tiling:a_base"{{.*}}"tiling:a_big"{{.*}}"tiling:a_unit"
// CORES-SAME: "tiling:r0_cores"{{.*}}"tiling:r0_base"{{.*}}"tiling:r0_big"{{.*}}"tiling:r0_unit"
// CORES-SAME: "grid:cores"
// CORES-COUNT-3: linalg.generic

// Inputs of a pass twice, since transfers overlap with compute; no copies of nests are left behind.
// TILE: func.func @norm(
// TILE-SAME: "tiling:group"{{.*}}"tiling:tile_rows"{{.*}}"tiling:tile_cols"{{.*}}"tiling:merge"
// TILE-SAME: "tiling:workspace_row"{{.*}}"tiling:workspace"
// TILE-SAME: buffers = [{bytes = {{[0-9]+}} : i64, name = "per-channel values"}, {bytes = [[BYTES:[0-9]+]] : i64, name = "g"}, {bytes = [[BYTES]] : i64, name = "x"}
// TILE-SAME: name = "summand0"{{.*}}name = "summand1"{{.*}}name = "accumulators"
// TILE-SAME: element_bytes = 2 : i64, elementwise = 1 : i64, full_inputs = 2 : i64
// TILE-SAME: reductions = 2 : i64, resident = 0 : i64, resident_bytes = 4 : i64, result_bytes = 2 : i64
// TILE-SAME: schedule = "rows", segments = 0 : i64, streamed_bytes = 6 : i64
// TILE-COUNT-3: linalg.generic
// TILE-NOT: linalg.generic

// FOLDED: name = "resident input 0"}
// FOLDED-SAME: name = "resident input 1"}
// FOLDED-SAME: name = "mean spread"}
// FOLDED-SAME: resident = {{[1-9][0-9]*}} : i64
// FOLDED-SAME: schedule = "folded-resident2"

// SMALL: schedule = "lanes"{{.*}}ub_bytes = {{(6[0-5]|5[0-9])[0-9][0-9][0-9]}} : i64

// LINES: name = "w spread"}{{.*}}name = "c spread"}
// LINES-SAME: inner = 1 : i64{{.*}}outer = 1 : i64{{.*}}result_bytes = 0 : i64{{.*}}streamed_bytes = 4 : i64

// TWICE: error: the kernel is normalized already: tw-partition-channels comes next
// NO-AXES: error: no tw.iteration: run tw-normalize-iteration first
// SHARED: error: the axes are shared out already: tw-tile-to-ub comes next
// NOT-SHARED: error: the axes are not shared out: run tw-partition-channels first
// TILED: error: the kernel is tiled already: tw-convert-to-hivm comes next
// NO-PLAN: error: no tw.plan: run tw-tile-to-ub first
// NOT-HIVM: error: the kernel is not in HIVM form: run tw-convert-to-hivm first
// UNKNOWN: error: no schedule 'diagonal': rows, lanes or folded, with -resident or -resident2
// COPIES: error: no schedule 'rows-resident3'
// INNER: error: an operand over the inner reduced axis needs the schedule 'rows'
// OVERFLOW: error: the operator needs {{[0-9]+}} bytes of UB for its smallest tile of 128 elements in the schedule 'rows', and 8192 are available
// OVERFLOW: note: per-channel values: {{[0-9]+}} bytes
// OVERFLOW: note: accumulators: {{[0-9]+}} bytes
