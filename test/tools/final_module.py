"""Compile a file with bishengir-compile and check that tw-opt reads what the compiler prints.

Usage: final_module.py FILE [bishengir-compile option...]

Two texts are checked: the final module (``module.hivm.opt.mlir``) and the module before hivm operations
become library calls. tw-opt must print each as the compiler did, up to white space. The final module, as
printed by tw-opt, goes to stdout for FileCheck. The compiler's exit status is ignored: without a ``hivmc``
it fails after it has written the final module. Exit status 1 on a difference, 2 when a tool fails.
"""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path


def compile_stages(source: str, options: list[str]) -> tuple[str, str]:
    """The final module and the last module with hivm vector operations, as bishengir-compile prints them."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            "bishengir-compile", source, *options, f"--save-temps={folder}", "-o", f"{folder}/kernel.o",
            "--mlir-print-ir-before=convert-hivm-to-std", "--mlir-print-ir-module-scope",
            "--mlir-disable-threading",
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        final = Path(folder) / "module.hivm.opt.mlir"
        if not final.exists():
            sys.stderr.write(result.stderr)
            sys.exit(2)
        final_text = final.read_text()
    dumps = re.split(r"^// -----// IR Dump Before .*$", result.stderr, flags=re.MULTILINE)
    if len(dumps) < 2:
        sys.stderr.write("no dump before convert-hivm-to-std\n")
        sys.exit(2)
    # Messages of the driver follow the module in the same stream.
    dump = re.split(r"^\}\n", dumps[1], flags=re.MULTILINE)[0] + "}\n"
    return final_text, dump


def check(text: str, name: str) -> str:
    """``text`` as tw-opt prints it; exit unless that equals ``text`` up to white space."""
    result = subprocess.run(["tw-opt"], input=text, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.stderr.write(f"tw-opt refuses the {name}:\n{result.stderr}")
        sys.exit(2)
    want = [re.sub(r"\s+", " ", line).strip() for line in text.strip().splitlines()]
    have = [re.sub(r"\s+", " ", line).strip() for line in result.stdout.strip().splitlines()]
    if have != want:
        sys.stderr.write(
            "\n".join(difflib.unified_diff(want, have, f"bishengir-compile, {name}", "tw-opt")) + "\n"
        )
        sys.exit(1)
    return result.stdout


def main() -> None:
    """Compile the file named on the command line and check both stages."""
    final, dump = compile_stages(sys.argv[1], sys.argv[2:])
    check(dump, "module before convert-hivm-to-std")
    sys.stdout.write(check(final, "final module"))


if __name__ == "__main__":
    main()
