"""Batch norm, its gradient and the gradient with frozen statistics, over shapes, layouts and types.

A sample of the sweep runs always; TILEWRIGHT_TEST_FULL=1 runs it all, and the big named shapes in all types.
"""

from __future__ import annotations

from typing import Any

import formulas
import numpy as np
import pytest
from shapes import KINDS, NAMED, Kind, channel, everything, normal, sample

from harness import FULL, run_checked
from tilewright.ops import registry

#: Elements of a sampled shape: a float64 reference of more takes seconds.
LIMIT = 400_000
SAMPLE = everything() if FULL else sample(36, seed=1, limit=LIMIT)
CONTIGUOUS_F32 = Kind("f32", "f32", "contiguous")


def check_all(shape: tuple[int, ...], kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(sum(shape))
    c = shape[1]
    x, g = normal(rng, shape, kind), normal(rng, shape, kind, mean=-0.25)
    weight, bias, running_mean = (channel(rng, c, kind) for _ in range(3))
    running_var = channel(rng, c, kind, positive=True)
    forward: dict[str, Any] = {
        "input": x, "weight": weight, "bias": bias, "running_mean": running_mean, "running_var": running_var
    }  # fmt: skip
    expected = formulas.batch_norm(**forward, training=True)
    m = x.size // c
    if m > 1:
        old = running_mean.copy(), running_var.copy()
        outcome = run_checked(
            monkeypatch, registry.get("batch_norm"), forward, {"training": True}, references=expected
        )
        output, save_mean, save_invstd = outcome.value
        assert output.strides == x.strides or output.ndim == 2
        assert not np.array_equal(running_mean, old[0]) or c < 4
        assert np.array_equal(running_var, outcome.outputs[4], equal_nan=True)
    else:
        save_mean, save_invstd = (r.value.astype(np.float32) for r in expected[1:3])
    run_checked(monkeypatch, registry.get("batch_norm"), forward, references=formulas.batch_norm(**forward))
    backward = {
        "grad_output": g,
        "input": x,
        "weight": weight,
        "save_mean": save_mean,
        "save_invstd": save_invstd,
    }
    run_checked(
        monkeypatch,
        registry.get("batch_norm_backward"),
        backward,
        references=formulas.batch_norm_backward(**backward),
    )
    frozen = {"grad_output": g, "input": x, "weight": weight, "running_mean": running_mean}
    frozen["running_var"] = running_var
    run_checked(
        monkeypatch,
        registry.get("batch_norm_backward_frozen"),
        frozen,
        references=formulas.batch_norm_backward_frozen(**frozen),
    )


@pytest.mark.parametrize(("shape", "kind"), SAMPLE, ids=lambda v: str(v).replace(" ", ""))
def test_sweep(shape: tuple[int, ...], kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    check_all(shape, kind, monkeypatch)


@pytest.mark.parametrize("kind", KINDS if FULL else [CONTIGUOUS_F32], ids=str)
@pytest.mark.parametrize("shape", NAMED if FULL else NAMED[:2], ids=str)
def test_named_shapes(shape: tuple[int, ...], kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    check_all(shape, kind, monkeypatch)


def test_few_channels_with_long_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """(2, 3, 1000003): more cores than channels, and a run that no tile divides."""
    shape = (2, 3, 1000003)
    rng = np.random.default_rng(5)
    x, g = normal(rng, shape, CONTIGUOUS_F32), normal(rng, shape, CONTIGUOUS_F32)
    mean, invstd = x.mean((0, 2), dtype=np.float64), 1 / x.std((0, 2), dtype=np.float64)
    inputs = {
        "grad_output": g, "input": x, "weight": channel(rng, 3, CONTIGUOUS_F32),
        "save_mean": mean.astype(np.float32), "save_invstd": invstd.astype(np.float32),
    }  # fmt: skip
    run_checked(
        monkeypatch,
        registry.get("batch_norm_backward"),
        inputs,
        references=formulas.batch_norm_backward(**inputs),
    )


def test_the_sample_has_everything() -> None:
    kinds = {kind for _, kind in SAMPLE}
    assert kinds == set(KINDS)
    assert {shape[1] for shape, _ in SAMPLE} == {1, 2, 3, 7, 16, 39, 40, 41, 64, 257}
