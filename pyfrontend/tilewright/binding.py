"""Binding: what a call of an operator means for a kernel.

``bind(op, args, kwargs)`` checks a call completely and returns a ``Binding``. The parts that depend only on
shapes, strides, types and static attributes are a ``Signature``, found in a dictionary when such a call was
seen before: the same object is returned, so later stages may key on its identity or keep their own things in
``signature.memo``.

What the other parts of the package use (element types are short names, extents Python integers)::

    binding.signature.variant        the Variant: .key (readable), .text() (canonical graph, for cache keys),
                                     .graph (for emit.linalg and reference.evaluate), .op
    binding.signature.layout         the Layout class: .rank, .inputs, .outputs, .text() (for cache keys)
    binding.signature.extents        merged extents, one per axis of the layout class
    binding.signature.empty          True: nothing is to be launched
    binding.signature.outputs        OutputSpec per result: shape, type, order; .allocate() makes the array
    binding.signature.input_types    element type of each present input
    binding.signature.input_counts   number of elements of each present input
    binding.signature.memo           a dict for launch plans and kernels
    binding.inputs                   one NumPy array per present input, dense in iteration order (a copy if
    the
                                     caller's was not), so address and element count describe it
    binding.scalars                  one number per scalar argument, in order, rounded to f32 or i32
    binding.wrap(arrays)             results in the kind of array that the caller used (NumPy or torch)

The function that ``emit.linalg(variant.graph, layout)`` prints takes the inputs in this order, then the
scalars.
"""

from __future__ import annotations

import functools
import math
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np

from . import axes as axes_mod
from . import dtypes, hostexpr
from .axes import render
from .definition import Attribute, Op, Static, TensorParameter, Variant
from .errors import DTypeError, ShapeError, nearest
from .layout import Layout
from .placement import (
    Array,
    Info,
    Operand,
    OutputSpec,
    Shape,
    dims_of,
    elementwise,
    reducing,
    shape_text,
    storage_order,
    varying,
)
from .spec import ChoiceSpec, DTypeSpec, FlagsSpec, alternatives

_INTEGERS: tuple[type, ...] = (int, np.integer)
_FLOATS: tuple[type, ...] = (float, np.floating)
_BOOLS: tuple[type, ...] = (bool, np.bool_)

MAX_RANK = 8
MAX_BYTES = 2**63 - 1
MAX_COUNT = 2**53


@dataclass(eq=False)
class Signature:
    """The part of a binding that depends on shapes, strides, types and static attributes only.

    Besides what the top of the module lists:

    Attributes:
        returned: for each result that the operator returns, its position in ``outputs``; None if this variant
            does not produce it.
        updated: for each result that is written over an input, its position in ``outputs`` and that of the
            parameter.
    """

    variant: Variant
    layout: Layout
    extents: Shape
    empty: bool
    outputs: tuple[OutputSpec, ...]
    input_types: tuple[str, ...]
    input_counts: tuple[int, ...]
    sizes: dict[str, int]
    static: dict[str, Static]
    positions: tuple[int, ...]
    views: tuple[Callable[[Array], Array] | None, ...]
    returned: tuple[int | None, ...]
    updated: tuple[tuple[int, int], ...]
    memo: dict[Any, Any] = field(default_factory=dict[Any, Any])
    scalars: dict[bytes, tuple[float | int, ...]] = field(
        default_factory=dict[bytes, "tuple[float | int, ...]"]
    )

    def evaluate_scalars(self, numbers: Mapping[str, float]) -> tuple[float | int, ...]:
        """Run the operator's checks and evaluate the scalar arguments for these attribute values."""
        op = self.variant.op
        op.run_checks({**self.static, **numbers})
        return tuple(
            hostexpr.to_kernel(hostexpr.evaluate(n.expr, numbers, self.sizes), n.type)
            for n in self.variant.graph.scalars
        )


