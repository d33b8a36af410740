module {
  func.func @dyn(%x: tensor<?xf16>, %y: tensor<?xf16>) -> tensor<?xf16> attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<HOST>} {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf16>
    %e = tensor.empty(%n) : tensor<?xf16>
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%x : tensor<?xf16>) outs(%e : tensor<?xf16>) -> tensor<?xf16>
    %1 = linalg.elemwise_binary {fun = #linalg.binary_fn<add>} ins(%0, %y : tensor<?xf16>, tensor<?xf16>) outs(%e : tensor<?xf16>) -> tensor<?xf16>
    return %1 : tensor<?xf16>
  }
}
