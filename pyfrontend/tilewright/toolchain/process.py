"""Running one external tool: time limit, process group, and what is known about how it ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Run:
    """How a tool ended.

    Attributes:
        command: program and arguments.
        status: exit status; negative signal number if it was killed; None if it never started.
        stdout, stderr: what it printed (bytes that are not UTF-8 are replaced).
        seconds: wall-clock time.
        timed_out: the time limit passed and the process group was killed.
        start_error: why it could not be started, or "".
    """

    command: tuple[str, ...]
    status: int | None
    stdout: str
    stderr: str
    seconds: float
    timed_out: bool = False
    start_error: str = ""

    @property
    def ok(self) -> bool:
        """True if the tool started, ended in time and returned 0."""
        return self.status == 0 and not self.timed_out

    @property
    def signal_name(self) -> str:
        """Name of the signal that killed the tool, or ""."""
        if self.status is None or self.status >= 0 or self.timed_out:
            return ""
        try:
            return signal.Signals(-self.status).name
        except ValueError:
            return f"signal {-self.status}"

    def describe(self) -> str:
        """One phrase on how the tool ended."""
        if self.start_error:
            return f"could not be started: {self.start_error}"
        if self.timed_out:
            return f"did not end within its time limit and was stopped after {self.seconds:.1f} s"
        if self.signal_name:
            return f"was killed by {self.signal_name}"
        return f"ended with exit status {self.status}"


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    # The tool runs in its own session, so its process group holds it and the programs it started
    # (bishengir-compile starts hivmc), and nothing else.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _decode(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", errors="replace")


def run(
    command: Sequence[str | Path], *, timeout: float, cwd: Path, environment: Mapping[str, str] | None = None
) -> Run:
    """Run ``command`` in ``cwd`` and wait for it; never raises for anything the tool does.

    Args:
        command: program (a path) and arguments.
        timeout: seconds until the tool's process group is killed.
        cwd: working folder.
        environment: the tool's whole environment; None for this process's.
    """
    words = tuple(str(word) for word in command)
    start = time.perf_counter()
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=None if environment is None else dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        return Run(words, None, "", "", time.perf_counter() - start, start_error=error.strerror or str(error))
    timed_out = False
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        timed_out = True
        _kill_group(process)
        try:
            stdout, stderr = process.communicate(timeout=2.0)
        except subprocess.TimeoutExpired as late:
            # A grandchild that left the process group still holds the pipes; keep what was read so far.
            stdout, stderr = late.stdout or b"", late.stderr or b""
            for stream in (process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
            process.wait()
    except BaseException:
        _kill_group(process)
        process.wait()
        raise
    seconds = time.perf_counter() - start
    return Run(words, process.returncode, _decode(stdout), _decode(stderr), seconds, timed_out)
