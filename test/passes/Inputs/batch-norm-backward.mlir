// The three kinds of nests: a pass over the data, what a channel has once, the result over all axes.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
#a = affine_map<(a) -> (a)>
func.func @norm(%g: tensor<?x?x?xf16> {tw.name = "g"}, %x: tensor<?x?x?xf16> {tw.name = "x"},
                %mean: tensor<?xf32> {tw.name = "mean"}, %m: f32 {tw.name = "s0"})
    -> (tensor<?x?x?xf16> {tw.name = "out0"}, tensor<?xf32> {tw.name = "out1"}) attributes {tw.kernel, tw.reduction} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r1 = tensor.dim %g, %c0 : tensor<?x?x?xf16>
  %n = tensor.dim %g, %c1 : tensor<?x?x?xf16>
  %r0 = tensor.dim %g, %c2 : tensor<?x?x?xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %sum:2 = linalg.generic {indexing_maps = [#all, #all, #channel, #channel, #channel],
                           iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%g, %x, %mean : tensor<?x?x?xf16>, tensor<?x?x?xf16>, tensor<?xf32>)
      outs(%z, %z : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%gi: f16, %xi: f16, %mi: f32, %acc0: f32, %acc1: f32):
    %ge = arith.extf %gi : f16 to f32
    %xe = arith.extf %xi : f16 to f32
    %d = arith.subf %xe, %mi : f32
    %p = arith.mulf %ge, %d : f32
    %s0 = arith.addf %acc0, %ge : f32
    %s1 = arith.addf %acc1, %p : f32
    linalg.yield %s0, %s1 : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  %k:2 = linalg.generic {indexing_maps = [#a, #a, #a, #a], iterator_types = ["parallel"]}
      ins(%sum#0, %sum#1 : tensor<?xf32>, tensor<?xf32>) outs(%empty, %empty : tensor<?xf32>, tensor<?xf32>) {
  ^bb0(%u: f32, %v: f32, %o0: f32, %o1: f32):
    %q = arith.divf %u, %m : f32
    %t = arith.divf %v, %m : f32
    linalg.yield %q, %t : f32, f32
  } -> (tensor<?xf32>, tensor<?xf32>)
  %full = tensor.empty(%r1, %n, %r0) : tensor<?x?x?xf16>
  %dx = linalg.generic {indexing_maps = [#all, #channel, #channel, #all],
                        iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%g, %k#0, %mean : tensor<?x?x?xf16>, tensor<?xf32>, tensor<?xf32>) outs(%full : tensor<?x?x?xf16>) {
  ^bb0(%gi: f16, %q: f32, %mi: f32, %o: f16):
    %ge = arith.extf %gi : f16 to f32
    %c = arith.subf %ge, %q : f32
    %e = arith.mulf %c, %mi : f32
    %h = arith.truncf %e : f32 to f16
    linalg.yield %h : f16
  } -> tensor<?x?x?xf16>
  return %dx, %k#1 : tensor<?x?x?xf16>, tensor<?xf32>
}
