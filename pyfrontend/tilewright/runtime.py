"""The emulated device from Python: open a kernel object, pack its arguments, launch it.

A binding of emulator/include/tilewright/emulator.h through ctypes; launches release the interpreter lock.
Nothing here allocates per-call objects beyond the argument bytes: a launch in a warm process costs a few
microseconds of Python. Results and counters are those of the emulator; nothing is a measurement of a device.
"""

from __future__ import annotations

import ctypes
import json
import os
import struct
import threading
import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt

from tilewright import native
from tilewright.errors import ExecutionError, Location

#: Device allocators hand out addresses on 512-byte boundaries, the unit in which GM requests are served.
ALIGNMENT = 512

READABLE, WRITABLE = 1, 2
FAST, CHECK, TIME, LOG = 0, 1, 2, 3

_ERROR_BYTES = 4096
_RANGE = struct.Struct("<QQII")
_COUNTERS = struct.Struct("<7Q")

#: Element type in the kernel metadata -> struct format. Half types travel as their 16 bits.
_FORMATS = {
    "i64": "q", "i32": "i", "i16": "h", "i8": "b", "i1": "B", "f64": "d", "f32": "f", "f16": "e", "bf16": "H",
    "index": "q",
}  # fmt: skip


class Counters(NamedTuple):
    """Totals of a launch over all blocks, as counted by the emulator."""

    instructions: int = 0
    vector_instructions: int = 0
    gm_read_bytes: int = 0
    gm_write_bytes: int = 0
    ub_high_water: int = 0
    blocks: int = 0
    scalar_gm_accesses: int = 0


class Argument(NamedTuple):
    """A field of the argument struct: kind (ffts, lock, workspace, pointer, scalar, grid), type, place."""

    kind: str
    type: str
    offset: int
    size: int

    @property
    def format(self) -> str:
        """The field's struct format character."""
        return "Q" if self.kind in ("ffts", "lock", "workspace", "pointer") else _FORMATS[self.type]


def argument_struct(arguments: Sequence[Argument], size: int) -> struct.Struct:
    """The packed struct: fields at their offsets, padding between them, ``size`` bytes in all.

    Raises:
        ExecutionError: TW4101 if the fields overlap or do not fit.
    """
    text, at = "<", 0
    for argument in arguments:
        code = argument.format
        width = struct.calcsize("<" + code)
        if argument.offset < at or width != argument.size:
            raise ExecutionError(
                "TW4101",
                f"the kernel's argument list is inconsistent at offset {argument.offset} ({argument.type})",
                hint="the object was made by another version of hivmc; empty the cache folder",
            )
        text += f"{argument.offset - at}x{code}" if argument.offset > at else code
        at = argument.offset + width
    if at > size:
        raise ExecutionError("TW4101", f"the kernel's arguments need {at} bytes, its metadata says {size}")
    return struct.Struct(text + (f"{size - at}x" if size > at else ""))


