"""Definition of ``torch.ops.tilewright.*``: schemas, kernels, shapes without data, gradients, autocast."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from tilewright import binding, dtypes
from tilewright.definition import Op
from tilewright.errors import ExecutionError
from tilewright.ops import registry
from tilewright.placement import Info
from tilewright.torch import gradients, library, plans
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
            found.append(None)
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

    Symbolic sizes take the place of the sizes of a sample: every rule of shapes and orders depends on equality
    of sizes only, so the sample's result tells for each dimension where it comes from.
    """
    sample: dict[str, Info | None] = {}
    origin: dict[int, Any] = {}
    for name, tensor in tensors.items():
        if tensor is None:
            sample[name] = None
            continue
        sizes = tuple(_sample_size(s, origin) for s in tensor.shape)
        strides = _sample_strides(tensor, sizes)
        sample[name] = Info(sizes, strides, str(tensor.dtype).removeprefix("torch."))
    static = {a.name: _static(given[a.name]) for a in made.op.statics}
    signature = binding.prepare(made.op, [sample[t.name] for t in made.op.tensors], static)
    found: list[tuple[Any, Any, Any]] = []
    for index in signature.returned:
        if index is None:
            found.append((None, None, None))
            continue
        output = signature.outputs[index]
        shape = [origin.get(extent, extent) for extent in output.shape]
        order = output.order if output.final is None else output.final
        found.append((shape, order, getattr(torch, dtypes.TYPES[output.dtype].long)))
    return found


def _static(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


#: Sizes that stand for symbols: primes far from any size in a sample, one for each different expression.
_FIRST_SYMBOL = 1_000_003


def _sample_size(size: Any, origin: dict[int, Any]) -> int:
    if isinstance(size, int):
        return size
    for number, known in origin.items():
        if known is size or known.node.expr == size.node.expr:
            return number
    number = _FIRST_SYMBOL + 2 * len(origin)
    origin[number] = size
    return number


def _sample_strides(tensor: torch.Tensor, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Strides in bytes of a sample tensor that is stored like this one."""
    item = tensor.element_size()
    if all(isinstance(s, int) for s in (*tensor.shape, *tensor.stride())):
        return tuple(s * item for s in tensor.stride())
    order = sorted(range(tensor.dim()), key=lambda d: (-_hint(tensor.stride(d)), _hint(tensor.shape[d]) == 1))
    strides, step = [0] * len(sizes), item
    dense, expected = True, 1
    for d in reversed(order):
        dense = dense and (_hint(tensor.stride(d)) == expected or _hint(tensor.shape[d]) == 1)
        expected *= _hint(tensor.shape[d])
        strides[d] = step
        step *= sizes[d]
    if not dense and strides:
        strides = [2 * s for s in strides]
    return tuple(strides)


def _hint(size: Any) -> int:
    return size if isinstance(size, int) else int(size.node.hint)


def call(name: str) -> Callable[..., Any]:
    """The overload of an operator."""
    overload: Callable[..., Any] = getattr(torch.ops.tilewright, name).default
    return overload


__all__ = ["Op", "call", "define", "forms"]
