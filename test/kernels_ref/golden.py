"""float64 results of the reference kernels' operators, and what an error may be.

Every function returns (expected, allowed) for one output.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
F64 = npt.NDArray[np.float64]

#: Relative error of one rounding to the type, with the f32 error before it.
RTOL = {"f32": 5e-6, "f16": 6e-4, "bf16": 4e-3}
ATOL = {"f32": 1e-37, "f16": 6e-8, "bf16": 1e-37}
#: The same for batch norm, whose f32 part is bounded through the scale of the terms.
NORM = {"f32": 1e-6, "f16": 6e-4, "bf16": 4e-3}
TERMS, SUMS = 2e-6, 1e-6


def f64(*arrays: Array) -> list[F64]:
    """The arrays in float64, from what they hold in their own type."""
    return [a.astype(np.float64) for a in arrays]


def elementwise(expected: F64, dtype: str) -> F64:
    """Allowed error of an elementwise output."""
    allowed: F64 = ATOL[dtype] + RTOL[dtype] * np.abs(expected)
    return allowed


def per_channel(a: Array, rank: int) -> Array:
    """A vector over channels, to broadcast against channel-second data."""
    return a.reshape([-1 if i == 1 else 1 for i in range(rank)])


def elu_grad(dy: Array, x: Array, alpha: float, scale: float, input_scale: float, is_result: bool) -> F64:
    g, v = f64(dy, x)
    with np.errstate(over="ignore", invalid="ignore"):
        if is_result:
            negative = input_scale * (v + alpha * scale)
        else:
            negative = alpha * scale * input_scale * np.exp(v * input_scale)
        result: F64 = g * np.where(v > 0, scale, negative)
    return result


def bce_grad(grad: Array, x: Array, y: Array, weight: Array | None, reduction: str, formula: str) -> F64:
    g, a, b = f64(grad, x, y)
    w = 1.0 if weight is None else weight.astype(np.float64)
    with np.errstate(over="ignore"):
        if formula == "sigmoid":
            r = a - b
        elif formula == "probability":
            r = (a - b) / np.maximum(a * (1 - a), 1e-12)
        else:
            r = (1 - b) / (1 + np.exp(-a)) - b / (1 + np.exp(a))
    result: F64 = r * w * (g / x.size if reduction == "mean" else g)
    return result


class BatchNorm:
    """Batch norm of channel-second data in float64."""

    def __init__(self, x: Array, dtype: str) -> None:
        self.x = x.astype(np.float64)
        self.rank = x.ndim
        self.axes = tuple(i for i in range(x.ndim) if i != 1)
        self.m = x.size // x.shape[1]
        self.dtype = dtype

    def spread(self, a: F64) -> F64:
        return per_channel(a, self.rank)

    def output(self, mean: F64, invstd: F64, weight: Array, bias: Array) -> tuple[F64, F64]:
        w, b = f64(weight, bias)
        centred = self.x - self.spread(mean)
        expected = centred * self.spread(invstd * w) + self.spread(b)
        scale = np.abs(self.spread(invstd * w)) * np.abs(centred).max(self.axes, keepdims=True)
        scale = scale + np.abs(self.spread(b))
        lost = np.abs(self.spread(w * invstd * mean)) * 2.0**-23
        return expected, NORM[self.dtype] * np.abs(expected) + TERMS * scale + lost + ATOL[self.dtype]

    def sums(self, g: Array, mean: F64, invstd: F64, dtype: str) -> list[tuple[F64, F64]]:
        """grad_weight and grad_bias, of the type ``dtype``."""
        (grad,) = f64(g)
        products = grad * (self.x - self.spread(mean)) * self.spread(invstd)
        found = list[tuple[F64, F64]]()
        for terms in (products, grad):
            total = terms.sum(self.axes)
            rounding = NORM[dtype] if dtype != "f32" else 0.0
            found.append(
                (total, SUMS * np.abs(terms).sum(self.axes) + rounding * np.abs(total) + ATOL[dtype])
            )
        return found

    def grad_input(self, g: Array, mean: F64, invstd: F64, weight: Array) -> tuple[F64, F64]:
        """With batch statistics."""
        grad, w = f64(g, weight)
        xhat = (self.x - self.spread(mean)) * self.spread(invstd)
        means = [t.sum(self.axes, keepdims=True) / self.m for t in (grad, grad * xhat)]
        factor = self.spread(w * invstd)
        expected = factor * (grad - means[0] - xhat * means[1])
        scale = np.abs(factor) * np.abs(grad).max(self.axes, keepdims=True)
        scale = scale * (1 + np.abs(xhat).max(self.axes, keepdims=True))
        return expected, NORM[self.dtype] * np.abs(expected) + TERMS * scale + ATOL[self.dtype]


def share(got: Array, expected: F64, allowed: F64) -> float:
    """Largest error as a fraction of what is allowed; NaN and infinities have to agree."""
    value = got.astype(np.float64)
    same = (value == expected) | (np.isnan(value) & np.isnan(expected))
    finite = np.isfinite(value) & np.isfinite(expected)
    with np.errstate(invalid="ignore"):
        ratio = np.where(same, 0.0, np.where(finite, np.abs(value - expected) / allowed, np.inf))
    return float(ratio.max(initial=0.0))
