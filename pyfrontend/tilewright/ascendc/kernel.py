"""Launching a compiled Ascend C kernel on arrays, workspace and tiling data: fast, check, time, log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tilewright import check, runtime, settings
from tilewright.ascendc.compiler import compile_kernel
from tilewright.errors import UsageError
from tilewright.runtime import READABLE, WRITABLE, Counters, LoadedKernel

Array = npt.NDArray[Any]


class AscendKernel:
    """A kernel of an Ascend C source on the emulated device.

    Attributes:
        name: the entry.
        object: the compiled object.
        parameters: names of the entry's parameters in order.
    """

    def __init__(
        self,
        source: str | Path,
        *,
        entry: str | None = None,
        defines: Mapping[str, str | int] | None = None,
        includes: Sequence[str | Path] = (),
        tiling_key: int = 0,
    ) -> None:
        """Compile and open; arguments and errors as for ``compile_kernel``."""
        self.object, self.name = compile_kernel(
            source, entry=entry, defines=defines, includes=includes, tiling_key=tiling_key
        )
        self.loaded = LoadedKernel(self.object, self.name)
        described = next(k for k in self.loaded.metadata["kernels"] if k["name"] == self.name)["args"]
        self._described: list[dict[str, Any]] = described
        self.parameters = tuple(str(a["name"]) for a in described)

    def _bind(
        self, arguments: Mapping[str, Array | int | float], outputs: Sequence[str]
    ) -> tuple[bytes, bytes]:
        missing = [n for n in self.parameters if n not in arguments and n != "workspace"]
        extra = [n for n in arguments if n not in self.parameters]
        if missing or extra:
            raise UsageError(
                "TW5302",
                f"kernel {self.name} is given {', '.join(arguments)}",
                expected=", ".join(self.parameters),
            )
        values, ranges = list[Any](), dict[int, tuple[int, int]]()
        for described in self._described:
            value = arguments.get(described["name"], 0)
            if isinstance(value, np.ndarray):
                if not value.flags.c_contiguous:
                    raise UsageError(
                        "TW5302", f"argument {described['name']} of kernel {self.name} is not contiguous"
                    )
                at = runtime.address(value)
                flags = WRITABLE if described["name"] in outputs else READABLE
                if described["name"] == "workspace" or "+" + described["name"] in outputs:
                    flags = READABLE | WRITABLE
                if value.nbytes:
                    size, before = ranges.get(at, (0, 0))
                    ranges[at] = (max(size, value.nbytes), before | flags)
                values.append(at)
            else:
                values.append(value)
        packed = [(at, size, flags) for at, (size, flags) in sorted(ranges.items())]
        return self.loaded.pack(*values), runtime.gm_ranges(packed)

    def launch(
        self,
        block_dim: int,
        arguments: Mapping[str, Array | int | float],
        outputs: Sequence[str],
        threads: int | None = None,
    ) -> Counters:
        """Run on arrays; those named by ``outputs`` may be written, the others only read.

        A name with a "+" before it in ``outputs`` may be read, too.

        Raises:
            ExecutionError: the emulator's TW4nnn, with the kernel's line.
            UsageError: TW5302 if the arguments do not fit.
        """
        packed, ranges = self._bind(arguments, outputs)
        return self.loaded.launch(
            block_dim, packed, ranges, threads=settings.threads() if threads is None else threads
        )

    def observe(
        self,
        block_dim: int,
        arguments: Mapping[str, Array | int | float],
        outputs: Sequence[str],
        mode: int,
        options: Mapping[str, Any] | None = None,
        threads: int | None = None,
    ) -> dict[str, Any]:
        """Run under an observer (``runtime.CHECK``, ``TIME`` or ``LOG``) and return its report."""
        packed, ranges = self._bind(arguments, outputs)
        _, report = self.loaded.observe(
            block_dim, packed, ranges, mode=mode, options=options,
            threads=settings.threads() if threads is None else threads,
        )  # fmt: skip
        return report

    def check(
        self,
        block_dim: int,
        arguments: Mapping[str, Array | int | float],
        outputs: Sequence[str],
        options: Mapping[str, Any] | None = None,
    ) -> check.Check:
        """Run in check mode. Broken rules of the interface are findings of the kind "api_misuse"."""
        chosen = check.emulator_options(options or {})
        return check.from_report(self.observe(block_dim, arguments, outputs, runtime.CHECK, chosen))
