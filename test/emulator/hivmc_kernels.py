"""Kernel sources for the hivmc tests, in the forms that bishengir-compile takes.

Form D: a plain device function with memref arguments in GM, static sizes, blocks by get_block_idx.
Form T: the Triton ABI with runtime sizes. Form L: linalg on tensors, scheduled by the stock compiler.
"""

from __future__ import annotations

from collections.abc import Sequence

DEVICE = "attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}"


def memref(shape: Sequence[int] | int, element: str, space: str) -> str:
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return f"memref<{''.join(f'{size}x' for size in sizes)}{element}, #hivm.address_space<{space}>>"


class PlainKernel:
    """Builds a form D function line by line; every buffer has the full, static shape.

    `load` brings an argument into UB, `op` appends an hivm operation with a fresh result buffer, and `store`
    writes back.
    """

    def __init__(self, name: str = "k") -> None:
        self.name = name
        self.arguments: list[str] = []
        self.body: list[str] = []
        self.types: dict[str, str] = {}

    def argument(self, shape: Sequence[int] | int, element: str) -> str:
        value = f"%a{len(self.arguments)}"
        self.types[value] = memref(shape, element, "gm")
        self.arguments.append(f"{value}: {self.types[value]}")
        return value

    def scalar(self, element: str) -> str:
        value = f"%a{len(self.arguments)}"
        self.types[value] = element
        self.arguments.append(f"{value}: {element}")
        return value

    def constant(self, literal: str, element: str) -> str:
        value = f"%c{len(self.body)}"
        self.types[value] = element
        self.body.append(f"{value} = arith.constant {literal} : {element}")
        return value

    def buffer(self, shape: Sequence[int] | int, element: str) -> str:
        value = f"%b{len(self.body)}"
        self.types[value] = memref(shape, element, "ub")
        self.body.append(f"{value} = memref.alloc() : {self.types[value]}")
        return value

    def load(self, argument: str, shape: Sequence[int] | int, element: str) -> str:
        result = self.buffer(shape, element)
        self.body.append(
            f"hivm.hir.load ins({argument} : {self.types[argument]}) outs({result} : {self.types[result]})"
        )
        return result

    def op(
        self, name: str, inputs: Sequence[str], shape: Sequence[int] | int, element: str, extra: str = ""
    ) -> str:
        result = self.buffer(shape, element)
        types = ", ".join(self.types[value] for value in inputs)
        self.body.append(
            f"hivm.hir.{name} ins({', '.join(inputs)} : {types}) outs({result} : {self.types[result]}) "
            f"{extra}"
        )
        return result

    def store(self, value: str, argument: str, extra: str = "") -> None:
        self.body.append(
            f"hivm.hir.store ins({value} : {self.types[value]}) "
            f"outs({argument} : {self.types[argument]}) {extra}"
        )

    def text(self) -> str:
        lines = "\n  ".join(self.body)
        return f"func.func @{self.name}({', '.join(self.arguments)}) {DEVICE} {{\n  {lines}\n  return\n}}\n"


def strided_tile(rows: int, columns: int, pitch: int) -> str:
    """Of a [rows, pitch] matrix, the first `columns` of each row, doubled, replace those of the output."""
    gm, ub = f"strided<[{pitch}, 1]>, #hivm.address_space<gm>", "#hivm.address_space<ub>"
    source, tile, view = (
        memref((rows, pitch), "f32", "gm"),
        f"memref<{rows}x{columns}xf32, {ub}>",
        f"memref<{rows}x{columns}xf32, {gm}>",
    )
    return f"""
func.func @tile(%x: {source}, %y: {source}) {DEVICE} {{
  %two = arith.constant 2.0 : f32
  %gx = memref.subview %x[0, 0] [{rows}, {columns}] [1, 1] : {source} to {view}
  %gy = memref.subview %y[0, 0] [{rows}, {columns}] [1, 1] : {source} to {view}
  %a = memref.alloc() : {tile}
  hivm.hir.load ins(%gx : {view}) outs(%a : {tile})
  %b = memref.alloc() : {tile}
  hivm.hir.vmul ins(%a, %two : {tile}, f32) outs(%b : {tile})
  hivm.hir.store ins(%b : {tile}) outs(%gy : {view})
  return
}}
"""


