"""Definition of ``torch.ops.tilewright.*``: schemas, kernels, shapes without data."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from tilewright import binding, dtypes
from tilewright.definition import Op
from tilewright.errors import ExecutionError, ShapeError
from tilewright.ops import registry
from tilewright.placement import Info
from tilewright.torch import autocast, gradients, library, plans
from tilewright.torch.schemas import Form, form

_SPACE = "tilewright"
_KEYS = ("CPU", "PrivateUse1")

_definition: torch.library.Library | None = None
_forms: dict[str, Form] = {}


def define() -> None:
    """Define every operator of the registry; a second call does nothing.

    Raises:
        MissingError: TW5404 if torch is too old.
    """
    global _definition
    if _definition is not None:
        return
    library.load()
    plans.connect()
    _definition = torch.library.Library(_SPACE, "DEF")
    for name in registry.NAMES:
        _define(form(registry.get(name)))
    gradients.register(_definition)
    autocast.register(_definition)


def forms() -> dict[str, Form]:
    """Name -> form of every defined operator."""
    return dict(_forms)


def _define(made: Form) -> None:
    assert _definition is not None
    _definition.define(made.schema, tags=(torch.Tag.pt2_compliant_tag,))
    number = plans.add(made)
    for key in _KEYS:
        if library.load().twt_implement(number, key.encode()):
            raise ExecutionError("TW4203", f"torch refused the kernel of tilewright::{made.name} for {key}")
    torch.library.register_fake(f"{_SPACE}::{made.name}", functools.partial(_fake, made), lib=_definition)
    _forms[made.name] = made


def _fake(made: Form, *args: Any, **kwargs: Any) -> Any:
    """Results without data. The checks of a call run too, on shapes whose sizes are known."""
    given = _arguments(made, args, kwargs)
    tensors = {t.name: given[t.name] for t in made.op.tensors}
    devices = {t.device for t in tensors.values() if t is not None}
    if len(devices) > 1:
        raise RuntimeError(
            "Expected all tensors to be on the same device, but found at least two devices, "
            + " and ".join(sorted(map(str, devices)))
            + f"! (tilewright::{made.name})"
        )
    device = devices.pop()
    found: list[Any] = []
    for shape, order, dtype in _results(made, tensors, given):
        if shape is None:
            absent = torch.empty(0, dtype=torch.float32, device=device)
            found.append(absent if made.absent_is_empty else None)
            continue
        strides, step = [0] * len(shape), 1
        for dimension in reversed(order):
            strides[dimension] = step
            step = step * torch.sym_max(shape[dimension], 1)
        found.append(torch.empty_strided(shape, strides, dtype=dtype, device=device))
    return found[0] if len(found) == 1 else tuple(found)


def _arguments(made: Form, args: Any, kwargs: Any) -> dict[str, Any]:
    """Values by name; what was left out has its default."""
    given = dict(zip((a.name for a in made.arguments), args, strict=False)) | kwargs
    overload = getattr(torch.ops.tilewright, made.name).default
    for argument in overload._schema.arguments:
        if argument.name not in given:
            given[argument.name] = argument.default_value
    return given


def _results(made: Form, tensors: dict[str, Any], given: dict[str, Any]) -> list[tuple[Any, Any, Any]]:
    """(shape, order of storage, dtype) of each result.

    Symbolic sizes are replaced by numbers of their own: the rules of shapes and orders depend on equality of
    sizes only, so the result for those numbers tells where each of its dimensions comes from.
    """
    static = {a.name: _static(given[a.name]) for a in made.op.statics}
    fixed = {s for t in tensors.values() if t is not None for s in t.shape if isinstance(s, int)}
    samples = _Samples(fixed)
    try:
        signature = _signature(made.op, tensors, static, samples)
    except ShapeError:
        # Perhaps sizes are equal that do not look equal; their values decide, and are guarded.
        if not samples.origin:
            raise
        samples = _Samples(set(), by_value=True)
        signature = _signature(made.op, tensors, static, samples)
    found: list[tuple[Any, Any, Any]] = []
    for index in signature.returned:
        if index is None:
            found.append((None, None, None))
            continue
        output = signature.outputs[index]
        shape = [samples.origin.get(extent, extent) for extent in output.shape]
        order = output.order if output.final is None else output.final
        found.append((shape, order, getattr(torch, dtypes.TYPES[output.dtype].long)))
    return found


def _static(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _signature(op: Op, tensors: dict[str, Any], static: dict[str, Any], samples: _Samples) -> Any:
    infos: list[Info | None] = []
    for parameter in op.tensors:
        tensor = tensors[parameter.name]
        if tensor is None:
            infos.append(None)
            continue
        if getattr(parameter.spec, "counts", False):
            # Counts reach the kernel in f32, or as their sum.
            shape = tuple(samples.size(s) for s in tensor.shape) if parameter.spec.axes else ()
            infos.append(Info(shape, None, "float32"))
            continue
        sizes = tuple(samples.size(s) for s in tensor.shape)
        dtype = str(tensor.dtype).removeprefix("torch.")
        infos.append(Info(sizes, _sample_strides(tensor, sizes), dtype))
    return binding.prepare(op, infos, static)


class _Samples:
    """A number for each symbolic size: a prime that is no other size."""

    def __init__(self, fixed: set[int], *, by_value: bool = False) -> None:
        self.fixed = fixed
        self.by_value = by_value
        self.origin: dict[int, Any] = {}

    def size(self, size: Any) -> int:
        if isinstance(size, int):
            return size
        if self.by_value:
            return int(size)
        for number, known in self.origin.items():
            if known is size or known.node.expr == size.node.expr:
                return number
        number = next(p for p in _PRIMES if p not in self.fixed and p not in self.origin)
        self.origin[number] = size
        return number


# Enough for eight tensors of eight dimensions; eight of them multiplied stay below 2^60.
_PRIMES = [n for n in range(11, 500) if all(n % d for d in range(2, 23) if d < n)]


def _sample_strides(tensor: torch.Tensor, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in bytes of a sample tensor that is stored like this one."""
    item = tensor.element_size()
    if all(isinstance(s, int) for s in (*tensor.shape, *tensor.stride())):
        return tuple(s * item for s in tensor.stride())
    shape, given = [_hint(s) for s in tensor.shape], [_hint(s) for s in tensor.stride()]
    order = sorted(range(tensor.dim()), key=lambda d: (-given[d], shape[d] == 1))
    strides, step = [0] * len(sizes), item
    dense, expected = True, 1
    for d in reversed(order):
        dense = dense and (given[d] == expected or shape[d] == 1)
        expected *= shape[d]
        strides[d] = step
        step *= sizes[d]
    return tuple(strides if dense else (2 * s for s in strides))


def _hint(size: Any) -> int:
    """The value that a symbolic size has in the traced call; 2 where there is none."""
    hint = size if isinstance(size, int) else size.node.hint
    return 2 if hint is None else int(hint)


def call(name: str) -> Callable[..., Any]:
    """The overload of an operator."""
    overload: Callable[..., Any] = getattr(torch.ops.tilewright, name).default
    return overload
