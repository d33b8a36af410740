"""Running the contest: every row, all three sides, in one process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from tilewright import compile as compile_operator
from tilewright import reference, runtime, samples, targets, timing
from tilewright.binding import bind
from tilewright.contest import sides, verdict
from tilewright.contest.suite import Row, rows
from tilewright.ops import registry
from tilewright.targets import Target

NOTE = "modelled on an emulated device under published constants; nothing ran on a device"

#: What the contest is to show: geometric means of modelled time, at most.
BOUNDS: Mapping[str, float] = {"norm": 0.50, "elementwise": 0.97, "auto": 0.60}
#: Ours is to be slower than the reference by no more than this.
SLOWER = 1.02
#: Elements up to which the ends of single ranges are tried.
_ENDS_ELEMENTS = 1 << 23

Progress = Callable[[int, int, Row], None]


def subject(row: Row, target: Target, seed: int = 0) -> sides.Subject:
    """The call of a row with random inputs."""
    op = registry.get(row.op)
    made = samples.random_inputs(
        op, row.shape, row.dtype, seed=seed, attributes=row.attributes, present=row.present, types=row.types
    )
    inputs = {name: array for name, array in made.items() if array is not None}
    binding = bind(op, (), {**{name: runtime.placed(a) for name, a in inputs.items()}, **row.attributes})
    with np.errstate(all="ignore"):
        expected = reference.evaluate(binding)
    kernel = compile_operator(op, target=target)
    return sides.Subject(kernel, inputs, row.attributes, binding, expected)


def run_row(row: Row, target: Target) -> dict[str, Any]:
    """One row, as plain data."""
    call = subject(row, target)
    ours, theirs = sides.ours(call), sides.handwritten(call)
    elements = int(np.prod(row.shape))
    found = verdict.decide(ours, theirs, timing.profile(target), ends=elements <= _ENDS_ELEMENTS)
    auto = sides.automatic(call)
    return {
        "op": row.op, "label": row.label, "dtype": row.dtype, "shape": list(row.shape), "class": row.kind,
        "source": row.source, "attributes": dict(row.attributes), "elements": elements,
        "schedule": call.kernel.schedule(call.binding.signature),
        "ours_us": ours.us, "reference_us": theirs.us, "auto_us": auto.us if auto.counts else None,
        "ours_interval_us": ours.interval, "reference_interval_us": theirs.interval,
        "auto_interval_us": auto.interval, "auto_reason": auto.reason or None,
        "verdict": found.winner, "ratio": asdict(found),
        "sides": {"ours": ours.as_dict(), "reference": theirs.as_dict(), "auto": auto.as_dict()},
    }  # fmt: skip


def run(
    suite: str = "small",
    target: str | Target = targets.DEFAULT,
    *,
    chosen: Iterable[Row] | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Run a suite.

    Args:
        suite: "small" or "full".
        target: whose cores, UB and constants.
        chosen: rows instead of the suite's.
        progress: called before each row with its number from 1, the number of rows, and the row.

    Returns:
        ``rows``; ``geomean`` with norm, elementwise (ours/reference) and auto (ours/auto-schedule);
        ``bounds``; ``target``; ``note``.

    Raises:
        TilewrightError: if our own kernel of a row does not compile or run.
    """
    device = targets.get(target)
    todo = rows(suite) if chosen is None else tuple(chosen)
    found: list[dict[str, Any]] = []
    for i, row in enumerate(todo, 1):
        if progress is not None:
            progress(i, len(todo), row)
        found.append(run_row(row, device))
    return {
        "suite": suite,
        "target": device.name,
        "note": NOTE,
        "rows": found,
        **summary(found),
    }


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """Geometric means and bounds of finished rows."""
    compared = [r for r in found if r["verdict"] != "none"]
    ratios = {
        kind: [r["ours_us"] / r["reference_us"] for r in compared if r["class"] == kind]
        for kind in ("norm", "elementwise")
    }
    # Rows where the stock compiler has no kernel with right values have no ratio.
    ratios["auto"] = [r["ours_us"] / r["auto_us"] for r in found if r["auto_us"] is not None]
    means = {name: verdict.geomean(values) for name, values in ratios.items()}
    slower = [i for i, r in enumerate(found) if r["verdict"] == "reference" and _ratio(r) > SLOWER]
    return {
        "geomean": means,
        "compared": {name: len(values) for name, values in ratios.items()},
        "verdicts": {
            name: sum(r["verdict"] == name for r in found) for name in ("ours", "reference", "tie", "none")
        },
        "bounds": {
            name: {"limit": limit, "value": means[name], "met": _met(means[name], limit)}
            for name, limit in BOUNDS.items()
        },
        "slower_rows": slower,
    }


def _met(value: float | None, limit: float) -> bool | None:
    return None if value is None else value <= limit


def _ratio(row: Mapping[str, Any]) -> float:
    return float(row["ours_us"] / row["reference_us"])
