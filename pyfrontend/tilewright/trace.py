"""Tracing: the Python body of an operator runs once per variant on symbolic values and leaves a graph.

``Value`` stands for a tensor, ``HostValue`` for an expression of attributes (see hostexpr.py). Booleans,
choices and absent inputs are ordinary Python objects during tracing, so ordinary ``if`` selects between
variants; an ``if`` on a ``Value`` or a ``HostValue`` is an error with the user's line.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
import threading
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

from . import dtypes, hostexpr
from .axes import Axes, AxisOrder, parse, render
from .errors import DefinitionError, Location, nearest
from .graph import Compute, Constant, Convert, Graph, Input, Node, Reduce, Result, ScalarArgument, Site
from .hostexpr import HostExpr

_PACKAGE = str(Path(__file__).parent.absolute()) + os.sep
_OPS = _PACKAGE + "ops" + os.sep

Number = int | float
Operand = "Value | HostValue | int | float"

FLOAT_ONLY = frozenset({"div", "exp", "log", "sqrt", "rsqrt", "reciprocal", "log1p", "expm1"})
COMPARISONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})


def _is_internal(filename: str) -> bool:
    return filename.startswith(_PACKAGE) and not filename.startswith(_OPS)


def display_path(filename: str) -> str:
    """A source file's name in messages: relative inside the package or the current folder, else absolute."""
    if filename.startswith(_PACKAGE):
        return "tilewright" + os.sep + filename.removeprefix(_PACKAGE)
    try:
        here = str(Path.cwd()) + os.sep
    except OSError:  # the folder is gone
        return filename
    return filename.removeprefix(here)


def _user_frame() -> FrameType | None:
    frame = inspect.currentframe()
    while frame is not None and _is_internal(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def user_location() -> Site | None:
    """The innermost line on the call stack outside the package's machinery; its operators count as users."""
    frame = _user_frame()
    if frame is None:
        return None
    column = 1
    if sys.version_info >= (3, 11):
        position = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), None)
        if position is not None and position[2] is not None:
            column = position[2] + 1
    return Site(display_path(frame.f_code.co_filename), frame.f_lineno, column)


def user_locals() -> dict[str, Any]:
    """The local variables of the place that ``user_location`` names."""
    frame = _user_frame()
    return {} if frame is None else frame.f_locals


def fail(code: str, what: str, *, expected: str = "", hint: str = "") -> NoReturn:
    """Raise a definition error at the user's current line."""
    raise DefinitionError(code, what, expected=expected, hint=hint, location=user_location())


class RefusedVariantError(Exception):
    """Raised by ``tw.require`` during tracing: this combination of types and choices is not an operator."""

    def __init__(self, what: str, expected: str, hint: str) -> None:
        super().__init__(what)
        self.what, self.expected, self.hint = what, expected, hint


class _State(threading.local):
    """The trace that is running in this thread, if any."""

    builder: Builder | None = None


_STATE = _State()


def current() -> Builder | None:
    """The trace that is running in this thread, or None."""
    return _STATE.builder


