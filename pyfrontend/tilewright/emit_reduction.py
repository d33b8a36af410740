"""Emission of kernels with reductions: the nests of nests.py as linalg.

The function has the unit attribute ``tw.reduction``. Its body is a flat list of ``linalg.generic``, in order:
for each level the channel nest [parallel] and the reduction nest [reduction, parallel, reduction]; then the
channel nest of the last level and the elementwise nest [parallel, parallel, parallel]. A reduction nest's
results start as ``linalg.fill`` of the neutral element; its body computes the terms in f32 and ends with one
combiner for each, accumulator first. After these it may have results of all axes, which it yields as an
elementwise nest does. Every result of the kernel with all axes comes from a reduction or elementwise nest,
every other one from a channel nest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .emit import Emitter
from .graph import Graph, Input, Reduce
from .layout import Layout, Mask
from .nests import Nests

_NEUTRAL = {"sum": 0.0, "max": -math.inf, "min": math.inf}


class ReductionEmitter(Emitter):
    """Emits one kernel in the canonical iteration (R1, A, R0)."""

    def __init__(self, graph: Graph, layout: Layout) -> None:
        super().__init__(graph, layout)
        self.nests = Nests(graph, layout)
        self.numbers: dict[int, Any] = {}
        #: Nodes that exist as tensors: inputs, reductions, and what channel nests yielded.
        self.available: dict[int, Any] = {}

    def body(self, arguments: dict[str, Any], numbers: dict[int, Any], extents: list[Any]) -> dict[str, Any]:
        graph = self.graph
        self.numbers = numbers
        for i, node in enumerate(graph.nodes):
            if isinstance(node, Input):
                self.available[i] = arguments[node.name]
        neutral = self._neutral_elements()
        yielded: dict[int, list[Any]] = {}
        full: dict[str, Any] = {}
        for level in self.nests.levels:
            yielded = {}
            if level.channel:
                types = [graph.nodes[i].type for i in level.channel]
                outs = [self._empty(t, [extents[1]], i) for t, i in zip(types, level.channel, strict=True)]
                values = self._nest(level.channel, ["parallel"], outs, (False, True, False))
                for i, value in zip(level.channel, values, strict=True):
                    yielded.setdefault(i, []).append(value)
                    self.available.setdefault(i, value)
            if not level.reductions and not level.full:
                continue
            roots = [r.node for r in level.full]
            outs = [self._empty(graph.nodes[i].type, extents, i) for i in roots]
            if level.reductions:
                outs = [*self._accumulators(level.reductions, extents[1], neutral), *outs]
            reduced = "reduction" if level.reductions else "parallel"
            iterators = [reduced, "parallel", reduced]
            values = self._nest((*level.reductions, *roots), iterators, outs, (True, True, True))
            if level.sample:
                values[0].owner.attributes["tw.sample"] = self.ir.UnitAttr.get()
            count = len(level.reductions)
            self.available.update(zip(level.reductions, values[:count], strict=True))
            full.update(zip((r.name for r in level.full), values[count:], strict=True))
        return {r.name: full[r.name] if r.name in full else yielded[r.node].pop(0) for r in graph.results}

    def _neutral_elements(self) -> dict[str, Any]:
        used = [n for n in self.graph.nodes if isinstance(n, Reduce)]
        found: dict[str, Any] = {}
        for node in used:
            if node.op not in found:
                with self.location(node.site):
                    found[node.op] = self.constant("f32", _NEUTRAL[node.op])
        return found

    def _empty(self, type_: str, sizes: Sequence[Any], node: int) -> Any:
        where = self.location(self.graph.nodes[node].site)
        return self.tensor.EmptyOp(list(sizes), self.types[type_], loc=where).result

    def _accumulators(self, reductions: Sequence[int], extent: Any, neutral: dict[str, Any]) -> list[Any]:
        outs: list[Any] = []
        for i in reductions:
            node = self.graph.nodes[i]
            assert isinstance(node, Reduce)
            with self.location(node.site):
                empty = self._empty("f32", [extent], i)
                fill = self.dialect.FillOp([empty.type], [neutral[node.op]], [empty])
                self.dialect.fill_builtin_region(fill.operation)
                outs.append(fill.results[0])
        return outs

    def _form(self, node: int) -> Mask:
        """Along which of (R1, A, R0) the tensor of a node varies."""
        found = self.graph.nodes[node]
        return self.masks[found.name] if isinstance(found, Input) else (False, True, False)

    def _nest(
        self, roots: Sequence[int], iterators: Sequence[str], outs: Sequence[Any], within: Mask
    ) -> list[Any]:
        """One ``linalg.generic`` that yields ``roots``, one for each of ``outs``.

        ``within`` are the canonical axes over which it iterates.
        """
        ir, nodes = self.ir, self.graph.nodes
        reduced = [i for i in roots if isinstance(nodes[i], Reduce)] if "reduction" in iterators else []
        terms = [nodes[i].operands[0] if i in reduced else i for i in roots]
        read, computed = self.nests.needed(terms, self.available)
        maps = [self.indexing_map(self._form(i), within) for i in read]
        maps += [self.indexing_map((False, True, False) if i in reduced else within, within) for i in roots]
        where = self.location(nodes[roots[0]].site)
        kinds = [ir.Attribute.parse(f"#linalg.iterator_type<{i}>") for i in iterators]
        operation = self.dialect.GenericOp(
            result_tensors=[o.type for o in outs],
            inputs=[self.available[i] for i in read],
            outputs=list(outs),
            indexing_maps=ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
            iterator_types=ir.ArrayAttr.get(kinds),
            loc=where,
        )
        block = operation.regions[0].blocks.append(
            *[self.types[nodes[i].type] for i in (*read, *roots)],
            arg_locs=[self.location(nodes[i].site) for i in (*read, *roots)],
        )
        values = dict(self.numbers)
        values.update({i: block.arguments[k] for k, i in enumerate(read)})
        with ir.InsertionPoint(block):
            for i in computed:
                with self.location(nodes[i].site):
                    values[i] = self.operation(nodes[i], [values[o] for o in nodes[i].operands])
            yields = [values[i] for i in terms]
            for k, i in enumerate(reduced):
                with self.location(nodes[i].site):
                    yields[k] = self._combine(nodes[i], block.arguments[len(read) + k], yields[k])
            self.dialect.YieldOp(yields, loc=where)
        return list(operation.results)

    def _combine(self, node: Any, accumulator: Any, term: Any) -> Any:
        combiner = {"sum": self.arith.AddFOp, "max": self.arith.MaximumFOp, "min": self.arith.MinimumFOp}
        return combiner[node.op](accumulator, term).result
