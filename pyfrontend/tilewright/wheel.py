"""The ``ascendnpu-ir`` wheel: where its tools are and whether its version is one we know.

The wheel's Python package is never imported (it would cost start-up time and it offers only a wrapper around
the program that the toolchain calls itself); its files are found through the import system's finder.
"""

from __future__ import annotations

import importlib.util
import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from tilewright.errors import CompileError

DISTRIBUTION = "ascendnpu-ir"
PACKAGE = "ascendnpuir"

#: Versions whose final modules were compared with the wheel's library function by function.
#: The emitted calls and the library changed between versions, so others are refused by default.
KNOWN_VERSIONS = ("1.2.0",)


class Wheel(NamedTuple):
    """An installed wheel.

    Attributes:
        root: the package folder.
        version: the distribution's version, for example "1.2.0", or "unknown".
    """

    root: Path
    version: str

    @property
    def compiler(self) -> Path:
        """``bishengir-compile`` for the 910B generation."""
        return self.root / "bin" / "bishengir-compile"

    @property
    def opt(self) -> Path:
        """``bishengir-opt`` for the 910B generation."""
        return self.root / "bin" / "bishengir-opt"

    @property
    def vector_library(self) -> Path:
        """The template library (LLVM bitcode) that the compiler's module attribute names."""
        return self.root / "lib" / "meta_op.aiv.bc"


def _package_root() -> Path | None:
    try:
        spec = importlib.util.find_spec(PACKAGE)
    except (ImportError, ValueError):
        return None
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _version(root: Path) -> str:
    # The metadata folder lies beside the package and has the version in its name. importlib.metadata would
    # cost a cache hit 10 ms for its own import and a scan of every installed distribution.
    for info in sorted(root.parent.glob("ascendnpu_ir-*.dist-info")):
        return info.name[len("ascendnpu_ir-") : -len(".dist-info")]
    import importlib.metadata

    try:
        return importlib.metadata.version(DISTRIBUTION)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


@lru_cache(maxsize=1)
def _find() -> Wheel | None:
    root = _package_root()
    return None if root is None else Wheel(root, _version(root))


def find() -> Wheel | None:
    """The installed wheel, or None; no check of version or contents."""
    return _find()


def locate() -> Wheel:
    """The installed wheel, checked.

    ``TILEWRIGHT_ANY_WHEEL=1`` accepts versions that were not compared.

    Raises:
        CompileError: TW3001 if the wheel is missing or incomplete, TW3002 if its version is not a known one.
    """
    wheel = find()
    if wheel is None:
        raise CompileError(
            "TW3001",
            f"the compiler wheel {DISTRIBUTION} is not installed",
            expected=f"{DISTRIBUTION} {' or '.join(KNOWN_VERSIONS)} in this Python environment",
            hint=f"python -m pip install {DISTRIBUTION}=={KNOWN_VERSIONS[-1]}",
        )
    for needed in (wheel.compiler, wheel.vector_library):
        if not needed.is_file():
            raise CompileError(
                "TW3001",
                f"the compiler wheel {DISTRIBUTION} {wheel.version} is incomplete: no file {needed}",
                hint=f"python -m pip install --force-reinstall {DISTRIBUTION}=={KNOWN_VERSIONS[-1]}",
            )
    if wheel.version not in KNOWN_VERSIONS and os.environ.get("TILEWRIGHT_ANY_WHEEL") != "1":
        raise CompileError(
            "TW3002",
            f"{DISTRIBUTION} {wheel.version} is not a version that tilewright was checked against",
            expected=" or ".join(KNOWN_VERSIONS),
            hint=f"python -m pip install {DISTRIBUTION}=={KNOWN_VERSIONS[-1]}, or set "
            "TILEWRIGHT_ANY_WHEEL=1 to try it (every module is still checked after compilation)",
        )
    return wheel
