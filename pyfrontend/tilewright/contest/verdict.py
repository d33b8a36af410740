"""Who is faster, and does that hold over the ranges of the model's constants?

The two kernels are timed under the same sets of constants: the nominal ones, a Latin hypercube over all
ranges, and, where a ratio comes near 1, the two ends of each constant's own range with the others nominal.
The verdict is a tie within 2 %, or where any of these sets turns the sign.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tilewright.contest.sides import Side
from tilewright.timing import Profile

#: Ratios within 2 % of 1 are ties.
MARGIN = 0.02
#: The ends of single ranges are tried where a sampled ratio is this near to 1.
NEAR = 0.10


@dataclass(frozen=True)
class Verdict:
    """The comparison of two sides.

    Attributes:
        winner: "ours", "reference", "tie", or "none" where one of them has no right values.
        ratio: nominal time ours/reference.
        low, high: the least and largest ratio over all sets of constants that were tried.
        turned_by: the constant whose range turns the sign, "several" for a set of the hypercube, or "".
    """

    winner: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    turned_by: str = ""


def decide(ours: Side, theirs: Side, profile: Profile, *, ends: bool = True) -> Verdict:
    """Compare two sides.

    Args:
        ours, theirs: timed with the same options.
        profile: the constants and their ranges.
        ends: try the ends of single ranges where it is close; costs two launches a constant and side.
    """
    if not ours.counts or not theirs.counts or ours.us is None or theirs.us is None:
        return Verdict("none")
    ratio = ours.us / theirs.us
    ratios = [ratio, *(a / b for a, b in zip(ours.samples, theirs.samples, strict=True))]
    turned = "several" if _turns(ratio, ratios) else ""
    if ends and not turned and abs(ratio - 1) > MARGIN and _near(ratios):
        for name, tried in _at_ends(ours, theirs, profile):
            ratios.append(tried)
            if _turns(ratio, [tried]):
                turned = name
                break
    low, high = min(ratios), max(ratios)
    tie = bool(turned) or abs(ratio - 1) <= MARGIN
    return Verdict("tie" if tie else "ours" if ratio < 1 else "reference", ratio, low, high, turned)


def _turns(ratio: float, ratios: Sequence[float]) -> bool:
    return any((r - 1) * (ratio - 1) <= 0 for r in ratios)


def _near(ratios: Sequence[float]) -> bool:
    return min(abs(r - 1) for r in ratios) <= NEAR


def _at_ends(ours: Side, theirs: Side, profile: Profile) -> Iterator[tuple[str, float]]:
    if ours.timer is None or theirs.timer is None:
        return
    for name, constant in profile.constants.items():
        for end in {constant.low, constant.high} - {constant.value}:
            changed = profile.replaced({name: end})
            yield name, ours.timer(changed) / theirs.timer(changed)


def geomean(ratios: Sequence[float]) -> float | None:
    """The geometric mean; None of nothing."""
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else None
