"""Fixtures of the emulator tests. TILEWRIGHT_NATIVE names the folder with lib/libtilewright_emulator.so."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hivmc_tools import missing_tools

from device import load_library

# Without the tools the kernel tests skip, with the reason. Where everything was set up that is no success.
if os.environ.get("CI") and missing_tools():
    raise RuntimeError(f"the kernel tests cannot run: {missing_tools()}")


@pytest.fixture(scope="session")
def lib() -> ctypes.CDLL:
    return load_library()
