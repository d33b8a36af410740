"""Schedules and tiling numbers given by the user: honoured, or refused with what would be legal."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.cli.main import main
from tilewright.errors import ShapeError
from tilewright.kernel import Kernel
from tilewright.ops import registry

OP = registry.get("batch_norm_backward")
SHAPE = (6, 48, 40)


def call(shape: tuple[int, ...] = SHAPE) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    channels = (shape[1],)
    return {
        "grad_output": rng.standard_normal(shape, np.float32),
        "input": rng.standard_normal(shape, np.float32),
        "weight": rng.standard_normal(channels, np.float32),
        "save_mean": rng.standard_normal(channels, np.float32),
        "save_invstd": rng.random(channels, np.float32) + np.float32(0.5),
    }


def expected(data: dict[str, Any]) -> tuple[Any, ...]:
    """float64, by the textbook."""
    g, x, w, mean, invstd = (data[n].astype(np.float64) for n in data)
    axes = (0, *range(2, g.ndim))
    spread = (1, -1) + (1,) * (g.ndim - 2)
    xhat = (x - mean.reshape(spread)) * invstd.reshape(spread)
    m = g.size / g.shape[1]
    grad_bias, grad_weight = g.sum(axes), (g * xhat).sum(axes)
    inner = g - grad_bias.reshape(spread) / m - xhat * grad_weight.reshape(spread) / m
    return (w * invstd).reshape(spread) * inner, grad_weight, grad_bias


def refused(**options: Any) -> ShapeError:
    with pytest.raises(ShapeError) as caught:
        Kernel(OP, **options)(**call())
    assert caught.value.code == "TW2401"
    return caught.value


@pytest.mark.parametrize(
    "options",
    [
        {"schedule": "rows", "tile_rows": 2, "tile_cols": 16},
        {"schedule": "rows", "tile_cols": 13, "group": 3, "cores": 5},
        {"schedule": "rows-resident", "group": 2},
        {"schedule": "folded", "group": 4, "tile_rows": 5, "cores": 6},
        {"schedule": "folded-resident2"},
        {"schedule": "rows-resident2", "cores": 1},
    ],
)
def test_numbers_are_honoured_and_results_right(options: dict[str, Any]) -> None:
    data = call()
    kernel = Kernel(OP, **options)
    planned = kernel.plan(**data)
    assert planned is not None
    assert planned.schedule == options["schedule"]
    for name in ("group", "tile_rows", "tile_cols"):
        if name in options:
            assert planned.numbers[f"tiling:{name}"] == options[name]
    assert planned.cores <= options.get("cores", planned.cores)
    for got, wanted in zip(kernel(**data), expected(data), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=2e-5, atol=2e-5)
    assert not kernel.check(**data).findings


def test_equal_options_give_one_kernel() -> None:
    assert tw.compile(OP, schedule="folded", group=4) is tw.compile(OP, schedule="folded", group=4)
    assert tw.compile(OP, schedule="folded", group=4) is not tw.compile(OP, schedule="folded")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tile_cols", {"schedule": "rows", "tile_cols": 1_000_000}),
        ("tile_rows", {"schedule": "rows", "tile_cols": 40, "tile_rows": 1000}),
        ("group", {"schedule": "rows", "group": 1000}),
        ("group", {"schedule": "folded", "group": 49}),
        ("tile_rows", {"schedule": "folded", "tile_rows": 500}),
    ],
)
def test_the_largest_legal_number_is_named_and_legal(name: str, options: dict[str, Any]) -> None:
    error = refused(**options)
    assert error.what.startswith(f"{name}={options[name]} does not fit")
    words = str(error.expected).split()
    largest = int(words[words.index("is") + 1].rstrip(";"))
    assert "bytes of UB" in str(error.expected)
    limits = Kernel(OP).binary(Kernel(OP).signature(*shapes()), options["schedule"]).reduction
    assert f"all buffers take {limits.ub_bytes} bytes" in str(error.expected)
    for buffer, size in limits.buffers[:3]:
        assert f"{buffer} {size}" in str(error.hint)
    legal = {**options, name: largest}
    assert Kernel(OP, **legal).plan(**call()) is not None
    refused(**{**options, name: largest + 1})


def shapes() -> tuple[dict[str, tuple[int, ...]], dict[str, str]]:
    data = call()
    return {n: a.shape for n, a in data.items()}, dict.fromkeys(data, "f32")


def test_schedules_that_cannot_serve_a_shape() -> None:
    assert "'lanes' needs R0 = 1, here it is 40" in refused(schedule="lanes").what
    big = call((64, 2, 4000))
    with pytest.raises(ShapeError, match="resident buffers hold") as caught:
        Kernel(OP, schedule="rows-resident", cores=1)(**big)
    assert f"{64 * 4000 * 8} bytes on a core" in caught.value.what
    rng = np.random.default_rng(0)
    layer_norm = registry.get("layer_norm")
    x, w = rng.standard_normal((5, 16), np.float32), np.ones(16, np.float32)
    with pytest.raises(ShapeError, match="an operand varies along R0"):
        Kernel(layer_norm, schedule="lanes")(x, w, w)
    assert "schedule='diagonal'" in refused(schedule="diagonal").what


def test_options_of_the_other_kind_of_operator() -> None:
    elu = registry.get("elu")
    x = np.ones(100, np.float32)
    for options in ({"schedule": "rows"}, {"group": 2}, {"tile_rows": 2}, {"tile_cols": 2}):
        with pytest.raises(ShapeError, match="element by element"):
            Kernel(elu, **options)(x)
    assert "tile= is for operators that compute element by element" in refused(tile=128).what
    assert "tile_cols=16 is for the schedule 'rows'" in refused(schedule="folded", tile_cols=16).what
    for name in ("group", "tile_rows", "tile_cols"):
        assert f"{name}=0 is not a number of" in refused(**{name: 0}).what
    assert "cores=41 is outside 1..40" in refused(cores=41).what


def test_report_of_an_operator_over_channels() -> None:
    kernel = Kernel(OP)
    data = call((32, 64, 7, 7))
    report = kernel.report(**data)
    plain = report.as_dict()["channels"]
    assert plain["schedule"] == kernel.schedule(**data)
    axes = plain["axes"]
    assert [axes[n]["extent"] for n in ("r1", "a", "r0")] == [32, 64, 49]
    assert axes["r1"]["cores"] * axes["a"]["cores"] * axes["r0"]["cores"] == report.as_dict()["cores"]
    assert f"schedule {plain['schedule']}" in str(report)


@pytest.mark.parametrize("shape", [(32, 64, 7, 7), (4, 40, 3000), (2, 3, 100_003), (3000, 24), (700, 300)])
def test_expected_traffic_is_what_runs(shape: tuple[int, ...]) -> None:
    kernel, data = Kernel(OP), call(shape)
    traffic = kernel.report(**data).as_dict()["channels"]["traffic_bytes"]
    counters = kernel.run(**data).counters
    moved = traffic["read"] + traffic["written"]
    # Beside the tensors over all axes: operands of a channel, partial results of channels.
    seen = counters.gm_read_bytes + counters.gm_write_bytes
    assert moved <= seen <= 1.1 * (moved + traffic["exchanged"]) + 64 * data["weight"].nbytes * 5


def test_plan_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["plan", "batch_norm_backward", "--shape", "32,64,7,7", "--with", "weight"]
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    planned = data["channels"]
    assert planned["axes"]["a"]["extent"] == 64
    assert sum(row["bytes"] for row in data["planned_buffers"]) > 0
    assert main(words) == 0
    text = capsys.readouterr().out
    for row in data["planned_buffers"]:
        assert row["name"] in text
        assert str(row["bytes"]) in text
    assert f"schedule {planned['schedule']}" in text
    assert main([*words, "--schedule", "rows", "--tile-rows", "9999"]) == 2
    assert "the largest legal tile_rows is" in capsys.readouterr().err
    assert main(["plan", "elu", "--shape", "1000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["channels"] == {}


def test_compile_command_takes_a_schedule(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["compile", "batch_norm_backward", "--with", "weight", "-o", str(tmp_path), "--json"]
    assert main([*words, "--schedule", "folded"]) == 0
    capsys.readouterr()
    assert json.loads((tmp_path / "metadata.json").read_text())["schedule"] == "folded"
    assert main(["compile", "elu", "-o", str(tmp_path), "--schedule", "rows"]) == 2
    assert "TW2401" in capsys.readouterr().err
