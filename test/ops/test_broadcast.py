"""Operands that broadcast: one element, rows, columns, planes, and mixtures of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from harness import Case, run_checked
from tilewright.kernel import Outcome

LOGITS = "binary_cross_entropy_with_logits_backward"
BCE = "binary_cross_entropy_backward"

PATTERNS = [
    # self, weight, pos_weight
    ((37, 80), (37, 80), (80,)),
    ((37, 80), (37, 1), (80,)),
    ((37, 80), (1, 80), (37, 1)),
    ((37, 80), (1,), (1, 1)),
    ((4, 5, 63), (5, 1), (63,)),
    ((4, 5, 63), (4, 1, 1), (1, 5, 63)),
    ((4, 5, 63), (4, 1, 63), (5, 1)),
    ((2, 3, 4, 5), (2, 1, 4, 1), (1, 3, 1, 5)),
    ((1000, 3), (3,), (1000, 1)),
    ((3, 10007), (3, 1), (10007,)),
    ((1, 4097), (4097,), (1, 4097)),
    ((700, 1), (700, 1), (1,)),
    ((2, 1, 3, 1, 2, 2, 1, 5), (3, 1, 2, 1, 1, 5), (2, 1, 1, 1, 2, 1, 1, 1)),
]


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("shapes", PATTERNS, ids=str)
def test_weight_and_pos_weight(
    dtype: str, shapes: tuple[tuple[int, ...], ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(LOGITS, dtype, (("reduction", "none"),), ("weight", "pos_weight"))
    full, weight, pos_weight = shapes
    inputs = case.inputs(full, seed=len(full), weight=weight, pos_weight=pos_weight)
    run_checked(monkeypatch, case.operator, inputs, dict(case.attributes), twice=True)


@pytest.mark.parametrize("shape", [(300, 257), (41, 10, 33)], ids=str)
def test_f32_weight_with_half_data(shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A wider operand between half ones: rows of both types start on 32 bytes, padding is written."""
    case = Case(BCE, "f16", (("reduction", "mean"),), ("weight",), (("weight", "f32"),))
    for weight in (shape, shape[-1:], (*shape[:-1], 1)):
        inputs = case.inputs(shape, seed=9, weight=weight)
        run_checked(monkeypatch, case.operator, inputs, dict(case.attributes))


def test_broadcast_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case(BCE, "f32", (("reduction", "none"),))
    run_checked(
        monkeypatch, case.operator, case.inputs((33, 65), seed=4, grad_output=(65,)), dict(case.attributes)
    )


def test_traffic_of_a_shared_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pos_weight of one row stays in UB: each core reads it once, not once a tile."""
    case = Case(LOGITS, "f32", (("reduction", "mean"),), ("pos_weight",))
    inputs = case.inputs((40_000, 100), seed=5, pos_weight=(100,))
    outcome = run_checked(monkeypatch, case.operator, inputs, dict(case.attributes))
    size = sum(a.nbytes for a in inputs.values() if a is not None) + outcome.outputs[0].nbytes
    moved = outcome.counters.gm_read_bytes + outcome.counters.gm_write_bytes
    assert abs(moved - size) <= 0.01 * size


@pytest.mark.parametrize(
    ("full", "weight", "pos_weight"),
    [
        ((7, 11 * 128), (7, 1), (11 * 128,)),
        ((3, 1800), (1800,), (3, 1)),
        ((5, 3, 7 * 128 + 1), (5, 1, 1), (3, 1)),
        ((2, 13, 900), (13, 1), (2, 1, 900)),
        ((3, 2, 5, 700), (2, 1, 700), (3, 1, 5, 1)),
    ],
    ids=str,
)
def test_all_cores_share_the_work(
    full: tuple[int, ...],
    weight: tuple[int, ...],
    pos_weight: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rows do not divide over the cores, so a core's blocks start and end within rows."""
    case = Case(LOGITS, "f32", (("reduction", "none"),), ("weight", "pos_weight"))
    inputs = case.inputs(full, seed=11, weight=weight, pos_weight=pos_weight)
    outcome = run_checked(monkeypatch, case.operator, inputs, dict(case.attributes), twice=True)
    assert outcome.launch is not None
    numbers = outcome.launch.plan.numbers
    assert outcome.launch.plan.cores == 40
    assert numbers["tiling:unit"] <= 128, "at most blocks of 512 bytes"
    assert numbers["tiling:big"] < 40


def size_and_traffic(inputs: Mapping[str, Any], outcome: Outcome) -> tuple[int, int]:
    """Bytes of all tensors, and bytes read and written."""
    arrays = [*(a for a in inputs.values() if a is not None), *outcome.outputs]
    return sum(a.nbytes for a in arrays), outcome.counters.gm_read_bytes + outcome.counters.gm_write_bytes


