"""Which operators of torch ``override_aten`` routes to which of ours, and which calls ours take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

_TYPES = (torch.float32, torch.float16, torch.bfloat16)


class Route(NamedTuple):
    """One operator of torch and what runs in its place.

    Attributes:
        name: its name with namespace and overload.
        run: called with its arguments; returns the result.
        takes: whether a call can be run by ours.
        out: result arguments, to be filled, of an ``out=`` overload.
    """

    name: str
    run: Callable[..., Any]
    takes: Callable[..., bool]
    out: tuple[str, ...] = ()


def _ours() -> Any:
    return torch.ops.tilewright


def _floats(*args: Any, **kwargs: Any) -> bool:
    """All tensors are of a type that our operators take."""
    tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
    return all(x.dtype in _TYPES for x in tensors)


def _same(*args: Any, **kwargs: Any) -> bool:
    """The same, and all tensors of one type."""
    tensors = [x for x in (*args, *kwargs.values()) if isinstance(x, torch.Tensor)]
    return _floats(*tensors) and len({x.dtype for x in tensors}) <= 1


def _elu(self: torch.Tensor, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    return _ours().elu(self, float(alpha), float(scale), float(input_scale))


def _elu_(self: torch.Tensor, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    return self.copy_(_elu(self, alpha, scale, input_scale))


def _elu_backward(
    grad: torch.Tensor, alpha: Any, scale: Any, input_scale: Any, is_result: bool, self: torch.Tensor
) -> Any:
    return _ours().elu_backward(grad, float(alpha), float(scale), float(input_scale), is_result, self)


def _elu_backward_takes(
    grad: torch.Tensor, alpha: Any, scale: Any, input_scale: Any, is_result: bool, self: torch.Tensor
) -> bool:
    return _same(grad, self) and not (is_result and alpha < 0)


def _bce(self: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
    return _ours().binary_cross_entropy(self, target, weight, reduction)


def _bce_backward(grad: Any, self: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
    return _ours().binary_cross_entropy_backward(grad, self, target, weight, reduction)


def _logits(self: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1) -> Any:
    return _ours().binary_cross_entropy_with_logits(self, target, weight, pos_weight, reduction)


def _logits_backward(
    grad: Any, self: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1
) -> Any:
    return _ours().binary_cross_entropy_with_logits_backward(
        grad, self, target, weight, pos_weight, reduction
    )


def _statistics(x: torch.Tensor, *per_channel: torch.Tensor | None) -> bool:
    """Per-channel tensors are f32 or of the type of the data."""
    kinds = (torch.float32, x.dtype)
    return x.dtype in _TYPES and x.dim() >= 2 and all(t is None or t.dtype in kinds for t in per_channel)


def _batch_norm(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float
) -> Any:
    return _ours().batch_norm(x, weight, bias, mean, var, training, momentum, eps)


def _batch_norm_takes(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, training: bool, momentum: float, eps: float
) -> bool:
    return _statistics(x, weight, bias, mean, var) and eps >= 0


def _batch_norm_backward(
    grad: Any,
    x: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    output_mask: list[bool],
) -> Any:
    if not any(output_mask):
        return None, None, None
    if train:
        return _ours().batch_norm_backward(grad, x, weight, save_mean, save_invstd, output_mask)
    return _ours().batch_norm_backward_frozen(grad, x, weight, running_mean, running_var, eps, output_mask)


def _batch_norm_backward_takes(
    grad: Any,
    x: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_invstd: Any,
    train: bool,
    eps: float,
    output_mask: list[bool],
) -> bool:
    used = (save_mean, save_invstd) if train else (running_mean, running_var)
    return _statistics(x, grad, weight, *used) and grad.dtype == x.dtype and None not in used


def _legit_no_stats(x: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float) -> Any:
    return _ours().batch_norm(x, weight, bias, None, None, training, momentum, eps)


def _legit_no_stats_takes(
    x: Any, weight: Any, bias: Any, training: bool, momentum: float, eps: float
) -> bool:
    return training and _batch_norm_takes(x, weight, bias, None, None, training, momentum, eps)


def _with_reserve(found: Any, x: torch.Tensor) -> Any:
    """The newer entry points return a reserve of bytes for their gradient, which ours does not need."""
    return (*found, torch.empty(0, dtype=torch.uint8, device=x.device))


def _with_update(x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> Any:
    return _with_reserve(_ours().batch_norm(x, weight, bias, mean, var, True, momentum, eps), x)


def _update_takes(x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> bool:
    return _batch_norm_takes(x, weight, bias, mean, var, True, momentum, eps)


def _no_update(x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float) -> Any:
    return _with_reserve(_ours().batch_norm(x, weight, bias, mean, var, False, momentum, eps), x)


def _no_update_takes(
    x: Any, weight: Any, bias: Any, mean: Any, var: Any, momentum: float, eps: float
) -> bool:
    return None not in (mean, var) and _update_takes(x, weight, bias, mean, var, momentum, eps)


def _new_backward(
    grad: Any,
    x: Any,
    weight: Any,
    running_mean: Any,
    running_var: Any,
    save_mean: Any,
    save_var: Any,
    update: bool,
    eps: float,
    output_mask: list[bool],
    reserve: Any,
) -> Any:
    return _batch_norm_backward(
        grad, x, weight, running_mean, running_var, save_mean, save_var, update, eps, output_mask
    )


def _new_backward_takes(*args: Any) -> bool:
    return _batch_norm_backward_takes(*args[:-1])


def _elemt(x: Any, weight: Any, bias: Any, mean: Any, invstd: Any, eps: float) -> Any:
    return _ours().batch_norm_elemt(x, weight, bias, mean, invstd)


def _gather(
    x: Any,
    mean: Any,
    invstd: Any,
    running_mean: Any,
    running_var: Any,
    momentum: float,
    eps: float,
    counts: Any,
) -> Any:
    return _ours().batch_norm_gather_stats_with_counts(
        mean, invstd, running_mean, running_var, counts, momentum, eps
    )


def _reduce(*args: Any) -> Any:
    return _ours().batch_norm_backward_reduce(*args)


def _backward_elemt(*args: Any) -> Any:
    return _ours().batch_norm_backward_elemt(*args)


def _layer_norm(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    result, mean, rstd = _ours().layer_norm(x, weight, bias, eps)
    return result, mean.unsqueeze(-1), rstd.unsqueeze(-1)  # aten keeps the dimension


def _layer_norm_backward(
    grad: Any, x: Any, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, output_mask: list[bool]
) -> Any:
    mean, rstd = (t.reshape(x.shape[:-1]) for t in (mean, rstd))
    to_input = _ours().layer_norm_backward(grad, x, mean, rstd, weight) if output_mask[0] else None
    if not any(output_mask[1:]):
        return to_input, None, None
    return (to_input, *_ours().layer_norm_backward_weight(grad, x, mean, rstd, weight, output_mask[1:]))


def _layer_norm_backward_takes(
    grad: Any, x: Any, shape: Any, mean: Any, rstd: Any, weight: Any, bias: Any, output_mask: list[bool]
) -> bool:
    return len(shape) == 1 and grad.dtype == x.dtype and _statistics(x, mean, rstd, weight)


def _softmax(x: Any, dim: int, half_to_float: bool) -> Any:
    return _ours().softmax(x)


def _softmax_takes(x: Any, dim: int, half_to_float: bool) -> bool:
    return _floats(x) and x.dim() >= 1 and dim % x.dim() == x.dim() - 1 and not half_to_float


def _softmax_backward(grad: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    return _ours().softmax_backward(grad, output)


def _softmax_backward_takes(grad: Any, output: Any, dim: int, input_dtype: Any) -> bool:
    return _same(grad, output) and output.dtype == input_dtype and _softmax_takes(output, dim, False)


def _layer_norm_takes(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> bool:
    return len(shape) == 1 and _statistics(x, weight, bias)


def _float32(*tensors: torch.Tensor | None) -> bool:
    return all(t is None or t.dtype == torch.float32 for t in tensors)


_SAVED = ("save_mean", "save_invstd")

GROUPS: dict[str, tuple[Route, ...]] = {
    "elu": (
        Route("aten::elu", _elu, lambda self, *_: _floats(self)),
        Route("aten::elu.out", _elu, lambda self, *_: _floats(self), ("out",)),
        Route("aten::elu_", _elu_, lambda self, *_: _floats(self)),
        Route("aten::elu_backward", _elu_backward, _elu_backward_takes),
        Route("aten::elu_backward.grad_input", _elu_backward, _elu_backward_takes, ("grad_input",)),
    ),
    "binary_cross_entropy": (
        Route("aten::binary_cross_entropy", _bce, _same),
        Route("aten::binary_cross_entropy.out", _bce, _same, ("out",)),
        Route("aten::binary_cross_entropy_backward", _bce_backward, _same),
        Route("aten::binary_cross_entropy_backward.grad_input", _bce_backward, _same, ("grad_input",)),
    ),
    "binary_cross_entropy_with_logits": (
        Route("aten::binary_cross_entropy_with_logits", _logits, _same),
        # torch_npu's autograd calls an operator of its own for the gradient.
        Route("npu::npu_binary_cross_entropy_with_logits_backward", _logits_backward, _same),
    ),
    "batch_norm": (
        Route("aten::native_batch_norm", _batch_norm, _batch_norm_takes),
        Route("aten::native_batch_norm.out", _batch_norm, _batch_norm_takes, ("out", *_SAVED)),
        # What torch.compile and torch.export make of it.
        Route("aten::_native_batch_norm_legit", _batch_norm, _batch_norm_takes),
        Route("aten::_native_batch_norm_legit.no_stats", _legit_no_stats, _legit_no_stats_takes),
        Route("aten::_batch_norm_with_update", _with_update, _update_takes),
        Route("aten::_batch_norm_no_update", _no_update, _no_update_takes),
        Route("aten::native_batch_norm_backward", _batch_norm_backward, _batch_norm_backward_takes),
        Route("aten::batch_norm_backward", _new_backward, _new_backward_takes),
    ),
    "sync_batch_norm": (
        Route(
            "aten::batch_norm_stats",
            lambda x, eps: _ours().batch_norm_stats(x, eps),
            lambda x, _: _statistics(x),
        ),
        Route("aten::batch_norm_elemt", _elemt, lambda *a: _statistics(*a[:5])),
        Route("aten::batch_norm_elemt.out", _elemt, lambda *a: _statistics(*a[:5]), ("out",)),
        Route("aten::batch_norm_gather_stats_with_counts", _gather, lambda *a: _float32(*a[1:5])),
        Route(
            "aten::batch_norm_backward_reduce",
            _reduce,
            lambda g, x, *a: g.dtype == x.dtype and _statistics(x, *a[:3]),
        ),
        Route(
            "aten::batch_norm_backward_elemt",
            _backward_elemt,
            lambda g, x, *a: g.dtype == x.dtype and _statistics(x, *a[:5]),
        ),
    ),
    "layer_norm": (
        Route("aten::native_layer_norm", _layer_norm, _layer_norm_takes),
        Route("aten::native_layer_norm_backward", _layer_norm_backward, _layer_norm_backward_takes),
    ),
    "softmax": (
        Route("aten::_softmax", _softmax, _softmax_takes),
        Route("aten::_softmax.out", _softmax, _softmax_takes, ("out",)),
        Route("aten::_softmax_backward_data", _softmax_backward, _softmax_backward_takes),
        Route(
            "aten::_softmax_backward_data.out", _softmax_backward, _softmax_backward_takes, ("grad_input",)
        ),
    ),
}
