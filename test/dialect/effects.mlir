// Memory effects as clean-up passes see them: what writes memory stays, what is pure goes.
// RUN: tw-opt %s --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @dead_tensor
func.func @dead_tensor(%a: tensor<8xf32>) {
  // CHECK-NOT: vexp
  %0 = hivm.hir.vexp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NOT: get_block_idx
  %1 = hivm.hir.get_block_idx -> i64
  return
}

// CHECK-LABEL: func.func @kept
func.func @kept(%g: memref<8xf32>, %q: i64) {
  // CHECK: hivm.hir.load
  // CHECK: annotation.mark
  // CHECK: hivm.hir.vexp
  // CHECK: hivm.hir.pipe_barrier
  // CHECK: hivm.hir.store
  %u = memref.alloc() : memref<8xf32>
  hivm.hir.load ins(%g : memref<8xf32>) outs(%u : memref<8xf32>)
  annotation.mark %u {hivm.multi_buffer = 2 : i32} : memref<8xf32>
  hivm.hir.vexp ins(%u : memref<8xf32>) outs(%u : memref<8xf32>)
  hivm.hir.pipe_barrier[<PIPE_V>]
  hivm.hir.store ins(%u : memref<8xf32>) outs(%g : memref<8xf32>)
  return
}

// CHECK-LABEL: func.func @merged
func.func @merged() -> (i64, i64) {
  // CHECK: %[[B:.*]] = hivm.hir.get_block_idx
  // CHECK-NOT: hivm.hir.get_block_idx
  // CHECK: return %[[B]], %[[B]]
  %0 = hivm.hir.get_block_idx -> i64
  %1 = hivm.hir.get_block_idx -> i64
  return %0, %1 : i64, i64
}

// A vector operation between two reads of the same buffer keeps them apart.
// CHECK-LABEL: func.func @reads_not_merged
func.func @reads_not_merged(%u: memref<8xf32>, %i: index) -> (f32, f32) {
  // CHECK-COUNT-2: memref.load
  %0 = memref.load %u[%i] : memref<8xf32>
  hivm.hir.vexp ins(%u : memref<8xf32>) outs(%u : memref<8xf32>)
  %1 = memref.load %u[%i] : memref<8xf32>
  return %0, %1 : f32, f32
}

// Reading a source does not forbid forwarding an earlier read of it.
// CHECK-LABEL: func.func @reads_merged
func.func @reads_merged(%u: memref<8xf32>, %v: memref<8xf32>, %i: index) -> (f32, f32) {
  // CHECK-COUNT-1: memref.load
  // CHECK-NOT: memref.load
  %0 = memref.load %u[%i] : memref<8xf32>
  %1 = memref.load %u[%i] : memref<8xf32>
  hivm.hir.vexp ins(%u : memref<8xf32>) outs(%v : memref<8xf32>)
  return %0, %1 : f32, f32
}
