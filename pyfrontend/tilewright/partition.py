"""How a kernel of several axes is cut for the cores: the host's side of ``tw-partition-channels``.

The work is a sequence of elements. Its columns (the last axis) are cut into panels; panels follow each other,
within a panel its rows do. Cores take equal runs of units of that sequence, and each run is a few boxes. One
panel of all columns is row-major order: the longest bursts, but every core reads all of a row that the rows
share. Narrow panels are column-major order: a core needs few columns of a shared row, in short bursts. The
width of a panel is a number of the launch, so one binary serves every order.

The choice is the cheapest partition whose traffic is within :data:`EXTRA_TRAFFIC` of the tensors' size. Where
none is (several operands shared in different ways, next to little data), it is the one that moves least.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

#: Bytes moved beyond the tensors' size, as a share of it. Below ``SMALL_BYTES`` latency counts, not traffic.
EXTRA_TRAFFIC = 0.01
SMALL_BYTES = 1 << 20
#: Cycles of a box besides its bytes: a load, a store and a few dependent instructions without anything to
#: overlap with (timing model, section 2: about 420 and 180 cycles of latency).
BOX_CYCLES = 600
#: Cycles of a tile besides its bytes: the fixed costs of its instructions, partly hidden by other pipes.
TILE_CYCLES = 200
#: Cycles of a row of a tile over which a shared row is spread, once for each box (an instruction of the
#: vector unit for each row that is not a multiple of 256 bytes).
SPREAD_CYCLES = 9
#: Estimates closer than this do not tell two partitions apart; the longer bursts win.
CLEAR_GAIN = 0.03
#: Bytes a cycle of one core while all transfer (timing model, section 5: 0.57 TB/s over 40 cores at 1.5 GHz).
BYTES_A_CYCLE = 20
#: A burst costs as much as this many bytes more (timing model, section 2: 1.37 TB/s with rows of 128 bytes,
#: 1.49 with rows of 2048).
BURST_BYTES = 12.0
#: Panels are not narrower than this part of a block, 64 bytes.
NARROWEST = 8
#: Rows in GM and UB start on 32 bytes, a sixteenth of a block, where the shape allows it.
GRANULES = 16


#: Rows and columns of a tile for the rows and columns of the largest boxes.
Tile = Callable[[int, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Operand:
    """What moves of a tensor: its axes, ``"01"`` for the last of two, and the bytes of an element."""

    axes: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Partition:
    """Units of work and who has them.

    Attributes:
        panel: columns of a panel; the last one may have fewer.
        unit: elements of a unit.
        cores: cores with work.
        base, big: the first ``big`` cores have ``base + 1`` units, the rest ``base``.
        boxes: boxes of the core that has most.
        tile_rows, tile_columns: the tile.
        tiles: tiles of the core that has most.
        traffic: bytes read and written.
        cycles: estimate for comparing partitions of one call.
    """

    panel: int
    unit: int
    cores: int
    base: int
    big: int
    boxes: int
    tile_rows: int
    tile_columns: int
    tiles: int
    traffic: int
    cycles: float


def boxes(extents: Sequence[int], panel: int, first: int, end: int) -> Iterator[tuple[list[int], list[int]]]:
    """Offsets and sizes of the boxes that elements ``first..end`` of the sequence are.

    The same steps as ``nextBox`` of the pass.
    """
    rows = prod(extents[:-1])
    last = len(extents) - 1
    while first < end:
        column = first // (rows * panel) * panel
        width = min(panel, extents[-1] - column)
        local = first - column * rows
        whole = 0 if local else (end - first) // (rows * panel)
        if whole:
            yield [0] * last + [column], [*extents[:-1], whole * panel]
            first += whole * rows * panel
            continue
        rest = min(end, (column + width) * rows) - first
        offsets, sizes = [0] * last + [column], [*extents[:-1], width]
        stride = rows * width
        for axis in range(last + 1):
            count = sizes[axis]
            stride //= count
            digit = local // stride % count
            offsets[axis] += digit
            if local % stride == 0 and stride <= rest:
                sizes[axis] = min(count - digit, rest // stride)
                first += sizes[axis] * stride
                break
            sizes[axis] = 1
        yield offsets, sizes


def choose(
    extents: Sequence[int],
    operands: Sequence[Operand],
    block: int,
    cores: int,
    tile: Tile,
) -> Partition:
    """The partition of a call.

    Args:
        extents: sizes of the iteration axes, at least two, none of them 0.
        operands: every tensor of the kernel.
        block: elements of 512 bytes of the output.
        cores: cores to use at most.
        tile: chooses the tile.
    """
    size = sum(operand.bytes * _elements(operand, extents) for operand in operands)
    limit = size * (1 + EXTRA_TRAFFIC) if size >= SMALL_BYTES else float("inf")
    best: Partition | None = None
    for panel in _panels(extents, block):
        least = size + _least_extra(extents, operands, panel, cores)
        # Hopeless ones are left out; the narrowest come last, and something must be chosen.
        if least > max(limit, best.traffic if best else 0) and (best or panel > block):
            continue
        if best and best.traffic <= limit:
            cycles = _least_cycles(extents, size, panel, operands, cores, tile)
            if cycles >= best.cycles * (1 - CLEAR_GAIN):
                break
        for unit in _units(extents, panel, block, cores):
            found = _measure(extents, operands, tile, panel, unit, cores)
            if best is None or _is_better(found, best, limit):
                best = found
    assert best is not None
    return best


def _is_better(found: Partition, best: Partition, limit: float) -> bool:
    """Whether a narrower partition is worth it: traffic within the limit comes first, then a clear gain."""
    moved, least = max(found.traffic, limit), max(best.traffic, limit)
    return moved < least or (moved == least and found.cycles < best.cycles * (1 - CLEAR_GAIN))


def _least_cycles(
    extents: Sequence[int],
    size: int,
    panel: int,
    operands: Sequence[Operand],
    cores: int,
    tile: Tile,
) -> float:
    """No partition into panels of this width or less takes less: one box, full tiles, no byte twice."""
    rows = prod(extents[:-1])
    height, width = tile(rows, min(panel, extents[-1]))
    tiles = max(1, prod(extents) // cores // (height * width))
    return BOX_CYCLES + tiles * TILE_CYCLES + _bytes_cost(size, panel, operands) / cores / BYTES_A_CYCLE


def _least_extra(extents: Sequence[int], operands: Sequence[Operand], panel: int, cores: int) -> int:
    """Bytes beyond the size that are sure: of rows that all rows share, a core reads a panel's width."""
    share = prod(extents) // cores
    if share > prod(extents[:-1]) * panel:
        return 0
    shared = sum(operand.bytes for operand in operands if operand.axes.find("1") == len(extents) - 1)
    return shared * (cores * min(panel, share) - extents[-1])


