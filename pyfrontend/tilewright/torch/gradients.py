"""Gradients: which operator is the derivative of which, and with respect to what.

Operators that change an argument (batch norm in training updates its running statistics) get their gradient
at the same place as the others, one level below what ``torch.library.register_autograd`` accepts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from tilewright.errors import DerivativeError

_SPACE = "tilewright"

#: Saved tensors and other arguments by name, results by number ("0", "1").
Values = dict[str, Any]
#: Gradients by the name of the argument; missing and None mean that there is none.
Gradients = dict[str, torch.Tensor | None]


class Pair(NamedTuple):
    """A forward operator and its derivative.

    Attributes:
        forward: the operator.
        saved: tensor arguments that the derivative needs, and results by number.
        backward: called with the gradient of the first result, the saved values with all other arguments, and
            the names of the arguments whose gradient is wanted.
        to: arguments that have a gradient.
    """

    forward: str
    saved: tuple[str, ...]
    backward: Callable[[torch.Tensor, Values, set[str]], Gradients]
    to: tuple[str, ...] = ("self",)


def _ops() -> Any:
    return torch.ops.tilewright


def _elu(grad: torch.Tensor, v: Values, _: set[str]) -> Gradients:
    return {"self": _ops().elu_backward(grad, v["alpha"], v["scale"], v["input_scale"], False, v["self"])}


def _bce(grad: torch.Tensor, v: Values, _: set[str]) -> Gradients:
    return {
        "self": _ops().binary_cross_entropy_backward(
            grad, v["self"], v["target"], v["weight"], v["reduction"]
        )
    }


def _bce_with_logits(grad: torch.Tensor, v: Values, _: set[str]) -> Gradients:
    return {
        "self": _ops().binary_cross_entropy_with_logits_backward(
            grad, v["self"], v["target"], v["weight"], v["pos_weight"], v["reduction"]
        )
    }


def _batch_norm(grad: torch.Tensor, v: Values, wanted: set[str]) -> Gradients:
    mask = [name in wanted for name in ("input", "weight", "bias")]
    if v["training"]:
        found = _ops().batch_norm_backward(grad, v["input"], v["weight"], v["1"], v["2"], mask)
    else:
        found = _ops().batch_norm_backward_frozen(
            grad, v["input"], v["weight"], v["running_mean"], v["running_var"], v["eps"], mask
        )
    return dict(zip(("input", "weight", "bias"), found, strict=True))


def _layer_norm(grad: torch.Tensor, v: Values, wanted: set[str]) -> Gradients:
    found: Gradients = {}
    if "input" in wanted:
        found["input"] = _ops().layer_norm_backward(grad, v["input"], v["1"], v["2"], v["weight"])
    if wanted & {"weight", "bias"}:
        mask = ["weight" in wanted, "bias" in wanted]
        found["weight"], found["bias"] = _ops().layer_norm_backward_weight(
            grad, v["input"], v["1"], v["2"], v["weight"], mask
        )
    return found


def _softmax(grad: torch.Tensor, v: Values, _: set[str]) -> Gradients:
    return {"self": _ops().softmax_backward(grad, v["0"])}


PAIRS = (
    Pair("elu", ("self",), _elu),
    Pair("binary_cross_entropy", ("self", "target", "weight"), _bce),
    Pair("binary_cross_entropy_with_logits", ("self", "target", "weight", "pos_weight"), _bce_with_logits),
    Pair(
        "batch_norm",
        ("input", "weight", "running_mean", "running_var", "1", "2"),
        _batch_norm,
        ("input", "weight", "bias"),
    ),
    Pair("layer_norm", ("input", "weight", "1", "2"), _layer_norm, ("input", "weight", "bias")),
    Pair("softmax", ("0",), _softmax),
)


def register(library: torch.library.Library) -> None:
    """Register the gradients of all operators that are defined."""
    from tilewright.torch import operators

    forms = operators.forms()
    paired = {pair.forward for pair in PAIRS}
    for pair in PAIRS:
        if pair.forward in forms:
            _register(pair, forms[pair.forward], library)
    for name in forms.keys() - paired:
        _refuse(forms[name], library)


def _register(pair: Pair, form: Any, library: torch.library.Library) -> None:
    names = [a.name for a in form.arguments]
    tensors = set(form.tensors)
    arguments = [name for name in pair.saved if not name.isdecimal()]
    numbers = [name for name in pair.saved if name.isdecimal()]

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        given = dict(zip(names, inputs, strict=True))
        for name in tensors - set(pair.to):
            if given[name] is not None and given[name].requires_grad:
                raise DerivativeError(
                    "TW2601",
                    f"the derivative of tilewright::{pair.forward} with respect to {name!r} does not exist",
                    expected=f"gradients with respect to {', '.join(map(repr, pair.to))} only",
                    hint=f"pass {name}.detach()",
                )
        results = output if isinstance(output, tuple) else (output,)
        ctx.other = {n: v for n, v in given.items() if n not in tensors}
        ctx.save_for_backward(*(given[n] for n in arguments), *(results[int(n)] for n in numbers))
        if len(results) > 1:
            ctx.mark_non_differentiable(*results[1:])

    def backward(ctx: Any, grad: torch.Tensor, *_: Any) -> tuple[Any, ...]:
        wanted = {n for n, w in zip(names, ctx.needs_input_grad, strict=False) if w and n in pair.to}
        if not wanted:
            return (None,) * len(names)
        saved = dict(zip((*arguments, *numbers), ctx.saved_tensors, strict=True))
        found = pair.backward(grad, {**saved, **ctx.other}, wanted)
        return tuple(found.get(name) if name in wanted else None for name in names)

    if form.op.updates:
        _register_updating(form, setup_context, backward, library)
    else:
        torch.library.register_autograd(
            f"{_SPACE}::{pair.forward}", backward, setup_context=setup_context, lib=library
        )


def _register_updating(form: Any, setup_context: Any, backward: Any, library: torch.library.Library) -> None:
    """The gradient of an operator that changes some of its arguments."""
    overload = getattr(torch.ops.tilewright, form.name).default

    def forward(ctx: Any, *args: Any) -> Any:
        with torch._C._AutoDispatchBelowAutograd():
            result = overload(*args)
        setup_context(ctx, args, result)
        return result

    function: Any = type(
        f"Tilewright_{form.name}",
        (torch.autograd.Function,),
        {"forward": staticmethod(forward), "backward": staticmethod(backward)},
    )
    defaults = [a.default_value if a.has_default_value() else None for a in overload._schema.arguments]

    def call(*args: Any, **kwargs: Any) -> Any:
        given = list(args) + defaults[len(args) :]
        for i, argument in enumerate(overload._schema.arguments):
            if argument.name in kwargs:
                given[i] = kwargs[argument.name]
        _changed(form, given)
        if torch.is_grad_enabled() and any(isinstance(x, torch.Tensor) and x.requires_grad for x in given):
            return function.apply(*given)
        with torch._C._AutoDispatchBelowAutograd():
            return overload(*given)

    library.impl(form.name, call, "Autograd")


def _changed(form: Any, given: list[Any]) -> None:
    """Tell autograd that tensors are about to change, so that graphs which saved them notice."""
    names = [a.name for a in form.arguments]
    changed = [given[names.index(n)] for n in form.op.updates]
    torch.autograd.graph.increment_version([x for x in changed if x is not None])


def _refuse(form: Any, library: torch.library.Library) -> None:
    """An operator without a derivative says so when one is asked for, instead of cutting the graph."""

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    def backward(ctx: Any, *grads: Any) -> Any:
        raise DerivativeError("TW2602", f"the derivative of tilewright::{form.name} is not implemented")

    if form.op.updates:
        _register_updating(form, setup_context, backward, library)
    else:
        torch.library.register_autograd(f"{_SPACE}::{form.name}", backward, lib=library)