def check_balance(outcome: Outcome, block: int) -> None:
    """Cores differ by at most one block of 512 bytes; all 40 have work from 40 blocks on."""
    assert outcome.launch is not None
    planned = outcome.launch.plan
    numbers = planned.numbers
    elements = math.prod(extent for name, extent in numbers.items() if name.startswith("extent:"))
    if "tiling:unit" in numbers:
        equal = numbers["tiling:big"] == 0 and elements % numbers["tiling:unit"] == 0
        assert equal or numbers["tiling:unit"] <= block
    assert planned.cores >= min(40, -(-elements // block))


@pytest.mark.parametrize("shape", [(1024, 1000), (333, 1500), (2000, 700)], ids=str)
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_traffic_of_a_row_shared_by_all_cores(
    shape: tuple[int, int], dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(LOGITS, dtype, (("reduction", "mean"),), ("pos_weight",))
    inputs = case.inputs(shape, seed=6, pos_weight=shape[1:])
    outcome = run_checked(monkeypatch, case.operator, inputs, dict(case.attributes))
    size, moved = size_and_traffic(inputs, outcome)
    assert size <= moved <= 1.01 * size
    check_balance(outcome, 512 // inputs["self"].itemsize)


def test_traffic_of_a_row_shared_by_all_cores_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """(4096, 4096): values are judged at the smaller shapes."""
    case = Case(LOGITS, "f32", (("reduction", "mean"),), ("pos_weight",))
    inputs = case.inputs((4096, 4096), seed=6, pos_weight=(4096,))
    outcome = tw.compile(case.operator).run(**inputs, **dict(case.attributes))
    size, moved = size_and_traffic(inputs, outcome)
    assert size <= moved <= 1.01 * size
    check_balance(outcome, 128)


def log_uniform(rng: np.random.Generator, largest: int) -> int:
    return int(np.exp(rng.uniform(0, np.log(largest + 1))))


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_random_rows_and_columns(seed: int, dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One operand shared by rows or columns, any sizes: values, traffic and balance."""
    rng = np.random.default_rng([2, seed])
    while True:
        shape = (log_uniform(rng, 5000), log_uniform(rng, 5000))
        if 2000 < math.prod(shape) < 1_500_000:
            break
    shared = shape[1:] if seed % 3 else (shape[0], 1)
    case = Case(LOGITS, dtype, (("reduction", "none"),), ("pos_weight",))
    inputs = case.inputs(shape, seed=seed, pos_weight=shared)
    outcome = run_checked(monkeypatch, case.operator, inputs, dict(case.attributes), twice=True)
    size, moved = size_and_traffic(inputs, outcome)
    assert outcome.launch is not None
    assert moved == outcome.launch.plan.traffic
    assert moved >= size
    if size >= 1 << 20:
        assert moved <= 1.01 * size
    check_balance(outcome, 512 // inputs["self"].itemsize)


@pytest.mark.parametrize(
    ("full", "weight", "pos_weight", "most"),
    [
        ((20, 50, 300), (50, 1), (300,), 1.01),
        ((20, 50, 301), (20, 1, 301), (1,), 1.01),
        ((20, 50, 301), (20, 1, 1), (300 + 1,), 1.01),
        ((3, 5, 70_000), (5, 1), (70_000,), 1.01),
        ((900, 700), (900, 1), (700,), 1.01),
        ((700, 900), (1, 900), (900,), 1.01),
        # An operand without an outer axis but with inner ones is read again for each index of that axis.
        ((6, 7, 20, 360), (7, 1, 360), (6, 1, 20, 1), 1.02),
        ((4, 50, 301), (50, 301), (4, 50, 1), 1.25),
    ],
    ids=str,
)
def test_shared_along_several_axes(
    full: tuple[int, ...],
    weight: tuple[int, ...],
    pos_weight: tuple[int, ...],
    most: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The planner foresees the traffic of every mask to the byte."""
    case = Case(LOGITS, "f32", (("reduction", "none"),), ("weight", "pos_weight"))
    inputs = case.inputs(full, seed=13, weight=weight, pos_weight=pos_weight)
    outcome = run_checked(monkeypatch, case.operator, inputs, dict(case.attributes))
    size, moved = size_and_traffic(inputs, outcome)
    assert outcome.launch is not None
    assert moved == outcome.launch.plan.traffic
    assert 0.999 * size <= moved <= most * size
    check_balance(outcome, 128)


@pytest.mark.parametrize(
    ("shape", "pos_weight"),
    [
        ((333, 1500), (1500,)),  # parts of two panels
        ((16, 5000), (5000,)),  # whole panels side by side
        ((41, 2500), (2500,)),
        ((50, 1000), (50, 1)),  # row-major, parts of rows
        ((12, 50, 301), (50, 301)),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", ["f32", "f16"])
def test_boxes_have_no_hazard(shape: tuple[int, ...], pos_weight: tuple[int, ...], dtype: str) -> None:
    """The buffers of one box are not touched by the next before they are free."""
    case = Case(LOGITS, dtype, (("reduction", "none"),), ("pos_weight",))
    inputs = case.inputs(shape, seed=8, pos_weight=pos_weight)
    found = tw.compile(case.operator).check(**inputs, **dict(case.attributes))
    assert found.passed, str(found)
