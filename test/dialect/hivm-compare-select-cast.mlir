// vcmp, vsel and every conversion of the cast table.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @vcmp(
func.func @vcmp(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vcmp ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xi1>) compare_mode = <ne>
  hivm.hir.vcmp ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_i1 : memref<4x16xi1>) compare_mode = <ne>
  // CHECK: hivm.hir.vcmp ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xi1>) compare_mode = <lt>
  hivm.hir.vcmp ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_i1 : memref<4x16xi1>) compare_mode = <lt>
  // CHECK: hivm.hir.vcmp ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xi1>) compare_mode = <gt>
  hivm.hir.vcmp ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_i1 : memref<4x16xi1>) compare_mode = <gt>
  // CHECK: hivm.hir.vcmp ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xi1>) compare_mode = <ge>
  hivm.hir.vcmp ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_i1 : memref<4x16xi1>) compare_mode = <ge>
  // CHECK: hivm.hir.vcmp ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xi1>) compare_mode = <le>
  hivm.hir.vcmp ins(%m_f32, %s_f32 : memref<4x16xf32>, f32) outs(%m_i1 : memref<4x16xi1>) compare_mode = <le>
  // CHECK: hivm.hir.vcmp ins(%{{.*}}, %{{.*}} : memref<4x16xi32>, memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vcmp ins(%m_i32, %m_i32 : memref<4x16xi32>, memref<4x16xi32>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vcmp ins(%{{.*}}, %{{.*}} : tensor<4x16xf16>, tensor<4x16xf16>) outs(%{{.*}} : tensor<4x16xi1>) compare_mode = <lt> -> tensor<4x16xi1>
  %0 = hivm.hir.vcmp ins(%t_f16, %t_f16 : tensor<4x16xf16>, tensor<4x16xf16>) outs(%t_i1 : tensor<4x16xi1>) compare_mode = <lt> -> tensor<4x16xi1>
  return
}

