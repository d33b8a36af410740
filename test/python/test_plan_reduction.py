"""Plans of kernels with reductions, over random shapes, operators and targets: what they promise the kernel.

The kernel's arithmetic (passes/reduction/Convert.cpp and Exchange.cpp) is stated again here, for every core
and group: which elements it takes, how long its vectors in UB and its rows of the workspace get. The limits
are those of ``tw.plan``, which tw-tile-to-ub writes; nothing goes through AscendNPU-IR and nothing is run.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from tilewright import emit, pipeline, targets
from tilewright.binding import Signature, shape_signature
from tilewright.compiler import UB_SHARES
from tilewright.errors import CompileError, ShapeError
from tilewright.ops import registry
from tilewright.plan import Plan
from tilewright.plan_reduction import SCHEDULES, ReductionCapacity, plan_reduction
from tilewright.plan_traits import Traits, traits

Extents = tuple[int, int, int]

#: Shapes of all operators together; each is planned for every target.
SHAPES = 10_000
FOLD_LANES = 64
#: Most rows of one transfer, and most bytes between the starts of two of its rows (copy_gm_to_ubuf_align: 12
#: and 32 bits; c220 ISA note).
TRANSFER_ROWS = 4095
TRANSFER_STRIDE = 1 << 32
MOST_BINARIES = 12


#: Operator -> attributes.
OPERATORS: dict[str, dict[str, object]] = {
    "batch_norm": {"training": True},
    "batch_norm_backward": {},
    "batch_norm_backward_frozen": {},
    "batch_norm_elemt": {},
    "batch_norm_stats": {},
    "batch_norm_backward_reduce": {},
    "softmax": {},
    "softmax_backward": {},
    "layer_norm": {},
    "layer_norm_backward": {},
    "layer_norm_backward_weight": {},
    "rms_norm": {},
}
CASES = [(name, dtype) for name in OPERATORS for dtype in ("f32", "f16", "bf16")]


def _ceil(value: int, unit: int) -> int:
    return -(-value // unit)


def signature(name: str, dtype: str, shape: tuple[int, ...]) -> Signature:
    """A call with every optional input, per-channel ones in f32."""
    op = registry.get(name)
    shapes: dict[str, tuple[int, ...]] = {}
    types: dict[str, str] = {}
    batch_norm = name.startswith("batch_norm")
    for t in op.tensors:
        full = t.name in ("input", "self", "grad_output", "output")
        if full:
            shapes[t.name] = shape
        elif batch_norm:
            shapes[t.name] = shape[1:2]
        else:
            shapes[t.name] = shape[:-1] if t.name in ("mean", "rstd") else shape[-1:]
        types[t.name] = dtype if full else "f32"
    return shape_signature(op, shapes, types, OPERATORS[name])


@cache
def limits(name: str, dtype: str, schedule: str, share: float = 1.0) -> ReductionCapacity | None:
    """What tw-tile-to-ub grants; None where it refuses the schedule."""
    from tilewright.mlir import ir, passmanager

    found = signature(name, dtype, (4, 6, 10))
    passes = pipeline.pipeline(targets.get(targets.DEFAULT), schedule, share)[:3]
    with ir.Context() as context:
        context.emit_error_diagnostics = False
        module = ir.Module.parse(emit.linalg(found.variant.graph, found.layout))
        try:
            passmanager.PassManager.parse(f"builtin.module({','.join(passes)})").run(module.operation)
        except ir.MLIRError:
            return None
        (kernel,) = module.body.operations
        plan = pipeline.plain(kernel.attributes[pipeline.PLAN_ATTRIBUTE])
    assert plan["ub_bytes"] <= targets.get(targets.DEFAULT).ub_usable_bytes * share
    return ReductionCapacity.from_attribute(plan)


@cache
def traits_of(name: str, dtype: str) -> Traits:
    found = signature(name, dtype, (4, 6, 10))
    return traits(found.variant.graph, found.layout)


def binaries(
    name: str, dtype: str, share: float, asked: set[str] | None = None
) -> Callable[[str], ReductionCapacity]:
    """What the planner takes for a compiler; it notes the schedules that were asked for."""

    def binary(schedule: str) -> ReductionCapacity:
        found = limits(name, dtype, schedule, share)
        if found is None:
            raise CompileError("TW3030", f"{name} has no schedule {schedule}")
        if asked is not None:
            asked.add(schedule)
        return found

    return binary


def choose(
    binary: Callable[[str], ReductionCapacity],
    extents: Extents,
    vector_cores: int,
    *,
    known: Traits | None = None,
    **options: Any,
) -> tuple[str, Plan]:
    """plan_reduction of a kernel whose traits are ``known``, or else those of its binary."""
    return plan_reduction(known or binary("rows").traits, binary, extents, vector_cores, **options)


def random_extents(rng: random.Random, name: str) -> Extents:
    """Shapes of all kinds: short and long axes, sizes around powers of two and blocks."""

    def size(most: int) -> int:
        kind = rng.randrange(4)
        if kind == 0:
            found = rng.choice((1, 2, 3, 7, 8, 9, 16, 31, 40, 49, 63, 64, 65, 127, 128, 129, 196, 257, 1024))
        elif kind == 1:
            found = rng.randint(1, 64)
        elif kind == 2:
            found = (1 << rng.randint(0, most.bit_length() - 1)) + rng.randint(-1, 1)
        else:
            found = round(math.exp(rng.uniform(0, math.log(most))))
        return min(max(found, 1), most)

    r1, a, r0 = size(1 << 21), size(1 << 14), size(1 << 21)
    if name in ("softmax", "softmax_backward", "layer_norm", "layer_norm_backward", "rms_norm"):
        r1 = 1
    elif name == "layer_norm_backward_weight" or rng.random() < 0.3:
        r0 = 1
    if a == 1 and rng.random() < 0.5:
        r1, r0 = 1, r1 * r0
    return r1, a, r0


def parts(numbers: dict[str, int], axis: int, extent: int) -> list[tuple[int, int]]:
    """Offset and size of every core along an axis."""
    name = ("r1", "a", "r0")[axis]
    cores, base, big, unit = (numbers[f"tiling:{name}_{n}"] for n in ("cores", "base", "big", "unit"))
    found = []
    for position in range(cores):
        offset = (position * base + min(position, big)) * unit
        found.append((offset, min((base + (position < big)) * unit, extent - offset)))
    return found


def check(found: ReductionCapacity, extents: Extents, cores: int, planned: Plan) -> None:
    """All that the kernel takes for granted."""
    numbers = dict(planned.numbers)
    assert all(isinstance(n, int) and 0 <= n < 1 << 63 for n in numbers.values())
    r1, a, r0 = (parts(numbers, axis, extent) for axis, extent in enumerate(extents))
    for axis, extent in zip((r1, a, r0), extents, strict=True):
        end = 0
        for offset, size in axis:
            assert offset == end, "cores cover an axis once"
            assert size >= 1, "each core has work"
            end = offset + size
        assert end == extent
    assert planned.cores == len(r1) * len(a) * len(r0) <= cores
    splits = len(r1) * len(r0)
    group, rows, merge = (numbers[f"tiling:{n}"] for n in ("group", "tile_rows", "merge"))
    assert min(group, rows, merge) >= 1
    assert 1 <= rows <= (found.capacity if merge > 1 else min(found.max_rows, TRANSFER_ROWS))
    stride = extents[1] * extents[2] * found.element_bytes
    if rows > 1 and merge == 1:
        assert stride < TRANSFER_STRIDE, "the stride of a transfer has 32 bits"
    if splits > 1 and found.reductions:
        waits = {_ceil(size, group) for _, size in a}
        assert len(waits) == 1, "cores that wait for each other do so equally often"
    check_workspace(found, extents, planned, splits, len(a))
    for _, own in a:
        # The first group and the last, which may be smaller.
        for channels in {min(group, own), own - (_ceil(own, group) - 1) * group}:
            check_group(found, extents, numbers, channels, max(s for _, s in r1), max(s for _, s in r0))


def check_group(
    found: ReductionCapacity, extents: Extents, numbers: dict[str, int], channels: int, own1: int, own0: int
) -> None:
    """Vectors in UB of one group of ``channels`` channels, of the busiest core."""
    rows, columns, merge = (numbers[f"tiling:{n}"] for n in ("tile_rows", "tile_cols", "merge"))
    assert channels <= found.group
    row_tiles = _ceil(own1, rows)
    if found.family == "rows":
        assert 1 <= columns <= found.max_columns
        assert merge == 1
        assert rows * found.pitch(columns) <= found.capacity
        assert channels * FOLD_LANES <= found.lanes
        assert found.pitch(channels) <= found.lanes, "a row of other cores' partial results"
        used = channels * row_tiles * _ceil(own0, columns) * rows * found.pitch(columns)
    else:
        assert numbers["tiling:r0_cores"] == 1
        lane_columns = channels * extents[2]
        pitch = found.pitch(lane_columns)
        period = merge * lane_columns if merge > 1 else pitch
        assert period <= found.lanes
        assert pitch <= found.capacity
        if merge > 1:
            assert channels == extents[1], "merged rows are one run of memory"
            assert period % found.row_granule == 0, "runs repeat on UB blocks"
            assert merge * pitch <= found.segments, "padded rows (Segments.cpp)"
            assert not found.outer, "a value of a row has no place in a run of rows"
            size = found.pitch(rows * lane_columns)
            assert rows % merge == 0 or row_tiles == 1
        else:
            size = rows * pitch
        assert size <= found.capacity
        used = row_tiles * size
        if found.family == "lanes":
            assert extents[2] == 1
            assert found.pitch(channels) <= found.group, "whole UB blocks of channels"
        elif extents[2] > 1:
            assert channels * found.pitch(extents[2]) <= found.segments, "padded segments"
    if found.schedule != found.family:
        assert used <= found.resident


def check_workspace(
    found: ReductionCapacity, extents: Extents, planned: Plan, splits: int, a_cores: int
) -> None:
    """Everything the kernel stores in the workspace is inside it (Exchange.cpp)."""
    row, size = planned.numbers["tiling:workspace_row"], planned.numbers["tiling:workspace"]
    shared = splits * row * found.reductions
    assert splits == 1 or 4 * row < TRANSFER_STRIDE, "partial results of all cores are one transfer's rows"
    assert row >= extents[1]
    assert planned.workspace == (4 * shared if splits > 1 else 0)
    assert planned.workspace <= 4 * size
    assert planned.cores == splits * a_cores


def draws(name: str, dtype: str, count: int) -> Iterator[tuple[Extents, random.Random]]:
    """Random shapes, the same in every run."""
    rng = random.Random(f"{name} {dtype}")
    for _ in range(count):
        yield random_extents(rng, name), rng


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
def test_plans_fit_their_binaries(name: str, dtype: str) -> None:
    # All of UB, or one of the parts with which a compilation is tried again.
    shares = [1.0, UB_SHARES[1 + CASES.index((name, dtype)) % (len(UB_SHARES) - 1)]]
    if limits(name, dtype, "rows", shares[1]) is None:
        shares.pop()  # no schedule at all
    for extents, rng in draws(name, dtype, _ceil(SHAPES, len(CASES))):
        share, cores = rng.choice(shares), rng.choice((None, None, 1, 3, 7))
        binary = binaries(name, dtype, share)
        for target in targets.TABLE:
            schedule, planned = choose(binary, extents, target.vector_cores, cores=cores)
            try:
                check(binary(schedule), extents, target.vector_cores if cores is None else cores, planned)
            except AssertionError as error:
                raise AssertionError(
                    f"{name} {dtype} {extents} on {target.name}, UB share {share}, cores={cores}: "
                    f"{schedule}, {planned}, limits {binary(schedule)}: {error}"
                ) from error


def asked_for(
    binary: Callable[[str], ReductionCapacity], extents: Extents, cores: int, schedule: str
) -> Plan | None:
    """The plan with the user's schedule; None if it was refused."""
    try:
        chosen, planned = choose(binary, extents, cores, schedule=schedule)
    except ShapeError as error:
        if error.code != "TW2401":
            raise
        return None
    assert chosen == schedule
    return planned


