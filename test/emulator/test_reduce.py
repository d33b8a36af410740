"""Reductions against a NumPy model with the documented order of additions, bit exact."""

from __future__ import annotations

import ctypes
import zlib

import numpy as np
import pytest
from model import Mask, Side, lanes_of, random_mask, random_sides, random_values, read, same_bits, write

from device import DTYPES, UB_BYTES, Array, Core

CASES = 200


def setup(lib: ctypes.CDLL, name: str, t: str) -> tuple[np.random.Generator, Core]:
    rng = np.random.default_rng(zlib.crc32((name + t).encode()))
    core = Core(lib)
    core.ub[:] = random_values(rng, DTYPES[t], UB_BYTES // DTYPES[t].itemsize).view(np.uint8)
    return rng, core


def program(core: Core, mask: Mask) -> int:
    if mask.counter is not None:
        core.set_mask(counter=mask.counter)
        return 1
    core.set_mask(mask=mask.bits)
    return mask.repeats


def red_word(stride: int, src: Side, repeat: int) -> int:
    return stride | src.block << 16 | src.repeat << 32 | repeat << 56


def tree(x: Array) -> Array:
    """Pairwise sums of neighbours until one is left; masked lanes are absent, as -0."""
    with np.errstate(all="ignore"):
        while x.shape[-1] > 1:
            x = x[..., 0::2] + x[..., 1::2]
    return x[..., 0]


def place(rng: np.random.Generator, t: str, mask: Mask, result_bytes: int) -> tuple[Side, int, int]:
    """A source in the lower 128 KiB, a destination above it with a random stride in results."""
    (src,) = random_sides(rng, [DTYPES[t]], mask)
    room = (128 << 10) - int(src.offsets(mask.repeats, mask.lanes).max() - src.offset) - 8
    src.offset = int(rng.integers(0, room // 32)) * 32
    stride = int(rng.integers(1, 5))
    return src, stride, (128 << 10) + int(rng.integers(0, 8)) * 32


def filled(ub: Array, src: Side, mask: Mask, identity: float) -> Array:
    values = read(ub, src.offsets(mask.repeats, mask.lanes), src.dtype)
    return np.where(mask.active, values, np.asarray(identity, src.dtype)).astype(src.dtype)


@pytest.mark.parametrize("t", ["f16", "f32"])
def test_sum_per_repeat(lib: ctypes.CDLL, t: str) -> None:
    rng, core = setup(lib, "VCADD", t)
    size = DTYPES[t].itemsize
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(DTYPES[t]))
        src, stride, out = place(rng, t, mask, size)
        if mask.active.any():
            want = core.ub.copy()
            sums = tree(filled(want, src, mask, -0.0))
            write(want, out + np.arange(mask.repeats) * stride * size, sums)
            core.call(
                f"VCADD.{t}.order",
                core.base + out,
                core.base + src.offset,
                red_word(stride, src, program(core, mask)),
                0,
            )
            assert same_bits(core.ub, want, DTYPES[t]).all(), (case, src, mask)
    core.end()


@pytest.mark.parametrize("t", ["f16", "f32"])
def test_sum_accumulated(lib: ctypes.CDLL, t: str) -> None:
    rng, core = setup(lib, "VCADDacc", t)
    dtype = DTYPES[t]
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        src, stride, out = place(rng, t, mask, 4)
        if not mask.active.any():
            continue
        before = core.ub.copy()
        total = np.asarray(-0.0, dtype)
        with np.errstate(all="ignore"):
            for s in tree(filled(before, src, mask, -0.0)):
                total = (total + s).astype(dtype)
        core.call(
            f"VCADD.{t}.order",
            core.base + out,
            core.base + src.offset,
            red_word(stride, src, program(core, mask)),
            1,
        )
        got = np.array([core.call("GET.ACC.VAL")], np.uint64).view(dtype)[:1]
        assert same_bits(got, np.array([total], dtype), dtype).all(), (case, src, mask)
        assert (core.ub == before).all()
    core.end()


@pytest.mark.parametrize("order", [0, 1, 2, 3])
@pytest.mark.parametrize("t", ["f16", "f32"])
@pytest.mark.parametrize("op", ["VCMAX", "VCMIN"])
def test_extremum(lib: ctypes.CDLL, op: str, t: str, order: int) -> None:
    """Value and index per repeat, and over all repeats in the register; first of equals, NaN before all."""
    rng, core = setup(lib, op + str(order), t)
    dtype = DTYPES[t]
    size = dtype.itemsize
    index_dtype = np.dtype(np.uint16) if size == 2 and order < 2 else np.dtype(np.uint32)
    width = 2 * size if order < 2 else size if order == 2 else 4
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        src, stride, out = place(rng, t, mask, width)
        if not mask.active.any():
            continue
        want = core.ub.copy()
        values = filled(want, src, mask, 0).astype(np.float64)
        if rng.random() < 0.5:
            plain = np.round(rng.standard_normal(2048)).astype(dtype)  # many equal values
            where = src.offsets(mask.repeats, mask.lanes)
            flat = np.unique(where.ravel())
            write(want, flat, np.resize(plain, len(flat)))
            core.ub[:] = want
            values = filled(want, src, mask, 0).astype(np.float64)
        key = np.where(np.isnan(values), np.inf, values if op == "VCMAX" else -values)
        key = np.where(np.isnan(values), np.inf, np.clip(key, -1e300, 1e300))
        key = np.where(mask.active, key, -np.inf)
        index = np.argmax(key, axis=1)
        raw = read(want, src.offsets(mask.repeats, mask.lanes), dtype)
        picked = raw[np.arange(mask.repeats), index]
        base = out + np.arange(mask.repeats) * stride * width
        if order in (0, 2):
            write(want, base, picked)
        if order == 1:
            write(want, base + size, picked)
        if order == 0:
            write(want, base + size, index.astype(index_dtype))
        if order in (1, 3):
            write(want, base, index.astype(index_dtype))
        core.call(
            f"{op}.{t}.order.v220",
            core.base + out,
            core.base + src.offset,
            red_word(stride, src, program(core, mask)),
            order,
        )
        assert (core.ub == want).all(), (case, src, mask)
        register = core.call("GET.MAX.MIN.CNT")
        flat_index = int(np.argmax(key.ravel()))
        assert register >> 32 == flat_index
        got = np.array([register & (1 << 8 * size) - 1], np.uint64).view(dtype)[:1]
        assert same_bits(got, np.array([raw.ravel()[flat_index]], dtype), dtype).all()
    core.end()


GROUPS = {"VCGADD": 32, "VCGMAX": 32, "VCGMIN": 32, "VCPADD": 0}


@pytest.mark.parametrize("t", ["f16", "f32"])
@pytest.mark.parametrize("op", list(GROUPS))
def test_grouped(lib: ctypes.CDLL, op: str, t: str) -> None:
    """One result a block, or a pair of neighbours; groups without an active lane write nothing."""
    rng, core = setup(lib, op, t)
    dtype = DTYPES[t]
    size = dtype.itemsize
    group = GROUPS[op] // size if GROUPS[op] else 2
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        results = mask.lanes // group
        src, stride, out = place(rng, t, mask, results * size)
        if not mask.active.any():
            continue
        want = core.ub.copy()
        identity = -0.0 if "ADD" in op else -np.inf if op == "VCGMAX" else np.inf
        values = filled(want, src, mask, identity).reshape(mask.repeats, results, group)
        if "ADD" in op:
            folded = tree(values)
        else:
            # Equal zeros: +0 is the larger one.
            pick = np.maximum if op == "VCGMAX" else np.minimum
            with np.errstate(all="ignore"):
                folded = pick.reduce(values, axis=-1)
                zero = folded == 0
                sign = np.signbit(values) if op == "VCGMAX" else ~np.signbit(values)
                all_low = np.where(values == 0, sign, True).all(axis=-1)
                negative = all_low if op == "VCGMAX" else ~all_low
                folded = np.where(zero, np.where(negative, -0.0, 0.0), folded).astype(dtype)
        has = mask.active.reshape(mask.repeats, results, group).any(axis=-1)
        where = out + (np.arange(mask.repeats)[:, None] * stride * results + np.arange(results)) * size
        write(want, where[has], folded[has])
        core.call(
            f"{op}.{t}", core.base + out, core.base + src.offset, red_word(stride, src, program(core, mask))
        )
        assert same_bits(core.ub, want, dtype).all(), (case, src, mask)
    core.end()
