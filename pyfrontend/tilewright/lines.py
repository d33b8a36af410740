"""Source lines of instructions, by the line tables of a kernel object."""

from __future__ import annotations

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

from tilewright.errors import Location


def _is_interface(file: str) -> bool:
    """True for a file of emulator/ascendc (installed or in the source tree)."""
    folder = Path(file).parent
    return folder.name == "ascendc" and (folder.parent / "kernel_operator.h").exists()


@lru_cache(maxsize=4096)
def locate(path: str, offset: int) -> Location | None:
    """The line of the instruction at ``offset`` of an object, or None without tables or a symbolizer."""
    tool = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    if tool is None or not Path(path).exists():
        return None
    try:
        result = subprocess.run(
            [tool, f"--obj={path}", "--output-style=GNU", "--inlines", "--functions=none", hex(offset)],
            capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    if result.returncode:
        return None
    for frame in result.stdout.split("\n"):  # the innermost call first
        file, _, line = frame.strip().partition(" (")[0].rpartition(":")
        if file and not file.startswith("?") and line.isdecimal() and int(line) and not _is_interface(file):
            return Location(file, int(line))
    return None
