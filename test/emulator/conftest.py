"""Fixtures of the emulator tests. TILEWRIGHT_NATIVE names the folder with lib/libtilewright_emulator.so."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from device import load_library


@pytest.fixture(scope="session")
def lib() -> ctypes.CDLL:
    return load_library()