def without_folded(code: str) -> Callable[[str], ReductionCapacity]:
    """A compiler that refuses the schedules "folded"."""
    whole = binaries("batch_norm_backward", "f32", 1.0)

    def binary(schedule: str) -> ReductionCapacity:
        if schedule.startswith("folded"):
            raise CompileError(code, "no room")
        return whole(schedule)

    return binary


@pytest.mark.parametrize("code", ["TW3030", "TW3015"])
def test_schedules_without_room_in_ub_are_passed_over(code: str) -> None:
    extents = (32, 64, 49)
    whole, binary = binaries("batch_norm_backward", "f32", 1.0), without_folded(code)
    assert choose(whole, extents, 40)[0].startswith("folded")
    schedule, planned = choose(binary, extents, 40)
    assert schedule.startswith("rows")
    check(whole(schedule), extents, 40, planned)
    with pytest.raises(CompileError, match="no room"):
        choose(binary, extents, 40, schedule="folded")


def test_other_failures_of_the_compiler_are_not_passed_over() -> None:
    with pytest.raises(CompileError, match="no room"):
        choose(without_folded("TW3011"), (32, 64, 49), 40)


@pytest.mark.parametrize(("name", "dtype"), CASES)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_traits_are_known_without_a_binary(name: str, dtype: str, schedule: str) -> None:
    compiled = limits(name, dtype, schedule)
    if compiled is None:
        pytest.skip(f"{name} has no room in UB for {schedule}")
    assert compiled.traits == traits_of(name, dtype)


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_what_fits_in_less_of_ub_fits_in_more(name: str, schedule: str) -> None:
    before: ReductionCapacity | None = None
    for share in UB_SHARES:
        found = limits(name, "f32", schedule, share)
        assert found is None or share == 1.0 or before is not None, share
        assert found is None or not found.resident or found.resident >= found.row_granule
        before = found


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_every_schedule_that_serves_a_shape_fits(schedule: str) -> None:
    served = 0
    for name, dtype in CASES:
        if limits(name, dtype, schedule) is None:
            continue
        binary = binaries(name, dtype, 1.0)
        for extents, _ in draws(name, dtype + schedule, 40):
            for cores in (40, 48):
                planned = asked_for(binary, extents, cores, schedule)
                if planned is not None:
                    check(binary(schedule), extents, cores, planned)
                    served += 1
    assert served > 50


