// RUN: tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels | FileCheck %s
// RUN: tw-opt %S/Inputs/spread.mlir -tw-normalize-iteration -tw-partition-channels | FileCheck %s --check-prefix=TWO
// RUN: not tw-opt %S/Inputs/elu.mlir -tw-partition-channels 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not tw-opt %S/Inputs/elu.mlir -tw-normalize-iteration -tw-partition-channels -tw-partition-channels 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWICE

// One axis: 256 elements of f16 are a block of 512 bytes; the first big cores take one block more.
// CHECK: %[[EXTENT:[a-z0-9_]+]]: i64 {tw.arg = "extent:0"}, %[[BASE:[a-z0-9_]+]]: i64 {tw.arg = "tiling:base"}
// CHECK-SAME: %[[BIG:[a-z0-9_]+]]: i64 {tw.arg = "tiling:big"}, %[[CORES:[a-z0-9_]+]]: i64 {tw.arg = "grid:cores"}
// CHECK-DAG: %[[N:[a-z0-9_]+]] = arith.index_cast %[[EXTENT]]
// CHECK-DAG: %[[B:[a-z0-9_]+]] = arith.index_cast %[[BASE]]
// CHECK-DAG: %[[G:[a-z0-9_]+]] = arith.index_cast %[[BIG]]
// CHECK-DAG: %[[C:[a-z0-9_]+]] = arith.index_cast %[[CORES]]
// CHECK-DAG: %[[BLOCK:[a-z0-9_]+]] = arith.constant 256 : index
// CHECK: scf.forall (%[[CORE:[a-z0-9_]+]]) in (%[[C]]) shared_outs(%[[OUT:[a-z0-9_]+]] = %{{[a-z0-9_]+}}) -> (tensor<?xf16>)
// CHECK: %[[BEFORE:[a-z0-9_]+]] = arith.muli %[[CORE]], %[[B]]
// CHECK: %[[EXTRA:[a-z0-9_]+]] = arith.minsi %[[CORE]], %[[G]]
// CHECK: %[[FIRST:[a-z0-9_]+]] = arith.addi %[[BEFORE]], %[[EXTRA]]
// CHECK: arith.cmpi slt, %[[CORE]], %[[G]]
// CHECK: %[[AFTER:[a-z0-9_]+]] = arith.addi %[[FIRST]], %{{[a-z0-9_]+}}
// CHECK: %[[LAST:[a-z0-9_]+]] = arith.muli %[[AFTER]], %[[BLOCK]]
// CHECK: %[[END:[a-z0-9_]+]] = arith.minsi %[[LAST]], %[[N]]
// CHECK: %[[OFFSET:[a-z0-9_]+]] = arith.muli %[[FIRST]], %[[BLOCK]]
// CHECK: %[[SIZE:[a-z0-9_]+]] = arith.subi %[[END]], %[[OFFSET]]
// CHECK-COUNT-3: tensor.extract_slice %{{[a-z0-9_]+}}[%[[OFFSET]]] [%[[SIZE]]] [1]
// CHECK: linalg.generic
// CHECK: tensor.parallel_insert_slice %{{[a-z0-9_]+}} into %[[OUT]][%[[OFFSET]]] [%[[SIZE]]] [1]
// CHECK: mapping = [#tw.core<x>]

// Two axes: units are counted in panels of columns; a loop visits as many boxes as the host says. A box is whole
// panels side by side, or rows of one panel, or columns of one row.
// TWO: %[[ROWS:[a-z0-9_]+]]: i64 {tw.arg = "extent:0"}, %[[COLUMNS:[a-z0-9_]+]]: i64 {tw.arg = "extent:1"}
// TWO-SAME: {tw.arg = "tiling:base"}
// TWO-SAME: {tw.arg = "tiling:big"}
// TWO-SAME: %[[UNIT:[a-z0-9_]+]]: i64 {tw.arg = "tiling:unit"}, %[[PANEL:[a-z0-9_]+]]: i64 {tw.arg = "tiling:panel"}
// TWO-SAME: %[[BOXES:[a-z0-9_]+]]: i64 {tw.arg = "tiling:boxes"}
// TWO-DAG: %[[R:[a-z0-9_]+]] = arith.index_cast %[[ROWS]]
// TWO-DAG: %[[C:[a-z0-9_]+]] = arith.index_cast %[[COLUMNS]]
// TWO-DAG: %[[W:[a-z0-9_]+]] = arith.index_cast %[[PANEL]]
// TWO-DAG: %[[TRIPS:[a-z0-9_]+]] = arith.index_cast %[[BOXES]]
// TWO: scf.forall
// TWO: %[[TOTAL:[a-z0-9_]+]] = arith.muli %[[R]], %[[C]]
// TWO: %[[END:[a-z0-9_]+]] = arith.minsi %{{[a-z0-9_]+}}, %[[TOTAL]]
// TWO: scf.for %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}} to %[[TRIPS]] step %{{[a-z0-9_]+}} iter_args(%[[CURRENT:[a-z0-9_]+]] = %{{[a-z0-9_]+}}, %[[TARGET:[a-z0-9_]+]] =
// TWO: %[[SIZE:[a-z0-9_]+]] = arith.muli %{{[a-z0-9_]+}}, %[[W]]
// TWO: %[[INDEX:[a-z0-9_]+]] = arith.divsi %[[CURRENT]], %[[SIZE]]
// TWO: %[[COLUMN:[a-z0-9_]+]] = arith.muli %[[INDEX]], %[[W]]
// TWO: %[[LEFT:[a-z0-9_]+]] = arith.subi %[[C]], %[[COLUMN]]
// TWO: arith.minsi %[[W]], %[[LEFT]]
// TWO: %[[MORE:[a-z0-9_]+]] = arith.subi %[[END]], %[[CURRENT]]
// TWO: arith.divsi %[[MORE]], %[[SIZE]]
// TWO: linalg.generic {{.*}} ins(%arg0, %extracted_slice
// TWO: %[[NEXT:[a-z0-9_]+]] = arith.addi %[[CURRENT]],
// TWO: tensor.insert_slice %{{[a-z0-9_]+}} into %[[TARGET]]
// TWO: scf.yield %[[NEXT]],
// TWO: tensor.parallel_insert_slice

// ORDER: error: no tw.iteration: run tw-normalize-iteration first
// TWICE: error: the loop nest is already inside a loop
