// Elementwise operations of one source, every element type the wheel accepts.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @vexp(
func.func @vexp(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vexp ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vexp ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vexp ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vexp_f16 = hivm.hir.vexp ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vexp ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vexp ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vexp ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vexp_f32 = hivm.hir.vexp ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vexp {tag} ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vexp {tag} ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vln(
func.func @vln(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vln ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vln ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vln ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vln_f16 = hivm.hir.vln ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vln ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vln ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vln ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vln_f32 = hivm.hir.vln ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vln {tag} ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vln {tag} ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vsqrt(
func.func @vsqrt(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vsqrt ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vsqrt ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vsqrt ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vsqrt_f16 = hivm.hir.vsqrt ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vsqrt ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsqrt ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vsqrt ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vsqrt_f32 = hivm.hir.vsqrt ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vsqrt {tag} ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vsqrt {tag} ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vrsqrt(
func.func @vrsqrt(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vrsqrt ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vrsqrt ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vrsqrt ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vrsqrt_f16 = hivm.hir.vrsqrt ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vrsqrt ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vrsqrt ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vrsqrt ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vrsqrt_f32 = hivm.hir.vrsqrt ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vrsqrt {tag} ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vrsqrt {tag} ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vrec(
func.func @vrec(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vrec ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vrec ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vrec ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vrec_f16 = hivm.hir.vrec ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vrec ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vrec ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vrec ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vrec_f32 = hivm.hir.vrec ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vrec {tag} ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vrec {tag} ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vabs(
func.func @vabs(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vabs ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vabs ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vabs ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vabs_f16 = hivm.hir.vabs ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vabs ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vabs ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vabs ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vabs_f32 = hivm.hir.vabs ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vabs ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vabs ins(%m_i16 : memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vabs ins(%{{.*}} : tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vabs_i16 = hivm.hir.vabs ins(%t_i16 : tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vabs ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vabs ins(%m_i32 : memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vabs ins(%{{.*}} : tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vabs_i32 = hivm.hir.vabs ins(%t_i32 : tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vabs ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vabs ins(%m_i64 : memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vabs ins(%{{.*}} : tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vabs_i64 = hivm.hir.vabs ins(%t_i64 : tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vabs {tag} ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vabs {tag} ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vrelu(
func.func @vrelu(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vrelu ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vrelu ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vrelu ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vrelu_f16 = hivm.hir.vrelu ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vrelu ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vrelu ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vrelu ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vrelu_f32 = hivm.hir.vrelu ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vrelu ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vrelu ins(%m_i32 : memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vrelu ins(%{{.*}} : tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vrelu_i32 = hivm.hir.vrelu ins(%t_i32 : tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vrelu {tag} ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) temp_buffer(%{{.*}} : memref<64xf16>)
  hivm.hir.vrelu {tag} ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) temp_buffer(%flat_f16 : memref<64xf16>)
  return
}

// CHECK-LABEL: func.func @vnot(
func.func @vnot(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>)
  hivm.hir.vnot ins(%m_i1 : memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xi1>) outs(%{{.*}} : tensor<4x16xi1>) -> tensor<4x16xi1>
  %vnot_i1 = hivm.hir.vnot ins(%t_i1 : tensor<4x16xi1>) outs(%t_i1 : tensor<4x16xi1>) -> tensor<4x16xi1>
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xi8>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vnot ins(%m_i8 : memref<4x16xi8>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xi8>) outs(%{{.*}} : tensor<4x16xi8>) -> tensor<4x16xi8>
  %vnot_i8 = hivm.hir.vnot ins(%t_i8 : tensor<4x16xi8>) outs(%t_i8 : tensor<4x16xi8>) -> tensor<4x16xi8>
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vnot ins(%m_i16 : memref<4x16xi16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xi16>) outs(%{{.*}} : tensor<4x16xi16>) -> tensor<4x16xi16>
  %vnot_i16 = hivm.hir.vnot ins(%t_i16 : tensor<4x16xi16>) outs(%t_i16 : tensor<4x16xi16>) -> tensor<4x16xi16>
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vnot ins(%m_i32 : memref<4x16xi32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %vnot_i32 = hivm.hir.vnot ins(%t_i32 : tensor<4x16xi32>) outs(%t_i32 : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vnot ins(%m_i64 : memref<4x16xi64>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xi64>) outs(%{{.*}} : tensor<4x16xi64>) -> tensor<4x16xi64>
  %vnot_i64 = hivm.hir.vnot ins(%t_i64 : tensor<4x16xi64>) outs(%t_i64 : tensor<4x16xi64>) -> tensor<4x16xi64>
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vnot ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xf16>) -> tensor<4x16xf16>
  %vnot_f16 = hivm.hir.vnot ins(%t_f16 : tensor<4x16xf16>) outs(%t_f16 : tensor<4x16xf16>) -> tensor<4x16xf16>
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xbf16>)
  hivm.hir.vnot ins(%m_bf16 : memref<4x16xbf16>) outs(%m_bf16 : memref<4x16xbf16>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xbf16>) outs(%{{.*}} : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  %vnot_bf16 = hivm.hir.vnot ins(%t_bf16 : tensor<4x16xbf16>) outs(%t_bf16 : tensor<4x16xbf16>) -> tensor<4x16xbf16>
  // CHECK: hivm.hir.vnot ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vnot ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vnot ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vnot_f32 = hivm.hir.vnot ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vnot {tag} ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi1>) temp_buffer(%{{.*}} : memref<64xi1>)
  hivm.hir.vnot {tag} ins(%m_i1 : memref<4x16xi1>) outs(%m_i1 : memref<4x16xi1>) temp_buffer(%flat_i1 : memref<64xi1>)
  return
}

// CHECK-LABEL: func.func @vtanh(
func.func @vtanh(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vtanh ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vtanh ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vtanh ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vtanh_f32 = hivm.hir.vtanh ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vtanh {tag} ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vtanh {tag} ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  return
}

// CHECK-LABEL: func.func @vsin(
func.func @vsin(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vsin ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsin ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vsin ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vsin_f32 = hivm.hir.vsin ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vsin {tag} ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsin {tag} ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  return
}

// CHECK-LABEL: func.func @vcos(
func.func @vcos(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vcos ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcos ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcos ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %vcos_f32 = hivm.hir.vcos ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vcos {tag} ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcos {tag} ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  return
}

// CHECK-LABEL: func.func @verf(
func.func @verf(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.verf ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.verf ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.verf ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %verf_f32 = hivm.hir.verf ins(%t_f32 : tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.verf {tag} ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.verf {tag} ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  return
}

// CHECK-LABEL: func.func @broadcast_and_transpose(
func.func @broadcast_and_transpose(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %flat_f16: memref<64xf16>, %flat_i1: memref<64xi1>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vexp ins(%{{.*}} : tensor<4x1xf32>) outs(%{{.*}} : tensor<4x16xf32>) broadcast = [1] -> tensor<4x16xf32>
  %0 = hivm.hir.vexp ins(%row : tensor<4x1xf32>) outs(%t_f32 : tensor<4x16xf32>) broadcast = [1] -> tensor<4x16xf32>
  // CHECK: hivm.hir.vabs ins(%{{.*}} : tensor<16x4xf32>) outs(%{{.*}} : tensor<4x16xf32>) transpose = [1, 0] -> tensor<4x16xf32>
  %1 = hivm.hir.vabs ins(%tr : tensor<16x4xf32>) outs(%t_f32 : tensor<4x16xf32>) transpose = [1, 0] -> tensor<4x16xf32>
  return
}
