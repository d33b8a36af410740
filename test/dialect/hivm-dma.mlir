// Transfers: memref and tensor forms, padding, atomics, sources of both spellings.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @load(
func.func @load(%g: memref<4x16xf32, #hivm.address_space<gm>>, %u: memref<4x16xf32, #hivm.address_space<ub>>, %a: tensor<4x16xf32>, %b: tensor<4x16xf32>, %s: f32, %i: index, %c: i1) {
  // CHECK: hivm.hir.load ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>)
  hivm.hir.load ins(%g : memref<4x16xf32, #hivm.address_space<gm>>) outs(%u : memref<4x16xf32, #hivm.address_space<ub>>)
  // CHECK: hivm.hir.load ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) {tag = 1 : i32}
  hivm.hir.load ins(%g : memref<4x16xf32, #hivm.address_space<gm>>) outs(%u : memref<4x16xf32, #hivm.address_space<ub>>) {tag = 1 : i32}
  // CHECK: hivm.hir.load ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadNull>
  hivm.hir.load ins(%g : memref<4x16xf32, #hivm.address_space<gm>>) outs(%u : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadNull>
  // CHECK: hivm.hir.load ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadFirstElem> left_padding_num = %{{.*}} : index
  hivm.hir.load ins(%g : memref<4x16xf32, #hivm.address_space<gm>>) outs(%u : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadFirstElem> left_padding_num = %i : index
  // CHECK: hivm.hir.load ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadValue> pad_value = %{{.*}} : f32 left_padding_num = %{{.*}} : index init_out_buffer = true right_padding_num = %{{.*}} : index init_condition = %{{.*}} : i1
  hivm.hir.load ins(%g : memref<4x16xf32, #hivm.address_space<gm>>) outs(%u : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadValue> pad_value = %s : f32 left_padding_num = %i : index init_out_buffer = true right_padding_num = %i : index init_condition = %c : i1
  // CHECK: hivm.hir.load ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = true core_type = <VECTOR>
  hivm.hir.load ins(%g : memref<4x16xf32, #hivm.address_space<gm>>) outs(%u : memref<4x16xf32, #hivm.address_space<ub>>) init_out_buffer = false may_implicit_transpose_with_last_axis = true core_type = <VECTOR>
  // CHECK: hivm.hir.load ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = hivm.hir.load ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.load ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) pad_mode = <PadValue> pad_value = %{{.*}} : f32 -> tensor<4x16xf32>
  %1 = hivm.hir.load ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) pad_mode = <PadValue> pad_value = %s : f32 -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func.func @store(
func.func @store(%g: memref<4x16xf32, #hivm.address_space<gm>>, %u: memref<4x16xf32, #hivm.address_space<ub>>, %a: tensor<4x16xf32>, %b: tensor<4x16xf32>) {
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>)
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>)
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <none>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <none>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <add>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <add>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <max>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <max>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <min>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <min>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <and>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <and>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <or>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <or>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <xor>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <xor>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <umax>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <umax>
  // CHECK: hivm.hir.store ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <umin>
  hivm.hir.store ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%g : memref<4x16xf32, #hivm.address_space<gm>>) atomic = <umin>
  // CHECK: hivm.hir.store ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) {tag} atomic = <add> -> tensor<4x16xf32>
  %0 = hivm.hir.store ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) {tag} atomic = <add> -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func.func @copy(
func.func @copy(%u: memref<4x16xf32, #hivm.address_space<ub>>, %v: memref<4x16xf32, #hivm.address_space<ub>>, %a: tensor<4x16xf32>, %b: tensor<4x16xf32>, %s: f32) {
  // CHECK: hivm.hir.copy ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>)
  hivm.hir.copy ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%v : memref<4x16xf32, #hivm.address_space<ub>>)
  // CHECK: hivm.hir.copy ins(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) outs(%{{.*}} : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadValue> pad_value = %{{.*}} : f32 collapse_reassociation = {{\[\[}}0, 1{{\]\]}}
  hivm.hir.copy ins(%u : memref<4x16xf32, #hivm.address_space<ub>>) outs(%v : memref<4x16xf32, #hivm.address_space<ub>>) pad_mode = <PadValue> pad_value = %s : f32 collapse_reassociation = [[0, 1]]
  // CHECK: hivm.hir.copy ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = hivm.hir.copy ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}
