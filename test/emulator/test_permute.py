"""Compress, gather, transpose and sort."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from model import Side, lanes_of, random_mask, random_values, read, write

from device import BLOCK, DTYPES, UB_BYTES, Array, Core, EmulatorError

CASES = 200
KEEP = {1: (2, 0), 2: (2, 1), 3: (4, 0), 4: (4, 1), 5: (4, 2), 6: (4, 3), 7: (1, 0)}


@pytest.mark.parametrize("width", ["b16", "b32"])
@pytest.mark.parametrize("counter", [False, True])
def test_compress(lib: ctypes.CDLL, width: str, counter: bool) -> None:
    rng = np.random.default_rng(len(width) + counter)
    dtype = DTYPES[width]
    core = Core(lib)
    core.ub[:] = rng.integers(0, 256, UB_BYTES, dtype=np.uint8)
    for _ in range(CASES):
        pattern = int(rng.integers(0, 8))
        per = int(rng.integers(1, 400)) if counter else 256 // dtype.itemsize
        repeats = int(rng.integers(0, 9)) if rng.random() < 0.9 else 300
        src = Side(
            dtype, int(rng.integers(0, 100)) * BLOCK, int(rng.integers(0, 3)), int(rng.integers(0, 12))
        )
        bits_at, bits_step, out = 140 << 10, int(rng.integers(0, 3)), 150 << 10
        if repeats == 300:
            pattern, per, src.repeat, bits_step = (pattern, min(per, 16), 1, 0) if counter else (3, per, 0, 0)
        core.set_mask(counter=per) if counter else core.set_mask()
        where = src.offsets(max(repeats, 1), per)[:repeats]
        values = read(core.ub, where, dtype)
        if pattern == 0:
            rows = [core.ub[bits_at + r * bits_step * BLOCK :][: -(-per // 8)] for r in range(repeats)]
            kept = np.array([np.unpackbits(x, bitorder="little")[:per] for x in rows], bool).reshape(
                repeats, per
            )
        else:
            modulus, rest = KEEP[pattern]
            kept = np.broadcast_to(np.arange(per) % modulus == rest, (repeats, per))
        want = core.ub.copy()
        result = values[kept]
        write(want, out + np.arange(len(result)) * dtype.itemsize, result)
        word = (
            (repeats & 255)
            | src.block << 8
            | pattern << 16
            | src.repeat << 24
            | bits_step << 40
            | (repeats >> 8) << 56
        )
        core.call("VREDUCEv2." + width, core.base + out, core.base + src.offset, core.base + bits_at, word)
        assert (core.ub == want).all()
        assert core.call("GET.RSVD.CNT") == len(result)
    core.end()


@pytest.mark.parametrize("width", ["b16", "b32"])
def test_gather(lib: ctypes.CDLL, width: str) -> None:
    rng = np.random.default_rng(7)
    dtype = DTYPES[width]
    core = Core(lib)
    core.ub[:] = rng.integers(0, 256, UB_BYTES, dtype=np.uint8)
    list_at, out = 128 << 10, 160 << 10
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(dtype))
        if mask.repeats > 20 or not mask.active.any():
            continue
        count = mask.repeats * mask.lanes
        absolute = case % 2 == 0  # the library passes whole UB addresses
        base = 0 if absolute else int(rng.integers(0, 100)) * 4
        places = rng.integers(0, 100 << 10, count) // dtype.itemsize * dtype.itemsize
        offsets = (places - base + (core.base if absolute else 0)).astype(np.int64)
        places = np.where(offsets < 0, places + base, places)
        offsets = np.where(offsets < 0, offsets + base, offsets).astype(np.uint32)
        core.ub[list_at : list_at + 4 * count] = offsets.view(np.uint8)
        dst = Side(dtype, out, 1, int(rng.integers(0, 12)))
        want = core.ub.copy()
        act = mask.active
        values = read(want, places.reshape(act.shape), dtype)
        for r in range(mask.repeats):
            write(want, dst.offsets(mask.repeats, mask.lanes)[r][act[r]], values[r][act[r]])
        if mask.counter is not None:
            core.set_mask(counter=mask.counter)
        else:
            core.set_mask(mask=mask.bits)
        core.call(
            "VGATHER." + width,
            core.base + out,
            core.base + list_at,
            base | dst.repeat << 32 | mask.repeats << 56,
        )
        assert (core.ub == want).all(), (case, mask, dst)
    core.ub[list_at : list_at + 4].view(np.uint32)[0] = UB_BYTES - 1
    core.set_mask(counter=1)
    with pytest.raises(EmulatorError, match=r"VGATHER.*gathered element"):
        core.call("VGATHER." + width, core.base + out, core.base + list_at, 0)
    core.end()


def set_list(core: Core, register: int, rows: Array) -> None:
    for i in range(0, 16, 2):
        core.call("MOVEVA", register + i // 8, i % 8, core.base + int(rows[i]), core.base + int(rows[i + 1]))


@pytest.mark.parametrize("width", ["b8", "b16", "b32"])
def test_transpose(lib: ctypes.CDLL, width: str) -> None:
    """The matrix the sixteen rows stand for, transposed by NumPy."""
    rng = np.random.default_rng(8)
    dtype = np.dtype(np.uint8) if width == "b8" else DTYPES[width]
    core = Core(lib)
    core.ub[:] = rng.integers(0, 256, UB_BYTES, dtype=np.uint8)
    for _ in range(CASES):
        repeats = int(rng.integers(0, 4))
        steps = [int(x) for x in rng.integers(0, 30, 2)]
        src_rows = rng.choice(1000, 16, replace=False) * BLOCK
        dst_rows = (rng.choice(1000, 16, replace=False) + 3000) * BLOCK
        set_list(core, 0, dst_rows)
        set_list(core, 2, src_rows)
        high = [bool(x) for x in rng.integers(0, 2, 2)]
        want = core.ub.copy()
        for r in range(repeats):
            rows = np.stack([want[a + r * steps[1] * BLOCK :][:BLOCK].view(dtype) for a in src_rows])
            if width == "b8":
                matrix = rows[:, 16 * high[1] : 16 * high[1] + 16].T
                for i in range(16):
                    want[dst_rows[i] + r * steps[0] * BLOCK + 16 * high[0] :][:16] = matrix[i]
                continue
            lines = rows.T.reshape(16, -1) if width == "b32" else rows.T
            for i in range(16):
                want[dst_rows[i] + r * steps[0] * BLOCK :][:BLOCK] = np.ascontiguousarray(lines[i]).view(
                    np.uint8
                )
        flags = tuple(int(h) for h in high) if width == "b8" else ()
        core.call("S.VNCHWCONV." + width, 0, 2, steps[0] | steps[1] << 16 | repeats << 56, *flags)
        assert (core.ub == want).all()
    core.end()


def ordered(scores: Array) -> Array:
    """Stable descending order, NaN first."""
    key = np.where(np.isnan(scores), -np.inf, -np.clip(scores.astype(np.float64), -1e300, 1e300))
    return np.asarray(np.argsort(key, kind="stable"))


def records(t: str, scores: Array, index: Array) -> Array:
    """uint8[n, 8]: score, then 32-bit index."""
    out = np.zeros((len(scores), 8), np.uint8)
    out[:, : DTYPES[t].itemsize] = scores.view(np.uint8).reshape(len(scores), -1)
    out[:, 4:] = index.astype(np.uint32).view(np.uint8).reshape(-1, 4)
    return out


@pytest.mark.parametrize("t", ["f16", "f32"])
def test_sort_32(lib: ctypes.CDLL, t: str) -> None:
    rng = np.random.default_rng(9)
    core = Core(lib)
    for _ in range(CASES):
        repeats = int(rng.integers(0, 9))
        n = repeats * 32
        scores = random_values(rng, DTYPES[t], n)
        if rng.random() < 0.5:
            scores = rng.integers(-3, 4, n).astype(DTYPES[t])
        index = rng.integers(0, 1 << 32, n, dtype=np.uint64).astype(np.uint32)
        core.ub[: scores.nbytes] = scores.view(np.uint8)
        core.ub[8192 : 8192 + 4 * n] = index.view(np.uint8)
        want = core.ub.copy()
        for r in range(repeats):
            part = slice(32 * r, 32 * r + 32)
            order = ordered(scores[part])
            want[65536 + 256 * r :][:256] = records(t, scores[part][order], index[part][order]).ravel()
        core.call("VBS32." + t, core.base + 65536, core.base, core.base + 8192, repeats << 56)
        assert (core.ub == want).all()
    core.end()


@pytest.mark.parametrize("t", ["f16", "f32"])
def test_merge_sorted_lists(lib: ctypes.CDLL, t: str) -> None:
    rng = np.random.default_rng(10)
    core = Core(lib)
    core.ub[:] = 0
    for _ in range(CASES):
        lists = int(rng.integers(2, 5))
        repeated = rng.random() < 0.3
        repeats = int(rng.integers(2, 5)) if repeated else 1
        length = (
            [int(rng.integers(1, 90))] * lists if repeated else [int(x) for x in rng.integers(0, 200, lists)]
        )
        total = sum(length)
        places = (
            np.concatenate([[0], np.cumsum(length)[:-1]]) * 8 if repeated else np.arange(lists) * 4096 + 64
        )
        want = core.ub.copy()
        for r in range(repeats):
            parts, numbers = [], []
            for k in range(lists):
                s = (
                    random_values(rng, DTYPES[t], length[k])
                    if rng.random() < 0.5
                    else rng.integers(-3, 4, length[k]).astype(DTYPES[t])
                )
                s = s[ordered(s)]
                i = rng.integers(0, 1 << 31, length[k])
                at = int(places[k]) + r * total * 8
                core.ub[at : at + 8 * length[k]] = want[at : at + 8 * length[k]] = records(t, s, i).ravel()
                parts.append(s)
                numbers.append(i)
            scores, index = np.concatenate(parts), np.concatenate(numbers)
            order = ordered(scores)
            want[65536 + r * total * 8 :][: total * 8] = records(t, scores[order], index[order]).ravel()
        packed = sum(((core.base + int(places[k]) >> 3) & 0xFFFF) << 16 * k for k in range(lists))
        sizes = sum(length[k] << 16 * k for k in range(lists))
        core.call(f"VMRGSORT.{t}.V220", core.base + 65536, packed, sizes, repeats | ((1 << lists) - 1) << 8)
        assert (core.ub == want).all()
    core.end()
