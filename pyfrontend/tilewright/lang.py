"""The functions of the language: what may be called as ``tw.name(...)`` in the body of an ``@tw.op``
function.

All work elementwise with broadcasting over named axes. f16 and bf16 operands are extended to f32 first;
results are rounded once, when they are returned. Functions of attributes and numbers alone are evaluated on
the host.
"""

from __future__ import annotations

from typing import Any

from . import axes as axes_mod
from . import dtypes, hostexpr
from .errors import ShapeError, nearest
from .graph import Input
from .hostexpr import HostExpr
from .trace import HostValue, RefusedVariantError, Value, binary, check_operand, current, fail, unary

PIVOT = 1e30
"""Largest magnitude of the number from which deviations are taken. Squares overflow f32 long before."""

Tensorish = object
"""A tensor, an attribute expression or a Python number."""

Expr = Any
"""A tensor or an attribute expression. Its kind depends on the operands, so type checkers are not told."""


def exp(x: Tensorish) -> Expr:
    """e to the power x; float types."""
    return unary("exp", x)


def log(x: Tensorish) -> Expr:
    """Natural logarithm; -inf at 0, NaN below; float types."""
    return unary("log", x)


def sqrt(x: Tensorish) -> Expr:
    """Square root, correctly rounded; float types."""
    return unary("sqrt", x)


def rsqrt(x: Tensorish) -> Expr:
    """1 / sqrt(x) with full f32 accuracy; float types."""
    return unary("rsqrt", x)


def reciprocal(x: Tensorish) -> Expr:
    """1 / x, correctly rounded; float types."""
    return unary("reciprocal", x)


def abs(x: Tensorish) -> Expr:
    """Magnitude; the most negative integer stays what it is (wrap-around)."""
    return unary("abs", x)


def minimum(a: Tensorish, b: Tensorish) -> Expr:
    """The smaller one; NaN if either is NaN (IEEE 754 ``minimum``)."""
    return binary("minimum", a, b)


def maximum(a: Tensorish, b: Tensorish) -> Expr:
    """The larger one; NaN if either is NaN (IEEE 754 ``maximum``)."""
    return binary("maximum", a, b)


def clip(x: Tensorish, low: Tensorish, high: Tensorish) -> Expr:
    """``minimum(maximum(x, low), high)``; NaN stays NaN."""
    return minimum(maximum(x, low), high)


def log1p(x: Tensorish) -> Expr:
    """log(1 + x) with full relative accuracy for small x; float types."""
    return unary("log1p", x)


def expm1(x: Tensorish) -> Expr:
    """exp(x) - 1 with full relative accuracy for small x; float types."""
    return unary("expm1", x)


def where(condition: object, yes: Tensorish, no: Tensorish) -> Expr:
    """``yes`` where the comparison holds, else ``no``. Both are computed; the other one leaves no trace."""
    if not isinstance(condition, Value):
        fail(
            "TW1014",
            f"the condition of tw.where is {condition!r}",
            expected="a comparison of tensors, such as x > 0",
            hint="a condition on a bool attribute is an ordinary Python `if`",
        )
    if condition.type != "i1":
        fail(
            "TW1014",
            f"the condition of tw.where is a number: {condition.describe()}",
            expected="a comparison, such as x != 0",
        )
    check_operand("where", yes)
    check_operand("where", no)
    return condition.builder.select(condition, yes, no)


def cast(x: Tensorish, dtype: str) -> Expr:
    """``x`` in another element type: "f32", "f16", "bf16", "i32", "i16".

    Floats are rounded to nearest even; floats to integers are truncated towards zero (values that do not fit
    are unspecified); integers to smaller ones wrap around. The result of a comparison becomes 1 or 0.
    """
    if not isinstance(x, Value):
        fail("TW1014", f"tw.cast of {x!r}", expected="a tensor", hint="attributes take the type of their use")
    if dtype not in dtypes.TYPES:
        fail(
            "TW1004",
            f"{dtype!r} is not an element type",
            expected=", ".join(dtypes.TYPES),
            hint=nearest(str(dtype), dtypes.TYPES),
        )
    builder = x.builder
    target = dtypes.TYPES[dtype]
    if x.type == "i1":
        return builder.convert(
            builder.select(x, builder.lift(1, target.compute), builder.lift(0, target.compute)), dtype
        )
    return _convert(x, dtype)


