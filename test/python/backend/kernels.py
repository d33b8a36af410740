"""HIVM text of small kernels for the back end tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

#: Makes a fake tool from shell code; see conftest.py.
FakeTool = Callable[..., Path]


def kernel(operation: str, element: str = "f32", *, tile: int = 1024, entry: bool = True) -> str:
    """HIVM text of a kernel y = op(x) over n elements; ``operation`` may use %as, %os and TY."""
    text = """module {
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xTY>, %y: memref<?xTY>, %n: i64,
               %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, ENTRY mix_mode = "aiv"} {
    %T = arith.constant TILE : index
    %n_i = arith.index_cast %n : i64 to index
    %p_i = arith.index_cast %px : i32 to index
    %g_i = arith.index_cast %gx : i32 to index
    %lb = arith.muli %p_i, %T : index
    %step = arith.muli %g_i, %T : index
    scf.for %i = %lb to %n_i step %step {
      %rem = arith.subi %n_i, %i : index
      %len = arith.minsi %rem, %T : index
      %xg = memref.reinterpret_cast %x to offset: [%i], sizes: [%len], strides: [1]
          : memref<?xTY> to memref<?xTY, strided<[1], offset: ?>>
      %yg = memref.reinterpret_cast %y to offset: [%i], sizes: [%len], strides: [1]
          : memref<?xTY> to memref<?xTY, strided<[1], offset: ?>>
      %a = memref.alloc() : memref<TILExTY>
      %as = memref.subview %a[0] [%len] [1] : memref<TILExTY> to memref<?xTY, strided<[1]>>
      hivm.hir.load ins(%xg : memref<?xTY, strided<[1], offset: ?>>) outs(%as : memref<?xTY, strided<[1]>>)
      %o = memref.alloc() : memref<TILExTY>
      %os = memref.subview %o[0] [%len] [1] : memref<TILExTY> to memref<?xTY, strided<[1]>>
      OPERATION
      hivm.hir.store ins(%os : memref<?xTY, strided<[1]>>) outs(%yg : memref<?xTY, strided<[1], offset: ?>>)
    }
    return
  }
}
"""
    text = text.replace("OPERATION", operation).replace("TILE", str(tile)).replace("TY", element)
    return text.replace("ENTRY", 'global_kernel = "local",' if entry else "")


ADD = (
    "hivm.hir.vadd ins(%as, %as : memref<?xTY, strided<[1]>>, memref<?xTY, strided<[1]>>) "
    "outs(%os : memref<?xTY, strided<[1]>>)"
)
TANH = "hivm.hir.vtanh ins(%as : memref<?xTY, strided<[1]>>) outs(%os : memref<?xTY, strided<[1]>>)"
