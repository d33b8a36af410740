// A value along R0 alone and one along R1 alone, a maximum, a number for the whole tensor.
#all = affine_map<(r1, a, r0) -> (r1, a, r0)>
#channel = affine_map<(r1, a, r0) -> (a)>
func.func @lines(%x: tensor<?x?x?xf32> {tw.name = "x"}, %w: tensor<?xf32> {tw.name = "w"},
                 %c: tensor<?xf32> {tw.name = "c"}, %b: tensor<f32> {tw.name = "b"}) -> tensor<?xf32>
    attributes {tw.kernel, tw.reduction} {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %low = arith.constant 0xFF800000 : f32
  %empty = tensor.empty(%n) : tensor<?xf32>
  %start = linalg.fill ins(%low : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, affine_map<(r1, a, r0) -> (r0)>, affine_map<(r1, a, r0) -> (r1)>,
                                        affine_map<(r1, a, r0) -> ()>, #channel],
                       iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x, %w, %c, %b : tensor<?x?x?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<f32>)
      outs(%start : tensor<?xf32>) {
  ^bb0(%xi: f32, %wi: f32, %ci: f32, %bi: f32, %acc: f32):
    %p = arith.mulf %xi, %wi : f32
    %q = arith.mulf %p, %ci : f32
    %s = arith.addf %q, %bi : f32
    %t = arith.maximumf %acc, %s : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
