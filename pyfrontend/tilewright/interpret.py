"""An interpreter of kernels in NumPy: what the IR means, before and after each pass.

It walks a module through MLIR's bindings and executes func, arith, math, tensor, linalg, scf and, with
interpret_hivm.py, memref and hivm. It knows nothing of graphs or layouts, so that emission and passes are
judged by something independent of them. Arithmetic is that of the types (f32 stays f32), whole tensors at a
time. A sum inside one ``linalg.generic`` is accumulated in float64 and rounded once; loops in the IR round as
the IR says.

Values: Python integers for index and i64; NumPy scalars for other numbers; arrays for tensors (never changed
after they are made) and memrefs (views of the caller's memory).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import dtypes

if TYPE_CHECKING:
    from .mlir import ir as ir_types

Handler = Callable[["Interpreter", Any, list[Any]], "Sequence[Any] | None"]

HANDLERS: dict[str, Handler] = {}
"""The meaning of each operation: given the operation and its operands' values, the values of its results."""


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Register the meaning of operations."""

    def register(function: Handler) -> Handler:
        for name in names:
            HANDLERS[name] = function
        return function

    return register


class UnknownOperationError(Exception):
    """The interpreter does not know an operation; ``str()`` names it."""


class Interpreter:
    """Executes the functions of one module.

    Attributes:
        module: the parsed module, in its context.
        env: the values of the running function.
    """

    def __init__(self, module: ir_types.Module) -> None:
        from .mlir import ir

        self.ir: Any = ir
        self.module = module
        self.env: dict[Any, Any] = {}
        #: Where the cores of a launch meet (interpret_hivm.py).
        self.barrier: Any = None

    def kernel(self) -> Any:
        """The function marked ``tw.kernel`` or the only one."""
        functions = [o for o in self.module.body.operations if o.operation.name == "func.func"]
        marked = [f for f in functions if "tw.kernel" in f.attributes]
        return (marked or functions)[0]

    def argument_names(self) -> list[str]:
        """The meaning of each argument of the kernel: "x" or "tensor:x", "s0" or "scalar:s0", ..."""
        attributes = self.kernel().attributes
        if "tw.args" in attributes:
            return [str(self.ir.StringAttr(a).value) for a in self.ir.ArrayAttr(attributes["tw.args"])]
        found: list[str] = []
        for each in self.ir.ArrayAttr(attributes["arg_attrs"]):
            named = self.ir.DictAttr(each)
            key = "tw.arg" if "tw.arg" in named else "tw.name"
            found.append(str(self.ir.StringAttr(named[key]).value))
        return found

    def call(self, arguments: Sequence[Any]) -> list[Any]:
        """Run the kernel on these arguments; the values it returns."""
        block = self.kernel().regions[0].blocks[0]
        with np.errstate(all="ignore"):
            return self.run(block, arguments)

    def run(self, block: Any, arguments: Sequence[Any]) -> list[Any]:
        """Run a block; the operands of its terminator."""
        for argument, value in zip(block.arguments, arguments, strict=True):
            self.env[argument] = value
        operations = list(block.operations)
        for operation in operations:
            op = operation.operation
            operands = [self.env[o] for o in op.operands]
            if op.name in TERMINATORS:
                return operands
            handler = HANDLERS.get(op.name)
            if handler is None:
                raise UnknownOperationError(f"{op.name} at {op.location}")
            results = handler(self, op, operands) or ()
            for result, value in zip(op.results, results, strict=True):
                self.env[result] = value
        return []

    def region(self, op: Any, arguments: Sequence[Any]) -> list[Any]:
        """Run the first region of an operation."""
        return self.run(op.regions[0].blocks[0], arguments)

    def dtype(self, type_: Any) -> np.dtype[Any] | None:
        """The NumPy type of an MLIR type's elements; None for index and i64, which are Python integers."""
        name = str(self.ir.ShapedType(type_).element_type if self.ir.ShapedType.isinstance(type_) else type_)
        if name == "i1":
            return np.dtype(bool)
        if name in ("i8", "i64"):
            return np.dtype(name.replace("i", "int"))
        return None if name == "index" else dtypes.numpy_dtype(name)

    def constant(self, attribute: Any, type_: Any) -> Any:
        """The value of a number attribute."""
        ir = self.ir
        if ir.DenseElementsAttr.isinstance(attribute):
            splat = ir.DenseElementsAttr(attribute).get_splat_value()
            return self.constant(splat, ir.ShapedType(type_).element_type)
        name = str(type_)
        if name in ("index", "i64"):
            return int(ir.IntegerAttr(attribute).value)
        dtype = self.dtype(type_)
        assert dtype is not None
        if ir.FloatAttr.isinstance(attribute):
            return dtype.type(ir.FloatAttr(attribute).value)
        kind = ir.BoolAttr if ir.BoolAttr.isinstance(attribute) else ir.IntegerAttr
        return dtype.type(kind(attribute).value)