def _bytes_cost(moved: int, columns: int, operands: Sequence[Operand]) -> float:
    return moved * (1 + BURST_BYTES / (columns * max(operand.bytes for operand in operands)))


def _elements(operand: Operand, extents: Sequence[int]) -> int:
    return prod(extent for has, extent in zip(operand.axes, extents, strict=True) if has == "1")


def _panels(extents: Sequence[int], block: int) -> Iterator[int]:
    """Widths to try, from all columns down; aligned like the rows themselves."""
    rows, columns = prod(extents[:-1]), extents[-1]
    granule = next(g for g in (block, block // GRANULES, 1) if columns % g == 0)
    fine = min(granule, block // GRANULES)
    if rows * fine <= block and columns > block:
        # Panels of a block or less: whole ones side by side, every core has all rows of its own columns.
        yield block // (rows * fine) * fine
    tried: set[int] = set()
    count = 1.0
    while True:
        width = -(-columns // int(count))
        aligned = fine if width < block else granule
        width = min(columns, -(-width // aligned) * aligned)
        if count > 1 and width < block // NARROWEST:
            return
        if width not in tried:
            yield width
        tried.add(width)
        count = max(count + 1, count * 1.2)


def _units(extents: Sequence[int], panel: int, block: int, cores: int) -> Iterator[int]:
    """Units that keep cores within one block of each other, with boundaries on whole rows if possible."""
    rows, columns = prod(extents[:-1]), extents[-1]
    if panel <= block:
        yield rows * panel if rows * panel <= block and panel < columns else panel
        return
    if columns % panel == 0 and columns // panel * rows % cores == 0:
        yield panel
        return
    granule = block // GRANULES
    pieces = -(-panel // block)
    share = -(-rows * columns // min(cores, rows * -(-columns // block)))
    yield min(block, -(-share // granule) * granule)
    whole = next((count for count in range(pieces, 2 * pieces) if panel % count == 0), 0)
    if share >= block and whole and panel // whole != block:
        yield panel // whole


def _measure(
    extents: Sequence[int],
    operands: Sequence[Operand],
    tile: Tile,
    panel: int,
    unit: int,
    cores: int,
) -> Partition:
    total = prod(extents)
    units = -(-total // unit)
    cores = min(cores, units)
    base, big = divmod(units, cores)
    work: list[list[list[int]]] = []
    first = 0
    for core in range(cores):
        end = min(total, first + (base + (core < big)) * unit)
        work.append([sizes for _, sizes in boxes(extents, panel, first, end)])
        first = end
    height, width = tile(
        max(sizes[-2] for run in work for sizes in run), max(sizes[-1] for run in work for sizes in run)
    )
    spread = SPREAD_CYCLES * sum(operand.axes[-2:] == "01" for operand in operands)
    traffic = most = most_tiles = slowest = 0
    cost = 0.0
    for run in work:
        tiles = spread_rows = 0
        for sizes in run:
            across = -(-sizes[-1] // width)
            tiles += prod(sizes[:-2]) * -(-sizes[-2] // height) * across
            spread_rows += prod(sizes[:-2]) * min(sizes[-2], height) * across
            moved = sum(operand.bytes * _moved(operand, sizes, across) for operand in operands)
            traffic += moved
            cost += _bytes_cost(moved, min(sizes[-1], width), operands)
        most, most_tiles = max(most, len(run)), max(most_tiles, tiles)
        slowest = max(slowest, len(run) * BOX_CYCLES + tiles * TILE_CYCLES + spread_rows * spread)
    cycles = slowest + cost / cores / BYTES_A_CYCLE
    return Partition(panel, unit, cores, base, big, most, height, width, most_tiles, traffic, cycles)


def _moved(operand: Operand, sizes: Sequence[int], across: int) -> int:
    """Elements of an operand that a box of ``across`` tiles side by side moves.

    The loops over tiles are columns, the outer axes, rows (tw-tile-to-ub); a load stands in the innermost
    loop that moves it and is repeated by the loops around that one.
    """
    axes = operand.axes
    if axes.endswith("00"):
        return 0  # the scalar unit reads it
    outer = prod(sizes[: axes.rfind("1", 0, -1) + 1])
    return outer * (sizes[-1] if axes[-1] == "1" else across)
