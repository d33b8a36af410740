// What is no kernel with reductions: every rule of passes/reduction/Nests.cpp and Normalize.cpp, broken once.
// RUN: tw-opt %s -split-input-file -tw-normalize-iteration -verify-diagnostics

// An operand over two of the axes.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @two_axes(%x: tensor<?x?x?xf32> {tw.name = "x"}, %p: tensor<?x?xf32> {tw.name = "p"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{operands have all axes, one axis, or none; got}}
  %r = linalg.generic {indexing_maps = [#all, affine_map<(r1, a, r0) -> (r1, a)>, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x, %p : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %w: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Axes in another order.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @permuted(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{permuted operand: axes must appear in iteration order, got}}
  %r = linalg.generic {indexing_maps = [affine_map<(r1, a, r0) -> (a, r1, r0)>, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A nest over one reduced axis and two others.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @axes(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{the axes of a nest are (A), or (R1, A, R0) with R1 and R0 both parallel or both reduced}}
  %r = linalg.generic {indexing_maps = [#all, affine_map<(r1, a, r0) -> (a)>],
                          iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The accumulator is combined with itself.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @combiner(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{result 0 must be acc + v, maximum(acc, v) or minimum(acc, v)}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %acc : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A product is no sum.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @product(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{result 0 must be acc + v, maximum(acc, v) or minimum(acc, v)}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.mulf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// The accumulator takes part in the summand.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @accumulator(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{result 0 must be acc + v, maximum(acc, v) or minimum(acc, v)}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %d = arith.mulf %acc, %v : f32
    %s = arith.addf %acc, %d : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Sums are f32.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @half_sum(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf16> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %hz = arith.constant 0.0 : f16
  %he = tensor.empty(%n) : tensor<?xf16>
  %h = linalg.fill ins(%hz : f16) outs(%he : tensor<?xf16>) -> tensor<?xf16>
  // expected-error@+1 {{a reduction's result is an f32 tensor over A}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%h : tensor<?xf16>) {
  ^bb0(%v: f32, %acc: f16):
    %t = arith.truncf %v : f32 to f16
    %s = arith.addf %acc, %t : f16
    linalg.yield %s : f16
  } -> tensor<?xf16>
  return %r : tensor<?xf16>
}

// -----

// A maximum does not start at 0.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @start(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{result 0 must start as linalg.fill of -INF, the neutral element of its combination}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.maximumf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// A sum that starts at what a tensor has.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @not_filled(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{result 0 must start as linalg.fill of 0.000000e+00, the neutral element of its combination}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%c : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Axes are merged: there are no numbers of iterations.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @index(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{linalg.index is not supported}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %k = arith.sitofp %j : i32 to f32
    %s = arith.addf %acc, %k : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Nothing comes after the results over all axes.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @order(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?x?x?xf32> attributes {tw.kernel, tw.reduction} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %full = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?xf32>) outs(%full : tensor<?x?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  // expected-error@+1 {{the elementwise nest must be the last one}}
  %w = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%y : tensor<?x?x?xf32>) outs(%full : tensor<?x?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %w : tensor<?x?x?xf32>
}

// -----

// A result is not read.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @read(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?x?x?xf32> attributes {tw.kernel, tw.reduction} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %full = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf32>
  // expected-error@+1 {{result 0 is read before it is written}}
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?xf32>) outs(%full : tensor<?x?x?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.addf %v, %o : f32
    linalg.yield %s : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}

// -----

// A result over all axes has them all.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @narrow(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %full = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf32>
  %line = tensor.empty(%d1) : tensor<?xf32>
  // expected-error@+1 {{a result of an elementwise nest must cover every axis}}
  %y = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x?x?xf32>) outs(%line : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %s = arith.negf %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// A result of channels has one element for each.
func.func @one(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<f32> attributes {tw.kernel, tw.reduction} {
  %one = tensor.empty() : tensor<f32>
  // expected-error@+1 {{a result of a channel nest must cover A}}
  %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>], iterator_types = ["parallel"]}
      ins(%c : tensor<?xf32>) outs(%one : tensor<f32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}

// -----

// Inputs are arguments or results of nests.
func.func @input(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %c, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  // expected-error@+1 {{an input is neither an argument of the kernel nor the result of a nest}}
  %r = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%empty : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Named operations are not in this form.
func.func @named(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %c, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  // expected-error@+1 {{unexpected operation in a kernel with reductions}}
  %r = linalg.exp ins(%c : tensor<?xf32>) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Nothing to compute.
// expected-error@+1 {{a kernel with reductions has no nest}}
func.func @empty(%c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  return %c : tensor<?xf32>
}

// -----

// An argument is no result.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
// expected-error@+1 {{result 0 is not computed by a nest}}
func.func @unchanged(%x: tensor<?x?x?xf32> {tw.name = "x"}, %c: tensor<?xf32> {tw.name = "c"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

// Arguments have names.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
// expected-error@+1 {{argument 0 of a kernel needs the attribute tw.name}}
func.func @nameless(%x: tensor<?x?x?xf32>) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.addf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// Reductions come first.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @order(%x: tensor<?x?x?xf32> {tw.name = "x"}) -> (tensor<?x?x?xf32>, tensor<?xf32>) attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %full = tensor.empty(%n, %n, %n) : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{the first results of a nest over reduced axes are reductions}}
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #channel],
                         iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%full, %z : tensor<?x?x?xf32>, tensor<?xf32>) {
  ^bb0(%v: f32, %out: f32, %acc: f32):
    %d = arith.mulf %v, %v : f32
    %s = arith.addf %acc, %v : f32
    linalg.yield %d, %s : f32, f32
  } -> (tensor<?x?x?xf32>, tensor<?xf32>)
  return %r#0, %r#1 : tensor<?x?x?xf32>, tensor<?xf32>
}

// -----

// A result of every axis is written, never read.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @reads(%x: tensor<?x?x?xf32> {tw.name = "x"}) -> (tensor<?xf32>, tensor<?x?x?xf32>) attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %full = tensor.empty(%n, %n, %n) : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{result 1 is read before it is written}}
  %r:2 = linalg.generic {indexing_maps = [#all, #channel, #all],
                         iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z, %full : tensor<?xf32>, tensor<?x?x?xf32>) {
  ^bb0(%v: f32, %acc: f32, %out: f32):
    %d = arith.mulf %v, %out : f32
    %s = arith.addf %acc, %v : f32
    linalg.yield %s, %d : f32, f32
  } -> (tensor<?xf32>, tensor<?x?x?xf32>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?x?x?xf32>
}

// -----

// A part of the data has no maximum of all.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @sample(%x: tensor<?x?x?xf32> {tw.name = "x"}) -> tensor<?xf32> attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %low = arith.constant 0xFF800000 : f32
  %z = linalg.fill ins(%low : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  // expected-error@+1 {{a sample of the data gives sums only}}
  %r = linalg.generic {indexing_maps = [#all, #channel],
                          iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%z : tensor<?xf32>) attrs = {tw.sample} {
  ^bb0(%v: f32, %acc: f32):
    %s = arith.maximumf %acc, %v : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
