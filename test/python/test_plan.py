"""Host tiling: invariants over random shapes and kernels, and the user's overrides."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.errors import ShapeError
from tilewright.plan import Capacity, Plan, plan

extents = st.lists(st.one_of(st.integers(1, 70), st.integers(1, 3_000_000)), min_size=1, max_size=4)


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
    )


def work(planned: Plan, shape: list[int], block: int) -> tuple[list[int], int]:
    """Units of each core, and the elements of a unit of the last axis."""
    unit = planned.numbers.get("tiling:unit", block)
    base, big = planned.numbers["tiling:base"], planned.numbers["tiling:big"]
    return [base + (core < big) for core in range(planned.cores)], unit


def boxes(shape: list[int], unit: int, first: int, end: int) -> list[list[tuple[int, int]]]:
    """Offset and size of each axis of the boxes that units first..end are (tw-partition-channels)."""
    counts = [*shape[:-1], -(-shape[-1] // unit)]
    strides = [math.prod(counts[axis + 1 :]) for axis in range(len(counts))]
    found: list[list[tuple[int, int]]] = []
    while first < end:
        axis = next(a for a, s in enumerate(strides) if first % s == 0 and end - first >= s)
        digits = [first // s % c for s, c in zip(strides, counts, strict=True)]
        length = min(counts[axis] - digits[axis], (end - first) // strides[axis])
        found.append(
            [(d, 1) for d in digits[:axis]] + [(digits[axis], length)] + [(0, c) for c in counts[axis + 1 :]]
        )
        first += length * strides[axis]
    return found


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_work_is_covered_once_and_tiles_fit(data: st.DataObject) -> None:
    shape = data.draw(extents)
    capacity = data.draw(capacities(len(shape)))
    cores = data.draw(st.sampled_from([1, 8, 40, 48]))
    planned = plan(capacity, shape, cores)
    counts, unit = work(planned, shape, capacity.block)
    row = -(-shape[-1] // unit)
    assert sum(counts) == math.prod(shape[:-1]) * row
    assert min(counts) > 0, "no core without work"
    assert max(counts) - min(counts) <= 1, "cores differ by at most one unit"
    assert planned.cores <= cores
    blocks = math.prod(shape[:-1]) * -(-shape[-1] // capacity.block)
    in_blocks = max(counts) * -(-min(unit, shape[-1]) // capacity.block)
    if unit == capacity.block:
        assert planned.cores == min(cores, blocks), "all cores once there are enough blocks"
    else:
        assert in_blocks <= blocks / min(cores, blocks) * 1.05 + 1e-9, (
            "whole rows cost at most 5 % of balance"
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
    st.integers(1, 9),
    st.integers(0, 10**6),
    st.integers(1, 10**6),
)
def test_a_run_of_units_is_few_boxes(shape: list[int], unit: int, start: int, length: int) -> None:
    total = math.prod(shape[:-1]) * -(-shape[-1] // unit)
    first = start % total
    end = min(total, first + length)
    found = boxes(shape, unit, first, end)
    assert len(found) <= 2 * len(shape) - 1
    assert sum(math.prod(size for _, size in box) for box in found) == end - first


ONE_AXIS = Capacity(1, 128, 5632, 512, 2048, 8, 180_256)


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
    two = Capacity(2, 128, 5632, 512, 2048, 8, 180_256)
    with pytest.raises(ShapeError, match="TW2401"):
        plan(two, (10, 1000), 40, tile=128)


def test_overrides_are_kept() -> None:
    planned = plan(ONE_AXIS, (100_000,), 40, cores=7, tile=1000)
    assert planned.cores == 7
    assert planned.numbers["tiling:tile"] == 1000
