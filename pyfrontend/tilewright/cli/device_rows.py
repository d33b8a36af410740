"""What ``doctor`` says about torch, torch_npu, CANN and the driver, from one table.

Nothing is imported or initialised: torch_npu without CANN cannot even be imported, and looking must not take
a device. What is missing is no fault, as everything but ``npu`` tensors works without; what does not fit is.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tilewright.cli.finding import Finding

#: The oldest torch with the interface that the operators use (tilewright/torch/library.py).
OLDEST_TORCH = (2, 10)
#: The oldest CANN whose runtime has the calls that the launches need, by the headers of the release.
OLDEST_CANN = (8, 1)
#: Versions with which the tests run, on the emulated CANN.
TESTED = {"torch": "2.13", "torch_npu": "2.13"}


class Row(NamedTuple):
    """A line: its name, how its state is found out, what it is for."""

    name: str
    look: Callable[[], Finding]
    needed_for: str


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def numbers(version: str) -> tuple[int, ...]:
    """``"2.13.0+cpu"`` -> (2, 13, 0)."""
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(map(int, found.group().split("."))) if found else ()


def _tested(name: str, version: str) -> str:
    return "" if version.startswith(TESTED[name] + ".") else f" (tested with {TESTED[name]})"


def _torch() -> Finding:
    version = _installed("torch")
    if version is None:
        return Finding("torch", None, "not installed")
    fits = numbers(version)[:2] >= OLDEST_TORCH
    hint = f"torch {'.'.join(map(str, OLDEST_TORCH))} or later has the interface that the operators use"
    return Finding("torch", fits, version + _tested("torch", version), "" if fits else hint)


def _torch_npu() -> Finding:
    version, torch = _installed("torch_npu"), _installed("torch")
    if version is None:
        return Finding("torch_npu", None, "not installed")
    fits = torch is not None and numbers(torch)[:2] == numbers(version)[:2]
    wanted = ".".join(map(str, numbers(version)[:2]))
    hint = f"torch is {torch}; torch_npu fits its own version: python -m pip install 'torch=={wanted}.*'"
    return Finding("torch_npu", fits, version + _tested("torch_npu", version), "" if fits else hint)


def _cann_folder() -> Path | None:
    for variable in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        if folder := os.environ.get(variable):
            return Path(folder)
    return None


def cann_version(folder: Path) -> str | None:
    """The version that an installation of CANN states about itself."""
    for name in (
        "version.cfg",
        "ascend_toolkit_install.info",
        "runtime/version.info",
        "compiler/version.info",
    ):
        try:
            text = (folder / name).read_text(errors="replace")
        except OSError:
            continue
        found = re.search(r"(?i)version[^\n\d]*[=:\[ ](\d+\.\d+[\w.]*)", text)
        if found:
            return found.group(1)
    return None


def _cann() -> Finding:
    folder = _cann_folder()
    if folder is None:
        return Finding(
            "CANN", None, "ASCEND_HOME_PATH is not set; `tilewright emulate` gives an emulated one"
        )
    if not folder.is_dir():
        return Finding(
            "CANN", False, f"{folder} is no folder", "source set_env.sh of the installation in use"
        )
    version = cann_version(folder)
    if version is None:
        return Finding("CANN", None, f"{folder}, version unknown")
    fits = numbers(version)[:2] >= OLDEST_CANN
    hint = f"CANN {'.'.join(map(str, OLDEST_CANN))} or later has the calls that the launches need"
    return Finding("CANN", fits, f"{version} in {folder}", "" if fits else hint)


def _driver() -> Finding:
    tool = shutil.which("npu-smi")
    devices = sorted(str(p) for p in Path("/dev").glob("davinci[0-9]*"))
    if tool is None and not devices:
        return Finding("Ascend driver", None, "no npu-smi on PATH, no /dev/davinci*")
    fits = bool(devices)
    hint = "the driver has no device: is this a container without --device=/dev/davinci0?"
    return Finding(
        "Ascend driver", fits, f"{tool or 'no npu-smi'}, {len(devices)} devices", "" if fits else hint
    )


def _emulated() -> Finding:
    from tilewright import emulated

    return Finding("emulated CANN", True, str(emulated.folder()))


ROWS = (
    Row("torch", _torch, "torch.ops.tilewright"),
    Row("torch_npu", _torch_npu, "tensors on npu"),
    Row("emulated CANN", _emulated, "torch_npu without a device"),
    Row("CANN", _cann, "tensors on a real npu"),
    Row("Ascend driver", _driver, "tensors on a real npu"),
)


def findings() -> list[Finding]:
    """One finding for each row."""
    found = []
    for row in ROWS:
        try:
            finding = row.look()
        except Exception as error:  # another part that is broken is reported in its own line
            finding = Finding(row.name, False, str(error).partition("\n")[0])
        if finding.ok is None:
            finding = finding._replace(value=f"{finding.value} (for {row.needed_for})")
        found.append(finding)
    return found
