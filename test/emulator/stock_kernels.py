"""Kernels as plain linalg on tensors, in the spellings that people and front ends write.

A kernel is a function over ``Tensors``; the builder writes it in one of four styles:

* ``named``: linalg named operations in a device function with static tensors (HFusion route);
* ``arith``: arith and math operations on whole tensors, same function (HFusion route);
* ``generic``: one ``linalg.generic`` for each elementwise operation, same function (HFusion route);
* ``triton``: arith and math operations on a tile, between copies from and to GM with clamped row counts, in a
  function with the Triton kernel ABI, as triton-adapter writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

STYLES = ("named", "arith", "generic", "triton")

DEVICE = "attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}"
TRITON = (
    'attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", '
    'mix_mode = "aiv"}'
)

Shape = tuple[int, ...]

_NAMED_UNARY = {"exp", "log", "abs", "sqrt", "rsqrt", "negf", "tanh", "erf"}
_NAMED_BINARY = {
    "addf": "add", "subf": "sub", "mulf": "mul", "divf": "div", "maximumf": "max_signed",
    "minimumf": "min_signed", "addi": "add", "subi": "sub", "muli": "mul", "maxsi": "max_signed",
    "minsi": "min_signed", "divsi": "div",
}  # fmt: skip
_MATH = {
    "exp": "math.exp", "log": "math.log", "sqrt": "math.sqrt", "rsqrt": "math.rsqrt", "tanh": "math.tanh",
    "erf": "math.erf", "abs": "math.absf", "negf": "arith.negf",
}  # fmt: skip


@dataclass(frozen=True)
class Value:
    """An SSA value of type ``tensor<shape x element>``."""

    name: str
    shape: Shape
    element: str

    @property
    def type(self) -> str:
        return tensor(self.shape, self.element)


def tensor(shape: Shape, element: str) -> str:
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


class Tensors:
    """Writes operations on tensors line by line in one style."""

    def __init__(self, style: str) -> None:
        assert style in STYLES
        self.style = style
        self.lines: list[str] = []
        self._count = 0

    def fresh(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def line(self, text: str) -> None:
        self.lines.append(text)

    def _value(self, text: str, shape: Shape, element: str) -> Value:
        value = Value(self.fresh(), shape, element)
        self.line(f"{value.name} = {text}")
        return value

    def scalar(self, literal: str | float, element: str) -> str:
        text = literal if isinstance(literal, str) else _literal(literal, element)
        name = self.fresh()
        self.line(f"{name} = arith.constant {text} : {element}")
        return name

    def empty(self, shape: Shape, element: str) -> Value:
        return self._value(f"tensor.empty() : {tensor(shape, element)}", shape, element)

    def full(self, literal: str | float, shape: Shape, element: str) -> Value:
        scalar, out = self.scalar(literal, element), self.empty(shape, element)
        return self._value(
            f"linalg.fill ins({scalar} : {element}) outs({out.name} : {out.type}) -> {out.type}",
            shape,
            element,
        )

    def _generic(self, operands: Sequence[Value], element: str, body: str) -> Value:
        shape = operands[0].shape
        out = self.empty(shape, element)
        dims = ", ".join(f"d{i}" for i in range(len(shape)))
        maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * (len(operands) + 1))
        kinds = ", ".join(['"parallel"'] * len(shape))
        arguments = ", ".join(f"%e{i}: {v.element}" for i, v in enumerate(operands))
        return self._value(
            f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} "
            f"ins({', '.join(v.name for v in operands)} : {', '.join(v.type for v in operands)}) "
            f"outs({out.name} : {out.type}) {{ ^bb0({arguments}, %old: {element}): %r = {body} "
            f"linalg.yield %r : {element} }} -> {out.type}",
            shape,
            element,
        )

    def unary(self, name: str, x: Value) -> Value:
        """exp, log, sqrt, rsqrt, tanh, erf, abs, negf."""
        if self.style == "generic":
            return self._generic([x], x.element, f"{_MATH[name]} %e0 : {x.element}")
        if self.style == "named" and name in _NAMED_UNARY:
            out = self.empty(x.shape, x.element)
            return self._value(
                f"linalg.elemwise_unary {{fun = #linalg.unary_fn<{name}>}} ins({x.name} : {x.type}) "
                f"outs({out.name} : {out.type}) -> {out.type}",
                x.shape,
                x.element,
            )
        return self._value(f"{_MATH[name]} {x.name} : {x.type}", x.shape, x.element)

    def binary(self, name: str, x: Value, y: Value | float) -> Value:
        """A binary arith operation by its name; a number stands for a tensor filled with it."""
        other = y if isinstance(y, Value) else self.full(y, x.shape, x.element)
        if self.style == "generic":
            return self._generic([x, other], x.element, f"arith.{name} %e0, %e1 : {x.element}")
        if self.style == "named" and name in _NAMED_BINARY:
            out = self.empty(x.shape, x.element)
            return self._value(
                f"linalg.elemwise_binary {{fun = #linalg.binary_fn<{_NAMED_BINARY[name]}>}} "
                f"ins({x.name}, {other.name} : {x.type}, {other.type}) outs({out.name} : {out.type}) "
                f"-> {out.type}",
                x.shape,
                x.element,
            )
        return self._value(f"arith.{name} {x.name}, {other.name} : {x.type}", x.shape, x.element)

    def compare(self, mode: str, x: Value, y: Value) -> Value:
        operation = "cmpi" if x.element.startswith("i") else "cmpf"
        if self.style == "generic":
            return self._generic([x, y], "i1", f"arith.{operation} {mode}, %e0, %e1 : {x.element}")
        return self._value(f"arith.{operation} {mode}, {x.name}, {y.name} : {x.type}", x.shape, "i1")

    def select(self, mask: Value, x: Value, y: Value) -> Value:
        if self.style == "generic":
            return self._generic([mask, x, y], x.element, f"arith.select %e0, %e1, %e2 : {x.element}")
        return self._value(
            f"arith.select {mask.name}, {x.name}, {y.name} : {mask.type}, {x.type}", x.shape, x.element
        )

    def cast(self, operation: str, x: Value, element: str) -> Value:
        """extf, truncf, sitofp, fptosi, extsi, trunci, extui."""
        if self.style == "generic":
            return self._generic([x], element, f"arith.{operation} %e0 : {x.element} to {element}")
        return self._value(
            f"arith.{operation} {x.name} : {x.type} to {tensor(x.shape, element)}", x.shape, element
        )

    def reduce(self, combine: str, x: Value, dimension: int, initial: str | float) -> Value:
        shape = tuple(extent for i, extent in enumerate(x.shape) if i != dimension)
        start = self.full(initial, shape, x.element)
        return self._value(
            f"linalg.reduce {{ arith.{combine} }} ins({x.name} : {x.type}) "
            f"outs({start.name} : {start.type}) dimensions = [{dimension}]",
            shape,
            x.element,
        )

    def broadcast(self, x: Value, shape: Shape, dimension: int) -> Value:
        """`x` repeated along a new dimension of `shape`."""
        out = self.empty(shape, x.element)
        return self._value(
            f"linalg.broadcast ins({x.name} : {x.type}) outs({out.name} : {out.type}) "
            f"dimensions = [{dimension}]",
            shape,
            x.element,
        )

    def transpose(self, x: Value) -> Value:
        out = self.empty(x.shape[::-1], x.element)
        return self._value(
            f"linalg.transpose ins({x.name} : {x.type}) outs({out.name} : {out.type}) permutation = [1, 0]",
            out.shape,
            x.element,
        )

    def named_argmax(self, x: Value) -> Value:
        """Index of the largest element of each row by HFusion's own operation."""
        best, place = self.empty(x.shape[:1], x.element), self.empty(x.shape[:1], "i32")
        name = self.fresh()
        self.line(
            f"{name}:2 = hfusion.reduce_with_index {{tie_break_left = true, unsigned_src = false}} <max> "
            f"ins({x.name} : {x.type}) outs({best.name}, {place.name} : {best.type}, {place.type}) "
            f"dimensions = [1] -> {best.type}, {place.type}"
        )
        return Value(f"{name}#1", place.shape, "i32")

    def argmax(self, x: Value) -> Value:
        """Index of the largest element of each row, as triton-adapter writes tl.argmax."""
        rows, columns = x.shape
        index = self.empty((columns,), "i32")
        counted = self._value(
            f'linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}} '
            f"outs({index.name} : {index.type}) {{ ^bb0(%old: i32): %i = linalg.index 0 : index "
            f"%r = arith.index_cast %i : index to i32 linalg.yield %r : i32 }} -> {index.type}",
            (columns,),
            "i32",
        )
        indices = self.broadcast(counted, x.shape, 0)
        best = self.full("0xFF800000", (rows,), x.element)
        place = self.full(-1, (rows,), "i32")
        name = self.fresh()
        self.line(
            f"{name}:2 = linalg.reduce ins({x.name}, {indices.name} : {x.type}, {indices.type}) "
            f"outs({best.name}, {place.name} : {best.type}, {place.type}) dimensions = [1] "
            f'{{reduce_mode = "max_with_index"}} '
            f"(%ra: {x.element}, %ri: i32, %rb: {x.element}, %rj: i32) {{ "
            f"%gt = arith.cmpf ogt, %ra, %rb : {x.element} %eq = arith.cmpf oeq, %ra, %rb : {x.element} "
            f"%lt = arith.cmpi slt, %ri, %rj : i32 %tie = arith.andi %eq, %lt : i1 "
            f"%or = arith.ori %gt, %tie : i1 %rm = arith.select %or, %ra, %rb : {x.element} "
            f"%rn = arith.select %or, %ri, %rj : i32 linalg.yield %rm, %rn : {x.element}, i32 }}"
        )
        return Value(f"{name}#1", (rows,), "i32")


