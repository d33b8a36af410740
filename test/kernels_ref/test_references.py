"""The reference kernels: right against float64, free of hazards, inside UB, on all shapes of their suites."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from golden import BatchNorm, bce_grad, elementwise, elu_grad, share

from tilewright.ascendc import references
from tilewright.ascendc.references import Call

Array = npt.NDArray[Any]

TYPES: dict[str, Any] = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
UB, UB_BESIDE_SELECT = 192 << 10, 184 << 10
#: Check mode follows every byte: large calls are checked on fewer cores' worth of data.
CHECKED = 1_500_000


def _random(*key: int) -> np.random.Generator:
    return np.random.default_rng(key)


def _launch(call: Call) -> dict[str, Array]:
    """Run, with guards around every buffer; no hazard; the same bits again."""
    results, counters = call.run()
    assert counters.blocks == call.tiling.block_dim
    assert counters.ub_high_water <= UB
    if max(a.size for a in results.values()) <= CHECKED:
        checked = call.check()
        assert not checked.findings, str(checked)
        assert not checked.scalar_gm_accesses_unseen
    again, _ = call.run()
    for name, array in results.items():
        assert array.tobytes() == again[name].tobytes()
    return results


# ---- EluGradV2 ----

ELU_SIZES = (1, 7, 31, 32, 255, 256, 1000, 4096, 65536, 70001, 1 << 20, 1_000_003)


@pytest.mark.parametrize("is_result", [False, True])
@pytest.mark.parametrize("size", ELU_SIZES)
@pytest.mark.parametrize("dtype", TYPES)
def test_elu(dtype: str, size: int, is_result: bool) -> None:
    rng = _random(size, is_result)
    x, g = ((rng.standard_normal(size) * 3).astype(TYPES[dtype]) for _ in range(2))
    attributes = {"alpha": 1.3, "scale": 1.1, "input_scale": 0.7}
    call = references.elu_grad_v2(g, x, is_result=is_result, **attributes)
    y = _launch(call)["y"]
    expected = elu_grad(g, x, *attributes.values(), is_result)
    # x + alpha*scale cancels: its error is that of its terms.
    terms = np.abs(g.astype(float)) * 0.7 * 1.43 * 2e-7 if is_result else 0.0
    assert share(y, expected, elementwise(expected, dtype) + terms) <= 1


@pytest.mark.parametrize(
    ("dtype", "size", "mode"),
    [
        ("f32", 1000, 2), ("f16", 1000, 2), ("bf16", 8, 2), ("f32", 1 << 20, 0), ("f16", 1 << 20, 6),
        ("bf16", 1 << 20, 4), ("f16", (1 << 20) + 1, 0), ("bf16", (1 << 20) + 1, 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("is_result", [False, True])
def test_elu_modes(dtype: str, size: int, mode: int, is_result: bool) -> None:
    """The eight scheduling modes are all chosen by somebody."""
    tiling = references.tile("elu_grad_v2", [size], [dtype] * 2, [1, 1, 1, float(is_result)])
    assert tiling.key == mode + is_result


@pytest.mark.parametrize(
    "attributes", [(0.0, 1.0, 1.0), (1.0, 0.0, 2.0), (1.0, 1.0, 0.0), (-300.0, 2.0, 1.5)]
)
def test_elu_special_values(attributes: tuple[float, float, float]) -> None:
    special = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-40, -1e-40, 88.0, -50.0, 3e38, -np.inf]
    x = np.array(special * 100, np.float32)
    g = np.repeat(np.array([1.0, -2.0, np.nan, np.inf, 0.0], np.float32), len(x) // 5)
    alpha, scale, input_scale = attributes
    call = references.elu_grad_v2(g, x, alpha=alpha, scale=scale, input_scale=input_scale)
    y = _launch(call)["y"]
    with np.errstate(all="ignore"):
        expected = elu_grad(g, x, *attributes, is_result=False)
        f32 = expected.astype(np.float32).astype(np.float64)
    # Where f32 has no number, overflow of the intermediate product follows the formula's order.
    tiny = np.abs(expected) < 1e-35
    ok = np.where(tiny, np.abs(y) < 1e-34, True)
    assert ok.all()
    assert share(y[~tiny], f32[~tiny], elementwise(f32[~tiny], "f32")) <= 1
    nan = np.isnan(x) & ~np.isnan(y)
    assert not nan.any()


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_elu_mixed_output(dtype: str) -> None:
    """Half data, float result: nothing is rounded to the half type."""
    rng = _random(5)
    x, g = (rng.standard_normal(50_001).astype(TYPES[dtype]) for _ in range(2))
    y = _launch(references.elu_grad_v2(g, x, is_result=True, out_dtype="f32"))["y"]
    expected = elu_grad(g, x, 1.0, 1.0, 1.0, is_result=True)
    assert y.dtype == np.float32
    assert share(y, expected, elementwise(expected, "f32") + np.abs(g.astype(float)) * 2e-7) <= 1


def test_near_one_is_not_one() -> None:
    """A factor within 0.1 % of 1 is applied."""
    x, g = -np.ones(512, np.float32), np.ones(512, np.float32)
    y = _launch(references.elu_grad_v2(g, x, alpha=1.0005, input_scale=1.0))["y"]
    assert share(y, np.full(512, 1.0005 * np.exp(-1.0)), np.full(512, 1e-6)) <= 1


# ---- binary cross-entropy ----


@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("formula", ["sigmoid", "probability", "logit"])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("size", [1, 127, 1000, 40_001, 300_001])
def test_bce(dtype: str, size: int, formula: str, reduction: str) -> None:
    rng = _random(size, len(formula))
    p = rng.standard_normal(size) * 8 if formula == "logit" else rng.uniform(0.01, 0.99, size)
    x, y = p.astype(TYPES[dtype]), (rng.uniform(0, 1, size) < 0.5).astype(TYPES[dtype])
    w = rng.uniform(0, 2, size).astype(TYPES[dtype]) if size % 2 else None
    g = rng.standard_normal(size if reduction == "none" else 1).astype(TYPES[dtype])
    call = references.binary_cross_entropy_grad(g, x, y, w, reduction=reduction, formula=formula)
    got = _launch(call)["outgrad"]
    expected = bce_grad(g, x, y, w, reduction, formula)
    assert share(got, expected, elementwise(expected, dtype)) <= 1


def test_bce_mean_of_half_does_not_underflow() -> None:
    n = 1 << 16
    p, y = np.full(n, 0.75, np.float16), np.zeros(n, np.float16)
    w = np.full(n, 1000.0, np.float16)
    call = references.binary_cross_entropy_grad(np.array([100.0], np.float16), p, y, w, reduction="mean")
    expected = bce_grad(np.array([100.0]), p, y, w, "mean", "sigmoid")
    assert share(_launch(call)["outgrad"], expected, elementwise(expected, "f16")) <= 1


@pytest.mark.parametrize("dtype", [np.int32, np.int16])
def test_bce_integers_wrap(dtype: Any) -> None:
    rng = _random(9)
    g, p, y, w = (rng.integers(-30000, 30000, 70_003).astype(dtype) for _ in range(4))
    with np.errstate(over="ignore"):
        expected = (p - y) * w * g
    got = _launch(references.binary_cross_entropy_grad(g, p, y, w, reduction="none"))["outgrad"]
    assert (got == expected).all()


def test_bce_refuses_reductions_of_integers() -> None:
    from tilewright.errors import ShapeError

    p = np.ones(8, np.int32)
    with pytest.raises(ShapeError, match="refuses") as caught:
        references.binary_cross_entropy_grad(p[:1], p, p, p, reduction="mean")
    assert caught.value.code == "TW2402"


def test_bce_extreme_logits() -> None:
    x = np.array([np.inf, -np.inf, 200.0, -200.0, 30.0, -30.0] * 50, np.float32)
    y = np.array([1.0, 0.0, 0.0, 1.0, 1.0, 0.0] * 50, np.float32)
    g = np.ones_like(x)
    got = _launch(references.binary_cross_entropy_grad(g, x, y, reduction="none", formula="logit"))["outgrad"]
    expected = bce_grad(g, x, y, None, "none", "logit")
    assert share(got, expected, elementwise(expected, "f32")) <= 1


# ---- batch norm ----

SHAPES = (
    (1, 1), (5, 3), (16, 333), (2, 3, 5), (3, 41, 17), (2, 1, 100, 101), (4, 45, 13, 77), (8, 64, 7, 7),
    (2, 5, 3, 4, 6), (3, 7, 190, 191), (1, 2, 300, 301), (260, 3, 2),
)  # fmt: skip


def _data(shape: tuple[int, ...], dtype: str, parameter: str, mean: float = 2.0) -> dict[str, Array]:
    rng = _random(*shape)
    channels = shape[1]
    return {
        "x": (rng.standard_normal(shape) * 2 + mean).astype(TYPES[dtype]),
        "g": rng.standard_normal(shape).astype(TYPES[dtype]),
        "weight": rng.uniform(0.5, 2, channels).astype(TYPES[parameter]),
        "bias": rng.standard_normal(channels).astype(TYPES[parameter]),
        "mean": (rng.standard_normal(channels) + mean).astype(TYPES[parameter]),
        "var": rng.uniform(0.5, 4, channels).astype(TYPES[parameter]),
    }


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_batch_normalization_grad(dtype: str, shape: tuple[int, ...]) -> None:
    d = _data(shape, dtype, dtype)
    golden = BatchNorm(d["x"], dtype)
    mean = golden.x.mean(golden.axes).astype(TYPES[dtype])
    invstd = (1 / np.sqrt(golden.x.var(golden.axes) + 1e-5)).astype(TYPES[dtype])
    call = references.batch_normalization_grad(d["g"], d["x"], d["weight"], mean, invstd)
    got = _launch(call)
    m, r = mean.astype(float), invstd.astype(float)
    assert share(got["grad_input"], *golden.grad_input(d["g"], m, r, d["weight"])) <= 1
    for name, expected in zip(("grad_weight", "grad_bias"), golden.sums(d["g"], m, r, dtype), strict=True):
        assert share(got[name], *expected) <= 1


PAIRS = (("f32", "f32"), ("f16", "f16"), ("bf16", "bf16"), ("f16", "f32"), ("bf16", "f32"))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("dtype", "parameter"), PAIRS)
def test_batch_norm_frozen(dtype: str, parameter: str, shape: tuple[int, ...]) -> None:
    d = _data(shape, dtype, parameter)
    golden = BatchNorm(d["x"], dtype)
    mean, invstd = d["mean"].astype(float), 1 / np.sqrt(d["var"].astype(float) + 1e-5)
    statistics = (d["mean"], d["var"])
    y = _launch(references.batch_norm_inference(d["x"], d["weight"], d["bias"], *statistics))["y"]
    assert share(y, *golden.output(mean, invstd, d["weight"], d["bias"])) <= 1
    got = _launch(references.batch_norm_frozen_grad(d["g"], d["x"], d["weight"], *statistics))
    expected = d["g"].astype(float) * golden.spread(d["weight"].astype(float) * invstd)
    assert share(got["grad_input"], expected, elementwise(expected, dtype)) <= 1
    for name, sums in zip(
        ("grad_weight", "grad_bias"), golden.sums(d["g"], mean, invstd, parameter), strict=True
    ):
        assert share(got[name], *sums) <= 1


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("dtype", "parameter"), PAIRS)
def test_batch_norm_training(dtype: str, parameter: str, shape: tuple[int, ...]) -> None:
    d = _data(shape, dtype, parameter)
    _training(d, dtype, parameter, momentum=0.1)


def _training(d: dict[str, Array], dtype: str, parameter: str, momentum: float) -> None:
    golden = BatchNorm(d["x"], dtype)
    mean, var = golden.x.mean(golden.axes), golden.x.var(golden.axes)
    invstd = 1 / np.sqrt(var + 1e-5)
    call = references.batch_norm_training(
        d["x"], d["weight"], d["bias"], d["mean"], d["var"], momentum=momentum
    )
    got = _launch(call)
    assert share(got["y"], *golden.output(mean, invstd, d["weight"], d["bias"])) <= 1
    assert share(got["save_mean"], mean, 1e-6 * np.abs(golden.x).mean(golden.axes)) <= 1
    assert share(got["save_invstd"], invstd, 1e-6 * invstd) <= 1
    old = [d["mean"].astype(float), d["var"].astype(float)]
    rounding = {"f32": 1e-6, "f16": 6e-4, "bf16": 4e-3}[parameter]
    running = (1 - momentum) * old[0] + momentum * mean
    assert share(got["running_mean"], running, rounding * np.abs(running) + 1e-6) <= 1
    if golden.m > 1:
        running = (1 - momentum) * old[1] + momentum * var * golden.m / (golden.m - 1)
        assert share(got["running_var"], running, rounding * running + 1e-6) <= 1
    else:
        assert np.isnan(got["running_var"].astype(float)).all()


@pytest.mark.parametrize("mean", [1e3, -2e4])
def test_large_means_do_not_cancel(mean: float) -> None:
    _training(_data((32, 7, 13, 13), "f32", "f32", mean), "f32", "f32", momentum=0.3)


def test_momentum_zero_leaves_running_statistics() -> None:
    d = _data((4, 50, 9), "f32", "bf16")
    call = references.batch_norm_training(d["x"], d["weight"], d["bias"], d["mean"], d["var"], momentum=0.0)
    results, _ = call.run()
    assert results["running_mean"].tobytes() == d["mean"].tobytes()
    assert results["running_var"].tobytes() == d["var"].tobytes()


def test_non_finite_values_stay_in_their_channel() -> None:
    d = _data((4, 6, 50), "f32", "f32")
    d["x"][1, 2, 3], d["x"][0, 4, 0] = np.nan, np.inf
    y, _ = references.batch_norm_training(d["x"], d["weight"], d["bias"], d["mean"], d["var"]).run()
    bad = ~np.isfinite(y["y"]).all(axis=(0, 2))
    assert bad.tolist() == [False, False, True, False, True, False]


@pytest.mark.parametrize("channels", [257, 700])
def test_groups_of_channels(channels: int) -> None:
    """More channels a core than parameters are held for."""
    d = _data((2, channels, 3), "f16", "f16")
    golden = BatchNorm(d["x"], "f16")
    ones = np.ones(channels, np.float16)
    call = references.batch_normalization_grad(d["g"], d["x"], d["weight"], ones, ones, cores=1)
    got = _launch(call)
    m = r = np.ones(channels)
    assert share(got["grad_input"], *golden.grad_input(d["g"], m, r, d["weight"])) <= 1
    for name, expected in zip(("grad_weight", "grad_bias"), golden.sums(d["g"], m, r, "f16"), strict=True):
        assert share(got[name], *expected) <= 1


@pytest.mark.parametrize("target", ["Ascend910B1", "Ascend910B4"])
def test_cores_of_the_target(target: str) -> None:
    tiling = references.tile("batch_normalization_grad", [2, 1000, 64], ["f32"], [1e-5], target)
    assert tiling.block_dim == {"Ascend910B1": 48, "Ascend910B4": 40}[target]


def test_modelled_time() -> None:
    d = _data((4, 45, 13, 77), "f32", "f32")
    call = references.batch_norm_inference(d["x"], d["weight"], d["bias"], d["mean"], d["var"])
    report = call.time(samples=4)
    low, high = report.interval()
    assert 0 < low <= report.us() <= high
