"""One run of the stock compiler with a chosen hivmc, the acceptance checks, the evidence of a failure."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilewright import folders, settings, wheel
from tilewright.errors import CompileError
from tilewright.toolchain import FINAL_MODULE, FLAGS, acceptance, bundle, hivmc, process
from tilewright.toolchain.failure import coded_error, tool_error
from tilewright.toolchain.library import interface
from tilewright.toolchain.module import FinalModule, without_locations

_EXECUTING = re.compile(r"^\[ERROR\] Executing: (.*)$", re.MULTILINE)
_NO_VERSION = "Failed to detect hivmc version"
#: Option of the stock compiler.
LOCATIONS = "--enable-debug-info=true"

_NAME = re.compile(r"[\w.$-]+")
_HEADER_END = re.compile(r"\{\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Compilation:
    """A compiled kernel.

    Attributes:
        kernel: contents of the kernel object.
        module: the final module that hivmc translated.
        kind: which hivmc made the object: "ours" or "other" (emulated device) or "cann" (device binary).
        seconds: wall-clock time of the tool run.
        messages: what the tools printed (warnings).
    """

    kernel: bytes
    module: FinalModule
    kind: str
    seconds: float
    messages: str


def _entries(ir: str) -> list[str]:
    """Names of the functions that are marked as kernels in ``ir``."""
    found = list[str]()
    for piece in ir.split("func.func @")[1:]:
        name = _NAME.match(piece)
        header = _HEADER_END.split(piece, maxsplit=1)[0]
        if name is not None and "global_kernel" in header:
            found.append(name[0])
    return found


def _environment(chosen: hivmc.Hivmc, work: Path) -> dict[str, str]:
    return {**os.environ, "BISHENG_INSTALL_PATH": str(chosen.folder), "TMPDIR": str(work)}


def _run_hivmc_again(
    chosen: hivmc.Hivmc, run: process.Run, module: Path, work: Path, timeout: float
) -> process.Run:
    """Run only hivmc on the final module, for its true exit status and output.

    bishengir-compile reports every end of hivmc, killed or failed, as exit status 1.
    """
    match = _EXECUTING.search(run.stderr)
    arguments = (
        shlex.split(match[1])[1:] if match is not None else [str(module), "-o", str(work / "kernel.o")]
    )
    return process.run(
        [chosen.path, *arguments], timeout=timeout, cwd=work, environment=_environment(chosen, work)
    )


def compile_hivm(
    ir: str,
    *,
    target: str,
    hivmc_choice: str | None = None,
    timeout: float | None = None,
    flags: Sequence[str] = FLAGS,
    entries: Sequence[str] | None = None,
    stages: Mapping[str, str] | None = None,
    versions: Mapping[str, str] | None = None,
    scalar_loops: bool = False,
) -> Compilation:
    """Compile HIVM text to a kernel object.

    Args:
        ir: the module, in the Triton kernel form.
        target: a name of the target table.
        hivmc_choice: "ours", "cann", a path, or None for the environment's choice.
        timeout: seconds for the whole tool run; None for the environment's.
        flags: options of bishengir-compile beside target, output and kept files.
        entries: functions that have to become kernel entries; None takes those marked ``global_kernel`` in
        ``ir``.
        stages: earlier stages (file name -> text) for the failure bundle.
        versions: name -> version for the failure bundle.
        scalar_loops: accept vector operations that became element-by-element loops.

    Raises:
        CompileError: TW3001..TW3004 for missing parts, TW3010..TW3015 for a tool that does not end well,
            TW3020..TW3023 for a module that is not accepted.
        UsageError: TW5001 if there is no temporary folder.
    """
    tools = wheel.locate()
    chosen = hivmc.choose(hivmc_choice)
    limit = settings.timeout_seconds() if timeout is None else timeout
    work = folders.work_folder()
    try:
        return _compile(
            ir, target, tools, chosen, limit, tuple(flags),
            _entries(ir) if entries is None else list(entries),
            dict(stages or {}), dict(versions or {}), work, scalar_loops,
        )  # fmt: skip
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _compile(
    ir: str,
    target: str,
    tools: wheel.Wheel,
    chosen: hivmc.Hivmc,
    limit: float,
    flags: tuple[str, ...],
    entries: list[str],
    stages: dict[str, str],
    versions: dict[str, str],
    work: Path,
    scalar_loops: bool,
) -> Compilation:
    source, output, final = work / "hivm.mlir", work / "kernel.o", work / FINAL_MODULE
    source.write_text(ir, encoding="utf-8")
    # Locations stay in the final module, and become line tables of the kernel object.
    located = (LOCATIONS,) if chosen.kind == "ours" else ()
    options = (*flags, f"--target={target}", *located)
    environment = _environment(chosen, work)
    run = process.run(
        # The relative name keeps the folder out of the locations, and so out of the kernel object.
        [tools.compiler, source.name, *options, f"--save-temps={work}", "-o", output],
        timeout=limit,
        cwd=work,
        environment=environment,
    )
    module = None
    if final.is_file():
        printed = final.read_text(encoding="utf-8", errors="replace")
        module = FinalModule(without_locations(printed) if located else printed)
    # Our hivmc links the library and refuses unknown functions and other parameter lists itself, so reading
    # the library (0.3 s) is left to compilations that it does not end, and to failures, where it may name the
    # cause.
    library = interface(tools.vector_library) if chosen.kind != "ours" or not run.ok else None
    findings = (
        []
        if module is None
        else acceptance.check(module, entries=entries, library=library, scalar_loops=scalar_loops)
    )
    clean = run.ok and not findings and _NO_VERSION not in run.stderr
    if clean and module is not None and output.is_file() and output.stat().st_size > 0:
        return Compilation(output.read_bytes(), module, chosen.kind, run.seconds, run.stderr)

    evidence = bundle.Evidence(
        stage="bishengir-compile",
        stages={**stages, "input.hivm.mlir": ir},
        input_name="input.hivm.mlir",
        run=run,
        arguments=(str(tools.compiler), "{input}", *options, "--save-temps={folder}", "-o", "{output}"),
        environment={"BISHENG_INSTALL_PATH": str(chosen.folder)},
        versions={"ascendnpu-ir": tools.version, "hivmc": f"{chosen.kind} {chosen.path}", **versions},
    )
    if module is not None:
        evidence.stages[FINAL_MODULE] = module.text
    evidence.notes = [str(finding) for finding in findings]
    raise _error(chosen, run, module, findings, evidence, limit, work)


def _error(
    chosen: hivmc.Hivmc,
    run: process.Run,
    module: FinalModule | None,
    findings: list[acceptance.Finding],
    evidence: bundle.Evidence,
    limit: float,
    work: Path,
) -> CompileError:
    if module is None and not run.ok:
        return tool_error("bishengir-compile", run, evidence)
    if findings:
        evidence.stage = "acceptance"
        first = findings[0]
        more = f" (and {len(findings) - 1} more findings in notes.txt)" if len(findings) > 1 else ""
        return coded_error(
            first.code,
            f"{first}{more}",
            evidence,
            expected="a fully lowered kernel; bishengir-compile's exit status does not tell",
            hint=f"look at {FINAL_MODULE} in the bundle",
        )
    if module is None:
        return coded_error("TW3014", "bishengir-compile returned 0 and left no final module", evidence)
    evidence.stage = "hivmc"
    if not run.ok:
        if not run.timed_out:
            run = _run_hivmc_again(chosen, run, work / FINAL_MODULE, work, limit)
            if run.ok:
                return coded_error(
                    "TW3013", "hivmc failed once and ended well when it was run again", evidence
                )
            evidence.run = run
        evidence.input_name = FINAL_MODULE
        evidence.arguments = (str(chosen.path), "{input}", "-o", "{output}")
        return tool_error("hivmc", run, evidence)
    if _NO_VERSION in run.stderr:
        return coded_error(
            "TW3013", "hivmc did not answer --version in the form that bishengir-compile reads", evidence,
            expected="hivmc X.Y.Z (HEX DATE)",
        )  # fmt: skip
    return coded_error("TW3014", "hivmc returned 0 and left no kernel object", evidence)
