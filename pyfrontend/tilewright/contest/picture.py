"""The contest as a picture: one line a row, ratios of modelled time on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any

_LEFT, _WIDTH, _RIGHT, _STEP, _TOP = 430, 560, 40, 17, 74
_LEAST, _MOST = 1 / 32, 4.0
_TICKS = (
    (1 / 16, "1/16"),
    (1 / 8, "1/8"),
    (1 / 4, "1/4"),
    (1 / 2, "1/2"),
    (1.0, "1"),
    (2.0, "2"),
    (4.0, "4"),
)
_COLOURS = {"ours": "#2a7f3f", "reference": "#b3402a", "tie": "#777777", "none": "#bbbbbb"}
_AUTOMATIC = "#2f5fa8"


def _x(ratio: float) -> float:
    """Where a ratio lies; beyond the scale it is put at the scale's end."""
    share = math.log(min(max(ratio, _LEAST), _MOST) / _LEAST) / math.log(_MOST / _LEAST)
    return _LEFT + share * _WIDTH


def _text(
    x: float, y: float, words: str, *, anchor: str = "start", size: int = 11, colour: str = "#222"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}">'
        f"{escape(words)}</text>"
    )


def _row(row: Mapping[str, Any], y: float) -> list[str]:
    label = f"{row['label']} {row['dtype']} {'x'.join(map(str, row['shape']))}"
    lines = [_text(_LEFT - 8, y + 4, label, anchor="end", size=10)]
    if row["auto_us"] is not None:
        x = _x(row["ours_us"] / row["auto_us"])
        lines.append(
            f'<path d="M{x:.1f} {y - 4:.1f} l4 4 l-4 4 l-4 -4 z" fill="none" stroke="{_AUTOMATIC}"/>'
        )
    ratio, colour = row["ratio"], _COLOURS[row["verdict"]]
    if ratio["ratio"] is not None:
        lines.append(
            f'<line x1="{_x(ratio["low"]):.1f}" x2="{_x(ratio["high"]):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
            f'stroke="{colour}" stroke-width="2"/>'
        )
        lines.append(f'<circle cx="{_x(ratio["ratio"]):.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
    return lines


def svg(found: Mapping[str, Any]) -> str:
    """The picture of a contest's results."""
    rows = [r for kind in ("norm", "elementwise") for r in found["rows"] if r["class"] == kind]
    height = _TOP + _STEP * len(rows) + 24
    width = _LEFT + _WIDTH + _RIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        _text(12, 18, f"Modelled time of ours over that of others, {found['target']}", size=14),
        _text(12, 36, f"{found['note']}; left of 1 ours is faster", size=11, colour="#555"),
    ]
    x = 12.0
    for name, words in (("ours", "ours faster"), ("reference", "reference faster"), ("tie", "tie")):
        lines.append(f'<circle cx="{x + 4:.1f}" cy="52" r="3.5" fill="{_COLOURS[name]}"/>')
        lines.append(_text(x + 12, 56, words))
        x += 30 + 6.2 * len(words)
    lines.append(f'<path d="M{x + 4:.1f} 48 l4 4 l-4 4 l-4 -4 z" fill="none" stroke="{_AUTOMATIC}"/>')
    lines.append(_text(x + 12, 56, "against the automatic schedule; bars: over the ranges of the constants"))
    for value, words in _TICKS:
        at = _x(value)
        weight = "#444" if value == 1.0 else "#ddd"
        lines.append(
            f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP - 6}" y2="{height - 20}" stroke="{weight}"/>'
        )
        lines.append(_text(at, height - 6, words, anchor="middle", size=10))
    for i, row in enumerate(rows):
        lines += _row(row, _TOP + _STEP * (i + 0.5))
    return "\n".join([*lines, "</svg>"]) + "\n"