def _literal(value: float, element: str) -> str:
    return str(int(value)) if element.startswith("i") else f"{float(value):.9e}"


Kernel = Callable[..., "Value | tuple[Value, ...]"]


@dataclass(frozen=True)
class Case:
    """Shapes and element types of a kernel's tensors.

    ``rows`` inputs are cut by rows among the programs of the Triton grid, the others are read whole.
    """

    inputs: tuple[tuple[Shape, str], ...]
    outputs: tuple[tuple[Shape, str], ...]
    whole: tuple[int, ...] = ()


def device_function(kernel: Kernel, style: str, case: Case) -> str:
    """The kernel on static tensors; its results become the last arguments."""
    body = Tensors(style)
    inputs = [Value(f"%a{i}", shape, element) for i, (shape, element) in enumerate(case.inputs)]
    results = kernel(body, *inputs)
    values = results if isinstance(results, tuple) else (results,)
    types = ", ".join(v.type for v in values)
    arguments = ", ".join(f"{v.name}: {v.type}" for v in inputs)
    lines = "\n  ".join(body.lines)
    return (
        f"func.func @kernel({arguments}) -> ({types}) {DEVICE} {{\n  {lines}\n"
        f"  return {', '.join(v.name for v in values)} : {types}\n}}\n"
    )


