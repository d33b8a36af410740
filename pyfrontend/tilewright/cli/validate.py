"""``tilewright validate``: our kernel and the handwritten reference on the same inputs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from tilewright import targets
from tilewright.cli import run
from tilewright.cli.main import emit
from tilewright.kernel import Kernel


def _print(found: Mapping[str, Any]) -> None:
    print(f"{found['operator']} and the handwritten {found['reference']} on an emulated {found['target']}")
    for row in found["results"]:
        sides = [f"{s} {row[s]['max_rel_err']:.3g}" for s in ("ours", "reference") if s in row]
        bad = [s for s in ("ours", "reference") if s in row and not row[s]["passed"]]
        verdict = f"FAILED ({', '.join(bad)})" if bad else "passed"
        between = f", difference {row['difference']:.3g}" if "difference" in row else ""
        print(
            f"  result {row['result']} {row['name']}: {verdict}: relative error {', '.join(sides)}{between}"
        )
    for side, label in (("ours", "ours"), ("theirs", "reference")):
        f = found[side]
        time = "" if f["modelled_us"] is None else f", modelled {f['modelled_us']:.2f} us"
        print(
            f"  {label}: {f['blocks']} blocks, read {f['gm_read_bytes']} bytes of GM, wrote "
            f"{f['gm_write_bytes']}, UB up to byte {f['ub_high_water']}{time}"
        )
    print(f"  hazards of the reference: {found['hazards']}; {found['device']}")


def main(options: argparse.Namespace) -> int:
    """Exit status 1 if one of the two is wrong or the reference has a hazard; coded errors for bad input."""
    from tilewright.ascendc.validate import validate

    call, inputs = run.prepare(options)
    target = targets.get(options.target or targets.DEFAULT)
    kernel = Kernel(
        call.op, target, cores=options.cores, tile=options.tile, threads=options.threads, hivmc=options.hivmc
    )
    found = validate(kernel, inputs, call.attributes, rule=options.rule, time=not options.no_time)
    if options.json:
        emit(found)
    else:
        _print(found)
    return 0 if found["passed"] else 1
