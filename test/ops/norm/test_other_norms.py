"""Softmax, layer norm, RMS norm and their gradients: proof that an operator is only a definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from harness import run_checked
from tilewright import samples
from tilewright.ops import registry

F32 = np.float32
#: Rows that fit in lanes and that do not, one row, one column, few long rows.
SHAPES: list[tuple[int, ...]] = [(1,), (7,), (40, 35), (3, 4, 129), (300, 1), (2, 20011), (64, 8)]
NAMES = (
    "softmax",
    "softmax_backward",
    "layer_norm",
    "layer_norm_backward",
    "layer_norm_backward_weight",
    "rms_norm",
)


def plain(name: str, given: dict[str, Any], eps: float) -> list[Any]:
    """The formulas in float64."""
    a = {k: None if v is None else v.astype(np.float64) for k, v in given.items()}
    if name == "softmax":
        e = np.exp(a["self"] - a["self"].max(-1, keepdims=True))
        return [e / e.sum(-1, keepdims=True)]
    if name == "softmax_backward":
        g, y = a["grad_output"], a["output"]
        return [y * (g - (g * y).sum(-1, keepdims=True))]
    x, w = a["input"], a.get("weight")
    if name == "rms_norm":
        rstd = 1 / np.sqrt((x * x).mean(-1) + eps)
        return [x * rstd[..., None] * (1 if w is None else w), rstd]
    if name == "layer_norm":
        mean, rstd = x.mean(-1), 1 / np.sqrt(x.var(-1) + eps)
        output = (x - mean[..., None]) * rstd[..., None] * (1 if w is None else w)
        return [output + (0 if a["bias"] is None else a["bias"]), mean, rstd]
    g, rstd = a["grad_output"], a["rstd"][..., None]
    xhat = (x - a["mean"][..., None]) * rstd
    if name == "layer_norm_backward_weight":
        axes = tuple(range(x.ndim - 1))
        return [(g * xhat).sum(axes), g.sum(axes)]
    h = g if w is None else g * w
    return [rstd * (h - h.mean(-1, keepdims=True) - xhat * (h * xhat).mean(-1, keepdims=True))]


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("name", NAMES)
def test_against_float64(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    op = registry.get(name)
    optional = [t.name for t in op.tensors if t.spec.optional]
    for shape in SHAPES:
        for present in ([], optional) if optional and shape == (40, 35) else (optional,):
            inputs = samples.random_inputs(op, shape, kind, seed=len(shape), present=present)
            eps = {"eps": 1e-3} if "eps" in op.attribute_names else {}
            outcome = run_checked(monkeypatch, op, inputs, eps, twice=shape == (40, 35))
            scale = {"f32": 2e-5, "f16": 2e-3, "bf16": 2e-2}[kind]
            for got, expected in zip(outcome.outputs, plain(name, inputs, 1e-3), strict=True):
                assert got.shape == expected.shape
                size = np.abs(expected).max(initial=1.0)
                np.testing.assert_allclose(got.astype(np.float64), expected, rtol=scale, atol=scale * size)


def test_softmax_over_another_dimension() -> None:
    x = np.random.default_rng(0).standard_normal((3, 11, 8), F32)
    for axis in (0, 1, 2):
        got = tw.compile(registry.get("softmax"))(np.moveaxis(x, axis, -1))
        e = np.exp(x.astype(np.float64))
        np.testing.assert_allclose(np.moveaxis(got, -1, axis), e / e.sum(axis, keepdims=True), rtol=2e-6)
        assert got.strides == np.moveaxis(x, axis, -1).strides


def test_softmax_of_special_rows() -> None:
    x = np.zeros((6, 33), F32)
    x[1] = -np.inf
    x[1, 4] = 2.0
    x[2] = 3e38
    x[3, 7] = np.inf
    x[4, 9] = np.nan
    x[5] = -np.inf
    y = tw.compile(registry.get("softmax"))(x)
    np.testing.assert_allclose(y[0], 1 / 33, rtol=1e-6)
    assert y[1].tolist() == [float(i == 4) for i in range(33)]
    np.testing.assert_allclose(y[2], 1 / 33, rtol=1e-6)
    assert np.isnan(y[3:]).any(1).all(), "infinity minus infinity"
    assert np.isfinite(y[:3]).all()


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("name", ["binary_cross_entropy", "binary_cross_entropy_with_logits"])
@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
def test_losses_over_everything(
    name: str, kind: str, reduction: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    op = registry.get(name)
    optional = [t.name for t in op.tensors if t.spec.optional]
    for shape in ((), (37, 11), (3, 70001)):
        inputs = samples.random_inputs(op, shape, kind, seed=5, present=optional)
        outcome = run_checked(monkeypatch, op, inputs, {"reduction": reduction}, twice=True)
        assert outcome.outputs[0].shape == ()
    wide = samples.random_inputs(op, (4, 6, 5), kind, seed=6, present=optional, shapes={"weight": (6, 1)})
    run_checked(monkeypatch, op, wide, {"reduction": reduction})
    nothing = {k: None if v is None else v[:0] for k, v in wide.items() if k != "weight"}
    result = tw.compile(op)(**{**nothing, "weight": None, "reduction": reduction})
    np.testing.assert_equal(np.asarray(result).astype(F32)[()], F32(np.nan if reduction == "mean" else 0.0))
