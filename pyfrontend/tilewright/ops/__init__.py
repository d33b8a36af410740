"""The operators that ship with tilewright, one file each in the folder of their family.

``tilewright.ops.elu_backward`` is the operator, imported on first use; ``registry`` lists and describes all
of them.
"""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    # importlib, not `from . import`: the latter looks here first and would come back forever.
    registry = importlib.import_module("tilewright.ops.registry")
    if name not in registry.NAMES:
        raise AttributeError(f"module 'tilewright.ops' has no operator {name!r}; {registry.hint(name)}")
    return registry.get(name)


def __dir__() -> list[str]:
    return ["registry", *importlib.import_module("tilewright.ops.registry").NAMES]
