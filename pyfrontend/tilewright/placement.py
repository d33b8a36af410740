"""Placement: how the tensors of a call lie in the iteration of a kernel.

Every tensor is brought to an array that is dense in the order of iteration, which is the order in which the
input ``op.like`` is stored; most calls need no copy for that. Elementwise kernels iterate over merged
dimensions (layout.py), kernels with reductions over the canonical three (canonical.py).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from . import canonical, dtypes
from .axes import Axes
from .definition import Op, TensorParameter
from .errors import ShapeError
from .graph import Result
from .layout import Layout, Mask, merge

Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]


class Info(NamedTuple):
    """What has to be known of an input: shape, strides in bytes (None: C order) and dtype object or name."""

    shape: Shape
    strides: Shape | None
    dtype: Any


@dataclass(frozen=True, slots=True)
class OutputSpec:
    """A result.

    Attributes:
        shape: its logical shape.
        dtype: element type.
        order: its dimensions in the order in which the kernel stores them, outermost first.
        final: the order in which the caller gets them, None if it is the same.
    """

    shape: Shape
    dtype: str
    order: Shape
    final: Shape | None = None

    def finish(self, a: Array) -> Array:
        """The result as the caller gets it: copied to the order ``final`` if the kernel used another."""
        if self.final is None:
            return a
        copy: Array = np.ascontiguousarray(a.transpose(self.final)).transpose(inverse(self.final))
        return copy

    def allocate(self, empty: Callable[[Shape, np.dtype[Any]], Array] = np.empty) -> Array:
        """An uninitialised array of the logical shape, dense in storage order; ``empty`` makes C order."""
        stored = empty(tuple(self.shape[d] for d in self.order), dtypes.numpy_dtype(self.dtype))
        logical: Array = stored.transpose(inverse(self.order))
        return logical


class Operand(NamedTuple):
    """A present input: parameter, description, kind in this variant, dimensions, what ``varying`` says."""

    parameter: TensorParameter
    info: Info
    kind: str
    own: Shape
    mask: Mask
    whole: bool

    @property
    def present(self) -> Shape:
        """The iteration dimension of each dimension of the array; leading ones may be missing."""
        return self.own[len(self.own) - len(self.info.shape) :] if self.kind != "scalar" else ()


class Placed(NamedTuple):
    """The tensors of a kernel: layout class and extents; views and element counts of the inputs; outputs."""

    layout: Layout
    extents: Shape
    views: tuple[Callable[[Array], Array] | None, ...]
    counts: tuple[int, ...]
    outputs: tuple[OutputSpec, ...]


def shape_text(shape: Shape) -> str:
    """A shape as Python prints it."""
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def inverse(order: Sequence[int]) -> Shape:
    """The permutation that undoes ``order``."""
    back = [0] * len(order)
    for i, d in enumerate(order):
        back[d] = i
    return tuple(back)


def dims_of(axes: Axes, spans: Mapping[str, slice]) -> Shape:
    """The iteration dimensions of axes."""
    return tuple(d for a in axes for d in range(spans[a].start, spans[a].stop))


def storage_order(
    op: Op, present: Sequence[tuple[TensorParameter, Info]], kinds: Mapping[str, str], dims: Shape
) -> Shape:
    """The order in which the dimensions are stored, outermost first: that of ``op.like`` if it is dense."""
    logical = tuple(range(len(dims)))
    for t, info in present:
        if t.name != op.like or kinds[t.name] != "tensor" or info.shape != dims or info.strides is None:
            continue
        strides = info.strides
        # A dimension of size 1 goes inside the one that has its stride: so results get the strides of the
        # input there too, by which torch tells channels-last from contiguous.
        order = tuple(sorted(logical, key=lambda d: (-strides[d], dims[d] == 1)))
        if _is_dense([dims[d] for d in order], [strides[d] for d in order], _itemsize(info)):
            return order
    return logical


def _itemsize(info: Info) -> int:
    short = dtypes.short_name(info.dtype)
    assert short is not None
    return dtypes.TYPES[short].size


def _is_dense(shape: Sequence[int], strides: Sequence[int], itemsize: int) -> bool:
    if 0 in shape:
        return True
    expected = itemsize
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def varying(
    op: Op, t: TensorParameter, info: Info, kind: str, spans: Mapping[str, slice], dims: Shape
) -> tuple[Mask, bool]:
    """Along which dimensions a tensor varies, and whether it has the whole shape. Raises TW2008, TW2009."""
    if kind == "scalar":
        if math.prod(info.shape) != 1:
            raise ShapeError(
                "TW2009",
                f"{op.name}: {t.name} has the shape {shape_text(info.shape)}",
                expected="one element in this variant: the shape () or (1,)",
            )
        return (False,) * len(dims), False
    own = dims_of(t.spec.axes, spans)
    target = tuple(dims[d] for d in own)
    if info.shape == target:
        return tuple(d in own for d in range(len(dims))), len(own) == len(dims)
    # Only "broadcast" inputs get here with another shape; sizes are aligned at the last dimension.
    missing = len(target) - len(info.shape)
    fits = missing >= 0 and all(e in (1, s) for e, s in zip(info.shape, target[missing:], strict=False))
    if not fits:
        raise ShapeError(
            "TW2008",
            f"{op.name}: {t.name} has the shape {shape_text(info.shape)}, which does not broadcast to "
            f"{shape_text(target)}",
            expected="a shape whose dimensions, aligned at the last one, are 1 or those of "
            f"{shape_text(target)}",
        )
    varying = {own[missing + i] for i, e in enumerate(info.shape) if e != 1}
    return tuple(d in varying for d in range(len(dims))), False


def _view(t: Operand, order: Shape) -> Callable[[Array], Array] | None:
    """How to make the caller's array dense in this order of dimensions; None if it is already."""
    info = t.info
    if t.kind == "scalar":
        return None if len(info.shape) == 0 else flatten
    place = {d: i for i, d in enumerate(t.present)}
    axes = tuple(place[d] for d in order if d in place)
    strides = info.strides
    if strides is not None and not _is_dense(
        [info.shape[a] for a in axes], [strides[a] for a in axes], _itemsize(info)
    ):
        return functools.partial(_dense_copy, axes)
    return None


