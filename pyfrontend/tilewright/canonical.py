"""The canonical iteration of kernels with reductions: (R1, A, R0).

Every iteration dimension is kept (A) or reduced (R). In the order of storage, dimensions of extent 1 do not
matter and neighbours of one role merge; what is left has to read R* A* R*, and the three runs become the
extents (R1, A, R0), 1 where a run is empty. Batch norm of NCHW data is (N, C, H*W), of channels-last data
(N*H*W, C, 1); layer norm over the last axis is (1, rows, columns); a sum of everything is (1, 1, elements).
Without kept dimensions, or with a single kept element, all reduced dimensions are R0: the tensor is one run.

Where the roles lie otherwise (A R A: softmax over a middle axis), the dimensions are taken in another order,
kept ones first: the inputs are copied to it, and the results are copied back to the caller's.

A tensor of a kernel covers all of the iteration (mask 111), one run (010 per channel, 001 along R0, 100 along
R1), or is one element (000). Masks follow the declared axes, not the sizes, so that a size of 1 makes no new
kernel. Any other tensor, one that varies along a part of a run or along two of them, is spread out to the
next larger form.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .layout import Mask

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]

FULL: Mask = (True, True, True)
KEPT: Mask = (False, True, False)
ONE: Mask = (False, False, False)


@dataclass(frozen=True, slots=True)
class Canonical:
    """The canonical view of one iteration shape.

    Attributes:
        runs: dimensions of R1, A and R0, each in the order of iteration.
        extents: their sizes.
        moved: whether the order differs from that of storage, so that full tensors have to be copied.
    """

    runs: tuple[Shape, Shape, Shape]
    extents: tuple[int, int, int]
    moved: bool

    @property
    def order(self) -> Shape:
        """All dimensions, outermost first."""
        return self.runs[0] + self.runs[1] + self.runs[2]

    def covered(self, mask: Mask) -> Shape:
        """The dimensions of a tensor with this mask, outermost first."""
        return tuple(d for run, present in zip(self.runs, mask, strict=True) if present for d in run)

    def mask(self, dims: Collection[int]) -> Mask:
        """The smallest form in which a tensor along these dimensions can be given."""
        touched = tuple(any(d in run for d in dims) for run in self.runs)
        return touched if sum(touched) <= 1 else FULL


def view(order: Sequence[int], dims: Sequence[int], kept: Collection[int]) -> Canonical:
    """The canonical view of an iteration shape.

    Args:
        order: the dimensions as stored, outermost first.
        dims: the extent of each dimension.
        kept: the dimensions that are not reduced.
    """
    long = [d for d in order if dims[d] != 1]
    roles = "".join("A" if d in kept else "R" for d in long)
    moved = "A" in roles.strip("R") and "R" in roles.strip("R")
    if moved:
        order = [*(d for d in order if d in kept), *(d for d in order if d not in kept)]
        long = [d for d in order if dims[d] != 1]
    first = next((i for i, d in enumerate(order) if d in kept and dims[d] != 1), None)
    outer = [] if first is None else [d for d in order[:first] if d not in kept]
    middle = [d for d in order if d in kept]
    inner = [d for d in order if d not in kept and d not in outer]
    runs = (tuple(outer), tuple(middle), tuple(inner))
    sizes = tuple(math.prod(dims[d] for d in run) for run in runs)
    return Canonical(runs, (sizes[0], sizes[1], sizes[2]), moved)


@dataclass(frozen=True, slots=True)
class Spread:
    """Repeats an array along missing dimensions, to a dense one along ``target``.

    Attributes:
        present: the dimension of each axis of the array; its extent there is that of the dimension, or 1.
        target: dimensions of the new array, outermost first. Others have extent 1 in the array.
        dims: the extent of each dimension.
    """

    present: tuple[int, ...]
    target: tuple[int, ...]
    dims: tuple[int, ...]

    def __call__(self, a: Array) -> Array:
        inside = [i for i, d in enumerate(self.present) if d in self.target]
        place = {self.present[i]: k for k, i in enumerate(inside)}
        a = a.reshape([a.shape[i] for i in inside] if len(self.present) else ())
        ordered = a.transpose([place[d] for d in self.target if d in place])
        shaped = ordered[tuple(slice(None) if d in place else None for d in self.target)]
        return np.ascontiguousarray(np.broadcast_to(shaped, [self.dims[d] for d in self.target]))


def spread(present: Sequence[int], target: Sequence[int], dims: Sequence[int]) -> Spread:
    """See ``Spread``."""
    return Spread(tuple(present), tuple(target), tuple(dims))
