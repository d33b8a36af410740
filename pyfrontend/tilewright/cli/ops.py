"""``tilewright ops``: the operators."""

from __future__ import annotations

import argparse
from typing import Any

from tilewright.cli.main import emit
from tilewright.ops import registry


def _print(described: dict[str, Any]) -> None:
    print(described["signature"])
    print()
    print(described["doc"])
    print()
    print(f"data types: {', '.join(described['dtypes'])}")
    if described["aten"]:
        print(f"torch operator: {described['aten']}")
    for item in described["inputs"]:
        optional = ", optional" if item["optional"] else ""
        print(f"input {item['name']}: [{item['shape']}], {item['dtype']}{optional}")
    for item in described["attributes"]:
        when = "at run time" if item["run_time"] else "selects a variant"
        choices = [] if item["kind"].startswith("tuple") else item["values"] or []
        values = f" of {', '.join(map(str, choices))}" if choices else ""
        default = "required" if item["required"] else f"default {item['default']}"
        print(f"attribute {item['name']}: {item['kind']}{values}, {default}, {when}")
    for item in described["results"]:
        if item["written_over"]:
            print(f"written over {item['written_over']}: [{item['shape']}]")
            continue
        optional = ", None in some variants" if item["optional"] else ""
        print(f"result {item['name']}: [{item['shape']}], {item['dtype']}{optional}")


def main(options: argparse.Namespace) -> int:
    """List all operators, or describe one. Raises UsageError TW5101 for an unknown name."""
    if options.operator:
        described = registry.describe(registry.get(options.operator))
        if options.json:
            emit(described)
        else:
            _print(described)
        return 0
    found = [registry.describe(registry.get(name)) for name in registry.NAMES]
    if options.json:
        emit({"operators": found})
        return 0
    for described in found:
        print(f"{described['name']:50s}{' '.join(described['dtypes']):16s}{described['summary']}")
    return 0
