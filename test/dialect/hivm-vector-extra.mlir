// Vector operations beyond our own kernels.
// RUN: %python %S/../tools/roundtrip.py %s | FileCheck %s

// CHECK-LABEL: func.func @extra(
func.func @extra(%a: tensor<4x16xf32>, %b: tensor<4x16xf32>, %c: tensor<4x16xi1>, %m: memref<4x16xf32>, %n: memref<4x16xf32>, %s: f32, %i: index, %h: tensor<4x16xi16>, %si: tensor<4x16xi32>, %gi: memref<4xi32>, %x32: tensor<4x32xf32>, %mi: memref<4x16xi32>, %gf: memref<4xf32>) {
  // CHECK: hivm.hir.varange offset[%{{.*}}] strides[%{{.*}}, %{{.*}}] outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r1 = hivm.hir.varange offset[%i] strides[%i, %i] outs(%si : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.varange strides[%{{.*}}] outs(%{{.*}} : memref<4xi32>)
  hivm.hir.varange strides[%i] outs(%gi : memref<4xi32>)
  // CHECK: hivm.hir.vinterleave ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x32xf32>) interleave_channel_nums = 2 -> tensor<4x32xf32>
  %r3 = hivm.hir.vinterleave ins(%a, %b : tensor<4x16xf32>, tensor<4x16xf32>) outs(%x32 : tensor<4x32xf32>) interleave_channel_nums = 2 -> tensor<4x32xf32>
  // CHECK: hivm.hir.vdeinterleave ins(%{{.*}} : tensor<4x32xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) channel_num = 2 index_mode = <ALL_CHANNELS> -> tensor<4x16xf32>, tensor<4x16xf32>
  %r4:2 = hivm.hir.vdeinterleave ins(%x32 : tensor<4x32xf32>) outs(%a, %b : tensor<4x16xf32>, tensor<4x16xf32>) channel_num = 2 index_mode = <ALL_CHANNELS> -> tensor<4x16xf32>, tensor<4x16xf32>
  // CHECK: hivm.hir.vdeinterleave ins(%{{.*}} : tensor<4x32xf32>) outs(%{{.*}} : tensor<4x16xf32>) channel_num = 2 index_mode = <CHANNEL_0> -> tensor<4x16xf32>
  %r5 = hivm.hir.vdeinterleave ins(%x32 : tensor<4x32xf32>) outs(%a : tensor<4x16xf32>) channel_num = 2 index_mode = <CHANNEL_0> -> tensor<4x16xf32>
  // CHECK: hivm.hir.vflip ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) flip_axis = 1 -> tensor<4x16xf32>
  %r6 = hivm.hir.vflip ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) flip_axis = 1 -> tensor<4x16xf32>
  // CHECK: hivm.hir.vmulext ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r7 = hivm.hir.vmulext ins(%si, %si : tensor<4x16xi32>, tensor<4x16xi32>) outs(%si : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vmulextui ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r8 = hivm.hir.vmulextui ins(%si, %si : tensor<4x16xi32>, tensor<4x16xi32>) outs(%si : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vmod ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r9 = hivm.hir.vmod ins(%si, %si : tensor<4x16xi32>, tensor<4x16xi32>) outs(%si : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vpad ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x32xf32>) low[0, %{{.*}}] high[0, 8] pad_value %{{.*}} : f32 -> tensor<4x32xf32>
  %r10 = hivm.hir.vpad ins(%a : tensor<4x16xf32>) outs(%x32 : tensor<4x32xf32>) low[0, %i] high[0, 8] pad_value %s : f32 -> tensor<4x32xf32>
  // CHECK: hivm.hir.vconcat dim(1) ins(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) outs(%{{.*}} : tensor<4x32xf32>) -> tensor<4x32xf32>
  %r11 = hivm.hir.vconcat dim(1) ins(%a, %b : tensor<4x16xf32>, tensor<4x16xf32>) outs(%x32 : tensor<4x32xf32>) -> tensor<4x32xf32>
  // CHECK: hivm.hir.vgather ins(%{{.*}} : tensor<4x16xf32>) indices(%{{.*}} : tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r12 = hivm.hir.vgather ins(%a : tensor<4x16xf32>) indices(%si : tensor<4x16xi32>) outs(%b : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vgathermask ins(%{{.*}} : tensor<4x16xf32>) mask(%{{.*}} : tensor<4x16xi1>) outs(%{{.*}} : tensor<4x16xf32>) -> tensor<4x16xf32>
  %r13 = hivm.hir.vgathermask ins(%a : tensor<4x16xf32>) mask(%c : tensor<4x16xi1>) outs(%b : tensor<4x16xf32>) -> tensor<4x16xf32>
  // CHECK: hivm.hir.vcumsum ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) cum_dims = [0] reverse = false -> tensor<4x16xf32>
  %r14 = hivm.hir.vcumsum ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) cum_dims = [0] reverse = false -> tensor<4x16xf32>
  // CHECK: hivm.hir.vcumprod ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) cum_dims = [0] reverse = true -> tensor<4x16xf32>
  %r15 = hivm.hir.vcumprod ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) cum_dims = [0] reverse = true -> tensor<4x16xf32>
  // CHECK: hivm.hir.vsort ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}} : tensor<4x16xf32>) descending = true sort_axis = 1 -> tensor<4x16xf32>
  %r16 = hivm.hir.vsort ins(%a : tensor<4x16xf32>) outs(%b : tensor<4x16xf32>) descending = true sort_axis = 1 -> tensor<4x16xf32>
  // CHECK: hivm.hir.vsort ins(%{{.*}} : tensor<4x16xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x16xf32>, tensor<4x16xi32>) descending = false sort_axis = -1 -> tensor<4x16xf32>, tensor<4x16xi32>
  %r17:2 = hivm.hir.vsort ins(%a : tensor<4x16xf32>) outs(%b, %si : tensor<4x16xf32>, tensor<4x16xi32>) descending = false sort_axis = -1 -> tensor<4x16xf32>, tensor<4x16xi32>
  // CHECK: hivm.hir.vsort ins(%{{.*}} : memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>) descending = true sort_axis = 1 temp_buffer(%{{.*}} : memref<4xf32>)
  hivm.hir.vsort ins(%m : memref<4x16xf32>) outs(%n : memref<4x16xf32>) descending = true sort_axis = 1 temp_buffer(%gf : memref<4xf32>)
  // CHECK: hivm.hir.vinterleave ins(%{{.*}}, %{{.*}} : memref<4x16xf32>, memref<4x16xf32>) outs(%{{.*}} : memref<4x16xf32>) interleave_channel_nums = 2 temp_buffer(%{{.*}} : memref<4xf32>)
  hivm.hir.vinterleave ins(%m, %m : memref<4x16xf32>, memref<4x16xf32>) outs(%m : memref<4x16xf32>) interleave_channel_nums = 2 temp_buffer(%gf : memref<4xf32>)
  // CHECK: hivm.hir.vgather ins(%{{.*}} : memref<4x16xf32>) indices(%{{.*}} : memref<4x16xi32>) outs(%{{.*}} : memref<4x16xf32>) temp_buffer(%{{.*}} : memref<4xf32>)
  hivm.hir.vgather ins(%m : memref<4x16xf32>) indices(%mi : memref<4x16xi32>) outs(%n : memref<4x16xf32>) temp_buffer(%gf : memref<4xf32>)
  // CHECK: hivm.hir.vpow ins(%{{.*}}, %{{.*}} : tensor<4x16xi32>, tensor<4x16xi32>) outs(%{{.*}} : tensor<4x16xi32>) -> tensor<4x16xi32>
  %r21 = hivm.hir.vpow ins(%si, %si : tensor<4x16xi32>, tensor<4x16xi32>) outs(%si : tensor<4x16xi32>) -> tensor<4x16xi32>
  // CHECK: hivm.hir.vmulextended ins(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) outs(%{{.*}}, %{{.*}} : tensor<4x16xi16>, tensor<4x16xi16>) -> tensor<4x16xi16>, tensor<4x16xi16>
  %r22:2 = hivm.hir.vmulextended ins(%h, %h : tensor<4x16xi16>, tensor<4x16xi16>) outs(%h, %h : tensor<4x16xi16>, tensor<4x16xi16>) -> tensor<4x16xi16>, tensor<4x16xi16>
  return
}
