"""Autocast: losses and normalisations run in f32, as torch's own do; the rest follows its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

#: torch's list of operators that autocast runs in float32, as far as we have them.
IN_FLOAT32 = ("binary_cross_entropy", "binary_cross_entropy_with_logits", "layer_norm", "rms_norm", "softmax")

_KEYS = {"cpu": "AutocastCPU", "npu": "AutocastPrivateUse1"}


def register(library: torch.library.Library) -> None:
    """Register the autocast behaviour of the operators that are defined."""
    from tilewright.torch import operators

    for name in IN_FLOAT32:
        if name in operators.forms():
            for device, key in _KEYS.items():
                library.impl(name, _in_float32(name, device, key), key)


def _in_float32(name: str, device: str, key: str) -> Callable[..., Any]:
    overload = getattr(torch.ops.tilewright, name).default
    keys = torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key))

    def cast(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and value.device.type == device and value.is_floating_point():
            return value.float()
        return value

    def call(*args: Any, **kwargs: Any) -> Any:
        with torch._C._ExcludeDispatchKeyGuard(keys):
            return overload(*map(cast, args), **{n: cast(v) for n, v in kwargs.items()})

    return call
