"""A bound call as plain linalg on static tensors: what AscendNPU-IR's own automatic scheduling is given.

The same graph as that of the compiled kernel, written for the stock compiler's HFusion route: arith and math
operations on whole tensors, ``linalg.reduce`` and ``linalg.broadcast``, every extent and every number of the
call as a constant. The stock compiler thus knows more than our kernel, which serves all shapes. Elementwise
``linalg.generic`` it does not take.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tilewright.binding import Binding
from tilewright.errors import CompileError
from tilewright.graph import Compute, Constant, Convert, Graph, Input, Node, Reduce, ScalarArgument
from tilewright.layout import Mask

KERNEL = "kernel"
_DEVICE = "attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}"
_FLOATS = ("f32", "f16", "bf16")
_FLOAT_OPERATIONS = {
    "add": "arith.addf", "sub": "arith.subf", "mul": "arith.mulf", "div": "arith.divf",
    "neg": "arith.negf", "maximum": "arith.maximumf", "minimum": "arith.minimumf", "abs": "math.absf",
    "exp": "math.exp", "log": "math.log", "sqrt": "math.sqrt", "rsqrt": "math.rsqrt",
}  # fmt: skip
_INTEGER_OPERATIONS = {
    "add": "arith.addi", "sub": "arith.subi", "mul": "arith.muli", "maximum": "arith.maxsi",
    "minimum": "arith.minsi",
}  # fmt: skip
_COMPARISONS = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_COMBINERS = {"sum": "arith.addf", "max": "arith.maximumf", "min": "arith.minimumf"}
_NEUTRAL = {"sum": "0.0", "max": "0xFF800000", "min": "0x7F800000"}
_CASTS = {
    ("f16", "f32"): "arith.extf", ("bf16", "f32"): "arith.extf", ("f32", "f16"): "arith.truncf",
    ("f32", "bf16"): "arith.truncf", ("i16", "i32"): "arith.extsi", ("i32", "i16"): "arith.trunci",
    ("i16", "f32"): "arith.sitofp", ("i32", "f32"): "arith.sitofp", ("f32", "i32"): "arith.fptosi",
    ("f32", "i16"): "arith.fptosi",
}  # fmt: skip


@dataclass(frozen=True)
class Value:
    """An SSA value: a tensor over the axes of ``mask``, a plain number where there are none."""

    name: str
    type: str
    mask: Mask


def _literal(value: float, type_: str) -> str:
    """A constant with exactly the bits of the kernel's number."""
    if type_ == "f32":
        return f"0x{struct.unpack('<I', struct.pack('<f', value))[0]:08X}"
    return repr(float(value)) if type_ in _FLOATS else str(int(value))


def write(binding: Binding) -> str:
    """The module's text; inputs in the call's order, then the results.

    Raises:
        CompileError: TW3024 for an operation that this form does not have.
    """
    return _Writer(binding).module()


