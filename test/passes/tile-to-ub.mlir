// RUN: tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub | FileCheck %s
// RUN: tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub="ub-bytes=65536" \
// RUN:   | FileCheck %s --check-prefix=SMALL
// RUN: tw-opt %S/Inputs/spread.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: not tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-tile-to-ub="ub-bytes=4096" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OVERFLOW
// RUN: not tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-tile-to-ub 2>&1 | FileCheck %s --check-prefix=ORDER

// Inputs and outputs count twice; 2 * 2 * 3 + 2 * 4 bytes an element and the mask; see the sum in ub_bytes.
// CHECK: tw.plan = {axes = 1 : i64, block = 256 : i64, buffers = [
// CHECK-SAME: {bytes = [[TWICE:[0-9]+]] : i64, copies = 2 : i64, extent = "tile", name = "grad", type = "f16"}
// CHECK-SAME: {bytes = [[TWICE]] : i64, copies = 2 : i64, extent = "tile", name = "x", type = "f16"}
// CHECK-SAME: name = "slot0", type = "f32"
// CHECK-SAME: copies = 2 : i64, extent = "tile", name = "out0", type = "f16"
// CHECK-SAME: name = "scalar scratch"
// CHECK-SAME: capacity = 9216 : i64
// CHECK-SAME: ub_bytes = 185536 : i64
// CHECK: scf.forall
// CHECK: %[[OUTER:[a-z0-9_]+]] = tensor.extract_slice %{{[a-z0-9_]+}}[%{{[a-z0-9_]+}}] [%[[SIZE:[a-z0-9_]+]]] [1]
// CHECK: scf.for %[[I:[a-z0-9_]+]] = %{{[a-z0-9_]+}} to %{{[a-z0-9_]+}} step %[[TILE:[a-z0-9_]+]] iter_args
// CHECK-NEXT: %[[REST:[a-z0-9_]+]] = arith.subi %{{[a-z0-9_]+}}, %[[I]]
// CHECK-NEXT: %[[LENGTH:[a-z0-9_]+]] = arith.minsi %[[REST]], %[[TILE]]
// CHECK-COUNT-3: tensor.extract_slice %{{[a-z0-9_]+}}[%[[I]]] [%[[LENGTH]]] [1]
// CHECK: linalg.generic
// CHECK: tensor.insert_slice %{{[a-z0-9_]+}} into %{{[a-z0-9_]+}}[%[[I]]] [%[[LENGTH]]] [1]

// SMALL: capacity = 3072 : i64

// Columns outside rows; the operand shared by all rows leaves the row loop.
// TWO: copies = 1 : i64, extent = "tile", name = "row spread"
// TWO-SAME: extent = "column spread", name = "column spread scratch"
// TWO: scf.for {{.*}} iter_args({{.*}}) -> (index, tensor<?x?xbf16>)
// TWO: scf.for %[[COL:[a-z0-9]+]] =
// TWO: tensor.extract_slice %{{[a-z0-9_]+}}[%[[COL]]] [%{{[a-z0-9_]+}}] [1] : tensor<?xbf16>
// TWO: scf.for %[[ROW:[a-z0-9]+]] =
// TWO-DAG: tensor.extract_slice %{{[a-z0-9_]+}}[%[[ROW]], %[[COL]]]
// TWO-DAG: tensor.extract_slice %{{[a-z0-9_]+}}[%[[ROW]]] [%{{[a-z0-9_]+}}] [1] : tensor<?xf32>
// TWO: linalg.generic

// OVERFLOW: error: the operator needs {{[0-9]+}} bytes of UB for its smallest tile of 256 elements, and 4096 are available
// OVERFLOW: note: grad: 1024 bytes
// ORDER: error: the loop nest is not inside scf.forall: run tw-partition-channels first
