"""``tilewright verify``: execute the IR of one call after every pass and compare each with float64."""

from __future__ import annotations

import argparse
from typing import Any

from tilewright import targets, verify
from tilewright.binding import bind
from tilewright.cli import run
from tilewright.cli.main import emit
from tilewright.kernel import Kernel


def _as_dict(stage: verify.Stage) -> dict[str, Any]:
    return {
        "stage": stage.name,
        "passed": stage.passed,
        "error": stage.error or None,
        "results": [
            {"max_abs_err": c.max_abs_err, "max_rel_err": c.max_rel_err, "bad_elements": c.bad}
            for c in stage.comparisons
        ],
    }


def _line(stage: verify.Stage) -> str:
    if stage.error:
        return f"  {stage.name:34s} not executed: {stage.error}"
    if stage.passed:
        worst = max((c.max_share for c in stage.comparisons), default=0.0)
        return f"  {stage.name:34s} right; largest error {worst:.2g} of what is allowed"
    bad = next(str(c) for c in stage.comparisons if not c.passed)
    return f"  {stage.name:34s} {bad}"


def main(options: argparse.Namespace) -> int:
    """Verify one call. Exit status 1 if a stage is wrong or cannot be executed."""
    call, inputs = run.prepare(options)
    target = targets.get(options.target or targets.DEFAULT)
    kernel = Kernel(
        call.op, target, cores=options.cores, tile=options.tile, threads=options.threads, hivmc=options.hivmc
    )
    binding = bind(call.op, (), {**inputs, **call.attributes})
    found: list[verify.Stage] = []
    if not binding.empty:
        texts, planned = verify.stages(kernel, binding)
        found = verify.verify(binding, texts, planned)
    wrong = next((s.name for s in found if not s.passed), None)
    if options.json:
        stages = [_as_dict(s) for s in found]
        emit({"operator": call.op.name, "target": target.name, "first_wrong": wrong, "stages": stages})
        return int(wrong is not None)
    if not found:
        print(f"{call.op.name}: the call is empty, there is no kernel")
        return 0
    print(f"{binding.variant.key} in NumPy, stage by stage")
    for stage in found:
        print(_line(stage))
    print(f"first wrong stage: {wrong}" if wrong else "all stages are right")
    return int(wrong is not None)
