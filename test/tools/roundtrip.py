"""Check that tw-opt and bishengir-opt read and print a file alike, then print it.

Usage: roundtrip.py FILE

The file goes ours -> theirs -> ours, and theirs -> ours; all four texts must be equal, in the custom and in
the generic form (which shows every property and its default). The text is written to stdout for FileCheck.
Exit status 1 with a unified diff on a difference, 2 when a tool refuses its input.
"""

from __future__ import annotations

import difflib
import subprocess
import sys
from pathlib import Path


def run(tool: str, text: str, *options: str) -> str:
    """Standard output of one tool that reads ``text``."""
    result = subprocess.run([tool, *options], input=text, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.stderr.write(f"{tool} {' '.join(options)} failed:\n{result.stderr}")
        sys.exit(2)
    return result.stdout


def require_equal(have: str, want: str, have_name: str, want_name: str) -> None:
    """Exit with a diff unless the two texts are equal (a final newline does not count)."""
    if have.strip() == want.strip():
        return
    diff = difflib.unified_diff(want.splitlines(), have.splitlines(), want_name, have_name, lineterm="")
    sys.stderr.write("\n".join(diff) + "\n")
    sys.exit(1)


def main() -> None:
    """Run the comparison on the file named on the command line."""
    source = Path(sys.argv[1]).read_text()
    ours = run("tw-opt", source)
    require_equal(run("bishengir-opt", source), ours, "theirs", "ours")
    theirs = run("bishengir-opt", ours)
    require_equal(theirs, ours, "ours -> theirs", "ours")
    require_equal(run("tw-opt", theirs), ours, "ours -> theirs -> ours", "ours")
    generic = "--mlir-print-op-generic"
    require_equal(run("bishengir-opt", source, generic), run("tw-opt", source, generic), "theirs", "ours")
    sys.stdout.write(ours)


if __name__ == "__main__":
    main()