def _tile(body: Tensors, pointer: str, shape: Shape, element: str, cut: bool) -> tuple[str, str]:
    """A view of GM: (value, type). With `cut`, of the program's %count rows from %row on."""
    pitch = 1
    for extent in shape[1:]:
        pitch *= extent
    strides = [1] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * shape[i + 1]
    offset = "0"
    if cut:
        offset, size = body.fresh(), body.fresh()
        body.line(f"{size} = arith.constant {pitch} : index")
        body.line(f"{offset} = arith.muli %row, {size} : index")
    sizes = "x".join(map(str, shape))
    layout = f"strided<{strides}, offset: {'?' if cut else 0}>" if cut else f"strided<{strides}>"
    view, kind = body.fresh(), f"memref<{sizes}x{element}, {layout}>"
    body.line(
        f"{view} = memref.reinterpret_cast {pointer} to offset: [{offset}], sizes: {list(shape)}, "
        f"strides: {strides} : memref<?x{element}> to {kind}"
    )
    if not cut:
        return view, kind
    part, sub = body.fresh(), f"memref<{'x'.join(['?', *map(str, shape[1:])])}x{element}, {layout}>"
    zeros, ones = [0] * len(shape), [1] * len(shape)
    inner = ", ".join(["%count", *map(str, shape[1:])])
    body.line(f"{part} = memref.subview {view}{zeros} [{inner}] {ones} : {kind} to {sub}")
    return part, sub


