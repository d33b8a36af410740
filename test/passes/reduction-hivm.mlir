// Kernels with reductions in HIVM form: group by group of channels, nest by nest, tile by tile.
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:     -tw-convert-to-hivm | FileCheck %s --check-prefix=ROWS
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=schedule=lanes -tw-convert-to-hivm | FileCheck %s --check-prefix=LANES
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=schedule=folded-resident2 -tw-convert-to-hivm | FileCheck %s --check-prefix=RESIDENT
// RUN: tw-opt %S/Inputs/reduction-lines.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:     -tw-convert-to-hivm | FileCheck %s --check-prefix=MAX
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:     -tw-convert-to-hivm -tw-double-buffer | FileCheck %s --check-prefix=DOUBLE
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:     -tw-convert-to-hivm -tw-double-buffer=buffers=1 | FileCheck %s --check-prefix=SINGLE
// RUN: tw-opt %S/Inputs/reduction-and-result.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:     -tw-convert-to-hivm -tw-double-buffer | FileCheck %s --check-prefix=BESIDE
// RUN: tw-opt %S/Inputs/reduction-sample.mlir -tw-normalize-iteration -tw-partition-channels \
// RUN:     -tw-tile-to-ub=schedule=lanes-resident -tw-convert-to-hivm | FileCheck %s --check-prefix=SAMPLE
// RUN: tw-opt %S/Inputs/batch-norm-backward.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:   | sed 's/schedule = "rows", //' | not tw-opt -tw-convert-to-hivm 2>&1 | FileCheck %s --check-prefix=FOREIGN

// ROWS: func.func @norm({{.*}}tw.args = ["lock", "workspace", "tensor:g", "tensor:x", "tensor:mean", "tensor:out0", "tensor:out1", "scalar:s0", "extent:0"
// ROWS-SAME: "tiling:workspace_row", "tiling:workspace", "grid:x"
// The workspace as numbers; the loop over groups.
// ROWS: memref.view %arg1[{{.*}}] : memref<?xi8> to memref<?xf32>
// ROWS: scf.for
// What a channel has once is loaded once a group.
// ROWS: hivm.hir.load ins(%{{.*}} : memref<?xf32, strided<[1], offset: ?>>) outs(%{{.*}} : memref<?xf32, strided<[1]>>)
// A pass: rows are loaded with the lanes between them zeroed, the mean is a scalar operand.
// ROWS: scf.for
// ROWS-COUNT-2: hivm.hir.load ins(%{{.*}} : memref<?x?xf16, strided<[?, 1], offset: ?>>) outs(%{{.*}}) pad_mode = <PadValue>
// ROWS: hivm.hir.vsub ins(%{{.*}} : memref<?xf32, strided<[1]>>, f32)
// The tile is folded by halves into 64 lanes and added.
// ROWS: scf.for {{.*}} iter_args
// ROWS: hivm.hir.vadd
// The lanes of a channel become one number; cores that share channels meet.
// ROWS: hivm.hir.vreduce {{.*}}<sum>
// ROWS: scf.if
// ROWS: hivm.hir.store
// ROWS: hivm.hir.sync_block[<ALL_VECTOR>, 0 : i16] tvector_pipe = <PIPE_ALL>
// ROWS: hivm.hir.load
// One core of those that share a channel stores what the channel has once.
// ROWS: scf.if
// ROWS: hivm.hir.store {{.*}} outs(%{{.*}} : memref<?xf32, strided<[1], offset: ?>>)
// The result.
// ROWS: scf.for
// ROWS: hivm.hir.store ins(%{{.*}} : memref<?x?xf16, strided<[?, 1]>>) outs(%{{.*}} : memref<?x?xf16, strided<[?, 1], offset: ?>>)
// ROWS: return

// Channels are lanes: no number is read out of UB, and values of a channel are spread by copies.
// LANES-NOT: memref.load %alloc
// LANES: hivm.hir.copy
// LANES-NOT: memref.load %alloc
// LANES-NOT: hivm.hir.vreduce
// LANES: return

// Read once: a buffer for a group with two addresses, filled before the first pass; no pass loads data.
// RESIDENT: memref.alloc() : memref<[[SIZE:[0-9]+]]xf16>
// RESIDENT: annotation.mark %{{.*}} {hivm.multi_buffer = 2 : i32} : memref<[[SIZE]]xf16>
// RESIDENT: memref.alloc() : memref<[[SIZE]]xf16>
// RESIDENT: annotation.mark %{{.*}} {hivm.multi_buffer = 2 : i32} : memref<[[SIZE]]xf16>
// RESIDENT: scf.for
// RESIDENT-COUNT-2: hivm.hir.load {{.*}} outs(%{{.*}} : memref<?x?xf16
// RESIDENT-NOT: hivm.hir.load {{.*}} outs(%{{.*}} : memref<?x?xf16
// RESIDENT: return

// A maximum starts at minus infinity; a number is read once; lines of R0 and columns of R1 are spread.
// MAX: memref.load %arg5[%{{.*}}] : memref<?xf32>
// MAX: arith.constant 0xFF800000 : f32
// MAX: hivm.hir.vbrc ins(%{{.*}} : f32)
// MAX: hivm.hir.vbrc ins(%{{.*}} : memref<1x?xf32, {{.*}} broadcast_dims = [0]
// MAX: hivm.hir.vbrc ins(%{{.*}} : memref<?x1xf32, {{.*}} broadcast_dims = [1]
// MAX: hivm.hir.vmax
// MAX: hivm.hir.vreduce <max>

// Transfers of tiles alternate between two buffers, those of a group do not.
// DOUBLE: func.func @norm
// DOUBLE: memref.alloc() : memref<16xf32>
// DOUBLE-NEXT: memref.reinterpret_cast
// DOUBLE: annotation.mark %{{.*}} {hivm.multi_buffer = 2 : i32} : memref<{{[0-9]+}}xf16>
// SINGLE-NOT: annotation.mark

// FOREIGN: error: tw.plan and the arguments are not those of a kernel with reductions: run tw-tile-to-ub on it

// A result that waits for no sum is stored by the pass that has its inputs in UB, from one of two buffers.
// BESIDE: scf.for
// BESIDE: scf.for
// BESIDE: hivm.hir.load ins(%{{.*}} : memref<?x?xf16
// BESIDE: hivm.hir.store ins(%{{.*}} : memref<?x?xf16, strided<[?, 1]>>) outs(%{{.*}} : memref<?x?xf16, strided<[?, 1], offset: ?>>)
// BESIDE: hivm.hir.vreduce {{.*}}<sum>
// BESIDE-NOT: hivm.hir.load ins(%{{.*}} : memref<?x?xf16
// BESIDE: return

// A sample: rows that lie apart, from GM where the data is resident too; scaled to all of it, not exchanged.
// SAMPLE: %[[SCALE:.*]] = arith.divf
// SAMPLE: hivm.hir.load
// SAMPLE: scf.for
// SAMPLE: arith.divsi
// SAMPLE: hivm.hir.load ins(%{{.*}} : memref<?x?xf32, strided<[?, 1], offset: ?>>)
// SAMPLE-NOT: sync_block
// SAMPLE: hivm.hir.vmul ins(%{{.*}}, %[[SCALE]] :
// SAMPLE-NOT: sync_block
// SAMPLE: return
