"""Which ``hivmc`` ends the compilation: ours (emulated 910B) or CANN's (device binary)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from tilewright import native, settings
from tilewright.errors import CompileError


class Hivmc(NamedTuple):
    """A chosen ``hivmc``.

    Attributes:
        path: the program.
        kind: "ours", "cann" or "other".
    """

    path: Path
    kind: str

    @property
    def emulated(self) -> bool:
        """True if its output runs on the emulated device."""
        return self.kind != "cann"

    @property
    def folder(self) -> Path:
        """The folder for BISHENG_INSTALL_PATH, the first place where bishengir-compile looks."""
        return self.path.parent


def _executable(path: Path, kind: str) -> Hivmc:
    if not path.is_file():
        raise CompileError(
            "TW3003", f"there is no hivmc at {path}", hint="check TILEWRIGHT_HIVMC and TILEWRIGHT_NATIVE"
        )
    if path.name != "hivmc":
        raise CompileError(
            "TW3003",
            f"{path} is not called hivmc",
            expected="a program with the name hivmc: bishengir-compile looks for that name in a folder",
        )
    if not os.access(path, os.X_OK):
        raise CompileError(
            "TW3010", f"{path} is not executable", hint=f"chmod +x {path}, or install the package again"
        )
    return Hivmc(path.absolute(), kind)


def on_path() -> Path | None:
    """CANN's ``hivmc`` on PATH, or None. Ours is never taken for CANN's, even if its folder is on PATH."""
    ours = native.candidate(native.HIVMC)
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        found = Path(folder, "hivmc")
        usable = bool(folder) and found.is_file() and os.access(found, os.X_OK)
        if usable and not (ours.exists() and ours.samefile(found)):
            return found
    return None


def choose(choice: str | None = None) -> Hivmc:
    """The hivmc to use.

    Args:
        choice: "ours", "cann", a path, or None for the environment's (default "ours").

    Raises:
        CompileError: TW3003 (ours or the given path is missing), TW3010 (not executable), TW3004 (CANN's is
            asked for and is not on PATH).
    """
    choice = settings.hivmc_choice() if choice is None else choice
    if choice == "ours":
        return _executable(native.path(native.HIVMC), "ours")
    if choice == "cann":
        found = on_path()
        if found is None:
            raise CompileError(
                "TW3004",
                "CANN's hivmc was asked for and is not on PATH",
                hint="source CANN's set_env.sh, or use TILEWRIGHT_HIVMC=ours (emulated device)",
            )
        return _executable(found, "cann")
    return _executable(Path(choice), "other")