TERMINATORS = frozenset({"func.return", "linalg.yield", "scf.yield", "scf.forall.in_parallel"})


def interpret(text: str, arguments: Mapping[str, Any]) -> list[Any]:
    """Run the kernel of a module.

    Args:
        text: the module.
        arguments: value of each argument by its meaning, see ``Interpreter.argument_names``; "tensor:" and
            "scalar:" may be left out.

    Returns:
        The results, arrays in the shapes of the IR. Functions on memrefs write into their arguments.

    Raises:
        UnknownOperationError: the module has an operation without a meaning here.
        KeyError: an argument is missing.
    """
    from .mlir import ir

    with ir.Context():
        interpreter = Interpreter(ir.Module.parse(text))
        values = [
            arguments[name] if name in arguments else arguments[name.partition(":")[2]]
            for name in interpreter.argument_names()
        ]
        return interpreter.call(values)


def on_memrefs(text: str) -> bool:
    """Whether the kernel of a module works on memory instead of tensors."""
    from .mlir import ir

    with ir.Context():
        interpreter = Interpreter(ir.Module.parse(text))
        arguments = interpreter.kernel().regions[0].blocks[0].arguments
        return any("memref" in str(a.type) for a in arguments)


# -- arith and math: the same for numbers and for arrays ------------------------------------------------


