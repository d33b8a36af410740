"""The planner of kernels with reductions: schedule, cores, groups and tiles of one launch.

Such a kernel works on the canonical axes (R1, A, R0): R1 and R0 are reduced, A ("channels") is kept. Its
cores form a grid over the three axes; cores that share channels exchange partial results. Which schedule is
used (see passes/reduction/Programs.h) is Ascend C's tiling key: each is a binary of its own, and every number
below is an argument of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tilewright.errors import CompileError, ShapeError
from tilewright.plan import Plan, limit_cores
from tilewright.plan_traits import Traits

SCHEDULES = (
    "rows",
    "rows-resident",
    "rows-resident2",
    "lanes",
    "lanes-resident",
    "lanes-resident2",
    "folded",
    "folded-resident",
    "folded-resident2",
)

#: Errors of schedules that an operator does not fit: of tw-tile-to-ub, and of AscendNPU-IR's planner of UB.
NO_ROOM = ("TW3030", "TW3015")

#: A burst below this wastes the transfer engine: 8 cycles for a short burst (timing model, section 2).
BURST_BYTES = 256

#: Lanes until the channels repeat, where rows are merged: about this many.
LONG_PERIOD = 192

#: The stride between the rows of a transfer has 32 bits in bytes (c220 ISA note, copy_gm_to_ubuf_align).
TRANSFER_STRIDE_BYTES = 1 << 32

#: What an exchange between cores costs, as bytes a core could have moved meanwhile: about 4 us at 14 GB/s.
EXCHANGE_BYTES = 56_000

#: What starting one more core costs, in the same bytes: about 0.07 us (timing model, section 5). In a launch
#: this short a core moves some 10 GB/s.
LAUNCH_BYTES = 700


@dataclass(frozen=True)
class ReductionCapacity:
    """What a compiled kernel can hold; the attribute ``tw.plan`` of its function.

    Attributes:
        schedule: the schedule the kernel was compiled for.
        block: elements of 512 bytes.
        element_bytes: size of the widest full tensor's element.
        capacity: elements of a tile.
        max_rows, max_columns: limits of a tile; columns are those of a row of lanes in "lanes" and "folded".
        group: channels of a group.
        lanes: lanes of an accumulator.
        resident: elements of a resident input.
        row_granule: rows are padded in UB to a multiple of this many elements.
        ub_bytes: UB bytes of all buffers together.
        reductions: partial results a channel.
        full_inputs: tensors over all axes that are read.
        inner, outer: whether there are operands over R0 or R1 alone.
        streamed_bytes, resident_bytes: GM bytes read for an element if every pass reads it, or if one does.
        result_bytes: GM bytes written for an element.
        buffers: the UB table: name and bytes of every buffer.
    """

    schedule: str
    block: int
    element_bytes: int
    capacity: int
    max_rows: int
    max_columns: int
    group: int
    lanes: int
    resident: int
    row_granule: int
    ub_bytes: int
    reductions: int
    full_inputs: int
    inner: int
    outer: int
    streamed_bytes: int
    resident_bytes: int
    result_bytes: int
    buffers: tuple[tuple[str, int], ...]

    @staticmethod
    def from_attribute(attribute: Mapping[str, Any]) -> ReductionCapacity:
        found = {n: attribute[n] for n in ReductionCapacity.__dataclass_fields__}
        found["buffers"] = tuple((row["name"], row["bytes"]) for row in attribute["buffers"])
        return ReductionCapacity(**found)

    @property
    def traits(self) -> Traits:
        """What does not depend on the schedule."""
        return Traits(
            self.element_bytes, self.full_inputs, bool(self.inner), bool(self.outer), self.reductions
        )

    @property
    def family(self) -> str:
        return self.schedule.split("-")[0]

    @property
    def is_resident(self) -> bool:
        """Whether the data of a group stays in UB between passes."""
        return self.schedule != self.family

    def pitch(self, columns: int) -> int:
        """Elements between rows in UB."""
        return _ceil(columns, self.row_granule) * self.row_granule


def _ceil(value: int, unit: int) -> int:
    return -(-value // unit)


@dataclass(frozen=True)
class Grid:
    """Cores along (R1, A, R0) and the unit in which each axis is shared out."""

    cores: tuple[int, int, int]
    units: tuple[int, int, int]

    @property
    def splits(self) -> int:
        """Cores that share a channel."""
        return self.cores[0] * self.cores[2]

    def part(self, extents: Sequence[int], axis: int) -> int:
        """Elements of the busiest core along an axis."""
        unit = self.units[axis]
        return min(_ceil(_ceil(extents[axis], unit), self.cores[axis]) * unit, extents[axis])

    def load(self, extents: Sequence[int]) -> int:
        """Elements of the busiest core."""
        return self.part(extents, 0) * self.part(extents, 1) * self.part(extents, 2)


def _grids(extents: tuple[int, int, int], units: tuple[int, int, int], cores: int, axes: str) -> list[Grid]:
    """All grids; ``axes`` names those along which the data may be cut."""
    most = [
        _ceil(e, u) if n in axes.split() else 1
        for e, u, n in zip(extents, units, ("r1", "a", "r0"), strict=True)
    ]
    found = []
    for a in range(1, min(cores, most[1]) + 1):
        for r1 in range(1, min(cores // a, most[0]) + 1):
            # Either no core shares a row of R0 with another, or as many as there are.
            for r0 in {1, min(cores // a // r1, most[2])}:
                found.append(Grid((r1, a, r0), units))
    return found


def _best(
    extents: tuple[int, int, int], grids: Sequence[Grid], limits: ReductionCapacity, lanes: int = 1
) -> Grid:
    """The grid with the least time, in bytes: of the busiest core, of an exchange, and of the launch."""

    def cost(grid: Grid) -> float:
        moved = grid.load(extents) * limits.full_inputs * limits.element_bytes
        moved += LAUNCH_BYTES * grid.splits * grid.cores[1]
        if grid.splits > 1:
            # Every core reads the partial results of all cores that share its channels.
            moved += EXCHANGE_BYTES + 4 * limits.reductions * grid.splits * grid.part(extents, 1) * lanes
        return moved

    return min(grids, key=lambda g: (cost(g), g.splits, g.cores))


@dataclass(frozen=True)
class Tiling:
    """The user's numbers; None where the planner chooses.

    Attributes:
        group: channels of a group.
        tile_rows, tile_cols: rows and columns of a tile.
    """

    group: int | None = None
    tile_rows: int | None = None
    tile_cols: int | None = None


CHOSEN = Tiling()


@dataclass(frozen=True)
class Shape:
    """A candidate: grid, channels of a group, the most channels of one, merged rows."""

    grid: Grid
    group: int
    most: int
    merge: int


def _shape(limits: ReductionCapacity, extents: tuple[int, int, int], cores: int) -> Shape | None:
    _, a, r0 = extents
    burst = max(1, BURST_BYTES // limits.element_bytes)
    if limits.family == "rows":
        units = (1, 1, limits.block)
        grid = _best(extents, _grids(extents, units, cores, "r1 a r0"), limits)
        return Shape(grid, _even(grid.part(extents, 1), limits.group, 1, grid, extents), limits.group, 1)
    if limits.inner:
        return None
    if limits.family == "lanes":
        if r0 != 1:
            return None
        unit = min(a, _ceil(burst, 8) * 8)
        most = min(limits.group, limits.max_columns) // limits.row_granule * limits.row_granule
        grid = _best(extents, _grids(extents, (1, unit, 1), cores, "r1 a"), limits)
        return Shape(grid, _even(grid.part(extents, 1), most, unit, grid, extents), most, 1)
    if a * r0 < burst and not limits.outer:
        merge = _merge(limits, a * r0, burst)
        if merge > 1:
            if a > limits.group or a * limits.pitch(r0) > limits.capacity:
                return None
            grid = _best(extents, _grids(extents, (merge, a, 1), cores, "r1"), limits, merge * r0)
            return Shape(grid, a, a, merge)
    unit = min(a, _ceil(burst, r0))
    most = min(limits.group, limits.max_columns // r0, limits.capacity // limits.pitch(r0))
    if most < 1 or limits.pitch(unit * r0) > limits.capacity or unit > most:
        return None
    grid = _best(extents, _grids(extents, (1, unit, 1), cores, "r1 a"), limits, r0)
    return Shape(grid, _even(grid.part(extents, 1), most, unit, grid, extents), most, 1)


def _even(channels: int, most: int, unit: int, grid: Grid, extents: Sequence[int]) -> int:
    """Channels of a group: equal groups, and equally many on all cores where they wait for each other."""
    groups = _ceil(channels, max(most // unit * unit, min(unit, most)))
    largest = min(most, _ceil(_ceil(channels, groups), unit) * unit)
    if grid.splits == 1:
        return largest
    # Whole units keep bursts long; any number is better than another schedule.
    whole = range(largest // unit * unit, 0, -unit)
    return next((g for g in (*whole, *range(largest, 0, -1)) if _same_groups(extents[1], grid, g)), largest)


def _merge(limits: ReductionCapacity, row: int, burst: int) -> int:
    """Rows of ``row`` elements in one run, so that runs repeat on UB blocks; 0 if none fits."""
    # Long periods: the halvings of a tile wait for each other, so few of them are faster.
    best = 0
    for merge in range(1, limits.lanes // row + 1):
        if merge * limits.pitch(row) > limits.capacity:
            break
        if merge * row % limits.row_granule == 0 and merge * row >= min(burst, limits.lanes // 2):
            best = merge
            if merge * row >= LONG_PERIOD:
                break
    return best


def plan_reduction(
    traits: Traits,
    binary: Callable[[str], ReductionCapacity],
    extents: Sequence[int],
    vector_cores: int,
    *,
    cores: int | None = None,
    schedule: str | None = None,
    tiling: Tiling = CHOSEN,
) -> tuple[str, Plan]:
    """Chooses a schedule and its numbers.

    Args:
        traits: of the kernel in any schedule.
        binary: what the kernel compiled for a schedule can hold; compiles it if need be.
        extents: sizes of (R1, A, R0), none of them 0.
        vector_cores: vector cores of the target.
        cores: the user's number of cores instead of the planner's.
        schedule: the user's schedule instead of the planner's.
        tiling: the user's numbers.

    Raises:
        ShapeError: TW2401 when an override cannot be honoured.
    """
    r1, a, r0 = extents
    limit = limit_cores(cores, vector_cores, "help")
    shape = (r1, a, r0)
    if schedule is not None:
        if schedule not in SCHEDULES:
            raise ShapeError("TW2401", f"schedule={schedule!r}", expected=", ".join(SCHEDULES))
        names = [schedule]
    else:
        names = [*_preferences(traits, shape, limit), "rows"]
    for name in names:
        if traits.inner and not name.startswith("rows"):
            continue  # the passes refuse it
        try:
            limits = binary(name)
        except CompileError as error:
            # An operator with many operands has no room in UB for some schedules.
            if name in ("rows", schedule) or error.code not in NO_ROOM:
                raise
            continue
        planned = _plan(limits, shape, limit, tiling)
        if planned is not None:
            return name, planned
    from tilewright.plan_refusal import refusal

    # The schedule that would be taken without the user's numbers.
    for name in [schedule] if schedule is not None else [n for n in names if "-" not in n]:
        if not name.startswith("rows") and traits.inner:
            raise refusal(binary("rows"), name, shape, limit, tiling)
        if name == names[-1] or _plan(binary(name), shape, limit) is not None:
            raise refusal(binary(name), name, shape, limit, tiling)
    raise refusal(binary("rows"), "rows", shape, limit, tiling)


def _preferences(traits: Traits, extents: tuple[int, int, int], cores: int) -> list[str]:
    """Schedules worth trying, best first; the streamed ones always fit."""
    r1, a, r0 = extents
    burst = BURST_BYTES // traits.element_bytes
    if traits.inner or r0 >= 4 * burst or (r0 >= burst and r1 * r0 >= 64 * burst):
        families = ["rows"]
    elif r0 == 1 and (a >= burst or traits.outer):
        families = ["lanes", "folded", "rows"]
    else:
        families = ["folded", "rows"]
    share = r1 * a * r0 // min(cores, r1 * a * r0) * traits.full_inputs * traits.element_bytes
    found = []
    for family in families:
        # Without reductions everything is read once anyway.
        if share <= 120_000 and traits.reductions:
            found.append(f"{family}-resident")
        found.append(family)
    return found


@lru_cache(maxsize=4096)
def _plan(
    limits: ReductionCapacity, extents: tuple[int, int, int], cores: int, tiling: Tiling = CHOSEN
) -> Plan | None:
    """The numbers of a launch, or None if the kernel cannot serve this shape."""
    shape = _shape(limits, extents, cores)
    if shape is None:
        return None
    grid, (_, a, r0) = shape.grid, extents
    own = tuple(grid.part(extents, axis) for axis in range(3))
    numbers = {f"extent:{axis}": extent for axis, extent in enumerate(extents)}
    for axis, name in enumerate(("r1", "a", "r0")):
        units = _ceil(extents[axis], grid.units[axis])
        numbers[f"tiling:{name}_cores"] = grid.cores[axis]
        numbers[f"tiling:{name}_base"] = units // grid.cores[axis]
        numbers[f"tiling:{name}_big"] = units % grid.cores[axis]
        numbers[f"tiling:{name}_unit"] = grid.units[axis]
    group = min(shape.group if tiling.group is None else tiling.group, own[1])
    if tiling.group is not None and not (0 < tiling.group <= shape.most and (shape.merge == 1 or group == a)):
        return None
    far = a * r0 * limits.element_bytes >= TRANSFER_STRIDE_BYTES
    most_rows = 1 if far else limits.max_rows
    if limits.family == "rows":
        widest = min(limits.max_columns, limits.capacity)
        balanced = _balance(own[2], widest // limits.block * limits.block or widest, limits.block)
        columns = balanced if tiling.tile_cols is None else tiling.tile_cols
        if not 0 < columns <= widest:
            return None
        pitch = limits.pitch(columns)
        highest = max(1, min(most_rows, limits.capacity // pitch))
        rows = _rows(own[0], highest, 1, tiling)
        if rows < 1:
            return None
        tiles = _ceil(own[0], rows) * _ceil(own[2], columns)
        per_channel, row = tiles * rows * pitch, a
    else:
        columns = group * r0
        if shape.merge > 1:
            rows = _rows(own[0], limits.capacity // columns // shape.merge * shape.merge, shape.merge, tiling)
            per_channel = _ceil(own[0], rows) * limits.pitch(rows * columns) if rows else 0
        else:
            rows = _rows(own[0], min(most_rows, limits.capacity // limits.pitch(columns)), 1, tiling)
            per_channel = _ceil(own[0], rows) * rows * limits.pitch(columns) if rows else 0
        if rows < 1 or tiling.tile_cols is not None:
            return None
        tiles = _ceil(own[0], rows)
        row = a if limits.family == "lanes" else a * r0 * shape.merge
    if limits.is_resident:
        # All of a group stays in UB.
        if limits.family == "rows":
            group = min(group, limits.resident // per_channel)
            group = _even(own[1], group, 1, grid, extents) if group and tiling.group is None else group
        elif per_channel > limits.resident:
            group = 0
        if group < 1 or (tiling.group is not None and group < min(tiling.group, own[1])):
            return None
    if grid.splits > 1 and not _same_groups(extents[1], grid, group):
        return None
    splits = grid.splits
    workspace = splits * row * limits.reductions if splits > 1 else 0
    numbers["tiling:group"] = group
    numbers["tiling:tile_rows"] = rows
    numbers["tiling:tile_cols"] = columns
    numbers["tiling:merge"] = shape.merge
    numbers["tiling:workspace_row"] = row
    numbers["tiling:workspace"] = max(1, workspace)
    total = tiles * (own[1] if limits.family == "rows" else _ceil(own[1], group))
    elements = rows * columns if shape.merge > 1 else rows * limits.pitch(columns)
    return Plan(splits * grid.cores[1], numbers, total, elements, 4 * workspace, limits.schedule)


def _rows(total: int, highest: int, granule: int, tiling: Tiling) -> int:
    """Rows of a tile: balanced, or the user's; 0 where they do not fit."""
    if tiling.tile_rows is not None:
        fits = 0 < tiling.tile_rows <= highest and tiling.tile_rows % granule == 0
        return tiling.tile_rows if fits else 0
    return _balance(total, highest, granule) if highest > 0 else 0


def plan_with(
    limits: ReductionCapacity, extents: tuple[int, int, int], cores: int, tiling: Tiling
) -> Plan | None:
    """The plan with one binary and the user's numbers, None if there is none; nothing is remembered."""
    return _plan.__wrapped__(limits, extents, cores, tiling)


def _same_groups(a: int, grid: Grid, group: int) -> bool:
    """Whether all cores have equally many groups: they wait for each other once a pass and group."""
    units, cores, unit = _ceil(a, grid.units[1]), grid.cores[1], grid.units[1]
    counts = set()
    for core in {0, cores - 1}:
        first = core * (units // cores) + min(core, units % cores)
        last = first + units // cores + (core < units % cores)
        counts.add(_ceil(min(last * unit, a) - first * unit, group))
    return len(counts) == 1


def _balance(total: int, largest: int, granule: int) -> int:
    """The size of ceil(total / largest) equal runs, a multiple of ``granule`` unless one run holds all."""
    if total <= largest:
        return total
    return _ceil(_ceil(total, _ceil(total, largest)), granule) * granule
