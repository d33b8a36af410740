// Elementwise operations of two sources: vector, scalar and tensor forms.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @vadd(
func.func @vadd(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vadd ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vadd_f16 = hivm.hir.vadd ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, f16) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vadd ins(%m_f16, %s_f16 : memref<4x16xf16>, f16) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vadd ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vadd_f32 = hivm.hir.vadd ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vadd ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vadd ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vadd_i16 = hivm.hir.vadd ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vadd ins(%m_i16, %s_i16 : memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vadd ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vadd_i32 = hivm.hir.vadd ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vadd ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vadd ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vadd_i64 = hivm.hir.vadd ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vadd ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vadd {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vadd {tag} ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vsub(
func.func @vsub(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vsub ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vsub_f16 = hivm.hir.vsub ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, f16) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vsub ins(%m_f16, %s_f16 : memref<4x16xf16>, f16) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : f16, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vsub ins(%s_f16, %m_f16 : f16, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsub ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vsub_f32 = hivm.hir.vsub ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsub ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : f32, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsub ins(%s_f32, %m_f32 : f32, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vsub ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vsub_i16 = hivm.hir.vsub ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vsub ins(%m_i16, %s_i16 : memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : i16, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vsub ins(%s_i16, %m_i16 : i16, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vsub ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vsub_i32 = hivm.hir.vsub ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vsub ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : i32, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vsub ins(%s_i32, %m_i32 : i32, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vsub ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vsub_i64 = hivm.hir.vsub ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vsub ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : i64, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vsub ins(%s_i64, %m_i64 : i64, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vsub {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vsub {tag} ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vmul(
func.func @vmul(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vmul ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vmul_f16 = hivm.hir.vmul ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, f16) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vmul ins(%m_f16, %s_f16 : memref<4x16xf16>, f16) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vmul ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vmul_f32 = hivm.hir.vmul ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vmul ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vmul ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vmul_i16 = hivm.hir.vmul ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vmul ins(%m_i16, %s_i16 : memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vmul ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vmul_i32 = hivm.hir.vmul ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vmul ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vmul ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vmul_i64 = hivm.hir.vmul ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vmul ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vmul ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vmul {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vmul {tag} ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vdiv(
func.func @vdiv(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vdiv ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vdiv_f16 = hivm.hir.vdiv ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, f16) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vdiv ins(%m_f16, %s_f16 : memref<4x16xf16>, f16) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : f16, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vdiv ins(%s_f16, %m_f16 : f16, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vdiv ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vdiv_f32 = hivm.hir.vdiv ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vdiv ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : f32, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vdiv ins(%s_f32, %m_f32 : f32, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vdiv ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vdiv_i64 = hivm.hir.vdiv ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vdiv ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vdiv ins(%{{.*}}, %{{.*}} : i64, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vdiv ins(%s_i64, %m_i64 : i64, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vdiv {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vdiv {tag} ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vmax(
func.func @vmax(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vmax ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vmax_f16 = hivm.hir.vmax ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, f16) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vmax ins(%m_f16, %s_f16 : memref<4x16xf16>, f16) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vmax ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vmax_f32 = hivm.hir.vmax ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vmax ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vmax ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vmax_i16 = hivm.hir.vmax ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vmax ins(%m_i16, %s_i16 : memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vmax ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vmax_i32 = hivm.hir.vmax ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vmax ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vmax ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vmax_i64 = hivm.hir.vmax ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vmax ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vmax ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vmax {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vmax {tag} ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vmin(
func.func @vmin(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vmin ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vmin_f16 = hivm.hir.vmin ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, f16) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vmin ins(%m_f16, %s_f16 : memref<4x16xf16>, f16) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vmin ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vmin_f32 = hivm.hir.vmin ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vmin ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vmin ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vmin_i16 = hivm.hir.vmin ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vmin ins(%m_i16, %s_i16 : memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vmin ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vmin_i32 = hivm.hir.vmin ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vmin ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vmin ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vmin_i64 = hivm.hir.vmin ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vmin ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vmin ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vmin {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vmin {tag} ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vand(
func.func @vand(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>)
  hivm.hir.vand ins(%m_i1, %m_i1 : memref<4x16xi1>, memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xi1>, tensor<4x16xi1>) outs(%{{.*}} : tensor<4x16xi1>) -> tensor<4x16xi1>
  %vand_i1 = hivm.hir.vand ins(%t_i1, %t_i1 : tensor<4x16xi1>, tensor<4x16xi1>) outs(%t_i1 : tensor<4x16xi1>) -> tensor<4x16xi1>
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xi8>, memref<4x16xi8>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vand ins(%m_i8, %m_i8 : memref<4x16xi8>, memref<4x16xi8>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xi8>, tensor<4x16xi8>) outs(%{{.*}} : tensor<4x16xi8>) -> tensor<4x16xi8>
  %vand_i8 = hivm.hir.vand ins(%t_i8, %t_i8 : tensor<4x16xi8>, tensor<4x16xi8>) outs(%t_i8 : tensor<4x16xi8>) -> tensor<4x16xi8>
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vand ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vand_i16 = hivm.hir.vand ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vand ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vand_i32 = hivm.hir.vand ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vand ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vand_i64 = hivm.hir.vand ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vand ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vand_f16 = hivm.hir.vand ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xbf16>, memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xbf16>)
  hivm.hir.vand ins(%m_bf16, %m_bf16 : memref<4x16xbf16>, memref<4x16xbf16>) outs(%m_bf16 : memref<4x16xbf16>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xbf16>, tensor<4x16xbf16>) outs(%{{.*}} : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  %vand_bf16 = hivm.hir.vand ins(%t_bf16, %t_bf16 : tensor<4x16xbf16>, tensor<4x16xbf16>) outs(%t_bf16 : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vand ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vand ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vand_f32 = hivm.hir.vand ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vand {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>) temp_buffer(%{{.*}} : memref<64xi1>)
  hivm.hir.vand {tag} ins(%m_i1, %m_i1 : memref<4x16xi1>, memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>) temp_buffer(%flat_i1 : memref<64xi1>)
  return
}

// CHECK-LABEL: func.func @vor(
func.func @vor(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>)
  hivm.hir.vor ins(%m_i1, %m_i1 : memref<4x16xi1>, memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xi1>, tensor<4x16xi1>) outs(%{{.*}} : tensor<4x16xi1>) -> tensor<4x16xi1>
  %vor_i1 = hivm.hir.vor ins(%t_i1, %t_i1 : tensor<4x16xi1>, tensor<4x16xi1>) outs(%t_i1 : tensor<4x16xi1>) -> tensor<4x16xi1>
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xi8>, memref<4x16xi8>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vor ins(%m_i8, %m_i8 : memref<4x16xi8>, memref<4x16xi8>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xi8>, tensor<4x16xi8>) outs(%{{.*}} : tensor<4x16xi8>) -> tensor<4x16xi8>
  %vor_i8 = hivm.hir.vor ins(%t_i8, %t_i8 : tensor<4x16xi8>, tensor<4x16xi8>) outs(%t_i8 : tensor<4x16xi8>) -> tensor<4x16xi8>
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vor ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vor_i16 = hivm.hir.vor ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vor ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vor_i32 = hivm.hir.vor ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vor ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vor_i64 = hivm.hir.vor ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xf16>, memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vor ins(%m_f16, %m_f16 : memref<4x16xf16>, memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vor_f16 = hivm.hir.vor ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xbf16>, memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xbf16>)
  hivm.hir.vor ins(%m_bf16, %m_bf16 : memref<4x16xbf16>, memref<4x16xbf16>) outs(%m_bf16 : memref<4x16xbf16>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xbf16>, tensor<4x16xbf16>) outs(%{{.*}} : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  %vor_bf16 = hivm.hir.vor ins(%t_bf16, %t_bf16 : tensor<4x16xbf16>, tensor<4x16xbf16>) outs(%t_bf16 : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vor ins(%m_f32, %m_f32 : memref<4x16xf32>, memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vor ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vor_f32 = hivm.hir.vor ins(%t_f32, %t_f32 : tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vor {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>) temp_buffer(%{{.*}} : memref<64xi1>)
  hivm.hir.vor {tag} ins(%m_i1, %m_i1 : memref<4x16xi1>, memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>) temp_buffer(%flat_i1 : memref<64xi1>)
  return
}

// CHECK-LABEL: func.func @vxor(
func.func @vxor(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>)
  hivm.hir.vxor ins(%m_i1, %m_i1 : memref<4x16xi1>, memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>)
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : tensor<4x16xi1>, tensor<4x16xi1>) outs(%{{.*}} : tensor<4x16xi1>) -> tensor<4x16xi1>
  %vxor_i1 = hivm.hir.vxor ins(%t_i1, %t_i1 : tensor<4x16xi1>, tensor<4x16xi1>) outs(%t_i1 : tensor<4x16xi1>) -> tensor<4x16xi1>
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : memref<4x16xi8>, memref<4x16xi8>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vxor ins(%m_i8, %m_i8 : memref<4x16xi8>, memref<4x16xi8>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : tensor<4x16xi8>, tensor<4x16xi8>) outs(%{{.*}} : tensor<4x16xi8>) -> tensor<4x16xi8>
  %vxor_i8 = hivm.hir.vxor ins(%t_i8, %t_i8 : tensor<4x16xi8>, tensor<4x16xi8>) outs(%t_i8 : tensor<4x16xi8>) -> tensor<4x16xi8>
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vxor ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vxor_i16 = hivm.hir.vxor ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vxor ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vxor_i32 = hivm.hir.vxor ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vxor ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vxor ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vxor_i64 = hivm.hir.vxor ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vxor {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>) temp_buffer(%{{.*}} : memref<64xi1>)
  hivm.hir.vxor {tag} ins(%m_i1, %m_i1 : memref<4x16xi1>, memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>) temp_buffer(%flat_i1 : memref<64xi1>)
  return
}

// CHECK-LABEL: func.func @vshl(
func.func @vshl(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vshl ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vshl_i16 = hivm.hir.vshl ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vshl ins(%m_i16, %s_i16 : memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vshl ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vshl_i32 = hivm.hir.vshl ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vshl ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vshl ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vshl_i64 = hivm.hir.vshl ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vshl ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vshl ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vshl {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>) temp_buffer(%{{.*}} : memref<64xi16>)
  hivm.hir.vshl {tag} ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>) temp_buffer(%flat_i16 : memref<64xi16>)
  return
}

// CHECK-LABEL: func.func @vshr(
func.func @vshr(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vshr ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vshr_i16 = hivm.hir.vshr ins(%t_i16, %t_i16 : tensor<4x16xi16>, tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vshr ins(%m_i16, %s_i16 : memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vshr ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vshr_i32 = hivm.hir.vshr ins(%t_i32, %t_i32 : tensor<4x16xi32>, tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vshr ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vshr ins(%m_i64, %m_i64 : memref<4x16xi64>, memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : tensor<4x16xi64>, tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vshr_i64 = hivm.hir.vshr ins(%t_i64, %t_i64 : tensor<4x16xi64>, tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vshr ins(%m_i64, %s_i64 : memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vshr {tag} ins(%{{.*}}, %{{.*}} : memref<4x16xi16>, memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>) temp_buffer(%{{.*}} : memref<64xi16>)
  hivm.hir.vshr {tag} ins(%m_i16, %m_i16 : memref<4x16xi16>, memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>) temp_buffer(%flat_i16 : memref<64xi16>)
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>) round : true
  hivm.hir.vshr ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>) round : true
  // CHECK: hivm.hir.vshr ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>) round : false
  hivm.hir.vshr ins(%m_i32, %s_i32 : memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>) round : false
  return
}

// CHECK-LABEL: func.func @broadcast_and_transpose(
func.func @broadcast_and_transpose(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %flat_i16: memref<64xi16>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vadd ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x1xf32>) outs(%{{.*}} : tensor<4x16xf32>) broadcast = [1] -> tensor<4x16xf32>
  %0 = hivm.hir.vadd ins(%t_f32, %row : tensor<4x16xf32>, tensor<4x1xf32>) outs(%t_f32 : tensor<4x16xf32>) broadcast = [1] -> tensor<4x16xf32>
  // CHECK: hivm.hir.vsub ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<16x4xf32>) outs(%{{.*}} : tensor<4x16xf32>) transpose = [1, 0] -> tensor<4x16xf32>
  %1 = hivm.hir.vsub ins(%t_f32, %tr : tensor<4x16xf32>, tensor<16x4xf32>) outs(%t_f32 : tensor<4x16xf32>) transpose = [1, 0] -> tensor<4x16xf32>
  return
}
