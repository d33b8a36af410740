// The tw dialect: our own attributes, read and printed by tw-opt only.
// RUN: tw-opt %s | tw-opt | FileCheck %s

// CHECK: func.func private @elementwise() attributes {tw.iteration = #tw.iteration<[A]>, tw.kernel}
func.func private @elementwise() attributes {tw.iteration = #tw.iteration<[A]>, tw.kernel}
// CHECK: func.func private @reduction() attributes {tw.iteration = #tw.iteration<[R1, A, R0]>}
func.func private @reduction() attributes {tw.iteration = #tw.iteration<[R1, A, R0]>}
// CHECK: func.func private @full() attributes {tw.iteration = #tw.iteration<[R0]>}
func.func private @full() attributes {tw.iteration = #tw.iteration<[R0]>}
// CHECK-LABEL: func.func @planned
// CHECK-SAME: tw.args = ["lock", "tensor:x"]
// CHECK-SAME: tw.plan = {ub_bytes = 147456 : i64}
func.func @planned(%x: memref<?xf32> {tw.name = "x"}, %n: index)
    attributes {tw.args = ["lock", "tensor:x"], tw.plan = {ub_bytes = 147456 : i64}} {
  // CHECK: scf.forall
  scf.forall (%i, %j, %k) in (%n, %n, %n) {
    // CHECK: } {mapping = [#tw.core<x>, #tw.core<y>, #tw.core<z>]}
  } {mapping = [#tw.core<x>, #tw.core<y>, #tw.core<z>]}
  return
}
