// Flags, barriers between pipes and cores, locks.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @flags(
func.func @flags(%e: i64) {
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID2>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID2>]
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID4>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID4>]
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID5>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID5>]
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID6>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID6>]
  // CHECK: hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID7>]
  hivm.hir.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID7>]
  // CHECK: hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, %{{.*}}]
  hivm.hir.wait_flag[<PIPE_V>, <PIPE_MTE3>, %e]
  // CHECK: hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, %{{.*}}] {tag}
  hivm.hir.set_flag[<PIPE_V>, <PIPE_MTE3>, %e] {tag}
  // CHECK: hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  hivm.hir.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
  return
}

// CHECK-LABEL: func.func @barriers(
func.func @barriers() {
  // CHECK: hivm.hir.pipe_barrier[<PIPE_S>]
  hivm.hir.pipe_barrier[<PIPE_S>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_V>]
  hivm.hir.pipe_barrier[<PIPE_V>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_M>]
  hivm.hir.pipe_barrier[<PIPE_M>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_MTE1>]
  hivm.hir.pipe_barrier[<PIPE_MTE1>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_MTE2>]
  hivm.hir.pipe_barrier[<PIPE_MTE2>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_MTE3>]
  hivm.hir.pipe_barrier[<PIPE_MTE3>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_ALL>]
  hivm.hir.pipe_barrier[<PIPE_ALL>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_MTE4>]
  hivm.hir.pipe_barrier[<PIPE_MTE4>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_MTE5>]
  hivm.hir.pipe_barrier[<PIPE_MTE5>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_V2>]
  hivm.hir.pipe_barrier[<PIPE_V2>]
  // CHECK: hivm.hir.pipe_barrier[<PIPE_FIX>]
  hivm.hir.pipe_barrier[<PIPE_FIX>]
  return
}

// CHECK-LABEL: func.func @blocks(
func.func @blocks(%q: i64) {
  // CHECK: hivm.hir.set_ffts_base_addr %{{.*}}
  hivm.hir.set_ffts_base_addr %q
  // CHECK: hivm.hir.sync_block[<ALL_VECTOR>, 0 : i16] ffts_base_addr = %{{.*}} tvector_pipe = <PIPE_MTE3>
  hivm.hir.sync_block[<ALL_VECTOR>, 0 : i16] ffts_base_addr = %q tvector_pipe = <PIPE_MTE3>
  // CHECK: hivm.hir.sync_block[<ALL_SUB_VECTOR>, 1 : i64] ffts_base_addr = %{{.*}} tvector_pipe = <PIPE_MTE3>
  hivm.hir.sync_block[<ALL_SUB_VECTOR>, 1 : i64] ffts_base_addr = %q tvector_pipe = <PIPE_MTE3>
  // CHECK: hivm.hir.sync_block[<ALL_CUBE>] ffts_base_addr = %{{.*}} tcube_pipe = <PIPE_FIX>
  hivm.hir.sync_block[<ALL_CUBE>] ffts_base_addr = %q tcube_pipe = <PIPE_FIX>
  // CHECK: hivm.hir.sync_block[<ALL>, 2 : i16] ffts_base_addr = %{{.*}} tcube_pipe = <PIPE_FIX> tvector_pipe = <PIPE_MTE3>
  hivm.hir.sync_block[<ALL>, 2 : i16] ffts_base_addr = %q tcube_pipe = <PIPE_FIX> tvector_pipe = <PIPE_MTE3>
  // CHECK: hivm.hir.sync_block[<BARRIER_VECTOR>]
  hivm.hir.sync_block[<BARRIER_VECTOR>]
  // CHECK: hivm.hir.sync_block {tag}[<BARRIER_CUBE>]
  hivm.hir.sync_block {tag}[<BARRIER_CUBE>]
  // CHECK: hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE2>] flag = 0 ffts_base_addr = %{{.*}} sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>
  hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE2>] flag = 0 ffts_base_addr = %q sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>
  // CHECK: hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE2>] flag = 0 ffts_base_addr = %{{.*}} sync_instr_mode = <INTER_SUBBLOCK_SYNCHRONIZATION>
  hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE2>] flag = 0 ffts_base_addr = %q sync_instr_mode = <INTER_SUBBLOCK_SYNCHRONIZATION>
  // CHECK: hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE2>] flag = 0 ffts_base_addr = %{{.*}} sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>
  hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE2>] flag = 0 ffts_base_addr = %q sync_instr_mode = <INTRA_BLOCK_SYNCHRONIZATION>
  // CHECK: hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = %{{.*}}
  hivm.hir.sync_block_set[<CUBE>, <PIPE_FIX>, <PIPE_S>] flag = %q
  // CHECK: hivm.hir.sync_block_set[<CUBE_OR_VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = %{{.*}}
  hivm.hir.sync_block_set[<CUBE_OR_VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = %q
  // CHECK: hivm.hir.sync_block_set[<CUBE_AND_VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = %{{.*}}
  hivm.hir.sync_block_set[<CUBE_AND_VECTOR>, <PIPE_FIX>, <PIPE_S>] flag = %q
  // CHECK: hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE3>] flag = 3
  hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE3>] flag = 3
  // CHECK: hivm.hir.sync_block_wait {tag}[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE3>] flag = %{{.*}}
  hivm.hir.sync_block_wait {tag}[<VECTOR>, <PIPE_MTE3>, <PIPE_MTE3>] flag = %q
  return
}

// CHECK-LABEL: func.func @locks(
func.func @locks(%w: memref<?xi8>, %l: memref<1xi64>) {
  // CHECK: hivm.hir.create_sync_block_lock : memref<1xi64>
  %0 = hivm.hir.create_sync_block_lock : memref<1xi64>
  // CHECK: hivm.hir.create_sync_block_lock from %{{.*}} : from memref<?xi8> to memref<1xi64>
  %1 = hivm.hir.create_sync_block_lock from %w : from memref<?xi8> to memref<1xi64>
  // CHECK: hivm.hir.sync_block_lock lock_var(%{{.*}} : memref<1xi64>)
  hivm.hir.sync_block_lock lock_var(%l : memref<1xi64>)
  // CHECK: hivm.hir.sync_block_unlock lock_var(%{{.*}} : memref<1xi64>)
  hivm.hir.sync_block_unlock lock_var(%l : memref<1xi64>)
  // CHECK: hivm.hir.free_lock_var lock_var(%{{.*}} : memref<1xi64>)
  hivm.hir.free_lock_var lock_var(%l : memref<1xi64>)
  return
}
