"""Right values at every size where a kernel can go wrong: block, repeat and tile edges, for every variant.

``TILEWRIGHT_TEST_FULL=1`` runs the long sizes on every variant instead of on one variant of each operator and
dtype.
"""

from __future__ import annotations

import pytest

import cases
from harness import FULL, Case, run_checked
from tilewright import compiler

SMALL = (
    0,
    1,
    2,
    7,
    8,
    9,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    129,
    255,
    256,
    257,
    511,
    512,
    513,
    4095,
    4096,
    4097,
)
MEDIUM = (65535, 65536, 65537)
LARGE = (1048575, 1048577)
HUGE = 10_000_019


@pytest.mark.parametrize("case", cases.ALL, ids=str)
def test_every_size(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """All sizes through one binary."""
    compiled = compiler.statistics.compilations + compiler.statistics.cache_hits
    sizes = (*SMALL, *MEDIUM, *(LARGE if FULL or case in cases.PRINCIPAL else ()))
    for size in sizes:
        run_checked(
            monkeypatch,
            case.operator,
            case.inputs((size,), seed=size),
            dict(case.attributes),
            twice=size == 4097,
        )
    binaries = compiler.statistics.compilations + compiler.statistics.cache_hits - compiled
    assert binaries <= 1, f"{binaries} binaries for one variant"


@pytest.mark.parametrize("case", cases.ALL if FULL else cases.PRINCIPAL, ids=str)
def test_ten_million(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = run_checked(monkeypatch, case.operator, case.inputs((HUGE,), seed=1), dict(case.attributes))
    assert outcome.launch is not None
    assert outcome.launch.plan.cores == 40
    moved = outcome.counters.gm_read_bytes + outcome.counters.gm_write_bytes
    arrays = [a for a in case.inputs((HUGE,), seed=1).values() if a is not None]
    size = sum(a.nbytes for a in arrays) + sum(a.nbytes for a in outcome.outputs)
    assert abs(moved - size) <= 0.01 * size, (
        "every input byte is read once and every output byte written once"
    )


@pytest.mark.parametrize("case", cases.PRINCIPAL, ids=str)
@pytest.mark.parametrize(
    "shape",
    [
        (),
        (5,),
        (3, 7),
        (2, 3, 5),
        (2, 1, 7, 3),
        (2, 3, 1, 5, 3),
        (1, 2, 3, 2, 1, 7),
        (2,) * 7,
        (2, 1, 3, 1, 2, 2, 1, 5),
    ],
    ids=str,
)
def test_every_rank(case: Case, shape: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    run_checked(monkeypatch, case.operator, case.inputs(shape, seed=len(shape)), dict(case.attributes))


def test_attributes_do_not_recompile(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("elu_backward", "f32")
    inputs = case.inputs((1000,), seed=3)
    run_checked(monkeypatch, case.operator, inputs)
    before = compiler.statistics.compilations + compiler.statistics.cache_hits
    for alpha in (0.0, 0.5, 1.5, 300.0):
        for scale in (1.0507, -2.0, 0.0):
            run_checked(
                monkeypatch,
                case.operator,
                inputs,
                {"alpha": alpha, "scale": scale, "input_scale": 1 / (1 + alpha)},
            )
    assert compiler.statistics.compilations + compiler.statistics.cache_hits == before
