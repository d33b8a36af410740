"""The mathematics of a graph in float64, with an error bound for a kernel that computes it in f32.

Every element gets the value of the formula, evaluated in float64 from the inputs as they are stored and from
the scalar arguments as the kernel gets them, and a bound: how far an f32 evaluation of the same graph may be
off by rounding alone. Each operation adds its own rounding error and passes on those of its operands to first
order (|d op/d a| * bound of a). Sums that cancel thus get the scale of their terms without being told.

What differs from plain float64, because a kernel computes in f32: values beyond the f32 range become
infinite, values below half the smallest f32 subnormal become 0, and results below the smallest normal number
may be 0. Integers are exact and wrap around.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from . import dtypes
from .binding import Binding
from .graph import Compute, Constant, Convert, Graph, Input, Node, Reduce, ScalarArgument

F64 = npt.NDArray[np.float64]
Array = npt.NDArray[Any]

UNIT = 2.0**-24
"""Largest relative error of rounding to f32."""
_OVERFLOW = 2.0**128 * (1.0 - 2.0**-25)
_UNDERFLOW = 2.0**-150
_NORMAL = 2.0**-126
_CHUNK = 1 << 16
ELEMENTWISE_RTOL = 5e-6
REDUCTION_RTOL = 1e-6
# A sum in f32, with compensation or in a tree, may be off by this many units of 2^-24 of the sum of
# magnitudes; compare.py allows twice the bound, so the limit is 1e-6 of that sum.
_SUM_ERROR = 8.0

# Relative error of an operation's own result, in units of 2^-24. 1: correctly rounded. Exponential and
# logarithm: two units in the last place. log1p and expm1 are composed, see emit.py; the largest share is that
# of exp near -0.5 and 0.5.
_OWN_ERROR = {
    "add": 1.0, "sub": 1.0, "mul": 1.0, "div": 1.0, "reciprocal": 1.0, "sqrt": 1.0, "rsqrt": 3.0,
    "exp": 4.0, "log": 4.0, "log1p": 8.0, "expm1": 12.0,
}  # fmt: skip


_LINEAR = frozenset({"add", "sub", "mul", "div", "neg"})


@dataclass(frozen=True)
class Reference:
    """The reference of one result.

    Attributes:
        value: float64, not rounded to the type of the result; for integer results the exact integers.
        bound: absolute error that f32 arithmetic may cause before the final rounding; 0 for integers.
        rtol: relative error that is allowed beside the bound.
    """

    value: Array
    bound: F64
    rtol: float = ELEMENTWISE_RTOL


@dataclass
class _Term:
    """A node's value, its error bound, and for comparisons where the outcome is within the error."""

    value: Array
    bound: F64 | float
    uncertain: Array | None = None


def evaluate(binding: Binding) -> list[Reference]:
    """The references of all results of a call, in their logical shapes."""
    signature = binding.signature
    graph, layout = signature.variant.graph, signature.layout
    extents = signature.extents
    inputs = [
        np.reshape(np.ravel(a, order="K"), [e if m else 1 for e, m in zip(extents, mask, strict=True)])
        for a, mask in zip(binding.inputs, layout.inputs, strict=True)
    ]
    shapes = [tuple(e if m else 1 for e, m in zip(extents, mask, strict=True)) for mask in layout.outputs]
    exact = [not dtypes.is_float(o.dtype) for o in signature.outputs]
    values: list[Array] = [
        np.empty(s, np.int64 if i else np.float64) for s, i in zip(shapes, exact, strict=True)
    ]
    bounds = [np.zeros(s, np.float64) for s in shapes]
    known = _reductions(graph, inputs, binding.scalars, extents)

    def work(part: tuple[slice, ...]) -> None:
        terms = _evaluate_nodes(graph, [r.node for r in graph.results], inputs, binding.scalars, known, part)
        for i, r in enumerate(graph.results):
            term = _unrounded(graph, terms, r.node)
            # Views: writing into the piece writes into the whole.
            _piece(values[i], part)[...] = term.value
            _piece(bounds[i], part)[...] = term.bound

    if graph.reduced or not signature.empty:
        with ThreadPoolExecutor() as pool:
            list(pool.map(work, _parts(extents)))
    references: list[Reference] = []
    rtol = REDUCTION_RTOL if graph.reduced else ELEMENTWISE_RTOL
    for spec, value, bound in zip(signature.outputs, values, bounds, strict=True):
        stored = tuple(spec.shape[d] for d in spec.order)
        back = [spec.order.index(d) for d in range(len(spec.order))]
        references.append(
            Reference(value.reshape(stored).transpose(back), bound.reshape(stored).transpose(back), rtol)
        )
    return references


