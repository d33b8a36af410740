"""Emission: a graph and a layout class become a linalg module, through MLIR's Python bindings.

One function, named after the operator: tensor arguments (the present inputs in order), then the scalar
arguments; one result per tensor written. The body is one ``linalg.generic`` per shape of result, on
``tensor<?x..xT>`` whose rank is the number of merged axes. Broadcast inputs drop dimensions in their indexing
maps; one-element inputs are rank-0 tensors. Half inputs are extended to f32 on entry and results rounded on
exit, as the graph says. Every operation carries the location of the DSL line that it came from.

Importing the bindings takes about half a second: this module does so only when something is emitted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

from .graph import Compute, Constant, Convert, Graph, Input, Node, Result, ScalarArgument, Site
from .layout import Layout, Mask

KERNEL = "tw.kernel"
NAME = "tw.name"
REDUCTION = "tw.reduction"

# Comparison predicates of arith: ordered ones (false when a NaN takes part), and "unordered or not equal" for
# !=, as IEEE 754 and Python define the six relations.
_FLOAT_PREDICATES = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}
_INT_PREDICATES = {"eq": 0, "ne": 1}
# Orders of integers: a op b is extreme(a, b) relation b.
_INT_ORDERS = {
    "lt": ("minimum", "ne"),
    "le": ("maximum", "eq"),
    "gt": ("maximum", "ne"),
    "ge": ("minimum", "eq"),
}


#: Prefix of the names of locations; hivmc knows it (emulator/hivmc/LineTables.cpp).
NODE = "tw.node."


@cache
def _mlir() -> Any:
    """The bindings. They are typed loosely and generated in part, so they are Any here."""
    from .mlir import ir
    from .mlir.dialects import arith, func, math, tensor
    from .mlir.dialects import linalg as linalg_dialect

    return SimpleNamespace(ir=ir, arith=arith, func=func, math=math, tensor=tensor, linalg=linalg_dialect)


def linalg(graph: Graph, layout: Layout) -> str:
    """The module's text, with locations. Deterministic: equal graphs and layouts give equal text."""
    ir = _mlir().ir
    with ir.Context(), ir.Location.unknown():
        module = _emitter(graph, layout).module()
        module.operation.verify()
        return str(module.operation.get_asm(enable_debug_info=True, pretty_debug_info=False))


def _emitter(graph: Graph, layout: Layout) -> Emitter:
    if not graph.across:
        return Emitter(graph, layout)
    from .emit_reduction import ReductionEmitter

    return ReductionEmitter(graph, layout)


