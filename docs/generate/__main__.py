"""Writes the generated pages of docs/: ``python docs/generate [--check]``, or ``./dev docs``.

With ``--check`` nothing is written; the exit status is 1 if a page is missing or differs.
"""

from __future__ import annotations

import sys
from pathlib import Path

# Run as a folder: the modules beside this file are top-level ones.
import errors
import operators
import tablegen
import target_table

ROOT = Path(__file__).resolve().parents[2]
MARKER = "<!-- Written by ./dev docs (docs/generate); edits here are lost. -->"


def generate() -> dict[Path, str]:
    """Path in the repository -> text of every generated page."""
    return {
        **operators.pages(MARKER),
        **errors.pages(MARKER, ROOT),
        **tablegen.pages(MARKER, ROOT),
        **target_table.pages(MARKER),
    }


def main(arguments: list[str]) -> int:
    """Write the pages that differ, or name them."""
    check, different = arguments == ["--check"], list[Path]()
    for path, text in generate().items():
        place = ROOT / path
        if not place.is_file() or place.read_text(encoding="utf-8") != text:
            different.append(path)
            if not check:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(text, encoding="utf-8")
    for path in different:
        print(f"{'differs' if check else 'wrote'}: {path}")
    return int(check and bool(different))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
