"""docs/operators.md from the operator registry."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tilewright.ops import registry

PAGE = Path("docs/operators.md")

_HEAD = """\
# Operators

{marker}

The operators that come with tilewright. `tilewright ops NAME` prints the same, `tilewright ops NAME --json`
as data; `tilewright run NAME --shape 1000 --dtype f32` compiles one, runs it on the emulated device and
compares it with float64. How to write another: [dsl.md](dsl.md). Formulas are those of the definitions in
`pyfrontend/tilewright/ops`; half types are computed in f32 and rounded once. Batch norm has a page of its
own: [batch_norm.md](batch_norm.md). Nothing here ran on a real device.

T is the data type of a call. Shapes are axes by name; `*S` stands for any number of dimensions, also none.
Attributes used at run time do not lead to another binary; those that select a variant do.
"""


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|")


def _table(head: list[str], rows: list[list[object]]) -> list[str]:
    lines: list[list[object]] = [[*head], ["---"] * len(head), *rows]
    return ["| " + " | ".join(_cell(cell) for cell in line) + " |" for line in lines]


def _code(text: object) -> str:
    return f"`{text}`"


def _doc(text: str) -> list[str]:
    # The docstrings are reStructuredText as far as double back quotes go; these may span two lines.
    return re.sub(r"``(.+?)``", r"`\1`", text, flags=re.DOTALL).splitlines()


def _summary(text: str) -> str:
    first = " ".join(_doc(text.partition("\n\n")[0]))
    return re.match(r".*?(?:[.](?= )|$)", first)[0]  # type: ignore[index]


def _inputs(described: dict[str, Any]) -> list[list[object]]:
    return [
        [
            _code(item["name"]),
            item["shape"] if item["shape"] == "one element" else _code(f"[{item['shape']}]"),
            item["dtype"],
            "may be absent" if item["optional"] else "",
            ", ".join(map(_code, item["aliases"])),
        ]
        for item in described["inputs"]
    ]


def _attributes(described: dict[str, Any]) -> list[list[object]]:
    return [
        [
            _code(item["name"]),
            _values(item),
            "required" if item["required"] else _code(item["default"]),
            "at run time" if item["run_time"] else "selects a variant",
        ]
        for item in described["attributes"]
    ]


def _result(item: dict[str, Any]) -> str:
    text = f"`[{item['shape']}]` of type {item['dtype']}"
    if item["written_over"]:
        return f"`[{item['shape']}]`, written over the input `{item['written_over']}` and not returned"
    return text + (" (None in some variants)" if item["optional"] else "")


def _values(item: dict[str, Any]) -> str:
    values = item["values"]
    if not values or isinstance(values[0], list):
        return str(item["kind"])
    return ", ".join(map(_code, values))


def _section(described: dict[str, Any]) -> list[str]:
    types = [f"{name} ({described['variants'][name]} variants)" for name in described["dtypes"]]
    lines = ["", f"## {described['name']}", "", "```", described["signature"], "```", ""]
    lines += [*_doc(described["doc"]), ""]
    lines += [f"* Counterpart in torch: {_code(described['aten']) if described['aten'] else 'none'}"]
    lines += [f"* Data types: {', '.join(types)}"]
    results = [_result(item) for item in described["results"]]
    if len(results) == 1:
        lines += [f"* Result: {results[0]}", ""]
    else:
        lines += ["* Results:", *(f"    {i}. {text}" for i, text in enumerate(results, 1)), ""]
    lines += _table(["input", "shape", "type", "", "also accepted as"], _inputs(described))
    if described["attributes"]:
        lines += ["", *_table(["attribute", "values", "default", "used"], _attributes(described))]
    return lines


def pages(marker: str) -> dict[Path, str]:
    """Path in the repository -> text."""
    described = [registry.describe(registry.get(name)) for name in registry.NAMES]
    lines = [_HEAD.format(marker=marker)]
    lines += _table(
        ["operator", "types", "what"],
        [[f"[{d['name']}](#{d['name']})", " ".join(d["dtypes"]), _summary(d["doc"])] for d in described],
    )
    for one in described:
        lines += _section(one)
    return {PAGE: "\n".join(lines) + "\n"}
