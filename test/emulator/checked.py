"""A test core in check mode, with short names for the instructions that the tests put together."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from device import Array, Core, EmulatorError

CHECK = 1
S, V, MTE2, MTE3, ALL = 0, 1, 4, 5, 6


class CheckedCore(Core):
    """A core whose instructions are observed; ``report`` ends the block."""

    def __init__(self, lib: ctypes.CDLL, gm: Sequence[tuple[Array, int]] = (), **options: Any) -> None:
        super().__init__(lib, gm)
        text = ctypes.create_string_buffer(600)
        code = lib.tw_test_core_observe(
            ctypes.c_uint32(CHECK), json.dumps(options).encode(), text, ctypes.c_size_t(600)
        )
        if code:
            raise EmulatorError(code, text.value.decode())
        self.failed = 0

    def try_call(self, name: str, *args: int, scalar: int = 0) -> None:
        """An instruction that may stop the block, as the launcher would see it."""
        try:
            self.call(name, *args, scalar=scalar)
        except EmulatorError as error:
            self.failed = error.code

    def report(self) -> list[dict[str, Any]]:
        """The findings."""
        out = ctypes.c_void_p()
        code = self.lib.tw_test_core_report(ctypes.c_int(self.failed), ctypes.byref(out))
        assert code == 0
        assert out.value
        data: dict[str, Any] = json.loads(ctypes.string_at(out.value))
        self.lib.tw_free(out)
        assert data["mode"] == "check"
        severities = [f["severity"] for f in data["findings"]]
        assert (severities.count("hazard"), severities.count("lint")) == (data["hazards"], data["lints"])
        return data["findings"]

    def kinds(self) -> list[str]:
        return [f["kind"] for f in self.report()]

    def load(self, ub: int, source: Array, count: int, *, rows: int = 1, at: int = 0) -> None:
        """``count`` f32 elements a row, rows one after another in GM."""
        self.call(
            "MOV.OUT.TO.UB.ALIGN.b32.V220", self.base + ub, source.ctypes.data + 4 * at,
            rows << 4 | count * 4 << 16, 0,
        )  # fmt: skip

    def store(self, target: Array, ub: int, count: int, *, at: int = 0) -> None:
        self.call(
            "MOV.UB.TO.OUT.ALIGN.b32.V220",
            target.ctypes.data + 4 * at,
            self.base + ub,
            1 << 4 | count * 4 << 16,
            0,
        )

    def add(self, d: int, a: int, b: int, count: int = 64) -> None:
        """f32 addition of ``count`` elements in counter mode."""
        self.set_mask(counter=count)
        self.call("VADD.f32", self.base + d, self.base + a, self.base + b, BINARY)

    def fill(self, d: int, count: int = 64) -> None:
        self.set_mask(counter=count)
        self.call("MOVEV.f32", self.base + d, 1 | 8 << 32, scalar=int(np.float32(1).view(np.uint32)))

    def set(self, source: int, target: int, event: int = 0) -> None:
        self.call("SET.FLAG.IMM", source, target, event)

    def wait(self, source: int, target: int, event: int = 0) -> None:
        self.call("WAIT.FLAG.IMM", source, target, event)

    def sync(self, source: int, target: int, event: int = 0) -> None:
        self.set(source, target, event)
        self.wait(source, target, event)

    def barrier(self, pipe: int) -> None:
        self.call("BARRIER", pipe)


#: Contiguous operands of a two-source instruction, one repeat.
BINARY = 1 | 1 << 8 | 1 << 16 | 8 << 24 | 8 << 32 | 8 << 40 | 1 << 56
#: The same for one source.
UNARY = 1 | 1 << 16 | 8 << 32 | 8 << 40 | 1 << 56
