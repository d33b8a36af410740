"""The build's order: everything that includes a generated header waits for what generates it.

A forgotten dependency shows only when the generator happens to run late, on another number of cores.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("TILEWRIGHT_BUILD", ROOT / "build"))


def test_every_generated_header_has_a_dependency() -> None:
    ninja = shutil.which("ninja")
    if ninja is None or not (BUILD / "build.ninja").is_file():
        pytest.skip("no ninja, or no build folder (./dev build makes one)")
    done = subprocess.run([ninja, "-C", str(BUILD), "-t", "missingdeps"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No missing dependencies" in done.stdout, done.stdout
