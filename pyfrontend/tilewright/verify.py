"""Pass-by-pass verification: run a kernel's IR after every pass and compare it with the float64 reference.

The interpreter (interpret.py) executes each stage on the data of one call. The first stage whose results are
wrong names the pass that broke the kernel; a stage that the interpreter cannot execute is reported as such.
Nothing here runs on a device, emulated or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import compare, compiler, dtypes, emit, interpret, interpret_hivm, pipeline, reference
from .binding import Binding
from .layout import Mask
from .plan import Plan

if TYPE_CHECKING:
    from .kernel import Kernel

Array = np.ndarray[Any, np.dtype[Any]]


class Stage(NamedTuple):
    """The outcome of one stage.

    Attributes:
        name: file name of the stage, ``03-tw-tile-to-ub.mlir``.
        comparisons: one for each result; empty if it could not be executed.
        error: why it could not be executed, or "".
    """

    name: str
    comparisons: tuple[compare.Comparison, ...]
    error: str

    @property
    def passed(self) -> bool:
        """Whether it was executed and all results are right."""
        return not self.error and all(c.passed for c in self.comparisons)


def _shape(extents: Sequence[int], mask: Mask) -> tuple[int, ...]:
    return tuple(e for e, present in zip(extents, mask, strict=True) if present)


def arguments(binding: Binding) -> dict[str, Any]:
    """The arguments of the emitted function by name: tensors in the iteration's shape, scalars."""
    signature = binding.signature
    graph, layout = signature.variant.graph, signature.layout
    found: dict[str, Any] = {}
    for node, a, mask in zip(graph.inputs, binding.inputs, layout.inputs, strict=True):
        found[node.name] = np.ravel(a, order="K").reshape(_shape(signature.extents, mask))
    for i, (value, scalar) in enumerate(zip(binding.scalars, graph.scalars, strict=True)):
        found[f"s{i}"] = dtypes.numpy_dtype(scalar.type).type(value)
    return found


def logical(binding: Binding, arrays: Sequence[Array]) -> list[Array]:
    """Results in the shapes of the operator, from those of the iteration (or flat ones)."""
    found: list[Array] = []
    for spec, a in zip(binding.signature.outputs, arrays, strict=True):
        result = spec.allocate()
        result.transpose(spec.order)[...] = a.reshape([spec.shape[d] for d in spec.order])
        found.append(result)
    return found


def run_linalg(binding: Binding, text: str | None = None) -> list[Array]:
    """The results of a call by its emitted linalg (or ``text`` in its place), in logical shapes."""
    signature = binding.signature
    if text is None:
        text = emit.linalg(signature.variant.graph, signature.layout)
    return logical(binding, interpret.interpret(text, arguments(binding)))


def run_stage(
    binding: Binding, text: str, numbers: Mapping[str, int], cores: int, workspace: int = 0
) -> list[Array]:
    """The results of a call by the IR after any pass.

    Args:
        binding: the call.
        text: the module.
        numbers: planned numbers by argument name, such as "extent:0" and "tiling:tile".
        cores: blocks to launch.
        workspace: bytes that the cores share.
    """
    signature = binding.signature
    graph, layout = signature.variant.graph, signature.layout
    named: dict[str, Any] = {**arguments(binding), **numbers}
    named.update({f"extent:{i}": e for i, e in enumerate(signature.extents)})
    named.update({"grid:cores": cores, "grid:x": cores, "grid:y": 1, "grid:z": 1, "pid:y": 0, "pid:z": 0})
    outputs = {
        r.name: _unwritten(_shape(signature.extents, mask), graph.nodes[r.node].type)
        for r, mask in zip(graph.results, layout.outputs, strict=True)
    }
    named.update(outputs)
    if not interpret.on_memrefs(text):
        return logical(binding, interpret.interpret(text, named))
    flat = {r.name: outputs[r.name].reshape(-1) for r in graph.results}
    named.update(flat)
    for node in graph.inputs:
        named[node.name] = named[node.name].reshape(-1).copy()
    named.update({"lock": np.zeros(64, np.int8), "workspace": np.full(max(workspace, 64), -1, np.int8)})
    interpret_hivm.launch(text, named, cores)
    return logical(binding, [flat[r.name] for r in graph.results])


def _unwritten(shape: tuple[int, ...], type_: str) -> Array:
    """An array that no right result looks like."""
    a = np.empty(shape, dtypes.numpy_dtype(type_))
    a.view(np.uint8).fill(0xFF) if a.ndim else a.fill(np.nan)
    return a


def stages(kernel: Kernel, binding: Binding) -> tuple[dict[str, str], Plan]:
    """The IR of every stage of the kernel that serves a call, and the plan of the call.

    Raises:
        CompileError: TW3nnn, the kernel cannot be compiled.
    """
    signature = binding.signature
    planned = kernel.plan(signature)
    assert planned is not None, "an empty call has no kernel"
    binary = kernel.binary(signature)
    schedule = str(binary.metadata.get("schedule", ""))
    text = emit.linalg(signature.variant.graph, signature.layout)
    for share in compiler.UB_SHARES:
        lowered = pipeline.lower(text, kernel.target, schedule=schedule, ub_share=share, keep_stages=True)
        if lowered.plan == binary.metadata["plan"]:
            break
    # The last stage is the one before without the names of the arguments.
    names = list(lowered.stages)[:-1]
    return {name: lowered.stages[name] for name in names}, planned


def verify(binding: Binding, texts: Mapping[str, str], planned: Plan, rule: str = "tight") -> list[Stage]:
    """Execute all stages of a kernel and compare.

    Args:
        binding: the call.
        texts: the module of each stage by name, in order.
        planned: cores and tiles of the call.
        rule: see compare.py.
    """
    expected = reference.evaluate(binding)
    found: list[Stage] = []
    for name, text in texts.items():
        try:
            results = run_stage(binding, text, planned.numbers, planned.cores, planned.workspace)
        except (interpret.UnknownOperationError, IndexError, KeyError, ValueError) as error:
            found.append(Stage(name, (), f"{type(error).__name__}: {error}"))
            continue
        comparisons = [
            compare.compare(got, wanted, spec.dtype, rule)
            for got, wanted, spec in zip(results, expected, binding.signature.outputs, strict=True)
        ]
        found.append(Stage(name, tuple(comparisons), ""))
    return found
