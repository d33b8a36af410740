"""Gradients: which operator is the derivative of which, and with respect to what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

_SPACE = "tilewright"


class Pair(NamedTuple):
    """A forward operator and its derivative.

    Attributes:
        forward: the operator.
        saved: tensor arguments that the derivative needs.
        backward: called with the gradient of the result, the saved tensors, and the other arguments by name;
            returns the gradient with respect to ``to``.
        to: the argument that has a gradient.
    """

    forward: str
    saved: tuple[str, ...]
    backward: Callable[..., torch.Tensor]
    to: str = "self"


def _elu(grad: torch.Tensor, saved: dict[str, Any], other: dict[str, Any]) -> torch.Tensor:
    result: torch.Tensor = torch.ops.tilewright.elu_backward(
        grad, other["alpha"], other["scale"], other["input_scale"], False, saved["self"]
    )
    return result


def _bce(grad: torch.Tensor, saved: dict[str, Any], other: dict[str, Any]) -> torch.Tensor:
    result: torch.Tensor = torch.ops.tilewright.binary_cross_entropy_backward(
        grad, saved["self"], saved["target"], saved["weight"], other["reduction"]
    )
    return result


def _bce_with_logits(grad: torch.Tensor, saved: dict[str, Any], other: dict[str, Any]) -> torch.Tensor:
    result: torch.Tensor = torch.ops.tilewright.binary_cross_entropy_with_logits_backward(
        grad, saved["self"], saved["target"], saved["weight"], saved["pos_weight"], other["reduction"]
    )
    return result


_PAIRS = (
    Pair("elu", ("self",), _elu),
    Pair("binary_cross_entropy", ("self", "target", "weight"), _bce),
    Pair(
        "binary_cross_entropy_with_logits", ("self", "target", "weight", "pos_weight"), _bce_with_logits
    ),
)


def register(library: torch.library.Library) -> None:
    """Register the gradients of all operators that are defined."""
    from tilewright.torch import operators

    forms = operators.forms()
    paired = {pair.forward for pair in _PAIRS}
    for pair in _PAIRS:
        if pair.forward in forms:
            _register(pair, forms[pair.forward], library)
    for name in forms.keys() - paired:
        _refuse(name, library)


def _register(pair: Pair, form: Any, library: torch.library.Library) -> None:
    names = [a.name for a in form.arguments]
    tensors = [a.name for a in form.arguments if a.kind in "TO"]

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        given = dict(zip(names, inputs, strict=True))
        for name in tensors:
            if name != pair.to and given[name] is not None and given[name].requires_grad:
                raise NotImplementedError(
                    f"TW2601: the derivative of tilewright::{pair.forward} with respect to {name!r} is not "
                    f"implemented; {pair.to!r} is the only argument that has one"
                )
        ctx.other = {n: v for n, v in given.items() if n not in tensors}
        ctx.save_for_backward(*(given[n] for n in pair.saved))

    def backward(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
        if not ctx.needs_input_grad[names.index(pair.to)]:
            return (None,) * len(names)
        saved = dict(zip(pair.saved, ctx.saved_tensors, strict=True))
        found = pair.backward(grad, saved, ctx.other)
        return tuple(found if name == pair.to else None for name in names)

    torch.library.register_autograd(
        f"{_SPACE}::{pair.forward}", backward, setup_context=setup_context, lib=library
    )


def _refuse(name: str, library: torch.library.Library) -> None:
    """An operator without a derivative says so when one is asked for, instead of cutting the graph."""

    def backward(ctx: Any, *grads: Any) -> Any:
        raise NotImplementedError(f"TW2602: the derivative of tilewright::{name} is not implemented")

    torch.library.register_autograd(f"{_SPACE}::{name}", backward, lib=library)