def triton_function(kernel: Kernel, case: Case, rows: int) -> str:
    """The kernel on `rows` rows a program, with a runtime number of rows (Triton ABI)."""
    body = Tensors("triton")
    for text in (
        f"%R32 = arith.constant {rows} : i32", f"%R = arith.constant {rows} : index",
        "%first = arith.muli %px, %R32 : i32", "%row = arith.index_cast %first : i32 to index",
        "%total = arith.index_cast %n : i32 to index", "%end = arith.addi %row, %R : index",
        "%limit = arith.maxsi %row, %total : index", "%stop = arith.minsi %end, %limit : index",
        "%count = arith.subi %stop, %row : index",
    ):  # fmt: skip
        body.line(text)
    inputs = list[Value]()
    arguments = list[str]()
    for i, (shape, element) in enumerate(case.inputs):
        arguments.append(f"%g{i}: memref<?x{element}>")
        cut = i not in case.whole
        tile = (rows, *shape[1:]) if cut else shape
        view, kind = _tile(body, f"%g{i}", tile, element, cut)
        buffer = body.fresh()
        whole = f"memref<{'x'.join(map(str, tile))}x{element}>"
        body.line(f"{buffer} = memref.alloc() : {whole}")
        target, target_kind = buffer, whole
        if cut:
            target = body.fresh()
            strides = [1] * len(tile)
            for axis in range(len(tile) - 2, -1, -1):
                strides[axis] = strides[axis + 1] * tile[axis + 1]
            target_kind = f"memref<{'x'.join(['?', *map(str, tile[1:])])}x{element}, strided<{strides}>>"
            inner = ", ".join(["%count", *map(str, tile[1:])])
            body.line(
                f"{target} = memref.subview {buffer}{[0] * len(tile)} [{inner}] {[1] * len(tile)} : {whole} "
                f"to {target_kind}"
            )
        body.line(f"memref.copy {view}, {target} : {kind} to {target_kind}")
        loaded = Value(body.fresh(), tile, element)
        body.line(f"{loaded.name} = bufferization.to_tensor {buffer} restrict writable : {whole}")
        inputs.append(loaded)
    results = kernel(body, *inputs)
    values = results if isinstance(results, tuple) else (results,)
    for i, (value, (shape, element)) in enumerate(zip(values, case.outputs, strict=True)):
        arguments.append(f"%o{i}: memref<?x{element}>")
        tile = (rows, *shape[1:])
        assert value.shape == tile, "only kernels that keep the rows are cut by rows"
        view, kind = _tile(body, f"%o{i}", tile, element, True)
        part = body.fresh()
        inner = ", ".join(["%count", *map(str, tile[1:])])
        dynamic = f"tensor<{'x'.join(['?', *map(str, tile[1:])])}x{element}>"
        body.line(
            f"{part} = tensor.extract_slice {value.name}{[0] * len(tile)} [{inner}] {[1] * len(tile)} : "
            f"{value.type} to {dynamic}"
        )
        body.line(
            f"bufferization.materialize_in_destination {part} in writable {view} : ({dynamic}, {kind}) -> ()"
        )
    lines = "\n  ".join(body.lines)
    ends = ", ".join(f"%{name}: i32" for name in ("gx", "gy", "gz", "px", "py", "pz"))
    return (
        f"func.func @kernel(%lock: memref<?xi8>, %ws: memref<?xi8>, {', '.join(arguments)}, %n: i32, {ends}) "
        f"{TRITON} {{\n  {lines}\n  return\n}}\n"
    )


