"""The five pieces of synchronised batch norm, each by its formula and together by what they have to equal."""

from __future__ import annotations

import itertools
from typing import Any

import formulas
import numpy as np
import pytest
from shapes import KINDS, Kind, channel, normal

import tilewright as tw
from harness import run_checked
from tilewright.ops import registry

F32 = np.float32
Array = Any
SHAPES: list[tuple[int, ...]] = [(5, 3), (4, 17, 9), (2, 40, 3, 11), (3, 2, 5001)]
SOME_KINDS = (KINDS[0], KINDS[1], KINDS[2], KINDS[6])


def get(name: str) -> Any:
    return registry.get(f"batch_norm_{name}")


@pytest.mark.parametrize("kind", SOME_KINDS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_pieces(shape: tuple[int, ...], kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(sum(shape))
    x, g = normal(rng, shape, kind), normal(rng, shape, kind, mean=-0.25)
    c = shape[1]
    mean, weight, bias, sum_dy, sum_dy_xmu = (channel(rng, c, kind) for _ in range(5))
    invstd = channel(rng, c, kind, positive=True)
    run_checked(
        monkeypatch, get("stats"), {"input": x}, {"eps": 1e-3}, references=formulas.statistics(x, 1e-3)[:2]
    )
    given = {"input": x, "weight": weight, "bias": bias, "mean": mean, "invstd": invstd}
    w, r, wide = formulas.wide(weight), formulas.wide(invstd), formulas.wide(x)
    run_checked(
        monkeypatch, get("elemt"), given,
        references=[formulas._normalised(wide, w, formulas.wide(bias), formulas.wide(mean), r)],
    )  # fmt: skip
    both = {"grad_output": g, "input": x, "mean": mean, "invstd": invstd}
    run_checked(
        monkeypatch, get("backward_reduce"), {**both, "weight": weight},
        references=formulas.batch_norm_backward_reduce(**both),
    )  # fmt: skip
    elemt = {
        **both,
        "weight": weight,
        "sum_dy": sum_dy,
        "sum_dy_xmu": sum_dy_xmu,
        "count": np.array([3, 4, 9]),
    }
    run_checked(
        monkeypatch, get("backward_elemt"), elemt, references=formulas.batch_norm_backward_elemt(**elemt)
    )


@pytest.mark.parametrize("running", ["f32", "f16", None])
@pytest.mark.parametrize(("ranks", "channels"), [(1, 3), (2, 1), (3, 40), (8, 257)])
def test_gather(ranks: int, channels: int, running: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(ranks)
    inputs: dict[str, Any] = {
        "mean": rng.standard_normal((ranks, channels), F32),
        "invstd": (0.3 + rng.random((ranks, channels), F32)),
        "running_mean": None,
        "running_var": None,
        "counts": np.concatenate([[5], rng.integers(0, 100, ranks - 1)]),
    }
    if running is not None:
        kind = Kind("f32", running, "contiguous")
        inputs["running_mean"] = channel(rng, channels, kind)
        inputs["running_var"] = channel(rng, channels, kind, positive=True)
    expected = formulas.gather(**inputs, momentum=0.3, eps=1e-4)
    run_checked(
        monkeypatch, get("gather_stats_with_counts"), inputs, {"momentum": 0.3, "eps": 1e-4},
        references=expected, twice=True,
    )  # fmt: skip


def test_one_element_in_all() -> None:
    mean, var = np.zeros(2, F32), np.ones(2, F32)
    invstd = np.full((2, 2), 1 / np.sqrt(F32(1e-5)), F32)
    invstd[1] = 0.0  # a rank without data
    statistics = np.array([[3, 4], [0, 0]], F32)
    found = tw.compile(get("gather_stats_with_counts"))(statistics, invstd, mean, var, np.array([1, 0]))
    assert found[0].tolist() == [3, 4]
    assert np.isnan(var).all(), "0/0: the unbiased variance of one value"
    np.testing.assert_allclose(mean, [0.3, 0.4], rtol=1e-6)


@pytest.mark.parametrize("parts", [[12], [5, 7], [1, 0, 8, 3]])
def test_splitting_a_batch_changes_nothing(parts: list[int]) -> None:
    """Forward and backward over ranks equal the operators that see the whole batch."""
    rng = np.random.default_rng(29)
    x, g = rng.standard_normal((2, 12, 6, 35)).astype(F32)
    x = x * 2 + 1
    weight, bias = rng.standard_normal((2, 6), F32)
    edges = np.cumsum([0, *parts])
    xs = [x[a:b] for a, b in itertools.pairwise(edges)]
    gs = [g[a:b] for a, b in itertools.pairwise(edges)]
    counts = np.array([p * 35 for p in parts])
    stats = [tw.compile(get("stats"))(part) for part in xs]
    running = [np.zeros(6, F32), np.ones(6, F32)]
    mean, invstd = tw.compile(get("gather_stats_with_counts"))(
        np.stack([s[0] for s in stats]), np.stack([s[1] for s in stats]), *running, counts
    )
    output = np.concatenate([tw.compile(get("elemt"))(p, weight, bias, mean, invstd) for p in xs])
    single = [np.zeros(6, F32), np.ones(6, F32)]
    whole = tw.compile(registry.get("batch_norm"))(x, weight, bias, *single, training=True)
    for ours, theirs in zip((output, mean, invstd, *running), (*whole, *single), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-6, atol=2e-6)
    sums = [
        tw.compile(get("backward_reduce"))(a, b, mean, invstd, weight) for a, b in zip(gs, xs, strict=True)
    ]
    sum_dy, sum_dy_xmu, grad_weight, grad_bias = (np.sum([s[i] for s in sums], axis=0) for i in range(4))
    grad = np.concatenate(
        [
            tw.compile(get("backward_elemt"))(a, b, mean, invstd, weight, sum_dy, sum_dy_xmu, counts)
            for a, b in zip(gs, xs, strict=True)
        ]
    )
    expected = tw.compile(registry.get("batch_norm_backward"))(g, x, weight, whole[1], whole[2])
    for ours, theirs in zip((grad, grad_weight, grad_bias), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-4 if ours.ndim == 1 else 5e-6)


def test_only_the_wanted_sums() -> None:
    x = np.ones((3, 2, 4), F32)
    c = np.ones(2, F32)
    reduce = tw.compile(get("backward_reduce"))
    for wanted in [(True, False, False), (False, True, False), (False, False, True), (False, True, True)]:
        found = reduce(x, x, c, c, **dict(zip(("input_g", "weight_g", "bias_g"), wanted, strict=True)))
        assert [f is not None for f in found] == [wanted[0], *wanted]
