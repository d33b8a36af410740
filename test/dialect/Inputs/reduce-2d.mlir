// Triton ABI, runtime [rows, cols] tile over a fixed buffer, row reduction, broadcast, atomic store, scalar reads.
func.func @reduce_2d(%x: memref<?xf32>, %y: memref<?xf32>, %rows_arg: i64, %cols_arg: i64, %gx: i32, %gy: i32, %gz: i32,
                     %px: i32, %py: i32, %pz: i32) attributes {global_kernel = "local", mix_mode = "aiv"} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %rows = arith.index_cast %rows_arg : i64 to index
  %cols = arith.index_cast %cols_arg : i64 to index
  %pid = arith.index_cast %px : i32 to index
  %tile = arith.constant 16 : index
  %row0 = arith.muli %pid, %tile : index
  %offset = arith.muli %row0, %cols : index
  %source = memref.reinterpret_cast %x to offset: [%offset], sizes: [16, 64], strides: [%cols, 1]
      : memref<?xf32> to memref<16x64xf32, strided<[?, 1], offset: ?>>
  %target = memref.reinterpret_cast %y to offset: [%row0], sizes: [16, 1], strides: [1, 1]
      : memref<?xf32> to memref<16x1xf32, strided<[1, 1], offset: ?>>
  %in = memref.alloc() : memref<16x64xf32>
  hivm.hir.load ins(%source : memref<16x64xf32, strided<[?, 1], offset: ?>>) outs(%in : memref<16x64xf32>)
      pad_mode = <PadValue> pad_value = %zero : f32
  %sum = memref.alloc() : memref<16x1xf32>
  hivm.hir.vreduce <sum> ins(%in : memref<16x64xf32>) outs(%sum : memref<16x1xf32>) reduce_dims = [1]
  %wide = memref.alloc() : memref<16x64xf32>
  hivm.hir.vbrc ins(%sum : memref<16x1xf32>) outs(%wide : memref<16x64xf32>) broadcast_dims = [1]
  hivm.hir.vsub ins(%in, %wide : memref<16x64xf32>, memref<16x64xf32>) outs(%in : memref<16x64xf32>)
  hivm.hir.vreduce <max> ins(%in : memref<16x64xf32>) outs(%sum : memref<16x1xf32>) reduce_dims = [1]
  %first = memref.load %sum[%c0, %c0] : memref<16x1xf32>
  hivm.hir.vadd ins(%sum, %first : memref<16x1xf32>, f32) outs(%sum : memref<16x1xf32>)
  hivm.hir.store ins(%sum : memref<16x1xf32>) outs(%target : memref<16x1xf32, strided<[1, 1], offset: ?>>) atomic = <add>
  return
}