def _convert(x: Value, dtype: str) -> Value:
    # Half types meet every other type through f32: an exact step and one rounding, and the only pairs that
    # later stages have to know.
    source, target = dtypes.TYPES[x.type], dtypes.TYPES[dtype]
    half = {"f16", "bf16"} & {source.name, target.name}
    steps = ["f32"] if half and source.name != target.name else []
    for step in [*steps, dtype]:
        x = x.builder.convert(x, step)
    return x


def size(axes: str) -> Expr:
    """The number of elements along the named axes, as a number: ``tw.size("N *S")``."""
    builder = current()
    if builder is None:
        fail("TW1018", "tw.size outside an @tw.op definition")
    result: HostExpr | None = None
    for name in axes_mod.parse(axes):
        if name not in builder.order.order:
            fail(
                "TW1015",
                f"unknown axis {name!r} in tw.size({axes!r})",
                expected=", ".join(builder.order.order),
                hint=nearest(name, builder.order.order),
            )
        extent = hostexpr.size(name)
        result = extent if result is None else HostExpr("mul", (result, extent), True)
    return HostValue(result or hostexpr.literal(1))


def one_element(x: object) -> Expr:
    """Declare that, in this variant, the input ``x`` has exactly one element (of any rank); it broadcasts."""
    if not isinstance(x, Value) or not isinstance(x.node, Input):
        fail("TW1015", f"tw.one_element of {x!r}", expected="a tensor parameter of the operator, unchanged")
    return x.builder.one_element(x)


def require(condition: object, what: str, *, expected: str = "", hint: str = "") -> None:
    """Refuse a call unless ``condition`` holds, with a message of the operator's author.

    In the body of an operator the condition is about choices, types (``x.is_integer``) and absent inputs, and
    a false one removes the variant. In an ``@op.check`` function it is about attribute values.
    """
    if bool(condition):  # of a tensor or a number attribute: TW1011 or TW1012 with the user's line
        return
    if current() is not None:
        raise RefusedVariantError(what, expected, hint)
    raise ShapeError("TW2014", what, expected=expected, hint=hint)


# -- reductions ----------------------------------------------------------------------------------------


def _over(name: str, x: Tensorish, over: str) -> Value:
    builder = x.builder if isinstance(x, Value) else current()
    if builder is None:
        fail("TW1018", f"tw.{name} outside an @tw.op definition")
    return builder.reduce(name, x, over)


def sum(x: Tensorish, over: str) -> Expr:
    """Sum along the named axes, in f32, with compensation across tiles: ``tw.sum(grad * x, over="N *S")``.

    The result varies along the axes that are left and broadcasts back by name.
    """
    return _over("sum", x, over)


def max(x: Tensorish, over: str) -> Expr:
    """Largest value along the named axes; NaN if there is one (IEEE 754 ``maximum``)."""
    return _over("max", x, over)


def min(x: Tensorish, over: str) -> Expr:
    """Smallest value along the named axes; NaN if there is one (IEEE 754 ``minimum``)."""
    return _over("min", x, over)


def moments(x: Tensorish, over: str) -> tuple[Expr, Expr]:
    """Mean and biased variance along the named axes, in one pass over the data.

    The pass sums the deviations d from a pivot, the mean of a sample, and their squares. The sum of d
    corrects the mean (so the mean of equal values is that value) and the variance,
    ``(sum(d*d) - sum(d)^2/m) / m``. That difference has a relative error larger by the factor
    1 + (pivot - mean)^2 / variance: about 1 for a sample like the rest, and for any data at most the number
    of elements over that of the sample.
    """
    m = size(over)
    # Finite, so that an infinite element makes the mean infinite, and not NaN by infinity - infinity.
    first = unary("pivot", clip(sum(x, over) / m, -PIVOT, PIVOT))
    d = binary("sub", x, first)
    error = sum(d, over)
    squares = sum(d * d, over)
    mean_error = error / m
    return first + mean_error, maximum((squares - error * mean_error) / m, 0.0)


def mean(x: Tensorish, over: str) -> Expr:
    """Mean along the named axes, the exact one of equal values (see ``moments``).

    ``tw.sum(x, over) / tw.size(over)`` may differ from the mean by a rounding.
    """
    return moments(x, over)[0]


def var(x: Tensorish, over: str) -> Expr:
    """Biased variance along the named axes (see ``moments``); with the mean it costs nothing more."""
    return moments(x, over)[1]
