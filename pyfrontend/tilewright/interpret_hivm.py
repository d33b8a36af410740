"""The meaning of memref and hivm operations, for interpret.py.

A memref is a window into a flat array: GM arguments into the caller's, UB buffers into arrays made by
``memref.alloc``, full of values that no right result has. Every access is checked against the flat array.
Vector operations work on whole windows in the types of the IR; a load pads the rest of its last block of 32
bytes, as the transfer engine does. Flags and double buffering mean nothing here (the emulator's check mode is
for those); ``sync_block`` waits for all cores, which run as threads.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import dtypes
from .interpret import DYNAMIC, Interpreter, UnknownOperationError, handles, mixed, segments

Array = Any
BLOCK_BYTES = 32


class Memory(NamedTuple):
    """A memref: the flat array of the allocation, and a strided window of it (in elements)."""

    flat: Array
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    @staticmethod
    def whole(flat: Array) -> Memory:
        """All of a flat array."""
        return Memory(flat, 0, (flat.size,), (1,))

    @property
    def shape(self) -> tuple[int, ...]:
        return self.sizes

    @property
    def window(self) -> Array:
        """The window as an array; writing to it writes to the memory. Raises IndexError outside of it."""
        reach = self.offset + sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))
        if 0 not in self.sizes and not (self.offset >= 0 and reach < self.flat.size):
            raise IndexError(f"elements {self.offset} to {reach} of a buffer of {self.flat.size}")
        start = self.flat[self.offset :] if 0 not in self.sizes else self.flat
        item = self.flat.itemsize
        return np.lib.stride_tricks.as_strided(start, self.sizes, [s * item for s in self.strides])


class Barrier:
    """Where the cores of a launch meet; made for one run."""

    def __init__(self, cores: int) -> None:
        self.barrier = threading.Barrier(cores)

    def wait(self) -> None:
        self.barrier.wait()


# -- memref ----------------------------------------------------------------------------------------------


def _row_major(shape: Sequence[int]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for n in reversed(shape):
        strides.insert(0, step)
        step *= n
    return tuple(strides)


@handles("memref.alloc", "memref.alloca")
def _alloc(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    type_ = interpreter.ir.ShapedType(op.results[0].type)
    sizes = iter(operands)
    shape = tuple(int(next(sizes)) if type_.is_dynamic_dim(i) else type_.shape[i] for i in range(type_.rank))
    dtype = interpreter.dtype(op.results[0].type)
    assert dtype is not None
    flat = np.full(int(np.prod(shape)), 0xFF, np.uint8).repeat(dtype.itemsize).view(dtype)
    return (Memory(flat, 0, shape, _row_major(shape)),)


@handles("memref.dealloc", "annotation.mark", "memref.assume_alignment")
def _nothing(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op, operands
    return ()


@handles("memref.reinterpret_cast")
def _reinterpret(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    [[source], offsets, sizes, strides] = segments(op, operands)
    [offset] = mixed(op, "static_offsets", offsets, DYNAMIC)
    shape = mixed(op, "static_sizes", sizes, DYNAMIC)
    return (Memory(source.flat, offset, tuple(shape), tuple(mixed(op, "static_strides", strides, DYNAMIC))),)


@handles("memref.subview")
def _subview(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    [[source], offsets, sizes, strides] = segments(op, operands)
    at = mixed(op, "static_offsets", offsets, DYNAMIC)
    shape = mixed(op, "static_sizes", sizes, DYNAMIC)
    steps = mixed(op, "static_strides", strides, DYNAMIC)
    for start, count, step, extent in zip(at, shape, steps, source.sizes, strict=True):
        if count and not 0 <= start <= start + (count - 1) * step < extent:
            raise IndexError(
                f"a view of {at} with {shape} elements of the shape {source.sizes}, {op.location}"
            )
    offset = source.offset + sum(a * s for a, s in zip(at, source.strides, strict=True))
    rank = interpreter.ir.ShapedType(op.results[0].type).rank
    fixed = [int(n) for n in op.attributes["static_sizes"]]
    dropped = [i for i, n in enumerate(fixed) if n == 1][: len(shape) - rank] if len(shape) > rank else []
    kept = [i for i in range(len(shape)) if i not in dropped]
    return (
        Memory(
            source.flat,
            offset,
            tuple(shape[i] for i in kept),
            tuple(source.strides[i] * steps[i] for i in kept),
        ),
    )


@handles("memref.view")
def _view(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    source, shift, *sizes = operands
    type_ = interpreter.ir.ShapedType(op.results[0].type)
    given = iter(sizes)
    shape = tuple(int(next(given)) if type_.is_dynamic_dim(i) else type_.shape[i] for i in range(type_.rank))
    dtype = interpreter.dtype(op.results[0].type)
    assert dtype is not None
    start = source.offset + shift
    end = start + int(np.prod(shape)) * dtype.itemsize
    if end > source.flat.size:
        raise IndexError(f"a view of the bytes {start} to {end} of {source.flat.size}, {op.location}")
    return (Memory(source.flat[start:end].view(dtype), 0, shape, _row_major(shape)),)


@handles("memref.collapse_shape", "memref.expand_shape")
def _reshape(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del interpreter
    raise UnknownOperationError(f"{op.name} at {op.location} of {operands[0].sizes}")


@handles("memref.load")
def _load_one(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    return (operands[0].window[tuple(operands[1:])],)


@handles("memref.store")
def _store_one(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    operands[1].window[tuple(operands[2:])] = operands[0]
    return ()


@handles("memref.copy", "hivm.hir.copy", "hivm.hir.store")
def _copy(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    source, target = operands[:2]
    if source.sizes != target.sizes:
        raise IndexError(f"{op.name} of {source.sizes} to {target.sizes}, {op.location}")
    target.window[...] = source.window.copy()
    return ()


# -- hivm --------------------------------------------------------------------------------------------------


def _word(op: Any, name: str, default: str = "") -> str:
    """The word of an enumeration attribute: ``#hivm.compare_mode<gt>`` -> "gt"."""
    if name not in op.attributes:
        return default
    found = re.search(r"<(\w+)>", str(op.attributes[name]))
    return found.group(1) if found else default


