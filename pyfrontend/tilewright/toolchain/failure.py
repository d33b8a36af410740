"""From a failed tool run or a failed check to one coded error with a bundle."""

from __future__ import annotations

import re

from tilewright.errors import CompileError
from tilewright.toolchain import bundle
from tilewright.toolchain.process import Run

_UB_OVERFLOW = re.compile(r"ub overflow, requires (\d+) bits while (\d+) bits available")
_CODED = re.compile(r"^(TW\d{4}): (.*)$", re.MULTILINE)
_ERROR_LINE = re.compile(r"(?:error|LLVM ERROR):\s*(.*)|^\[ERROR\]\s*(.*)")
#: What the compiler says after, and sometimes before, the error that it means.
_NO_REASON = ("Executing:", "Failed to run BiSheng", "External hivmc run fails")


def first_error(stderr: str) -> str:
    """The first line of ``stderr`` that reads like an error, or its last line; at most 300 characters."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    for line in lines:
        match = _ERROR_LINE.search(line)
        text = (match[1] or match[2] or "").strip() if match is not None else ""
        if text and not text.startswith(_NO_REASON):
            return text[:300]
    return lines[-1][:300] if lines else ""


def _code_and_hint(run: Run, stderr: str) -> tuple[str, str]:
    if run.start_error:
        return "TW3010", "check that the file is an executable program for this machine"
    if run.timed_out:
        return (
            "TW3012",
            "raise TILEWRIGHT_TIMEOUT (seconds) if the machine is slow; otherwise report the bundle",
        )
    if run.signal_name:
        return (
            "TW3011",
            "SIGKILL is often the kernel running out of memory; other signals are defects of the tool",
        )
    if _UB_OVERFLOW.search(stderr) is not None:
        return (
            "TW3015",
            "a kernel of your own: smaller tiles, fewer live buffers; an operator of tilewright: a defect of "
            "the tiler, which has to keep every kernel inside the buffer, report it",
        )
    return "TW3013", "the bundle holds the IR, the command and a reproducer"


def coded_error(
    code: str, what: str, evidence: bundle.Evidence, *, expected: str = "", hint: str = ""
) -> CompileError:
    """Write the bundle for ``evidence`` and return the error that names the stage and the bundle."""
    folder = bundle.write(evidence)
    where = f"bundle: {folder}" if folder is not None else "no folder for the failure bundle could be written"
    error = CompileError(
        code,
        f"stage {evidence.stage}: {what}",
        expected=expected,
        hint=f"{hint}; {where}" if hint else where,
    )
    error.bundle = None if folder is None else str(folder)
    return error


def tool_error(tool: str, run: Run, evidence: bundle.Evidence) -> CompileError:
    """The error for a tool that did not end well."""
    code, hint = _code_and_hint(run, run.stderr)
    what = f"{tool} {run.describe()}"
    overflow = _UB_OVERFLOW.search(run.stderr)
    if code == "TW3015" and overflow is not None:
        needed, available = int(overflow[1]) // 8, int(overflow[2]) // 8
        what = f"the kernel needs {needed} bytes of the unified buffer, {available} bytes are available"
    elif code == "TW3013" and (coded := _CODED.search(run.stderr)) is not None:
        # Our hivmc prints coded errors of its own.
        code = coded[1]
        what += f": {coded[2]}"
    elif code == "TW3013" or (code == "TW3011" and "LLVM ERROR:" in run.stderr):
        message = first_error(run.stderr)
        what += f": {message}" if message else ""
    return coded_error(code, what, evidence, hint=hint)
