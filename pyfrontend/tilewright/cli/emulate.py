"""``tilewright emulate``: run a program with the emulated CANN."""

from __future__ import annotations

import argparse
import os
import shutil

from tilewright import emulated
from tilewright.errors import UsageError


def main(options: argparse.Namespace) -> int:
    """Replace this process by the program. Raises TW5005, TW5403, and what ``emulated.Options`` raises."""
    words = list(options.program)
    if words[:1] == ["--"]:
        words = words[1:]
    if not words:
        raise UsageError(
            "TW5005",
            "there is no program to run",
            expected="tilewright emulate [OPTION...] -- python script.py",
        )
    chosen = emulated.Options(
        options.devices, options.target, options.memory, options.strict, options.poison, options.check
    )
    environment = emulated.environment(chosen, fallback=not options.no_fallback)
    program = shutil.which(words[0])
    if program is None:
        raise UsageError("TW5403", f"the program {words[0]!r} was not found", hint="is it on PATH?")
    os.execve(program, words, environment)
