"""``tilewright doctor``: what is installed, whether it works, and the tables the code uses."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import tilewright
from tilewright import native, settings, targets, wheel
from tilewright.cli import device_rows
from tilewright.cli.finding import Finding
from tilewright.cli.main import emit
from tilewright.errors import TilewrightError
from tilewright.toolchain import hivmc, process

_TOOL_SECONDS = 20.0


def _version(command: list[str | Path]) -> process.Run:
    return process.run(command, timeout=_TOOL_SECONDS, cwd=Path(tempfile.gettempdir()))


def _guarded(name: str, check: Callable[[], Finding]) -> Finding:
    try:
        return check()
    except TilewrightError as error:
        return Finding(name, False, f"{error.code}: {error.what}", error.hint)
    except Exception as error:
        # Whatever is broken here must not keep the other findings from being shown.
        return Finding(name, False, f"{type(error).__name__}: {error}".splitlines()[0])


def _module(name: str) -> Finding:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        return Finding(name, False, str(error), f"python -m pip install {name}")
    return Finding(name, True, str(getattr(module, "__version__", "installed")))


def _wheel() -> Finding:
    return Finding(wheel.DISTRIBUTION, True, wheel.locate().version)


def _compiler() -> Finding:
    run = _version([wheel.locate().compiler, "--version"])
    line = next((text.strip() for text in run.stdout.splitlines() if "bishengir" in text), run.describe())
    return Finding("bishengir-compile", run.ok, line if run.ok else run.describe())


def _our_hivmc() -> Finding:
    run = _version([hivmc.choose("ours").path, "--version"])
    return Finding("hivmc (ours)", run.ok, run.stdout.strip() if run.ok else run.describe())


def _cann_hivmc() -> Finding:
    found = hivmc.on_path()
    if found is None:
        return Finding("hivmc (CANN)", None, "not on PATH; needed only to compile for a real device")
    run = _version([found, "--version"])
    return Finding("hivmc (CANN)", run.ok, f"{run.stdout.strip()} ({found})" if run.ok else run.describe())


def _tw_opt() -> Finding:
    run = _version([native.path(native.TW_OPT), "--version"])
    line = next((text.strip() for text in run.stdout.splitlines() if "version" in text.lower()), "works")
    return Finding("tw-opt", run.ok, line if run.ok else run.describe())


def _emulator() -> Finding:
    from tilewright import runtime

    library = runtime.emulator()
    return Finding("emulator", True, f"{library.version}, host level {library.level}")


def _bindings() -> Finding:
    from tilewright.mlir import ir, passmanager
    from tilewright.pipeline import pipeline

    with ir.Context():
        for name in pipeline(targets.get(targets.DEFAULT)):
            passmanager.PassManager.parse(f"builtin.module({name})")
    return Finding("MLIR bindings", True, "load, and know every pass of the pipeline")


def _cache() -> Finding:
    folder = settings.cache_dir()
    if not settings.cache_enabled():
        return Finding("cache", True, "off")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding(
            "cache",
            False,
            f"{folder}: {error.strerror or error}",
            "set TILEWRIGHT_CACHE_DIR to a writable folder",
        )
    return Finding(
        "cache", True, f"{folder}, {free >> 20} MiB free, limit {settings.cache_limit_bytes() >> 20} MiB"
    )


def findings() -> list[Finding]:
    """All checks."""
    python = Finding("python", sys.version_info >= (3, 10), platform.python_version(), "3.10 or newer")
    checks: list[tuple[str, Callable[[], Finding]]] = [
        (wheel.DISTRIBUTION, _wheel),
        ("bishengir-compile", _compiler),
        ("hivmc (ours)", _our_hivmc),
        ("hivmc (CANN)", _cann_hivmc),
        ("tw-opt", _tw_opt),
        ("emulator", _emulator),
        ("MLIR bindings", _bindings),
        ("cache", _cache),
    ]
    return [
        Finding("tilewright", True, tilewright.__version__),
        python,
        _module("numpy"),
        _module("ml_dtypes"),
        *device_rows.findings(),
        *(_guarded(name, check) for name, check in checks),
    ]


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in settings.VARIABLES if name in os.environ}


def _isa(options: argparse.Namespace) -> int:
    from tilewright import runtime

    instructions = runtime.emulator().instructions()
    rest = {name: reason for name, reason in sorted(instructions.items()) if reason}
    supported = len(instructions) - len(rest)
    if options.json:
        emit({"supported": supported, "total": len(instructions), "rest": rest})
        return 0
    print(f"{supported} of {len(instructions)} device instructions have a meaning")
    for name, reason in rest.items():
        print(f"  {name}: {reason}")
    return 0


def _print(found: list[Finding]) -> None:
    for finding in found:
        mark = "--" if finding.ok is None else "ok" if finding.ok else "BAD"
        print(f"{mark:4s}{finding.name:20s}{finding.value}")
        if finding.ok is False and finding.hint:
            print(f"{'':24s}hint: {finding.hint}")
    print("\ntarget             vector cores   UB bytes   usable   L2 MiB   HBM GB/s (published)")
    for target in targets.TABLE:
        low, high = target.hbm_peak_gb_s
        rate = "unknown" if not high else str(low) if low == high else f"{low} to {high}"
        l2 = target.l2_bytes >> 20 or "unknown"
        print(
            f"{target.name:18s} {target.vector_cores:12d} {target.ub_bytes:10d} {target.ub_usable_bytes:8d} "
            f"{l2:>8} {rate:>10}"
        )
    for name, value in _environment().items():
        print(f"{name}={value}")


def main(options: argparse.Namespace) -> int:
    """Exit status 1 if something that is needed does not work."""
    if options.isa:
        return _isa(options)
    found = findings()
    healthy = all(finding.ok is not False for finding in found)
    if options.json:
        checks: dict[str, Any] = {
            f.name: {"ok": f.ok, "value": f.value, "hint": "" if f.ok else f.hint} for f in found
        }
        emit({
            "healthy": healthy,
            "checks": checks,
            "targets": [target.as_dict() for target in targets.TABLE],
            "known_wheel_versions": list(wheel.KNOWN_VERSIONS),
            "environment": _environment(),
        })  # fmt: skip
    else:
        _print(found)
    return 0 if healthy else 1
