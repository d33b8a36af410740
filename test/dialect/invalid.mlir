// What the verifiers refuse, and how they say it.
// RUN: tw-opt %s --split-input-file --verify-diagnostics

func.func @load_direction(%g: memref<8xf32, #hivm.address_space<gm>>, %u: memref<8xf32, #hivm.address_space<ub>>) {
  // expected-error @+1 {{reads GM into a local memory, got ub to gm}}
  hivm.hir.load ins(%u : memref<8xf32, #hivm.address_space<ub>>) outs(%g : memref<8xf32, #hivm.address_space<gm>>)
  return
}

// -----

func.func @load_types(%g: memref<8xf32>, %u: memref<8xf16>) {
  // expected-error @+1 {{element types of source and destination differ: 'f32' and 'f16'}}
  hivm.hir.load ins(%g : memref<8xf32>) outs(%u : memref<8xf16>)
  return
}

// -----

func.func @load_f64(%g: memref<8xf64>, %u: memref<8xf64>) {
  // expected-error @+1 {{source 0 has element type 'f64'; the vector unit takes i1, i8}}
  hivm.hir.load ins(%g : memref<8xf64>) outs(%u : memref<8xf64>)
  return
}

// -----

func.func @load_pad_value_missing(%g: memref<8xf32>, %u: memref<8xf32>) {
  // expected-error @+1 {{pad_mode <PadValue> needs a pad_value}}
  hivm.hir.load ins(%g : memref<8xf32>) outs(%u : memref<8xf32>) pad_mode = <PadValue>
  return
}

// -----

func.func @load_pad_value_alone(%g: memref<8xf32>, %u: memref<8xf32>, %s: f32) {
  // expected-error @+1 {{pad_value needs a pad_mode}}
  hivm.hir.load ins(%g : memref<8xf32>) outs(%u : memref<8xf32>) pad_value = %s : f32
  return
}

// -----

func.func @store_direction(%g: memref<8xf32, #hivm.address_space<gm>>) {
  // expected-error @+1 {{writes UB to GM, got gm to gm}}
  hivm.hir.store ins(%g : memref<8xf32, #hivm.address_space<gm>>) outs(%g : memref<8xf32, #hivm.address_space<gm>>)
  return
}

// -----

func.func @copy_gm(%g: memref<8xf32, #hivm.address_space<gm>>) {
  // expected-error @+1 {{cannot copy from gm to gm}}
  hivm.hir.copy ins(%g : memref<8xf32, #hivm.address_space<gm>>) outs(%g : memref<8xf32, #hivm.address_space<gm>>)
  return
}

// -----

func.func @store_atomic_name(%u: memref<8xf32>) {
  // expected-error @+2 {{to be one of: none, add, max, min, and, or, xor, umax, umin}}
  // expected-error @+1 {{failed to parse}}
  hivm.hir.store ins(%u : memref<8xf32>) outs(%u : memref<8xf32>) atomic = <sub>
  return
}

// -----

func.func @arity(%a: memref<8xf32>) {
  // expected-error @+1 {{expects 2 sources, got 1}}
  hivm.hir.vadd ins(%a : memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @bf16(%a: memref<8xbf16>) {
  // expected-error @+1 {{source 0 has element type 'bf16'; the vector unit takes f16, f32, i16, i32, i64}}
  hivm.hir.vadd ins(%a, %a : memref<8xbf16>, memref<8xbf16>) outs(%a : memref<8xbf16>)
  return
}

// -----

func.func @mixed_types(%a: memref<8xf32>, %h: memref<8xf16>) {
  // expected-error @+1 {{requires the same element type for all operands}}
  hivm.hir.vadd ins(%a, %h : memref<8xf32>, memref<8xf16>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @scalar_first(%a: memref<8xf32>, %s: f32) {
  // expected-error @+1 {{source 0 must be a tensor or memref, not a scalar}}
  hivm.hir.vmul ins(%s, %a : f32, memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @scalar_logic(%a: memref<8xi32>, %s: i32) {
  // expected-error @+1 {{source 1 must be a tensor or memref, not a scalar}}
  hivm.hir.vand ins(%a, %s : memref<8xi32>, i32) outs(%a : memref<8xi32>)
  return
}

// -----

func.func @rank(%a: memref<8xf32>, %b: memref<2x4xf32>) {
  // expected-error @+1 {{operands must have same rank, got 1 and 2}}
  hivm.hir.vexp ins(%a : memref<8xf32>) outs(%b : memref<2x4xf32>)
  return
}

// -----

func.func @extent(%a: memref<8xf32>, %b: memref<9xf32>) {
  // expected-error @+1 {{source 0 has extent 8 in dimension 0 where the destination has 9}}
  hivm.hir.vexp ins(%a : memref<8xf32>) outs(%b : memref<9xf32>)
  return
}

// -----

func.func @broadcast_dim(%a: memref<8xf32>) {
  // expected-error @+1 {{dimension 3 of broadcast or transpose is outside rank 1}}
  hivm.hir.vexp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>) broadcast = [3]
  return
}

// -----

func.func @both(%a: memref<8xf32>) {
  // expected-error @+1 {{broadcast and transpose cannot be combined}}
  hivm.hir.vexp ins(%a : memref<8xf32>) outs(%a : memref<8xf32>) broadcast = [0] transpose = [0]
  return
}

// -----

func.func @missing_result(%a: tensor<8xf32>) {
  // expected-error @+1 {{expected the number of tensor results (0) to be equal to the number of output tensors (1)}}
  hivm.hir.vexp ins(%a : tensor<8xf32>) outs(%a : tensor<8xf32>)
  return
}

// -----

func.func @cast(%a: memref<8xf16>, %b: memref<8xbf16>) {
  // expected-error @+1 {{the vector unit does not cast 'f16' to 'bf16' with rounding rint (cast_signed)}}
  hivm.hir.vcast ins(%a : memref<8xf16>) outs(%b : memref<8xbf16>)
  return
}

// -----

func.func @cast_mode(%a: memref<8xbf16>, %b: memref<8xf32>) {
  // expected-error @+1 {{the vector unit does not cast 'bf16' to 'f32' with rounding trunc (cast_signed)}}
  hivm.hir.vcast ins(%a : memref<8xbf16>) outs(%b : memref<8xf32>) round_mode = <trunc>
  return
}

// -----

func.func @cmp_mask(%a: memref<8xf32>) {
  // expected-error @+1 {{destination must have element type i1 or i8, got 'f32'}}
  hivm.hir.vcmp ins(%a, %a : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @sel_mask(%a: memref<8xf32>) {
  // expected-error @+1 {{source 0 must have element type i1 or i8, got 'f32'}}
  hivm.hir.vsel ins(%a, %a, %a : memref<8xf32>, memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @sel_types(%m: memref<8xi1>, %a: memref<8xf32>, %s: f16) {
  // expected-error @+1 {{chooses between elements of type 'f16' for a destination of 'f32'}}
  hivm.hir.vsel ins(%m, %a, %s : memref<8xi1>, memref<8xf32>, f16) outs(%a : memref<8xf32>)
  return
}

// -----

func.func @brc_scalar_dims(%a: memref<8xf32>, %s: f32) {
  // expected-error @+1 {{broadcast_dims must be empty for a scalar source}}
  hivm.hir.vbrc ins(%s : f32) outs(%a : memref<8xf32>) broadcast_dims = [0]
  return
}

// -----

func.func @brc_extent(%a: memref<4x1xf32>, %b: memref<4x8xf32>) {
  // expected-error @+1 {{source must have extent 1 in dimension 0 of broadcast_dims, has 4}}
  hivm.hir.vbrc ins(%a : memref<4x1xf32>) outs(%b : memref<4x8xf32>) broadcast_dims = [0]
  return
}

// -----

func.func @reduce_dims(%a: memref<4x8xf32>, %b: memref<4x1xf32>) {
  // expected-error @+1 {{destination must have extent 1 in dimension 0 of reduce_dims, has 4}}
  hivm.hir.vreduce <sum> ins(%a : memref<4x8xf32>) outs(%b : memref<4x1xf32>) reduce_dims = [0]
  return
}

// -----

func.func @reduce_range(%a: memref<4x8xf32>, %b: memref<4x1xf32>) {
  // expected-error @+1 {{reduce_dims has 5, outside rank 2}}
  hivm.hir.vreduce <sum> ins(%a : memref<4x8xf32>) outs(%b : memref<4x1xf32>) reduce_dims = [5]
  return
}

// -----

func.func @reduce_index(%a: memref<4x8xf32>, %b: memref<4x1xf32>) {
  // expected-error @+1 {{max_with_index_left has 2 destination(s), got 1}}
  hivm.hir.vreduce <max_with_index_left> ins(%a : memref<4x8xf32>) outs(%b : memref<4x1xf32>) reduce_dims = [1]
  return
}

// -----

func.func @reduce_bits(%a: memref<4x8xf32>, %b: memref<4x1xf32>) {
  // expected-error @+1 {{xori needs integers, got 'f32'}}
  hivm.hir.vreduce <xori> ins(%a : memref<4x8xf32>) outs(%b : memref<4x1xf32>) reduce_dims = [1]
  return
}

// -----

func.func @scratch(%a: memref<4x8xf32>, %b: memref<4x1xf32>) {
  // expected-error @+1 {{temp_buffer must have rank 1}}
  hivm.hir.vreduce <sum> ins(%a : memref<4x8xf32>) outs(%b : memref<4x1xf32>) temp_buffer(%a : memref<4x8xf32>) reduce_dims = [1]
  return
}

// -----

func.func @transpose(%a: memref<4x8xf32>, %b: memref<8x4xf32>) {
  // expected-error @+1 {{permutation must list each of the 2 dimensions once}}
  hivm.hir.vtranspose ins(%a : memref<4x8xf32>) outs(%b : memref<8x4xf32>) permutation = [0, 0]
  return
}

// -----

func.func @transpose_identity(%a: memref<4x8xf32>) {
  // expected-error @+1 {{permutation must exchange exactly two dimensions}}
  hivm.hir.vtranspose ins(%a : memref<4x8xf32>) outs(%a : memref<4x8xf32>) permutation = [0, 1]
  return
}

// -----

func.func @no_event() {
  // expected-error @+1 {{needs an event id}}
  "hivm.hir.set_flag"() <{set_pipe = #hivm.pipe<PIPE_MTE2>, wait_pipe = #hivm.pipe<PIPE_V>}> : () -> ()
  return
}

// -----

func.func @sync_block_pipe(%q: i64) {
  // expected-error @+1 {{tvector_pipe is needed in mode ALL_VECTOR}}
  hivm.hir.sync_block[<ALL_VECTOR>, 0 : i16] ffts_base_addr = %q
  return
}

// -----

func.func @no_address() {
  // expected-error @+1 {{needs at least one address}}
  %0 = hivm.hir.pointer_cast() : memref<4xf32>
  return
}

// -----

func.func @dynamic_sizes(%q: i64) {
  // expected-error @+1 {{has 0 dynamic sizes for a result with 1 dynamic dimensions}}
  %0 = hivm.hir.pointer_cast(%q) : memref<?xf32>
  return
}

// -----

func.func @scalar_space(%p: !llvm.ptr) {
  // expected-error @+1 {{reads GM, so the pointer must be in address space 1}}
  %0 = hivm.hir.load_scalar %p : !llvm.ptr -> i32
  return
}

// -----

func.func @mark_keys(%m: memref<8xf32>) {
  // expected-error @+1 {{has 1 keys for 0 values}}
  annotation.mark %m keys = ["k"] : memref<8xf32>
  return
}

// -----

// expected-error @+1 {{'tw.args' must be an array of strings}}
func.func private @args() attributes {tw.args = [1]}

// -----

// expected-error @+1 {{'tw.plan' must be a dictionary}}
func.func private @plan() attributes {tw.plan = 1}

// -----

// expected-error @+1 {{'tw.iteration' must be a #tw.iteration attribute}}
func.func private @iteration() attributes {tw.iteration = "A"}

// -----

// expected-error @+1 {{has 'tw.kernel', which belongs on a function}}
module attributes {tw.kernel} {}

// -----

// expected-error @+1 {{more than one reduced axis without a kept axis between must be merged}}
func.func private @unmerged() attributes {tw.iteration = #tw.iteration<[R1, R0]>}
