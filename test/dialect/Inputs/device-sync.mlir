// Plain device function with written-out flags, an all-core barrier, block number and lock.
func.func @device_sync(%ffts: i64 {hacc.arg_type = #hacc.arg_type<ffts_base_address>},
                       %g: memref<4096xf32, #hivm.address_space<gm>>, %l: memref<1xi64, #hivm.address_space<gm>>)
    attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>} {
  hivm.hir.set_ffts_base_addr %ffts
  %b = hivm.hir.get_block_idx -> i64
  %i = arith.index_cast %b : i64 to index
  %c64 = arith.constant 64 : index
  %o = arith.muli %i, %c64 : index
  %v = memref.subview %g[%o] [64] [1] : memref<4096xf32, #hivm.address_space<gm>> to memref<64xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>
  %u = memref.alloc() : memref<64xf32, #hivm.address_space<ub>>
  hivm.hir.load ins(%v : memref<64xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>) outs(%u : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.vsqrt ins(%u : memref<64xf32, #hivm.address_space<ub>>) outs(%u : memref<64xf32, #hivm.address_space<ub>>)
  hivm.hir.sync_block_lock lock_var(%l : memref<1xi64, #hivm.address_space<gm>>)
  hivm.hir.store ins(%u : memref<64xf32, #hivm.address_space<ub>>) outs(%v : memref<64xf32, strided<[1], offset: ?>, #hivm.address_space<gm>>)
  hivm.hir.sync_block_unlock lock_var(%l : memref<1xi64, #hivm.address_space<gm>>)
  hivm.hir.sync_block[<ALL_VECTOR>, 0 : i16] ffts_base_addr = %ffts tvector_pipe = <PIPE_MTE3>
  return
}
