"""Reports of compiled kernels: what is in the unified buffer, how work is spread, what synchronises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tilewright import plan_report
from tilewright.plan import Plan
from tilewright.targets import Target

if TYPE_CHECKING:
    from tilewright.compiler import Binary


class Report(NamedTuple):
    """A binary and the plan of one call. ``str()`` is for people, ``as_dict()`` for programs.

    Attributes:
        target: the target.
        variant: the variant's readable key.
        extents: merged iteration extents of the call.
        binary: the compiled kernel.
        plan: cores and tiles, None for an empty call.
    """

    target: Target
    variant: str
    extents: tuple[int, ...]
    binary: Binary
    plan: Plan | None

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        metadata, planned = self.binary.metadata, self.plan
        return {
            "variant": self.variant,
            "target": self.target.name,
            "layout": metadata["layout"],
            "extents": list(self.extents),
            "binary_key": self.binary.key,
            "ub_bytes": metadata["ub_bytes"],
            "ub_usable_bytes": self.target.ub_usable_bytes,
            "ub_buffers": metadata["ub_buffers"],
            "synchronisation": metadata["synchronisation"],
            "cores": 0 if planned is None else planned.cores,
            "tiles_per_core": 0 if planned is None else planned.tiles,
            "tile_elements": 0 if planned is None else planned.elements,
            "numbers": {} if planned is None else dict(planned.numbers),
            "planned_buffers": metadata["plan"].get("buffers", []),
            "channels": {} if planned is None else self._channels(planned),
        }

    def _channels(self, planned: Plan) -> dict[str, Any]:
        """Schedule, axes, groups, tiles and traffic of an operator over channels; {} of others."""
        return plan_report.describe(self.binary.reduction, self.extents, planned) if planned.schedule else {}

    def __str__(self) -> str:
        data = self.as_dict()
        sync = data["synchronisation"]
        extents = " x ".join(map(str, self.extents))
        lines = [
            f"{self.variant} on {self.target.name}",
            f"  layout {data['layout']}, extents {extents}, binary {self.binary.key[:16]}",
        ]
        if self.plan is None:
            lines.append("  nothing to launch: the call is empty")
        else:
            lines.append(
                f"  {self.plan.cores} of {self.target.vector_cores} vector cores, {self.plan.tiles} tiles on "
                f"the busiest core, {self.plan.elements} elements in a tile"
            )
        if self.plan is not None and self.plan.schedule:
            lines += plan_report.lines(data["channels"])
        usable = f"{self.target.ub_usable_bytes} usable bytes ({self.target.ub_bytes} less "
        usable += f"{self.target.ub_reserve_bytes} reserved)"
        if self.plan is not None and self.plan.schedule:
            # Buffers of different passes share addresses; AscendNPU-IR's planner uses all of UB for that.
            usable = f"{self.target.ub_bytes} bytes"
        lines += [
            f"  unified buffer: {data['ub_bytes']} of {usable}",
            "      offset      bytes  type",
            *(f"  {b['offset']:10d} {b['size']:10d}  {b['element']}" for b in data["ub_buffers"]),
            f"  flags: {sync['set_flags']} set, {sync['wait_flags']} wait; barriers: {sync['barriers']}, "
            f"of them {sync['full_barriers']} full (one ends every kernel)",
        ]
        return "\n".join(lines)
