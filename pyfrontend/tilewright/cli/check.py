"""``tilewright check``: run one call in check mode and print what was found."""

from __future__ import annotations

import argparse
from typing import Any

from tilewright import check, targets
from tilewright.binding import bind
from tilewright.cli import call as calls
from tilewright.cli import run
from tilewright.cli.main import emit
from tilewright.errors import UsageError

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def parse_options(words: list[str]) -> dict[str, Any]:
    """NAME=VALUE words as typed values; ``check.emulator_options`` refuses what does not fit."""
    found: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals:
            raise UsageError("TW5008", f"--check {word} has no value", expected="NAME=VALUE")
        default = check.OPTIONS[name][0] if name in check.OPTIONS else ""
        if isinstance(default, bool):
            found[name] = _WORDS.get(text.lower(), text)
        elif isinstance(default, int):
            found[name] = int(text) if text.isdecimal() else text
        else:
            found[name] = text
    return found


def main(options: argparse.Namespace) -> int:
    """Check one call. Exit status 1 if there is a hazard; raises coded errors for bad input."""
    chosen = parse_options(options.check)
    check.emulator_options(chosen)
    call, inputs = run.prepare(options)
    target = targets.get(options.target or targets.DEFAULT)
    kernel = calls.kernel_of(call.op, options)
    result = check.run(kernel, bind(call.op, (), {**inputs, **call.attributes}), chosen)
    if options.json:
        emit({"operator": call.op.name, "target": target.name, **result.as_dict()})
    else:
        print(result if result.kernel else f"{call.op.name}: the call is empty, nothing was run")
    return 0 if result.passed else 1