def triton_gather(rows: int, columns: int) -> str:
    """o[i, :] = x[index[i], :], `rows` rows a program: the index is a scalar, each row a copy of its own."""
    pitched = f"strided<[{columns}, 1], offset: ?>"
    view = "strided<[1], offset: ?>"
    ends = ", ".join(f"%{name}: i32" for name in ("gx", "gy", "gz", "px", "py", "pz"))
    return f"""
func.func @kernel(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %index: memref<?xi32>,
                  %o: memref<?xf32>, %n: i32, {ends}) {TRITON} {{
  %R32 = arith.constant {rows} : i32
  %R = arith.constant {rows} : index
  %C = arith.constant {columns} : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %first = arith.muli %px, %R32 : i32
  %row = arith.index_cast %first : i32 to index
  %total = arith.index_cast %n : i32 to index
  %end = arith.addi %row, %R : index
  %limit = arith.maxsi %row, %total : index
  %stop = arith.minsi %end, %limit : index
  %count = arith.subi %stop, %row : index
  %gi = memref.reinterpret_cast %index to offset: [%row], sizes: [{rows}], strides: [1]
      : memref<?xi32> to memref<{rows}xi32, {view}>
  %gis = memref.subview %gi[0] [%count] [1] : memref<{rows}xi32, {view}> to memref<?xi32, {view}>
  %ib = memref.alloc() : memref<{rows}xi32>
  %ibs = memref.subview %ib[0] [%count] [1] : memref<{rows}xi32> to memref<?xi32, strided<[1]>>
  memref.copy %gis, %ibs : memref<?xi32, {view}> to memref<?xi32, strided<[1]>>
  %it = bufferization.to_tensor %ib restrict writable : memref<{rows}xi32>
  %e = tensor.empty() : tensor<{rows}x{columns}xf32>
  %r = scf.for %i = %c0 to %count step %c1 iter_args(%acc = %e) -> (tensor<{rows}x{columns}xf32>) {{
    %s = tensor.extract %it[%i] : tensor<{rows}xi32>
    %si = arith.index_cast %s : i32 to index
    %off = arith.muli %si, %C : index
    %src = memref.reinterpret_cast %x to offset: [%off], sizes: [1, {columns}], strides: [{columns}, 1]
        : memref<?xf32> to memref<1x{columns}xf32, {pitched}>
    %b = memref.alloc() : memref<1x{columns}xf32>
    memref.copy %src, %b : memref<1x{columns}xf32, {pitched}> to memref<1x{columns}xf32>
    %t = bufferization.to_tensor %b restrict writable : memref<1x{columns}xf32>
    %in = tensor.insert_slice %t into %acc[%i, 0] [1, {columns}] [1, 1]
        : tensor<1x{columns}xf32> into tensor<{rows}x{columns}xf32>
    scf.yield %in : tensor<{rows}x{columns}xf32>
  }}
  %oo = arith.muli %row, %C : index
  %go = memref.reinterpret_cast %o to offset: [%oo], sizes: [{rows}, {columns}], strides: [{columns}, 1]
      : memref<?xf32> to memref<{rows}x{columns}xf32, {pitched}>
  %gos = memref.subview %go[0, 0] [%count, {columns}] [1, 1]
      : memref<{rows}x{columns}xf32, {pitched}> to memref<?x{columns}xf32, {pitched}>
  %part = tensor.extract_slice %r[0, 0] [%count, {columns}] [1, 1]
      : tensor<{rows}x{columns}xf32> to tensor<?x{columns}xf32>
  bufferization.materialize_in_destination %part in writable %gos
      : (tensor<?x{columns}xf32>, memref<?x{columns}xf32, {pitched}>) -> ()
  return
}}
"""


# -- the kernels ------------------------------------------------------------------------------------

LOWEST = "0xFF800000"


def softmax(t: Tensors, x: Value) -> Value:
    largest = t.reduce("maximumf", x, 1, LOWEST)
    power = t.unary("exp", t.binary("subf", x, t.broadcast(largest, x.shape, 1)))
    total = t.reduce("addf", power, 1, 0.0)
    return t.binary("divf", power, t.broadcast(total, x.shape, 1))


def layer_norm(t: Tensors, x: Value, gamma: Value, beta: Value) -> Value:
    columns = x.shape[1]
    mean = t.binary("mulf", t.reduce("addf", x, 1, 0.0), 1 / columns)
    centred = t.binary("subf", x, t.broadcast(mean, x.shape, 1))
    variance = t.binary("mulf", t.reduce("addf", t.binary("mulf", centred, centred), 1, 0.0), 1 / columns)
    scale = t.unary("rsqrt", t.binary("addf", variance, 1e-5))
    normal = t.binary("mulf", centred, t.broadcast(scale, x.shape, 1))
    scaled = t.binary("mulf", normal, t.broadcast(gamma, x.shape, 0))
    return t.binary("addf", scaled, t.broadcast(beta, x.shape, 0))


