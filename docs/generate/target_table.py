"""docs/targets.md from tilewright.targets."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tilewright import targets

PAGE = Path("docs/targets.md")

_HEAD = """\
# Targets

{marker}

The devices that `--target` and `tw.compile(..., target=...)` take, from `pyfrontend/tilewright/targets.py`;
`tilewright doctor` prints them too. Default: {default}. The compiler and the planner use the numbers of
cores and the usable bytes of UB (unified buffer of one vector core); {reserve} bytes at its top stay free,
because Select with a tensor operand may use them. The other figures are published ones, for orientation;
an empty cell means that none is known. Nothing was measured by us, and nothing here ran on a real device.

Core and memory sizes can be reproduced with the wheel's own tool:

```sh
echo 'module {{}}' | .venv/lib/python3*/site-packages/ascendnpuir/bin/bishengir-opt \\
  --hacc-append-device-spec=target={default}
```

(Its sizes are in bits.)

"""

_COLUMNS = (
    "target",
    "vector cores",
    "cube cores",
    "UB bytes",
    "usable",
    "clock MHz",
    "L2 MiB",
    "memory GiB",
    "memory 1e9 B/s, peak",
    "also known as",
    "sources",
)


def _line(cells: Iterable[object]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |\n"


def _row(target: targets.Target) -> str:
    low, high = target.hbm_peak_gb_s
    rate = "" if not high else str(low) if low == high else f"{low} to {high}"
    cells = (
        f"`{target.name}`",
        target.vector_cores,
        target.cube_cores,
        target.ub_bytes,
        target.ub_usable_bytes,
        target.clock_mhz or "",
        target.l2_bytes // targets.MIB or "",
        target.hbm_bytes // (1024 * targets.MIB) or "",
        rate,
        ", ".join(f"`{alias}`" for alias in target.aliases),
        "; ".join(target.sources),
    )
    return _line(cells)


def pages(marker: str) -> dict[Path, str]:
    """Path in the repository -> text."""
    head = _HEAD.format(marker=marker, default=targets.DEFAULT, reserve=targets.UB_RESERVE_BYTES)
    head += _line(_COLUMNS) + _line("---" for _ in _COLUMNS)
    return {PAGE: head + "".join(map(_row, targets.TABLE))}
