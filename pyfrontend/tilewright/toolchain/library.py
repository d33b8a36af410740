"""The template library's interface: what a final module may call."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from tilewright.errors import CompileError
from tilewright.toolchain import bitcode

_PREFIX = "_mlir_ciface_"


@lru_cache(maxsize=2)
def interface(path: Path) -> dict[str, int]:
    """Library function (as the module names it) -> number of parameters.

    Raises:
        CompileError: TW3001 if the library cannot be read.
    """
    try:
        defined = bitcode.functions(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CompileError(
            "TW3001",
            f"the template library {path} cannot be read: {error}",
            hint="install ascendnpu-ir again",
        ) from error
    return {name[len(_PREFIX) :]: count for name, count in defined.items() if name.startswith(_PREFIX)}