def rms_norm(t: Tensors, x: Value, gamma: Value) -> Value:
    columns = x.shape[1]
    mean = t.binary("mulf", t.reduce("addf", t.binary("mulf", x, x), 1, 0.0), 1 / columns)
    scale = t.unary("rsqrt", t.binary("addf", mean, 1e-6))
    return t.binary(
        "mulf", t.binary("mulf", x, t.broadcast(scale, x.shape, 1)), t.broadcast(gamma, x.shape, 0)
    )


def gelu_erf(t: Tensors, x: Value) -> Value:
    half = t.binary("mulf", x, 0.5)
    return t.binary("mulf", half, t.binary("addf", t.unary("erf", t.binary("mulf", x, 0.5**0.5)), 1.0))


def _gelu_argument(t: Tensors, x: Value) -> Value:
    cube = t.binary("mulf", t.binary("mulf", x, x), x)
    return t.binary("mulf", t.binary("addf", x, t.binary("mulf", cube, 0.044715)), 0.7978845608028654)


def gelu_tanh(t: Tensors, x: Value) -> Value:
    bent = t.unary("tanh", _gelu_argument(t, x))
    return t.binary("mulf", t.binary("mulf", x, 0.5), t.binary("addf", bent, 1.0))


def gelu_exp(t: Tensors, x: Value) -> Value:
    """The tanh form through an exponential: 0.5 (1 + tanh u) = 1 / (1 + exp(-2u))."""
    power = t.unary("exp", t.binary("mulf", _gelu_argument(t, x), -2.0))
    return t.binary("divf", x, t.binary("addf", power, 1.0))


def transpose(t: Tensors, x: Value) -> Value:
    return t.transpose(x)


def row_sum(t: Tensors, x: Value) -> Value:
    return t.reduce("addf", x, 1, 0.0)


def row_max(t: Tensors, x: Value) -> Value:
    return t.reduce("maximumf", x, 1, LOWEST)


def column_sum(t: Tensors, x: Value) -> Value:
    return t.reduce("addf", x, 0, 0.0)


def column_max(t: Tensors, x: Value) -> Value:
    return t.reduce("maximumf", x, 0, LOWEST)


def argmax(t: Tensors, x: Value) -> Value:
    return t.argmax(x)


def integers(t: Tensors, x: Value, y: Value) -> Value:
    """(x * y + max(x, y)) - min(x, 7)"""
    product = t.binary("muli", x, y)
    return t.binary("subi", t.binary("addi", product, t.binary("maxsi", x, y)), t.binary("minsi", x, 7))


def bits(t: Tensors, x: Value, y: Value) -> Value:
    return t.binary("xori", t.binary("andi", x, y), t.binary("ori", x, y))


def shifts(t: Tensors, x: Value, y: Value) -> Value:
    return t.binary("addi", t.binary("shli", x, 3), t.binary("shrsi", y, 2))


def division(t: Tensors, x: Value, y: Value) -> Value:
    return t.binary("divsi", x, y)


def equal(t: Tensors, x: Value, y: Value) -> Value:
    return t.select(t.compare("eq", x, y), x, t.full(-1, x.shape, x.element))


def less(t: Tensors, x: Value, y: Value) -> Value:
    return t.select(t.compare("slt", x, y), x, y)


def mask_bytes(t: Tensors, x: Value, y: Value) -> Value:
    """x < y as bytes 0 and 1."""
    return t.cast("extui", t.compare("olt", x, y), "i8")


def widen(t: Tensors, x: Value) -> Value:
    """Half precision in, square in f32, half precision out."""
    wide = t.cast("extf", x, "f32")
    return t.cast("truncf", t.binary("mulf", wide, wide), x.element)


def half_sum(t: Tensors, x: Value) -> Value:
    """Row sums in f32 of half precision."""
    return t.reduce("addf", t.cast("extf", x, "f32"), 1, 0.0)


def named_argmax(t: Tensors, x: Value) -> Value:
    return t.named_argmax(x)


def to_float(t: Tensors, x: Value) -> Value:
    return t.cast("sitofp", x, "f32")


def to_int(t: Tensors, x: Value) -> Value:
    return t.cast("fptosi", x, "i32")