def _parts(extents: Sequence[int]) -> Iterator[tuple[slice, ...]]:
    """Pieces of the iteration space that fit the processor's cache, cut along the longest axis."""
    axis = max(range(len(extents)), key=lambda i: extents[i])
    rest = math.prod(extents) // max(extents[axis], 1)
    step = max(1, _CHUNK // max(rest, 1))
    for start in range(0, max(extents[axis], 1), step):
        yield tuple(slice(start, start + step) if i == axis else slice(None) for i in range(len(extents)))


def _piece(a: Array, part: tuple[slice, ...]) -> Array:
    """The part of an array that is broadcast along its axes of extent 1."""
    return a[tuple(slice(None) if e == 1 else s for e, s in zip(a.shape, part, strict=True))]


def _evaluate_nodes(
    graph: Graph,
    roots: Iterable[int],
    inputs: Sequence[Array],
    scalars: Sequence[float | int],
    known: Mapping[int, _Term],
    part: tuple[slice, ...],
) -> dict[int, _Term]:
    """The terms of ``roots``, and of what they need, for one part of the iteration space."""
    needed = set(roots)
    for i in range(len(graph.nodes) - 1, -1, -1):
        if i in needed and i not in known:
            needed.update(graph.nodes[i].operands)
    terms: dict[int, _Term] = {}
    arrays, numbers = iter(inputs), iter(scalars)
    with np.errstate(all="ignore"):
        for i, node in enumerate(graph.nodes):
            array = next(arrays) if isinstance(node, Input) else None
            number = next(numbers) if isinstance(node, ScalarArgument) else None
            if i not in needed:
                continue
            if i in known:
                terms[i] = _Term(_piece(known[i].value, part), _piece(np.asarray(known[i].bound), part))
            elif array is not None:
                a = _piece(array, part)
                terms[i] = _Term(a.astype(np.float64) if dtypes.is_float(node.type) else a, 0.0)
            elif isinstance(node, (ScalarArgument, Constant)):
                value = node.value if isinstance(node, Constant) else number
                terms[i] = _Term(np.array(value, np.float64 if node.type == "f32" else _np(node.type)), 0.0)
            else:
                terms[i] = _operation(node, [terms[o] for o in node.operands], graph)
    return terms


# -- reductions ----------------------------------------------------------------------------------------


class _Sums(NamedTuple):
    """Reductions of one part: values, sums of magnitudes, and what the bounds of the elements pass on."""

    value: Array
    size: Array
    passed: Array


def _reductions(
    graph: Graph, inputs: Sequence[Array], scalars: Sequence[float | int], extents: Sequence[int]
) -> dict[int, _Term]:
    """The terms of all Reduce nodes, level by level, each of shape (1, A, 1)."""
    known: dict[int, _Term] = {}
    for level in range(1, max(graph.levels, default=0) + 1):
        nodes = {
            i: n for i, n in enumerate(graph.nodes) if isinstance(n, Reduce) and graph.levels[i] == level
        }
        operands = [n.operands[0] for n in nodes.values()]

        def work(part: tuple[slice, ...], nodes: Any = nodes, operands: Any = operands) -> list[_Sums]:
            terms = _evaluate_nodes(graph, operands, inputs, scalars, known, part)
            shape = tuple(len(range(e)[s]) for e, s in zip(extents, part, strict=True))
            with np.errstate(all="ignore"):
                return [_reduce(n.op, terms[n.operands[0]], shape) for n in nodes.values()]

        parts = list(_parts(extents))
        along_kept = any(p[1] != slice(None) for p in parts)
        with ThreadPoolExecutor() as pool:
            found = list(pool.map(work, parts))
        for k, (i, node) in enumerate(nodes.items()):
            whole = _join([f[k] for f in found], node.op, along_kept)
            with np.errstate(all="ignore"):
                known[i] = _reduced_term(whole, node.op)
    return known


def _reduce(op: str, term: _Term, shape: tuple[int, ...]) -> _Sums:
    value = np.broadcast_to(term.value, shape)
    bound = np.broadcast_to(term.bound, shape)
    if op == "sum":
        sums = (np.sum(a, axis=(0, 2), keepdims=True) for a in (value, np.abs(value), bound))
        return _Sums(*sums)
    extreme = np.max if op == "max" else np.min
    start = -np.inf if op == "max" else np.inf
    found = extreme(value, axis=(0, 2), keepdims=True, initial=start)
    return _Sums(found, np.zeros_like(found), np.max(bound, axis=(0, 2), keepdims=True, initial=0.0))


def _join(parts: Sequence[_Sums], op: str, along_kept: bool) -> _Sums:
    """The reductions of the whole, from those of its parts: side by side, or parts of the same sums."""
    columns = list(zip(*parts, strict=True))
    if along_kept:
        return _Sums(*(np.concatenate(c, axis=1) for c in columns))
    if op == "sum":
        return _Sums(*(np.sum(np.stack(c), axis=0) for c in columns))
    extreme = np.max if op == "max" else np.min
    value, size, passed = (np.stack(c) for c in columns)
    return _Sums(extreme(value, axis=0), size[0], np.max(passed, axis=0))


def _reduced_term(sums: _Sums, op: str) -> _Term:
    if op != "sum":
        return _Term(sums.value, sums.passed)
    term = _in_range(sums.value, sums.passed + (_SUM_ERROR * UNIT) * sums.size, 0.0)
    # Where the terms could overflow on the way nothing is known of a finite sum.
    return _Term(term.value, np.where(sums.size >= _OVERFLOW, np.inf, term.bound))


def _unrounded(graph: Graph, terms: Mapping[int, _Term], number: int) -> _Term:
    """A result before its final rounding to a half type: that rounding belongs to the comparison."""
    node = graph.nodes[number]
    if isinstance(node, Convert) and node.type in ("f16", "bf16"):
        operand = graph.nodes[node.operands[0]]
        return terms[node.operands[0]] if operand.type == "f32" else terms[number]
    return terms[number]


def _np(type_: str) -> np.dtype[Any]:
    return dtypes.numpy_dtype(type_)


def _operation(node: Node, operands: Sequence[_Term], graph: Graph) -> _Term:
    if isinstance(node, Convert):
        return _convert(node, graph.nodes[node.operands[0]].type, operands[0])
    assert isinstance(node, Compute)
    if node.op == "pivot":
        return _Term(operands[0].value, 0.0)
    if node.op == "select":
        return _select(*operands)
    if node.op in _COMPARE:
        return _compare(node.op, *operands)
    if node.type in ("i32", "i16"):
        integer = _INTEGER[node.op](*(o.value for o in operands))
        return _Term(np.asarray(integer, _np(node.type)), 0.0)
    value, passed = _FLOAT[node.op](*operands)
    unknown = node.op in _LINEAR and any(np.isinf(np.asarray(o.bound)).any() for o in operands)
    return _in_range(value, passed, _OWN_ERROR.get(node.op, 0.0), unknown)


def _in_range(value: F64, passed: F64 | float, own: float, unknown: bool = False) -> _Term:
    """Bring a result into the f32 range and add the operation's own error to the bound.

    With ``unknown`` an infinite bound stays infinite where the result is: nothing is known of it, for it
    comes from a sum that may have overflowed on the way.
    """
    size = np.abs(value)
    bound: F64 = passed + (own * UNIT) * size
    small = size < _NORMAL
    if small.any():
        # A subnormal result is rounded to a multiple of 2^-149, or flushed to 0.
        bound = bound + np.where(small, np.maximum(size, _UNDERFLOW) * (size > 0), 0.0)
        value = np.where(size < _UNDERFLOW, np.copysign(0.0, value), value)
    large = ~(size < _OVERFLOW)
    if large.any():
        value = np.where(size >= _OVERFLOW, np.copysign(np.inf, value), value)
        bound = np.where(large, np.where(np.isinf(passed), passed, 0.0) if unknown else 0.0, bound)
    # 0 * inf in the propagation: the factor is exact or the value is not finite, no contribution either way.
    return _Term(value, np.where(np.isnan(bound), 0.0, bound))


def _convert(node: Convert, source: str, x: _Term) -> _Term:
    target = node.type
    if dtypes.is_float(target):
        value = x.value.astype(np.float64)
        if not dtypes.is_float(source):
            return _in_range(value, x.bound, 1.0 if source == "i32" else 0.0)
        if target == "f32":
            return x
        rounded = value.astype(_np(target)).astype(np.float64)
        step = 2.0**-11 if target == "f16" else 2.0**-8
        tiny = 2.0**-25 if target == "f16" else 2.0**-134
        return _Term(
            rounded, np.where(np.asarray(x.bound) > 0, x.bound + 2 * step * np.abs(value) + tiny, 0.0)
        )
    if not dtypes.is_float(source):
        return _Term(x.value.astype(_np(target)), 0.0)
    info = np.iinfo(_np(target))
    whole = np.trunc(x.value)
    fits = (whole >= info.min) & (whole <= info.max)
    near = np.abs(x.value - np.rint(x.value)) <= x.bound
    bound = np.where(fits, np.where(near & (np.asarray(x.bound) > 0), 1.0, 0.0), np.inf)
    return _Term(np.where(fits, whole, 0).astype(_np(target)), bound)


_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def _compare(op: str, a: _Term, b: _Term) -> _Term:
    slack = np.asarray(a.bound + b.bound)
    outcome = _COMPARE[op](a.value, b.value)
    if not slack.any():
        return _Term(outcome, 0.0)
    close = np.abs(a.value.astype(np.float64) - b.value.astype(np.float64)) <= slack
    return _Term(outcome, 0.0, close & (slack > 0))


def _select(condition: _Term, yes: _Term, no: _Term) -> _Term:
    value = np.where(condition.value, yes.value, no.value)
    bound = np.where(condition.value, yes.bound, no.bound)
    if condition.uncertain is not None:
        # Either branch may be taken; with a branch that is not finite nothing can be said.
        other = np.abs(yes.value - no.value) + np.maximum(yes.bound, no.bound)
        bound = np.where(condition.uncertain, np.where(np.isfinite(other), other, np.inf), bound)
    return _Term(value, bound)


_INTEGER: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "neg": np.negative,
    "abs": np.abs,
    "maximum": np.maximum,
    "minimum": np.minimum,
}