@pytest.mark.parametrize(("name", "dtype"), CASES)
def test_few_binaries_serve_all_shapes(name: str, dtype: str) -> None:
    asked: set[str] = set()
    for extents, _ in draws(name, dtype + "count", 600):
        choose(binaries(name, dtype, 1.0, asked), extents, 40, known=traits_of(name, dtype))
    two = not name.startswith("batch_norm")
    shapes = [(16, 3), (1, 5), (5, 1), (7, 1, 3), (4, 6, 10), (2, 3, 4, 5), (2, 3, 1, 5, 2)]
    layouts = {signature(name, dtype, s).layout.text() for s in shapes if two or len(s) > 1}
    assert len(asked) * len(layouts) <= MOST_BINARIES, (sorted(asked), sorted(layouts))


@pytest.mark.parametrize("dtype", ["f32", "f16"])
@pytest.mark.parametrize("name", ["batch_norm", "batch_norm_backward"])
def test_offsets_beyond_32_bits(name: str, dtype: str) -> None:
    # Rows 4 GiB apart and more: one a transfer.
    far = ((64, 1 << 30, 1), (4, 1 << 25, 49), (100, 3, 1 << 30))
    for extents in (
        (3, 7, 1 << 28),
        (1 << 20, 4096, 1),
        (70_000, 64, 3136),
        (2, 1, 1 << 32),
        (5, 3, 1 << 31),
        *far,
    ):
        assert math.prod(extents) > 1 << 31
        schedule, planned = choose(binaries(name, dtype, 1.0), extents, 40)
        check(binaries(name, dtype, 1.0)(schedule), extents, 40, planned)
        # Offsets are products of these numbers, which the kernel takes as 64 bits.
        assert planned.numbers["extent:2"] == extents[2]


@pytest.mark.parametrize(
    ("name", "extents", "cores"),
    [
        # Three channels, a core each: halves of a channel would have to be exchanged.
        ("batch_norm_backward", (4, 3, 1024), 3),
        # Starting sixteen cores costs more than eight save.
        ("batch_norm_backward", (8, 16, 64), 8),
        ("batch_norm_backward", (32, 64, 49), 32),
        ("batch_norm", (32, 64, 49), 32),
        ("batch_norm_backward", (2, 3, 1000003), 40),
        ("batch_norm", (16, 3, 1), 1),
    ],
)
def test_as_many_cores_as_pay(name: str, extents: Extents, cores: int) -> None:
    assert choose(binaries(name, "f32", 1.0), extents, 40)[1].cores == cores
