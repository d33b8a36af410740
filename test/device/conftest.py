"""Tests for a machine with an Ascend device and CANN; elsewhere they are skipped. Nobody has run them yet."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

HAS_DEVICE = bool(os.environ.get("ASCEND_HOME_PATH")) and any(Path("/dev").glob("davinci[0-9]*"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not HAS_DEVICE:
        skip = pytest.mark.skip(reason="needs an Ascend device and CANN (ASCEND_HOME_PATH)")
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(skip)
