"""The plan of an operator over channels in words: axes, groups, tiles and tails, workspace, traffic."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tilewright.plan import Plan
from tilewright.plan_reduction import ReductionCapacity

_AXES = ("r1", "a", "r0")


def _tail(total: int, size: int) -> int:
    """The size of the last of the runs of ``size`` that ``total`` consists of."""
    return total - (-(-total // size) - 1) * size


def _axis(numbers: Mapping[str, int], name: str, extent: int) -> dict[str, int]:
    cores, base, big, unit = (numbers[f"tiling:{name}_{n}"] for n in ("cores", "base", "big", "unit"))
    sizes = [
        min((base + (position < big)) * unit, extent - (position * base + min(position, big)) * unit)
        for position in range(cores)
    ]
    return {
        "extent": extent, "cores": cores, "unit": unit, "big_cores": big,
        "largest": max(sizes), "smallest": min(sizes),
    }  # fmt: skip


def describe(limits: ReductionCapacity, extents: Sequence[int], planned: Plan) -> dict[str, Any]:
    """Plain data.

    Args:
        limits: what the binary can hold.
        extents: sizes of (R1, A, R0).
        planned: its plan.

    Returns:
        schedule; ``axes`` by name with extent, cores, and the elements of the busiest and the idlest core;
        ``groups`` of the busiest core; the ``tile`` with its tails; ``workspace_bytes``; ``traffic_bytes``,
        expected: ``read`` and ``written`` of the tensors over all axes, ``exchanged`` of partial results.
        What a channel has once is not counted.
    """
    numbers = planned.numbers
    axes = {n: _axis(numbers, n, e) for n, e in zip(_AXES, extents, strict=True)}
    group, rows, columns, merge = (
        numbers[f"tiling:{n}"] for n in ("group", "tile_rows", "tile_cols", "merge")
    )
    own = axes["a"]["largest"]
    groups = -(-own // group)
    elements = extents[0] * extents[1] * extents[2]
    read = limits.resident_bytes if limits.is_resident else limits.streamed_bytes
    splits = axes["r1"]["cores"] * axes["r0"]["cores"]
    row = 4 * numbers["tiling:workspace_row"]
    # Every core that shares channels stores its partial results and loads those of all.
    partial = limits.reductions * row * splits * (1 + splits) if splits > 1 else 0
    return {
        "schedule": planned.schedule,
        "axes": axes,
        "groups": {"count": groups, "channels": group, "tail": _tail(own, group)},
        "tile": {
            "rows": rows,
            "row_tail": _tail(axes["r1"]["largest"], rows),
            "columns": columns,
            "column_tail": _tail(axes["r0"]["largest"], columns) if limits.family == "rows" else columns,
            "merged_rows": merge,
            "elements": planned.elements,
            "capacity": limits.capacity,
            "resident_elements": limits.resident,
        },
        "exchanging_cores": splits,
        "workspace_bytes": planned.workspace,
        "traffic_bytes": {
            "read": elements * read,
            "written": elements * limits.result_bytes,
            "exchanged": partial,
            "units": (elements * (read + limits.result_bytes) + partial)
            / max(1, elements * limits.element_bytes),
        },
    }


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("s" if number != 1 else "")


def lines(described: Mapping[str, Any]) -> list[str]:
    """``describe``'s data for people."""
    tile, groups, traffic = described["tile"], described["groups"], described["traffic_bytes"]
    found = [f"  schedule {described['schedule']}"]
    for name, axis in described["axes"].items():
        share = f"{axis['largest']}"
        if axis["smallest"] != axis["largest"]:
            share = f"{axis['smallest']} to {axis['largest']}"
        cores = _count(axis["cores"], "core")
        found.append(
            f"    {name.upper():<2} {axis['extent']:>10} on {cores:<8} {share} each, "
            f"in units of {axis['unit']}"
        )
    merged = f", runs of {tile['merged_rows']} rows in a row of lanes" if tile["merged_rows"] > 1 else ""
    exchange = (
        f"{described['exchanging_cores']} cores share channels"
        if described["exchanging_cores"] > 1
        else "no core shares channels"
    )
    return [
        *found,
        f"    {_count(groups['count'], 'group')} of {_count(groups['channels'], 'channel')} "
        f"(last {groups['tail']}), tiles of {tile['rows']} x {tile['columns']} "
        f"(last {tile['row_tail']} x {tile['column_tail']}){merged}",
        f"    a tile has {tile['elements']} of {tile['capacity']} elements; {exchange}, "
        f"{described['workspace_bytes']} bytes of workspace",
        f"    expected traffic: {traffic['read']} bytes read, {traffic['written']} written, "
        f"{traffic['exchanged']} of partial results: {traffic['units']:.2f} times the data tensor",
    ]