_Pair = tuple[F64, "F64 | float"]


def _add(a: _Term, b: _Term) -> _Pair:
    return a.value + b.value, a.bound + b.bound


def _sub(a: _Term, b: _Term) -> _Pair:
    return a.value - b.value, a.bound + b.bound


def _neg(a: _Term) -> _Pair:
    return -a.value, a.bound


def _abs(a: _Term) -> _Pair:
    return np.abs(a.value), a.bound


def _reciprocal(a: _Term) -> _Pair:
    return _div(_Term(np.ones(()), 0.0), a)


def _mul(a: _Term, b: _Term) -> _Pair:
    return a.value * b.value, np.abs(a.value) * b.bound + np.abs(b.value) * a.bound + a.bound * b.bound


def _div(a: _Term, b: _Term) -> _Pair:
    value: F64 = a.value / b.value
    if not np.any(b.bound):
        return value, a.bound / np.abs(b.value)
    room = np.abs(b.value) - b.bound
    return value, np.where(room > 0, (a.bound + np.abs(value) * b.bound) / room, np.inf)


def _exp(a: _Term) -> _Pair:
    value = np.exp(a.value)
    return value, value * np.expm1(a.bound)


def _log(a: _Term) -> _Pair:
    room = a.value - a.bound
    return np.log(a.value), np.where(
        room > 0, np.log(a.value / room), np.where(np.asarray(a.bound) > 0, np.inf, 0.0)
    )


