"""``tilewright ascendc``: compile a handwritten kernel to an object for ``tilewright exec``."""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from tilewright.ascendc.compiler import compile_kernel, parameters
from tilewright.cli.main import emit
from tilewright.errors import UsageError


def main(options: argparse.Namespace) -> int:
    """Compile one kernel. Raises coded errors for bad input and for what the compiler refuses."""
    defines: dict[str, str | int] = {}
    for word in options.define:
        name, equals, value = word.partition("=")
        if not name.isidentifier():
            raise UsageError("TW5005", f"-D {word} is no NAME=VALUE")
        defines[name] = value if equals else 1
    made, name = compile_kernel(
        options.file, entry=options.entry, defines=defines, includes=options.include,
        tiling_key=options.tiling_key,
    )  # fmt: skip
    output = Path(options.output) if options.output else None
    if output is not None:
        if not output.absolute().parent.is_dir() or output.is_dir():
            raise UsageError(
                "TW5007", f"the file {output} cannot be written", expected="a file in a folder that exists"
            )
        try:
            shutil.copyfile(made, output)
        except OSError as error:
            raise UsageError(
                "TW5007", f"the file {output} cannot be written: {error.strerror or error}"
            ) from error
    _, described = parameters(Path(options.file).absolute(), name)
    taken = [p for p in described if p.kind != "workspace"]
    summary = {
        "kernel": name,
        "object": str(output or made),
        "arguments": [{"name": p.name, "kind": p.kind, "type": p.type, "role": p.role} for p in taken],
    }
    if options.json:
        emit(summary)
    else:
        print(f"kernel {name}: {summary['object']}")
        print(f"  arguments of `tilewright exec`: {', '.join(p.name for p in taken)}")
    return 0