// CHECK-LABEL: func.func @vsel(
func.func @vsel(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_i8: memref<4x16xi8>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i64: memref<4x16xi64>, %m_i1: memref<4x16xi1>, %m_f32: memref<4x16xf32>, %t_bf16: tensor<4x16xbf16>, %t_f16: tensor<4x16xf16>, %t_i8: tensor<4x16xi8>, %t_i16: tensor<4x16xi16>, %t_i32: tensor<4x16xi32>, %t_i64: tensor<4x16xi64>, %t_i1: tensor<4x16xi1>, %t_f32: tensor<4x16xf32>, %row: tensor<4x1xf32>, %tr: tensor<16x4xf32>, %s_bf16: bf16, %s_f16: f16, %s_i8: i8, %s_i16: i16, %s_i32: i32, %s_i64: i64, %s_i1: i1, %s_f32: f32) {
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xf16>, f16) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vsel ins(%m_i1, %m_f16, %s_f16 : memref<4x16xi1>, memref<4x16xf16>, f16) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xbf16>, bf16) outs(%{{.*}} : memref<4x16xbf16>)
  hivm.hir.vsel ins(%m_i1, %m_bf16, %s_bf16 : memref<4x16xi1>, memref<4x16xbf16>, bf16) outs(%m_bf16 : memref<4x16xbf16>)
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xf32>, f32) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsel ins(%m_i1, %m_f32, %s_f32 : memref<4x16xi1>, memref<4x16xf32>, f32) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi16>, i16) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vsel ins(%m_i1, %m_i16, %s_i16 : memref<4x16xi1>, memref<4x16xi16>, i16) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi32>, i32) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vsel ins(%m_i1, %m_i32, %s_i32 : memref<4x16xi1>, memref<4x16xi32>, i32) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x16xi1>, memref<4x16xi64>, i64) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vsel ins(%m_i1, %m_i64, %s_i64 : memref<4x16xi1>, memref<4x16xi64>, i64) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : memref<4x16xi1>, f32, f32) outs(%{{.*}} : memref<4x16xf32>) temp_buffer(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vsel ins(%m_i1, %s_f32, %s_f32 : memref<4x16xi1>, f32, f32) outs(%m_f32 : memref<4x16xf32>) temp_buffer(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vsel ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<4x16xi1>, tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %0 = hivm.hir.vsel ins(%t_i1, %t_f32, %t_f32 : tensor<4x16xi1>, tensor<4x16xf32>, tensor<4x16xf32>) outs(%t_f32 : tensor<4x16xf32>) -> tensor<4x16xf32>
  return
}

// CHECK-LABEL: func.func @vcast(
func.func @vcast(%m_bf16: memref<4x16xbf16>, %m_f16: memref<4x16xf16>, %m_f32: memref<4x16xf32>, %m_i1: memref<4x16xi1>, %m_i16: memref<4x16xi16>, %m_i32: memref<4x16xi32>, %m_i4: memref<4x16xi4>, %m_i64: memref<4x16xi64>, %m_i8: memref<4x16xi8>, %m_ui16: memref<4x16xui16>, %m_ui32: memref<4x16xui32>, %m_ui8: memref<4x16xui8>, %t: tensor<4x1xf16>, %d: tensor<4x16xf32>) {
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <floor>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <floor> cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <floor> cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <round>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_f32 : memref<4x16xf32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xf32>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_f32 : memref<4x16xf32>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <round>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <floor>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xbf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_bf16 : memref<4x16xbf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <floor> cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f16 : memref<4x16xf16>) round_mode = <floor> cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <round>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f32 : memref<4x16xf32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f32 : memref<4x16xf32>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f32 : memref<4x16xf32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xf32>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_f32 : memref<4x16xf32>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <round>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i16 : memref<4x16xi16>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i16 : memref<4x16xi16>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i16 : memref<4x16xi16>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i16 : memref<4x16xi16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <round>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i32 : memref<4x16xi32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <round>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i8 : memref<4x16xi8>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i8 : memref<4x16xi8>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i8 : memref<4x16xi8>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i8 : memref<4x16xi8>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi8>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i8 : memref<4x16xi8>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xbf16>)
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_bf16 : memref<4x16xbf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <round>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xbf16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_bf16 : memref<4x16xbf16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <round>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f16 : memref<4x16xf16>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f16 : memref<4x16xf16>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f16 : memref<4x16xf16>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f16 : memref<4x16xf16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <odd>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f16 : memref<4x16xf16>) round_mode = <odd>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f16 : memref<4x16xf16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <round>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_f32 : memref<4x16xf32>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <round>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i16 : memref<4x16xi16>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i16 : memref<4x16xi16>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i16 : memref<4x16xi16>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i16 : memref<4x16xi16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <round>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i32 : memref<4x16xi32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i32 : memref<4x16xi32>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i32 : memref<4x16xi32>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i32 : memref<4x16xi32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi64>) round_mode = <round>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i64 : memref<4x16xi64>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi64>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i64 : memref<4x16xi64>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi64>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i64 : memref<4x16xi64>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi64>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i64 : memref<4x16xi64>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <round>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i8 : memref<4x16xi8>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i8 : memref<4x16xi8>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i8 : memref<4x16xi8>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f32 : memref<4x16xf32>) outs(%m_i8 : memref<4x16xi8>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xbf16>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_bf16 : memref<4x16xbf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xbf16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_bf16 : memref<4x16xbf16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xbf16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_bf16 : memref<4x16xbf16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_f16 : memref<4x16xf16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xf16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_f16 : memref<4x16xf16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_f32 : memref<4x16xf32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xf32>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_f32 : memref<4x16xf32>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_i16 : memref<4x16xi16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi32>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_i32 : memref<4x16xi32>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <round>
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_f16 : memref<4x16xf16>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <floor>
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_f16 : memref<4x16xf16>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_f16 : memref<4x16xf16>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_f16 : memref<4x16xf16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_f32 : memref<4x16xf32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi1>)
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_i1 : memref<4x16xi1>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi16>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <truncwithoverflow>
  hivm.hir.vcast ins(%m_i16 : memref<4x16xi16>) outs(%m_i8 : memref<4x16xi8>) round_mode = <truncwithoverflow>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <round>
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <floor>
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_f32 : memref<4x16xf32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi1>)
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_i1 : memref<4x16xi1>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi16>) round_mode = <truncwithoverflow>
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_i16 : memref<4x16xi16>) round_mode = <truncwithoverflow>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi64>)
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_i64 : memref<4x16xi64>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xi8>) round_mode = <truncwithoverflow>
  hivm.hir.vcast ins(%m_i32 : memref<4x16xi32>) outs(%m_i8 : memref<4x16xi8>) round_mode = <truncwithoverflow>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xf32>)
  hivm.hir.vcast ins(%m_i64 : memref<4x16xi64>) outs(%m_f32 : memref<4x16xf32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <round>
  hivm.hir.vcast ins(%m_i64 : memref<4x16xi64>) outs(%m_f32 : memref<4x16xf32>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <floor>
  hivm.hir.vcast ins(%m_i64 : memref<4x16xi64>) outs(%m_f32 : memref<4x16xf32>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_i64 : memref<4x16xi64>) outs(%m_f32 : memref<4x16xf32>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xf32>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i64 : memref<4x16xi64>) outs(%m_f32 : memref<4x16xf32>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vcast ins(%m_i64 : memref<4x16xi64>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi64>) outs(%{{.*}} : memref<4x16xi32>) round_mode = <truncwithoverflow>
  hivm.hir.vcast ins(%m_i64 : memref<4x16xi64>) outs(%m_i32 : memref<4x16xi32>) round_mode = <truncwithoverflow>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi8>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vcast ins(%m_i8 : memref<4x16xi8>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi8>) outs(%{{.*}} : memref<4x16xf16>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_i8 : memref<4x16xi8>) outs(%m_f16 : memref<4x16xf16>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi8>) outs(%{{.*}} : memref<4x16xf16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i8 : memref<4x16xi8>) outs(%m_f16 : memref<4x16xf16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi8>) outs(%{{.*}} : memref<4x16xi1>)
  hivm.hir.vcast ins(%m_i8 : memref<4x16xi8>) outs(%m_i1 : memref<4x16xi1>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi8>) outs(%{{.*}} : memref<4x16xi16>)
  hivm.hir.vcast ins(%m_i8 : memref<4x16xi8>) outs(%m_i16 : memref<4x16xi16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi8>) outs(%{{.*}} : memref<4x16xi32>)
  hivm.hir.vcast ins(%m_i8 : memref<4x16xi8>) outs(%m_i32 : memref<4x16xi32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xui8>)
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_ui8 : memref<4x16xui8>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xui8>) round_mode = <round>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_ui8 : memref<4x16xui8>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xui8>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_ui8 : memref<4x16xui8>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xui8>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_ui8 : memref<4x16xui8>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xui8>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_ui8 : memref<4x16xui8>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xui8>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_ui8 : memref<4x16xui8>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xui16>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_ui16 : memref<4x16xui16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xui16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_ui16 : memref<4x16xui16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xui32>)
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_ui32 : memref<4x16xui32>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi1>) outs(%{{.*}} : memref<4x16xui32>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_i1 : memref<4x16xi1>) outs(%m_ui32 : memref<4x16xui32>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xui8>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vcast ins(%m_ui8 : memref<4x16xui8>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xui8>) outs(%{{.*}} : memref<4x16xf16>) cast = <cast_unsigned>
  hivm.hir.vcast ins(%m_ui8 : memref<4x16xui8>) outs(%m_f16 : memref<4x16xf16>) cast = <cast_unsigned>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi4>)
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i4 : memref<4x16xi4>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi4>) round_mode = <round>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i4 : memref<4x16xi4>) round_mode = <round>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi4>) round_mode = <floor>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i4 : memref<4x16xi4>) round_mode = <floor>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi4>) round_mode = <ceil>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i4 : memref<4x16xi4>) round_mode = <ceil>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xf16>) outs(%{{.*}} : memref<4x16xi4>) round_mode = <trunc>
  hivm.hir.vcast ins(%m_f16 : memref<4x16xf16>) outs(%m_i4 : memref<4x16xi4>) round_mode = <trunc>
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi4>) outs(%{{.*}} : memref<4x16xf16>)
  hivm.hir.vcast ins(%m_i4 : memref<4x16xi4>) outs(%m_f16 : memref<4x16xf16>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : memref<4x16xi4>) outs(%{{.*}} : memref<4x16xi8>)
  hivm.hir.vcast ins(%m_i4 : memref<4x16xi4>) outs(%m_i8 : memref<4x16xi8>)
  // CHECK: hivm.hir.vcast ins(%{{.*}} : tensor<4x1xf16>) outs(%{{.*}} : tensor<4x16xf32>) broadcast = [1] -> tensor<4x16xf32>
  %0 = hivm.hir.vcast ins(%t : tensor<4x1xf16>) outs(%d : tensor<4x16xf32>) broadcast = [1] -> tensor<4x16xf32>
  return
}
