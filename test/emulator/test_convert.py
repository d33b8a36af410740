"""Conversions, bit exact against integer arithmetic: all half and bfloat values, ties and limits."""

from __future__ import annotations

import ctypes
import re
import zlib
from fractions import Fraction

import numpy as np
import pytest
from model import Mask, Side, lanes_of, lanewise, random_mask, random_sides, random_values, same_bits, un_word

from device import DTYPES, UB_BYTES, UNSIGNED, Array, Core

CASES = 200
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23)}
PAIRS = {
    "bf162f32": "-",
    "bf162s32": "rafcz",
    "f162f32": "-",
    "f162s16": "rafcz",
    "f162s32": "rafcz",
    "f162s8": "rafcz",
    "f162u8": "rafcz",
    "f322bf16": "rafcz",
    "f322f16": "rafczo",
    "f322f32": "rafcz",
    "f322s16": "rafcz",
    "f322s32": "rafcz",
    "f322s64": "rafcz",
    "s162f16": "rafcz",
    "s162f32": "-",
    "s322f32": "rafcz",
    "s322s16": "-",
    "s322s64": "-",
    "s642f32": "rafcz",
    "s642s32": "-",
    "s82f16": "-",
    "u82f16": "-",
}
NAMES = [(pair, letter.replace("-", "")) for pair, letters in PAIRS.items() for letter in letters]


def instruction(pair: str, letter: str) -> str:
    one = ".1" if pair in ("s322s64", "s642f32", "s642s32") else ""
    return f"VCONV.{pair}{letter}{one}.v220"


def round_integer(numerator: Array, shift: Array, letter: str, negative: Array) -> Array:
    """|value| = numerator / 2^shift to an integer (object arrays of Python integers)."""
    low = numerator >> shift
    rest = numerator - (low << shift)
    half = np.where(shift > 0, 1 << np.maximum(shift - 1, 0), 1)
    inexact = rest != 0
    up = {
        "": (rest > half) | ((rest == half) & (low % 2 == 1)),
        "r": (rest > half) | ((rest == half) & (low % 2 == 1)),
        "a": inexact & (rest >= half),
        "f": inexact & negative,
        "c": inexact & ~negative,
        "z": np.zeros_like(inexact, dtype=bool),
        "o": inexact & (low % 2 == 0),
    }[letter]
    return np.asarray(low + up.astype(object))


def reference(values: Array, source: str, target: str, letter: str, wrap: bool = False) -> Array:
    """The conversion in exact integer arithmetic, independent of the host's conversions."""
    dtype = DTYPES[target]
    n = len(values)
    if source in FLOATS:
        e, m = FLOATS[source]
        raw = values.view(UNSIGNED[DTYPES[source].itemsize]).astype(object)
        negative = (raw >> (e + m)) == 1
        exponent, fraction = (raw >> m) % (1 << e), raw % (1 << m)
        special = exponent == (1 << e) - 1
        nan, inf = special & (fraction != 0), special & (fraction == 0)
        mantissa = np.where(exponent > 0, fraction + (1 << m), fraction)
        power = np.where(exponent > 0, exponent, 1) - ((1 << (e - 1)) - 1) - m
    else:
        whole = values.astype(object)
        negative = whole < 0
        mantissa, power = np.where(negative, -whole, whole), np.zeros(n, dtype=object)
        nan = inf = np.zeros(n, dtype=bool)
    negative, nan, inf = negative.astype(bool), nan.astype(bool), inf.astype(bool)

    if target not in FLOATS or (source == target):
        left, right = np.maximum(power, 0), np.minimum(np.maximum(-power, 0), 400)
        magnitude = round_integer(mantissa << left, right, letter, negative)
        result = np.where(negative, -magnitude, magnitude)
    if target in FLOATS and source != target:
        e, m = FLOATS[target]
        bias = (1 << (e - 1)) - 1
        bits = np.array([int(x).bit_length() for x in mantissa], dtype=object)
        # Exponent of the last kept bit: M bits below the leading one, or that of subnormal numbers.
        last = np.maximum(bits + power - 1 - m, 1 - bias - m)
        shift = last - power
        left, right = np.maximum(-shift, 0), np.maximum(shift, 0)
        kept = round_integer(mantissa << left, right, letter, negative)
        carried = kept >> (m + 1)
        kept, last = np.where(carried > 0, kept >> 1, kept), np.where(carried > 0, last + 1, last)
        biased = np.where(kept >> m > 0, last + m + bias, 0)
        encoded = np.where(biased > 0, (biased << m) + kept - (1 << m), kept)
        infinity = ((1 << e) - 1) << m
        zeroward = (
            np.full(n, letter in ("z", "o"))
            | (np.full(n, letter == "f") & ~negative)
            | (np.full(n, letter == "c") & negative)
        )
        encoded = np.where(encoded >= infinity, np.where(zeroward, infinity - 1, infinity), encoded)
        # A NaN keeps the leading payload bits and becomes quiet; bf16 to f32 is a plain shift.
        payload = (
            fraction << max(0, m - FLOATS[source][1]) >> max(0, FLOATS[source][1] - m)
            if source in FLOATS
            else 0
        )
        quiet = 0 if source == "bf16" else 1 << (m - 1)
        encoded = np.where(inf, infinity, np.where(nan, infinity | quiet | payload, encoded))
        encoded = encoded + np.where(negative, 1 << (e + m), 0)
        return encoded.astype(np.uint64).astype(UNSIGNED[dtype.itemsize]).view(dtype)
    if target in FLOATS:  # f32 to an integral f32: |result| < 2^24 where anything was rounded
        small = np.where(nan | inf | (power >= 0), 0, magnitude).astype(np.int64).astype(np.float32)
        signed = np.where(negative, -small, small).astype(np.float32)
        return np.where(nan | inf | (power >= 0).astype(bool), values, signed).astype(np.float32)
    info = np.iinfo(dtype)
    clamp = np.where(
        nan, 0, np.where(inf, np.where(negative, info.min, info.max), np.clip(result, info.min, info.max))
    )
    if wrap:
        size = 1 << dtype.itemsize * 8
        long = np.clip(np.where(nan | inf, 0, result), -(1 << 63), (1 << 63) - 1) % size
        long = np.where(long > info.max, long - size, long)
        clamp = np.where(nan | inf, clamp, long)
    return clamp.astype(dtype)


