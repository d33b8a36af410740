"""Axes strings: "N C *S".

A name stands for one dimension, ``*name`` for any number of dimensions (also none). A string has at most one
star. The empty string is the shape of a number: no dimension at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .errors import DefinitionError, Location

Axes = tuple[str, ...]
"""Axis names in order; a starred axis keeps its star: ``("N", "C", "*S")``."""

_NAME = re.compile(r"\*?[A-Za-z][A-Za-z0-9_]*\Z")


def parse(text: str, location: Location | None = None) -> Axes:
    """``"N C *S"`` -> ``("N", "C", "*S")``. Raises TW1003 with what is wrong about the string."""
    names = tuple(text.split())
    for name in names:
        if not _NAME.match(name):
            raise DefinitionError(
                "TW1003",
                f"axis {name!r} in {text!r} is not a name",
                expected='names of letters, digits and underscores, separated by spaces, such as "N C *S"',
                hint="a number cannot be an axis; sizes are found when the operator is called",
                location=location,
            )
    if len(set(names)) != len(names):
        raise DefinitionError(
            "TW1003",
            f"an axis appears twice in {text!r}",
            hint="give the two dimensions different names",
            location=location,
        )
    if sum(name.startswith("*") for name in names) > 1:
        raise DefinitionError(
            "TW1003",
            f"two starred axes in {text!r}: where one ends and the other begins would be unknown",
            expected="at most one starred axis",
            location=location,
        )
    return names


def render(axes: Iterable[str]) -> str:
    """The string of an axes tuple, for messages: ``[N C *S]``."""
    return "[" + " ".join(axes) + "]"


def split(axes: Axes, rank: int) -> dict[str, slice] | None:
    """Which dimensions of a tensor of ``rank`` belong to each axis, or None if the rank does not fit."""
    fixed = sum(not a.startswith("*") for a in axes)
    starred = rank - fixed
    if starred < 0 or (starred > 0 and fixed == len(axes)):
        return None
    spans: dict[str, slice] = {}
    at = 0
    for a in axes:
        width = starred if a.startswith("*") else 1
        spans[a] = slice(at, at + width)
        at += width
    return spans


class AxisOrder:
    """The axes of one operator and the order in which they are iterated, from all its annotations."""

    def __init__(self, annotations: Sequence[Axes], location: Location | None) -> None:
        self.annotations = tuple(annotations)
        self.order = self._merge(location)
        self._rank = {a: i for i, a in enumerate(self.order)}

    def _merge(self, location: Location | None) -> Axes:
        before: dict[str, set[str]] = {}
        for axes in self.annotations:
            for i, a in enumerate(axes):
                before.setdefault(a, set()).update(axes[:i])
        order: list[str] = []
        waiting = list(before)
        while waiting:
            ready = next((a for a in waiting if before[a] <= set(order)), None)
            if ready is None:
                raise DefinitionError(
                    "TW1007",
                    f"the axes {', '.join(waiting)} appear in different orders in the annotations",
                    expected="one order of the axes in all annotations of an operator",
                    location=location,
                )
            waiting.remove(ready)
            order.append(ready)
        return tuple(order)

    def union(self, parts: Iterable[Axes]) -> Axes | None:
        """The axes of a combination of values, in iteration order; None if they cannot be broadcast together.

        They can if some annotation of the operator holds all of them: that annotation says how they lie.
        """
        names = {a for part in parts for a in part}
        if not any(names.issubset(axes) for axes in self.annotations):
            return None
        return tuple(sorted(names, key=self._rank.__getitem__))
