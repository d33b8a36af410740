"""What batch norm does at the edges: large means, constant channels, values that are not finite, views."""

from __future__ import annotations

from typing import Any

import formulas
import ml_dtypes
import numpy as np
import pytest
from shapes import arranged

import tilewright as tw
from harness import run_checked
from tilewright.ops import registry

F32 = np.float32
forward, backward = registry.get("batch_norm"), registry.get("batch_norm_backward")
frozen = registry.get("batch_norm_backward_frozen")
#: Rows in lanes, channels in lanes with and without an inner run, one channel, long runs over all cores.
SHAPES: list[tuple[int, ...]] = [(4, 3, 2000), (64, 50), (40, 17, 9), (33, 1, 7), (2, 2, 70001)]


@pytest.mark.parametrize("layout", ["contiguous", "last"])
@pytest.mark.parametrize(("mean", "limit"), [(1e4, 1e-6), (1e6, 1e-4)])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_large_mean(shape: tuple[int, ...], mean: float, limit: float, layout: str) -> None:
    """Mean 1e4 and 1e6 with standard deviation 1: relative error of invstd, f32."""
    rng = np.random.default_rng(7)
    x = arranged((rng.standard_normal(shape) + mean).astype(F32), layout)
    _, save_mean, save_invstd = tw.compile(forward)(x, training=True)
    expected_mean, expected, _ = formulas.statistics(x, 1e-5)
    assert np.max(np.abs(save_invstd / expected.value - 1)) <= limit
    # The mean is refined by the second pass: correct to a rounding or so.
    assert np.max(np.abs(save_mean / expected_mean.value - 1)) <= 2.0**-23


@pytest.mark.parametrize("layout", ["contiguous", "last"])
@pytest.mark.parametrize("data", ["blank", "ramp", "outlier"])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_sample_unlike_the_rest(shape: tuple[int, ...], data: str, layout: str) -> None:
    """The pivot of the variance is far from the mean: it costs digits, a bounded number of them."""
    rng = np.random.default_rng(8)
    x = rng.standard_normal(shape)
    if data == "blank":  # the rows that a sample takes first are padding
        x += 1e4
        x[(0, slice(None), *[slice(0, 600)] * (x.ndim - 2))] = 0
    elif data == "ramp":
        x = np.arange(x.size).reshape(shape) + x
    else:
        x[(0, slice(None), *[0] * (x.ndim - 2))] = 1e6
    x32 = arranged(x.astype(F32), layout)
    out = forward(x32, None, None, None, None, training=True, eps=1e-5)
    axes = tuple(i for i in range(x.ndim) if i != 1)
    wide = x32.astype(np.float64)
    mean, var = wide.mean(axes), wide.var(axes)
    # However wrong the pivot, it is one of the channel's values or between them.
    off = np.maximum(wide.max(axes) - mean, mean - wide.min(axes))
    lost = 1 + off**2 / var
    assert np.all(np.abs(out[1] - mean) <= 1e-6 * np.abs(wide).mean(axes) + 1e-7 * np.sqrt(var))
    invstd = 1 / np.sqrt(var + 1e-5)
    assert np.all(np.abs(out[2] / invstd - 1) <= 3e-7 * np.minimum(lost, x.size / x.shape[1]) + 1e-6)


@pytest.mark.parametrize("value", [0.1, -3.7e5, 1e-20, 1.0000001])
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_constant_channel_is_normalised_to_zero(shape: tuple[int, ...], value: float) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal(shape, F32)
    x[:, 0] = value
    output, mean, invstd = tw.compile(forward)(x, training=True)
    assert mean[0] == F32(value)
    assert not output[:, 0].any(), "exactly 0"
    np.testing.assert_allclose(invstd[0], 1 / np.sqrt(1e-5), rtol=1e-6)
    g = np.zeros_like(x)
    g[:, 0] = 0.5 if value > 0 else 0.0
    grad, grad_weight, _ = tw.compile(backward)(g, x, None, mean, invstd)
    assert grad_weight[0] == 0.0
    # A power of two times any count is exact in f32, so the constant gradient cancels without a rest.
    assert not grad[:, 0].any(), "exactly 0"


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [F32, np.float16, ml_dtypes.bfloat16])
@pytest.mark.parametrize("layout", ["contiguous", "last"])
def test_non_finite_values_stay_in_their_channel(dtype: Any, special: float, layout: str) -> None:
    rng = np.random.default_rng(11)
    for shape in ((6, 5, 40), (30, 7), (3, 9, 7)):
        clean = rng.standard_normal(shape).astype(dtype)
        x = clean.copy()
        x[1, 2, ...] = x[1, 2, ...] if x.ndim == 2 else clean[1, 2]
        x[(1, 2, *(3,) * (x.ndim - 2))] = special
        others = [c for c in range(shape[1]) if c != 2]
        a = tw.compile(forward)(arranged(clean, layout), training=True)
        b = tw.compile(forward)(arranged(x, layout), training=True)
        assert np.array_equal(a[0][:, others], b[0][:, others])
        assert np.array_equal(a[1][others], b[1][others])
        assert np.isnan(b[0][:, 2].astype(F32)).all()
        assert np.isnan(b[2][2])
        np.testing.assert_equal(b[1][2], F32(special))
        g = rng.standard_normal(shape).astype(dtype)
        clean_grads = tw.compile(backward)(g, arranged(clean, layout), None, a[1], a[2])
        grads = tw.compile(backward)(g, arranged(x, layout), None, b[1], b[2])
        assert np.array_equal(clean_grads[0][:, others], grads[0][:, others])
        assert np.isnan(grads[0][:, 2].astype(F32)).all()
        assert np.array_equal(clean_grads[2], grads[2]), "grad_bias does not see x"


