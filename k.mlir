
#row = strided<[1], offset: ?>
module {
  func.func @normalise(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %partial: memref<?xf32>,
                       %y: memref<?xf32>, %n: i64, %share: i64,
                       %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local",
                  mix_mode = "aiv"} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %tile = arith.constant 2048 : index
    %most = arith.constant 512 : index
    %n_i = arith.index_cast %n : i64 to index
    %share_i = arith.index_cast %share : i64 to index
    %p_i = arith.index_cast %px : i32 to index
    %g_i = arith.index_cast %gx : i32 to index
    %begin0 = arith.muli %p_i, %share_i : index
    %begin = arith.minsi %begin0, %n_i : index
    %end0 = arith.addi %begin, %share_i : index
    %end = arith.minsi %end0, %n_i : index

    %sum = memref.alloc() : memref<2048xf32>
    hivm.hir.vbrc ins(%zero : f32) outs(%sum : memref<2048xf32>)
    scf.for %i = %begin to %end step %tile {
      %rest = arith.subi %end, %i : index
      %len = arith.minsi %rest, %tile : index
      %g = memref.reinterpret_cast %x to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf32> to memref<?xf32, #row>
      %a = memref.alloc() : memref<2048xf32>
      %as = memref.subview %a[0] [%len] [1] : memref<2048xf32> to memref<?xf32, strided<[1]>>
      %ss = memref.subview %sum[0] [%len] [1] : memref<2048xf32> to memref<?xf32, strided<[1]>>
      hivm.hir.load ins(%g : memref<?xf32, #row>) outs(%as : memref<?xf32, strided<[1]>>)
      hivm.hir.vadd ins(%as, %ss : memref<?xf32, strided<[1]>>, memref<?xf32, strided<[1]>>)
                    outs(%ss : memref<?xf32, strided<[1]>>)
    }
    %own = memref.alloc() : memref<1xf32>
    hivm.hir.vreduce <sum> ins(%sum : memref<2048xf32>) outs(%own : memref<1xf32>) reduce_dims = [0]
    %slot = arith.muli %p_i, %c8 : index
    %gp = memref.reinterpret_cast %partial to offset: [%slot], sizes: [1], strides: [1]
          : memref<?xf32> to memref<1xf32, #row>
    hivm.hir.store ins(%own : memref<1xf32>) outs(%gp : memref<1xf32, #row>)

    hivm.hir.sync_block_set[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 1 sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 1
hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = 1

    %all = memref.alloc() : memref<512xf32>
    hivm.hir.vbrc ins(%zero : f32) outs(%all : memref<512xf32>)
    scf.for %b = %c0 to %g_i step %c8 {
      // One transfer a row of eight blocks: their sums are 32 bytes apart.
      %left = arith.subi %g_i, %b : index
      %rows = arith.minsi %left, %c8 : index
      %from = arith.muli %b, %c8 : index
      %gr = memref.reinterpret_cast %partial to offset: [%from], sizes: [%rows, 1], strides: [8, 1]
            : memref<?xf32> to memref<?x1xf32, strided<[8, 1], offset: ?>>
      %ar = memref.reinterpret_cast %all to offset: [%from], sizes: [%rows, 1], strides: [8, 1]
            : memref<512xf32> to memref<?x1xf32, strided<[8, 1], offset: ?>>
      hivm.hir.load ins(%gr : memref<?x1xf32, strided<[8, 1], offset: ?>>)
                    outs(%ar : memref<?x1xf32, strided<[8, 1], offset: ?>>)
    }
    %total = memref.alloc() : memref<1xf32>
    hivm.hir.vreduce <sum> ins(%all : memref<512xf32>) outs(%total : memref<1xf32>) reduce_dims = [0]
    %s = memref.load %total[%c0] : memref<1xf32>
    scf.for %i = %begin to %end step %tile {
      %rest = arith.subi %end, %i : index
      %len = arith.minsi %rest, %tile : index
      %g = memref.reinterpret_cast %x to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf32> to memref<?xf32, #row>
      %gy_ = memref.reinterpret_cast %y to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf32> to memref<?xf32, #row>
      %a = memref.alloc() : memref<2048xf32>
      %as = memref.subview %a[0] [%len] [1] : memref<2048xf32> to memref<?xf32, strided<[1]>>
      %o = memref.alloc() : memref<2048xf32>
      %os = memref.subview %o[0] [%len] [1] : memref<2048xf32> to memref<?xf32, strided<[1]>>
      hivm.hir.load ins(%g : memref<?xf32, #row>) outs(%as : memref<?xf32, strided<[1]>>)
      hivm.hir.vdiv ins(%as, %s : memref<?xf32, strided<[1]>>, f32) outs(%os : memref<?xf32, strided<[1]>>)
      hivm.hir.store ins(%os : memref<?xf32, strided<[1]>>) outs(%gy_ : memref<?xf32, #row>)
    }
    
    return
  }
}
