func.func @elu_backward(%grad: tensor<?xf16> {tw.name = "grad"}, %x: tensor<?xf16> {tw.name = "x"},
                        %slope: f32 {tw.name = "slope"}, %scale: f32 {tw.name = "scale"})
    -> (tensor<?xf16> {tw.name = "out0"}) attributes {tw.kernel} {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %grad, %c0 : tensor<?xf16>
  %empty = tensor.empty(%n) : tensor<?xf16>
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
                       iterator_types = ["parallel"]}
      ins(%grad, %x : tensor<?xf16>, tensor<?xf16>) outs(%empty : tensor<?xf16>) {
  ^bb0(%g: f16, %xi: f16, %o: f16):
    %gf = arith.extf %g : f16 to f32
    %xf = arith.extf %xi : f16 to f32
    %e = math.exp %xf : f32
    %negative = arith.mulf %slope, %e : f32
    %positive = arith.cmpf ogt, %xf, %zero : f32
    %w = arith.select %positive, %scale, %negative : f32
    %y = arith.mulf %gf, %w : f32
    %yt = arith.truncf %y : f32 to f16
    linalg.yield %yt : f16
  } -> tensor<?xf16>
  return %r : tensor<?xf16>
}
