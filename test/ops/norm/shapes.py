"""Shapes, layouts and types of the batch-norm sweep, and how a part of it is chosen."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np

Array = Any

N = (1, 2, 3, 7, 32)
C = (1, 2, 3, 7, 16, 39, 40, 41, 64, 257)
S = (1, 2, 7, 8, 9, 31, 49, 63, 64, 65, 196, 513, 3136, 10001)
LARGEST_BYTES = 64 << 20
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
#: Shapes that have been trouble elsewhere: one block, few channels with long runs, channels-last by nature.
NAMED: tuple[tuple[int, ...], ...] = (
    (16, 3),
    (32, 32, 32),
    (8, 32, 224, 224),
    (2050, 16, 32, 32),
    (8, 16, 3, 224, 224),
    (16, 64, 147, 147),
    (2, 3, 1000003),
)


class Kind(NamedTuple):
    """Element types of data and of the numbers for channels, and the memory order of the data."""

    data: str
    channel: str
    layout: str

    def __str__(self) -> str:
        return "-".join(self)


KINDS = tuple(
    Kind(data, channel, layout)
    for data, channel in (("f32", "f32"), ("f16", "f32"), ("bf16", "f32"), ("f16", "f16"), ("bf16", "bf16"))
    for layout in ("contiguous", "last")
)


def logical(n: int, c: int, s: int, rank: int) -> tuple[int, ...]:
    """A shape of this rank with s elements inside; factors where s has them, 1 where it has not."""
    if rank == 2:
        return (n, c)
    inner = [s]
    for _ in range(rank - 3):
        k = next((k for k in (8, 7, 3, 2) if inner[-1] % k == 0), 1)
        inner[-1:] = [k, inner[-1] // k]
    return (n, c, *inner)


def everything() -> list[tuple[tuple[int, ...], Kind]]:
    """All shapes in all layouts and types that fit."""
    found: list[tuple[tuple[int, ...], Kind]] = []
    for n, c, s in itertools.product(N, C, S):
        rank = 2 if s == 1 else 3 + (n + c + s) % 3
        for kind in KINDS:
            size = 4 if kind.data == "f32" else 2
            if n * c * s * size > LARGEST_BYTES or (rank == 2 and kind.layout == "last"):
                continue
            found.append((logical(n, c, s, rank), kind))
    return found


def sample(count: int, seed: int, limit: int) -> list[tuple[tuple[int, ...], Kind]]:
    """A part with every value of N, C and S, and every kind; ``limit`` bounds the number of elements."""
    rng = np.random.default_rng(seed)
    whole = [entry for entry in everything() if math.prod(entry[0]) <= limit]
    order = rng.permutation(len(whole))
    chosen: list[tuple[tuple[int, ...], Kind]] = []
    seen: set[Any] = set()
    for i in order:
        shape, kind = whole[i]
        marks = {("n", shape[0]), ("c", shape[1]), ("s", math.prod(shape[2:])), kind}
        if not marks <= seen:
            seen |= marks
            chosen.append((shape, kind))
    for i in order:
        if len(chosen) >= count:
            break
        if whole[i] not in chosen:
            chosen.append(whole[i])
    return chosen


def arranged(a: Array, layout: str) -> Array:
    """``a``, or a copy of it whose channels lie last in memory."""
    if layout == "contiguous" or a.ndim < 3:
        return a
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 1, -1)), -1, 1)


def normal(rng: np.random.Generator, shape: tuple[int, ...], kind: Kind, mean: float = 0.5) -> Array:
    """Random data with a mean that differs from 0."""
    a = (rng.standard_normal(shape, np.float32) * np.float32(1.5) + np.float32(mean)).astype(NUMPY[kind.data])
    return arranged(a, kind.layout)


def channel(rng: np.random.Generator, c: int, kind: Kind, *, positive: bool = False) -> Array:
    """Random numbers for channels."""
    a = rng.standard_normal(c).astype(np.float32)
    return (np.abs(a) * np.float32(0.5) + np.float32(0.25) if positive else a).astype(NUMPY[kind.channel])
