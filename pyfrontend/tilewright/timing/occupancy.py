"""Which bytes of UB hold data that is still needed, over the modelled time.

A *lifetime* is a range of bytes from the start of the instruction that writes it to the end of the last one
that reads it before it is written again. Bytes that are never read live while they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.timing.report import TimeReport

#: Bytes of the unified buffer of a 910B vector core.
UB_BYTES = 192 * 1024


@dataclass
class Lifetime:
    """Bytes ``[begin, end)`` of UB that live from ``start`` to ``stop`` microseconds.

    Attributes:
        writer: instruction that wrote them, and ``row``, the pipe it ran on ("MTE2", "VECTOR", ...).
        readers: number of instructions that read some of them.
        block: the block that ran.
    """

    begin: int
    end: int
    start: float
    stop: float
    writer: str
    row: str
    block: int
    readers: int = 0


def cores(report: TimeReport) -> list[int]:
    """Cores that the report's timeline shows."""
    return sorted({int(segment[0]) for segment in report.data["timeline"]["segments"]})


def _segments(report: TimeReport, core: int) -> Iterator[tuple[int, int, int, float, float]]:
    """block, row, step, start and end of the instructions of a core, by start."""
    cycle = 1 / report.profile.value("clock_mhz")
    chosen = [s for s in report.data["timeline"]["segments"] if s[0] == core]
    for _, block, row, step, start, duration in sorted(chosen, key=lambda s: (s[4], s[2])):
        yield block, row, step, start * cycle, (start + duration) * cycle


def _without(parts: Sequence[tuple[int, int]], begin: int, end: int) -> list[tuple[int, int]]:
    """The parts outside [begin, end)."""
    pieces = [piece for low, high in parts for piece in ((low, min(high, begin)), (max(low, end), high))]
    return [(low, high) for low, high in pieces if low < high]


def lifetimes(report: TimeReport, core: int = 0) -> list[Lifetime]:
    """Lifetimes of a core in order of their start; the report needs a timeline (``timeline_cores``)."""
    timeline: dict[str, Any] = report.data["timeline"]
    rows: Sequence[str] = timeline["rows"]
    flow, scalar = rows.index("FLOWCTRL"), rows.index("SCALAR")
    found: list[Lifetime] = []
    # What was written last, with the parts of it that nothing has overwritten since.
    alive: list[tuple[Lifetime, list[tuple[int, int]]]] = []
    for block, row, number, start, stop in _segments(report, core):
        if row in (flow, scalar):
            continue
        step = timeline["steps"][number]
        ranges = step.get("ub", ())
        for begin, end, write in ranges:
            if write:
                continue
            for one, parts in alive:
                if any(low < end and begin < high for low, high in parts):
                    one.stop = max(one.stop, stop)
                    one.readers += 1
        for begin, end, write in ranges:
            if not write:
                continue
            alive = [(one, _without(parts, begin, end)) for one, parts in alive]
            alive = [(one, parts) for one, parts in alive if parts]
            fresh = Lifetime(begin, end, start, stop, str(step["name"]), str(rows[row]), block)
            alive.append((fresh, [(begin, end)]))
            found.append(fresh)
    return found


def live_bytes(lives: Sequence[Lifetime]) -> list[tuple[float, int]]:
    """(time, bytes that live from then on), at every change; overlapping lifetimes count once."""
    edges = sorted({t for one in lives for t in (one.start, one.stop)})
    starting = sorted(lives, key=lambda one: one.start)
    active: list[Lifetime] = []
    result: list[tuple[float, int]] = []
    next_one = 0
    for time in edges:
        active = [one for one in active if one.stop > time]
        while next_one < len(starting) and starting[next_one].start <= time:
            if starting[next_one].stop > time:
                active.append(starting[next_one])
            next_one += 1
        covered, last = 0, 0
        for begin, end in sorted((one.begin, one.end) for one in active):
            covered += max(0, end - max(begin, last))
            last = max(last, end)
        result.append((time, covered))
    return result