def flatten(a: Array) -> Array:
    """An array of one element as one without dimensions."""
    return a.reshape(())


def _dense_copy(axes: Shape, a: Array) -> Array:
    copy: Array = np.ascontiguousarray(a.transpose(axes)).transpose(inverse(axes))
    return copy


def _output(result: Result, type_: str, spans: Mapping[str, slice], dims: Shape, order: Shape) -> OutputSpec:
    own = dims_of(result.axes, spans)
    place = {d: i for i, d in enumerate(own)}
    return OutputSpec(tuple(dims[d] for d in own), type_, tuple(place[d] for d in order if d in place))


def elementwise(
    tensors: Sequence[Operand],
    results: Sequence[tuple[Result, str]],
    spans: Mapping[str, slice],
    dims: Shape,
    order: Shape,
) -> Placed:
    """The placement of a kernel without reductions; ``results`` come with their element types."""
    masks = [tuple(t.mask[d] for d in order) for t in tensors]
    full = [t.whole for t in tensors]
    for result, _ in results:
        own = dims_of(result.axes, spans)
        masks.append(tuple(d in own for d in order))
        full.append(len(own) == len(dims))
    extents, merged = merge(tuple(dims[d] for d in order), masks, full)
    n = len(tensors)
    return Placed(
        Layout(len(extents), merged[:n], merged[n:]),
        extents,
        tuple(_view(t, order) for t in tensors),
        tuple(math.prod(t.info.shape) for t in tensors),
        tuple(_output(r, type_, spans, dims, order) for r, type_ in results),
    )


def reducing(
    tensors: Sequence[Operand],
    results: Sequence[tuple[Result, str]],
    spans: Mapping[str, slice],
    dims: Shape,
    order: Shape,
    reduced: Axes,
    like: str,
) -> Placed:
    """The placement of a kernel that reduces the axes ``reduced``: the canonical iteration."""
    kept = [a for a in spans if a not in reduced]
    where = canonical.view(order, dims, dims_of(tuple(kept), spans))
    masks = [_reducing_mask(t, where, spans, kept) for t in tensors]
    if canonical.FULL not in masks:
        # The kernel reads its extents from a tensor that has them all.
        masks[next(i for i, t in enumerate(tensors) if t.parameter.name == like)] = canonical.FULL
    views: list[Callable[[Array], Array] | None] = []
    counts: list[int] = []
    for t, mask in zip(tensors, masks, strict=True):
        target = where.covered(mask)
        counts.append(math.prod(dims[d] for d in target))
        as_given = counts[-1] == math.prod(t.info.shape) and set(t.present) <= set(target)
        spread = canonical.spread(t.present, target, dims)
        views.append(_view(t, target) if as_given else spread)
    outputs: list[OutputSpec] = []
    for result, type_ in results:
        output = _output(result, type_, spans, dims, order)
        if where.moved:
            final = output.order
            output = _output(result, type_, spans, dims, where.order)
            output = output if output.order == final else replace(output, final=final)
        outputs.append(output)
    forms = [canonical.FULL if len(r.axes) == len(spans) else canonical.KEPT for r, _ in results]
    return Placed(
        Layout(3, tuple(masks), tuple(forms)), where.extents, tuple(views), tuple(counts), tuple(outputs)
    )


def _reducing_mask(
    t: Operand, where: canonical.Canonical, spans: Mapping[str, slice], kept: Sequence[str]
) -> Mask:
    """The form of an input: by its declared axes, or, where it broadcasts, by those that it has."""
    axes = t.parameter.spec.axes
    if t.whole and len(axes) == len(spans):
        return canonical.FULL
    if t.kind == "scalar" or not axes or (t.kind == "broadcast" and math.prod(t.info.shape) == 1):
        return canonical.ONE
    if not kept:
        return canonical.FULL
    touched = [d for d, m in enumerate(t.mask) if m]
    if not touched:  # its axes have no dimension; it goes where they would be
        if all(a in kept for a in axes):
            return canonical.KEPT
        outer = list(spans).index(axes[0]) < list(spans).index(kept[0])
        return (outer, False, not outer)
    return where.mask(touched)
