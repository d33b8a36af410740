"""Element-wise instructions against the NumPy model: 200 random operands, masks and strides each."""

from __future__ import annotations

import ctypes
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from model import (
    Mask,
    Side,
    bin_word,
    dup_word,
    lanes_of,
    lanewise,
    random_mask,
    random_sides,
    random_values,
    same_bits,
    ulp_distance,
    un_word,
)

from device import DTYPES, UB_BYTES, UNSIGNED, Array, Core, scalar_bits

CASES = 200
F16, F32 = DTYPES["f16"], DTYPES["f32"]


def generator(name: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(name.encode()))


def fill(rng: np.random.Generator, core: Core, dtypes: list[np.dtype[Any]]) -> None:
    """UB as values of the operand types, in stretches."""
    pool = np.concatenate([random_values(rng, d, UB_BYTES // 2 // d.itemsize).view(np.uint8) for d in dtypes])
    core.ub[:] = np.resize(pool, UB_BYTES)


def set_mask(core: Core, mask: Mask) -> int:
    """Programs the mask registers; returns the repeat field to use."""
    if mask.counter is not None:
        core.set_mask(counter=mask.counter)
        return 1
    core.set_mask(mask=mask.bits)
    return mask.repeats


def maximum(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu":
        return np.maximum(a, b)
    return np.where((a == 0) & (b == 0), np.where(np.signbit(a), b, a), np.maximum(a, b)).astype(a.dtype)


def minimum(a: Array, b: Array) -> Array:
    if a.dtype.kind in "iu":
        return np.minimum(a, b)
    return np.where((a == 0) & (b == 0), np.where(np.signbit(a), a, b), np.minimum(a, b)).astype(a.dtype)


BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "VADD": lambda a, b: a + b,
    "VSUB": lambda a, b: a - b,
    "VMUL": lambda a, b: a * b,
    "VMAX": maximum,
    "VMIN": minimum,
    "VDIV": lambda a, b: a / b,
    "VAND": lambda a, b: a & b,
    "VOR": lambda a, b: a | b,
}
BINARY_TYPES = {"VDIV": ["f16", "f32"], "VAND": ["s16", "u16"], "VOR": ["s16", "u16"]}
BINARY_NAMES = [f"{op}.{t}" for op in BINARY for t in BINARY_TYPES.get(op, ["f16", "f32", "s16", "s32"])]


@pytest.mark.parametrize("name", BINARY_NAMES)
def test_two_sources(lib: ctypes.CDLL, name: str) -> None:
    op, t = name.split(".")
    dtype = DTYPES[t]
    rng = generator(name)
    core = Core(lib)
    fill(rng, core, [dtype])
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        d, a, b = random_sides(rng, [dtype] * 3, mask)
        want = core.ub.copy()
        lanewise(want, d, [a, b], mask, BINARY[op])
        repeat = set_mask(core, mask)
        core.call(
            name, core.base + d.offset, core.base + a.offset, core.base + b.offset, bin_word(d, a, b, repeat)
        )
        assert same_bits(core.ub, want, dtype).all(), (case, d, a, b, mask)
    core.end()


def relu(x: Array) -> Array:
    return maximum(x, np.zeros_like(x))


# The second entry is the allowed error in units of the last place, None for bit exactness.
UNARY: dict[str, tuple[Callable[[Array], Array], float | None]] = {
    "VEXP": (np.exp, 1.0),
    "VLN": (np.log, 1.0),
    "VSQRT": (np.sqrt, None),
    "VRSQRT": (lambda x: 1.0 / np.sqrt(x), 1.0),
    "VREC": (lambda x: x.dtype.type(1) / x, None),
    "VABS": (np.abs, None),
    "VRELU": (relu, None),
    "VNOT": (np.invert, None),
    "VCOPY": (lambda x: x, None),
}
UNARY_TYPES = {"VRELU": ["f16", "f32", "s32"], "VNOT": ["s16", "u16"], "VCOPY": ["u16", "u32"]}
UNARY_NAMES = [f"{op}.{t}" for op in UNARY for t in UNARY_TYPES.get(op, ["f16", "f32"])]


@pytest.mark.parametrize("name", UNARY_NAMES)
def test_one_source(lib: ctypes.CDLL, name: str) -> None:
    op, t = name.split(".")
    dtype = DTYPES[t]
    compute, allowed = UNARY[op]
    rng = generator(name)
    core = Core(lib)
    for case in range(CASES):
        if case % 8 == 0:
            fill(rng, core, [dtype])
        mask = random_mask(rng, lanes_of(dtype))
        while op == "VCOPY" and mask.counter is not None:  # see test_copy_rows
            mask = random_mask(rng, lanes_of(dtype))
        d, a = random_sides(rng, [dtype] * 2, mask)
        if allowed is not None:
            # An inexact result that is read again would amplify: keep the operands apart.
            d = Side(dtype, UB_BYTES // 2, 1, 8)
            a.offset = 0
            if int(a.offsets(mask.repeats, mask.lanes).max()) >= UB_BYTES // 2:
                a.block, a.repeat = 1, 8
        before = core.ub.copy()
        want = before.copy()

        def rounded(x: Array) -> Array:
            with np.errstate(all="ignore"):
                return (compute(x) if allowed is None else compute(x.astype(np.float64))).astype(dtype)

        lanewise(want, d, [a], mask, rounded)
        repeat = set_mask(core, mask)
        core.call(name, core.base + d.offset, core.base + a.offset, un_word(d, a, repeat))
        same = same_bits(core.ub, want, dtype)
        if allowed is None:
            assert same.all(), (case, d, a, mask)
            continue
        exact = np.zeros(UB_BYTES // dtype.itemsize)
        source = a.offsets(mask.repeats, mask.lanes)[mask.active] // dtype.itemsize
        target = d.offsets(mask.repeats, mask.lanes)[mask.active] // dtype.itemsize
        with np.errstate(all="ignore"):
            exact[target] = compute(before.view(dtype)[source].astype(np.float64))
        worst = ulp_distance(core.ub.view(dtype), exact, dtype)
        assert (same | (np.isin(np.arange(len(exact)), target) & (worst <= allowed))).all(), (
            case,
            d,
            a,
            mask,
        )
    core.end()


@pytest.mark.parametrize("t", ["u16", "u32"])
def test_copy_rows(lib: ctypes.CDLL, t: str) -> None:
    """VCOPY in counter mode: the mask counts the elements of every repeat, which is a row of any length."""
    dtype = DTYPES[t]
    rng = generator("rows" + t)
    core = Core(lib)
    fill(rng, core, [dtype])
    for case in range(CASES):
        n, repeats = int(rng.integers(1, 300)), int(rng.integers(0, 12))
        mask = Mask(n, bits=(1 << n) - 1, repeats=repeats)
        d = Side(dtype, int(rng.integers(3500, 4000)) * 32, int(rng.integers(1, 3)), int(rng.integers(0, 60)))
        a = Side(dtype, int(rng.integers(0, 500)) * 32, int(rng.integers(0, 3)), int(rng.integers(0, 60)))
        want = core.ub.copy()
        lanewise(want, d, [a], mask, lambda x: x)
        core.set_mask(counter=n)
        core.call("VCOPY." + t, core.base + d.offset, core.base + a.offset, un_word(d, a, repeats))
        assert (core.ub == want).all(), (case, d, a, n, repeats)
    core.end()


SCALAR = {"VADDS": BINARY["VADD"], "VMULS": BINARY["VMUL"], "VMAXS": maximum, "VMINS": minimum}


@pytest.mark.parametrize("name", [f"{op}.{t}" for op in SCALAR for t in ("f16", "f32", "s16", "s32")])
def test_vector_with_scalar(lib: ctypes.CDLL, name: str) -> None:
    op, t = name.split(".")
    dtype = DTYPES[t]
    rng = generator(name)
    core = Core(lib)
    fill(rng, core, [dtype])
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        d, a = random_sides(rng, [dtype] * 2, mask)
        value = random_values(rng, dtype, 1)
        want = core.ub.copy()
        lanewise(want, d, [a], mask, lambda x: SCALAR[op](x, value))  # noqa: B023
        repeat = set_mask(core, mask)
        bits, word = scalar_bits(value[0], dtype), un_word(d, a, repeat)
        pointers = (core.base + d.offset, core.base + a.offset)
        if t.startswith("f"):
            core.call(name, *pointers, word, scalar=bits)
        else:
            core.call(name, *pointers, int(value[0]), word)
        assert same_bits(core.ub, want, dtype).all(), (case, d, a, mask, value)
    core.end()


@pytest.mark.parametrize(
    "name", [f"{op}.{t}" for op in ("VSHL", "VSHR") for t in ("s16", "s32", "u16", "u32")]
)
def test_shifts(lib: ctypes.CDLL, name: str) -> None:
    op, t = name.split(".")
    dtype = DTYPES[t]
    width = dtype.itemsize * 8
    rng = generator(name)
    core = Core(lib)
    fill(rng, core, [dtype])
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        d, a = random_sides(rng, [dtype] * 2, mask)
        amount = int(rng.integers(0, width + 3))

        def shifted(x: Array) -> Array:
            wide = x.astype(np.int64)
            return (wide << amount if op == "VSHL" else wide >> amount).astype(dtype)  # noqa: B023

        want = core.ub.copy()
        lanewise(want, d, [a], mask, shifted)
        repeat = set_mask(core, mask)
        extra = (0,) if op == "VSHR" else ()
        core.call(name, core.base + d.offset, core.base + a.offset, amount, un_word(d, a, repeat), *extra)
        assert (core.ub == want).all(), (case, d, a, mask, amount)
    core.end()


@pytest.mark.parametrize("t", ["bf16", "f16", "f32", "s16", "s32", "u16", "u32"])
def test_fill(lib: ctypes.CDLL, t: str) -> None:
    dtype = DTYPES[t]
    rng = generator("MOVEV" + t)
    core = Core(lib)
    fill(rng, core, [dtype])
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        (d,) = random_sides(rng, [dtype], mask)
        value = random_values(rng, dtype, 1)
        want = core.ub.copy()
        lanewise(want, d, [], mask, lambda n: np.repeat(value, n))  # noqa: B023
        repeat = set_mask(core, mask)
        bits = scalar_bits(value[0], dtype)
        if "f" in t:
            core.call("MOVEV." + t, core.base + d.offset, dup_word(d, repeat), scalar=bits)
        else:
            core.call("MOVEV." + t, core.base + d.offset, int(value[0]), dup_word(d, repeat))
        assert (core.ub == want).all(), (case, d, mask, value)
    core.end()


RELATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
COMPARES = [f"{rel}.{t}" for rel in RELATIONS for t in ("f16", "f32")] + ["EQ.s32"]


@pytest.mark.parametrize("form", ["VCMPV", "VCMPVS"])
@pytest.mark.parametrize("name", COMPARES)
def test_compare(lib: ctypes.CDLL, form: str, name: str) -> None:
    """Whole repeats, mask ignored, one bit a lane, densely packed."""
    rel, t = name.split(".")
    dtype = DTYPES[t]
    lanes = lanes_of(dtype)
    rng = generator(form + name)
    core = Core(lib)
    fill(rng, core, [dtype])
    for case in range(CASES):
        mask = random_mask(rng, lanes)
        full = Mask(lanes, repeats=mask.repeats)
        d, a, b = random_sides(rng, [dtype] * 3, full)
        d.offset = min(d.offset, UB_BYTES - 16 * mask.repeats)
        value = random_values(rng, dtype, 1)
        want = core.ub.copy()
        left, right = a.offsets(mask.repeats, lanes), b.offsets(mask.repeats, lanes)
        step = lanes // 8
        for r in range(mask.repeats):
            x = want[left[r][:, None] + np.arange(dtype.itemsize)].view(dtype)[:, 0]
            y = (
                want[right[r][:, None] + np.arange(dtype.itemsize)].view(dtype)[:, 0]
                if form == "VCMPV"
                else value
            )
            with np.errstate(all="ignore"):
                want[d.offset + r * step : d.offset + (r + 1) * step] = np.packbits(
                    RELATIONS[rel](x, y), bitorder="little"
                )
        repeat = set_mask(core, mask)
        pointers = (core.base + d.offset, core.base + a.offset)
        if form == "VCMPV":
            core.call(f"VCMPV.{name}", *pointers, core.base + b.offset, bin_word(d, a, b, repeat))
        elif t.startswith("f"):
            core.call(f"VCMPVS.{name}", *pointers, un_word(d, a, repeat), scalar=scalar_bits(value[0], dtype))
        else:
            core.call(f"VCMPVS.{name}", *pointers, int(value[0]), un_word(d, a, repeat))
        assert (core.ub == want).all(), (case, d, a, b, mask)
    core.end()


@pytest.mark.parametrize("t", ["f16", "f32"])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_select(lib: ctypes.CDLL, t: str, mode: int) -> None:
    dtype = UNSIGNED[DTYPES[t].itemsize]
    lanes = lanes_of(dtype)
    rng = generator(f"VSEL{t}{mode}")
    core = Core(lib)
    fill(rng, core, [dtype])
    for case in range(CASES):
        mask = random_mask(rng, lanes)
        d, a, b = random_sides(rng, [dtype] * 3, mask)
        used = np.unique(np.concatenate([s.offsets(mask.repeats, lanes).ravel() // 32 for s in (d, a, b)]))
        # The register is loaded from 16 bytes apart from the operands, the bits likewise.
        free = np.setdiff1d(np.arange(UB_BYTES // 32), used)
        need = -(-mask.repeats * lanes // 8 // 32)
        runs = free[: len(free) - need][(free[need:] - free[: len(free) - need]) == need]
        where = int(rng.choice(runs)) * 32
        register = int(free[-1]) * 32 if int(free[-1]) * 32 >= where + need * 32 else int(free[0]) * 32
        if mode == 2:
            core.ub[register : register + 8].view(np.uint64)[0] = core.base + where
        core.call("SET.CMPMASK", core.base + register)
        want = core.ub.copy()
        held = want[register : register + 16].copy()
        packed = want[where : where + need * 32].copy()
        bits = np.unpackbits(held if mode == 0 else packed, bitorder="little")
        row = 0

        def chosen(x: Array, y: Array) -> Array:
            nonlocal row
            act = mask.active[row]  # noqa: B023
            mine = bits[:lanes] if mode == 0 else bits[row * lanes : (row + 1) * lanes]  # noqa: B023
            row += 1
            other = held[: dtype.itemsize].view(dtype) if mode == 1 else y  # noqa: B023
            return np.where(mine[act].astype(bool), x, other)

        lanewise(want, d, [a, b], mask, chosen)
        repeat = set_mask(core, mask)
        second = core.base + (where if mode == 1 else b.offset)
        core.call(
            f"VSEL.{t}.1", core.base + d.offset, core.base + a.offset, second, bin_word(d, a, b, repeat, mode)
        )
        assert (core.ub == want).all(), (case, d, a, b, mask)
    core.end()