def _log1p(a: _Term) -> _Pair:
    room = 1.0 + a.value - a.bound
    passed = a.bound / np.where(room > 0, room, np.nan)
    return np.log1p(a.value), np.where(np.asarray(a.bound) > 0, np.nan_to_num(passed, nan=np.inf), 0.0)


def _expm1(a: _Term) -> _Pair:
    return np.expm1(a.value), np.exp(a.value) * np.expm1(a.bound)


def _sqrt(a: _Term) -> _Pair:
    value = np.sqrt(a.value)
    return value, value - np.sqrt(np.maximum(a.value - a.bound, 0.0))


def _rsqrt(a: _Term) -> _Pair:
    value = 1.0 / np.sqrt(a.value)
    room = a.value - a.bound
    return value, np.where(
        room > 0, 1.0 / np.sqrt(room) - value, np.where(np.asarray(a.bound) > 0, np.inf, 0.0)
    )


def _extreme(pick: Callable[[Array, Array], Array]) -> Callable[[_Term, _Term], _Pair]:
    def apply(a: _Term, b: _Term) -> _Pair:
        value = pick(a.value, b.value)
        if not np.any(a.bound) and not np.any(b.bound):
            return value, 0.0
        close = np.abs(a.value - b.value) <= np.asarray(a.bound + b.bound)
        chosen = np.where(value == a.value, a.bound, b.bound)
        return value, np.where(close, np.maximum(a.bound, b.bound), chosen)

    return apply


_FLOAT: dict[str, Callable[..., _Pair]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": _neg,
    "abs": _abs,
    "exp": _exp,
    "log": _log,
    "log1p": _log1p,
    "expm1": _expm1,
    "sqrt": _sqrt,
    "rsqrt": _rsqrt,
    "reciprocal": _reciprocal,
    "maximum": _extreme(cast("Callable[[Array, Array], Array]", np.maximum)),
    "minimum": _extreme(cast("Callable[[Array, Array], Array]", np.minimum)),
}
