"""Where the compiled parts of tilewright are.

They are installed inside the package (``tilewright/_native/{bin,lib,acl}``). The environment variable
``TILEWRIGHT_NATIVE`` names another folder with ``bin`` and ``lib``, for example a build tree.
"""

from __future__ import annotations

import os
from pathlib import Path

from tilewright.errors import CompileError

HIVMC = "bin/hivmc"
TW_OPT = "bin/tw-opt"
EMULATOR = "lib/libtilewright_emulator.so"
ACL = "acl/libascendcl.so"
TORCH = "lib/libtilewright_torch.so"

#: Everything an installation has to have, in the order in which ``doctor`` lists it.
TOOLS = (HIVMC, TW_OPT, EMULATOR, ACL, TORCH)


def root() -> Path:
    """The folder that holds ``bin`` and ``lib``; it need not exist."""
    override = os.environ.get("TILEWRIGHT_NATIVE")
    return Path(override) if override else Path(__file__).parent / "_native"


def candidate(name: str) -> Path:
    """The path at which ``name`` (for example ``"bin/hivmc"``) is expected; it need not exist."""
    return root() / name


def path(name: str) -> Path:
    """The installed file ``name``.

    Raises:
        CompileError: TW3003 if there is no such file.
    """
    found = candidate(name)
    if not found.is_file():
        raise CompileError(
            "TW3003",
            f"{name} of tilewright is not installed",
            expected=f"a file {found}",
            hint="build and install the package again (./dev setup), or point TILEWRIGHT_NATIVE at a folder "
            "that has bin/ and lib/",
        )
    return found
