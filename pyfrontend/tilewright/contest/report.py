"""The contest for people: lines of text, and the Markdown of docs/contest.md."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

BEGIN = "<!-- contest: begin -->"
END = "<!-- contest: end -->"

_TITLES = {"norm": "Normalisation", "elementwise": "Elementwise"}
_MEANS = {
    "norm": "ours / reference, normalisation rows", "elementwise": "ours / reference, elementwise rows",
    "auto": "ours / automatic schedule, rows where that compiles and is right",
}  # fmt: skip
_HEAD = (
    "operator", "type", "shape", "ours us", "reference us", "ours / ref.", "over the ranges", "automatic us",
    "verdict", "cores", "UB KiB", "GM MiB", "source",
)  # fmt: skip


def _us(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}" if value < 100 else f"{value:.0f}"


def _shape(row: Mapping[str, Any]) -> str:
    return "x".join(map(str, row["shape"]))


def _times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def line(row: Mapping[str, Any]) -> str:
    """One row as text."""
    text = (
        f"{row['label']} {row['dtype']} {_shape(row)}: ours {_us(row['ours_us'])} us, reference "
        f"{_us(row['reference_us'])} us, automatic {_us(row['auto_us'])} us: {row['verdict']}"
    )
    if row["ratio"]["ratio"] is not None:
        r = row["ratio"]
        text += f" ({r['ratio']:.2f}, {r['low']:.2f} to {r['high']:.2f} over the ranges)"
    return f"{text}; automatic: {row['auto_reason']}" if row["auto_reason"] else text


def summary_lines(found: Mapping[str, Any]) -> list[str]:
    """Geometric means, bounds and counts."""
    lines = list[str]()
    for name, words in _MEANS.items():
        bound = found["bounds"][name]
        met = "no rows" if bound["met"] is None else "met" if bound["met"] else "MISSED"
        lines.append(
            f"{words}: geometric mean {_times(bound['value'])} of {found['compared'][name]} rows, to be at "
            f"most {bound['limit']:.2f}: {met}"
        )
    v = found["verdicts"]
    lines.append(
        f"verdicts: ours {v['ours']}, reference {v['reference']}, tie {v['tie']}, not compared {v['none']}; "
        f"slower than the reference by more than 2 %: {len(found['slower_rows'])} rows"
    )
    return lines


def _pair(row: Mapping[str, Any], key: str, scale: float = 1.0) -> str:
    def text(value: float | None) -> str:
        return "-" if value is None else f"{value / scale:.0f}"

    return " / ".join(text(row["sides"][side][key]) for side in ("ours", "reference"))


def _traffic(row: Mapping[str, Any]) -> str:
    words = list[str]()
    for side in ("ours", "reference"):
        s = row["sides"][side]
        total = None if s["gm_read_bytes"] is None else s["gm_read_bytes"] + s["gm_write_bytes"]
        words.append("-" if total is None else f"{total / (1 << 20):.3g}")
    return " / ".join(words)


def _cells(row: Mapping[str, Any], notes: list[str]) -> Sequence[str]:
    ratio = row["ratio"]
    span = "-" if ratio["low"] is None else f"{ratio['low']:.2f} to {ratio['high']:.2f}"
    automatic = _us(row["auto_us"])
    if row["auto_reason"]:
        if row["auto_reason"] not in notes:
            notes.append(row["auto_reason"])
        automatic = f"none ({notes.index(row['auto_reason']) + 1})"
    verdict = row["verdict"]
    return (
        row["label"], row["dtype"], _shape(row), _us(row["ours_us"]), _us(row["reference_us"]),
        _times(ratio["ratio"]), span, automatic, f"**{verdict}**" if verdict == "ours" else verdict,
        _pair(row, "cores"), _pair(row, "ub_bytes", 1024), _traffic(row), row["source"],
    )  # fmt: skip


def _table(rows: Sequence[Mapping[str, Any]], notes: list[str]) -> list[str]:
    lines = ["| " + " | ".join(_HEAD) + " |", "|" + " --- |" * len(_HEAD)]
    for row in rows:
        cells = (cell.replace("|", "\\|") for cell in _cells(row, notes))
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def table(found: Mapping[str, Any]) -> str:
    """Summary, tables and notes as Markdown."""
    lines = [f"Suite {found['suite']}, {found['target']}: {found['note']}.", ""]
    lines += [f"* {text}" for text in summary_lines(found)]
    notes = list[str]()
    for kind, title in _TITLES.items():
        chosen = [row for row in found["rows"] if row["class"] == kind]
        if chosen:
            lines += ["", f"### {title}", "", *_table(chosen, notes)]
    if notes:
        lines += ["", "Why there is no automatic schedule that counts:", ""]
        lines += [f"{i}. `{note.replace('`', chr(39))}`" for i, note in enumerate(notes, 1)]
    return "\n".join(lines) + "\n"


def markdown(found: Mapping[str, Any], page: str = "") -> str:
    """A page with the results: ``page`` with what is between its marks replaced, or the results alone."""
    made = f"{BEGIN}\n{table(found)}{END}"
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{made}{after}" if begin and end else made + "\n"