def sample(rng: np.random.Generator, source: str) -> Array:
    """All values of 8 and 16-bit types; for wider ones limits, ties of every target, and random values."""
    dtype = DTYPES[source]
    if dtype.itemsize <= 2:
        every = np.arange(1 << dtype.itemsize * 8, dtype=np.uint64).astype(UNSIGNED[dtype.itemsize])
        return every.view(dtype)
    if source == "f32":
        half = np.arange(0, 1 << 16, 3, dtype=np.uint16).view(np.float16)
        with np.errstate(all="ignore"):
            wide = half.astype(np.float32)
            tie = ((wide.astype(np.float64) + np.roll(wide, -1).astype(np.float64)) / 2).astype(np.float32)
        bf = np.arange(0, 1 << 32, 5 << 16, dtype=np.uint64).astype(np.uint32)
        bf_ties = np.concatenate([bf | 0x8000, bf | 0x7FFF, bf | 0x8001])
        near = np.concatenate([np.nextafter(tie, np.float32(np.inf)), np.nextafter(tie, np.float32(-np.inf))])
        limits = np.array(
            [2.0**p + d for p in (7, 8, 15, 16, 31, 32, 63, 64) for d in (-1, -0.5, 0, 0.5, 1)], np.float32
        )
        halves = (rng.integers(-70000, 70000, 5000) / 2).astype(np.float32)
        return np.concatenate(
            [
                wide,
                tie,
                near,
                bf_ties.view(np.float32),
                limits,
                -limits,
                halves,
                random_values(rng, dtype, 8000),
            ]
        )
    info = np.iinfo(dtype)
    powers = np.array(
        [s * (1 << p) + d for p in range(dtype.itemsize * 8 - 1) for d in range(-3, 4) for s in (1, -1)],
        object,
    )
    powers = np.clip(powers, info.min, info.max).astype(dtype)
    ties = (rng.integers(1 << 24, 1 << 25, 4000) * 2 + 1).astype(object) << rng.integers(
        0, dtype.itemsize * 8 - 27, 4000
    ).astype(object)
    limits = np.array([info.min, info.max, info.min + 1, info.max - 1], dtype)
    ties = np.clip(ties, info.min, info.max).astype(dtype)
    return np.concatenate([powers, ties, -ties, limits, random_values(rng, dtype, 10000)])


def split(pair: str) -> tuple[str, str]:
    match = re.fullmatch(r"(bf16|f16|f32|s16|s32|s64|s8|u8)2(\w+)", pair)
    assert match is not None
    return match[1], match[2]


WRAPS = [(p, r) for p, r in NAMES if split(p)[1] not in FLOATS and p != "s322s64"]