class Builder:
    """Collects the nodes of one trace. Use as a context manager: inside, DSL functions add to this trace."""

    def __init__(self, name: str, order: AxisOrder) -> None:
        self.name = name
        self.order = order
        self.nodes: list[Node] = []
        self._numbers: dict[Node, int] = {}
        self._outer: Builder | None = None

    def __enter__(self) -> Builder:
        self._outer, _STATE.builder = _STATE.builder, self
        return self

    def __exit__(self, *_: object) -> None:
        _STATE.builder = self._outer

    def add(self, node: Node) -> Value:
        """The value of ``node``; an equal node that exists already is used instead."""
        number = self._numbers.get(node)
        if number is None:
            number = len(self.nodes)
            self.nodes.append(node)
            self._numbers[node] = number
        return Value(self, number)

    def site(self) -> Site:
        return user_location() or Site("<unknown>", 0)

    def input(self, name: str, kind: str, type_: str, axes: Axes, location: Location) -> Value:
        """A tensor parameter; its place is the line of the definition."""
        site = location if isinstance(location, Site) else Site(location.file, location.line)
        return self.add(Input(type_, axes, (), site, name, kind))

    def one_element(self, value: Value) -> Value:
        """Turn an input into a one-element input (``tw.one_element``)."""
        node = value.node
        assert isinstance(node, Input)
        if any(value.number in n.operands for n in self.nodes):
            fail(
                "TW1015",
                f"tw.one_element({node.name}) comes after {node.name} has been used",
                hint="call it before the first use and continue with its result",
            )
        replaced = Input(node.type, (), (), node.site, node.name, "scalar")
        self.nodes[value.number] = replaced
        del self._numbers[node]
        self._numbers[replaced] = value.number
        return Value(self, value.number)

    # -- bringing operands to one type ------------------------------------------------------------

    def lift(self, operand: object, type_: str) -> Value:
        """``operand`` as a value of the compute type ``type_``: "f32", "i32" or "i16"."""
        if isinstance(operand, Value):
            return self.convert(operand, type_)
        if isinstance(operand, HostValue):
            return self._lift_host(operand.expr, type_)
        assert isinstance(operand, (int, float))
        return self._constant(operand, type_)

    def _lift_host(self, expr: HostExpr, type_: str) -> Value:
        if type_ == "f32":
            return self.add(ScalarArgument("f32", (), (), self.site(), expr))
        if not expr.is_int:
            fail(
                "TW1013",
                f"the float expression {expr} is combined with a tensor of type {type_}",
                hint='declare the attribute as int, or cast the tensor: tw.cast(x, "f32")',
            )
        scalar = self.add(ScalarArgument("i32", (), (), self.site(), expr))
        return self.convert(scalar, type_)

    def _constant(self, number: int | float, type_: str) -> Value:
        if type_ == "f32":
            value = hostexpr.to_kernel(float(number), "f32")
            if math.isinf(value) != math.isinf(number) or (value == 0.0) != (number == 0):
                fail(
                    "TW1016",
                    f"the number {number!r} is {value!r} in f32, in which this operator computes",
                    expected="0, or a magnitude between 1.4e-45 and 3.4e38",
                )
            return self.add(Constant("f32", (), (), self.site(), value))
        if not isinstance(number, int):
            fail(
                "TW1013",
                f"the float {number!r} is combined with a tensor of type {type_}",
                hint='write an integer, or cast the tensor: tw.cast(x, "f32")',
            )
        if abs(number) > dtypes.TYPES[type_].largest:
            fail("TW1016", f"the number {number} does not fit the type {type_} of the tensor")
        return self.add(Constant(type_, (), (), self.site(), number))

    def convert(self, value: Value, type_: str, site: Site | None = None) -> Value:
        """``value`` in another element type; ``site`` is the user's line if it is not the current one."""
        node = value.node
        if node.type == type_:
            return value
        return self.add(Convert(type_, node.axes, (value.number,), site or self.site()))

    # -- operations -------------------------------------------------------------------------------

    def compute(self, op: str, operands: Sequence[object]) -> Value:
        """An elementwise operation on values, host values and numbers, at least one of them a ``Value``."""
        type_ = self._common_type(op, operands)
        values = [self.lift(x, type_) for x in operands]
        axes = self._join(op, values)
        result_type = "i1" if op in COMPARISONS else type_
        return self.add(Compute(result_type, axes, tuple(v.number for v in values), self.site(), op))

    def select(self, condition: Value, yes: object, no: object) -> Value:
        """``yes`` where ``condition`` holds, else ``no``."""
        if any(isinstance(x, Value) for x in (yes, no)):
            type_ = self._common_type("where", (yes, no))
        else:
            type_ = "f32"
        values = [condition, self.lift(yes, type_), self.lift(no, type_)]
        axes = self._join("where", values)
        return self.add(Compute(type_, axes, tuple(v.number for v in values), self.site(), "select"))

    def reduce(self, op: str, operand: object, over: object) -> Value:
        """The sum, maximum or minimum ("sum", "max", "min") along the axes named by the text ``over``."""
        if not isinstance(operand, Value):
            check_operand(op, operand)
            fail(
                "TW1014",
                f"tw.{op} of {operand!r}, which is one number",
                expected="a tensor that varies along the axes",
                hint="tw.size(axes) is the number of elements along axes",
            )
        self._common_type(op, (operand,))
        if operand.is_integer:
            fail(
                "TW1014",
                f"tw.{op} is not defined for integers ({operand.describe()})",
                hint='convert first: tw.cast(x, "f32")',
            )
        axes = self._reduced(op, operand, over)
        value = self.lift(operand, "f32")
        rest = tuple(a for a in value.node.axes if a not in axes)
        return self.add(Reduce("f32", rest, (value.number,), self.site(), op, axes))

    def _reduced(self, op: str, operand: Value, over: object) -> Axes:
        """The axes that ``over`` names, in the operator's order."""
        own = operand.node.axes
        if not isinstance(over, str):
            fail("TW1015", f"tw.{op} over {over!r}", expected='axes as a text, such as over="N *S"')
        names = parse(over, user_location())
        for name in names:
            if name not in self.order.order:
                fail(
                    "TW1015",
                    f"unknown axis {name!r} in tw.{op}(..., over={over!r})",
                    expected=", ".join(self.order.order),
                    hint=nearest(name, self.order.order),
                )
            if name not in own:
                fail(
                    "TW1015",
                    f"tw.{op} over the axis {name}, along which {operand.describe()} does not vary",
                    expected=f"axes of {render(own)}",
                    hint=f'multiply by tw.size("{name}") if every element is to be counted that often',
                )
        if not names:
            fail("TW1015", f"tw.{op} over no axis", expected=f"axes of {render(own)}")
        return tuple(a for a in self.order.order if a in names)

    def _common_type(self, op: str, operands: Sequence[object]) -> str:
        types: dict[str, str] = {}
        for x in operands:
            if isinstance(x, Value):
                if x.builder is not self:
                    fail(
                        "TW1018",
                        "a tensor of another trace is used here",
                        hint="do not keep tensors in globals or closures of an operator",
                    )
                if x.type == "i1":
                    fail(
                        "TW1014",
                        f"{op} of a comparison's result",
                        expected="numbers",
                        hint="turn it into numbers first: tw.where(condition, 1, 0)",
                    )
                types[dtypes.TYPES[x.type].compute] = x.describe()
        if len(types) > 1:
            (a, da), (b, db) = list(types.items())[:2]
            fail(
                "TW1013",
                f"{op} of {da} (computed in {a}) and {db} (computed in {b})",
                expected="operands that compute in one type",
                hint=f'convert one of them: tw.cast(x, "{a}")',
            )
        type_ = next(iter(types))
        if op in FLOAT_ONLY and type_ != "f32":
            fail(
                "TW1014",
                f"{op} is not defined for integers ({types[type_]})",
                hint='convert first: tw.cast(x, "f32")',
            )
        return type_

    def _join(self, op: str, values: Sequence[Value]) -> Axes:
        axes = self.order.union(v.node.axes for v in values)
        if axes is None:
            shapes = " and ".join(render(v.node.axes) for v in values if v.node.axes)
            known = ", ".join(render(a) for a in self.order.annotations)
            fail(
                "TW1007",
                f"{op} of tensors with the axes {shapes}: no annotation of {self.name} has all these axes",
                expected=f"axes that lie together in one of {known}",
                hint="only axes of one tensor have a known order; rename the axis if the two are the same",
            )
        return axes

    def finish(self, results: Sequence[Result]) -> Graph:
        """The graph: nodes that no result needs are dropped, inputs stay."""
        needed = {r.node for r in results}
        for i in range(len(self.nodes) - 1, -1, -1):
            if i in needed:
                needed.update(self.nodes[i].operands)
        kept = [i for i, n in enumerate(self.nodes) if i in needed or isinstance(n, Input)]
        new = {old: i for i, old in enumerate(kept)}
        nodes = tuple(_renumber(self.nodes[i], new) for i in kept)
        graph = Graph(self.name, nodes, tuple(Result(r.name, r.axes, new[r.node]) for r in results))
        self._check_reductions(graph)
        return graph

    def _check_reductions(self, graph: Graph) -> None:
        """One kernel reduces over one set of axes, and its results have all axes or those that are left."""
        reductions = [n for n in graph.nodes if isinstance(n, Reduce)]
        if not reductions:
            return
        first = reductions[0]
        for node in reductions:
            if node.over != first.over:
                raise DefinitionError(
                    "TW1017",
                    f"{self.name} reduces over {render(first.over)} and over {render(node.over)}",
                    expected="the same axes in all reductions of an operator",
                    hint="make two operators: the data passes the cores in one order only",
                    location=node.site,
                )
        kept = tuple(a for a in self.order.order if a not in first.over)
        for result in graph.results:
            if result.axes not in (self.order.order, kept):
                raise DefinitionError(
                    "TW1017",
                    f"a result of {self.name} has the axes {render(result.axes)}",
                    expected=f"all axes {render(self.order.order)}, or those that are left after the "
                    f"reduction, {render(kept)}",
                    hint="compute it in an operator of its own",
                    location=graph.nodes[result.node].site,
                )


