"""``tilewright plan``: how a call would be spread over cores, buffers and tiles; nothing is run."""

from __future__ import annotations

import argparse
from typing import Any

from tilewright.cli import call as calls
from tilewright.cli.main import emit


def table(buffers: list[dict[str, Any]], ub_bytes: int) -> list[str]:
    """The UB table that the passes planned."""
    width = max((len(str(row["name"])) for row in buffers), default=0)
    return [
        f"  planned unified buffer: {ub_bytes} bytes",
        *(f"    {row['name']!s:<{width}} {row['bytes']:10d}" for row in buffers),
    ]


def main(options: argparse.Namespace) -> int:
    """Plan one call. Raises coded errors, TW2401 among them for an override that cannot be honoured."""
    call = calls.parse(options)
    kernel = calls.kernel_of(call.op, options)
    report = kernel.report(call.signature())
    if options.json:
        emit(report.as_dict())
        return 0
    print(report)
    planned = report.binary.metadata["plan"]
    print("\n".join(table(planned.get("buffers", []), planned["ub_bytes"])))
    return 0
