"""Plans: what C++ asks for when a call has new shapes, strides, types or attributes.

The key of a call, in bytes: the operator's number, then each argument of the schema except run-time numbers
(a tensor: type, rank, sizes, strides; an absent one: -1; a choice: its value), then device type and index.
"""

from __future__ import annotations

import ctypes
import functools
import math
import struct
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tilewright import binding, canonical, dtypes, kernel, placement
from tilewright.binding import Signature
from tilewright.definition import Op
from tilewright.errors import MissingError, TilewrightError
from tilewright.placement import Info
from tilewright.runtime import Argument as Field
from tilewright.runtime import argument_struct
from tilewright.torch import device as device_module
from tilewright.torch import library
from tilewright.torch.schemas import TENSORS, Form

_CPU = 0

#: torch's type numbers (c10/core/ScalarType.h); those that are not here are refused by their number.
_TYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64",
    8: "complex32", 9: "complex64", 10: "complex128", 11: "bool", 15: "bfloat16",
}  # fmt: skip
_NUMBERS = {name: number for number, name in _TYPES.items()}
_ITEM_SIZES = {
    "uint8": 1, "int8": 1, "bool": 1, "int16": 2, "float16": 2, "bfloat16": 2, "float32": 4, "int32": 4,
    "int64": 8, "float64": 8, "complex32": 4, "complex64": 8, "complex128": 16,
}  # fmt: skip

_forms: dict[int, Form] = {}
_signatures: dict[int, Signature] = {}
_kept: list[Any] = []  # kernels whose handles C++ holds


def add(form: Form) -> int:
    """Register a form with the library and return its number."""
    number = int(library.load().twt_add_operator(form.name.encode(), form.kinds.encode()))
    if number < 0:
        raise RuntimeError("the library has no room for another operator")
    _forms[number] = form
    return number


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 4  # behind the operator's number

    def take(self, format: str) -> Any:
        found = struct.unpack_from("=" + format, self.data, self.at)
        self.at += struct.calcsize("=" + format)
        return found if len(found) != 1 else found[0]

    def tensor(self) -> Info | None:
        dtype = self.take("i")
        if dtype < 0:
            return None
        rank = self.take("i")
        sizes = struct.unpack_from(f"={rank}q", self.data, self.at)
        strides = struct.unpack_from(f"={rank}q", self.data, self.at + 8 * rank)
        self.at += 16 * rank
        name = _TYPES.get(dtype, f"torch type {dtype}")
        item = _ITEM_SIZES.get(name, 1)
        return Info(tuple(sizes), tuple(s * item for s in strides), name)

    def text(self) -> str:
        length = self.take("Q")
        found = self.data[self.at : self.at + length].decode(errors="replace")
        self.at += length
        return found


def read_key(form: Form, key: bytes) -> tuple[dict[str, Info | None], dict[str, Any], int, int]:
    """Tensors and choices by name, device type and index."""
    reader = _Reader(key)
    tensors: dict[str, Info | None] = {}
    choices: dict[str, Any] = {}
    for argument in form.arguments:
        if argument.kind in TENSORS:
            tensors[argument.name] = reader.tensor()
        elif argument.kind == "b":
            choices[argument.name] = bool(reader.take("Q"))
        elif argument.kind == "B":
            choices[argument.name] = tuple(bool(reader.take("B")) for _ in range(reader.take("Q")))
        elif argument.kind == "I":
            choices[argument.name] = reader.take("q")
        elif argument.kind == "s":
            choices[argument.name] = reader.text()
    type_, index = reader.take("ii")
    return tensors, choices, type_, index


def _own_tensor(form: Form, name: str) -> int:
    """Which of the schema's tensors a name is."""
    return form.tensors.index(name)


