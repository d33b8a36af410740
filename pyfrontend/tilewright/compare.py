"""Is a result right? The two rules by which results are judged against the float64 reference.

``tight`` is the rule for the emulator, whose arithmetic is known: every element has to satisfy
``|error| <= atol + rtol*|reference| + half a step of the type (half types only) + 2*bound``. rtol allows for
some f32 operations: 5e-6, and 1e-6 for operators that reduce, whose bounds cover all operations. The half
step is the one rounding to a half type: an implementation that rounds in between fails. bound is what f32
arithmetic may cost at this element (reference.py); it matters where terms cancel.

``gate`` is the acceptance rule of the vendor's operator tests ("double one-in-a-thousand"): an element is bad
if its error exceeds the tolerance; as large a fraction of the elements may be bad, none by more than 100
times the tolerance.

Not-a-number matches not-a-number, infinities match by sign, +0 matches -0, integers match exactly.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import dtypes
from .reference import Reference

F64 = npt.NDArray[np.float64]

BOUND_FACTOR = 2.0
HARD_LIMIT = 100.0


class Tolerance(NamedTuple):
    """What a rule allows: ``atol + rtol*|reference|``, plus half a step of the type if ``half_step``.

    ``fraction`` of the elements may exceed that, by the factor HARD_LIMIT at most.
    """

    rtol: float
    atol: float
    half_step: bool
    fraction: float


# atol: one step of the subnormal numbers of f16, and about ten times the smallest normal number of f32 and
# bf16, below which results may be flushed.
_ATOL = {"f32": 1e-37, "f16": 6e-8, "bf16": 1e-37}
_TIGHT = 5e-6
_GATE = {"f32": 1e-4, "f16": 1e-3, "bf16": 4e-3}
# Bits of precision. Rounding to bf16 costs up to 2^-8 = 3.9e-3 of the value just above a power of two, and
# half as much just below one; a relative tolerance would be too tight for the former or twice too wide for
# the latter.
_PRECISION = {"f16": 11, "bf16": 8}
# From here on, rounding to nearest gives infinity.
_OVERFLOW = {"f32": 2.0**128 * (1 - 2.0**-25), "f16": 65520.0, "bf16": 2.0**128 * (1 - 2.0**-9)}
_NORMAL = {"f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}
_CHUNK = 1 << 16

RULES = ("tight", "gate")


def tolerance(dtype: str, rule: str = "tight") -> Tolerance:
    """The tolerance of an element type under a rule ("tight" or "gate"); integers are exact."""
    if rule not in RULES:
        raise ValueError(f"rule {rule!r} is none of {', '.join(RULES)}")
    if not dtypes.is_float(dtype):
        return Tolerance(0.0, 0.0, False, 0.0)
    if rule == "gate":
        return Tolerance(_GATE[dtype], _ATOL[dtype], False, _GATE[dtype])
    return Tolerance(_TIGHT, _ATOL[dtype], dtype in _PRECISION, 0.0)


@dataclass(frozen=True)
class Comparison:
    """The outcome of a comparison.

    Attributes:
        passed: whether the rule holds.
        max_abs_err: largest absolute error where reference and result are finite.
        max_rel_err: largest relative error where the reference is at least the smallest normal number of the
            type.
        max_share: largest error as a fraction of what the rule allows for the element (1 is the limit).
        bad: number of elements outside the tolerance.
        unbounded: number of elements whose error bound is infinite, so that any value is accepted.
        total: number of elements.
        worst: index of the element with the largest share, or None without elements.
        got, expected: the result and the reference there.
    """

    passed: bool
    max_abs_err: float
    max_rel_err: float
    max_share: float
    bad: int
    unbounded: int
    total: int
    worst: tuple[int, ...] | None
    got: float
    expected: float

    def __str__(self) -> str:
        verdict = "passed" if self.passed else "FAILED"
        text = f"{verdict}: {self.bad} of {self.total} elements outside the tolerance"
        if self.worst is not None:
            text += f"; worst at {list(self.worst)}: got {self.got!r}, expected {self.expected!r}"
        return text


class _Measure(NamedTuple):
    """The figures of one chunk; ``at`` is the position of its largest share."""

    max_abs: float
    max_rel: float
    share: float
    at: int
    expected: float
    bad: int
    unbounded: int


def compare(got: npt.NDArray[Any], reference: Reference, dtype: str, rule: str = "tight") -> Comparison:
    """Judge one result.

    Args:
        got: what the kernel stored, in the logical shape of the result.
        reference: from ``reference.evaluate``.
        dtype: element type of the result.
        rule: "tight" or "gate".
    """
    value = reference.value
    if got.shape != value.shape:
        raise ValueError(f"the result has the shape {got.shape}, the reference {value.shape}")
    limits = tolerance(dtype, rule)
    if limits.fraction == 0.0 and limits.rtol:
        limits = limits._replace(rtol=reference.rtol)
    if got.size == 0:
        return Comparison(True, 0.0, 0.0, 0.0, 0, 0, 0, None, 0.0, 0.0)
    # In the order in which the reference is stored, so that nothing is copied.
    order = sorted(range(value.ndim), key=lambda d: -value.strides[d])
    flat = [a.transpose(order).reshape(-1) for a in (got, value, reference.bound)]

    def work(start: int) -> _Measure:
        g, v, b = (a[start : start + _CHUNK].astype(np.float64) for a in flat)
        with np.errstate(all="ignore"):
            return _measure(g, v, b, dtype, limits, start)

    with ThreadPoolExecutor() as pool:
        measures = list(pool.map(work, range(0, got.size, _CHUNK)))
    worst = max(measures, key=lambda m: m.share)
    bad = sum(m.bad for m in measures)
    index = [0] * value.ndim
    for d, i in zip(order, np.unravel_index(worst.at, [value.shape[d] for d in order]), strict=True):
        index[d] = int(i)
    return Comparison(
        passed=bad <= limits.fraction * got.size and worst.share <= (HARD_LIMIT if limits.fraction else 1.0),
        max_abs_err=max(m.max_abs for m in measures),
        max_rel_err=max(m.max_rel for m in measures),
        max_share=worst.share,
        bad=bad,
        unbounded=sum(m.unbounded for m in measures),
        total=got.size,
        worst=tuple(index),
        got=float(flat[0][worst.at]),
        expected=worst.expected,
    )


def _measure(got: F64, value: F64, bound: F64, dtype: str, limits: Tolerance, start: int) -> _Measure:
    size = np.abs(value)
    allowed = limits.atol + limits.rtol * size + BOUND_FACTOR * bound
    if limits.half_step:
        allowed = allowed + np.ldexp(0.5, np.frexp(size)[1] - _PRECISION[dtype])
    finite = np.isfinite(value)
    settled = np.zeros(value.shape, bool)
    if dtypes.is_float(dtype):
        # Beyond the type's range the result has to be infinite; near the limit either is right.
        threshold = _OVERFLOW[dtype]
        over = finite & (size - allowed >= threshold)
        edge = finite & ~over & (size + allowed >= threshold)
        value = np.where(over, np.copysign(np.inf, value), value)
        finite &= ~over
        settled = edge & np.isinf(got) & (np.sign(got) == np.sign(value))
    # Sums of terms that could overflow on the way, and the like: nothing is known.
    settled |= np.isinf(bound)
    same = np.where(np.isnan(value), np.isnan(got), got == value)
    both = finite & np.isfinite(got)
    error = np.abs(got - value)
    # A difference in kind (finite, infinite, NaN) cannot be excused by any tolerance.
    share = np.where(same | settled, 0.0, np.where(both, error / np.maximum(allowed, 1e-300), np.inf))
    sized = both & (size >= (_NORMAL[dtype] if dtypes.is_float(dtype) else 1.0))
    at = int(np.argmax(share))
    return _Measure(
        max_abs=float(np.max(error, where=both, initial=0.0)),
        max_rel=float(np.max(error / size, where=sized, initial=0.0)),
        share=float(share[at]),
        at=start + at,
        expected=float(value[at]),
        bad=int(np.count_nonzero(share > 1.0)),
        unbounded=int(np.count_nonzero(np.isinf(bound))),
    )
