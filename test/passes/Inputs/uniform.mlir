// One element, used as a condition, rounded to a half type, and given to a function.
#all = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
func.func @uniform(%x: tensor<?xf32> {tw.name = "x"}, %y: tensor<f32> {tw.name = "y"})
    -> (tensor<?xf32> {tw.name = "out0"}) attributes {tw.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %init = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [#all, #one, #all], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<?xf32>, tensor<f32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %half = arith.truncf %b : f32 to f16
    %rounded = arith.extf %half : f16 to f32
    %root = math.rsqrt %b : f32
    %positive = arith.cmpf ogt, %b, %zero : f32
    %sum = arith.addf %a, %rounded : f32
    %chosen = arith.select %positive, %sum, %root : f32
    linalg.yield %chosen : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}
