"""Layout classes: which iteration axes each tensor of a kernel varies along.

Before a kernel is chosen, the dimensions of a call are merged: neighbouring dimensions that every tensor
either has or lacks together become one, dimensions of size 1 vanish. What is left is the layout class. A
kernel is compiled once per layout class and takes the merged extents as arguments, so all tensors of one
shape, whatever its rank, are the class "1: 1 1 -> 1": one flat axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Mask = tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A layout class.

    Attributes:
        rank: number of merged iteration axes, at least 1.
        inputs: for each present input in order, whether it varies along each axis. A one-element input has no
            True.
        outputs: the same for the results.
    """

    rank: int
    inputs: tuple[Mask, ...]
    outputs: tuple[Mask, ...]

    def text(self) -> str:
        """Canonical text, part of cache keys: ``2: 11 01 00 -> 11``."""
        ins = " ".join(_bits(m) for m in self.inputs)
        outs = " ".join(_bits(m) for m in self.outputs)
        return f"{self.rank}: {ins} -> {outs}"

    @staticmethod
    def flat(inputs: int, outputs: int = 1) -> Layout:
        """The class of tensors that all have the same shape."""
        return Layout(1, ((True,),) * inputs, ((True,),) * outputs)


def _bits(mask: Mask) -> str:
    return "".join("1" if m else "0" for m in mask)


def merge(
    shape: Sequence[int], masks: Sequence[Mask], full: Sequence[bool]
) -> tuple[tuple[int, ...], tuple[Mask, ...]]:
    """Merge dimensions.

    Args:
        shape: extents of the iteration dimensions, in the order in which the tensors are stored.
        masks: for each tensor, whether it varies along each dimension.
        full: for each tensor, whether it has the whole shape. Where all extents are 1, one axis of extent 1
            is left, and such tensors have it: a single element then needs no kernel of its own.

    Returns:
        The extents of the merged axes (at least one) and the mask of each tensor over them.
    """
    extents: list[int] = []
    columns: list[Mask] = []
    for d, extent in enumerate(shape):
        if extent == 1:
            continue
        column = tuple(m[d] for m in masks)
        if columns and columns[-1] == column:
            extents[-1] *= extent
        else:
            extents.append(extent)
            columns.append(column)
    if not extents:
        return (1,), tuple((f,) for f in full)
    return tuple(extents), tuple(tuple(c[i] for c in columns) for i in range(len(masks)))