@handles("hivm.hir.load")
def _load(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del interpreter
    [source], [target], pad, left, right, condition = segments(op, operands)
    if left or right or condition:
        raise UnknownOperationError(f"{op.name} with padding counts at {op.location}")
    if source.sizes != target.sizes:
        raise IndexError(f"{op.name} of {source.sizes} to {target.sizes}, {op.location}")
    if pad and target.sizes and target.strides[-1] == 1 and 0 not in target.sizes:
        # The last block of each row is filled with the value.
        block = BLOCK_BYTES // target.flat.itemsize
        columns = -(-target.sizes[-1] // block) * block
        if len(target.sizes) == 1 or target.strides[-2] >= columns:
            room = (
                target.flat.size
                - target.offset
                - sum((n - 1) * s for n, s in zip(target.sizes[:-1], target.strides[:-1], strict=True))
            )
            padded = target._replace(sizes=(*target.sizes[:-1], min(columns, room)))
            padded.window[..., target.sizes[-1] :] = pad[0]
    target.window[...] = source.window
    return ()


def _values(operands: Sequence[Any]) -> list[Any]:
    return [o.window if isinstance(o, Memory) else o for o in operands]


def _elementwise(function: Callable[..., Any]) -> Callable[[Interpreter, Any, list[Any]], Sequence[Any]]:
    def handler(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
        del interpreter
        inputs, [target] = segments(op, operands)[:2]
        if list(op.attributes["transpose"]):
            raise UnknownOperationError(f"{op.name} with transpose at {op.location}")
        window = target.window
        window[...] = np.asarray(function(*_values(inputs))).astype(window.dtype)
        return ()

    return handler


_ONE = np.float32(1)
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "vadd": lambda a, b: a + b,
    "vsub": lambda a, b: a - b,
    "vmul": lambda a, b: a * b,
    "vdiv": np.divide,
    "vmax": np.maximum,
    "vmin": np.minimum,
    "vand": lambda a, b: a & b,
    "vor": lambda a, b: a | b,
    "vnot": lambda a: ~a,
    "vabs": np.abs,
    "vexp": np.exp,
    "vln": np.log,
    "vsqrt": np.sqrt,
    "vrsqrt": lambda a: _ONE / np.sqrt(a),
    "vrec": lambda a: _ONE / a,
    "vrelu": lambda a: np.maximum(a, 0),
    "vsel": np.where,
}
for _name, _function in _FUNCTIONS.items():
    handles(f"hivm.hir.{_name}")(_elementwise(_function))

_COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@handles("hivm.hir.vcmp")
def _compare(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    return _elementwise(_COMPARE[_word(op, "compare_mode", "eq")])(interpreter, op, operands)


@handles("hivm.hir.vcast")
def _cast(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    [source], [target] = segments(op, operands)[:2]
    value, window = source.window, target.window
    to_integer = window.dtype.kind == "i" and (
        value.dtype.kind == "f" or value.dtype == dtypes.numpy_dtype("bf16")
    )
    if to_integer:
        mode = _word(op, "round_mode", "rint")
        rounding: dict[str, Callable[[Any], Any]] = {
            "rint": np.rint,
            "trunc": np.trunc,
            "floor": np.floor,
            "ceil": np.ceil,
        }
        value = rounding[mode](value.astype(np.float64))
    del interpreter
    window[...] = value.astype(window.dtype)
    return ()


@handles("hivm.hir.vbrc")
def _broadcast(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    source, target = operands[:2]
    window = target.window
    value = source.window if isinstance(source, Memory) else source
    window[...] = np.broadcast_to(np.asarray(value).astype(window.dtype), window.shape)
    del op
    return ()


@handles("hivm.hir.vreduce")
def _reduce(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    [source], [target] = segments(op, operands)[:2]
    axes = tuple(int(d) for d in op.attributes["reduce_dims"])
    kind = _word(op, "arith")
    value = source.window
    if kind == "sum":
        found = value.sum(axis=axes, dtype=np.float64, keepdims=True)
    elif kind in ("max", "min"):
        found = (np.max if kind == "max" else np.min)(value, axis=axes, keepdims=True)
    else:
        raise UnknownOperationError(f"vreduce <{kind}> at {op.location}")
    window = target.window
    window[...] = found.reshape(window.shape).astype(window.dtype)
    return ()


@handles("hivm.hir.vgather")
def _gather(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op
    source, indices, target = (operand.window for operand in operands[:3])
    target[...] = source[indices]
    return ()


@handles("hivm.hir.sync_block")
def _sync_block(interpreter: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del operands
    if interpreter.barrier is None:
        raise UnknownOperationError(f"sync_block in a launch of one core at {op.location}")
    interpreter.barrier.wait()
    return ()


@handles("hivm.hir.pipe_barrier")
def _pipe_barrier(_: Interpreter, op: Any, operands: list[Any]) -> Sequence[Any]:
    del op, operands
    return ()


def launch(text: str, arguments: dict[str, Any], cores: int) -> None:
    """Run a kernel on memrefs on all cores.

    Args:
        text: the module.
        arguments: flat arrays and numbers by meaning, see ``Interpreter.argument_names``; "pid:x" is added.
        cores: blocks, one thread each.

    Raises:
        UnknownOperationError: the module has an operation without a meaning here.
        IndexError: an access outside a buffer or an argument.
    """
    from .mlir import ir

    with ir.Context() as context:
        module = ir.Module.parse(text)
        barrier = Barrier(cores)
        errors: list[Exception] = []

        def run(core: int) -> None:
            interpreter = Interpreter(module)
            interpreter.barrier = barrier
            try:
                with context:
                    values = [
                        _argument(n, {**arguments, "pid:x": core}) for n in interpreter.argument_names()
                    ]
                    interpreter.call(values)
            except threading.BrokenBarrierError:
                pass  # another core failed
            except Exception as error:
                errors.append(error)
                barrier.barrier.abort()

        threads = [threading.Thread(target=run, args=(core,)) for core in range(cores)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if errors:
        raise errors[0]


def _argument(name: str, arguments: dict[str, Any]) -> Any:
    value = arguments[name] if name in arguments else arguments[name.partition(":")[2]]
    return Memory.whole(value) if isinstance(value, np.ndarray) else value
