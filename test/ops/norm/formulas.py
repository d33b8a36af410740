"""Batch norm in float64, written down from its definition, with the limits that results have to keep.

Independent of the operators' definitions and of ``tilewright.reference``. S is the scale of the terms of a
result: an element may be off by 1e-6 of its value, 2e-6*S, and the one rounding to its type. A sum may be off
by 1e-6 of the sum of the magnitudes of its terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tilewright.reference import Reference

Array = Any


def wide(a: Array) -> Array:
    return None if a is None else np.asarray(a).astype(np.float64)


def along(c: Array, x: Array) -> Array:
    """Numbers for channels, shaped to broadcast along the second dimension of ``x``."""
    return np.asarray(c, np.float64).reshape((1, -1) + (1,) * (x.ndim - 2))


def axes(x: Array) -> tuple[int, ...]:
    return (0, *range(2, x.ndim))


def largest(a: Array) -> Array:
    """The largest magnitude of each channel."""
    return np.abs(a).max(axes(a), initial=0.0)


def limited(value: Array, limit: Array, rtol: float = 0.0) -> Reference:
    """A reference whose absolute limit, apart from the rounding to its type, is ``limit``."""
    value = np.asarray(value, np.float64)
    return Reference(value, np.broadcast_to(np.asarray(limit, np.float64) / 2, value.shape), rtol)


def scaled(value: Array, scale: Array, extra: Array = 0.0) -> Reference:
    """A reference of an output or a gradient with the scale S for each channel."""
    return limited(value, along(2e-6 * np.asarray(scale) + extra, value), 1e-6)


def summed(terms: Array, factor: Array = 1.0) -> Reference:
    """Sums over everything but channels, times ``factor``."""
    return limited(terms.sum(axes(terms)) * factor, 1e-6 * np.abs(terms).sum(axes(terms)) * np.abs(factor))


def _affine(x: Array, weight: Array, bias: Array) -> tuple[Array, Array]:
    channels = x.shape[1]
    w = np.ones(channels) if weight is None else wide(weight)
    b = np.zeros(channels) if bias is None else wide(bias)
    return w, b


def _normalised(x: Array, w: Array, b: Array, mean: Array, invstd: Array) -> Reference:
    d = x - along(mean, x)
    output = d * along(invstd * w, x) + along(b, x)
    scale = np.abs(w) * invstd * largest(d) + np.abs(b)
    # The f32 mean itself is rounded.
    return scaled(output, scale, np.abs(w) * invstd * np.abs(mean) * 2.0**-23)


def statistics(x: Array, eps: float) -> tuple[Reference, Reference, Array]:
    """Mean, inverse standard deviation and biased variance of each channel."""
    x = wide(x)
    mean = x.mean(axes(x))
    var = ((x - along(mean, x)) ** 2).mean(axes(x))
    invstd = 1 / np.sqrt(var + eps)
    # 1e-6 up to a mean of 1e4 standard deviations, growing with it beyond.
    ratio = np.maximum(1.0, np.abs(mean) * invstd / 1e4)
    return limited(mean, 1e-6 * np.abs(x).mean(axes(x))), limited(invstd, 1e-6 * invstd * ratio), var


def batch_norm(
    input: Array, weight: Array = None, bias: Array = None, running_mean: Array = None,
    running_var: Array = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> list[Reference]:  # fmt: skip
    """The results of the kernel in order; the running statistics last."""
    x = wide(input)
    w, b = _affine(x, weight, bias)
    if not training:
        return [_normalised(x, w, b, wide(running_mean), 1 / np.sqrt(wide(running_var) + eps))]
    mean, invstd, var = statistics(x, eps)
    results = [_normalised(x, w, b, mean.value, invstd.value), mean, invstd]
    if running_mean is None:
        return results
    m = x.size // x.shape[1]
    with np.errstate(all="ignore"):
        unbiased = var * (np.float64(m) / np.float64(m - 1))
        for old, new, limit in (
            (running_mean, mean.value, 2 * mean.bound),
            (running_var, unbiased, 4 * invstd.bound / invstd.value * unbiased),
        ):
            value = (1 - momentum) * wide(old) + momentum * new
            size = np.abs((1 - momentum) * wide(old)) + np.abs(momentum * new)
            results.append(limited(value, momentum * limit + 1e-6 * size))
    return results


def batch_norm_backward(
    grad_output: Array, input: Array, weight: Array, save_mean: Array, save_invstd: Array
) -> list[Reference]:
    g, x = wide(grad_output), wide(input)
    w, _ = _affine(x, weight, None)
    mean, invstd = wide(save_mean), wide(save_invstd)
    xhat = (x - along(mean, x)) * along(invstd, x)
    m = x.size // x.shape[1]
    dbias, dweight = g.sum(axes(g)), (g * xhat).sum(axes(g))
    grad = along(w * invstd, x) * (g - along(dbias / m, x) - xhat * along(dweight / m, x))
    scale = np.abs(w) * invstd * largest(g) * (1 + largest(xhat))
    return [scaled(grad, scale), summed(g * xhat), summed(g)]


def batch_norm_backward_frozen(
    grad_output: Array,
    input: Array,
    weight: Array,
    running_mean: Array,
    running_var: Array,
    eps: float = 1e-5,
) -> list[Reference]:
    g, x = wide(grad_output), wide(input)
    w, _ = _affine(x, weight, None)
    r = 1 / np.sqrt(wide(running_var) + eps)
    grad = g * along(w * r, x)
    return [
        limited(grad, 2e-6 * np.abs(grad), 1e-6),
        summed(g * (x - along(wide(running_mean), x)), r),
        summed(g),
    ]


def batch_norm_backward_reduce(
    grad_output: Array, input: Array, mean: Array, invstd: Array
) -> list[Reference]:
    g, x = wide(grad_output), wide(input)
    products = g * (x - along(wide(mean), x))
    return [summed(g), summed(products), summed(products, wide(invstd)), summed(g)]


def batch_norm_backward_elemt(
    grad_output: Array, input: Array, mean: Array, invstd: Array, weight: Array, sum_dy: Array,
    sum_dy_xmu: Array, count: Array,
) -> list[Reference]:  # fmt: skip
    g, x, n = wide(grad_output), wide(input), float(np.sum(wide(count)))
    w, _ = _affine(x, weight, None)
    r = wide(invstd)
    d = x - along(wide(mean), x)
    terms = g, along(wide(sum_dy) / n, x), d * along(r * r * wide(sum_dy_xmu) / n, x)
    grad = along(w * r, x) * (terms[0] - terms[1] - terms[2])
    scale = np.abs(w) * r * (largest(terms[0]) + np.abs(terms[1]).ravel() + largest(terms[2]))
    return [scaled(grad, scale)]


def gather(
    mean: Array, invstd: Array, running_mean: Array, running_var: Array, counts: Array,
    momentum: float = 0.1, eps: float = 1e-5,
) -> list[Reference]:  # fmt: skip
    counts = wide(counts)
    live = counts > 0
    c, means, r = counts[live, None], wide(mean)[live], wide(invstd)[live]
    n = c.sum()
    mean_all = (c * means).sum(0) / n
    var = np.maximum(1 / (r * r) - eps, 0.0)
    squares = (c * (var + (means - mean_all) ** 2)).sum(0)
    invstd_all = 1 / np.sqrt(squares / n + eps)
    mean_limit = 1e-6 * (c * np.abs(means)).sum(0) / n
    # 1/invstd^2 loses what f32 invstd does not hold, relative to var + eps; the spread what the mean loses.
    square_limit = 1e-6 * (c * (1 / (r * r) + (np.abs(means) + np.abs(mean_all)) ** 2)).sum(0)
    results = [
        limited(mean_all, mean_limit),
        limited(invstd_all, invstd_all * (1e-6 + square_limit / n * invstd_all**2)),
    ]
    if running_mean is None:
        return results
    old_mean, old_var = wide(running_mean), wide(running_var)
    with np.errstate(all="ignore"):
        unbiased = squares / (n - 1) if n != 1 else np.full_like(squares, np.nan)
        limit = square_limit / max(n - 1, 1)
    results.append(
        limited((1 - momentum) * old_mean + momentum * mean_all, mean_limit + 1e-6 * np.abs(old_mean))
    )
    results.append(
        limited(
            (1 - momentum) * old_var + momentum * unbiased,
            limit + 1e-6 * (np.abs(old_var) + np.nan_to_num(unbiased)),
        )
    )
    return results
