"""``tilewright trace``: the modelled time of one call, and its Chrome trace."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tilewright import targets
from tilewright.binding import bind
from tilewright.cli import call as calls
from tilewright.cli import run
from tilewright.cli.main import emit
from tilewright.errors import UsageError
from tilewright.timing import Profile, chrome, profile
from tilewright.timing.report import TimeReport, time_call


def _profile(options: argparse.Namespace, target: targets.Target) -> Profile:
    chosen = profile(target if options.profile is None else Path(options.profile))
    values: dict[str, float] = {}
    for word in options.constant:
        name, equals, text = word.partition("=")
        try:
            values[name] = float(text)
        except ValueError:
            equals = ""
        if not equals:
            raise UsageError("TW5005", f"--constant {word} is no NAME=NUMBER")
    return chosen.replaced(values)


def check_writable(*paths: str | None) -> None:
    """Raises UsageError TW5007 if one of the files cannot be written."""
    for path in paths:
        output = None if path is None else Path(path)
        if output is not None and (not output.absolute().parent.is_dir() or output.is_dir()):
            raise UsageError(
                "TW5007", f"the file {output} cannot be written", expected="a file in a folder that exists"
            )


def write(path: str, text: str) -> None:
    """Raises UsageError TW5007 if the file cannot be written."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("TW5007", f"the file {path} cannot be written: {error.strerror or error}") from error


def write_pictures(report: TimeReport, trace: str | None, html: str | None) -> None:
    """The Chrome trace and the page of a report with a timeline, as far as they are asked for."""
    if trace is not None:
        write(trace, json.dumps(chrome.events(report)))
    if html is not None:
        from tilewright.timing import page

        write(html, page.html(report))


def main(options: argparse.Namespace) -> int:
    """Model one call. Raises coded errors for bad input; TW5007 if the trace cannot be written."""
    for name in ("trace_cores", "trace_events", "samples"):
        if getattr(options, name) < 0:
            raise UsageError("TW5005", f"--{name.replace('_', '-')} is negative")
    target = targets.get(targets.DEFAULT if options.target is None else options.target)
    constants = _profile(options, target)
    check_writable(options.output, options.html)
    pictures = (options.output or options.html) and options.trace_cores
    call, inputs = run.prepare(options)
    kernel = calls.kernel_of(call.op, options)
    report = time_call(
        kernel, bind(call.op, (), {**inputs, **call.attributes}), constants,
        samples=options.samples, timeline_cores=options.trace_cores if pictures else 0,
        timeline_events=options.trace_events, timeline_cache=options.cache,
    )  # fmt: skip
    if report is None:
        if options.json:
            emit({"operator": call.op.name, "target": target.name, "empty": True})
        else:
            print(f"{call.op.name}: the call is empty, nothing was run")
        return 0
    if pictures:
        write_pictures(report, options.output, options.html)
    if options.json:
        emit({"operator": call.op.name, "target": target.name, **report.as_dict()})
    else:
        print(report)
        for what, path in (("Chrome trace", options.output), ("page", options.html)):
            if path is not None:
                print(f"  {what} of {options.trace_cores} cores, {options.cache}: {path}")
    return 0