def describe(form: Form, key: bytes) -> tuple[Signature, list[int], bytes]:
    """The plan of a call: its signature, the numbers of readPlan (Plan.cpp), and the argument block.

    Raises:
        TilewrightError: what is wrong with the call, or with compiling for it.
    """
    tensors, choices, device_type, device = read_key(form, key)
    op = form.op
    signature = binding.prepare(op, [tensors[t.name] for t in op.tensors], choices)
    block = _Block(b"", (), device_module.EMULATOR, 0, 0, 0)
    if not signature.empty:
        block = _on_host(op, signature) if device_type == _CPU else _on_device(op, signature, device)
    pointers = [f.offset for f in block.fields if f.kind == "pointer"]
    pointers += [0] * (len(signature.positions) + len(signature.outputs) - len(pointers))
    words: list[int] = [block.way, int(signature.empty), block.cores, block.handle, len(signature.positions)]
    for i, (position, view) in enumerate(zip(signature.positions, signature.views, strict=True)):
        name = op.tensors[position].name
        info = tensors[name]
        assert info is not None
        size = signature.input_counts[i] * dtypes.TYPES[signature.input_types[i]].size
        copied = _copied(view, info.shape)
        words += (_own_tensor(form, name), pointers[i], size, int(copied is not None))
        for values in copied or ((), ()):
            words += _list(values)
    words.append(len(signature.outputs))
    for output, pointer in zip(signature.outputs, pointers[len(signature.positions) :], strict=True):
        type_ = dtypes.TYPES[output.dtype]
        words += (_NUMBERS[type_.long], pointer, math.prod(output.shape) * type_.size)
        words += _list(output.shape)
        words += _list(_dense_strides(output.shape, output.order))
        words += _list(() if output.final is None else _dense_strides(output.shape, output.final))
    missing = -2 if form.absent_is_empty else -1
    words += _list([missing if i is None else i for i in signature.returned])
    words.append(len(signature.updated))
    for output_index, parameter in signature.updated:
        words += (output_index, _own_tensor(form, op.tensors[parameter].name))
    workspace = next((f.offset for f in block.fields if f.kind == "workspace"), 0)
    words += (workspace, block.workspace)
    scalars = [] if signature.empty else _scalar_fields(signature, block.fields)
    words.append(len(scalars))
    for field in scalars:
        words += (field.offset, field.size)
    return signature, words, block.data


def _copied(view: Any, shape: Sequence[int]) -> tuple[list[int], list[int]] | None:
    """How a kernel wants a tensor that is not stored in its way: None as it is, else a dense copy.

    Returns:
        The extents of the copy, outermost first, and for each the dimension of the tensor that it runs along,
        -1 if the tensor is repeated there.
    """
    if view is None or view is placement.flatten:
        return None
    if isinstance(view, functools.partial):
        axes = view.args[0]
        return [shape[a] for a in axes], list(axes)
    assert isinstance(view, canonical.Spread)
    sizes, sources = [], []
    for d in view.target:
        axis = view.present.index(d) if d in view.present else -1
        sizes.append(view.dims[d])
        sources.append(axis if axis >= 0 and shape[axis] == view.dims[d] else -1)
    return sizes, sources


class _Block(NamedTuple):
    """The argument block of a launch: without addresses and scalars, and how it is launched."""

    data: bytes
    fields: tuple[Field, ...]
    way: int
    handle: int
    cores: int
    workspace: int


def _on_host(op: Op, signature: Signature) -> _Block:
    shared = kernel.compile(op, hivmc="ours").described(signature)
    loaded = shared.binary.loaded
    _kept.append(loaded)
    data = _pack(shared, 0)
    return _Block(
        data, shared.fields, device_module.EMULATOR, loaded.handle, shared.plan.cores, shared.plan.workspace
    )


@functools.cache
def _connect_acl() -> None:
    device_module.acl()
    if problem := library.load().twt_load_acl():
        raise MissingError(
            "TW5405",
            f"the CANN runtime of this process cannot launch kernels: {problem.decode()}",
            expected="CANN 8.1 or later",
        )


def _on_device(op: Op, signature: Signature, device: int) -> _Block:
    _connect_acl()
    choice = "ours" if device_module.is_emulated() else "cann"
    shared = kernel.compile(op, target=device_module.target(device), hivmc=choice).described(signature)
    entry = device_module.entry(shared.binary.path, shared.binary.name, device)
    data = _pack(shared, device_module.sync_area(device))
    return _Block(data, shared.fields, *entry, shared.plan.cores, shared.plan.workspace)