@pytest.mark.parametrize("shape", [*SHAPES, (32, 64, 7, 7)], ids=str)
def test_same_bits_for_any_number_of_host_threads(shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(13)
    x, g = rng.standard_normal((2, *shape), F32)
    c = np.abs(rng.standard_normal(shape[1], F32)) + F32(0.1)
    for op, arguments, attributes in (
        (forward, (x, c, c), {"training": True}),
        (backward, (g, x, c, c, c), {}),
        (frozen, (g, x, c, c, c), {}),
    ):
        found = [
            [a.tobytes() for a in tw.compile(op, threads=threads)(*arguments, **attributes)]
            for threads in (1, 1, 2, 7)
        ]
        assert all(f == found[0] for f in found)


def test_gradients_in_another_order_and_expanded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The results take the memory format of the input, whatever that of the gradient is."""
    rng = np.random.default_rng(17)
    x = rng.standard_normal((3, 5, 4, 6)).astype(F32)
    c = np.abs(rng.standard_normal(5, F32)) + F32(0.1)
    for g in (
        arranged(rng.standard_normal(x.shape).astype(F32), "last"),
        np.broadcast_to(F32(2.0), x.shape),
        np.broadcast_to(rng.standard_normal((1, 5, 1, 1)).astype(F32), x.shape),
        rng.standard_normal((3, 5, 4, 12)).astype(F32)[..., ::2],
        rng.standard_normal((6, 4, 5, 3)).astype(F32).T,
    ):
        for data in (x, arranged(x, "last")):
            inputs = {"grad_output": g, "input": data, "weight": c, "save_mean": c, "save_invstd": c}
            outcome = run_checked(
                monkeypatch, backward, inputs, references=formulas.batch_norm_backward(**inputs)
            )
            assert outcome.value[0].strides == data.strides


@pytest.mark.parametrize("layout", ["contiguous", "last"])
def test_sliced_inputs_are_left_alone(layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(19)
    whole = arranged(rng.standard_normal((4, 12, 5, 6)).astype(np.float16), layout)
    x = whole[1:, 2:9]
    before = whole.tobytes()
    run_checked(
        monkeypatch,
        forward,
        {"input": x},
        {"training": True},
        references=formulas.batch_norm(x, training=True),
    )
    assert whole.tobytes() == before


def test_inference_does_not_depend_on_the_batch() -> None:
    """Elementwise: one image alone gives the bits that it has in a batch, in either memory format."""
    rng = np.random.default_rng(23)
    x = rng.standard_normal((5, 7, 6, 9), F32)
    w, b, m = rng.standard_normal((3, 7), F32)
    v = np.abs(rng.standard_normal(7, F32))
    v[0] = 0.0
    kernel = tw.compile(forward)
    whole = kernel(x, w, b, m, v)[0]
    assert np.array_equal(kernel(arranged(x, "last"), w, b, m, v)[0], whole)
    for i in range(5):
        assert np.array_equal(kernel(x[i : i + 1], w, b, m, v)[0], whole[i : i + 1])


def test_eps_zero_is_legal() -> None:
    x = np.ones((4, 2), F32)
    x[:, 1] = [1, 2, 3, 4]
    output, _, invstd = tw.compile(forward)(x, training=True, eps=0.0)
    assert not np.isfinite(invstd[0])
    assert np.isnan(output[:, 0]).all(), "0 * infinity"
    np.testing.assert_allclose(output[:, 1], (x[:, 1] - 2.5) / np.sqrt(1.25), rtol=1e-6)


def test_f16_sums_beyond_the_half_range(monkeypatch: pytest.MonkeyPatch) -> None:
    """The gradient fits f16, its sums do not: they stay f32 until the end."""
    x = (np.arange(40000).reshape(20, 2, 1000) % 7).astype(np.float16)
    g = np.full(x.shape, 60.0, np.float16)
    c = np.full(2, 0.5, F32)
    inputs = {"grad_output": g, "input": x, "weight": None, "save_mean": 6 * c, "save_invstd": c}
    outcome = run_checked(monkeypatch, backward, inputs, references=formulas.batch_norm_backward(**inputs))
    assert outcome.outputs[2].dtype == F32
    assert (outcome.outputs[2] == 1.2e6).all()
    half = {**inputs, "weight": np.ones(2, np.float16)}
    assert np.isinf(tw.compile(backward)(**half)[2]).all(), (
        "of the type of weight: infinity in the last cast only"
    )