class Emulator:
    """The loaded emulator library. Use ``emulator()``; there is one a process, as its symbols are global."""

    def __init__(self, path: Path) -> None:
        try:
            # Kernel objects resolve their tw_isa_* and tw_core_* symbols from here.
            library = ctypes.CDLL(str(path), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
        except OSError as error:
            raise ExecutionError(
                "TW4100",
                f"the emulator library {path} cannot be loaded: {error}",
                hint="build the package again",
            ) from error
        self.path = path
        text, size, word, pointer = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_void_p
        self.kernel_open = self._bind(library, "tw_kernel_open", [text, text, pointer, pointer, size])
        self.kernel_close = self._bind(library, "tw_kernel_close", [pointer], None)
        self.kernel_metadata = self._bind(library, "tw_kernel_metadata_json", [pointer], text)
        self.launch = self._bind(
            library, "tw_launch",
            [pointer, word, text, size, text, size, word, word, pointer, pointer, size],
        )  # fmt: skip
        self.launch_observed = self._bind(
            library, "tw_launch_observed",
            [pointer, word, text, size, text, size, word, word, text, pointer, pointer, pointer, size],
        )  # fmt: skip
        self.free = self._bind(library, "tw_free", [pointer], None)
        self.launch_fault = self._bind(library, "tw_launch_fault", [], ctypes.c_uint64)
        self._version = self._bind(library, "tw_emulator_version", [], text)
        self._level = self._bind(library, "tw_emulator_level", [], text)
        self._supported = self._bind(library, "tw_isa_supported", [text])
        self._count = self._bind(library, "tw_isa_count", [], word)
        self._name = self._bind(library, "tw_isa_name", [word], text)
        self._reason = self._bind(library, "tw_isa_reason", [word], text)

    def _bind(self, library: ctypes.CDLL, name: str, arguments: list[Any], result: Any = ctypes.c_int) -> Any:
        try:
            function = getattr(library, name)
        except AttributeError as error:
            raise ExecutionError(
                "TW4100",
                f"the emulator library {library._name} has no function {name}",
                hint="it belongs to another version of tilewright; build the package again",
            ) from error
        function.argtypes = arguments
        function.restype = result
        return function

    @cached_property
    def version(self) -> str:
        """The library's version text."""
        return cast("bytes", self._version()).decode()

    @cached_property
    def level(self) -> str:
        """The host's instruction level in use, for example "v4" (AVX-512)."""
        return cast("bytes", self._level()).decode()

    def supported(self, name: str) -> bool:
        """True if the device instruction ``name`` (for example "VADD.f32") has a meaning."""
        return int(self._supported(name.encode())) == 1

    def instructions(self) -> dict[str, str]:
        """Every known device instruction -> "" if it has a meaning, else why it has none."""
        return {
            cast("bytes", self._name(i)).decode(): cast("bytes", self._reason(i)).decode()
            for i in range(int(self._count()))
        }


@lru_cache(maxsize=1)
def _load(path: Path) -> Emulator:
    return Emulator(path)


def emulator() -> Emulator:
    """The emulator of this installation.

    Raises:
        CompileError: TW3003 if it is not installed.
        ExecutionError: TW4100 if it cannot be loaded.
    """
    return _load(native.path(native.EMULATOR))


class _Scratch(threading.local):
    """Result buffers of a thread; a launch neither allocates nor shares them."""

    def __init__(self) -> None:
        self.counters = ctypes.create_string_buffer(_COUNTERS.size)
        self.error = ctypes.create_string_buffer(_ERROR_BYTES)
        self.counters_at = ctypes.addressof(self.counters)
        self.error_at = ctypes.addressof(self.error)


_scratch = _Scratch()


def _failure(status: int, message: bytes, name: str, place: Location | None = None) -> ExecutionError:
    text = message.decode("utf-8", errors="replace") or "no message"
    return ExecutionError(f"TW{status}", f"kernel {name} on the emulated device: {text}", location=place)


class LoadedKernel:
    """A kernel of an opened object.

    Attributes:
        name: the kernel's name.
        metadata: the object's own metadata.
        arguments: fields of the packed argument struct in order.
        pack: packs one value per argument, in order, to the bytes that ``launch`` takes.
        handle: the ``tw_kernel`` of the C interface, for as long as this object lives.
    """

    def __init__(self, path: str | Path, name: str) -> None:
        """Open kernel ``name`` of the object at ``path``.

        Raises:
            ExecutionError: TW4001 (missing, damaged or foreign object), TW4002 (no such kernel), TW4101.
        """
        self._library = emulator()
        self._launch = self._library.launch
        self._path = str(path)
        handle = ctypes.c_void_p()
        scratch = _scratch
        status = self._library.kernel_open(
            os.fsencode(path), name.encode(), ctypes.addressof(handle), scratch.error_at, _ERROR_BYTES
        )
        if status:
            raise _failure(status, scratch.error.value, name)
        self._handle = handle.value
        self.handle = int(handle.value or 0)
        weakref.finalize(self, self._library.kernel_close, handle.value)
        self.name = name
        self.metadata: dict[str, Any] = json.loads(self._library.kernel_metadata(handle.value))
        described = next((k for k in self.metadata["kernels"] if k["name"] == name), None)
        if described is None:
            raise ExecutionError("TW4101", f"the metadata of {path} does not describe kernel {name}")
        self.arguments = tuple(
            Argument(str(a["kind"]), str(a["type"]), int(a["offset"]), int(a["size"]))
            for a in described["args"]
        )
        self.arguments_size = int(described["args_size"])
        self.pack = argument_struct(self.arguments, self.arguments_size).pack

    def _stopped(self, status: int) -> ExecutionError:
        """The error of a failed launch, with the kernel's line where the object has line tables."""
        offset = int(self._library.launch_fault())
        message = _scratch.error.value
        place = None
        if offset:
            from tilewright import symbols

            file, colon, number = symbols.line(self._path, offset).rpartition(":")
            # Operators are compiled from text that has no file.
            place = Location(file, int(number)) if colon and Path(file).is_file() else None
        return _failure(status, message, self.name, place)

    def launch(
        self, block_dim: int, arguments: bytes, ranges: bytes, *, threads: int = 0, mode: int = FAST
    ) -> Counters:
        """Run the kernel and wait for it.

        Args:
            block_dim: number of blocks, at least 1.
            arguments: what ``pack`` returned.
            ranges: GM allocations the kernel may touch, from ``gm_ranges``.
            threads: host threads, 0 for all cores.
            mode: 0, the fast mode.

        Raises:
            ExecutionError: the emulator's TW4nnn.
        """
        scratch = _scratch
        status = self._launch(
            self._handle, block_dim, arguments, len(arguments), ranges, len(ranges) // _RANGE.size,
            threads, mode, scratch.counters_at, scratch.error_at, _ERROR_BYTES,
        )  # fmt: skip
        if status:
            raise self._stopped(status)
        return Counters._make(_COUNTERS.unpack(scratch.counters))

    def observe(
        self,
        block_dim: int,
        arguments: bytes,
        ranges: bytes,
        *,
        mode: int,
        options: Mapping[str, Any] | None = None,
        threads: int = 0,
    ) -> tuple[Counters, dict[str, Any]]:
        """Run the kernel under an observer and return its report with the counters.

        Args:
            block_dim, arguments, ranges, threads: as for ``launch``.
            mode: CHECK (hazards; errors of blocks are findings of the report), TIME, or LOG (the instructions
                of one block).
            options: the mode's options by name.

        Raises:
            ExecutionError: TW4003 for an unknown mode or option, else the emulator's TW4nnn.
        """
        scratch = _scratch
        report = ctypes.c_void_p()
        status = self._library.launch_observed(
            self._handle, block_dim, arguments, len(arguments), ranges, len(ranges) // _RANGE.size,
            threads, mode, json.dumps(dict(options or {})).encode(), scratch.counters_at,
            ctypes.addressof(report), scratch.error_at, _ERROR_BYTES,
        )  # fmt: skip
        try:
            text = ctypes.string_at(report.value) if report.value else b"{}"
        finally:
            self._library.free(report)
        if status:
            raise self._stopped(status)
        return Counters._make(_COUNTERS.unpack(scratch.counters)), json.loads(text)


@lru_cache(maxsize=64)
def _range_struct(count: int) -> struct.Struct:
    return struct.Struct("<" + "QQII" * count)


def gm_ranges(ranges: Sequence[tuple[int, int, int]]) -> bytes:
    """Pack (address, bytes, flags) of each allocation for ``LoadedKernel.launch``."""
    flat = list[int]()
    for base, size, flags in ranges:
        flat += (base, size, flags, 0)
    return _range_struct(len(ranges)).pack(*flat)


def address(array: npt.NDArray[Any]) -> int:
    """The address of an array's first byte."""
    return int(array.__array_interface__["data"][0])


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """An uninitialised C-contiguous array whose first byte is on a 512-byte boundary."""
    kind = np.dtype(dtype)
    elements = 1
    for extent in shape:
        elements *= extent
    size = elements * kind.itemsize
    raw = np.empty(size + ALIGNMENT, np.uint8)
    start = -address(raw) % ALIGNMENT
    return raw[start : start + size].view(kind).reshape(shape)


def placed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A copy where a device would put it, on a 512-byte boundary: off it transfers are modelled slower."""
    copy = empty(array.shape, array.dtype)
    copy[...] = array
    return copy