class Binding(NamedTuple):
    """A checked call, see the top of the module."""

    signature: Signature
    inputs: tuple[Array, ...]
    scalars: tuple[float | int, ...]
    torch: bool
    targets: tuple[Array, ...] = ()

    @property
    def variant(self) -> Variant:
        return self.signature.variant

    @property
    def layout(self) -> Layout:
        return self.signature.layout

    @property
    def extents(self) -> Shape:
        return self.signature.extents

    @property
    def empty(self) -> bool:
        return self.signature.empty

    def unlaunched(self, empty: Callable[[Shape, np.dtype[Any]], Array] = np.empty) -> list[Array]:
        """The results of a call for which nothing is launched (``empty``), allocated by ``empty``.

        Reductions of nothing have the value that the formula gives with sums of 0 (a mean is NaN), unless the
        operator says otherwise (``@tw.op(empty=...)``).
        """
        signature = self.signature
        arrays = [spec.allocate(empty) for spec in signature.outputs]
        if not any(a.size for a in arrays):
            return arrays
        fixed = signature.variant.op.empty
        if fixed is not None:
            for a in arrays:
                a.fill(fixed)
            return arrays
        from .reference import evaluate

        with np.errstate(all="ignore"):
            for a, reference in zip(arrays, evaluate(self), strict=True):
                a[...] = reference.value.astype(a.dtype)
        return arrays

    def wrap(self, arrays: Sequence[Array]) -> Any:
        """The results for the caller: torch tensors (sharing memory) if an input was; several as a tuple.

        A result that this variant does not produce is None. Results that replace an input are stored there,
        unless nothing was launched.
        """
        signature = self.signature
        if signature.empty:
            arrays = self.unlaunched()
        elif self.targets:
            for (i, _), target in zip(signature.updated, self.targets, strict=True):
                np.copyto(target, arrays[i])
        found = [None if i is None else signature.outputs[i].finish(arrays[i]) for i in signature.returned]
        wrapped = tuple(_to_torch(a) if self.torch and a is not None else a for a in found)
        return wrapped[0] if len(wrapped) == 1 else wrapped


# -- arrays of other libraries -------------------------------------------------------------------------


def _is_torch(x: object) -> bool:
    return type(x).__module__.partition(".")[0] == "torch" and hasattr(x, "data_ptr")


def as_numpy(x: Any, name: str = "argument") -> Array:
    """``x`` as a NumPy array that shares its memory. Raises TW2003, TW2016."""
    if type(x) is np.ndarray:
        return x
    if _is_torch(x):
        return _from_torch(x, name)
    if type(x).__module__.startswith("numpy.ma"):
        raise DTypeError(
            "TW2003",
            f"{name} is a masked array",
            expected="an array whose elements all count: kernels know no masks",
            hint=f"pass {name}.filled(0), or {name}.data",
        )
    if hasattr(x, "__array_interface__"):
        return np.asarray(x)
    if hasattr(x, "__dlpack__"):
        try:
            return np.from_dlpack(x)
        except (BufferError, RuntimeError, TypeError) as error:
            raise ShapeError(
                "TW2016", f"{name} cannot be read on the host: {error}", expected="an array in host memory"
            ) from error
    raise DTypeError(
        "TW2003",
        f"{name} is a {type(x).__module__}.{type(x).__qualname__}",
        expected="a NumPy array, a torch tensor, or an object with __array_interface__ or __dlpack__",
        hint="wrap numbers and lists: numpy.asarray(x, dtype=numpy.float32)",
    )


def _from_torch(x: Any, name: str) -> Array:
    if x.device.type != "cpu":
        raise ShapeError(
            "TW2016",
            f"{name} is on the device {x.device}",
            expected="a tensor in host memory: kernels run on the emulated device here",
            hint=f"pass {name}.cpu()",
        )
    x = x.detach()
    if str(x.dtype) == "torch.bfloat16":
        torch = sys.modules["torch"]
        bits: Array = x.view(torch.int16).numpy()
        return bits.view(dtypes.numpy_dtype("bf16"))
    array: Array = x.numpy()
    return array


