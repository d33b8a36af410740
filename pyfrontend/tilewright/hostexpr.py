"""Expressions of attributes, evaluated on the host.

What an operator computes from its float and int attributes, from literals and from element counts alone
(``alpha * scale * input_scale``) is evaluated once per call in float64 and rounded to the kernel's type once.
The kernel gets one scalar argument for each different expression.
"""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class HostExpr:
    """A host expression.

    Attributes:
        op: "attr", "size", "lit", or the name of an operation.
        args: operands; for "attr" and "size" one name, for "lit" one number.
        is_int: whether every part is an integer, so that it may be used with integer tensors.
    """

    op: str
    args: tuple[HostExpr | str | float | int, ...]
    is_int: bool

    def __str__(self) -> str:
        """Canonical text, e.g. ``mul(mul(alpha, scale), input_scale)``; part of cache keys."""
        if self.op == "lit":
            return repr(self.args[0])
        if self.op == "attr":
            return str(self.args[0])
        return f"{self.op}({', '.join(str(a) for a in self.args)})"

    def sizes(self) -> tuple[str, ...]:
        """The axes whose extents the expression uses, in order of appearance."""
        if self.op == "size":
            return (str(self.args[0]),)
        return tuple(s for a in self.args if isinstance(a, HostExpr) for s in a.sizes())


def attribute(name: str, is_int: bool) -> HostExpr:
    """The attribute ``name``."""
    return HostExpr("attr", (name,), is_int)


def literal(value: float | int) -> HostExpr:
    """A Python number."""
    return HostExpr("lit", (value,), isinstance(value, int))


def size(axis: str) -> HostExpr:
    """The number of elements along one axis."""
    return HostExpr("size", (axis,), True)


def _div(a: float, b: float) -> float:
    if b:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _exp(a: float) -> float:
    try:
        return math.exp(a)
    except OverflowError:
        return math.inf


def _log(a: float) -> float:
    if a > 0.0 or math.isnan(a):
        return math.log(a)
    return -math.inf if a == 0.0 else math.nan


def _log1p(a: float) -> float:
    return math.log1p(a) if a > -1.0 else _log(a + 1.0)


def _expm1(a: float) -> float:
    return math.expm1(a) if a < 700.0 else _exp(a)


def _reciprocal(a: float) -> float:
    return _div(1.0, a)


def _rsqrt(a: float) -> float:
    return _div(1.0, _sqrt(a))


def _sqrt(a: float) -> float:
    return math.nan if a < 0.0 else math.sqrt(a)


def _maximum(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def _minimum(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


# IEEE results where Python would raise: a kernel that divides by an attribute must see inf, not an exception.
OPERATIONS: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _div,
    "neg": operator.neg,
    "abs": operator.abs,
    "exp": _exp,
    "log": _log,
    "log1p": _log1p,
    "expm1": _expm1,
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "reciprocal": _reciprocal,
    "maximum": _maximum,
    "minimum": _minimum,
}


def evaluate(expr: HostExpr, attributes: Mapping[str, float], sizes: Mapping[str, int]) -> float:
    """The value in float64 (in exact integers while every part is an integer)."""
    if expr.op == "lit":
        value = expr.args[0]
        assert isinstance(value, (int, float))
        return value
    if expr.op == "attr":
        return attributes[str(expr.args[0])]
    if expr.op == "size":
        return sizes[str(expr.args[0])]
    operands = [evaluate(a, attributes, sizes) for a in expr.args if isinstance(a, HostExpr)]
    if not expr.is_int:
        operands = [float(a) for a in operands]
    result: float = OPERATIONS[expr.op](*operands)
    return result


def to_kernel(value: float, element_type: str) -> float | int:
    """Round to the kernel's type once: f32 to nearest even, too large to infinity; integers wrap around."""
    if element_type == "f32":
        return ctypes.c_float(value).value
    return ctypes.c_int32(int(value)).value