def _renumber(node: Node, new: dict[int, int]) -> Node:
    operands = tuple(new[i] for i in node.operands)
    if isinstance(node, Compute):
        return Compute(node.type, node.axes, operands, node.site, node.op)
    if isinstance(node, Convert):
        return Convert(node.type, node.axes, operands, node.site)
    if isinstance(node, Reduce):
        return Reduce(node.type, node.axes, operands, node.site, node.op, node.over)
    return node


def _combine(op: str, a: object, b: object) -> Value | HostValue:
    """``a op b``; host values and numbers stay on the host."""
    for x in (a, b):
        if not isinstance(x, (Value, HostValue)):
            check_operand(op, x)
    for x in (a, b):
        if isinstance(x, Value):
            return x.builder.compute(op, (a, b))
    ea, eb = as_host(a), as_host(b)
    return HostValue(HostExpr(op, (ea, eb), ea.is_int and eb.is_int and op != "div"))


def as_host(x: object) -> HostExpr:
    """A host value or number as an expression."""
    if isinstance(x, HostValue):
        return x.expr
    assert isinstance(x, (int, float))
    return hostexpr.literal(x)


def check_operand(op: str, x: object) -> None:
    """Refuse what cannot take part in the mathematics, with the reason."""
    if isinstance(x, (Value, HostValue)):
        return
    if isinstance(x, (int, float)) and not isinstance(x, bool):
        return
    if x is None:
        fail(
            "TW1020",
            f"{op} of None: an optional input is absent in one variant and used there",
            hint="test it first: `if weight is not None: ...`",
        )
    if isinstance(x, bool):
        fail(
            "TW1014",
            f"{op} of a bool",
            hint="a bool attribute selects a variant: use `if flag:`, or tw.where for a tensor",
        )
    fail(
        "TW1019",
        f"{op} of a {type(x).__module__}.{type(x).__qualname__}",
        expected="tensors, attributes and Python numbers",
        hint="arrays must be inputs of the operator",
    )


