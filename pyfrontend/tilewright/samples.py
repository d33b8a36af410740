"""Random inputs for operators: seeded, in sensible ranges, with the values that matter for each kind of
input.

An operator says with ``@tw.op(samples={"self": "probability"})`` what its inputs mean; the default is
"normal".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import axes as axes_mod
from . import dtypes
from .binding import static_value
from .definition import Op, TensorParameter
from .errors import DefinitionError, ShapeError, UsageError, nearest
from .spec import alternatives

Array = npt.NDArray[Any]
F32 = npt.NDArray[np.float32]
Shape = tuple[int, ...]


def _normal(rng: np.random.Generator, n: int) -> F32:
    return rng.standard_normal(n, np.float32)


def _logit(rng: np.random.Generator, n: int) -> F32:
    """Mostly moderate, some that saturate."""
    x: F32 = rng.standard_normal(n, np.float32) * np.float32(3)
    x[rng.random(n, np.float32) < 0.05] *= np.float32(10)
    return x


def _probability(rng: np.random.Generator, n: int) -> F32:
    """Uniform in [0, 1), one in a hundred exactly 0 or 1."""
    x = rng.random(n, np.float32)
    edge = rng.random(n, np.float32)
    x[edge < 0.005] = 0.0
    x[edge > 0.995] = 1.0
    return x


def _label(rng: np.random.Generator, n: int) -> F32:
    """A quarter exactly 0, a quarter exactly 1, the others soft."""
    x = rng.random(n, np.float32)
    kind = rng.random(n, np.float32)
    x[kind < 0.25] = 0.0
    x[kind > 0.75] = 1.0
    return x


def _count(rng: np.random.Generator, n: int) -> F32:
    """Whole numbers from 0 to 100, one in ten 0, but not the first."""
    x: F32 = np.floor(rng.random(n, np.float32) * np.float32(100)) + np.float32(1)
    zero = rng.random(n, np.float32) < 0.1
    x[1:][zero[1:]] = 0.0
    return x


def _positive(rng: np.random.Generator, n: int) -> F32:
    """Between 0.25 and 2."""
    x: F32 = np.float32(0.25) + np.float32(1.75) * rng.random(n, np.float32)
    return x


DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, int], F32]] = {
    "normal": _normal,
    "logit": _logit,
    "probability": _probability,
    "label": _label,
    "positive": _positive,
    "count": _count,
}


def distribution(op: Op, tensor: TensorParameter) -> str:
    """The distribution of an input's random values."""
    return op.samples.get(tensor.name, "count" if tensor.spec.counts else "normal")


def draw(distribution: str, shape: Shape, dtype: str, rng: np.random.Generator) -> Array:
    """An array of a named distribution; integers are uniform in [-1000, 1000] whatever the distribution."""
    n = math.prod(shape)
    if not dtypes.is_float(dtype):
        return rng.integers(-1000, 1001, n).astype(dtypes.numpy_dtype(dtype)).reshape(shape)
    if distribution not in DISTRIBUTIONS:
        raise DefinitionError(
            "TW1024", f"there is no distribution {distribution!r}", hint=nearest(distribution, DISTRIBUTIONS)
        )
    return DISTRIBUTIONS[distribution](rng, n).astype(dtypes.numpy_dtype(dtype)).reshape(shape)


def random_inputs(
    op: Op,
    shape: Shape,
    data_type: str,
    *,
    seed: int = 0,
    attributes: Mapping[str, Any] | None = None,
    present: Collection[str] = (),
    shapes: Mapping[str, Shape] | None = None,
    types: Mapping[str, str] | None = None,
) -> dict[str, Array | None]:
    """Random inputs of an operator by name.

    Args:
        shape: the shape of the input ``op.like``; those of the others follow from the axes.
        data_type: the operator's data type T, a short name.
        seed: equal seeds give equal inputs, in every process.
        attributes: attributes of the call; static ones decide which inputs have one element.
        present: names of optional inputs to make; the others are None.
        shapes: shapes of single inputs that differ from the full one (those that broadcast).
        types: element types of single inputs that differ from the first one their annotation allows.

    Raises:
        ShapeError: TW2002 for a name that is no input, TW2004..2006 for a type or rank that does not fit.
    """
    shapes, types, attributes = shapes or {}, types or {}, attributes or {}
    known = {t.name for t in op.tensors}
    for name in (*present, *shapes, *types):
        if name not in known:
            raise ShapeError("TW2002", f"{op.name} has no input {name!r}", hint=nearest(name, known))
    if data_type not in op.data_types:
        raise UsageError("TW5102", f"{op.name} does not take {data_type}", expected=", ".join(op.data_types))
    chosen = {t.name for t in op.tensors if not t.spec.optional or t.name in present}
    element = {
        t.name: types.get(t.name) or alternatives(t.spec.dtype, data_type, None)[0]
        for t in op.tensors
        if t.name in chosen
    }
    static = {a.name: static_value(op, a, attributes.get(a.name, a.default), data_type) for a in op.statics}
    variant = op.variant(data_type, [element.get(t.name) for t in op.tensors], static)
    kinds = {n.name: n.kind for n in variant.graph.inputs}
    like = next(t for t in op.tensors if t.name == op.like)
    spans = axes_mod.split(like.spec.axes, len(shape))
    if spans is None:
        raise ShapeError(
            "TW2006",
            f"{op.name}: {like.name} cannot have {len(shape)} dimensions",
            expected=f"the axes {axes_mod.render(like.spec.axes)}",
        )
    inputs: dict[str, Array | None] = {}
    for i, t in enumerate(op.tensors):
        if t.name not in chosen:
            inputs[t.name] = None
            continue
        own: Shape = (
            () if kinds[t.name] == "scalar" else tuple(e for a in t.spec.axes for e in shape[spans[a]])
        )
        rng = np.random.Generator(np.random.PCG64([seed, i]))
        inputs[t.name] = draw(distribution(op, t), shapes.get(t.name, own), element[t.name], rng)
    return inputs
