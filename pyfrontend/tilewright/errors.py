"""Coded errors.

Every mistake a user can make has one code ``TWnnnn``, one class and one page in docs/errors/.
The first digit is the stage: 1 definition, 2 call, 3 compilation, 4 execution, 5 command line and
environment.

A message has up to four parts, each on its own line: what is wrong (with the code), where (file:line),
what was expected, and a hint.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Location:
    """A place in the user's source: absolute or relative file name and 1-based line."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class TilewrightError(Exception):
    """Base of all coded errors.

    Attributes:
        code: "TWnnnn", the key of the page docs/errors/TWnnnn.md.
        what: one sentence, what is wrong.
        expected: what would have been right, or "".
        hint: what to do next, or "".
        location: the user's line, or None where there is none (command line, environment).
    """

    def __init__(
        self,
        code: str,
        what: str,
        *,
        expected: str = "",
        hint: str = "",
        location: Location | None = None,
    ) -> None:
        self.code = code
        self.what = what
        self.expected = expected
        self.hint = hint
        self.location = location
        super().__init__(self._render())

    def _render(self) -> str:
        lines = [f"{self.code}: {self.what}"]
        if self.location is not None:
            lines.append(f"  at: {self.location}")
        if self.expected:
            lines.append(f"  expected: {self.expected}")
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """The error as plain data, for ``--json``."""
        return {
            "code": self.code,
            "error": self.what,
            "expected": self.expected,
            "hint": self.hint,
            "location": None if self.location is None else str(self.location),
        }


class DefinitionError(TilewrightError, ValueError):
    """TW1xxx: an ``@tw.op`` definition is wrong; raised when the definition is executed."""


class ShapeError(TilewrightError, ValueError):
    """TW2xxx: shapes, ranks, or attribute values of a call do not fit the operator."""


class DTypeError(TilewrightError, TypeError):
    """TW2xxx: a data type the operator does not take."""


class CompileError(TilewrightError, RuntimeError):
    """TW3xxx: a stage of the compilation failed; ``bundle`` names the folder with the evidence."""

    bundle: str | None = None


class ExecutionError(TilewrightError, RuntimeError):
    """TW4xxx: the emulated device refused or stopped a kernel."""


class UsageError(TilewrightError, ValueError):
    """TW5xxx: command line, environment, or cache folder."""


class DerivativeError(TilewrightError, NotImplementedError):
    """TW26nn: a gradient was asked for that does not exist."""


class MissingError(TilewrightError, ImportError):
    """TW54nn: an optional part, such as torch, is not installed or not of a version that can be used."""


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint that lists the known names nearest to ``name`` (all of them when none is near)."""
    import difflib  # only a mistake needs it; it is a tenth of the package's import time

    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return ("did you mean " + ", ".join(close) + "?") if close else ("known: " + ", ".join(names))
