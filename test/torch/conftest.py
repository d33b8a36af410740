"""The real torch_npu on the emulated CANN, once for all tests of this folder."""

from __future__ import annotations

import importlib.metadata
import os
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))


def _installed(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


_MISSING = [name for name in ("torch", "torch_npu") if not _installed(name)]

# Where everything was set up, skipped tests are no success.
if _MISSING and os.environ.get("CI"):
    raise RuntimeError(f"the torch tests cannot run: {', '.join(_MISSING)} not installed")

collect_ignore_glob = ["test_*.py"] if _MISSING else []


@pytest.fixture(scope="session")
def _torch() -> Any:
    from tilewright import emulated

    emulated.activate(devices=2, poison=True)
    import torch_npu  # noqa: F401

    import tilewright.torch  # noqa: F401
    import torch

    torch.set_num_threads(1)
    return torch


@pytest.fixture(autouse=True)
def _no_failure_is_left_behind(_torch: Any) -> Any:
    _torch.manual_seed(20260101)
    yield
    _torch.npu.synchronize()
