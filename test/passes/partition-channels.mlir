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
// CHECK: %[[OFFSET:[a-z0-9_]+]] = arith.muli %[[FIRST]], %[[BLOCK]]
// CHECK: %[[REST:[a-z0-9_]+]] = arith.subi %[[N]], %[[OFFSET]]
// CHECK: %[[SIZE:[a-z0-9_]+]] = arith.minsi %{{[a-z0-9_]+}}, %[[REST]]
// CHECK-COUNT-3: tensor.extract_slice %{{[a-z0-9_]+}}[%[[OFFSET]]] [%[[SIZE]]] [1]
// CHECK: linalg.generic
// CHECK: tensor.parallel_insert_slice %{{[a-z0-9_]+}} into %[[OUT]][%[[OFFSET]]] [%[[SIZE]]] [1]
// CHECK: mapping = [#tw.core<x>]

// Two axes: units are counted along rows; a loop visits the at most three boxes that a core's units are.
// TWO: {tw.arg = "tiling:base"}
// TWO-SAME: {tw.arg = "tiling:big"}
// TWO-SAME: {tw.arg = "tiling:unit"}
// TWO: scf.forall
// TWO: %[[BOXES:[a-z0-9_]+]] = arith.constant 3 : index
// TWO: scf.for %{{[a-z0-9_]+}} = %{{[a-z0-9_]+}} to %[[BOXES]] step %{{[a-z0-9_]+}} iter_args(%{{[a-z0-9_]+}} = %{{[a-z0-9_]+}}, %[[TARGET:[a-z0-9_]+]] =
// TWO: arith.remsi
// TWO: linalg.generic {{.*}} ins(%arg0, %extracted_slice
// TWO: tensor.insert_slice %{{[a-z0-9_]+}} into %[[TARGET]]
// TWO: scf.yield
// TWO: tensor.parallel_insert_slice

// ORDER: error: no tw.iteration: run tw-normalize-iteration first
// TWICE: error: the loop nest is already inside a loop
