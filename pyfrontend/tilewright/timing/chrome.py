"""Chrome trace JSON (chrome://tracing, Perfetto): one process per core, one row per pipe.

Times of the file are microseconds of the model, counted from the start of the first core; nothing in it was
measured on a device.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tilewright.timing.report import NOTE, TimeReport


def _metadata(core: int, rows: list[str]) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "name": "process_name", "pid": core, "args": {"name": f"core {core}"}}
    yield {"ph": "M", "name": "process_sort_index", "pid": core, "args": {"sort_index": core}}
    for row, name in enumerate(rows):
        yield {"ph": "M", "name": "thread_name", "pid": core, "tid": row, "args": {"name": name}}
        yield {"ph": "M", "name": "thread_sort_index", "pid": core, "tid": row, "args": {"sort_index": row}}


def _name(step: Mapping[str, Any], row: str) -> str:
    if row == "SCALAR":
        return "scalar"
    if "flag" in step:
        return f"wait {step['flag']}"
    if "drains" in step:
        return f"barrier {step['drains']}"
    return str(step["name"])


def _details(step: Mapping[str, Any], row: str) -> dict[str, Any]:
    # A row of the scalar unit shows the work before an instruction, not the instruction.
    return {} if row == "SCALAR" else {key: value for key, value in step.items() if key != "name"}


def events(report: TimeReport) -> dict[str, Any]:
    """The trace of a report that has a timeline.

    Returns:
        An object with ``traceEvents``, ``displayTimeUnit`` and ``otherData`` (which says that it is modelled,
        and whether the timeline was cut at its limit).
    """
    timeline = report.data["timeline"]
    rows, steps = timeline["rows"], timeline["steps"]
    cycle = 1 / report.profile.value("clock_mhz")
    found: list[dict[str, Any]] = []
    cores = sorted({segment[0] for segment in timeline["segments"]})
    for core in cores:
        found += _metadata(core, rows)
    flow = rows.index("FLOWCTRL")
    shown = dict[int, float]()
    # Several pipes may wait at once, but slices of one row must not overlap: of two that do, the later one
    # is shown from the end of the earlier one on. `cycles` has the whole wait.
    for core, block, row, number, start, duration in sorted(timeline["segments"], key=lambda s: s[4]):
        step, end, cycles = steps[number], start + duration, duration
        if row == flow:
            start = max(start, shown.get(core, start))
            duration = end - start
            if duration <= 0:
                continue
            shown[core] = end
        found.append({
            "ph": "X",
            "name": _name(step, rows[row]),
            "cat": rows[row],
            "pid": core,
            "tid": row,
            "ts": round(start * cycle, 6),
            "dur": round(duration * cycle, 6),
            "args": {"block": block, "cycles": cycles, **_details(step, rows[row])},
        })  # fmt: skip
    return {
        "traceEvents": found,
        "displayTimeUnit": "ns",
        "otherData": {
            "note": NOTE,
            "kernel": report.kernel,
            "profile": report.profile.name,
            "cache": timeline["cache"],
            "modelled_us": report.us(timeline["cache"]),
            "cut": timeline["cut"],
        },
    }
