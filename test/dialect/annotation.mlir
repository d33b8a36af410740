// annotation.mark with attributes and with named values.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @mark(
func.func @mark(%m: memref<4096xf16>, %t: tensor<4x16xf32>, %i: index, %s: f32) {
  // CHECK: annotation.mark %{{.*}} {hivm.multi_buffer = 2 : i32} : memref<4096xf16>
  annotation.mark %m {hivm.multi_buffer = 2 : i32} : memref<4096xf16>
  // CHECK: annotation.mark %{{.*}} {buffer_size_in_byte = 8192 : i64, list = [1, "a"], nested = {k = 1.000000e+00 : f32}} : memref<4096xf16>
  annotation.mark %m {buffer_size_in_byte = 8192 : i64, list = [1, "a"], nested = {k = 1.000000e+00 : f32}} : memref<4096xf16>
  // CHECK: annotation.mark %{{.*}} : tensor<4x16xf32>
  annotation.mark %t : tensor<4x16xf32>
  // CHECK: annotation.mark %{{.*}} {tag} keys = ["k", "l"] values = [%{{.*}}, %{{.*}} : index, f32] : tensor<4x16xf32>
  annotation.mark %t {tag} keys = ["k", "l"] values = [%i, %s : index, f32] : tensor<4x16xf32>
  // CHECK: annotation.mark %{{.*}} keys = [] values = [%{{.*}} : index] : tensor<4x16xf32>
  annotation.mark %t keys = [] values = [%i : index] : tensor<4x16xf32>
  // CHECK: annotation.mark %{{.*}} {tag} : f32
  annotation.mark %s {tag} : f32
  return
}
