"""Independent NumPy model of lane addressing, masks and random operands.

Written from the instruction notes, lane by lane and without the fast paths of the emulator.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from device import BLOCK, REPEAT, UB_BYTES, UNSIGNED, Array

Compute = Callable[..., Array]


@dataclass
class Side:
    """One operand: byte offset in UB, element type, strides in blocks."""

    dtype: np.dtype[Any]
    offset: int = 0
    block: int = 1
    repeat: int = 8

    def offsets(self, repeats: int, lanes: int) -> Array:
        """Byte offset of every lane: int64[repeats, lanes]."""
        per = BLOCK // self.dtype.itemsize
        e = np.arange(lanes)
        inside = (e // per) * self.block * BLOCK + (e % per) * self.dtype.itemsize
        return self.offset + np.arange(repeats)[:, None] * self.repeat * BLOCK + inside[None, :]


@dataclass
class Mask:
    """Active lanes; `counter` elements, or a lane mask for each of `repeats` repeats."""

    lanes: int
    counter: int | None = None
    bits: int = (1 << 128) - 1
    repeats: int = 1
    active: Array = field(init=False)

    def __post_init__(self) -> None:
        if self.counter is not None:
            self.repeats = -(-self.counter // self.lanes)
            self.active = (
                np.arange(self.repeats * self.lanes).reshape(self.repeats, self.lanes) < self.counter
            )
        else:
            row = np.array([self.bits >> i & 1 for i in range(self.lanes)], dtype=bool)
            self.active = np.broadcast_to(row, (self.repeats, self.lanes))


def read(ub: Array, offsets: Array, dtype: np.dtype[Any]) -> Array:
    index = offsets[..., None] + np.arange(dtype.itemsize)
    return np.ascontiguousarray(ub[np.minimum(index, UB_BYTES - 1)]).view(dtype)[..., 0]


def write(ub: Array, offsets: Array, values: Array) -> None:
    """In lane order: where lanes share an address the last one stays."""
    raw = np.ascontiguousarray(values).view(np.uint8).reshape(len(offsets), values.dtype.itemsize)
    for k in range(values.dtype.itemsize):
        ub[offsets + k] = raw[:, k]


def lanewise(ub: Array, dst: Side, sources: list[Side], mask: Mask, compute: Compute) -> None:
    """Repeats in order; all reads of a repeat before its writes."""
    to = dst.offsets(mask.repeats, mask.lanes)
    come = [s.offsets(mask.repeats, mask.lanes) for s in sources]
    for r in range(mask.repeats):
        act = mask.active[r]
        operands = [read(ub, c[r][act], s.dtype) for c, s in zip(come, sources, strict=True)]
        with np.errstate(all="ignore"):
            result = compute(*operands) if sources else compute(int(act.sum()))
        assert result.dtype == dst.dtype
        write(ub, to[r][act], result)


def random_values(rng: np.random.Generator, dtype: np.dtype[Any], n: int) -> Array:
    """Ordinary numbers, any bit pattern, and the special values of the type, mixed."""
    unsigned = UNSIGNED[dtype.itemsize]
    anything = rng.integers(0, 2 ** (8 * dtype.itemsize), n, dtype=np.uint64).astype(unsigned).view(dtype)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        small = rng.integers(-100 if info.min < 0 else 0, 100, n).astype(dtype)
        special = rng.choice(np.array([0, 1, info.min, info.max, info.max - 1], dtype=dtype), n)
    else:
        small = (rng.standard_normal(n) * 4).astype(dtype)
        half = (rng.integers(-40, 40, n) / 2).astype(dtype)
        small = np.where(rng.random(n) < 0.3, half, small)
        # subnormals, limits and infinities as bit patterns
        size = {2: 16, 4: 32}[dtype.itemsize]
        exponent = {"float16": 5, "bfloat16": 8, "float32": 8}[dtype.name]
        inf = ((1 << exponent) - 1) << (size - 1 - exponent)
        table = [
            0,
            1,
            2,
            inf - 1,
            inf,
            inf | 1 << (size - 2 - exponent),
            (1 << (size - 1 - exponent)) - 1,
            1 << (size - 1 - exponent),
        ]
        special = rng.choice(np.array(table + [t | 1 << (size - 1) for t in table], dtype=unsigned), n).view(
            dtype
        )
    pick = rng.random(n)
    return np.where(pick < 0.7, small, np.where(pick < 0.85, anything, special)).astype(dtype)


def random_mask(rng: np.random.Generator, lanes: int) -> Mask:
    kind = rng.integers(0, 5)
    if kind == 0:
        return Mask(lanes, counter=int(rng.integers(1, lanes * 6)))
    if kind == 1:
        return Mask(lanes, counter=int(lanes * rng.integers(1, 5)))
    repeats = int(rng.integers(1, 7)) if rng.random() < 0.95 else int(rng.integers(7, 40))
    if kind == 2:
        return Mask(lanes, repeats=repeats)
    if kind == 3:
        return Mask(lanes, bits=(1 << int(rng.integers(1, lanes + 1))) - 1, repeats=repeats)
    bits = (
        int.from_bytes(rng.bytes(16), "little") & int.from_bytes(rng.bytes(16), "little")
        if rng.random() < 0.5
        else int.from_bytes(rng.bytes(16), "little")
    )
    return Mask(lanes, bits=bits, repeats=repeats)


def random_sides(rng: np.random.Generator, dtypes: list[np.dtype[Any]], mask: Mask) -> list[Side]:
    """Destination and sources, anywhere in UB, sometimes overlapping or in place; all lanes inside UB."""
    sides: list[Side] = []
    for i, dtype in enumerate(dtypes):
        contiguous = mask.lanes * dtype.itemsize // BLOCK
        kind = rng.random()
        if kind < 0.45:
            block, repeat = 1, contiguous
        elif kind < 0.6:
            block, repeat = 1, int(rng.integers(0, 20))
        elif kind < 0.7 and i:
            block, repeat = 0, 0
        else:
            block, repeat = int(rng.integers(0, 5)), int(rng.integers(0, 20))
        side = Side(dtype, 0, block, repeat)
        room = UB_BYTES - int(side.offsets(mask.repeats, mask.lanes).max()) - dtype.itemsize
        side.offset = int(rng.integers(0, room // BLOCK + 1)) * BLOCK
        near = rng.random()
        if i and near < 0.15:
            side.offset = min(sides[0].offset, room // BLOCK * BLOCK)
            if near < 0.1:
                side.block, side.repeat = sides[0].block, sides[0].repeat
                if int(side.offsets(mask.repeats, mask.lanes).max()) + dtype.itemsize > UB_BYTES:
                    side.offset, side.block, side.repeat = 0, 1, 8
        elif i and near < 0.25:
            side.offset = min(
                max(0, sides[0].offset + int(rng.integers(-12, 12)) * BLOCK), room // BLOCK * BLOCK
            )
        sides.append(side)
    return sides


def bin_word(dst: Side, a: Side, b: Side, repeat: int, mode: int = 0) -> int:
    return (
        dst.block
        | a.block << 8
        | b.block << 16
        | dst.repeat << 24
        | a.repeat << 32
        | b.repeat << 40
        | mode << 48
        | repeat << 56
    )


def un_word(dst: Side, src: Side, repeat: int) -> int:
    return (
        dst.block
        | src.block << 16
        | (dst.repeat & 0xFF) << 32
        | src.repeat << 40
        | (dst.repeat >> 8) << 52
        | repeat << 56
    )


def dup_word(dst: Side, repeat: int) -> int:
    return dst.block | (dst.repeat & 0xFF) << 32 | (dst.repeat >> 8) << 52 | repeat << 56


def lanes_of(*dtypes: np.dtype[Any]) -> int:
    return (
        REPEAT // max(2, *[d.itemsize for d in dtypes])
        if len(dtypes) > 1
        else REPEAT // max(2, dtypes[0].itemsize)
    )


def same_bits(got: Array, want: Array, dtype: np.dtype[Any]) -> Array:
    """Equal bit patterns, or both NaN (the payload of a NaN is not modelled). bool per element."""
    g, w = got.view(dtype), want.view(dtype)
    unsigned = UNSIGNED[dtype.itemsize]
    equal = g.view(unsigned) == w.view(unsigned)
    if dtype.kind not in "iu":
        equal |= np.isnan(g.astype(np.float32)) & np.isnan(w.astype(np.float32))
    return np.asarray(equal)


def ulp_distance(got: Array, exact: Array, dtype: np.dtype[Any]) -> Array:
    """Distance of `got` from the float64 value `exact` in units of the last place of `dtype`.

    0 where both are NaN or the same infinity, at most 0.5 where `got` is the rounded value.
    """
    info = np.finfo(dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(dtype).astype(np.float64)
        magnitude = np.maximum(
            np.abs(np.where(np.isfinite(rounded), rounded, float(info.max))), float(info.smallest_normal)
        )
        ulp = 2.0 ** (np.floor(np.log2(magnitude)) - info.nmant)
        distance = np.abs(got.astype(np.float64) - exact) / ulp
    same = (np.isnan(got) & np.isnan(exact)) | (got.astype(np.float64) == rounded)
    return np.asarray(np.where(same, np.minimum(np.nan_to_num(distance, nan=0.0, posinf=0.0), 0.5), distance))
