"""The emulated CANN runtime by its C interface, in processes of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest


def test_cases() -> None:
    """Everything in acl_cases.py."""
    import os

    clean = {k: v for k, v in os.environ.items() if not k.startswith("TILEWRIGHT_ACL_")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "acl_cases.py"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=Path(__file__).parent,
        env=clean,
    )
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


def run(script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    import os

    clean = {k: v for k, v in os.environ.items() if not k.startswith("TILEWRIGHT_ACL_")}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=Path(__file__).parent,
        env={**clean, **environment},
    )


STRICT = """
    import ctypes, sys
    import numpy as np
    from acl_runtime import Acl, Kernel, pointer
    acl = Acl()
    acl.aclrtSetDevice(0)
    rng = np.random.default_rng(1)
    arrays = [rng.standard_normal(1003).astype(np.float32) for _ in range(2)]
    kernel = Kernel(acl, *arrays)
    addresses = [acl.upload(a) for a in (*arrays, np.zeros_like(arrays[0]))]
    kernel.launch(kernel.block(*addresses), None)
    acl.aclrtSynchronizeDevice()
    found = acl.download(addresses[2], arrays[0])
    assert (found == kernel.expected).all()
    assert ctypes.string_at(acl.library.tw_acl_view(addresses[2]), 4) == found[:1].tobytes()
    print("right", flush=True)
    ctypes.string_at(addresses[2], 4)
    print("touched")
"""


def test_strict_memory_cannot_be_touched_by_the_host() -> None:
    done = run(STRICT, TILEWRIGHT_ACL_STRICT="1")
    assert done.stdout == "right\n", done.stderr
    assert done.returncode == -11
    done = run(STRICT)
    assert done.stdout == "right\ntouched\n", done.stderr


def test_check_mode_reports_hazards_and_passes_clean_kernels() -> None:
    done = run(STRICT, TILEWRIGHT_ACL_CHECK="1")
    assert done.stdout == "right\ntouched\n", done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("TILEWRIGHT_ACL_DEVICES", "9", "1 to 8"),
        ("TILEWRIGHT_ACL_MEMORY", "lots", "1M to 1024G"),
        ("TILEWRIGHT_ACL_TARGET", "Ascend950", "a target"),
        ("TILEWRIGHT_ACL_STRICT", "yes", "0 or 1"),
    ],
)
def test_wrong_settings(variable: str, value: str, words: str) -> None:
    script = "from tilewright import emulated\ntry: emulated.activate()\nexcept Exception as e: print(e)"
    done = run(script, **{variable: value})
    assert "TW5002" in done.stdout
    assert variable in done.stdout
    assert words in done.stdout
