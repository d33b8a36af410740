"""``tilewright compile``: a kernel object and everything on the way to it, in a folder and in the cache."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from tilewright import cache, compiler, settings, targets
from tilewright.cli import call as calls
from tilewright.cli.main import emit
from tilewright.definition import Op
from tilewright.errors import ShapeError, UsageError
from tilewright.kernel import Kernel
from tilewright.layout import Layout
from tilewright.ops import registry


def _check_writable(folder: Path) -> None:
    """Find out before compiling, without creating anything."""
    existing = folder.absolute()
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise UsageError(
            "TW5007",
            f"the folder {folder} cannot be written: {existing} is no folder or is read-only",
            hint="choose another -o",
        )


def _write(folder: Path, files: Mapping[str, bytes]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        raise UsageError("TW5007", f"{folder} cannot be written: {error.strerror or error}") from error


def _request(options: argparse.Namespace) -> compiler.Request:
    target = targets.get(targets.DEFAULT if options.target is None else options.target)
    if options.shape is None and not options.shape_of:
        # A binary does not depend on sizes. Two elements on every axis give the layout class of full tensors.
        options.shape = ",".join(["2"] * _rank(registry.get(options.operator)))
    call = calls.parse(options)
    signature = call.signature()
    # A binary serves all values of number attributes; a call with these would be refused all the same.
    call.check_numbers(signature)
    layout: Layout = signature.layout
    schedule = ""
    if signature.variant.graph.across:
        # One binary a schedule: that of --schedule, or the one that the planner takes for the shape.
        kernel = Kernel(call.op, target, hivmc=options.hivmc, schedule=options.schedule)
        schedule = options.schedule or kernel.schedule(signature) or "rows"
    elif options.schedule:
        raise ShapeError("TW2401", f"{call.op.name} computes element by element and has no schedules")
    return compiler.request(signature.variant, layout, target, options.hivmc, schedule)


def _rank(op: Op) -> int:
    like = next(t for t in op.tensors if t.name == op.like)
    return len(like.spec.axes)


def main(options: argparse.Namespace) -> int:
    """Compile one variant. Raises UsageError TW5007 (folder cannot be written) and all compile errors."""
    start = time.perf_counter()
    request = _request(options)
    folder = Path(options.output)
    _check_writable(folder)
    if settings.cache_enabled():
        cache.opened().check_writable()
    key = cache.make_key(request.parts())
    built = compiler.build(request, keep_stages=options.save_stages)
    metadata = {**built.metadata, "key": key}
    files = {name: text.encode() for name, text in built.stages.items()}
    files[cache.KERNEL] = built.kernel
    files[cache.METADATA] = (json.dumps(metadata, indent=1, sort_keys=True) + "\n").encode()
    _write(folder, files)
    if settings.cache_enabled():
        # Compiling ahead of time is for calls that come later, in any process.
        cache.opened().put(key, cache.Built(built.kernel, built.metadata))
    seconds = time.perf_counter() - start
    if options.json:
        emit({
            "operator": request.variant.op.name,
            "variant": request.variant.key,
            "layout": request.layout.text(),
            "target": request.target.name,
            "hivmc": request.hivmc.kind,
            "binary_key": key,
            "ub_bytes": built.metadata["ub_bytes"],
            "synchronisation": built.metadata["synchronisation"],
            "compile_s": round(seconds, 4),
            "folder": str(folder),
            "files": sorted(files),
        })  # fmt: skip
        return 0
    print(f"{request.variant.key} for {request.target.name}, {seconds:.2f} s, binary {key[:16]}")
    for name in sorted(files):
        print(f"  {folder / name}")
    return 0
