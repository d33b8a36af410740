"""From linalg to the HIVM text that AscendNPU-IR takes: our passes, run in this process.

Each pass is run on its own, so that a failure names the pass, and so that the IR after every pass can be had.
The IR is printed between passes only when the stages are asked for, or again after a failure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tilewright import native
from tilewright.errors import CompileError, Location
from tilewright.targets import Target

if TYPE_CHECKING:
    from tilewright.mlir import ir as ir_types

#: The pipeline in order, with a function of the target that gives each pass its options.
PASSES: tuple[str, ...] = (
    "tw-normalize-iteration",
    "tw-partition-channels",
    "tw-tile-to-ub",
    "tw-convert-to-hivm",
    "tw-double-buffer",
)

ARGUMENTS_ATTRIBUTE = "tw.args"
PLAN_ATTRIBUTE = "tw.plan"

#: Rows of a UB table that an error shows; the bundle has all.
_NOTES = 8

_LOCATION = re.compile(r'"([^"]*)":(\d+):\d+')


class Lowered(NamedTuple):
    """A kernel ready for AscendNPU-IR.

    Attributes:
        name: the kernel function's name.
        hivm: the module's text, free of host-only attributes, with locations.
        arguments: meaning of each argument in order, for example "tensor:x" or "tiling:tile".
        plan: what the kernel can hold: the attribute ``tw.plan`` as plain data.
        stages: file name -> text of the IR before the first and after each pass; empty unless asked for.
    """

    name: str
    hivm: str
    arguments: tuple[str, ...]
    plan: dict[str, Any]
    stages: dict[str, str]


def pipeline(target: Target, schedule: str = "", ub_share: float = 1.0) -> tuple[str, ...]:
    """The passes with their options for ``target``, in the syntax of ``tw-opt --pass-pipeline``.

    Args:
        schedule: schedule of a kernel with reductions.
        ub_share: part of the usable UB that buffers may take.
    """
    chosen = f" schedule={schedule}" if schedule else ""
    options = {"tw-tile-to-ub": f"{{ub-bytes={int(target.ub_usable_bytes * ub_share)}{chosen}}}"}
    return tuple(name + options.get(name, "") for name in PASSES)


def stage_name(number: int, name: str) -> str:
    """File name of a stage, in the order of the stages: ``03-tw-tile-to-ub.mlir``."""
    return f"{number:02d}-{name}.mlir"


def plain(attribute: ir_types.Attribute) -> Any:
    """An attribute as plain data."""
    from tilewright.mlir import ir

    if isinstance(attribute, ir.DictAttr):
        return {attribute[i].name: plain(attribute[i].attr) for i in range(len(attribute))}
    if isinstance(attribute, ir.ArrayAttr):
        return [plain(element) for element in attribute]
    if isinstance(attribute, (ir.IntegerAttr, ir.FloatAttr, ir.StringAttr, ir.BoolAttr)):
        return attribute.value
    if isinstance(attribute, (ir.DenseI64ArrayAttr, ir.DenseI32ArrayAttr)):
        return list(attribute)
    return str(attribute)


def _take(module: ir_types.Module) -> Lowered:
    """Read the host's part of the kernel function and remove it from the module."""
    found: Lowered | None = None
    for operation in module.body.operations:
        attributes = operation.attributes
        if ARGUMENTS_ATTRIBUTE not in attributes:
            continue
        if found is not None:
            raise ValueError("the module has two kernels")
        arguments = tuple(str(word) for word in plain(attributes[ARGUMENTS_ATTRIBUTE]))
        plan = dict(plain(attributes[PLAN_ATTRIBUTE])) if PLAN_ATTRIBUTE in attributes else {}
        found = Lowered(plain(attributes["sym_name"]), "", arguments, plan, {})
        for name in [attributes[i].name for i in range(len(attributes))]:
            if name.startswith("tw."):
                del attributes[name]
    if found is None:
        raise ValueError(f"the passes left no kernel with {ARGUMENTS_ATTRIBUTE}")
    text = module.operation.get_asm(enable_debug_info=True, pretty_debug_info=False)
    return found._replace(hivm=str(text))


def _pass_error(
    name: str, options: str, error: Any, text: str, stages: dict[str, str], versions: Mapping[str, str]
) -> CompileError:
    from tilewright.toolchain import bundle
    from tilewright.toolchain.failure import coded_error

    diagnostics = list(getattr(error, "error_diagnostics", []))
    message = str(diagnostics[0].message) if diagnostics else str(error)
    place = _LOCATION.search(str(diagnostics[0].location)) if diagnostics else None
    # The pass's input is printed only now.
    evidence = bundle.Evidence(
        stage=name,
        stages={**stages, "input.mlir": text},
        input_name="input.mlir",
        arguments=(
            str(native.candidate(native.TW_OPT)),
            f"--pass-pipeline=builtin.module({options})",
            "{input}",
        ),
        versions=versions,
        notes=[str(error)],
    )
    hint = "the operator needs something this pass does not do"
    # MLIR's own note, the operation printed, is left out.
    notes = [str(note.message) for note in diagnostics[0].notes] if diagnostics else []
    notes = [note for note in notes if not note.startswith("see current operation")]
    if notes:
        # The table of the buffers that do not fit together.
        message += f": {', '.join(notes[:_NOTES])}{', ...' if len(notes) > _NOTES else ''}"
        evidence.notes += notes
        hint = "split the operator in two: fewer tensors, or fewer intermediate values alive at a time"
    failed = coded_error("TW3030", message, evidence, hint=hint)
    if place is None:
        return failed
    located = CompileError(
        failed.code, failed.what, hint=failed.hint, location=Location(place[1], int(place[2]))
    )
    located.bundle = failed.bundle
    return located


def lower(
    linalg: str,
    target: Target,
    *,
    schedule: str = "",
    ub_share: float = 1.0,
    keep_stages: bool = False,
    versions: Mapping[str, str] | None = None,
) -> Lowered:
    """Run the passes on a linalg module.

    Args:
        linalg: text of a module with one kernel function.
        target: its UB size bounds the tiles.
        schedule: schedule of a kernel with reductions.
        ub_share: part of the usable UB that buffers may take.
        keep_stages: print the IR after each pass.
        versions: name -> version for a failure bundle.

    Raises:
        CompileError: TW3030 with the pass's name, its diagnostic at the user's line, and a bundle.
    """
    from tilewright.mlir import ir, passmanager

    stages = {stage_name(0, "linalg"): linalg} if keep_stages else dict[str, str]()
    with ir.Context() as context:
        # Diagnostics become part of the coded error instead of being printed.
        context.emit_error_diagnostics = False
        module = ir.Module.parse(linalg)
        for number, options in enumerate(pipeline(target, schedule, ub_share), start=1):
            name = options.split("{")[0]
            manager = passmanager.PassManager.parse(f"builtin.module({options})")
            # A failed pass leaves the module half changed; its input is needed for the bundle, and cloning in
            # memory costs a fraction of printing.
            before = module.operation.clone()
            try:
                manager.run(module.operation)
            except ir.MLIRError as error:
                text = before.get_asm(enable_debug_info=True)
                earlier = stages or {stage_name(0, "linalg"): linalg}
                raise _pass_error(name, options, error, text, earlier, versions or {}) from None
            if keep_stages:
                stages[stage_name(number, name)] = str(module)
        lowered = _take(module)
        if keep_stages:
            stages[stage_name(len(PASSES) + 1, "hivm")] = str(module)
    return lowered._replace(stages=stages)
