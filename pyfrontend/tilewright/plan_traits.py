"""What the planner of kernels with reductions has to know before a binary is chosen.

It follows from the graph and the layout class alone, so nothing is compiled to decide what to compile.
"""

from __future__ import annotations

from dataclasses import dataclass

from tilewright.canonical import FULL
from tilewright.dtypes import TYPES
from tilewright.graph import Graph, Input, Reduce
from tilewright.layout import Layout, Mask
from tilewright.nests import Nests

INNER: Mask = (False, False, True)
OUTER: Mask = (True, False, False)


@dataclass(frozen=True)
class Traits:
    """Properties of a kernel that do not depend on its schedule.

    Attributes:
        element_bytes: size of the widest full input's element, 1 without any.
        full_inputs: tensors over all axes that are read.
        inner, outer: whether there are operands over R0 or R1 alone.
        reductions: results of the passes over the data; samples are none.
    """

    element_bytes: int
    full_inputs: int
    inner: bool
    outer: bool
    reductions: int


def traits(graph: Graph, layout: Layout) -> Traits:
    """The traits of a variant in a layout class."""
    used = set[int]()
    waiting = [result.node for result in graph.results]
    while waiting:
        node = waiting.pop()
        if node not in used:
            used.add(node)
            waiting += graph.nodes[node].operands
    inputs = [(i, node) for i, node in enumerate(graph.nodes) if isinstance(node, Input)]
    masks = {mask for (i, _), mask in zip(inputs, layout.inputs, strict=True) if i in used}
    full = [
        TYPES[node.type].size
        for (i, node), mask in zip(inputs, layout.inputs, strict=True)
        if i in used and mask == FULL
    ]
    sampled = {i for level in Nests(graph, layout).levels if level.sample for i in level.reductions}
    reductions = sum(isinstance(graph.nodes[i], Reduce) for i in used - sampled)
    return Traits(max(full, default=1), len(full), INNER in masks, OUTER in masks, reductions)
