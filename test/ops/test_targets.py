"""Every target of the table: the kernel compiles, buffers fit, all cores get work, values are right."""

from __future__ import annotations

import pytest

from harness import Case, run_checked
from tilewright import targets

CASES = (
    Case("elu_backward", "f16", (("is_result", False),)),
    Case(
        "binary_cross_entropy_with_logits_backward",
        "bf16",
        (("reduction", "mean"),),
        ("weight", "pos_weight"),
    ),
)


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize("case", CASES, ids=str)
def test_target(case: Case, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cores = targets.get(target).vector_cores
    blocks = cores  # one block of 512 bytes for each core
    outcome = run_checked(
        monkeypatch, case.operator, case.inputs((blocks * 256,), seed=2), dict(case.attributes), target=target
    )
    assert outcome.launch is not None
    assert outcome.launch.plan.cores == cores


def test_equal_budgets_make_equal_plans() -> None:
    """What test_sizes shows of UB on one target holds on all: the passes ask a target for its budget only."""
    assert {target.ub_usable_bytes for target in targets.TABLE} == {188416}
