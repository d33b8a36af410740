// Core state, indices, addresses, printing.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @queries(
func.func @queries() {
  // CHECK: hivm.hir.get_block_idx -> i64
  %get_block_idx = hivm.hir.get_block_idx -> i64
  // CHECK: hivm.hir.get_block_num -> i64
  %get_block_num = hivm.hir.get_block_num -> i64
  // CHECK: hivm.hir.get_sub_block_idx -> i64
  %get_sub_block_idx = hivm.hir.get_sub_block_idx -> i64
  // CHECK: hivm.hir.get_sub_block_num -> i64
  %get_sub_block_num = hivm.hir.get_sub_block_num -> i64
  // CHECK: hivm.hir.get_sys_cnt -> i64
  %get_sys_cnt = hivm.hir.get_sys_cnt -> i64
  return
}

// CHECK-LABEL: func.func @state(
func.func @state(%g: memref<4x16xf32, #hivm.address_space<gm>>, %p: !llvm.ptr<1>, %a: tensor<4x16xf32>) {
  // CHECK: hivm.hir.set_mask_norm
  hivm.hir.set_mask_norm
  // CHECK: hivm.hir.set_ctrl true at ctrl[60]
  hivm.hir.set_ctrl true at ctrl[60]
  // CHECK: hivm.hir.set_ctrl false at ctrl[48] {tag}
  hivm.hir.set_ctrl false at ctrl[48] {tag}
  // CHECK: hivm.hir.set_atomic kind = <add>[type = f32]
  hivm.hir.set_atomic kind = <add>[type = f32]
  // CHECK: hivm.hir.dcci(<single_cache_line>, <out>, %{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>)
  hivm.hir.dcci(<single_cache_line>, <out>, %g : memref<4x16xf32, #hivm.address_space<gm>>)
  // CHECK: hivm.hir.dcci(<all_cache_lines>, <all>)
  hivm.hir.dcci(<all_cache_lines>, <all>)
  // CHECK: hivm.hir.dcci(<all_cache_lines>, <ub>)
  hivm.hir.dcci(<all_cache_lines>, <ub>)
  // CHECK: hivm.hir.dcci(<all_cache_lines>, <atomic>)
  hivm.hir.dcci(<all_cache_lines>, <atomic>)
  // CHECK: hivm.hir.load_scalar %{{.*}} : <1> -> i32
  %0 = hivm.hir.load_scalar %p : !llvm.ptr<1> -> i32
  // CHECK: hivm.hir.bitcast %{{.*}} : tensor<4x16xf32> -> tensor<4x16xi32>
  %1 = hivm.hir.bitcast %a : tensor<4x16xf32> -> tensor<4x16xi32>
  // CHECK: hivm.hir.init_debug
  hivm.hir.init_debug
  // CHECK: hivm.hir.debug {debugtype = "print", hex = true, prefix = "v: ", tcoretype = #hivm.tcore_type<CUBE_OR_VECTOR>} %{{.*}} : tensor<4x16xf32>
  hivm.hir.debug {debugtype = "print", hex = true, prefix = "v: ", tcoretype = #hivm.tcore_type<CUBE_OR_VECTOR>} %a : tensor<4x16xf32>
  // CHECK: hivm.hir.finish_debug
  hivm.hir.finish_debug
  return
}

// CHECK-LABEL: func.func @pointer_cast(
func.func @pointer_cast(%q: i64, %i: index) {
  // CHECK: hivm.hir.pointer_cast(%{{.*}}) : memref<4096xf16, #hivm.address_space<ub>>
  %a = hivm.hir.pointer_cast(%q) : memref<4096xf16, #hivm.address_space<ub>>
  // CHECK: hivm.hir.pointer_cast(%{{.*}}) [%{{.*}}] : memref<?xf32>
  %b = hivm.hir.pointer_cast(%q) [%i] : memref<?xf32>
  // CHECK: hivm.hir.pointer_cast(%{{.*}}, %{{.*}}) {tag} : memref<3xf32>
  %c = hivm.hir.pointer_cast(%q, %q) {tag} : memref<3xf32>
  // CHECK: hivm.hir.pointer_cast(%{{.*}}) : memref<4096xi1, #hivm.address_space<ub>>
  %d = hivm.hir.pointer_cast(%q) : memref<4096xi1, #hivm.address_space<ub>>
  return
}