class _Writer:
    def __init__(self, binding: Binding) -> None:
        self.graph: Graph = binding.variant.graph
        self.layout = binding.layout
        self.extents = binding.extents
        self.scalars = binding.scalars
        self.lines: list[str] = []
        self.count = 0
        across = bool(self.graph.across)
        # An axis of one element stays only where results would have no axis without it.
        self.kept = tuple(
            extent > 1 or (across and axis == 1) or len(self.extents) == 1
            for axis, extent in enumerate(self.extents)
        )
        if not any(self.kept):
            self.kept = (True, *(False for _ in self.extents[1:]))

    # -- text -------------------------------------------------------------------------------------

    def sizes(self, mask: Mask) -> list[int]:
        return [e for e, m, k in zip(self.extents, mask, self.kept, strict=True) if m and k]

    def tensor(self, type_: str, mask: Mask) -> str:
        return f"tensor<{''.join(f'{e}x' for e in self.sizes(mask))}{type_}>"

    def text(self, value: Value) -> str:
        return self.tensor(value.type, value.mask) if any(value.mask) else value.type

    def emit(self, text: str, type_: str, mask: Mask) -> Value:
        self.count += 1
        value = Value(f"%v{self.count}", type_, mask)
        self.lines.append(f"{value.name} = {text}")
        return value

    def empty(self, type_: str, mask: Mask) -> Value:
        return self.emit(f"tensor.empty() : {self.tensor(type_, mask)}", type_, mask)

    def number(self, literal: str, type_: str) -> Value:
        return self.emit(f"arith.constant {literal} : {type_}", type_, self.nowhere)

    @property
    def nowhere(self) -> Mask:
        return (False,) * len(self.extents)

    def spread(self, value: Value, mask: Mask) -> Value:
        """``value`` along all axes of ``mask``."""
        if self.sizes(value.mask) == self.sizes(mask) and any(value.mask) == any(mask):
            return Value(value.name, value.type, mask)
        out = self.empty(value.type, mask)
        if not any(value.mask):
            return self.emit(
                f"linalg.fill ins({value.name} : {value.type}) outs({out.name} : {self.text(out)}) -> "
                f"{self.text(out)}",
                value.type,
                mask,
            )
        axes = [a for a, (m, k) in enumerate(zip(mask, self.kept, strict=True)) if m and k]
        added = [place for place, axis in enumerate(axes) if not value.mask[axis]]
        return self.emit(
            f"linalg.broadcast ins({value.name} : {self.text(value)}) outs({out.name} : {self.text(out)}) "
            f"dimensions = {added}",
            value.type,
            mask,
        )

    # -- the function -----------------------------------------------------------------------------

    def module(self) -> str:
        values = dict[int, Value]()
        arguments = list[str]()
        masks, scalars = iter(self.layout.inputs), iter(self.scalars)
        for i, node in enumerate(self.graph.nodes):
            if isinstance(node, Input):
                values[i] = self._input(len(arguments), node, next(masks), arguments)
            elif isinstance(node, ScalarArgument):
                values[i] = self.number(_literal(next(scalars), node.type), node.type)
            elif isinstance(node, Constant):
                values[i] = self.number(_literal(node.value, node.type), node.type)
            else:
                values[i] = self._operation(node, [values[o] for o in node.operands])
        results = [
            self.spread(values[r.node], mask)
            for r, mask in zip(self.graph.results, self.layout.outputs, strict=True)
        ]
        types = ", ".join(self.text(r) for r in results)
        body = "\n  ".join(self.lines)
        return (
            f"func.func @{KERNEL}({', '.join(arguments)}) -> ({types}) {_DEVICE} {{\n  {body}\n"
            f"  return {', '.join(r.name for r in results)} : {types}\n}}\n"
        )

    def _input(self, position: int, node: Input, mask: Mask, arguments: list[str]) -> Value:
        if any(mask):
            value = Value(f"%a{position}", node.type, mask)
            arguments.append(f"{value.name}: {self.text(value)}")
            return value
        arguments.append(f"%a{position}: tensor<1x{node.type}>")
        first = self.number("0", "index")
        return self.emit(
            f"tensor.extract %a{position}[{first.name}] : tensor<1x{node.type}>", node.type, self.nowhere
        )

    def _operation(self, node: Node, operands: list[Value]) -> Value:
        if isinstance(node, Reduce):
            return self._reduce(node, operands[0])
        if isinstance(node, Convert):
            (x,) = operands
            target = self.tensor(node.type, x.mask) if any(x.mask) else node.type
            return self.emit(
                f"{_CASTS[x.type, node.type]} {x.name} : {self.text(x)} to {target}", node.type, x.mask
            )
        assert isinstance(node, Compute), node
        mask = tuple(any(column) for column in zip(*(o.mask for o in operands), strict=True))
        if node.op == "pivot":
            return operands[0]
        if node.op == "reciprocal":
            one = self.spread(self.number(_literal(1.0, "f32"), "f32"), mask)
            return self._apply("arith.divf", [one, *operands], "f32", mask)
        wide = [self.spread(o, mask) for o in operands]
        if node.op == "select":
            text = ", ".join(v.name for v in wide)
            types = self.text(wide[1]) if not any(mask) else f"{self.text(wide[0])}, {self.text(wide[1])}"
            return self.emit(f"arith.select {text} : {types}", node.type, mask)
        kind = wide[0].type
        if node.op in _COMPARISONS and kind in _FLOATS:
            return self._apply(f"arith.cmpf {_COMPARISONS[node.op]},", wide, "i1", mask)
        table = _FLOAT_OPERATIONS if kind in _FLOATS else _INTEGER_OPERATIONS
        if node.op not in table:
            raise CompileError(
                "TW3024",
                f"{node.op} of {kind} has no form on tensors that the stock compiler compiles rightly",
                expected="an operator of floating-point arithmetic",
            )
        return self._apply(table[node.op], wide, node.type, mask)

    def _apply(self, operation: str, operands: list[Value], type_: str, mask: Mask) -> Value:
        names = ", ".join(o.name for o in operands)
        return self.emit(f"{operation} {names} : {self.text(operands[0])}", type_, mask)

    def _reduce(self, node: Reduce, x: Value) -> Value:
        """A sum along R1 and R0. A run of one element is its own sum."""
        mask: Mask = (False, True, False)
        x = self.spread(x, (True, True, True))
        axes = [a for a, k in enumerate(self.kept) if k]
        along = [place for place, axis in enumerate(axes) if axis != 1]
        if not along:
            return Value(x.name, x.type, mask)
        start = self.spread(self.number(_NEUTRAL[node.op], "f32"), mask)
        return self.emit(
            f"linalg.reduce {{ {_COMBINERS[node.op]} }} ins({x.name} : {self.text(x)}) "
            f"outs({start.name} : {self.text(start)}) dimensions = {along}",
            "f32",
            mask,
        )
