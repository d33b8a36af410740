"""Host tiling: invariants over random shapes and kernels, and the user's overrides."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import ShapeError
from tilewright.partition import Operand, boxes, choose
from tilewright.plan import Capacity, Plan, plan

extents = st.lists(st.one_of(st.integers(1, 70), st.integers(1, 3_000_000)), min_size=1, max_size=4)


@st.composite
def operand_lists(draw: st.DrawFn, axes: int) -> tuple[Operand, ...]:
    """Two full operands and up to three that any axes lack."""
    shared = draw(st.lists(st.text("01", min_size=axes, max_size=axes), max_size=3))
    size = draw(st.sampled_from([2, 4]))
    return tuple(Operand(mask, size) for mask in ["1" * axes, *shared, "1" * axes])


@st.composite
def capacities(draw: st.DrawFn, axes: int) -> Capacity:
    block = draw(st.sampled_from([128, 256]))
    capacity = draw(st.integers(2, 60)) * 256
    return Capacity(
        axes=axes,
        block=block,
        capacity=capacity,
        max_rows=512,
        max_columns=min(2048, capacity),
        row_granule=draw(st.sampled_from([8, 16])),
        ub_bytes=capacity * 16,
        operands=draw(operand_lists(axes)),
    )


def work(planned: Plan, shape: list[int], block: int) -> tuple[list[int], int]:
    """Units of each core, and the elements of a unit of the last axis."""
    unit = planned.numbers.get("tiling:unit", block)
    base, big = planned.numbers["tiling:base"], planned.numbers["tiling:big"]
    return [base + (core < big) for core in range(planned.cores)], unit


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_work_is_covered_once_and_tiles_fit(data: st.DataObject) -> None:
    shape = data.draw(extents)
    capacity = data.draw(capacities(len(shape)))
    cores = data.draw(st.sampled_from([1, 8, 40, 48]))
    planned = plan(capacity, shape, cores)
    counts, unit = work(planned, shape, capacity.block)
    elements = math.prod(shape)
    assert sum(counts) == -(-elements // unit)
    assert min(counts) > 0, "no core without work"
    assert max(counts) - min(counts) <= 1, "cores differ by at most one unit"
    assert planned.cores <= cores
    assert planned.cores >= min(cores, -(-elements // capacity.block)), "all cores from so many blocks on"
    assert unit <= capacity.block or (planned.numbers["tiling:big"] == 0 and elements % unit == 0), (
        "cores differ by at most one block"
    )
    if len(shape) == 1:
        assert planned.numbers["tiling:tile"] <= capacity.capacity
        return
    columns, rows = planned.numbers["tiling:tile_cols"], planned.numbers["tiling:tile_rows"]
    pitch = -(-columns // capacity.row_granule) * capacity.row_granule
    assert rows * pitch <= capacity.capacity
    assert rows <= capacity.max_rows
    assert columns <= capacity.max_columns


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(1, 7), min_size=2, max_size=4),
    st.integers(1, 30),
    st.integers(1, 30),
    st.integers(1, 9),
)
def test_boxes_cover_every_element_once(outer: list[int], columns: int, panel: int, cores: int) -> None:
    """Any cut of any panels: few boxes for a core, all elements in one box."""
    shape = [*outer, columns]
    axes, total = len(shape), math.prod(shape)
    panel = min(panel, columns)
    seen = np.zeros(shape, np.int32)
    cuts = [total * core // cores for core in range(cores + 1)]
    for first, end in itertools.pairwise(cuts):
        found = list(boxes(shape, panel, first, end))
        assert len(found) <= 4 * axes - 1
        assert sum(math.prod(sizes) for _, sizes in found) == end - first
        for offsets, sizes in found:
            seen[tuple(slice(o, o + s) for o, s in zip(offsets, sizes, strict=True))] += 1
    assert (seen == 1).all()


@settings(max_examples=200, deadline=None)
@given(st.integers(1, 5000), st.integers(1, 5000), st.sampled_from([2, 4]), st.booleans(), st.integers(2, 4))
def test_traffic_of_one_shared_operand(rows: int, columns: int, size: int, row: bool, full: int) -> None:
    """One row or column that others share: at most 1 % more than the tensors' size from 1 MiB on."""
    block = 512 // size
    operands = [Operand("11", size)] * full + [Operand("01" if row else "10", size)]
    bytes_ = size * (full * rows * columns + (columns if row else rows))
    cut = choose((rows, columns), operands, block, 40, lambda r, c: (min(r, 16), min(c, 4 * block)))
    if bytes_ >= 1 << 20:
        assert cut.traffic <= 1.01 * bytes_


ONE_AXIS = Capacity(1, 128, 5632, 512, 2048, 8, 180_256, ())


@pytest.mark.parametrize("blocks", [1, 2, 39, 40, 41, 79, 80, 10_000])
def test_all_cores_from_forty_blocks_on(blocks: int) -> None:
    planned = plan(ONE_AXIS, (blocks * 128,), 40)
    assert planned.cores == min(blocks, 40)


@pytest.mark.parametrize("elements", [3136, 100_000, 5632 * 40 + 1, 10_000_019])
def test_tiles_are_balanced(elements: int) -> None:
    planned = plan(ONE_AXIS, (elements,), 40)
    busiest = min(max(work(planned, [elements], 128)[0]) * 128, elements)
    tile = planned.numbers["tiling:tile"]
    last = busiest - (planned.tiles - 1) * tile
    assert tile - last < planned.tiles * 128, "a long tile followed by a short rest"


def test_a_plan_is_deterministic() -> None:
    assert plan(ONE_AXIS, (12345,), 40) == plan(ONE_AXIS, (12345,), 40)


def test_offsets_beyond_32_bits() -> None:
    elements = 2**31 + 5
    planned = plan(ONE_AXIS, (elements,), 40)
    assert sum(work(planned, [elements], 128)[0]) == -(-elements // 128)


@pytest.mark.parametrize(
    ("override", "named"),
    [({"cores": 41}, "41"), ({"cores": 0}, "0"), ({"tile": 5633}, "5632"), ({"tile": 0}, "0")],
    ids=str,
)
def test_wrong_overrides_name_the_limit(override: dict[str, int], named: str) -> None:
    with pytest.raises(ShapeError) as caught:
        plan(ONE_AXIS, (100_000,), 40, **override)
    assert caught.value.code == "TW2401"
    assert named in str(caught.value)
    assert caught.value.expected
    assert caught.value.hint


def test_a_tile_for_two_axes_is_refused() -> None:
    two = Capacity(2, 128, 5632, 512, 2048, 8, 180_256, ())
    with pytest.raises(ShapeError, match="TW2401"):
        plan(two, (10, 1000), 40, tile=128)


def test_overrides_are_kept() -> None:
    planned = plan(ONE_AXIS, (100_000,), 40, cores=7, tile=1000)
    assert planned.cores == 7
    assert planned.numbers["tiling:tile"] == 1000
