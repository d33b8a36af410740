// Every way an operand can cover a tile: uniform, full, one row, one column.
#full = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#column = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0, d1) -> ()>
func.func @spread(%grad: tensor<bf16> {tw.name = "grad"}, %x: tensor<?x?xbf16> {tw.name = "x"},
                  %row: tensor<?xbf16> {tw.name = "row"}, %column: tensor<?xf32> {tw.name = "column"},
                  %count: f32 {tw.name = "count"})
    -> (tensor<?x?xbf16> {tw.name = "out0"}) attributes {tw.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %m = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %empty = tensor.empty(%n, %m) : tensor<?x?xbf16>
  %r = linalg.generic {indexing_maps = [#one, #full, #row, #column, #full], iterator_types = ["parallel", "parallel"]}
      ins(%grad, %x, %row, %column : tensor<bf16>, tensor<?x?xbf16>, tensor<?xbf16>, tensor<?xf32>)
      outs(%empty : tensor<?x?xbf16>) {
  ^bb0(%g: bf16, %xi: bf16, %ri: bf16, %ci: f32, %o: bf16):
    %gf = arith.extf %g : bf16 to f32
    %share = arith.divf %gf, %count : f32
    %xf = arith.extf %xi : bf16 to f32
    %rf = arith.extf %ri : bf16 to f32
    %a = arith.mulf %xf, %rf : f32
    %b = arith.addf %a, %ci : f32
    %y = arith.mulf %b, %share : f32
    %yt = arith.truncf %y : f32 to bf16
    linalg.yield %yt : bf16
  } -> tensor<?x?xbf16>
  return %r : tensor<?x?xbf16>
}