def triton_scale(element: str = "f32", tile: int = 2048) -> str:
    """y[i] = x[i] * s with a runtime length, blocks strided by the grid, tails by length (form T)."""
    whole, part = f"memref<?x{element}>", f"memref<?x{element}, strided<[1], offset: ?>>"
    buffer, view = f"memref<{tile}x{element}>", f"memref<?x{element}, strided<[1]>>"
    return f"""
module {{
  func.func @scale(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: {whole}, %y: {whole}, %n: i64, %s: {element},
                   %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {{SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local",
                  mix_mode = "aiv"}} {{
    %T = arith.constant {tile} : index
    %n_i = arith.index_cast %n : i64 to index
    %p_i = arith.index_cast %px : i32 to index
    %g_i = arith.index_cast %gx : i32 to index
    %lb = arith.muli %p_i, %T : index
    %step = arith.muli %g_i, %T : index
    scf.for %i = %lb to %n_i step %step {{
      %rem = arith.subi %n_i, %i : index
      %len = arith.minsi %rem, %T : index
      %gxx = memref.reinterpret_cast %x to offset: [%i], sizes: [%len], strides: [1] : {whole} to {part}
      %gyy = memref.reinterpret_cast %y to offset: [%i], sizes: [%len], strides: [1] : {whole} to {part}
      %a = memref.alloc() : {buffer}
      annotation.mark %a {{hivm.multi_buffer = 2 : i32}} : {buffer}
      %as = memref.subview %a[0] [%len] [1] : {buffer} to {view}
      hivm.hir.load ins(%gxx : {part}) outs(%as : {view})
      %o = memref.alloc() : {buffer}
      %os = memref.subview %o[0] [%len] [1] : {buffer} to {view}
      hivm.hir.vmul ins(%as, %s : {view}, {element}) outs(%os : {view})
      hivm.hir.store ins(%os : {view}) outs(%gyy : {part})
    }}
    return
  }}
}}
"""


def linalg_binary(function: str, shape: tuple[int, int], element: str) -> str:
    """One linalg.elemwise_binary on static tensors (form L)."""
    tensor = f"tensor<{shape[0]}x{shape[1]}x{element}>"
    return f"""
func.func @lin(%a: {tensor}, %b: {tensor}) -> {tensor} {DEVICE} {{
  %e = tensor.empty() : {tensor}
  %0 = linalg.elemwise_binary {{fun = #linalg.binary_fn<{function}>}} ins(%a, %b : {tensor}, {tensor})
      outs(%e : {tensor}) -> {tensor}
  return %0 : {tensor}
}}
"""


def linalg_reduce(
    combine: str, initial: str, rows: int, columns: int, dimension: int, element: str = "f32"
) -> str:
    """linalg.reduce of a static matrix over one dimension (form L)."""
    source = f"tensor<{rows}x{columns}x{element}>"
    result = f"tensor<{columns if dimension == 0 else rows}x{element}>"
    return f"""
func.func @red(%a: {source}) -> {result} {DEVICE} {{
  %z = arith.constant {initial} : {element}
  %e = tensor.empty() : {result}
  %f = linalg.fill ins(%z : {element}) outs(%e : {result}) -> {result}
  %0 = linalg.reduce {{ {combine} }} ins(%a : {source}) outs(%f : {result}) dimensions = [{dimension}]
  return %0 : {result}
}}
"""


