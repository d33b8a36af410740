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


def parts(planned: Plan, shape: list[int], block: int) -> list[list[int]]:
    """Elements (of the last axis) or rows each part of each axis gets."""
    result = []
    for axis, extent in enumerate(shape):
        granule = block if axis == len(shape) - 1 else 1
        base, big = planned.numbers[f"tiling:base_{axis}"], planned.numbers[f"tiling:big_{axis}"]
        count = planned.numbers[f"tiling:cores_{axis}"] if axis else 0
        if not axis:
            others = math.prod(planned.numbers[f"tiling:cores_{a}"] for a in range(1, len(shape)))
            count = planned.cores // others
        offset, sizes = 0, []
        for position in range(count):
            size = min((base + (position < big)) * granule, extent - offset)
            sizes.append(size)
            offset += (base + (position < big)) * granule
        result.append(sizes)
    return result


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_work_is_covered_once_and_tiles_fit(data: st.DataObject) -> None:
    shape = data.draw(extents)
    capacity = data.draw(capacities(len(shape)))
    cores = data.draw(st.sampled_from([1, 8, 40, 48]))
    planned = plan(capacity, shape, cores)
    assert 1 <= planned.cores <= cores
    for axis, sizes in enumerate(parts(planned, shape, capacity.block)):
        granule = capacity.block if axis == len(shape) - 1 else 1
        assert sum(sizes) == shape[axis]
        assert min(sizes) > 0, "no core without work"
        assert max(sizes) - min(sizes[:-1] or sizes) <= granule, "cores differ by at most one block"
    if len(shape) == 1:
        assert planned.numbers["tiling:tile"] <= capacity.capacity
        return
    columns, rows = planned.numbers["tiling:tile_cols"], planned.numbers["tiling:tile_rows"]
    pitch = -(-columns // capacity.row_granule) * capacity.row_granule
    assert rows * pitch <= capacity.capacity
    assert rows <= capacity.max_rows
    assert columns <= capacity.max_columns


ONE_AXIS = Capacity(1, 128, 5632, 512, 2048, 8, 180_256)


@pytest.mark.parametrize("blocks", [1, 2, 39, 40, 41, 79, 80, 10_000])
def test_all_cores_from_forty_blocks_on(blocks: int) -> None:
    planned = plan(ONE_AXIS, (blocks * 128,), 40)
    assert planned.cores == min(blocks, 40)


@pytest.mark.parametrize("elements", [3136, 100_000, 5632 * 40 + 1, 10_000_019])
def test_tiles_are_balanced(elements: int) -> None:
    planned = plan(ONE_AXIS, (elements,), 40)
    busiest = max(parts(planned, [elements], 128)[0])
    tile = planned.numbers["tiling:tile"]
    last = busiest - (planned.tiles - 1) * tile
    assert tile - last < planned.tiles * 128, "a long tile followed by a short rest"


def test_a_plan_is_deterministic() -> None:
    assert plan(ONE_AXIS, (12345,), 40) == plan(ONE_AXIS, (12345,), 40)


def test_offsets_beyond_32_bits() -> None:
    elements = 2**31 + 5
    planned = plan(ONE_AXIS, (elements,), 40)
    assert sum(parts(planned, [elements], 128)[0]) == elements


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
