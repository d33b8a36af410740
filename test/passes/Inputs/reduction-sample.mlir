// A sum for which a part of the data will do.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @sampled(%x: tensor<?x?x?xf32> {tw.name = "x"}) -> (tensor<?xf32> {tw.name = "sum"}) attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty(%a) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #channel], iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%start : tensor<?xf32>) attrs = {tw.sample} {
  ^bb0(%v: f32, %acc: f32):
    %sum = arith.addf %acc, %v : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
