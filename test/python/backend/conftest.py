"""Fixtures of the back end tests: fake tools, small kernels, a cache folder of their own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from kernels import FakeTool

VERSION_LINE = "hivmc 1.2.0 (000000000000 2026-07-29)"

#: A hivmc that behaves well as far as bishengir-compile can see: it copies the final module.
COPY = """in=; out=
while (($#)); do case "$1" in -o) out=$2; shift 2;; -*) shift;; *) in=$1; shift;; esac; done
cp "$in" "$out"
"""


@pytest.fixture(autouse=True)
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a cache folder of its own, and no setting of the surrounding environment."""
    for name in [
        name for name in os.environ if name.startswith("TILEWRIGHT_") and name != "TILEWRIGHT_NATIVE"
    ]:
        monkeypatch.delenv(name)
    folder = tmp_path / "cache"
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(folder))
    return folder


@pytest.fixture
def fake_hivmc(tmp_path: Path) -> FakeTool:
    """Make a hivmc: ``fake_hivmc(script_after_version)`` returns its path."""

    def make(
        body: str = COPY, *, version: str = f'echo "{VERSION_LINE}"; exit 0', executable: bool = True
    ) -> Path:
        folder = tmp_path / f"hivmc-{len(list(tmp_path.glob('hivmc-*')))}"
        folder.mkdir()
        tool = folder / "hivmc"
        tool.write_text(f'#!/bin/bash\nif [[ "$1" == --version ]]; then {version}; fi\n{body}\n')
        if executable:
            tool.chmod(tool.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP)
        return tool

    return make


@pytest.fixture
def fake_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTool:
    """Put another bishengir-compile in place of the wheel's: ``fake_wheel(script)`` returns its path."""
    from tilewright import wheel

    def make(body: str) -> Path:
        real = wheel.locate()
        root = tmp_path / "ascendnpuir"
        (root / "bin").mkdir(parents=True)
        (root / "lib").mkdir()
        (root / "lib" / "meta_op.aiv.bc").symlink_to(real.vector_library)
        tool = root / "bin" / "bishengir-compile"
        tool.write_text("#!/bin/bash\n" + body + "\n")
        tool.chmod(0o755)
        monkeypatch.setattr(wheel, "find", lambda: wheel.Wheel(root, real.version))
        return tool

    return make