class Emitter:
    """Emits one kernel; this class the elementwise form, emit_reduction.py the form with reductions."""

    def __init__(self, graph: Graph, layout: Layout) -> None:
        mlir = _mlir()
        ir = mlir.ir
        self.func, self.arith, self.math = mlir.func, mlir.arith, mlir.math
        self.tensor, self.dialect = mlir.tensor, mlir.linalg
        self.graph = graph
        self.layout = layout
        self.ir = ir
        self.types: dict[str, Any] = {
            "f32": ir.F32Type.get(),
            "f16": ir.F16Type.get(),
            "bf16": ir.BF16Type.get(),
            "i32": ir.IntegerType.get_signless(32),
            "i16": ir.IntegerType.get_signless(16),
            "i1": ir.IntegerType.get_signless(1),
        }
        self.nodes = {id(node.site): i for i, node in enumerate(graph.nodes)}
        self.masks: dict[str, Mask] = {n.name: m for n, m in zip(graph.inputs, layout.inputs, strict=True)}

    # -- the frame --------------------------------------------------------------------------------

    def module(self) -> Any:
        ir = self.ir
        graph, layout = self.graph, self.layout
        tensors = [self._tensor(n.type, m) for n, m in zip(graph.inputs, layout.inputs, strict=True)]
        scalars = [self.types[n.type] for n in graph.scalars]
        outputs = [
            self._tensor(graph.nodes[r.node].type, m)
            for r, m in zip(graph.results, layout.outputs, strict=True)
        ]
        names = [n.name for n in graph.inputs] + [f"s{i}" for i in range(len(graph.scalars))]
        module = ir.Module.create()
        where = self.location(graph.inputs[0].site)
        with ir.InsertionPoint(module.body):
            function = self.func.FuncOp(
                graph.name, ir.FunctionType.get([*tensors, *scalars], outputs), loc=where
            )
            function.attributes[KERNEL] = ir.UnitAttr.get()
            if graph.across:
                function.attributes[REDUCTION] = ir.UnitAttr.get()
            function.arg_attrs = ir.ArrayAttr.get([self._named(n) for n in names])
            function.attributes["res_attrs"] = ir.ArrayAttr.get([self._named(r.name) for r in graph.results])
            sites: list[Site] = [n.site for n in graph.inputs] + [n.site for n in graph.scalars]
            block = function.regions[0].blocks.append(
                *function.type.inputs, arg_locs=[self.location(s) for s in sites]
            )
        with ir.InsertionPoint(block):
            arguments = {n.name: block.arguments[i] for i, n in enumerate(graph.inputs)}
            numbers = {
                i: block.arguments[len(graph.inputs) + k]
                for k, i in enumerate(i for i, n in enumerate(graph.nodes) if isinstance(n, ScalarArgument))
            }
            self._constants(numbers)
            with where:
                extents = self._extents(arguments)
            results = self.body(arguments, numbers, extents)
            self.func.ReturnOp([results[r.name] for r in graph.results], loc=where)
        return module

    def body(self, arguments: dict[str, Any], numbers: dict[int, Any], extents: list[Any]) -> dict[str, Any]:
        """The computation, at the end of the function: the tensor of each result by name.

        Args:
            arguments: the tensor arguments by name.
            numbers: scalar arguments and constants by node.
            extents: the extent of each iteration axis.
        """
        graph, layout = self.graph, self.layout
        results: dict[str, Any] = {}
        for mask in dict.fromkeys(layout.outputs):
            group = [r for r, m in zip(graph.results, layout.outputs, strict=True) if m == mask]
            results.update(self._cluster(group, mask, arguments, numbers, extents))
        return results

    def _named(self, name: str) -> Any:
        return self.ir.DictAttr.get({NAME: self.ir.StringAttr.get(name)})

    def _tensor(self, element: str, mask: Mask) -> Any:
        ir = self.ir
        dynamic = ir.ShapedType.get_dynamic_size()
        return ir.RankedTensorType.get([dynamic] * sum(mask), self.types[element])

    def location(self, site: Site) -> Any:
        """The line, named by a node that is written there: kernel objects in the cache refer to nodes, since
        the line of a node moves when the source is edited."""
        line = self.ir.Location.file(site.file, site.line, site.column)
        node = self.nodes.get(id(site))
        return line if node is None else self.ir.Location.name(f"{NODE}{node}", line)

    def _constants(self, numbers: dict[int, Any]) -> None:
        for i, node in enumerate(self.graph.nodes):
            if isinstance(node, Constant):
                numbers[i] = self.arith.ConstantOp(
                    self.types[node.type], self._number(node.type, node.value), loc=self.location(node.site)
                ).result

    def _number(self, type_: str, value: float | int) -> Any:
        if type_ in ("f32", "f16", "bf16"):
            return self.ir.FloatAttr.get(self.types[type_], float(value))
        return self.ir.IntegerAttr.get(self.types[type_], int(value))

    def _extents(self, arguments: dict[str, Any]) -> list[Any]:
        """The extent of each merged axis, from the first input that has it."""
        index = self.ir.IndexType.get()
        extents: list[Any] = []
        for axis in range(self.layout.rank):
            name, mask = next((n, m) for n, m in self.masks.items() if m[axis])
            at = self.arith.ConstantOp(index, self.ir.IntegerAttr.get(index, sum(mask[:axis]))).result
            extents.append(self.tensor.DimOp(arguments[name], at).result)
        return extents

    # -- one linalg.generic -----------------------------------------------------------------------

    def indexing_map(self, mask: Mask, within: Mask) -> Any:
        """The indexing map of a tensor; ``within`` are the axes over which the operation iterates."""
        ir = self.ir
        own = [m for m, iterated in zip(mask, within, strict=True) if iterated]
        dims = [ir.AffineDimExpr.get(d) for d, present in enumerate(own) if present]
        return ir.AffineMap.get(sum(within), 0, dims)

    def _cluster(
        self,
        group: Sequence[Result],
        mask: Mask,
        arguments: dict[str, Any],
        numbers: dict[int, Any],
        extents: list[Any],
    ) -> dict[str, Any]:
        """The ``linalg.generic`` that computes the results of one shape."""
        ir = self.ir

        graph, nodes = self.graph, self.graph.nodes
        needed = self._needed(group)
        inputs = [i for i in needed if isinstance(nodes[i], Input)]
        sizes = [e for e, present in zip(extents, mask, strict=True) if present]
        where = self.location(nodes[group[0].node].site)
        empties = [
            self.tensor.EmptyOp(sizes, self.types[nodes[r.node].type], loc=where).result for r in group
        ]
        read = [graph.inputs[i].name for i in inputs]
        maps = [self.indexing_map(self.masks[n], mask) for n in read] + [self.indexing_map(mask, mask)] * len(
            group
        )
        parallel = ir.Attribute.parse("#linalg.iterator_type<parallel>")
        operation = self.dialect.GenericOp(
            result_tensors=[e.type for e in empties],
            inputs=[arguments[n] for n in read],
            outputs=empties,
            indexing_maps=ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
            iterator_types=ir.ArrayAttr.get([parallel] * sum(mask)),
            loc=where,
        )
        elements = [nodes[i].type for i in inputs] + [nodes[r.node].type for r in group]
        sites = [nodes[i].site for i in inputs] + [nodes[r.node].site for r in group]
        body = operation.regions[0].blocks.append(
            *[self.types[t] for t in elements], arg_locs=[self.location(s) for s in sites]
        )
        values = dict(numbers)
        values.update({i: body.arguments[k] for k, i in enumerate(inputs)})
        with ir.InsertionPoint(body):
            for i in needed:
                if i not in values:
                    with self.location(nodes[i].site):
                        values[i] = self.operation(nodes[i], [values[o] for o in nodes[i].operands])
            self.dialect.YieldOp([values[r.node] for r in group], loc=where)
        return {r.name: operation.results[k] for k, r in enumerate(group)}

    def _needed(self, group: Sequence[Result]) -> list[int]:
        """Nodes that the results need, in order."""
        nodes = self.graph.nodes
        needed = {r.node for r in group}
        for i in range(len(nodes) - 1, -1, -1):
            if i in needed:
                needed.update(nodes[i].operands)
        return sorted(needed)

    # -- one scalar operation ---------------------------------------------------------------------

    def operation(self, node: Node, operands: list[Any]) -> Any:
        if isinstance(node, Convert):
            scalar = isinstance(self.graph.nodes[node.operands[0]], ScalarArgument)
            return self._convert(node.type, str(operands[0].type), operands[0], lanes=not scalar)
        assert isinstance(node, Compute), node
        kind = str(operands[-1].type)
        if kind.startswith("f"):
            return self._float(node, operands)
        return self._integer(node, operands)

    def _convert(self, to: str, source: str, value: Any, lanes: bool = True) -> Any:
        table: dict[tuple[str, str], Callable[..., Any]] = {
            ("f16", "f32"): self.arith.ExtFOp,
            ("bf16", "f32"): self.arith.ExtFOp,
            ("f32", "f16"): self.arith.TruncFOp,
            ("f32", "bf16"): self.arith.TruncFOp,
            ("i16", "i32"): self.arith.ExtSIOp,
            ("i32", "i16"): self.arith.TruncIOp,
            ("i16", "f32"): self.arith.SIToFPOp,
            ("i32", "f32"): self.arith.SIToFPOp,
            ("f32", "i32"): self.arith.FPToSIOp,
            ("f32", "i16"): self.arith.FPToSIOp,
        }
        if lanes and source == "i32" and to == "i16":
            # The vector unit has no conversion that wraps around. The low half, moved to the top by a
            # product that wraps, has 16 significant bits, so f32 carries it without rounding.
            high = self.arith.MulIOp(value, self.constant("i32", 1 << 16)).result
            exact = self._convert("f32", "i32", high)
            return self._convert("i16", "f32", self.arith.MulFOp(exact, self._f32(2.0**-16)).result)
        if lanes and source == "i16" and to == "i32":
            # Nor has it one from 16 to 32 bits; f32 holds every 16-bit integer.
            return self._convert("i32", "f32", self._convert("f32", "i16", value))
        return table[source, to](self.types[to], value).result

    def _float(self, node: Compute, operands: list[Any]) -> Any:
        if node.op in _FLOAT_PREDICATES:
            return self.arith.CmpFOp(self._predicate(_FLOAT_PREDICATES[node.op]), *operands).result
        if node.op == "pivot":
            return operands[0]
        if node.op == "reciprocal":
            return self.arith.DivFOp(self._f32(1.0), *operands).result
        if node.op in ("log1p", "expm1"):
            return self._near_zero(node.op, operands[0])
        table: dict[str, Callable[..., Any]] = {
            "add": self.arith.AddFOp,
            "sub": self.arith.SubFOp,
            "mul": self.arith.MulFOp,
            "div": self.arith.DivFOp,
            "neg": self.arith.NegFOp,
            "maximum": self.arith.MaximumFOp,
            "minimum": self.arith.MinimumFOp,
            "select": self.arith.SelectOp,
            "abs": self.math.AbsFOp,
            "exp": self.math.ExpOp,
            "log": self.math.LogOp,
            "sqrt": self.math.SqrtOp,
            "rsqrt": self.math.RsqrtOp,
        }
        return table[node.op](*operands).result

    def _f32(self, value: float) -> Any:
        return self.constant("f32", value)

    def constant(self, type_: str, value: float | int) -> Any:
        return self.arith.ConstantOp(self.types[type_], self._number(type_, value)).result

    def _near_zero(self, op: str, x: Any) -> Any:
        """log1p and expm1 from log and exp, by Kahan's corrections.

        log1p: 1 + x rounds to u, and log(u)/(u - 1) hardly differs between 1 + x and u, so log(u)*(x/(u - 1))
            is
        right although u is rounded. expm1: the same with u = exp(x) and (u - 1)*(x/log(u)). Where u is 1 the
        result is x. Away from 0 the plain forms are accurate, and they give the right infinities.
        """
        one = self._f32(1.0)
        if op == "log1p":
            u = self.arith.AddFOp(one, x).result
            log, less = self.math.LogOp(u).result, self.arith.SubFOp(u, one).result
            plain, factor, base = log, log, less
        else:
            u = self.math.ExpOp(x).result
            log, less = self.math.LogOp(u).result, self.arith.SubFOp(u, one).result
            plain, factor, base = less, less, log
        corrected = self.arith.MulFOp(factor, self.arith.DivFOp(x, base).result).result
        is_one = self.arith.CmpFOp(self._predicate(_FLOAT_PREDICATES["eq"]), u, one).result
        near = self.arith.SelectOp(is_one, x, corrected).result
        far = self.arith.CmpFOp(
            self._predicate(_FLOAT_PREDICATES["gt"]), self.math.AbsFOp(x).result, self._f32(0.5)
        ).result
        return self.arith.SelectOp(far, plain, near).result

    def _integer(self, node: Compute, operands: list[Any]) -> Any:
        if node.op in _FLOAT_PREDICATES:
            return self._compare_integers(node.op, *operands)
        if node.op in ("neg", "abs"):
            zero = self.constant(node.type, 0)
            negated = self.arith.SubIOp(zero, *operands).result
            return negated if node.op == "neg" else self.arith.MaxSIOp(operands[0], negated).result
        table: dict[str, Callable[..., Any]] = {
            "add": self.arith.AddIOp,
            "sub": self.arith.SubIOp,
            "mul": self.arith.MulIOp,
            "maximum": self.arith.MaxSIOp,
            "minimum": self.arith.MinSIOp,
            "select": self.arith.SelectOp,
        }
        return table[node.op](*operands).result

    def _compare_integers(self, op: str, a: Any, b: Any) -> Any:
        """The vector unit compares i32 for equality only, and i16 not at all (VCMP in the c220 ISA note)."""
        if str(a.type) == "i16":
            a, b = self._convert("f32", "i16", a), self._convert("f32", "i16", b)
            return self.arith.CmpFOp(self._predicate(_FLOAT_PREDICATES[op]), a, b).result
        if op not in _INT_PREDICATES:
            # a < b where the smaller one is not b, and so on.
            extreme, op = _INT_ORDERS[op]
            a = (self.arith.MinSIOp if extreme == "minimum" else self.arith.MaxSIOp)(a, b).result
        return self.arith.CmpIOp(self._predicate(_INT_PREDICATES[op]), a, b).result

    def _predicate(self, number: int) -> Any:
        return self.ir.IntegerAttr.get(self.ir.IntegerType.get_signless(64), number)
