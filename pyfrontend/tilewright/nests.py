"""Which loop nest computes what, in a kernel with reductions.

The kernel passes over the data once per level of reductions. Level L has at most one *channel nest*, over
the kept elements A, and then one *reduction nest*, over (R1, A, R0), that computes all reductions of the
level and those results with all axes that wait for no later one: their inputs are in UB then. After the
last level come a channel nest and an *elementwise nest* for the other results that have all axes. Nothing
that varies along the reduced axes is passed between nests: each nest recomputes it from the inputs. What
varies along A alone is computed once, in the channel nest of the level that uses it first, and read by all
later nests: the largest such subexpressions of type f32.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .canonical import FULL
from .graph import Compute, Constant, Convert, Graph, Input, Reduce, Result, ScalarArgument
from .layout import Layout


@dataclass(frozen=True, slots=True)
class Level:
    """One level: the values its channel nest yields, then the reductions of its pass over the data.

    Attributes:
        channel: nodes that the channel nest yields, in order. The last level yields every result without the
            reduced axes, a node twice if two results are the same.
        reductions: the Reduce nodes, none in the last level.
        full: the results with all axes that the pass over the data writes; in the last level those of the
            elementwise nest.
        sample: whether the reductions are sums for pivots only, for which a sample of the data will do.
    """

    channel: tuple[int, ...]
    reductions: tuple[int, ...]
    full: tuple[Result, ...]
    sample: bool = False


def samples(graph: Graph) -> set[int]:
    """The sums that only pivots come from (see ``lang.moments``): any number near the right one will do."""
    results = {r.node for r in graph.results}
    used = set[int]()  # by something else than a pivot
    waiting = list(results)
    while waiting:
        i = waiting.pop()
        if i not in used:
            used.add(i)
            node = graph.nodes[i]
            if not (isinstance(node, Compute) and node.op == "pivot"):
                waiting += node.operands
    return {
        i
        for i, node in enumerate(graph.nodes)
        if isinstance(node, Reduce) and node.op == "sum" and i not in used
    }


class Nests:
    """The nests of a graph in a layout class.

    Attributes:
        levels: in order; the last one has no reductions.
    """

    def __init__(self, graph: Graph, layout: Layout) -> None:
        self.graph = graph
        masks = iter(layout.inputs)
        self._kept: list[bool] = []
        for node in graph.nodes:
            if isinstance(node, Input):
                mask = next(masks)
                self._kept.append(not mask[0] and not mask[2])
            else:
                self._kept.append(isinstance(node, Reduce) or all(self._kept[i] for i in node.operands))
        is_full = [m == FULL for m in layout.outputs]
        kept_results = [r.node for r, whole in zip(graph.results, is_full, strict=True) if not whole]
        last = max(graph.levels)
        full = [
            tuple(
                r
                for r, whole in zip(graph.results, is_full, strict=True)
                if whole and graph.levels[r.node] == level
            )
            for level in range(last + 1)
        ]
        reductions = [
            tuple(
                i for i, n in enumerate(graph.nodes) if isinstance(n, Reduce) and graph.levels[i] == level + 1
            )
            for level in range(last)
        ]
        # A value is computed at the level where it is used first.
        yielded: list[set[int]] = []
        early = set[int]()
        for level, whole in zip((*reductions, ()), full, strict=True):
            terms = [*(graph.nodes[i].operands[0] for i in level), *(r.node for r in whole)]
            yielded.append(self._channel_values(terms) - early)
            early |= yielded[-1]
        yielded[-1] |= set(kept_results)
        again = [i for k, i in enumerate(kept_results) if i in kept_results[:k]]
        self.levels = (
            *(
                Level(tuple(sorted(v)), own, whole, not whole and samples(graph).issuperset(own))
                for v, own, whole in zip(yielded[:-1], reductions, full[:-1], strict=True)
            ),
            Level((*sorted(yielded[-1]), *again), (), full[-1]),
        )

    def _channel_values(self, roots: Iterable[int]) -> set[int]:
        """The largest subexpressions of ``roots`` that vary along A alone."""
        found: set[int] = set()
        seen: set[int] = set()
        waiting = list(roots)
        while waiting:
            i = waiting.pop()
            if i in seen:
                continue
            seen.add(i)
            if self._is_channel_value(i):
                found.add(i)
            elif not isinstance(self.graph.nodes[i], Reduce):
                waiting += self.graph.nodes[i].operands
        return found

    def _is_channel_value(self, i: int) -> bool:
        """Whether a channel nest computes it; reading an input or a number is no computation."""
        node = self.graph.nodes[i]
        if node.type != "f32" or not self._kept[i]:
            return False
        if isinstance(node, Convert):
            node = self.graph.nodes[node.operands[0]]
        return not isinstance(node, (Input, ScalarArgument, Constant, Reduce))

    def needed(self, roots: Iterable[int], available: Iterable[int]) -> tuple[list[int], list[int]]:
        """What a nest reads and what it computes to have ``roots``, both in order of the graph.

        ``available`` are the nodes that exist as tensors. Numbers are in neither list.
        """
        given = set(available)
        read: set[int] = set()
        computed: set[int] = set()
        waiting = list(roots)
        while waiting:
            i = waiting.pop()
            if i in read or i in computed:
                continue
            if i in given:
                read.add(i)
            elif not isinstance(self.graph.nodes[i], (ScalarArgument, Constant)):
                computed.add(i)
                waiting += self.graph.nodes[i].operands
        return sorted(read), sorted(computed)
