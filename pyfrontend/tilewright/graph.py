"""The graph of one variant of an operator: what the traced Python function computes.

A graph is a list of immutable nodes in order of definition; operands are positions in that list. Equal nodes
are shared. ``Graph.text()`` is the canonical form: the same in every process and free of source locations, so
it is the part of a cache key that stands for the mathematics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from .axes import Axes, render
from .errors import Location
from .hostexpr import HostExpr


@dataclass(frozen=True)
class Site(Location):
    """A place in the user's source with its 1-based column (1 where the interpreter does not know it)."""

    column: int = 1


@dataclass(frozen=True, slots=True)
class Node:
    """Common part of all nodes.

    Attributes:
        type: element type of the value ("f32", "f16", "bf16", "i32", "i16", or "i1" for a comparison).
        axes: axes along which the value varies, in the operator's order; () for a single value.
        operands: positions of the operands in ``Graph.nodes``.
        site: the user's line, not compared and not part of the text.
    """

    type: str
    axes: Axes
    operands: tuple[int, ...]
    site: Site = field(compare=False)

    def body(self) -> str:
        """The right-hand side in the canonical text."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Input(Node):
    """A tensor the kernel reads. ``kind`` is "tensor", "broadcast" or "scalar", as in TensorSpec."""

    name: str
    kind: str

    def body(self) -> str:
        return f"input {self.name} {self.kind}"


@dataclass(frozen=True, slots=True)
class ScalarArgument(Node):
    """A host expression that reaches the kernel as one scalar argument of type f32 or i32."""

    expr: HostExpr

    def body(self) -> str:
        return f"scalar {self.expr}"


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """A number in the source, already rounded to ``type``."""

    value: float | int

    def body(self) -> str:
        return f"constant {self.value!r}"


@dataclass(frozen=True, slots=True)
class Compute(Node):
    """An elementwise operation: an operation name of ``tilewright.lang`` and its operands."""

    op: str

    def body(self) -> str:
        return f"{self.op} {' '.join(f'%{i}' for i in self.operands)}"


@dataclass(frozen=True, slots=True)
class Convert(Node):
    """A change of element type: to half types rounding to nearest even, to integers towards zero."""

    def body(self) -> str:
        return f"convert %{self.operands[0]}"


@dataclass(frozen=True, slots=True)
class Reduce(Node):
    """A reduction along axes: ``op`` is "sum", "max" or "min", ``over`` the axes in the operator's order.

    ``axes`` are those of the operand without ``over``. Always f32.
    """

    op: str
    over: Axes

    def body(self) -> str:
        return f"{self.op} %{self.operands[0]} over {render(self.over)}"


@dataclass(frozen=True, slots=True)
class Result:
    """A tensor the kernel writes: its name ("out0", ...), axes, and the node that gives its elements."""

    name: str
    axes: Axes
    node: int


@dataclass(frozen=True)
class Graph:
    """What one variant of an operator computes.

    Attributes:
        name: the operator's name.
        nodes: all nodes; the inputs come first, in the order of the parameters, then everything that is used.
        results: the tensors written, in order.
    """

    name: str
    nodes: tuple[Node, ...]
    results: tuple[Result, ...]

    @cached_property
    def inputs(self) -> tuple[Input, ...]:
        """The tensors read, in the order of the parameters; absent optional inputs are left out."""
        return tuple(n for n in self.nodes if isinstance(n, Input))

    @cached_property
    def scalars(self) -> tuple[ScalarArgument, ...]:
        """The scalar arguments in order."""
        return tuple(n for n in self.nodes if isinstance(n, ScalarArgument))

    @cached_property
    def reduced(self) -> Axes:
        """The axes along which all reductions of the kernel go; () for an elementwise kernel."""
        return next((n.over for n in self.nodes if isinstance(n, Reduce)), ())

    @cached_property
    def across(self) -> Axes:
        """The axes along which values of one channel are shared; () for a kernel without channels.

        Those of the reductions. A kernel without reductions has them where each of its tensors has either all
        axes or one and the same part of them (batch norm with given statistics): it is then scheduled like a
        kernel with reductions, so that a channel's values are read once and not spread by every tile.
        """
        if self.reduced:
            return self.reduced
        tensors = [n for n in self.inputs if n.axes]
        whole = max((n.axes for n in tensors), key=len, default=())
        parts = {n.axes for n in tensors} - {whole}
        plain = all(n.kind == "tensor" for n in tensors) and all(r.axes == whole for r in self.results)
        floats = all(n.type in ("f32", "f16", "bf16", "i1") for n in self.nodes)
        if len(parts) != 1 or not plain or not floats:
            return ()
        kept = parts.pop()
        return tuple(a for a in whole if a not in kept) if set(kept) < set(whole) else ()

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """For each node, the number of passes over the data that have to be finished before it is known.

        An input has 0; the first sums have 1, for they are known after one pass; a sum of terms that contain
        one of them has 2. A pass computes all reductions of one level.
        """
        levels: list[int] = []
        for node in self.nodes:
            before = max((levels[i] for i in node.operands), default=0)
            levels.append(before + isinstance(node, Reduce))
        return tuple(levels)

    @cached_property
    def _text(self) -> str:
        lines = [f"graph {self.name}"]
        for i, node in enumerate(self.nodes):
            lines.append(f"  %{i} = {node.body()} : {node.type}{render(node.axes)}")
        for result in self.results:
            lines.append(f"  {result.name}{render(result.axes)} <- %{result.node}")
        return "\n".join(lines) + "\n"

    def text(self) -> str:
        """Canonical text, one node a line."""
        return self._text
