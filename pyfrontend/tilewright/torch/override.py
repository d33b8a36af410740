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

import threading
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


#: What ran on the device before the first switch; a switch's own kernel goes away with it.
_before: dict[str, Callable[..., Any]] = {}
_installing = threading.RLock()


def _overload(name: str) -> Any:
    space, _, base = name.partition("::")
    plain, _, overload_name = base.partition(".")
    return getattr(getattr(getattr(torch.ops, space), plain), overload_name or "default")


def _exists(name: str) -> bool:
    """Whether this torch has the operator."""
    try:
        _overload(name)
    except AttributeError:
        return False
    return True


def _kernel_before(name: str) -> Callable[..., Any]:
    """What runs calls that ours do not take; called with the dispatch keys in front.

    An operator that the device has no kernel of has torch_npu's fallback, which copies to the host and back.
    """
    if name not in _before:
        _before[name] = torch.library.get_kernel(_overload(name), _KEY).call_boxed
    return _before[name]


class override_aten:  # noqa: N801 - used like a function
    """Switch on at once; ``undo()`` or the end of a ``with`` block switches off.

    Args:
        names: groups of operators, all if none is given: elu, binary_cross_entropy,
            binary_cross_entropy_with_logits, batch_norm, sync_batch_norm, layer_norm, softmax.

    Switches may be nested and undone in any order; the newest one that is on runs and counts the calls.
    Threads may call operators while a switch is on, but none may be in one while it is switched on or off:
    torch's dispatcher does not guard kernels that are taken away.

    Attributes:
        calls: how many calls of torch's operators ours have run.

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
        self._counting = threading.Lock()
        self._libraries: dict[str, torch.library.Library] = {}
        with _installing, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch says once that kernels are replaced: that is what happens
            for name in names or GROUPS:
                for route in GROUPS[name]:
                    if _exists(route.name):
                        self._install(route)

    def _install(self, route: Route) -> None:
        space, _, base = route.name.partition("::")
        before = _kernel_before(route.name)
        keys = torch._C.DispatchKeySet(torch._C.DispatchKey.PrivateUse1)

        def kernel(*args: Any, **kwargs: Any) -> Any:
            results = [kwargs.pop(name) for name in route.out]
            if not route.takes(*args, **kwargs):
                for name, value in zip(route.out, results, strict=True):
                    kwargs[name] = value
                return before(keys, *args, **kwargs)
            with self._counting:
                self.calls += 1
            found = route.run(*args, **kwargs)
            if not results:
                return found
            several = found if isinstance(found, tuple) else (found,)
            for value, result in zip(several, results, strict=True):
                result.resize_(value.shape).copy_(value)
            return tuple(results) if isinstance(found, tuple) else results[0]

        if space not in self._libraries:
            self._libraries[space] = torch.library.Library(space, "IMPL")
        self._libraries[space].impl(base, kernel, _KEY, allow_override=True)

    def undo(self) -> None:
        """Give torch its kernels back; a second call does nothing."""
        with _installing:
            for library in self._libraries.values():
                library._destroy()
            self._libraries.clear()

    def __enter__(self) -> override_aten:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.undo()