def linalg_softmax(rows: int, columns: int) -> str:
    """Row softmax in named operations: maximum, difference, exponential, sum, quotient (form L)."""
    full, column = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"

    def binary(result: str, function: str, left: str, right: str) -> str:
        return (
            f"{result} = linalg.elemwise_binary {{fun = #linalg.binary_fn<{function}>}} "
            f"ins({left}, {right} : {full}, {full}) outs(%full : {full}) -> {full}"
        )

    return f"""
func.func @softmax(%x: {full}) -> {full} {DEVICE} {{
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %column = tensor.empty() : {column}
  %full = tensor.empty() : {full}
  %m0 = linalg.fill ins(%lowest : f32) outs(%column : {column}) -> {column}
  %m = linalg.reduce {{ arith.maximumf }} ins(%x : {full}) outs(%m0 : {column}) dimensions = [1]
  %mb = linalg.broadcast ins(%m : {column}) outs(%full : {full}) dimensions = [1]
  {binary("%d", "sub", "%x", "%mb")}
  %p = linalg.elemwise_unary {{fun = #linalg.unary_fn<exp>}} ins(%d : {full}) outs(%full : {full}) -> {full}
  %s0 = linalg.fill ins(%zero : f32) outs(%column : {column}) -> {column}
  %s = linalg.reduce {{ arith.addf }} ins(%p : {full}) outs(%s0 : {column}) dimensions = [1]
  %sb = linalg.broadcast ins(%s : {column}) outs(%full : {full}) dimensions = [1]
  {binary("%r", "div", "%p", "%sb")}
  return %r : {full}
}}
"""


#: Vector addition as the Triton adapter writes it: tensors, copies, tails by clamped lengths (form T).
TRITON_ADAPTER_ADD = """
module {
  func.func @vecadd(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %y: memref<?xf32>,
                    %o: memref<?xf32>, %n: i32, %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local",
                  mix_mode = "aiv"} {
    %tile = arith.constant 1024 : i32
    %size = arith.constant 1024 : index
    %first = arith.muli %px, %tile : i32
    %start = arith.index_cast %first : i32 to index
    %end = arith.addi %start, %size : index
    %total = arith.index_cast %n : i32 to index
    %limit = arith.maxsi %start, %total : index
    %stop = arith.minsi %end, %limit : index
    %len = arith.subi %stop, %start : index
    %rx = memref.reinterpret_cast %x to offset: [%start], sizes: [1024], strides: [1]
        : memref<?xf32> to memref<1024xf32, strided<[1], offset: ?>>
    %ry = memref.reinterpret_cast %y to offset: [%start], sizes: [1024], strides: [1]
        : memref<?xf32> to memref<1024xf32, strided<[1], offset: ?>>
    %ro = memref.reinterpret_cast %o to offset: [%start], sizes: [1024], strides: [1]
        : memref<?xf32> to memref<1024xf32, strided<[1], offset: ?>>
    %sx = memref.subview %rx[0] [%len] [1]
        : memref<1024xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %sy = memref.subview %ry[0] [%len] [1]
        : memref<1024xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %so = memref.subview %ro[0] [%len] [1]
        : memref<1024xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
    %ax = memref.alloc() : memref<1024xf32>
    %bx = memref.subview %ax[0] [%len] [1] : memref<1024xf32> to memref<?xf32, strided<[1]>>
    memref.copy %sx, %bx : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>>
    %tx = bufferization.to_tensor %ax restrict writable : memref<1024xf32>
    %ay = memref.alloc() : memref<1024xf32>
    %by = memref.subview %ay[0] [%len] [1] : memref<1024xf32> to memref<?xf32, strided<[1]>>
    memref.copy %sy, %by : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>>
    %ty = bufferization.to_tensor %ay restrict writable : memref<1024xf32>
    %sum = arith.addf %tx, %ty : tensor<1024xf32>
    %part = tensor.extract_slice %sum[0] [%len] [1] : tensor<1024xf32> to tensor<?xf32>
    bufferization.materialize_in_destination %part in writable %so
        : (tensor<?xf32>, memref<?xf32, strided<[1], offset: ?>>) -> ()
    return
  }
}
"""
