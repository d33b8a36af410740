"""Why a schedule or a number of the user's cannot be honoured, and what could be.

Asked only after planning failed, so it may search: it plans again with smaller numbers until one is legal.
"""

from __future__ import annotations

from dataclasses import replace

from tilewright.errors import ShapeError
from tilewright.plan_reduction import CHOSEN, SCHEDULES, ReductionCapacity, Tiling, plan_with

Extents = tuple[int, int, int]

#: Lines of the UB table in a message.
_BUFFERS = 12


def refusal(
    limits: ReductionCapacity, schedule: str, extents: Extents, cores: int, tiling: Tiling
) -> ShapeError:
    """The error for a schedule and numbers that have no plan.

    Args:
        limits: what the kernel compiled for ``schedule`` can hold; for "rows" where that cannot be compiled.
        schedule: the schedule that was asked for.
        extents: sizes of (R1, A, R0).
        cores: the most cores.
        tiling: the user's numbers.
    """
    if limits.schedule != schedule:
        return _no_schedule(schedule, extents, "an operand varies along R0, which only 'rows' can load")
    if plan_with(limits, extents, cores, CHOSEN) is None:
        return _no_schedule(schedule, extents, _reason(limits, extents, cores))
    legal = CHOSEN
    for name in ("tile_cols", "group", "tile_rows"):
        value = getattr(tiling, name)
        if value is None:
            continue
        tried = replace(legal, **{name: value})
        if plan_with(limits, extents, cores, tried) is None:
            return _no_number(limits, extents, cores, legal, name, value)
        legal = tried
    raise AssertionError("a plan that was refused is legal")


def _no_schedule(schedule: str, extents: Extents, reason: str) -> ShapeError:
    return ShapeError(
        "TW2401",
        f"the schedule {schedule!r} cannot serve (R1, A, R0) = {extents}: {reason}",
        expected="another of " + ", ".join(s for s in SCHEDULES if s != schedule),
        hint="leave schedule out and the planner chooses",
    )


def _reason(limits: ReductionCapacity, extents: Extents, cores: int) -> str:
    _, a, r0 = extents
    if limits.family == "lanes" and r0 != 1:
        return f"'lanes' needs R0 = 1, here it is {r0}"
    if limits.is_resident:
        streamed = replace(limits, schedule=limits.family)
        planned = plan_with(streamed, extents, cores, CHOSEN)
        if planned is not None:
            numbers = planned.numbers
            own = -(-extents[0] // numbers["tiling:r1_cores"]) * -(-r0 // numbers["tiling:r0_cores"])
            channels = 1 if limits.family == "rows" else numbers["tiling:group"]
            return (
                f"{channels} of {a} channels are {own * channels * limits.resident_bytes} bytes on a core "
                f"before padding, and the resident buffers hold "
                f"{limits.resident * limits.resident_bytes} bytes"
            )
    if limits.family == "folded":
        return (
            f"a row of lanes holds {limits.max_columns} elements and a tile {limits.capacity}; a group "
            f"needs at least a burst of 256 bytes in whole channels of {r0}"
        )
    return "no grid of cores gives all of them equally many groups"


def _no_number(
    limits: ReductionCapacity, extents: Extents, cores: int, legal: Tiling, name: str, value: int
) -> ShapeError:
    if name == "tile_cols" and limits.family != "rows":
        return ShapeError(
            "TW2401",
            f"tile_cols={value} is for the schedule 'rows'; columns of {limits.schedule!r} are group x R0",
            expected="group= instead",
        )
    bound = limits.group if name == "group" else limits.capacity
    candidates = range(min(value - 1, bound) if value > 1 else bound, 0, -1)
    found = next(
        (n for n in candidates if plan_with(limits, extents, cores, replace(legal, **{name: n})) is not None),
        None,
    )
    kept = "".join(f", {n}={v}" for n, v in vars(legal).items() if v is not None)
    table = ", ".join(f"{n} {size}" for n, size in limits.buffers[:_BUFFERS])
    more = ", ..." if len(limits.buffers) > _BUFFERS else ""
    tile = f"a tile buffer holds {limits.capacity} elements ({4 * limits.capacity} bytes as f32)"
    resident = (
        f", the resident ones {limits.resident} each ({limits.resident * limits.resident_bytes} bytes in all)"
        if limits.is_resident
        else ""
    )
    return ShapeError(
        "TW2401",
        f"{name}={value} does not fit (R1, A, R0) = {extents} in the schedule {limits.schedule!r}{kept}",
        expected=(f"the largest legal {name} is {found}" if found is not None else f"no {name} is legal here")
        + f"; {tile}{resident}, all buffers take {limits.ub_bytes} bytes of UB",
        hint=f"UB table in bytes: {table}{more}",
    )