def _to_torch(a: Array) -> Any:
    torch = sys.modules["torch"]
    if a.dtype.name == "bfloat16":
        return torch.from_numpy(a.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(a)


# -- the call ------------------------------------------------------------------------------------------


class _Binder:
    """The binding cache of one operator."""

    def __init__(self, op: Op) -> None:
        self.op = op
        self.names = tuple(t.name for t in op.tensors)
        self.counts = tuple(t.spec.counts and ("each" if t.spec.axes else "total") for t in op.tensors)
        self.weight = next(((a.name, a.default) for a in op.numbers if a.name == op.update_weight), None)
        self.static_names = tuple((a.name, a.default) for a in op.statics)
        self.number_names = tuple((a.name, a.default) for a in op.numbers)
        self.pack = struct.Struct("=" + "".join("d" if a.spec is float else "q" for a in op.numbers)).pack
        # Type of each number that needs no further look; integers are always checked for their range.
        self.plain = tuple(float if a.spec is float else None for a in op.numbers)
        self.signatures: dict[Any, Signature] = {}

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Binding:
        given = list(args)
        if len(given) != len(self.names) or len(kwargs) > 0:
            given = self._arguments(args, kwargs)
        arrays: list[Any] = []
        key: list[Any] = []
        is_torch = False
        for x in given:
            if x is not None and type(x) is not np.ndarray:
                is_torch = is_torch or _is_torch(x)
                x = as_numpy(x, self.names[len(arrays)])
            if self.counts[len(arrays)] and x is not None:
                x = _counts(self.op, self.names[len(arrays)], x, total=self.counts[len(arrays)] == "total")
            arrays.append(x)
            if x is None:
                key.append(None)
            else:
                key += (x.shape, x.strides, x.dtype)
        get = kwargs.get
        static = [get(name, default) for name, default in self.static_names]
        # The type belongs to the key: 1, 1.0 and True are equal and hash alike, but mean different things.
        key += [(type(v), v) if type(v) not in (tuple, list) else _flags_key(v) for v in static]
        try:
            signature = self.signatures.get(tuple(key))
        except TypeError:  # an unhashable attribute value, refused below
            signature = None
        if signature is None:
            infos = [None if x is None else Info(x.shape, x.strides, x.dtype) for x in arrays]
            values = dict(zip((n for n, _ in self.static_names), static, strict=True))
            signature = prepare(self.op, infos, values)
            if len(self.signatures) >= 4096:
                self.signatures.clear()
            self.signatures[tuple(key)] = signature
        scalars = self.scalars(signature, kwargs)
        inputs: list[Array] = []
        for i, view in zip(signature.positions, signature.views, strict=True):
            a = arrays[i]
            if view is not None:
                a = view(a)
            if not a.flags.aligned:
                a = a.copy("K")  # in its own storage order: the layout was made for that one
            inputs.append(a)
        targets = tuple(_writable(self.op, self.names[p], arrays[p]) for _, p in signature.updated)
        if targets and self.weight is not None and get(*self.weight) == 0:
            targets = ()
        return Binding(signature, tuple(inputs), scalars, is_torch, targets)

    def _arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """One entry per tensor parameter. Raises TW2001, TW2002."""
        op, names = self.op, self.names
        if len(args) > len(names):
            raise ShapeError(
                "TW2001",
                f"{op.name} takes {len(names)} tensors by position, {len(args)} were given",
                expected=op.signature(),
                hint="attributes are given by name",
            )
        found: dict[str, Any] = dict(zip(names, args, strict=False))
        for name, value in kwargs.items():
            target = op.aliases.get(name, name)
            if target in names:
                if target in found:
                    raise ShapeError("TW2001", f"{op.name}: {target} is given twice", expected=op.signature())
                found[target] = value
            elif name not in op.attribute_names:
                known = [*names, *op.attribute_names]
                raise ShapeError(
                    "TW2002", f"{op.name} has no attribute or input {name!r}", hint=nearest(name, known)
                )
        arguments: list[Any] = []
        for t in op.tensors:
            arguments.append(found.get(t.name))
        return arguments

    def scalars(self, signature: Signature, kwargs: Mapping[str, Any]) -> tuple[float | int, ...]:
        get = kwargs.get
        numbers = [get(name, default) for name, default in self.number_names]
        for i, kind in enumerate(self.plain):
            if type(numbers[i]) is not kind:
                numbers[i] = _number(self.op, self.op.numbers[i], numbers[i])
        key = self.pack(*numbers)
        scalars = signature.scalars.get(key)
        if scalars is None:
            named = dict(zip((n for n, _ in self.number_names), numbers, strict=True))
            for name, value in named.items():
                if math.isnan(value):
                    raise ShapeError(
                        "TW2011",
                        f"{self.op.name}: {name} is NaN",
                        expected="a number (infinities are allowed)",
                    )
            scalars = signature.evaluate_scalars(named)
            if len(signature.scalars) >= 1024:
                signature.scalars.clear()
            signature.scalars[key] = scalars
        return scalars


def _flags_key(value: Any) -> tuple[Any, ...]:
    return tuple((type(v), v) for v in value)


def _counts(op: Op, name: str, a: Array, *, total: bool) -> Array:
    """Numbers of elements in f32, or their sum as one. Raises TW2003, TW2018."""
    if a.dtype.kind not in "iuf" and dtypes.short_name(a.dtype) is None:
        raise DTypeError(
            "TW2003", f"{op.name}: {name} holds {a.dtype}", expected="integers or real numbers: counts"
        )
    values = a.astype(np.float64)
    with np.errstate(invalid="ignore"):
        right = (values >= 0) & (values <= MAX_COUNT) & (values == np.trunc(values))
    if not right.all():
        wrong = values[~right].flat[0]
        raise ShapeError(
            "TW2018",
            f"{op.name}: {name} holds {wrong:g}, which counts no elements",
            expected=f"whole numbers from 0 to {MAX_COUNT}",
        )
    return np.asarray(values.sum() if total else values, np.float32)


def _writable(op: Op, name: str, a: Array) -> Array:
    """The caller's array that a result replaces. Raises TW2017."""
    if not a.flags.writeable:
        raise ShapeError(
            "TW2017",
            f"{op.name}: {name} is updated in place, but it is read-only",
            expected="an array that can be written",
            hint=f"pass {name}.copy()",
        )
    return a


def _number(op: Op, attribute: Attribute, value: Any) -> float | int:
    """The value of a float or int attribute as exactly that Python type. Raises TW2001, TW2010."""
    if attribute.required and value is attribute.default:
        raise ShapeError(
            "TW2001", f"{op.name}: attribute {attribute.name} is missing", expected=op.signature()
        )
    if isinstance(value, _INTEGERS) and not isinstance(value, bool):
        whole = int(cast(int, value))
        if attribute.spec is float:
            try:
                return float(whole)
            except OverflowError:
                raise ShapeError(
                    "TW2010",
                    f"{op.name}: {attribute.name} is an integer of {whole.bit_length()} bits",
                    expected="a number that a float can hold",
                ) from None
        if -(2**31) <= whole < 2**31:
            return whole
        raise ShapeError(
            "TW2010", f"{op.name}: {attribute.name} is {value}", expected="an integer of 32 bits"
        )
    if attribute.spec is float and isinstance(value, _FLOATS):
        return float(cast(float, value))
    raise ShapeError(
        "TW2010",
        f"{op.name}: {attribute.name} is {value!r}",
        expected=f"a Python or NumPy {attribute.kind()}",
    )


def bind(op: Op, args: Sequence[Any], kwargs: Mapping[str, Any] | None = None) -> Binding:
    """Check a call and describe it for a kernel.

    Args:
        op: the operator.
        args: tensors by position: NumPy arrays (ml_dtypes.bfloat16 for bf16), torch tensors in host memory,
            or anything with ``__array_interface__`` or ``__dlpack__``; None for absent optional inputs.
        kwargs: further tensors, and attributes, by name.

    Raises:
        DTypeError: TW2003 no array, TW2004 a type the operator does not take, TW2005 types that do not go
            together.
        ShapeError: all other TW2xxx: names, shapes, ranks, attribute values, refused combinations.
    """
    return _binder(op).bind(args, kwargs or {})


@functools.cache
def _binder(op: Op) -> _Binder:
    return _Binder(op)


def scalars(signature: Signature, attributes: Mapping[str, Any]) -> tuple[float | int, ...]:
    """The scalar arguments of a call with these attributes. Raises TW2001, TW2010, TW2011, TW2014."""
    return _binder(signature.variant.op).scalars(signature, attributes)


# -- signatures ----------------------------------------------------------------------------------------


def static_value(op: Op, attribute: Attribute, value: Any, data_type: str) -> Static:
    """A static attribute's value in canonical form: a bool, a choice's name, a short type name."""
    if attribute.required and value is attribute.default:
        raise ShapeError(
            "TW2001", f"{op.name}: attribute {attribute.name} is missing", expected=op.signature()
        )
    spec = attribute.spec
    if spec is bool:
        if isinstance(value, _BOOLS):
            return bool(cast(bool, value))
        raise ShapeError("TW2010", f"{op.name}: {attribute.name} is {value!r}", expected="True or False")
    if isinstance(spec, FlagsSpec):
        if isinstance(value, (tuple, list)):
            flags = cast("Sequence[Any]", value)
            if len(flags) == spec.number and all(isinstance(f, _BOOLS) for f in flags):
                return tuple(bool(f) for f in flags)
        raise ShapeError(
            "TW2010", f"{op.name}: {attribute.name} is {value!r}", expected=f"a {attribute.kind()}"
        )
    if isinstance(spec, ChoiceSpec):
        if isinstance(value, (str, *_INTEGERS)) and not isinstance(value, bool):
            plain = value if isinstance(value, str) else int(cast(int, value))
            if plain in spec.names:
                return plain
            # Codes are positions. Where the choices are numbers themselves there are no codes.
            coded = all(isinstance(n, str) for n in spec.names)
            if coded and isinstance(plain, int) and 0 <= plain < len(spec.names):
                name: str = spec.names[plain]
                return name
        raise ShapeError(
            "TW2012",
            f"{op.name}: {attribute.name} is {value!r}",
            expected=", ".join(f"{n!r} or {i}" for i, n in enumerate(spec.names)),
            hint=nearest(value, [str(n) for n in spec.names]) if isinstance(value, str) else "",
        )
    assert isinstance(spec, DTypeSpec)
    allowed = alternatives(spec.dtype, data_type, None)
    if value is None or (isinstance(value, str) and value == "T"):
        return data_type
    try:
        short = dtypes.short_name(value)
    except TypeError:
        short = None
    if short in allowed:
        assert short is not None
        return short
    raise DTypeError(
        "TW2004", f"{op.name}: {attribute.name} is {value!r}", expected=" or ".join(dict.fromkeys(allowed))
    )


def prepare(op: Op, infos: Sequence[Info | None], static: Mapping[str, Any]) -> Signature:
    """The signature of a call described by shapes and types alone; what ``bind`` does once per kind of call.

    Args:
        infos: one entry per tensor parameter, None for an absent one.
        static: values of all static attributes as the caller gave them.
    """
    present: list[tuple[TensorParameter, Info]] = []
    for t, info in zip(op.tensors, infos, strict=True):
        if info is not None:
            present.append((t, info))
        elif not t.spec.optional:
            raise ShapeError("TW2001", f"{op.name}: {t.name} is missing or None", expected=op.signature())
    for t, info in present:
        if len(info.shape) > MAX_RANK:
            raise ShapeError(
                "TW2006",
                f"{op.name}: {t.name} has {len(info.shape)} dimensions",
                expected=f"at most {MAX_RANK}",
            )
    data_type, types = _resolve_types(op, infos)
    values = {a.name: static_value(op, a, static[a.name], data_type) for a in op.statics}
    variant = op.variant(data_type, types, values)
    graph = variant.graph
    kinds = {n.name: n.kind for n in graph.inputs}
    spans, dims = _bind_axes(op, present, kinds)
    order = storage_order(op, present, kinds, dims)
    results = [(r, graph.nodes[r.node].type) for r in graph.results]
    tensors = [
        Operand(
            t,
            info,
            kinds[t.name],
            dims_of(t.spec.axes, spans),
            *varying(op, t, info, kinds[t.name], spans, dims),
        )
        for t, info in present
    ]
    if graph.across:
        placed = reducing(tensors, results, spans, dims, order, graph.across, op.like)
    else:
        placed = elementwise(tensors, results, spans, dims, order)
    outputs = placed.outputs
    element_types = tuple(x for x in types if x is not None)
    for name, count, type_ in [
        *zip((t.name for t, _ in present), placed.counts, element_types, strict=True),
        *((r.name, math.prod(o.shape), o.dtype) for r, o in zip(graph.results, outputs, strict=True)),
    ]:
        if count * dtypes.TYPES[type_].size > MAX_BYTES:
            raise ShapeError(
                "TW2015",
                f"{op.name}: {name} has {count} elements of {type_}, more than 64-bit addresses can reach",
            )
    at = {r.name: i for i, r in enumerate(graph.results)}
    names = [t.name for t in op.tensors]
    updated = [(at.get(f"out{i}"), op.updated(i)) for i in range(len(op.results))]
    return Signature(
        variant=variant,
        layout=placed.layout,
        extents=placed.extents,
        empty=all(math.prod(o.shape) == 0 for o in outputs) or (bool(graph.reduced) and 0 in dims),
        outputs=outputs,
        input_types=element_types,
        input_counts=placed.counts,
        sizes={a: math.prod(dims[s]) for a, s in spans.items()},
        static=values,
        positions=tuple(i for i, x in enumerate(infos) if x is not None),
        views=placed.views,
        returned=tuple(i for i, name in updated if name is None),
        updated=tuple((i, names.index(name)) for i, name in updated if i is not None and name is not None),
    )


def _resolve_types(op: Op, infos: Sequence[Info | None]) -> tuple[str, tuple[str | None, ...]]:
    """The operator's data type T and the element type of each parameter. Raises TW2004, TW2005."""
    names: list[str | None] = []
    for t, info in zip(op.tensors, infos, strict=True):
        short = None if info is None else dtypes.short_name(info.dtype)
        if info is not None and short is None:
            raise DTypeError(
                "TW2004",
                f"{op.name}: {t.name} is {dtypes.long_name(info.dtype)}",
                expected=", ".join(dtypes.TYPES[d].long for d in op.data_types),
                hint="convert it; nothing is converted silently",
            )
        names.append(short)
    by_t = [i for i, t in enumerate(op.tensors) if t.spec.dtype == "T" and names[i] is not None]
    deciding = next((i for i in by_t if op.tensors[i].name == op.like), by_t[0] if by_t else None)
    data_type = op.data_types[0] if deciding is None else names[deciding]
    assert data_type is not None
    if deciding is not None and data_type not in op.data_types:
        raise DTypeError(
            "TW2004",
            f"{op.name}: {op.tensors[deciding].name} is {dtypes.TYPES[data_type].long}",
            expected=", ".join(dtypes.TYPES[d].long for d in op.data_types),
        )
    for t, name in zip(op.tensors, names, strict=True):
        if name is None:
            continue
        allowed = alternatives(t.spec.dtype, data_type, None)
        if name not in allowed:
            owner = (
                ""
                if deciding is None
                else f", as {op.tensors[deciding].name} is {dtypes.TYPES[data_type].long}"
            )
            raise DTypeError(
                "TW2005",
                f"{op.name}: {t.name} is {dtypes.TYPES[name].long}",
                expected=" or ".join(dtypes.TYPES[a].long for a in allowed) + owner,
            )
    return data_type, tuple(names)


def _bind_axes(
    op: Op, present: Sequence[tuple[TensorParameter, Info]], kinds: Mapping[str, str]
) -> tuple[dict[str, slice], Shape]:
    """Dimensions of each axis in the iteration shape, and that shape. Raises TW2006, TW2007."""
    extents: dict[str, tuple[Shape, str]] = {}
    axes_of = {t.name: t.spec.axes for t, _ in present}
    shape_of = {t.name: info.shape for t, info in present}
    for t, info in present:
        if kinds[t.name] != "tensor":
            continue
        parts = axes_mod.split(t.spec.axes, len(info.shape))
        if parts is None:
            starred = any(a.startswith("*") for a in t.spec.axes)
            raise ShapeError(
                "TW2006",
                f"{op.name}: {t.name} has the shape {shape_text(info.shape)}, {len(info.shape)} dimensions",
                expected=f"the axes {render(t.spec.axes)}: {'at least ' if starred else ''}"
                f"{sum(not a.startswith('*') for a in t.spec.axes)} dimensions",
            )
        for axis, span in parts.items():
            own = info.shape[span]
            before = extents.setdefault(axis, (own, t.name))
            if before[0] != own:
                whole = t.spec.axes == axes_of[before[1]]
                raise ShapeError(
                    "TW2007",
                    f"{op.name}: {t.name} has the shape {shape_text(info.shape)}"
                    + ("" if whole else f", that is {shape_text(own)} for axis {axis}"),
                    expected=shape_text(shape_of[before[1]] if whole else before[0])
                    + ("" if whole else f" for axis {axis}")
                    + f", as in {before[1]}",
                )
    spans: dict[str, slice] = {}
    dims: list[int] = []
    for axis in op.order.order:
        own = extents[axis][0]
        spans[axis] = slice(len(dims), len(dims) + len(own))
        dims += own
    return spans, tuple(dims)


def shape_signature(
    op: Op,
    shapes: Mapping[str, Shape],
    types: Mapping[str, str],
    attributes: Mapping[str, Any] | None = None,
) -> Signature:
    """The signature of a call without its data, for planning and ahead-of-time compilation.

    Args:
        shapes: shape of every present tensor input, C order.
        types: element type of every present tensor input.
        attributes: static attributes that differ from their defaults.
    """
    given = dict(attributes or {})
    for name in (*shapes, *types):
        if name not in {t.name for t in op.tensors}:
            _unknown(op, name)
    for name in shapes.keys() ^ types.keys():
        lacks = "type" if name in shapes else "shape"
        raise ShapeError(
            "TW2001", f"{op.name}: {name} has no {lacks}", expected="a shape and a type for each tensor"
        )
    for name, shape in shapes.items():
        if not all(isinstance(e, _INTEGERS) and e >= 0 for e in shape):
            raise ShapeError(
                "TW2006", f"{op.name}: {name} has the shape {shape}", expected="sizes that are integers >= 0"
            )
    static = {a.name: given.pop(a.name, a.default) for a in op.statics}
    for name in given:
        if name not in op.attribute_names:
            _unknown(op, name)
    infos: list[Info | None] = []
    for t in op.tensors:
        if t.name in shapes:
            infos.append(Info(tuple(shapes[t.name]), None, types[t.name]))
        else:
            infos.append(None)
    return prepare(op, infos, static)


def _unknown(op: Op, name: str) -> NoReturn:
    known = [*(t.name for t in op.tensors), *op.attribute_names]
    raise ShapeError("TW2002", f"{op.name} has no attribute or input {name!r}", hint=nearest(name, known))
