"""``tilewright export``: kernels with their plans for programs without Python."""

from __future__ import annotations

import argparse
import copy
from pathlib import Path

from tilewright import targets
from tilewright.aot import export
from tilewright.cli import call as calls
from tilewright.cli.main import emit
from tilewright.errors import UsageError


def main(options: argparse.Namespace) -> int:
    """Write the folder. Raises TW5005, TW5007, TW5501 and all errors of compiling."""
    if not options.shapes:
        raise UsageError("TW5005", "there is no shape to plan for", expected="--shape N,N,..., once or more")
    chosen = [targets.get(name) for name in (options.target or targets.DEFAULT).split(",")]
    plans: dict[str, export.Planned] = {}
    for operator in options.operators:
        for dtype in (options.dtype or "f32").split(","):
            for shape in options.shapes:
                for target in chosen:
                    one = copy.copy(options)
                    one.operator, one.dtype, one.shape = operator, dtype, shape
                    call = calls.parse(one)
                    signature = call.signature()
                    plan = export.planned(
                        call.op, signature, call.shapes, call.attributes, target, options.hivmc
                    )
                    plans[plan.name] = plan
    files = export.write(Path(options.output), list(plans.values()))
    if options.json:
        emit({"folder": options.output, "plans": sorted(plans), "files": files})
        return 0
    for name in sorted(plans):
        print(name)
    print(f"{len(files)} files in {options.output}")
    return 0
