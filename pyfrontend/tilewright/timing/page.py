"""A page about one modelled launch: pipes over time, UB over time, what bounds it. One file, no network.

The page holds the Chrome trace itself (element ``trace``), so it shows exactly what the trace file has.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from tilewright.timing import chrome, occupancy
from tilewright.timing.report import NOTE, TimeReport

_TEMPLATE = Path(__file__).with_name("page.html")


def _number(value: float) -> float:
    return round(value, 4)


def _occupancy(report: TimeReport) -> dict[str, Any]:
    """Lifetimes and live bytes by core, as short lists."""
    shown: dict[str, Any] = {}
    for core in occupancy.cores(report):
        lives = occupancy.lifetimes(report, core)
        shown[str(core)] = {
            "lives": [
                [o.begin, o.end, _number(o.start), _number(o.stop), o.writer, o.row, o.readers] for o in lives
            ],
            "live": [[_number(time), size] for time, size in occupancy.live_bytes(lives)],
        }
    return shown


def _rows(report: TimeReport) -> str:
    """The summary, as rows of a table."""
    lines: list[str] = []
    for cache, where in (("cold", "data in memory"), ("warm", "data in L2 as far as it fits")):
        part, (low, high), roof = report.data[cache], report.interval(cache), report.roofline(cache)
        busy = ", ".join(f"{name} {share:.0%}" for name, share in part["busy"].items())
        cells = (
            f"<b>{cache}</b><br>{where}",
            f"<b>{report.us(cache):.2f} us</b><br>{low:.2f} to {high:.2f}",
            f"{report.bound(cache)}<br>{report.parallelism(cache):.2f} of 3 pipes at work",
            busy,
            f"{roof['bytes']:.0f} bytes<br>{roof['gb_s']:.0f} of {roof['peak_gb_s']:.0f} GB/s "
            f"({roof['of_peak']:.0%})",
        )
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return "\n".join(lines)


def _script(data: Any) -> str:
    """JSON that may stand in a script element."""
    return json.dumps(data, separators=(",", ":")).replace("</", "<\\/")


def html(report: TimeReport) -> str:
    """The page of a report with a timeline.

    Args:
        report: made with ``timeline_cores`` and ``timeline_events``.
    """
    trace = chrome.events(report)
    cut = " The timeline is cut at its limit of events." if report.data["timeline"]["cut"] else ""
    values = {
        "TITLE": escape(f"{report.kernel} on {report.profile.name}"),
        "NOTE": escape(NOTE),
        "ABOUT": escape(
            f"{report.data['blocks']} blocks, launch {report.data['launch_us']:.2f} us. The timeline shows "
            f"the {report.data['timeline']['cache']} launch.{cut}"
        ),
        "ROWS": _rows(report),
        "TRACE": _script(trace),
        "OCCUPANCY": _script({"bytes": occupancy.UB_BYTES, "cores": _occupancy(report)}),
    }
    text = _TEMPLATE.read_text(encoding="utf-8")
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    return text
