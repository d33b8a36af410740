"""``override_aten``: torch's own operators on ``npu`` run by ours, until it is undone.

::

    with tilewright.torch.override_aten("elu", "batch_norm"):
        train()
    switch = tilewright.torch.override_aten()      # everything, for the whole process
    switch.undo()

Autograd is torch's: only the kernels of the device change. Calls that our operators do not take (float64, a
softmax over another dimension than the last) go to the kernel that was there before.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any, NamedTuple

import torch
from tilewright.errors import MissingError, UsageError, nearest

_KEY = "PrivateUse1"
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


def _layer_norm(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> Any:
    result, mean, rstd = _ours().layer_norm(x, weight, bias, eps)
    return result, mean, rstd


def _layer_norm_takes(x: Any, shape: Any, weight: Any, bias: Any, eps: float) -> bool:
    return len(shape) == 1 and _statistics(x, weight, bias)


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
        Route("aten::native_batch_norm_backward", _batch_norm_backward, _batch_norm_backward_takes),
    ),
    "layer_norm": (Route("aten::native_layer_norm", _layer_norm, _layer_norm_takes),),
}


class override_aten:  # noqa: N801 - used like a function
    """Switch on at once; ``undo()`` or the end of a ``with`` block switches off.

    Args:
        names: groups of operators, all if none is given: elu, binary_cross_entropy,
            binary_cross_entropy_with_logits, batch_norm, layer_norm.

    Raises:
        UsageError: TW5406 for an unknown group.
        MissingError: TW5405 if torch_npu is not there.
    """

    def __init__(self, *names: str) -> None:
        for name in names:
            if name not in GROUPS:
                raise UsageError(
                    "TW5406", f"override_aten knows no group {name!r}", hint=nearest(name, GROUPS)
                )
        registered = torch._C._dispatch_get_registrations_for_dispatch_key(_KEY)
        if not any(name.startswith("npu::") for name in registered):
            raise MissingError(
                "TW5405",
                "override_aten needs torch_npu, which is not imported",
                hint="import torch_npu; without a device under `tilewright emulate`",
            )
        self.calls = 0
        self._libraries: dict[str, torch.library.Library] = {}
        known = set(registered)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch says once that kernels are replaced: that is what happens
            for name in names or GROUPS:
                for route in GROUPS[name]:
                    if route.name in known:
                        self._install(route)

    def _install(self, route: Route) -> None:
        space, _, base = route.name.partition("::")
        plain, _, overload_name = base.partition(".")
        overload = getattr(getattr(getattr(torch.ops, space), plain), overload_name or "default")
        before = torch.library.get_kernel(overload, _KEY)
        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.PrivateUse1)

        def kernel(*args: Any, **kwargs: Any) -> Any:
            results = [kwargs.pop(name) for name in route.out]
            if not route.takes(*args, **kwargs):
                for name, value in zip(route.out, results, strict=True):
                    kwargs[name] = value
                return before.call_boxed(keys, *args, **kwargs)
            self.calls += 1
            found = route.run(*args, **kwargs)
            if not results:
                return found
            results[0].resize_(found.shape)
            return results[0].copy_(found)

        if space not in self._libraries:
            self._libraries[space] = torch.library.Library(space, "IMPL")
        self._libraries[space].impl(base, kernel, _KEY, allow_override=True)

    def undo(self) -> None:
        """Give torch its kernels back; a second call does nothing."""
        for library in self._libraries.values():
            library._destroy()
        self._libraries.clear()

    def __enter__(self) -> override_aten:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.undo()
