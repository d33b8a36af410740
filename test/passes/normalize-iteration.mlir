// RUN: tw-opt %s -split-input-file -tw-normalize-iteration -verify-diagnostics | FileCheck %s

// Two loop nests become one; the result becomes a destination argument; the extent becomes an argument.
// CHECK-LABEL: func.func @fused(
// CHECK-SAME: %[[A:[a-z0-9_]+]]: tensor<?xf32> {tw.arg = "tensor:a"}, %[[S:[a-z0-9_]+]]: f32 {tw.arg = "scalar:s"},
// CHECK-SAME: %[[OUT:[a-z0-9_]+]]: tensor<?xf32> {tw.arg = "tensor:y"}, %{{[a-z0-9_]+}}: i64 {tw.arg = "extent:0"}
// CHECK-SAME: tw.iteration = #tw.iteration<[A]>
// CHECK-NOT: tensor.empty
// CHECK: linalg.generic {{.*}} ins(%[[A]] : tensor<?xf32>) outs(%[[OUT]] : tensor<?xf32>)
// CHECK: math.exp
// CHECK: arith.mulf
// CHECK-NOT: linalg.generic
func.func @fused(%a: tensor<?xf32> {tw.name = "a"}, %s: f32 {tw.name = "s"})
    -> (tensor<?xf32> {tw.name = "y"}) attributes {tw.kernel} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %e = linalg.exp ins(%a : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%e : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %s : f32
    linalg.yield %y : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Axes 0 and 1 are together in every operand and merge; axis 2 is not in the second one and stays.
// CHECK-LABEL: func.func @merged(
// CHECK-SAME: tensor<?x?xf32> {tw.arg = "tensor:a"}, %{{[a-z0-9_]+}}: tensor<?xf32> {tw.arg = "tensor:b"}
// CHECK-SAME: tensor<?x?xf32> {tw.arg = "tensor:out0"}, %{{[a-z0-9_]+}}: i64 {tw.arg = "extent:0"}, %{{[a-z0-9_]+}}: i64 {tw.arg = "extent:1"}
// CHECK-SAME: #tw.iteration<[A, A]>
// CHECK: iterator_types = ["parallel", "parallel"]
func.func @merged(%a: tensor<?x?x?xf32> {tw.name = "a"}, %b: tensor<?x?xf32> {tw.name = "b"})
    -> tensor<?x?x?xf32> attributes {tw.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %a, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %a, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %a, %c2 : tensor<?x?x?xf32>
  %empty = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j)>,
                                        affine_map<(i, j, k) -> (i, j, k)>],
                       iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%empty : tensor<?x?x?xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %z = arith.addf %x, %y : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  return %r : tensor<?x?x?xf32>
}

// -----

// A half operand is extended where it is first needed, so that its wide copy lives shortly.
// CHECK-LABEL: func.func @sunk
// CHECK: ^bb0(%[[A:[a-z0-9_]+]]: f16, %[[B:[a-z0-9_]+]]: f16, %{{[a-z0-9_]+}}: f16):
// CHECK-NEXT: %[[BF:[a-z0-9_]+]] = arith.extf %[[B]]
// CHECK-NEXT: math.exp %[[BF]]
// CHECK-NEXT: arith.extf %[[A]]
func.func @sunk(%a: tensor<?xf16> {tw.name = "a"}, %b: tensor<?xf16> {tw.name = "b"}) -> tensor<?xf16>
    attributes {tw.kernel} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf16>
  %empty = tensor.empty(%n) : tensor<?xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%a, %b : tensor<?xf16>, tensor<?xf16>) outs(%empty : tensor<?xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %xf = arith.extf %x : f16 to f32
    %yf = arith.extf %y : f16 to f32
    %e = math.exp %yf : f32
    %p = arith.mulf %xf, %e : f32
    %t = arith.truncf %p : f32 to f16
    linalg.yield %t : f16
  } -> tensor<?xf16>
  return %r : tensor<?xf16>
}

// -----

// Functions without the mark are left alone.
// CHECK-LABEL: func.func @other(%{{[a-z0-9_]+}}: tensor<?xf32>) -> tensor<?xf32> {
func.func @other(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// -----

func.func @permuted(%a: tensor<?x?xf32> {tw.name = "a"}, %e: tensor<?x?xf32> {tw.name = "e"}) -> tensor<?x?xf32>
    attributes {tw.kernel} {
  // expected-error @+1 {{permuted operand: axes must appear in iteration order}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// -----

func.func @reduction(%a: tensor<?x?xf32> {tw.name = "a"}, %e: tensor<?xf32> {tw.name = "e"}) -> tensor<?xf32>
    attributes {tw.kernel} {
  // expected-error @+1 {{reduction axes are not supported by this schedule}}
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                       iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<?x?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// expected-error @+1 {{expected one loop nest in the kernel, found 0}}
func.func @empty(%a: tensor<?xf32> {tw.name = "a"}) -> tensor<?xf32> attributes {tw.kernel} {
  return %a : tensor<?xf32>
}

// -----

// expected-error @+1 {{argument 0 of a kernel needs the attribute tw.name}}
func.func @nameless(%a: tensor<?xf32>) -> tensor<?xf32> attributes {tw.kernel} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %e = linalg.exp ins(%a : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %e : tensor<?xf32>
}
