"""One emulated vector core, driven instruction by instruction through the test interface of emulator.h."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

UB_BYTES = 192 << 10
BLOCK = 32
REPEAT = 256

DTYPES: dict[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "s16": np.dtype(np.int16),
    "u16": np.dtype(np.uint16),
    "s32": np.dtype(np.int32),
    "u32": np.dtype(np.uint32),
    "s64": np.dtype(np.int64),
    "b16": np.dtype(np.uint16),
    "b32": np.dtype(np.uint32),
}
UNSIGNED: dict[int, np.dtype[Any]] = {
    1: np.dtype(np.uint8),
    2: np.dtype(np.uint16),
    4: np.dtype(np.uint32),
    8: np.dtype(np.uint64),
}


class Counters(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_uint64)
        for name in (
            "instructions",
            "vector_instructions",
            "gm_read_bytes",
            "gm_write_bytes",
            "ub_high_water",
            "blocks",
            "scalar_gm_accesses",
        )
    ]


class Range(ctypes.Structure):
    _fields_ = [
        ("base", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("flags", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
    ]


class EmulatorError(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"TW{code}: {text}")
        self.code = code
        self.text = text


def library_path() -> Path:
    """Where the library is: the folder named by TILEWRIGHT_NATIVE, else the installed package."""
    root = os.environ.get("TILEWRIGHT_NATIVE")
    if root:
        return Path(root) / "lib" / "libtilewright_emulator.so"
    from tilewright import native

    return Path(native.path("lib/libtilewright_emulator.so"))


def load_library() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(library_path()), mode=ctypes.RTLD_GLOBAL)
    u64p = ctypes.POINTER(ctypes.c_uint64)
    lib.tw_test_core_begin.restype = ctypes.c_uint64
    lib.tw_test_core_begin.argtypes = [ctypes.c_uint32, ctypes.POINTER(Range), ctypes.c_size_t]
    lib.tw_test_call.argtypes = [
        ctypes.c_void_p,
        u64p,
        ctypes.c_size_t,
        ctypes.c_uint64,
        ctypes.c_uint32,
        u64p,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    lib.tw_test_core_end.argtypes = [ctypes.POINTER(Counters), ctypes.c_char_p, ctypes.c_size_t]
    lib.tw_isa_name.restype = ctypes.c_char_p
    lib.tw_isa_reason.restype = ctypes.c_char_p
    lib.tw_isa_supported.argtypes = [ctypes.c_char_p]
    lib.tw_emulator_level.restype = ctypes.c_char_p
    lib.tw_kernel_metadata_json.restype = ctypes.c_char_p
    return lib


def scalar_bits(value: float | int | np.generic, dtype: np.dtype[Any]) -> int:
    return int(np.asarray(value, dtype=dtype).view(UNSIGNED[dtype.itemsize]))


class Core:
    """A core with fresh state; `ub` is its unified buffer as uint8[196608]."""

    def __init__(self, lib: ctypes.CDLL, gm: Sequence[tuple[Array, int]] = (), block: int = 0) -> None:
        self.lib = lib
        ranges = (Range * max(1, len(gm)))(*[Range(a.ctypes.data, a.nbytes, flags, 0) for a, flags in gm])
        self._keep = gm
        self.base = int(lib.tw_test_core_begin(block, ranges, len(gm)))
        assert self.base
        assert self.base % (512 << 10) == 0
        assert self.base < 1 << 32
        self.ub = np.ctypeslib.as_array((ctypes.c_uint8 * UB_BYTES).from_address(self.base))
        self._error = ctypes.create_string_buffer(600)
        self._result = ctypes.c_uint64()

    def call(self, name: str, *args: int, scalar: int = 0) -> int:
        """Executes the instruction with that name after `llvm.hivm.`; raises EmulatorError."""
        function = getattr(self.lib, "tw_isa_" + name.replace(".", "_"))
        values = (ctypes.c_uint64 * 6)(*[a & (1 << 64) - 1 for a in args])
        code = self.lib.tw_test_call(
            ctypes.cast(function, ctypes.c_void_p),
            values,
            len(args),
            scalar,
            1,
            ctypes.byref(self._result),
            self._error,
            600,
        )
        if code:
            raise EmulatorError(code, self._error.value.decode())
        return int(self._result.value)

    def set_mask(self, counter: int | None = None, mask: int = (1 << 128) - 1) -> None:
        """Counter mode with that count, else normal mode with that 128-bit lane mask."""
        if counter is not None:
            self.call("SET.CTRL", self.call("GET.CTRL") | 1 << 56)
            self.call("MOVEMASK", 1, 0)
            self.call("MOVEMASK", 0, counter)
        else:
            self.call("SET.CTRL", self.call("GET.CTRL") & ~(1 << 56))
            self.call("MOVEMASK", 1, mask >> 64)
            self.call("MOVEMASK", 0, mask & (1 << 64) - 1)

    def end(self) -> Counters:
        counters = Counters()
        code = self.lib.tw_test_core_end(ctypes.byref(counters), self._error, 600)
        if code:
            raise EmulatorError(code, self._error.value.decode())
        return counters
