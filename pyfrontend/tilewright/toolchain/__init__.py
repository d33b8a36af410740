"""The back end: HIVM text in, kernel object out, through ``bishengir-compile`` and a ``hivmc``.

The driver is imported on first use: a cache hit only asks which hivmc there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilewright.toolchain.driver import Compilation, compile_hivm

__all__ = ["FINAL_MODULE", "FLAGS", "Compilation", "compile_hivm"]

#: Triton kernel ABI with everything lowered. Without either flag the compiler returns 0 and lowers nothing.
FLAGS = ("-enable-hfusion-compile=true", "-enable-triton-kernel-compile=true")

#: The name that bishengir-compile gives to the final module in its --save-temps folder.
FINAL_MODULE = "module.hivm.opt.mlir"


def __getattr__(name: str) -> Any:
    if name not in ("Compilation", "compile_hivm"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tilewright.toolchain import driver

    return getattr(driver, name)
