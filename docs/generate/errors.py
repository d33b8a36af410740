"""docs/errors/README.md: an index of the error pages."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path("docs/errors")

#: First digits of a code -> what raises it, the class, and the exit status of the command line.
GROUPS: tuple[tuple[str, str, str], ...] = (
    ("1", "Definition of an operator", "`DefinitionError`, when the decorator runs"),
    ("2", "Call: shapes, types, attributes, tiling", "`ShapeError` or `DTypeError`, before compiling"),
    ("30", "Compilation", "`CompileError`; `bundle` names the folder with the evidence"),
    ("31", "Our hivmc", "printed by `hivmc`; in Python a `CompileError` with the code of hivmc"),
    ("32", "Handwritten Ascend C", "`CompileError`"),
    ("40", "Execution: found by the emulator", "`ExecutionError`"),
    ("41", "Execution: loading and launching", "`ExecutionError`"),
    (
        "42",
        "Execution: devices, through ACL and torch",
        "`ExecutionError`, in torch a `RuntimeError` with the code",
    ),
    ("5", "Command line, environment, cache", "`UsageError`; `MissingError` for torch and CANN"),
)

_HEAD = """\
# Errors

{marker}

Every mistake has a code, a class and a page. A message says what is wrong, where (`at:`), what was expected
and what to do next (`hint:`). All classes derive from `tilewright.TilewrightError` and carry `code`, `what`,
`expected`, `hint` and `location`. The command line ends with status 2 and prints the message, with `--json`
as an object.
"""


def titles(root: Path) -> dict[str, str]:
    """Code -> title, from the first line of each page."""
    found = dict[str, str]()
    for page in sorted((root / FOLDER).glob("TW*.md")):
        first = page.read_text(encoding="utf-8").partition("\n")[0]
        match = re.fullmatch(rf"# {page.stem}: (.+)", first)
        if match is None:
            raise ValueError(f"{page.name} does not start with '# {page.stem}: title'")
        found[page.stem] = match[1]
    return found


def pages(marker: str, root: Path) -> dict[Path, str]:
    """Path in the repository -> text."""
    remaining = titles(root)
    lines = [_HEAD.format(marker=marker).rstrip("\n")]
    for digits, stage, raised in GROUPS:
        group = {code: title for code, title in remaining.items() if code.startswith(f"TW{digits}")}
        if not group:
            continue
        lines += ["", f"## {stage}", "", f"Class: {raised}.", "", "| code | |", "| --- | --- |"]
        for code, title in group.items():
            cell = (title[0].upper() + title[1:]).replace("|", "\\|")
            lines.append(f"| [{code}]({code}.md) | {cell} |")
            del remaining[code]
    if remaining:
        raise ValueError(f"no group for {', '.join(remaining)}")
    return {FOLDER / "README.md": "\n".join(lines) + "\n"}
