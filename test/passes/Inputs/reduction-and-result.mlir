// A pass over the data that writes a result of every axis beside its sum.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @frozen(%g: tensor<?x?x?xf16> {tw.name = "g"}, %scale: tensor<?xf32> {tw.name = "scale"})
    -> (tensor<?xf32> {tw.name = "sum"}, tensor<?x?x?xf16> {tw.name = "scaled"}) attributes {tw.kernel, tw.reduction} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r1 = tensor.dim %g, %c0 : tensor<?x?x?xf16>
  %a = tensor.dim %g, %c1 : tensor<?x?x?xf16>
  %r0 = tensor.dim %g, %c2 : tensor<?x?x?xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%a) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %full = tensor.empty(%r1, %a, %r0) : tensor<?x?x?xf16>
  %r:2 = linalg.generic {indexing_maps = [#all, #channel, #channel, #all],
                         iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%g, %scale : tensor<?x?x?xf16>, tensor<?xf32>) outs(%start, %full : tensor<?xf32>, tensor<?x?x?xf16>) {
  ^bb0(%v: f16, %s: f32, %acc: f32, %out: f16):
    %e = arith.extf %v : f16 to f32
    %p = arith.mulf %e, %s : f32
    %t = arith.truncf %p : f32 to f16
    %sum = arith.addf %acc, %e : f32
    linalg.yield %sum, %t : f32, f16
  } -> (tensor<?xf32>, tensor<?x?x?xf16>)
  return %r#0, %r#1 : tensor<?xf32>, tensor<?x?x?xf16>
}
