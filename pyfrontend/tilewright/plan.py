"""Host tiling: from the shapes of a call to the numbers a kernel is launched with.

A kernel is compiled once and takes its sizes and tiling numbers as arguments (Ascend C calls this host
tiling). The passes state in ``tw.plan`` what the compiled kernel can hold (UB capacity per buffer, block
size, limits of rows and columns); :func:`plan` chooses cores and tiles within that. It does no search at run
time beyond the few ways to cut the work, and the same input always gives the same plan.

Rules
    * a block is 512 bytes of the output; cores differ by at most one block (big and small cores);
    * where operands broadcast, the order of the work is chosen with its traffic (partition.py);
    * never more blocks of work than vector cores, never a core without work;
    * tiles are balanced: ceil(work / tiles) each, so no long tile is followed by a short rest;
    * enough tiles for transfers and compute to overlap, as long as a tile stays at least 16 KiB.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tilewright.errors import ShapeError
from tilewright.partition import Operand, choose

#: A tile below this many bytes of output is dominated by the fixed cost of its transfers
#: (timing model, section 5: latency of about 420 cycles against 58 bytes a cycle).
SMALLEST_PIPELINED_TILE_BYTES = 16 * 1024
#: Tiles a core should have for load, compute and store of different tiles to run side by side.
PIPELINED_TILES = 4
BLOCK_BYTES = 512


@dataclass(frozen=True)
class Capacity:
    """What a compiled kernel can hold; the attribute ``tw.plan`` of its function.

    Attributes:
        axes: merged iteration axes, outermost first.
        block: elements of one block (512 bytes of the output) on the last axis.
        capacity: elements of one UB buffer.
        max_rows, max_columns: limits of a two-dimensional tile.
        row_granule: rows are padded in UB to a multiple of this many elements.
        ub_bytes: UB bytes of all buffers together.
        operands: every tensor of the kernel.
    """

    axes: int
    block: int
    capacity: int
    max_rows: int
    max_columns: int
    row_granule: int
    ub_bytes: int
    operands: tuple[Operand, ...]

    @staticmethod
    def from_attribute(attribute: Mapping[str, Any]) -> Capacity:
        operands = tuple(Operand(str(o["axes"]), int(o["bytes"])) for o in attribute["operands"])
        names = [name for name in Capacity.__dataclass_fields__ if name != "operands"]
        return Capacity(**{name: int(attribute[name]) for name in names}, operands=operands)


@dataclass(frozen=True)
class Plan:
    """Numbers of one launch.

    Attributes:
        cores: blocks to launch, at most the target's vector cores.
        numbers: value of every ``extent:*``, ``tiling:*`` argument of the kernel by name.
        tiles: tiles of the busiest core.
        elements: elements of the largest tile, padding included.
        workspace: bytes of GM that the kernel wants for itself.
        traffic: bytes of GM that an elementwise launch reads and writes, scalars aside; 0 for reductions.
    """

    cores: int
    numbers: Mapping[str, int]
    tiles: int
    elements: int
    workspace: int = 0
    schedule: str = ""
    traffic: int = 0


def plan(
    capacity: Capacity,
    extents: Sequence[int],
    vector_cores: int,
    *,
    cores: int | None = None,
    tile: int | None = None,
) -> Plan:
    """Chooses cores and tiles.

    Args:
        capacity: limits of the compiled kernel.
        extents: sizes of the merged iteration axes, none of them 0.
        vector_cores: vector cores of the target.
        cores: the user's number of cores instead of the planner's.
        tile: the user's tile in elements (one-axis kernels).

    Raises:
        ShapeError: TW2401 when an override cannot be honoured; it names the largest legal value.
    """
    if len(extents) != capacity.axes or any(extent <= 0 for extent in extents):
        raise ValueError(f"kernel of {capacity.axes} axes planned for extents {tuple(extents)}")
    limit = limit_cores(cores, vector_cores, "there are blocks of 512 bytes")
    if tile is not None and not 1 <= tile <= capacity.capacity:
        raise ShapeError(
            "TW2401",
            f"tile={tile} elements does not fit the kernel's buffers of {capacity.capacity} elements"
            if tile > 0
            else f"tile={tile} is not a number of elements",
            expected=f"1..{capacity.capacity} elements; all buffers take {capacity.ub_bytes} bytes of UB",
            hint=f"the largest legal tile is {capacity.capacity}",
        )
    if tile is not None and capacity.axes != 1:
        raise ShapeError(
            "TW2401",
            f"tile= is for kernels of one axis; this call has {capacity.axes} after merging",
            hint="leave tile out: rows and columns are chosen together",
        )
    return _plan(capacity, tuple(extents), limit, tile)


def limit_cores(cores: int | None, vector_cores: int, otherwise: str) -> int:
    """The cores that a launch may take: the user's number if there is one.

    Raises:
        ShapeError: TW2401 for a number that the target does not have; ``otherwise`` ends the hint.
    """
    if cores is None:
        return vector_cores
    if not 1 <= cores <= vector_cores:
        raise ShapeError(
            "TW2401",
            f"cores={cores} is outside 1..{vector_cores}",
            expected=f"at most {vector_cores} blocks, one for each vector core of the target",
            hint=f"leave cores out and the planner takes as many as {otherwise}",
        )
    return cores


@lru_cache(maxsize=4096)
def _plan(capacity: Capacity, extents: tuple[int, ...], cores: int, tile: int | None) -> Plan:
    numbers = {f"extent:{axis}": extent for axis, extent in enumerate(extents)}
    if capacity.axes == 1:
        units = _ceil(extents[0], capacity.block)
        launched = min(cores, units)
        numbers["tiling:base"], numbers["tiling:big"] = divmod(units, launched)
        elements = min(_ceil(units, launched) * capacity.block, extents[0])
        length = tile if tile is not None else _balanced_tile(elements, capacity.capacity, capacity.block)
        numbers["tiling:tile"] = length
        traffic = sum(operand.bytes * extents[0] for operand in capacity.operands if operand.axes == "1")
        return Plan(launched, numbers, _ceil(elements, length), length, traffic=traffic)

    widest = min(capacity.max_columns, capacity.capacity) // capacity.block * capacity.block

    def pitch(width: int) -> int:
        return _ceil(width, capacity.row_granule) * capacity.row_granule

    def tile_of(rows: int, columns: int) -> tuple[int, int]:
        width = _balance(columns, widest, capacity.block)
        highest = min(capacity.max_rows, capacity.capacity // pitch(width))
        return _balanced_rows(rows, highest, pitch(width), capacity.block), width

    cut = choose(extents, capacity.operands, capacity.block, cores, tile_of)
    for name in ("base", "big", "unit", "panel", "boxes"):
        numbers[f"tiling:{name}"] = getattr(cut, name)
    numbers["tiling:tile_cols"] = cut.tile_columns
    numbers["tiling:tile_rows"] = cut.tile_rows
    elements = cut.tile_rows * pitch(cut.tile_columns)
    return Plan(cut.cores, numbers, cut.tiles, elements, traffic=cut.traffic)


def _ceil(value: int, unit: int) -> int:
    return -(-value // unit)


def _balance(total: int, largest: int, granule: int) -> int:
    """The size of ceil(total / largest) equal runs, a multiple of ``granule`` unless one run holds all."""
    runs = _ceil(total, largest)
    return total if runs == 1 else _ceil(_ceil(total, runs), granule) * granule


def _balanced_tile(length: int, largest: int, block: int) -> int:
    smallest = max(block, SMALLEST_PIPELINED_TILE_BYTES // BLOCK_BYTES * block)
    tiles = max(_ceil(length, largest), min(PIPELINED_TILES, length // smallest), 1)
    return min(_ceil(_ceil(length, tiles), block) * block, largest)


def _balanced_rows(rows: int, largest: int, pitch: int, block: int) -> int:
    smallest = max(1, SMALLEST_PIPELINED_TILE_BYTES // BLOCK_BYTES * block // pitch)
    tiles = max(_ceil(rows, largest), min(PIPELINED_TILES, rows // smallest), 1)
    return _ceil(rows, tiles)
