"""Compile a module with stock bishengir-compile and our hivmc, run the object on the emulated device.

Talks to the emulator's C interface through ctypes, so that these tests need no part of the Python front end.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import shutil
import struct
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from device import Counters, Range, load_library

Array = npt.NDArray[Any]
Scalar = int | float

TRITON_FLAGS = ("-enable-hfusion-compile=true", "-enable-triton-kernel-compile=true", "--target=Ascend910B4")
LINALG_FLAGS = ("-enable-hfusion-compile=true", "--block-dim=40", "--target=Ascend910B4")
PLAIN_FLAGS = ("--target=Ascend910B4",)

GUARD = 256
FILL = 0xA5


def hivmc_path() -> Path:
    """Our hivmc: in the folder named by TILEWRIGHT_NATIVE, else in the installed package."""
    root = os.environ.get("TILEWRIGHT_NATIVE")
    if root:
        return Path(root) / "bin" / "hivmc"
    from tilewright import native

    return Path(native.path("bin/hivmc"))


def wheel(relative: str) -> Path:
    """A file of the installed ascendnpu-ir wheel."""
    spec = importlib.util.find_spec("ascendnpuir")
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("the ascendnpu-ir wheel is not installed")
    return Path(next(iter(spec.submodule_search_locations))) / relative


def missing_tools() -> str:
    """Why kernels cannot be compiled here, or ""."""
    if importlib.util.find_spec("ascendnpuir") is None:
        return "the ascendnpu-ir wheel is not installed"
    if not hivmc_path().exists():
        return f"{hivmc_path()} is not built"
    if shutil.which("ld.lld-19") is None and shutil.which("ld.lld") is None:
        return "ld.lld is not installed"
    return ""


def run_hivmc(
    *arguments: str | Path, timeout: float = 120, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(hivmc_path()), *map(str, arguments)],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
        env=dict(os.environ, **(env or {})),
    )


def bishengir(source: str, folder: Path, flags: Sequence[str] = ()) -> Path:
    """Compiles with the stock compiler and our hivmc as its back end; returns the kernel object.

    The final module stays in the folder as module.hivm.opt.mlir.
    """
    folder.mkdir(parents=True, exist_ok=True)
    text, output = folder / "kernel.mlir", folder / "kernel.o"
    text.write_text(source)
    result = subprocess.run(
        [str(wheel("bin/bishengir-compile")), *flags, f"--save-temps={folder}", str(text), "-o", str(output)],
        capture_output=True,
        text=True,
        env=dict(os.environ, BISHENG_INSTALL_PATH=str(hivmc_path().parent)),
        timeout=300,
        check=False,
    )
    if result.returncode or not output.exists():
        raise RuntimeError(
            f"bishengir-compile: exit status {result.returncode}\n{result.stdout}{result.stderr}"
        )
    return output


def final_module(source: str, folder: Path, flags: Sequence[str] = ()) -> Path:
    """The final module of the stock compiler, whether or not our hivmc takes it."""
    try:
        bishengir(source, folder, flags)
    except RuntimeError:
        if not (folder / "module.hivm.opt.mlir").exists():
            raise
    return folder / "module.hivm.opt.mlir"


_library: list[ctypes.CDLL] = []


def emulator() -> ctypes.CDLL:
    if not _library:
        library = load_library()
        library.tw_kernel_metadata_json.argtypes = [ctypes.c_void_p]
        library.tw_kernel_close.argtypes = [ctypes.c_void_p]
        _library.append(library)
    return _library[0]


class Buffer:
    """A copy of an array in emulated GM with guard bytes on both sides."""

    def __init__(self, data: Array) -> None:
        self.shape, self.dtype = data.shape, data.dtype
        self.backing = np.full(data.nbytes + 2 * GUARD + 64, FILL, np.uint8)
        self.start = GUARD + (-(self.backing.ctypes.data + GUARD)) % 64
        self.inside = self.backing[self.start : self.start + data.nbytes]
        self.inside[:] = np.frombuffer(data.tobytes(), np.uint8)
        self.address = self.backing.ctypes.data + self.start
        self.range = Range(self.backing.ctypes.data, self.backing.nbytes, 3, 0)

    def result(self) -> Array:
        """The content now; the guard bytes must be untouched."""
        content = np.frombuffer(self.inside.tobytes(), self.dtype).reshape(self.shape)
        end = self.start + len(self.inside)
        assert (self.backing[: self.start] == FILL).all(), "bytes before an array were written"
        assert (self.backing[end:] == FILL).all(), "bytes after an array were written"
        return content


@dataclass
class Launched:
    """`arrays`: every array argument after the launch, in order."""

    arrays: list[Array]
    counters: dict[str, int]
    metadata: dict[str, Any]


def _pack(value: Scalar, kind: str, size: int) -> bytes:
    if kind == "f32":
        return struct.pack("<f", value)
    if kind == "f16":
        return struct.pack("<e", value)
    if kind == "f64":
        return struct.pack("<d", value)
    return int(value).to_bytes(size, "little", signed=value < 0)


def launch(
    kernel_object: Path,
    name: str,
    arguments: Sequence[Array | Scalar],
    *,
    blocks: int = 1,
    grid: tuple[int, int, int] | None = None,
) -> Launched:
    """Runs a kernel on the emulated device.

    Args:
        arguments: arrays (copied into guarded buffers) and scalars in the kernel's order; the ffts address,
            lock, workspace and grid are supplied here.
        grid: of a Triton-form kernel; its product is the number of blocks.
    """
    library = emulator()
    handle, message = ctypes.c_void_p(), ctypes.create_string_buffer(4096)
    status = library.tw_kernel_open(
        str(kernel_object).encode(), name.encode(), ctypes.byref(handle), message, ctypes.c_size_t(4096)
    )
    assert status == 0, f"TW{status}: {message.value.decode()}"
    try:
        metadata: dict[str, Any] = json.loads(library.tw_kernel_metadata_json(handle))
        kernel = next(k for k in metadata["kernels"] if k["name"] == name)
        sizes = grid or (blocks, 1, 1)
        blocks = sizes[0] * sizes[1] * sizes[2]
        pending, next_size = list(arguments), iter(sizes)
        users: list[Buffer] = []
        hidden: list[Buffer] = []
        packed = bytearray(kernel["args_size"])
        for argument in kernel["args"]:
            kind, size, offset = argument["kind"], argument["size"], argument["offset"]
            if kind in ("lock", "workspace"):
                hidden.append(Buffer(np.zeros(1 << 16, np.uint8)))
                word = _pack(hidden[-1].address, "i64", size)
            elif kind == "ffts":
                word = bytes(size)
            elif kind == "grid":
                word = _pack(next(next_size), "i32", size)
            else:
                value = pending.pop(0)
                if kind == "pointer":
                    assert isinstance(value, np.ndarray), f"argument at {offset} is a pointer"
                    users.append(Buffer(value))
                    word = _pack(users[-1].address, "i64", size)
                else:
                    assert not isinstance(value, np.ndarray), f"argument at {offset} is a scalar"
                    word = _pack(value, argument["type"], size)
            packed[offset : offset + size] = word
        assert not pending, "more arguments than the kernel takes"
        ranges = [buffer.range for buffer in users + hidden]
        table, counters = (Range * max(1, len(ranges)))(*ranges), Counters()
        status = library.tw_launch(
            handle,
            ctypes.c_uint32(blocks),
            bytes(packed),
            ctypes.c_size_t(len(packed)),
            table,
            ctypes.c_size_t(len(ranges)),
            ctypes.c_uint32(0),
            ctypes.c_uint32(0),
            ctypes.byref(counters),
            message,
            ctypes.c_size_t(4096),
        )
        assert status == 0, f"TW{status}: {message.value.decode()}"
        fields = {field[0]: int(getattr(counters, field[0])) for field in Counters._fields_}
        return Launched([buffer.result() for buffer in users], fields, metadata)
    finally:
        library.tw_kernel_close(handle)
