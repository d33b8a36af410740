"""``tilewright calibrate``: the model against published measurements."""

from __future__ import annotations

import argparse
from pathlib import Path

from tilewright.cli.main import emit
from tilewright.timing import calibrate, profile, profiles
from tilewright.timing.calibrate import Calibration


def _print(calibration: Calibration, name: str) -> None:
    print(f"modelled with profile {name} against published figures of {calibration.folder}")
    print("(measured by others on their devices; this project measured nothing on a device)")
    print(f"  {'figure':26} {'case':44} {'measured':>12} {'modelled':>12} unit     error")
    for group, points in calibration.groups().items():
        if len(points) > 100:
            print(f"  {group:26} {len(points)} points, see --json")
            continue
        for c in points:
            mark = "" if c.passed else f"  outside {c.bound:.0%}"
            values = f"{c.measured:12.2f} {c.modelled:12.2f} {c.unit:6} {c.error:+7.1%}"
            print(f"  {c.group:26} {c.case:44} {values}{mark}")
    for group, part in calibration.summary().items():
        bound = "" if part["bound"] is None else f", bound {part['bound']:.0%} of {part['bound_of']}"
        print(
            f"{'ok' if part['passed'] else 'FAILED':6} {group}: {part['points']} points, mean error "
            f"{part['mean_error']:.1%}, largest {part['largest_error']:.1%}{bound}"
        )
    if calibration.skipped:
        print(f"{len(calibration.skipped)} rows are not modelled:")
        for s in calibration.skipped:
            print(f"  {s.group} {s.case}: {s.reason}")


def main(options: argparse.Namespace) -> int:
    """Replay a data folder. Exit status 1 if a bound of the protocol is missed."""
    chosen = profile(profiles.CALIBRATION if options.profile is None else Path(options.profile))
    result = calibrate.calibrate(None if options.data is None else Path(options.data), chosen)
    if options.json:
        emit(calibrate.as_dict(result, chosen))
    else:
        _print(result, chosen.name)
    return 0 if result.passed else 1