def _binary(function: Callable[[Any, Any], Any]) -> Handler:
    def handler(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
        del op
        return (function(*operands),)

    return handler


def _unary(function: Callable[[Any], Any]) -> Handler:
    def handler(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
        del op
        return (function(operands[0]),)

    return handler


def _divide_integers(a: Any, b: Any) -> Any:
    """Integer quotient, towards zero."""
    quotient = np.abs(a) // np.abs(b) * np.sign(a) * np.sign(b)
    return int(quotient) if isinstance(a, int) else quotient


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addf": lambda a, b: a + b,
    "arith.subf": lambda a, b: a - b,
    "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: np.divide(a, b),
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.divsi": _divide_integers,
    "arith.divui": lambda a, b: a // b,
    "arith.ceildivsi": lambda a, b: -(-a // b),
    "arith.ceildivui": lambda a, b: -(-a // b),
    "arith.floordivsi": lambda a, b: a // b,
    "arith.remsi": lambda a, b: a - _divide_integers(a, b) * b,
    "arith.remui": lambda a, b: a % b,
    "arith.maxsi": lambda a, b: max(a, b) if isinstance(a, int) else np.maximum(a, b),
    "arith.minsi": lambda a, b: min(a, b) if isinstance(a, int) else np.minimum(a, b),
    "arith.andi": lambda a, b: a & b,
    "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b,
}
_BINARY["arith.maxui"], _BINARY["arith.minui"] = _BINARY["arith.maxsi"], _BINARY["arith.minsi"]
_UNARY: dict[str, Callable[[Any], Any]] = {
    "arith.negf": lambda a: -a,
    "math.absf": np.abs,
    "math.absi": np.abs,
    "math.exp": np.exp,
    "math.log": np.log,
    "math.sqrt": np.sqrt,
    "math.rsqrt": lambda a: np.float32(1) / np.sqrt(a),
}
HANDLERS.update({name: _binary(function) for name, function in _BINARY.items()})
HANDLERS.update({name: _unary(function) for name, function in _UNARY.items()})

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_CMPF = ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une")
_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


@handles("arith.constant")
def _constant(interpreter: Interpreter, op: Any, _: list[Any]) -> Sequence[Any]:
    type_ = op.results[0].type
    value = interpreter.constant(op.attributes["value"], type_)
    if interpreter.ir.ShapedType.isinstance(type_):
        return (np.full(interpreter.ir.ShapedType(type_).shape, value),)
    return (value,)


@handles("arith.cmpf")
def _cmpf(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    name = _CMPF[int(interpreter.ir.IntegerAttr(op.attributes["predicate"]).value)]
    a, b = operands
    unordered = np.isnan(a) | np.isnan(b)
    if name == "ord":
        return (~unordered,)
    outcome = _RELATIONS[name[1:]](a, b)
    return (outcome | unordered if name[0] == "u" else outcome & ~unordered,)


@handles("arith.cmpi")
def _cmpi(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    name = _CMPI[int(interpreter.ir.IntegerAttr(op.attributes["predicate"]).value)]
    outcome = _RELATIONS[name.lstrip("su") if name not in _RELATIONS else name](*operands)
    return (bool(outcome) if isinstance(operands[0], int) else outcome,)


@handles("arith.select")
def _select(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    condition, yes, no = operands
    if isinstance(condition, (bool, np.bool_)):
        return (yes if condition else no,)
    return (np.where(condition, yes, no),)


@handles("arith.index_cast", "arith.index_castui")
def _index_cast(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del interpreter
    name = str(op.results[0].type)
    return (int(operands[0]) if name in ("index", "i64") else dtypes.numpy_dtype(name).type(operands[0]),)


@handles(
    "arith.extf", "arith.truncf", "arith.extsi", "arith.extui", "arith.trunci", "arith.sitofp",
    "arith.uitofp", "arith.fptosi", "arith.bitcast",
)  # fmt: skip
def _cast(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    name, type_ = op.name, op.results[0].type
    value = operands[0]
    if str(type_) in ("index", "i64"):
        return (int(value),)
    dtype = interpreter.dtype(type_)
    assert dtype is not None
    if name == "arith.bitcast":
        return (np.asarray(value).view(dtype)[()],)
    if name == "arith.fptosi":
        value = np.trunc(value)
    return (np.asarray(value).astype(dtype)[()],)


# -- tensor and linalg -----------------------------------------------------------------------------------


def mixed(op: Any, static: str, dynamic: Sequence[Any], sentinel: int) -> list[int]:
    """Numbers that are attributes or operands: the attribute with ``sentinel`` where an operand stands."""
    values = iter(dynamic)
    return [int(next(values)) if n == sentinel else int(n) for n in op.attributes[static]]


def segments(op: Any, operands: Sequence[Any]) -> list[list[Any]]:
    """The operands by group, as ``operandSegmentSizes`` says."""
    found: list[list[Any]] = []
    at = 0
    for size in op.attributes["operandSegmentSizes"]:
        found.append(list(operands[at : at + size]))
        at += size
    return found


DYNAMIC = -(2**63)
"""The mark of a number that is an operand (ShapedType::kDynamic)."""


def box(op: Any, offsets: Sequence[Any], sizes: Sequence[Any], strides: Sequence[Any]) -> tuple[slice, ...]:
    """The slices of an operation with offsets, sizes and strides."""
    starts = mixed(op, "static_offsets", offsets, DYNAMIC)
    counts = mixed(op, "static_sizes", sizes, DYNAMIC)
    steps = mixed(op, "static_strides", strides, DYNAMIC)
    return tuple(
        slice(start, start + (count - 1) * step + 1 if count else start, step)
        for start, count, step in zip(starts, counts, steps, strict=True)
    )


def _inside(array: Any, where: tuple[slice, ...], op: Any) -> None:
    for extent, part in zip(array.shape, where, strict=True):
        if part.start < 0 or part.stop > extent:
            raise IndexError(f"{op.name} of {where} goes beyond the shape {array.shape}, {op.location}")


@handles("tensor.empty")
def _empty(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    type_ = interpreter.ir.ShapedType(op.results[0].type)
    sizes = iter(operands)
    shape = [int(next(sizes)) if type_.is_dynamic_dim(i) else type_.shape[i] for i in range(type_.rank)]
    dtype = interpreter.dtype(op.results[0].type)
    # What nobody wrote must not look like a result.
    is_float = dtype is not None and (dtype.kind == "f" or dtype == dtypes.numpy_dtype("bf16"))
    fill = np.nan if is_float else 77
    return (np.full(shape, fill, dtype),)


@handles("tensor.dim", "memref.dim")
def _dim(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    return (int(operands[0].shape[operands[1]]),)


@handles("tensor.extract")
def _extract(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    return (operands[0][tuple(operands[1:])],)


@handles("tensor.insert")
def _insert(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    copy = operands[1].copy()
    copy[tuple(operands[2:])] = operands[0]
    return (copy,)


@handles("tensor.cast", "memref.cast", "memref.memory_space_cast")
def _same(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    return (operands[0],)


@handles("tensor.extract_slice")
def _extract_slice(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    [[source], offsets, sizes, strides] = segments(op, operands)
    where = box(op, offsets, sizes, strides)
    _inside(source, where, op)
    return (_drop(interpreter, op, source[where], op.results[0].type),)


def _drop(interpreter: Interpreter, op: Any, a: Any, type_: Any) -> Any:
    """A slice whose result type may lack some dimensions of extent 1."""
    rank = interpreter.ir.ShapedType(type_).rank
    fixed = [int(n) for n in op.attributes["static_sizes"]]
    axes = [i for i, n in enumerate(fixed) if n == 1][: a.ndim - rank] if a.ndim > rank else []
    return a.squeeze(tuple(axes)) if axes else a


@handles("tensor.insert_slice")
def _insert_slice(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    [[source], [target], offsets, sizes, strides] = segments(op, operands)
    where = box(op, offsets, sizes, strides)
    _inside(target, where, op)
    copy = target.copy()
    copy[where] = source.reshape(copy[where].shape)
    return (copy,)


@handles("linalg.fill")
def _fill(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    value, target = operands
    if not op.results:
        target[...] = value
        return ()
    return (np.full(target.shape, value, target.dtype),)


_COMBINERS: dict[str, Callable[[Any, tuple[int, ...]], Any]] = {
    "arith.addf": lambda a, axes: a.sum(axis=axes, dtype=np.float64).astype(a.dtype),
    "arith.maximumf": lambda a, axes: np.max(a, axis=axes),
    "arith.minimumf": lambda a, axes: np.min(a, axis=axes),
}


@handles("linalg.generic")
def _generic(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    ir = interpreter.ir
    inputs, outputs = segments(op, operands)
    maps = [
        [int(str(e)[1:]) for e in ir.AffineMapAttr(m).value.results] for m in op.attributes["indexing_maps"]
    ]
    kinds = ["reduction" in str(k) for k in op.attributes["iterator_types"]]
    rank = len(kinds)
    extents = [0] * rank
    for dims, array in zip(maps, operands, strict=True):
        for d, extent in zip(dims, array.shape, strict=True):
            extents[d] = extent
    for dims, array in zip(maps, operands, strict=True):
        wanted = tuple(extents[d] for d in dims)
        if wanted != array.shape:
            raise IndexError(f"an operand of linalg.generic has the shape {array.shape}, not {wanted}")
    spread = [_spread(a, dims, rank) for a, dims in zip(operands, maps, strict=True)]
    out_maps = maps[len(inputs) :]
    if not any(kinds):
        yielded = interpreter.region(op, spread)
        found = [
            _collect(value, extents, dims, out.dtype)
            for value, dims, out in zip(yielded, out_maps, outputs, strict=True)
        ]
    else:
        found = _reduce(interpreter, op, spread, extents, kinds, out_maps, outputs)
    if op.results:
        return found
    for out, value in zip(outputs, found, strict=True):
        out[...] = value
    return ()


def _spread(a: Any, dims: Sequence[int], rank: int) -> Any:
    """An operand with one axis for each loop, of extent 1 where it does not vary."""
    ordered = a.transpose(sorted(range(len(dims)), key=lambda i: dims[i]))
    return ordered[tuple(slice(None) if d in dims else None for d in range(rank))]


def _collect(value: Any, extents: Sequence[int], dims: Sequence[int], dtype: Any) -> Any:
    """A yielded value over all loops as a result along ``dims``; the other loops have extent 1 in it."""
    inner = [d for d in range(len(extents)) if d in dims]
    value = np.asarray(value, dtype)
    value = value.reshape((1,) * (len(extents) - value.ndim) + value.shape)
    shape = [extents[d] if d in dims else 1 for d in range(len(extents))]
    flat = np.broadcast_to(value, shape).reshape([extents[d] for d in inner])
    return np.ascontiguousarray(flat.transpose([inner.index(d) for d in dims]))


def _reduce(
    interpreter: Interpreter,
    op: Any,
    spread: Sequence[Any],
    extents: Sequence[int],
    kinds: Sequence[bool],
    out_maps: Sequence[Sequence[int]],
    outputs: Sequence[Any],
) -> list[Any]:
    """A nest with reductions: all at once if its body ends in plain combiners, else point by point."""
    block = op.regions[0].blocks[0]
    accumulators = list(block.arguments)[len(spread) - len(outputs) :]
    ends = [_combiner(v, a) for v, a in zip(_last(block).operands, accumulators, strict=True)]
    axes = tuple(d for d, reduced in enumerate(kinds) if reduced)
    # A result along all axes is no reduction: every point writes an element of its own.
    whole = [
        len(dims) == len(kinds) and not list(a.uses) for dims, a in zip(out_maps, accumulators, strict=True)
    ]
    if all(e is not None or w for e, w in zip(ends, whole, strict=True)):
        yielded = interpreter.region(op, spread)
        found: list[Any] = []
        for end, value, dims, out in zip(ends, yielded, out_maps, outputs, strict=True):
            if end is None:
                found.append(_collect(value, extents, dims, out.dtype))
                continue
            name, term = end
            values = np.broadcast_to(interpreter.env[term], extents)
            if 0 in extents:
                found.append(out.copy())
                continue
            total = _COMBINERS[name](values, axes)
            kept = [d for d in range(len(extents)) if not kinds[d]]
            total = total.transpose([kept.index(d) for d in dims])
            found.append(np.asarray(_BINARY[name](out, total), out.dtype))
        return found
    current = list(spread[len(spread) - len(outputs) :])
    inputs = spread[: len(spread) - len(outputs)]
    for point in np.ndindex(*(extents[d] for d in axes)):
        place = dict(zip(axes, point, strict=True))
        here = [
            a[tuple(slice(place[d], place[d] + 1) if d in place and a.shape[d] > 1 else slice(None)
                    for d in range(len(extents)))]
            for a in inputs
        ]  # fmt: skip
        current = [
            np.broadcast_to(np.asarray(v, c.dtype), c.shape)
            for v, c in zip(interpreter.region(op, [*here, *current]), current, strict=True)
        ]
    return [
        _collect(c, [1 if k else e for e, k in zip(extents, kinds, strict=True)], dims, out.dtype)
        for c, dims, out in zip(current, out_maps, outputs, strict=True)
    ]


def _last(block: Any) -> Any:
    return list(block.operations)[-1].operation


def _combiner(value: Any, accumulator: Any) -> tuple[str, Any] | None:
    """(operation, term) if ``value`` is the accumulator combined once with a term that does not use it."""
    owner = value.owner
    if not hasattr(owner, "name") or owner.name not in _COMBINERS or len(list(accumulator.uses)) != 1:
        return None
    first, second = owner.operands
    if first == accumulator:
        return owner.name, second
    return (owner.name, first) if second == accumulator else None


# -- scf ---------------------------------------------------------------------------------------------------


@handles("scf.for")
def _for(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    lower, upper, step, *carried = operands
    if step <= 0:
        raise ValueError(f"scf.for with step {step}, {op.location}")
    for i in range(lower, upper, step):
        carried = interpreter.region(op, [i, *carried])
    return carried


@handles("scf.if")
def _if(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    region = op.regions[0 if operands[0] else 1]
    return interpreter.run(region.blocks[0], ()) if len(region.blocks) else ()


@handles("scf.while")
def _while(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    raise UnknownOperationError(f"scf.while at {op.location}")


@handles("scf.forall")
def _forall(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    lower, upper, step, shared = segments(op, operands)
    starts = mixed(op, "staticLowerBound", lower, DYNAMIC)
    ends = mixed(op, "staticUpperBound", upper, DYNAMIC)
    steps = mixed(op, "staticStep", step, DYNAMIC)
    block = op.regions[0].blocks[0]
    outs = [a.copy() for a in shared]
    ranges = [range(*r) for r in zip(starts, ends, steps, strict=True)]
    for point in np.ndindex(*(len(r) for r in ranges)):
        # Each instance sees the destinations as they were before the loop.
        interpreter.run(block, [*(r[i] for r, i in zip(ranges, point, strict=True)), *shared])
        place = dict(zip(list(block.arguments)[len(ranges) :], outs, strict=True))
        for inner in _last(block).regions[0].blocks[0].operations:
            insert = inner.operation
            [[source], [target], offsets, sizes, strides] = segments(insert, list(insert.operands))
            numbers = [[interpreter.env[v] for v in group] for group in (offsets, sizes, strides)]
            where = box(insert, *numbers)
            _inside(place[target], where, insert)
            view = place[target][where]
            view[...] = interpreter.env[source].reshape(view.shape)
    return outs
