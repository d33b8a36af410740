"""``tilewright ub``: the unified buffer of one call."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from tilewright import targets
from tilewright.binding import bind
from tilewright.cli import run
from tilewright.cli.main import emit
from tilewright.kernel import Kernel
from tilewright.timing import occupancy
from tilewright.timing.report import NOTE, time_call

_BAR = 48


def _buffers(found: Sequence[Mapping[str, Any]], lives: Sequence[occupancy.Lifetime]) -> list[dict[str, Any]]:
    """The buffers of the final module, with who writes them and for how long their data lives."""
    merged: dict[tuple[int, int], list[str]] = {}
    for buffer in found:
        elements = merged.setdefault((int(buffer["offset"]), int(buffer["size"])), [])
        if buffer["element"] not in elements:
            elements.append(str(buffer["element"]))
    described: list[dict[str, Any]] = []
    for (offset, size), elements in sorted(merged.items()):
        own = [one for one in lives if offset <= one.begin < offset + size]
        described.append({
            "offset": offset,
            "size": size,
            "elements": elements,
            "writers": sorted({one.row for one in own}),
            "lifetimes": len(own),
            "mean_us": round(sum(one.stop - one.start for one in own) / len(own), 4) if own else 0.0,
        })  # fmt: skip
    return described


def main(options: argparse.Namespace) -> int:
    """Describe UB. Raises coded errors for bad input."""
    target = targets.get(targets.DEFAULT if options.target is None else options.target)
    call, inputs = run.prepare(options)
    kernel = Kernel(
        call.op, target, cores=options.cores, tile=options.tile, threads=options.threads, hivmc=options.hivmc
    )
    binding = bind(call.op, (), {**inputs, **call.attributes})
    report = time_call(kernel, binding, samples=0, timeline_cores=1, timeline_events=1_000_000)
    if report is None:
        if options.json:
            emit({"operator": call.op.name, "target": target.name, "empty": True})
        else:
            print(f"{call.op.name}: the call is empty, nothing was run")
        return 0
    lives = occupancy.lifetimes(report)
    live = occupancy.live_bytes(lives)
    metadata = kernel.binary(binding.signature).metadata
    buffers = _buffers(metadata["ub_buffers"], lives)
    summary = {
        "operator": call.op.name,
        "target": target.name,
        "ub_bytes": occupancy.UB_BYTES,
        "reserved_bytes": metadata["ub_bytes"],
        "peak_live_bytes": max((size for _, size in live), default=0),
        "mean_live_bytes": _mean(live),
        "buffers": buffers,
        "lifetimes": len(lives),
        "note": NOTE,
    }
    if options.json:
        emit(summary)
    else:
        _print(summary)
    return 0


def _mean(live: Sequence[tuple[float, int]]) -> float:
    """Bytes in use, averaged over the modelled time."""
    if len(live) < 2:
        return 0.0
    area = sum(size * (after - time) for (time, size), (after, _) in pairwise(live))
    return round(area / (live[-1][0] - live[0][0]), 1)


def _print(summary: Mapping[str, Any]) -> None:
    total = int(summary["ub_bytes"])
    print(f"{summary['operator']} on {summary['target']}, first core: {summary['note']}")
    print(f"  reserved {summary['reserved_bytes']} of {total} bytes; in use at most "
          f"{summary['peak_live_bytes']}, {summary['mean_live_bytes']:.0f} on average")  # fmt: skip
    print("    offset      bytes  elements    written by      data lives   place in UB")
    for buffer in summary["buffers"]:
        first = int(buffer["offset"]) * _BAR // total
        last = max(first + 1, -(-(int(buffer["offset"]) + int(buffer["size"])) * _BAR // total))
        bar = "." * first + "#" * (last - first) + "." * (_BAR - last)
        print(f"  {buffer['offset']:8d} {buffer['size']:10d}  {'/'.join(buffer['elements']):10s}  "
              f"{'/'.join(buffer['writers']) or '-':14s}  {buffer['mean_us']:7.3f} us   {bar}")  # fmt: skip