@pytest.mark.parametrize(
    ("pair", "letter", "wrap"), [(*n, False) for n in NAMES] + [(*n, True) for n in WRAPS]
)
def test_values(lib: ctypes.CDLL, pair: str, letter: str, wrap: bool) -> None:
    source, target = split(pair)
    rng = np.random.default_rng(zlib.crc32((pair + letter).encode()))
    values = sample(rng, source)
    want = reference(values, source, target, letter, wrap)
    core = Core(lib)
    if wrap:
        core.call("SET.CTRL", 1 << 59)
    step = 4096
    s, t = DTYPES[source], DTYPES[target]
    wide = max(s.itemsize, t.itemsize)
    word = un_word(Side(t, 0, 1, 8 * t.itemsize // wide), Side(s, 0, 1, 8 * s.itemsize // wide), 1)
    for start in range(0, len(values), step):
        part = values[start : start + step]
        core.ub[: part.nbytes] = part.view(np.uint8)
        core.set_mask(counter=len(part))
        core.call(instruction(pair, letter), core.base + 65536, core.base, word)
        got = core.ub[65536 : 65536 + len(part) * t.itemsize].view(t)
        ok = same_bits(got, want[start : start + step], t)
        assert ok.all(), [(part[i], got[i], want[start + i]) for i in np.flatnonzero(~ok)[:5]]
    core.end()


def program(core: Core, mask: Mask) -> int:
    if mask.counter is not None:
        core.set_mask(counter=mask.counter)
        return 1
    core.set_mask(mask=mask.bits)
    return mask.repeats


@pytest.mark.parametrize(("pair", "letter"), NAMES)
def test_addressing(lib: ctypes.CDLL, pair: str, letter: str) -> None:
    """Masks and strides, source in the lower and destination in the upper half of UB."""
    source, target = split(pair)
    s, t = DTYPES[source], DTYPES[target]
    rng = np.random.default_rng(zlib.crc32(("at" + pair + letter).encode()))
    core = Core(lib)
    half = UB_BYTES // 2
    pool = np.unique(random_values(rng, s, 2048).view(UNSIGNED[s.itemsize])).view(s)
    table = reference(pool, source, target, letter)
    chosen = rng.integers(0, len(pool), half // s.itemsize)
    core.ub[:half] = pool[chosen].view(np.uint8)
    for case in range(CASES):
        mask = random_mask(rng, lanes_of(s, t))
        d, a = random_sides(rng, [t, s], mask)
        for side in (d, a):
            room = half - int(side.offsets(mask.repeats, mask.lanes).max() - side.offset) - 8
            if room < 0:
                side.block, side.repeat, room = 1, 8, 32
            side.offset = int(rng.integers(0, room // 32 + 1)) * 32
        d.offset += half
        want = core.ub.copy()
        to, come = (x.offsets(mask.repeats, mask.lanes)[mask.active] for x in (d, a))
        results = table[chosen[come // s.itemsize]]
        for k in range(t.itemsize):
            want[to + k] = results.view(np.uint8).reshape(-1, t.itemsize)[:, k]
        repeat = program(core, mask)
        core.call(
            instruction(pair, letter), core.base + d.offset, core.base + a.offset, un_word(d, a, repeat)
        )
        assert (core.ub == want).all(), (case, d, a, mask)
    core.end()


@pytest.mark.parametrize(
    ("pair", "letter"), [("f162f32", ""), ("f322f16", "r"), ("s322s64", ""), ("f322s16", "z")]
)
def test_overlap(lib: ctypes.CDLL, pair: str, letter: str) -> None:
    """Operands of different sizes that overlap: repeats in order, reads of a repeat before its writes."""
    source, target = split(pair)
    s, t = DTYPES[source], DTYPES[target]
    rng = np.random.default_rng(zlib.crc32(("over" + pair).encode()))
    core = Core(lib)
    pool = random_values(rng, s, UB_BYTES // s.itemsize)
    for case in range(CASES):
        core.ub[:] = pool.view(np.uint8)
        mask = random_mask(rng, lanes_of(s, t))
        if mask.counter is None and mask.repeats > 4:
            mask = Mask(mask.lanes, bits=mask.bits, repeats=4)
        d, a = random_sides(rng, [t, s], mask)
        room = UB_BYTES - 65536
        d.offset = int(rng.integers(0, room // 32)) * 32
        a.offset = min(max(0, d.offset + int(rng.integers(-16, 16)) * 32), room)
        want = core.ub.copy()
        lanewise(want, d, [a], mask, lambda x: reference(x, source, target, letter))
        repeat = program(core, mask)
        core.call(
            instruction(pair, letter), core.base + d.offset, core.base + a.offset, un_word(d, a, repeat)
        )
        assert (core.ub == want).all(), (case, d, a, mask)
    core.end()


def test_reference_against_fractions() -> None:
    """The vectorised reference itself, against rational arithmetic on single values."""
    rng = np.random.default_rng(5)
    values = np.concatenate(
        [
            rng.standard_normal(200).astype(np.float32),
            np.asarray([2.5, -2.5, 0.5, 1.5, 65519.9, 65520], np.float32),
        ]
    )
    want = reference(values, "f32", "s32", "r")
    assert [int(w) for w in want] == [round(Fraction(float(v))) for v in values]
    with np.errstate(all="ignore"):
        assert (
            reference(values, "f32", "f16", "r").view(np.uint16) == values.astype(np.float16).view(np.uint16)
        ).all()
