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
from typing import Any

import torch
from tilewright.errors import MissingError, UsageError, nearest
from tilewright.torch.routes import GROUPS, Route

_KEY = "PrivateUse1"

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
    Threads may call operators while a switch is on, but not while one is switched on or off:
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
