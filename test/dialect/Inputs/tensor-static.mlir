// Plain device function on tensors: the compiler bufferises and places everything.
func.func @tensor_static(%a: tensor<64x49xf16>, %b: tensor<64x49xf32>) -> tensor<64x49xf32>
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>} {
  %e16 = tensor.empty() : tensor<64x49xf16>
  %e = tensor.empty() : tensor<64x49xf32>
  %0 = hivm.hir.load ins(%a : tensor<64x49xf16>) outs(%e16 : tensor<64x49xf16>) -> tensor<64x49xf16>
  %1 = hivm.hir.vcast ins(%0 : tensor<64x49xf16>) outs(%e : tensor<64x49xf32>) -> tensor<64x49xf32>
  %2 = hivm.hir.vexp ins(%1 : tensor<64x49xf32>) outs(%e : tensor<64x49xf32>) -> tensor<64x49xf32>
  %3 = hivm.hir.store ins(%2 : tensor<64x49xf32>) outs(%b : tensor<64x49xf32>) -> tensor<64x49xf32>
  return %3 : tensor<64x49xf32>
}