class _Arithmetic:
    """Operators shared by tensors and attribute expressions."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None  # NumPy must hand `array * value` to us, which refuses it with a location

    def __add__(self, other: object) -> Any:
        return _combine("add", self, other)

    def __radd__(self, other: object) -> Any:
        return _combine("add", other, self)

    def __sub__(self, other: object) -> Any:
        return _combine("sub", self, other)

    def __rsub__(self, other: object) -> Any:
        return _combine("sub", other, self)

    def __mul__(self, other: object) -> Any:
        return _combine("mul", self, other)

    def __rmul__(self, other: object) -> Any:
        return _combine("mul", other, self)

    def __truediv__(self, other: object) -> Any:
        return _combine("div", self, other)

    def __rtruediv__(self, other: object) -> Any:
        return _combine("div", other, self)

    def __neg__(self) -> Any:
        return unary("neg", self)

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return unary("abs", self)

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(name)
        fail(
            "TW1019",
            f"{self._describe()} has no attribute {name!r}",
            expected="whole-tensor mathematics",
            hint='sizes come from tw.size("N *S"); functions are called as tw.exp(x)',
        )

    def _describe(self) -> str:
        raise NotImplementedError

    def _unsupported(
        self, what: str, hint: str = "whole-tensor mathematics only; see docs/dsl.md"
    ) -> NoReturn:
        fail("TW1019", f"{what} of {self._describe()} is not part of the language", hint=hint)

    def __getitem__(self, _: object) -> NoReturn:
        self._unsupported("indexing")

    def __iter__(self) -> NoReturn:
        self._unsupported("iteration")

    def __len__(self) -> NoReturn:
        self._unsupported("len()", 'element counts come from tw.size("N *S")')

    def __float__(self) -> NoReturn:
        self._unsupported("float() or a function of the math module", "use tw.exp, tw.log, ... instead")

    def __int__(self) -> NoReturn:
        self._unsupported("int()")

    def __index__(self) -> NoReturn:
        self._unsupported("use as an index")

    def __pow__(self, _: object) -> NoReturn:
        self._unsupported("**", "write x * x, or tw.exp(y * tw.log(x))")

    __rpow__ = __pow__

    def __floordiv__(self, _: object) -> NoReturn:
        self._unsupported("//")

    __rfloordiv__ = __mod__ = __rmod__ = __matmul__ = __rmatmul__ = __floordiv__

    def __and__(self, _: object) -> NoReturn:
        self._unsupported("&, | or ~", "nest tw.where instead: tw.where(a, tw.where(b, y, z), z)")

    __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __and__

    def __invert__(self) -> NoReturn:
        self._unsupported("~", "exchange the branches of tw.where instead")


class Value(_Arithmetic):
    """A tensor during tracing: one node of the graph. Immutable."""

    __slots__ = ("builder", "number")

    def __init__(self, builder: Builder, number: int) -> None:
        self.builder = builder
        self.number = number

    @property
    def node(self) -> Node:
        return self.builder.nodes[self.number]

    @property
    def type(self) -> str:
        """Element type of the value in the graph."""
        return self.node.type

    @property
    def is_integer(self) -> bool:
        """Whether this variant computes the tensor in integers: a plain bool, for `if` and tw.require."""
        return self.type in ("i32", "i16")

    def describe(self) -> str:
        node = self.node
        name = node.name if isinstance(node, Input) else "a value"
        return f"{name}: {node.type}{render(node.axes)}"

    _describe = describe

    def __repr__(self) -> str:
        return f"<tensor {self.describe()}>"

    def __bool__(self) -> NoReturn:
        fail(
            "TW1011",
            f"the truth of {self.describe()} differs by element; the operator is only being defined here",
            hint="use tw.where(condition, a, b) instead of if, and, or, not, min() and max()",
        )

    def _compare(self, op: str, other: object) -> Value:
        check_operand(op, other)
        return self.builder.compute(op, (self, other))

    def __lt__(self, other: object) -> Value:
        return self._compare("lt", other)

    def __le__(self, other: object) -> Value:
        return self._compare("le", other)

    def __gt__(self, other: object) -> Value:
        return self._compare("gt", other)

    def __ge__(self, other: object) -> Value:
        return self._compare("ge", other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("eq", other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("ne", other)


class HostValue(_Arithmetic):
    """An expression of attributes, literals and sizes during tracing; a scalar argument where it is used."""

    __slots__ = ("expr",)

    def __init__(self, expr: HostExpr) -> None:
        self.expr = expr

    def _describe(self) -> str:
        return f"the attribute expression {self.expr}"

    def __repr__(self) -> str:
        return f"<{self._describe()}>"

    def __bool__(self) -> NoReturn:
        fail(
            "TW1012",
            f"the value of {self.expr} is not known while the operator is defined",
            expected="conditions on bool attributes, Literal attributes and `is None`",
            hint="number attributes are run-time values, one kernel serves all; make the decision a bool "
            "or Literal attribute, or check the value in an @op.check function",
        )

    def _compare(self, op: str, other: object) -> Value:
        if isinstance(other, Value):
            return other.builder.compute(op, (self, other))
        fail(
            "TW1012",
            f"{op} of {self.expr} with {other!r}: number attributes are run-time values",
            expected="conditions on bool attributes, Literal attributes and `is None`",
            hint="make the decision a bool or Literal attribute, or check the value in an @op.check function",
        )

    def __lt__(self, other: object) -> Value:
        return self._compare("lt", other)

    def __le__(self, other: object) -> Value:
        return self._compare("le", other)

    def __gt__(self, other: object) -> Value:
        return self._compare("gt", other)

    def __ge__(self, other: object) -> Value:
        return self._compare("ge", other)

    def __eq__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("eq", other)

    def __ne__(self, other: object) -> Value:  # type: ignore[override]
        return self._compare("ne", other)


def unary(op: str, x: object) -> Value | HostValue:
    """A function of one value; of numbers and attributes it is evaluated on the host."""
    check_operand(op, x)
    if isinstance(x, Value):
        return x.builder.compute(op, (x,))
    expr = as_host(x)
    return HostValue(HostExpr(op, (expr,), expr.is_int and op in ("neg", "abs")))


def binary(op: str, a: object, b: object) -> Value | HostValue:
    """A function of two values; of numbers and attributes it is evaluated on the host."""
    return _combine(op, a, b)