def _pack(shared: kernel.Described, sync_area: int) -> bytes:
    values = [sync_area, *[0] * (len(shared.fields) - len(shared.tail) - 1), *shared.tail]
    return argument_struct(shared.fields, shared.size).pack(*values)


def _list(values: Sequence[int]) -> tuple[int, ...]:
    return (len(values), *values)


def _dense_strides(shape: Sequence[int], order: Sequence[int]) -> list[int]:
    """Strides, in elements, of a dense tensor whose dimensions are stored in ``order``, outermost first."""
    strides = [0] * len(shape)
    step = 1
    for dimension in reversed(order):
        strides[dimension] = step
        step *= max(shape[dimension], 1)
    return strides


def _scalar_fields(signature: Signature, fields: Sequence[Field]) -> Sequence[Field]:
    first = next(i for i in range(len(fields) - 1, -1, -1) if fields[i].kind == "pointer") + 1
    return fields[first : first + len(signature.variant.graph.scalars)]


def _prepare(number: int, address: int, size: int) -> int:
    try:
        key = ctypes.string_at(address, size)
        form = _forms[number]
        signature, words, block = describe(form, key)
        packed = array("q", words)
        owner = library.load()
        status = owner.twt_add_plan(key, size, packed.buffer_info()[0], len(packed), block, len(block))
        if status:
            raise RuntimeError(f"the plan of {form.name} is not what the library expects")
        if len(_signatures) > 65536:
            _signatures.clear()
        _signatures[int(owner.twt_plan_id(key, size))] = signature
    except BaseException as error:
        return _report(error)
    return 0


def _evaluate(number: int, plan: int, numbers: Any, count: int) -> int:
    try:
        form = _forms[number]
        signature = _signatures[plan]
        raw = [numbers[i] for i in range(count)]
        attributes: dict[str, float | int] = {}
        kinds = [(a.name, a.kind) for a in form.arguments if a.kind in "fi"]
        for (name, kind), bits in zip(kinds, raw, strict=True):
            attributes[name] = struct.unpack("=d" if kind == "f" else "=q", struct.pack("=Q", bits))[0]
        values = binding.scalars(signature, attributes)
        words = array(
            "Q", [_bits(v, n.type) for v, n in zip(values, signature.variant.graph.scalars, strict=True)]
        )
        fill = b""
        if signature.empty:
            words, fill = array("Q"), _unlaunched(signature, values)
        given = array("Q", raw)
        status = library.load().twt_add_scalars(
            plan, given.buffer_info()[0], len(given), words.buffer_info()[0], len(words), fill, len(fill)
        )
        if status:
            raise RuntimeError(f"the scalars of {form.name} are not what the library expects")
    except BaseException as error:
        return _report(error)
    return 0


def _unlaunched(signature: Signature, scalars: tuple[float | int, ...]) -> bytes:
    """Contents of the results of a call that launches nothing: sums over nothing."""
    if not any(math.prod(output.shape) for output in signature.outputs):
        return b""
    op = signature.variant.op
    inputs = []
    for type_, count in zip(signature.input_types, signature.input_counts, strict=True):
        inputs.append(np.ones(count, dtypes.numpy_dtype(type_)))
    del op
    arrays = binding.Binding(signature, tuple(inputs), scalars, False, ()).unlaunched()
    return b"".join(a.tobytes() for a in arrays)


def _bits(value: float | int, type_: str) -> int:
    packed = struct.pack("=f", value) if type_ == "f32" else struct.pack("=i", int(value))
    return int(struct.unpack("=I", packed)[0])


def _stream(device: int) -> int:
    try:
        return device_module.stream(device)
    except BaseException as error:
        _report(error)
        return 0


def _report(error: BaseException) -> int:
    text = str(error) if isinstance(error, TilewrightError) else f"{type(error).__name__}: {error}"
    library.load().twt_set_error(text.encode())
    return 1


#: Kept for the life of the process: C++ holds their addresses.
_callbacks = (library.PREPARE(_prepare), library.EVALUATE(_evaluate), library.STREAM(_stream))


def connect() -> None:
    """Give the library the functions above."""
    library.load().twt_set_callbacks(*_callbacks)


def launches() -> int:
    """Kernels launched by torch operators of this process, on whatever device."""
    return int(library.load().twt_launches())
