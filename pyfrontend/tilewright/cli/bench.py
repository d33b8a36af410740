"""``tilewright bench``: compiled kernels against others on the emulated device."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilewright import targets
from tilewright.cli.main import emit
from tilewright.errors import UsageError


def _check_writable(path: str | None) -> None:
    if path and (not Path(path).absolute().parent.is_dir() or Path(path).is_dir()):
        raise UsageError(
            "TW5007", f"the file {path} cannot be written", expected="a file in a folder that exists"
        )


def _write(path: str | None, text: str) -> None:
    if not path:
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("TW5007", f"the file {path} cannot be written: {error.strerror or error}") from error


def _read(path: str | None) -> str:
    try:
        return Path(path).read_text(encoding="utf-8") if path else ""
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError("TW5007", f"the file {path} cannot be changed: {error}") from error


def _print(found: Mapping[str, Any]) -> None:
    from tilewright.contest import report

    print(f"contest, {found['suite']} suite, {found['target']}: {found['note']}")
    for row in found["rows"]:
        print(f"  {report.line(row)}")
    print("\n".join(report.summary_lines(found)))


def main(options: argparse.Namespace) -> int:
    """Exit status 1 if a side that counts has wrong values or hazards; coded errors for bad input."""
    from tilewright.contest import picture, report, run
    from tilewright.contest.suite import Row

    target = targets.get(options.target or targets.DEFAULT)
    for path in (options.markdown, options.picture):
        _check_writable(path)

    def progress(number: int, count: int, row: Row) -> None:
        shape = "x".join(map(str, row.shape))
        print(f"{number}/{count} {row.label} {row.dtype} {shape}", file=sys.stderr, flush=True)

    page = _read(options.markdown)
    found = run(options.suite, target, progress=progress)
    _write(options.markdown, report.markdown(found, page))
    _write(options.picture, picture.svg(found))
    if options.json:
        emit(found)
    else:
        _print(found)
    return 1 if any(_broken(row["sides"]) for row in found["rows"]) else 0


def _broken(sides: Mapping[str, Mapping[str, Any]]) -> bool:
    return any(sides[s]["passed"] is False or sides[s]["hazards"] for s in ("ours", "reference"))
