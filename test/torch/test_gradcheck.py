"""gradcheck of every operator, in the form that f32 allows.

Differences of f32 results say little about a derivative. So a function whose value is torch's in float64
and whose gradient is ours is given to ``gradcheck``: it compares our gradient with the slopes of that value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from support import close, sample

from tilewright.ops import registry

DEVICES = ("cpu", "npu")


def ops() -> Any:
    import torch

    return torch.ops.tilewright


class Case(NamedTuple):
    """A call of an operator and of aten's, both of the tensors that have a gradient.

    Attributes:
        inputs: their shapes.
        ours, aten: called with those tensors; other tensors come from ``fixed``, of their type and device.
        fixed: shapes of other tensors.
    """

    inputs: tuple[tuple[int, ...], ...]
    ours: Callable[..., Any]
    aten: Callable[..., Any]
    fixed: tuple[tuple[int, ...], ...] = ()


def _batch_norm(training: bool) -> Case:
    import torch

    def ours(x: Any, w: Any, b: Any, mean: Any, var: Any) -> Any:
        return ops().batch_norm(x, w, b, mean.clone(), var.clone(), training, 0.1, 1e-3)[0]

    def aten(x: Any, w: Any, b: Any, mean: Any, var: Any) -> Any:
        return torch.ops.aten.native_batch_norm(x, w, b, mean.clone(), var.clone(), training, 0.1, 1e-3)[0]

    return Case(((3, 2, 4), (2,), (2,)), ours, aten, ((2,), (2,)))


def cases(name: str) -> list[Case]:
    """The calls of an operator that are checked; none: it has no derivative."""
    import torch

    aten = torch.ops.aten
    if name == "elu":
        sets = ((1.0, 1.0, 1.0), (0.5, 2.0, 1.5))
        return [
            Case(((9,),), lambda x, s=s: ops().elu(x - 0.5, *s), lambda x, s=s: aten.elu(x - 0.5, *s))
            for s in sets
        ]
    if name == "softmax":
        return [Case(((3, 5),), ops().softmax, lambda x: aten.softmax(x, -1))]
    if name == "layer_norm":
        return [
            Case(
                ((3, 5), (5,), (5,)),
                lambda *a: ops().layer_norm(*a, 1e-3)[0],
                lambda x, w, b: aten.layer_norm(x, [5], w, b, 1e-3),
            )
        ]
    if name == "batch_norm":
        return [_batch_norm(training) for training in (True, False)]
    if name in ("binary_cross_entropy", "binary_cross_entropy_with_logits"):
        fixed = ((4, 3),) + ((3,),) * (1 if name == "binary_cross_entropy" else 2)

        def call(space: Any, r: int) -> Callable[..., Any]:
            return lambda x, *fixed: getattr(space, name)(x, *fixed, r)

        return [Case(((4, 3),), call(ops(), r), call(aten, r), fixed) for r in range(3)]
    return []


DIFFERENTIABLE = (
    "elu", "softmax", "layer_norm", "batch_norm",
    "binary_cross_entropy", "binary_cross_entropy_with_logits",
)  # fmt: skip


def bridge(case: Case, device: str, fixed: list[Any], exact: list[Any]) -> Callable[..., Any]:
    """A function of float64 tensors with aten's values and our gradients."""
    import torch

    class Bridge(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            with torch.enable_grad():
                ctx.inputs = [x.detach().float().to(device).requires_grad_() for x in inputs]
                ctx.result = case.ours(*ctx.inputs, *fixed)
            value = case.aten(*(x.detach() for x in inputs), *exact)
            close(ctx.result, value, rtol=2e-5, atol=2e-5)
            return value

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            (grad,) = grads
            found = torch.autograd.grad(
                ctx.result, ctx.inputs, grad.float().to(device).reshape(ctx.result.shape), retain_graph=True
            )
            return tuple(x.cpu().double() for x in found)

    return lambda *inputs: Bridge.apply(*inputs)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradcheck(name: str, device: str) -> None:
    import torch

    for case in cases(name):
        # Values that f32 holds: both sides get the same.
        inputs = [(torch.rand(s) * 0.8 + 0.1).double().requires_grad_() for s in case.inputs]
        exact = [(torch.rand(s) * 0.8 + 0.1).double() for s in case.fixed]
        fixed = [x.float().to(device) for x in exact]
        function = bridge(case, device, fixed, exact)
        assert torch.autograd.gradcheck(function, inputs, eps=1e-5, atol=3e-5, rtol=3e-5)


def test_gradcheck_notices_a_wrong_gradient() -> None:
    """The bridge itself: aten's value with the gradient of another function is refused."""
    from torch.autograd.gradcheck import GradcheckError

    import torch

    (case, _) = cases("elu")
    wrong = case._replace(ours=lambda x: case.ours(x) + 1e-4 * (x.sin() - x.detach().sin()))
    x = torch.rand(9).double().requires_grad_()
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(bridge(wrong, "cpu", [], []), (x,), eps=1e-5, atol=3e-5, rtol=3e-5)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", registry.NAMES)
def test_every_operator_has_a_checked_derivative_or_refuses(name: str, device: str) -> None:
    """No operator cuts the graph in silence."""
    import torch
    from tilewright.torch import gradients, operators

    assert {pair.forward for pair in gradients.PAIRS} == set(DIFFERENTIABLE)
    form = operators.forms()[name]
    args, kwargs = sample(form, device)
    floats = [i for i, a in enumerate(args) if isinstance(a, torch.Tensor) and a.is_floating_point()]
    first = args[floats[0]].requires_grad_()
    result = getattr(ops(), name)(*args, **kwargs)
    result = result[0] if isinstance(result, (tuple, list)) else result
    if cases(name):
        assert name in DIFFERENTIABLE
        assert result.requires_grad
        (grad,) = torch.autograd.grad(result.sum(), first)
        assert grad.shape == first.shape
        return
    assert name not in DIFFERENTIABLE
    with pytest.raises(NotImplementedError, match="TW2602"):
        result.sum().backward()
