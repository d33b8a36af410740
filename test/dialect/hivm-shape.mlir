// vbrc, vreduce, vtranspose.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @vreduce(
func.func @vreduce(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>, %r: tensor<4x1xf32>, %ri: tensor<4x1xi32>, %ii: tensor<4x16xi32>, %tr: tensor<16x4xf32>, %mi: memref<4x16xi32>, %mri: memref<1x1xi32>, %flat: memref<64xi32>, %s: f32, %m: memref<4x16xf32>, %c: memref<4x1xf32>, %f: memref<64xf32>) {
  // CHECK: hivm.hir.vreduce <none> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  %none = hivm.hir.vreduce <none> ins(%a : tensor<4x16xf32>) outs(%r : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  // CHECK: hivm.hir.vreduce <sum> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  %sum = hivm.hir.vreduce <sum> ins(%a : tensor<4x16xf32>) outs(%r : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  // CHECK: hivm.hir.vreduce <prod> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  %prod = hivm.hir.vreduce <prod> ins(%a : tensor<4x16xf32>) outs(%r : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  // CHECK: hivm.hir.vreduce <max> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  %max = hivm.hir.vreduce <max> ins(%a : tensor<4x16xf32>) outs(%r : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  // CHECK: hivm.hir.vreduce <min> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  %min = hivm.hir.vreduce <min> ins(%a : tensor<4x16xf32>) outs(%r : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  // CHECK: hivm.hir.vreduce <any> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  %any = hivm.hir.vreduce <any> ins(%a : tensor<4x16xf32>) outs(%r : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  // CHECK: hivm.hir.vreduce <all> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  %all = hivm.hir.vreduce <all> ins(%a : tensor<4x16xf32>) outs(%r : tensor<4x1xf32>) reduce_dims = [1] -> tensor<4x1xf32>
  // CHECK: hivm.hir.vreduce <xori> ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<1x1xi32>) temp_buffer(%{{.*}} : memref<64xi32>) reduce_dims = [0, 1]
  hivm.hir.vreduce <xori> ins(%mi : memref<4x16xi32>) outs(%mri : memref<1x1xi32>) temp_buffer(%flat : memref<64xi32>) reduce_dims = [0, 1]
  // CHECK: hivm.hir.vreduce <ori> ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<1x1xi32>) temp_buffer(%{{.*}} : memref<64xi32>) reduce_dims = [0, 1]
  hivm.hir.vreduce <ori> ins(%mi : memref<4x16xi32>) outs(%mri : memref<1x1xi32>) temp_buffer(%flat : memref<64xi32>) reduce_dims = [0, 1]
  // CHECK: hivm.hir.vreduce <andi> ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<1x1xi32>) temp_buffer(%{{.*}} : memref<64xi32>) reduce_dims = [0, 1]
  hivm.hir.vreduce <andi> ins(%mi : memref<4x16xi32>) outs(%mri : memref<1x1xi32>) temp_buffer(%flat : memref<64xi32>) reduce_dims = [0, 1]
  // CHECK: hivm.hir.vreduce <sum> ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<1x1xi32>) temp_buffer(%{{.*}} : memref<64xi32>) reduce_dims = [0, 1]
  hivm.hir.vreduce <sum> ins(%mi : memref<4x16xi32>) outs(%mri : memref<1x1xi32>) temp_buffer(%flat : memref<64xi32>) reduce_dims = [0, 1]
  // CHECK: hivm.hir.vreduce <max_with_index_left> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  %max_with_index_left:2 = hivm.hir.vreduce <max_with_index_left> ins(%a : tensor<4x16xf32>) outs(%r, %ri : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  // CHECK: hivm.hir.vreduce <max_with_index_right> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  %max_with_index_right:2 = hivm.hir.vreduce <max_with_index_right> ins(%a : tensor<4x16xf32>) outs(%r, %ri : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  // CHECK: hivm.hir.vreduce <min_with_index_left> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  %min_with_index_left:2 = hivm.hir.vreduce <min_with_index_left> ins(%a : tensor<4x16xf32>) outs(%r, %ri : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  // CHECK: hivm.hir.vreduce <min_with_index_right> ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  %min_with_index_right:2 = hivm.hir.vreduce <min_with_index_right> ins(%a : tensor<4x16xf32>) outs(%r, %ri : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  // CHECK: hivm.hir.vreduce <max_with_index_left> ins(%{{.*}} : tensor<4x16xf32>) indices(%{{.*}} : tensor<4x16xi32>) outs(%{{.*}}, %{{.*}} : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  %ix:2 = hivm.hir.vreduce <max_with_index_left> ins(%a : tensor<4x16xf32>) indices(%ii : tensor<4x16xi32>) outs(%r, %ri : tensor<4x1xf32>, tensor<4x1xi32>) reduce_dims = [1] -> tensor<4x1xf32>, tensor<4x1xi32>
  return
}

// CHECK-LABEL: func.func @vbrc(
func.func @vbrc(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>, %r: tensor<4x1xf32>, %ri: tensor<4x1xi32>, %ii: tensor<4x16xi32>, %tr: tensor<16x4xf32>, %mi: memref<4x16xi32>, %mri: memref<1x1xi32>, %flat: memref<64xi32>, %s: f32, %m: memref<4x16xf32>, %c: memref<4x1xf32>, %f: memref<64xf32>) {
  // CHECK: hivm.hir.vbrc ins(%{{.*}} : f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vbrc ins(%s : f32) outs(%m : memref<4x16xf32>)
  // CHECK: hivm.hir.vbrc ins(%{{.*}} : memref<4x1xf32>) outs(%{{.*}} : memref<4x16xf32>) temp_buffer(%{{.*}} : memref<64xf32>) broadcast_dims = [1]
  hivm.hir.vbrc ins(%c : memref<4x1xf32>) outs(%m : memref<4x16xf32>) temp_buffer(%f : memref<64xf32>) broadcast_dims = [1]
  // CHECK: hivm.hir.vbrc ins(%{{.*}} : tensor<4x1xf32>) outs(%{{.*}} : tensor<4x16xf32>) broadcast_dims = [1] -> tensor<4x16xf32>
  %0 = hivm.hir.vbrc ins(%r : tensor<4x1xf32>) outs(%b : tensor<4x16xf32>) broadcast_dims = [1] -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func.func @vtranspose(
func.func @vtranspose(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>, %r: tensor<4x1xf32>, %ri: tensor<4x1xi32>, %ii: tensor<4x16xi32>, %tr: tensor<16x4xf32>, %mi: memref<4x16xi32>, %mri: memref<1x1xi32>, %flat: memref<64xi32>, %s: f32, %m: memref<4x16xf32>, %c: memref<4x1xf32>, %f: memref<64xf32>) {
  // CHECK: hivm.hir.vtranspose ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<16x4xf32>) permutation = [1, 0] -> tensor<16x4xf32>
  %0 = hivm.hir.vtranspose ins(%a : tensor<4x16xf32>) outs(%tr : tensor<16x4xf32>) permutation = [1, 0] -> tensor<16x4xf32>
  // CHECK: hivm.hir.vtranspose ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<16x4xf32>) temp_buffer(%{{.*}} : memref<4x16xf32>) permutation = [1, 0] disable_align = true -> tensor<16x4xf32>
  %1 = hivm.hir.vtranspose ins(%a : tensor<4x16xf32>) outs(%tr : tensor<16x4xf32>) temp_buffer(%m : memref<4x16xf32>) permutation = [1, 0] disable_align = true -> tensor<16x4xf32>
  return
}
