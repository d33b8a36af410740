module {
  func.func @elementwise(%lock: memref<?xi8>, %ws: memref<?xi8>,
                       %dy: memref<?xf16>, %x: memref<?xf16>, %y: memref<?xf16>, %n: i64, %s: f32,
                       %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64,
                  global_kernel = "local", mix_mode = "aiv"} {
    %T = arith.constant 4096 : index
    %zero = arith.constant 0.0 : f32
    %n_i = arith.index_cast %n : i64 to index
    %p_i = arith.index_cast %px : i32 to index
    %g_i = arith.index_cast %gx : i32 to index
    %lb = arith.muli %p_i, %T : index
    %step = arith.muli %g_i, %T : index
      %f0 = memref.alloc() : memref<4096xf32>
      %f1 = memref.alloc() : memref<4096xf32>
      %f2 = memref.alloc() : memref<4096xf32>
      %m = memref.alloc() : memref<4096xi1>
    scf.for %i = %lb to %n_i step %step {
      %rem = arith.subi %n_i, %i : index
      %len = arith.minsi %rem, %T : index
      %f0s = memref.subview %f0[0] [%len] [1] : memref<4096xf32> to memref<?xf32, strided<[1]>>
      %f1s = memref.subview %f1[0] [%len] [1] : memref<4096xf32> to memref<?xf32, strided<[1]>>
      %f2s = memref.subview %f2[0] [%len] [1] : memref<4096xf32> to memref<?xf32, strided<[1]>>
      %ms = memref.subview %m[0] [%len] [1] : memref<4096xi1> to memref<?xi1, strided<[1]>>
      %gdy = memref.reinterpret_cast %dy to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf16> to memref<?xf16, strided<[1], offset: ?>>
      %gxx = memref.reinterpret_cast %x to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf16> to memref<?xf16, strided<[1], offset: ?>>
      %gyy = memref.reinterpret_cast %y to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf16> to memref<?xf16, strided<[1], offset: ?>>
      %a = memref.alloc() : memref<4096xf16>
      annotation.mark %a {hivm.multi_buffer = 2 : i32} : memref<4096xf16>
      %as = memref.subview %a[0] [%len] [1] : memref<4096xf16> to memref<?xf16, strided<[1]>>
      hivm.hir.load ins(%gdy : memref<?xf16, strided<[1], offset: ?>>)
                    outs(%as : memref<?xf16, strided<[1]>>)
      %b = memref.alloc() : memref<4096xf16>
      annotation.mark %b {hivm.multi_buffer = 2 : i32} : memref<4096xf16>
      %bs = memref.subview %b[0] [%len] [1] : memref<4096xf16> to memref<?xf16, strided<[1]>>
      hivm.hir.load ins(%gxx : memref<?xf16, strided<[1], offset: ?>>)
                    outs(%bs : memref<?xf16, strided<[1]>>)
      hivm.hir.vcast ins(%as : memref<?xf16, strided<[1]>>) outs(%f0s : memref<?xf32, strided<[1]>>) round_mode = <rint>
      hivm.hir.vcast ins(%bs : memref<?xf16, strided<[1]>>) outs(%f1s : memref<?xf32, strided<[1]>>) round_mode = <rint>
      hivm.hir.vexp ins(%f1s : memref<?xf32, strided<[1]>>) outs(%f2s : memref<?xf32, strided<[1]>>)
      hivm.hir.vmul ins(%f2s, %s : memref<?xf32, strided<[1]>>, f32) outs(%f2s : memref<?xf32, strided<[1]>>)
      hivm.hir.vcmp ins(%f1s, %zero : memref<?xf32, strided<[1]>>, f32) outs(%ms : memref<?xi1, strided<[1]>>) compare_mode = <gt>
      hivm.hir.vsel ins(%ms, %s, %f2s : memref<?xi1, strided<[1]>>, f32, memref<?xf32, strided<[1]>>) outs(%f2s : memref<?xf32, strided<[1]>>)
      hivm.hir.vmul ins(%f0s, %f2s : memref<?xf32, strided<[1]>>, memref<?xf32, strided<[1]>>)
                    outs(%f2s : memref<?xf32, strided<[1]>>)
      %o = memref.alloc() : memref<4096xf16>
      annotation.mark %o {hivm.multi_buffer = 2 : i32} : memref<4096xf16>
      %os = memref.subview %o[0] [%len] [1] : memref<4096xf16> to memref<?xf16, strided<[1]>>
      hivm.hir.vcast ins(%f2s : memref<?xf32, strided<[1]>>) outs(%os : memref<?xf16, strided<[1]>>) round_mode = <rint>
      hivm.hir.store ins(%os : memref<?xf16, strided<[1]>>)
                     outs(%gyy : memref<?xf16, strided<[1], offset: ?>>)
    }
    return
  }
}
