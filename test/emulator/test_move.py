"""Transfers, copies and spreads inside UB, atomic stores: bit exact, and nothing else touched."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from model import Side, dup_word, random_values, same_bits

from device import BLOCK, DTYPES, UB_BYTES, Array, Core, EmulatorError

CASES = 200
SIZES = {"b8": 1, "b16": 2, "b32": 4}


def up(n: int) -> int:
    return -(-n // BLOCK) * BLOCK


@pytest.mark.parametrize("width", list(SIZES))
def test_load(lib: ctypes.CDLL, width: str) -> None:
    rng = np.random.default_rng(SIZES[width])
    size = SIZES[width]
    gm = rng.integers(0, 256, 1 << 20, dtype=np.uint8)
    core = Core(lib, [(gm, 1)])
    read = 0
    for _ in range(CASES):
        rows = int(rng.integers(1, 12)) if rng.random() < 0.7 else 1
        length = (
            int(rng.integers(0, 1500 // size)) * size if rng.random() < 0.8 else int(rng.integers(0, 40)) * 32
        )
        left, right = (
            (int(x) for x in rng.integers(0, BLOCK // size + 1, 2)) if rng.random() < 0.5 else (0, 0)
        )
        gm_gap = int(rng.integers(0, 300)) if rng.random() < 0.6 else 0
        ub_gap = int(rng.integers(0, 6)) if rng.random() < 0.6 else 0
        row = (left + right) * size + length
        step = up(row) + ub_gap * BLOCK
        at = int(rng.integers(0, (UB_BYTES - rows * step) // BLOCK)) * BLOCK
        start = int(rng.integers(0, len(gm) - rows * (length + gm_gap)))
        pad = int(rng.integers(0, 1 << 32))
        core.call("SET.MOV.PAD.VAL", pad | 0xABCD << 32)
        want = core.ub.copy()
        filler = np.frombuffer(pad.to_bytes(4, "little")[:size], np.uint8)
        for r in range(rows if row else 0):
            data = gm[start + r * (length + gm_gap) :][:length]
            line = np.concatenate([np.tile(filler, left), data, np.tile(filler, right)])
            line = np.concatenate([line, np.full(up(row) - row, 0xFF, np.uint8)])  # undefined fill: NaN
            want[at + r * step :][: up(row)] = line
        c0 = rows << 4 | length << 16 | left << 48 | right << 54
        core.call(
            f"MOV.OUT.TO.UB.ALIGN.{width}.V220",
            core.base + at,
            gm.ctypes.data + start,
            c0,
            gm_gap | ub_gap << 32,
        )
        read += rows * length if row else 0
        assert (core.ub == want).all()
    assert core.end().gm_read_bytes == read


@pytest.mark.parametrize("width", list(SIZES))
def test_store(lib: ctypes.CDLL, width: str) -> None:
    rng = np.random.default_rng(10 + SIZES[width])
    gm = rng.integers(0, 256, 1 << 18, dtype=np.uint8)
    core = Core(lib, [(gm, 2)])
    core.ub[:] = rng.integers(0, 256, UB_BYTES, dtype=np.uint8)
    written = 0
    for _ in range(CASES):
        rows = int(rng.integers(1, 12)) if rng.random() < 0.7 else 1
        length = int(rng.integers(0, 1500)) if rng.random() < 0.8 else int(rng.integers(0, 40)) * 32
        gm_gap = int(rng.integers(0, 300)) if rng.random() < 0.6 else 0
        ub_gap = int(rng.integers(0, 6)) if rng.random() < 0.6 else 0
        step = up(length) + ub_gap * BLOCK
        at = int(rng.integers(0, (UB_BYTES - rows * step) // BLOCK)) * BLOCK
        start = int(rng.integers(0, len(gm) - rows * (length + gm_gap)))
        want = gm.copy()
        for r in range(rows):
            want[start + r * (length + gm_gap) :][:length] = core.ub[at + r * step :][:length]
        c0 = rows << 4 | length << 16
        core.call(
            f"MOV.UB.TO.OUT.ALIGN.{width}.V220",
            gm.ctypes.data + start,
            core.base + at,
            c0,
            ub_gap | gm_gap << 32,
        )
        written += rows * length
        assert (gm == want).all()
    assert core.end().gm_write_bytes == written


ATOMIC_TYPES = {"f32": 1, "f16": 2, "s16": 3, "s32": 4, "s8": 5, "bf16": 6}


def combine(a: Array, b: Array, kind: int) -> Array:
    if kind == 0:
        return a + b
    low, high = (np.minimum, np.maximum) if kind == 1 else (np.maximum, np.minimum)
    result = high(a, b)
    if a.dtype.kind in "iu":
        return result
    zero = (a == 0) & (b == 0)  # +0 is larger than -0
    chosen = np.where(np.signbit(a), b, a) if kind == 1 else np.where(np.signbit(a), a, b)
    assert low is not None
    return np.where(zero, chosen, result).astype(a.dtype)


@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("t", list(ATOMIC_TYPES))
def test_atomic_store(lib: ctypes.CDLL, t: str, kind: int) -> None:
    dtype: np.dtype[Any] = DTYPES[t]
    rng = np.random.default_rng(100 + kind)
    gm = random_values(rng, dtype, 20000)
    core = Core(lib, [(gm, 3)])
    core.ub[:] = random_values(rng, dtype, UB_BYTES // dtype.itemsize).view(np.uint8)
    core.call("SET.CTRL", ATOMIC_TYPES[t] << 6 | kind << 9)
    for _ in range(CASES):
        rows, n = int(rng.integers(1, 6)), int(rng.integers(1, 700))
        gap, ub_gap = int(rng.integers(0, 30)), int(rng.integers(0, 4))
        step = up(n * dtype.itemsize) + ub_gap * BLOCK
        at = int(rng.integers(0, (UB_BYTES - rows * step) // BLOCK)) * BLOCK
        start = int(rng.integers(0, len(gm) - rows * (n + gap)))
        want = gm.copy()
        for r in range(rows):
            line = core.ub[at + r * step :][: n * dtype.itemsize].view(dtype)
            here = slice(start + r * (n + gap), start + r * (n + gap) + n)
            with np.errstate(all="ignore"):
                want[here] = combine(want[here], line, kind)
        c0 = rows << 4 | n * dtype.itemsize << 16
        c1 = ub_gap | gap * dtype.itemsize << 32
        core.call(
            "MOV.UB.TO.OUT.ALIGN.b8.V220", gm.ctypes.data + start * dtype.itemsize, core.base + at, c0, c1
        )
        assert same_bits(gm.view(np.uint8), want.view(np.uint8), dtype).all()
    core.end()


def test_undefined_atomic_type(lib: ctypes.CDLL) -> None:
    gm = np.zeros(64, np.float32)
    core = Core(lib, [(gm, 3)])
    core.call("SET.CTRL", 7 << 6)
    with pytest.raises(EmulatorError, match=r"MOV\.UB\.TO\.OUT.*atomic") as caught:
        core.call("MOV.UB.TO.OUT.ALIGN.b32.V220", gm.ctypes.data, core.base, 1 << 4 | 64 << 16, 0)
    assert caught.value.code == 4015
    core.end()


def test_copy_inside_ub(lib: ctypes.CDLL) -> None:
    rng = np.random.default_rng(3)
    core = Core(lib)
    core.ub[:] = rng.integers(0, 256, UB_BYTES, dtype=np.uint8)
    for _ in range(CASES):
        bursts, length = int(rng.integers(0, 10)), int(rng.integers(0, 40))
        src_gap, dst_gap = (int(x) for x in rng.integers(0, 10, 2))
        span = 10 * 50 * BLOCK
        src, dst = (int(x) * BLOCK for x in rng.integers(0, (UB_BYTES - span) // BLOCK, 2))
        if rng.random() < 0.3:
            dst = min(max(0, src + int(rng.integers(-20, 20)) * BLOCK), UB_BYTES - span)
        want = core.ub.copy()
        for i in range(bursts):
            line = want[src + i * (length + src_gap) * BLOCK :][: length * BLOCK].copy()
            want[dst + i * (length + dst_gap) * BLOCK :][: length * BLOCK] = line
        word = bursts << 4 | length << 16 | src_gap << 32 | dst_gap << 48
        core.call("MOV.UB.TO.UB.v220", core.base + dst, core.base + src, word)
        assert (core.ub == want).all()
    core.end()


@pytest.mark.parametrize("width", ["b16", "b32"])
def test_spread_elements(lib: ctypes.CDLL, width: str) -> None:
    """VBRCB: 8 elements a repeat, each fills a block."""
    rng = np.random.default_rng(4)
    dtype = DTYPES[width]
    core = Core(lib)
    core.ub[:] = rng.integers(0, 256, UB_BYTES, dtype=np.uint8)
    for _ in range(CASES):
        repeats = int(rng.integers(0, 8))
        dst = Side(
            dtype, int(rng.integers(2048, 4000)) * BLOCK, int(rng.integers(0, 4)), int(rng.integers(0, 20))
        )
        src = int(rng.integers(0, 1024)) * BLOCK
        want = core.ub.copy()
        for r in range(repeats):
            values = want[src + r * 8 * dtype.itemsize :][: 8 * dtype.itemsize].view(dtype).copy()
            for b in range(8):
                here = dst.offset + (r * dst.repeat + b * dst.block) * BLOCK
                want[here : here + BLOCK] = np.repeat(values[b : b + 1], BLOCK // dtype.itemsize).view(
                    np.uint8
                )
        core.call("VBRCB." + width, core.base + dst.offset, core.base + src, dup_word(dst, repeats))
        assert (core.ub == want).all()
    core.end()


def test_bounds(lib: ctypes.CDLL) -> None:
    gm = np.zeros(1000, np.float32)
    core = Core(lib, [(gm, 1)])
    load = "MOV.OUT.TO.UB.ALIGN.b32.V220"
    core.call(load, core.base, gm.ctypes.data, 1 << 4 | 4000 << 16, 0)
    with pytest.raises(
        EmulatorError, match=r"block 0: .*b32.*reads bytes \[4, 4004\) of an allocation of 4000"
    ) as caught:
        core.call(load, core.base, gm.ctypes.data + 4, 1 << 4 | 4000 << 16, 0)
    assert caught.value.code == 4010
    with pytest.raises(EmulatorError, match="not writable"):
        core.call("MOV.UB.TO.OUT.ALIGN.b32.V220", gm.ctypes.data, core.base, 1 << 4 | 64 << 16, 0)
    with pytest.raises(EmulatorError, match="no allocation"):
        core.call(load, core.base, 0x10, 1 << 4 | 64 << 16, 0)
    with pytest.raises(EmulatorError, match=r"destination covers UB bytes \[196576, 196640\)") as caught:
        core.call(load, core.base + UB_BYTES - 32, gm.ctypes.data, 1 << 4 | 64 << 16, 0)
    assert caught.value.code == 4011
    core.set_mask(counter=65)
    word = 1 | 1 << 16 | 8 << 32 | 8 << 40
    with pytest.raises(EmulatorError, match=r"VABS\.f32: source covers UB bytes"):
        core.call("VABS.f32", core.base, core.base + UB_BYTES - 256, word)
    with pytest.raises(EmulatorError, match=r"VABS\.f32: destination covers UB bytes \[-32, "):
        core.call("VABS.f32", core.base - 32, core.base, word)
    core.set_mask(counter=64)
    core.call("VABS.f32", core.base, core.base + UB_BYTES - 256, word)
    counters = core.end()
    assert counters.ub_high_water == UB_BYTES
    assert counters.gm_read_bytes == 4000
