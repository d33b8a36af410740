module {
  func.func @ew(%x: tensor<4096x300xf32>, %y: tensor<4096x300xf32>) -> tensor<4096x300xf32> attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>} {
    %e = tensor.empty() : tensor<4096x300xf32>
    %0 = linalg.elemwise_unary {fun = #linalg.unary_fn<exp>} ins(%x : tensor<4096x300xf32>) outs(%e : tensor<4096x300xf32>) -> tensor<4096x300xf32>
    %1 = linalg.elemwise_binary {fun = #linalg.binary_fn<mul>} ins(%0, %y : tensor<4096x300xf32>, tensor<4096x300xf32>) outs(%e : tensor<4096x300xf32>) -> tensor<4096x300xf32>
    return %1 : tensor<4096x300xf32>
  }
}
