"""tilewright: Ascend NPU operators written as Python mathematics.

    import tilewright as tw

    @tw.op
    def scale(x: tw.Tensor["*S"], *, factor: float = 1.0) -> tw.Tensor["*S"]:
        return x * factor

The names below are the whole public surface. They are imported on first use, so that ``import tilewright`` is
quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

FUNCTIONS: tuple[str, ...] = (
    "exp",
    "log",
    "log1p",
    "expm1",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "abs",
    "minimum",
    "maximum",
    "clip",
    "where",
    "cast",
    "size",
    "one_element",
    "require",
    "sum",
    "mean",
    "var",
    "moments",
    "max",
    "min",
)
"""Functions for the body of an operator."""

_ANNOTATIONS = ("Tensor", "Broadcast", "Scalar", "Counts")
_ERRORS = (
    "TilewrightError",
    "DefinitionError",
    "ShapeError",
    "DTypeError",
    "CompileError",
    "ExecutionError",
    "UsageError",
)

_HOME: dict[str, tuple[str, str]] = {
    **{name: ("lang", name) for name in FUNCTIONS},
    **{name: ("spec", name) for name in _ANNOTATIONS},
    **{name: ("errors", name) for name in _ERRORS},
    "op": ("definition", "op"),
    "bind": ("binding", "bind"),
    "compile": ("kernel", "compile"),
}


if TYPE_CHECKING:
    from . import ops as ops
    from .binding import bind as bind
    from .definition import op as op
    from .errors import CompileError as CompileError
    from .errors import DefinitionError as DefinitionError
    from .errors import DTypeError as DTypeError
    from .errors import ExecutionError as ExecutionError
    from .errors import ShapeError as ShapeError
    from .errors import TilewrightError as TilewrightError
    from .errors import UsageError as UsageError
    from .kernel import compile as compile
    from .lang import abs as abs
    from .lang import cast as cast
    from .lang import clip as clip
    from .lang import exp as exp
    from .lang import expm1 as expm1
    from .lang import log as log
    from .lang import log1p as log1p
    from .lang import max as max
    from .lang import maximum as maximum
    from .lang import mean as mean
    from .lang import min as min
    from .lang import minimum as minimum
    from .lang import moments as moments
    from .lang import one_element as one_element
    from .lang import reciprocal as reciprocal
    from .lang import require as require
    from .lang import rsqrt as rsqrt
    from .lang import size as size
    from .lang import sqrt as sqrt
    from .lang import sum as sum
    from .lang import var as var
    from .lang import where as where
    from .spec import Broadcast as Broadcast
    from .spec import Counts as Counts
    from .spec import Scalar as Scalar
    from .spec import Tensor as Tensor


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        if name == "ops":
            return importlib.import_module(".ops", __name__)
        raise AttributeError(f"module 'tilewright' has no attribute {name!r}", name=name, obj=_this())
    value = getattr(importlib.import_module("." + home[0], __name__), home[1])
    globals()[name] = value
    return value


def _this() -> Any:
    return importlib.import_module(__name__)


def __dir__() -> list[str]:
    return sorted(["__version__", "ops", *_HOME])
