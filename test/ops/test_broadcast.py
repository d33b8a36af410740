"""Operands that broadcast: one element, rows, columns, planes, and mixtures of them."""

from __future__ import annotations

import pytest

from harness import Case, run_checked

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
    assert numbers["tiling:unit"] == 128, "blocks of 512 bytes"
    assert numbers["tiling:big"] < 40
