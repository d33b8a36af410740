"""tw_kernel_open and tw_launch: values, counters, errors, damaged objects, concurrency."""

from __future__ import annotations

import ctypes
import multiprocessing
import shutil
import struct
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from device import Array, Counters, EmulatorError, Range

HERE = Path(__file__).resolve().parent
COMPILER = shutil.which("clang-19") or shutil.which("clang") or shutil.which("cc")


@pytest.fixture(scope="session")
def kernel_object(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if COMPILER is None:
        pytest.skip("no C compiler for the hand-written test kernels")
    out = tmp_path_factory.mktemp("kernel") / "kernel.o"
    subprocess.run([COMPILER, "-O2", "-shared", "-fPIC", "-o", out, HERE / "launch_kernel.c"], check=True)
    return out


class Kernel:
    def __init__(self, lib: ctypes.CDLL, path: Path, name: str) -> None:
        self.lib = lib
        self.handle = ctypes.c_void_p()
        error = ctypes.create_string_buffer(1024)
        code = lib.tw_kernel_open(
            str(path).encode(), name.encode(), ctypes.byref(self.handle), error, ctypes.c_size_t(1024)
        )
        if code:
            raise EmulatorError(code, error.value.decode())

    def launch(
        self,
        blocks: int,
        args: bytes,
        arrays: Sequence[tuple[Array, int]] = (),
        threads: int = 0,
        mode: int = 0,
    ) -> Counters:
        ranges = (Range * max(1, len(arrays)))(*[Range(a.ctypes.data, a.nbytes, f, 0) for a, f in arrays])
        counters = Counters()
        error = ctypes.create_string_buffer(1024)
        code = self.lib.tw_launch(
            self.handle,
            ctypes.c_uint32(blocks),
            args,
            ctypes.c_size_t(len(args)),
            ranges,
            ctypes.c_size_t(len(arrays)),
            ctypes.c_uint32(threads),
            ctypes.c_uint32(mode),
            ctypes.byref(counters),
            error,
            ctypes.c_size_t(1024),
        )
        if code:
            raise EmulatorError(code, error.value.decode())
        return counters

    def close(self) -> None:
        self.lib.tw_kernel_close(self.handle)


def add_args(x: Array, y: Array, s: float, blocks: int) -> bytes:
    return struct.pack("QQqfi", x.ctypes.data, y.ctypes.data, len(x), s, blocks)


@pytest.mark.parametrize("n", [1, 7, 1000, 4096, 4097, 1_000_003])
@pytest.mark.parametrize("blocks", [1, 40, 65536])
def test_values_and_counters(lib: ctypes.CDLL, kernel_object: Path, n: int, blocks: int) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    x = np.random.default_rng(n).standard_normal(n).astype(np.float32)
    whole = np.full(n + 64, 77, np.float32)
    y = whole[32 : 32 + n]
    counters = kernel.launch(blocks, add_args(x, y, 2.5, blocks), [(x, 1), (y, 2)])
    assert (y == x + np.float32(2.5)).all()
    assert (whole[:32] == 77).all()
    assert (whole[32 + n :] == 77).all()
    tiles = -(-n // 4096)
    assert counters.gm_read_bytes == counters.gm_write_bytes == 4 * n
    assert counters.blocks == blocks
    assert counters.vector_instructions == tiles
    assert counters.instructions == blocks + 13 * tiles
    assert counters.ub_high_water == 16384 + 4 * min(n, 4096)
    kernel.close()


def test_first_error_is_deterministic(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "fail")
    big = np.zeros(1 << 20, np.uint8)  # large enough for the thread pool
    for first in [0, 1, 17, 500] * 10:
        with pytest.raises(EmulatorError, match=rf"block {first}: TRAP") as caught:
            kernel.launch(1000, struct.pack("q", first), [(big, 3)], threads=4)
        assert caught.value.code == 4014
    assert kernel.launch(1000, struct.pack("q", 1000), [(big, 3)], threads=4).blocks == 1000
    kernel.close()


def test_flags_left_set(lib: ctypes.CDLL, kernel_object: Path) -> None:
    with pytest.raises(EmulatorError, match=r"block 0: flag MTE2->V id 6 is still set") as caught:
        Kernel(lib, kernel_object, "left").launch(3, b"")
    assert caught.value.code == 4013


def test_scalar_faults(lib: ctypes.CDLL, kernel_object: Path) -> None:
    wild = Kernel(lib, kernel_object, "wild")
    pointer = np.array([0x30], np.uint64)
    args = np.array([pointer.ctypes.data], np.uint64).tobytes()
    for threads, size in ((1, 8), (2, 1 << 20)):
        ballast = np.zeros(size, np.uint8)
        with pytest.raises(
            EmulatorError, match="block 0: scalar access to unmapped memory at 0x30"
        ) as caught:
            wild.launch(8, args, [(ballast, 1)], threads=threads)
        assert caught.value.code == 4012
    divide = Kernel(lib, kernel_object, "divide")
    with pytest.raises(EmulatorError, match="divided by zero"):
        divide.launch(2, struct.pack("q", 0))
    divide.launch(2, struct.pack("q", 2))


def test_gm_bounds(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    x, y = np.zeros(9000, np.float32), np.zeros(9000, np.float32)
    with pytest.raises(
        EmulatorError, match=r"block 2: MOV\.UB\.TO\.OUT.*writes bytes \[32768, 36000\) of .* 35996 bytes"
    ):
        kernel.launch(3, add_args(x, y, 1, 3), [(x, 1), (y[:8999], 2)])
    with pytest.raises(EmulatorError, match="not readable"):
        kernel.launch(3, add_args(x, y, 1, 3), [(x, 2), (y, 2)])


def test_atomics_between_blocks(lib: ctypes.CDLL, kernel_object: Path) -> None:
    total = np.zeros(1 << 18, np.float32)
    Kernel(lib, kernel_object, "sum").launch(
        5000, struct.pack("Qq", total.ctypes.data, 3), [(total, 3)], threads=4
    )
    assert (total[:64] == 15000).all()
    assert (total[64:] == 0).all()


def test_blocks_start_with_poisoned_ub(lib: ctypes.CDLL, kernel_object: Path) -> None:
    out = np.zeros((300, 8), np.uint32)
    Kernel(lib, kernel_object, "stale").launch(300, struct.pack("Q", out.ctypes.data), [(out, 2)])
    assert (out == 0xFFFFFFFF).all()


def test_bad_arguments(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "fail")
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: kernel.launch(1, b"1234"), "takes 8 bytes of arguments, 4 were given"),
        (lambda: kernel.launch(0, b"12345678"), "block_dim is 0"),
        (lambda: kernel.launch(1, b"12345678", mode=9), "mode"),
    ]
    for call, text in cases:
        with pytest.raises(EmulatorError, match=text) as caught:
            call()
        assert caught.value.code == 4003
    with pytest.raises(EmulatorError, match="no kernel nothing; it has add, fail") as caught:
        Kernel(lib, kernel_object, "nothing")
    assert caught.value.code == 4002
    with pytest.raises(EmulatorError, match="disagree about kernel gone"):
        Kernel(lib, kernel_object, "gone")


def test_threads_of_the_caller(lib: ctypes.CDLL, kernel_object: Path) -> None:
    """Launches from several threads at once, small and large."""
    kernel = Kernel(lib, kernel_object, "add")
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for n in (50, 300_000, 5000):
            x = rng.standard_normal(n).astype(np.float32)
            y = np.zeros_like(x)
            kernel.launch(40, add_args(x, y, seed, 40), [(x, 1), (y, 2)])
            if not (y == x + np.float32(seed)).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def child(path: Path, queue: multiprocessing.Queue[bool]) -> None:
    from device import load_library

    kernel = Kernel(load_library(), path, "add")
    x = np.ones(1 << 20, np.float32)
    y = np.zeros_like(x)
    kernel.launch(40, add_args(x, y, 1, 40), [(x, 1), (y, 2)], threads=2)
    queue.put(bool((y == 2).all()))


def test_fork(lib: ctypes.CDLL, kernel_object: Path) -> None:
    """A forked child has no pool threads; it must not wait for them."""
    kernel = Kernel(lib, kernel_object, "add")
    x = np.ones(1 << 20, np.float32)
    y = np.zeros_like(x)
    kernel.launch(40, add_args(x, y, 1, 40), [(x, 1), (y, 2)], threads=2)
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[bool] = context.Queue()
    process = context.Process(target=child, args=(kernel_object, queue))
    process.start()
    assert queue.get(timeout=60)
    process.join()


def test_damaged_objects(lib: ctypes.CDLL, kernel_object: Path, tmp_path: Path) -> None:
    whole = kernel_object.read_bytes()
    bad = tmp_path / "bad.o"

    def refused(data: bytes, text: str) -> None:
        bad.write_bytes(data)
        with pytest.raises(EmulatorError, match=text) as caught:
            Kernel(lib, bad, "add")
        assert caught.value.code == 4001

    refused(b"", "empty")
    refused(whole[:40], "too short")
    refused(b"module {}" * 100, "not an ELF")
    refused(whole[: len(whole) // 2], "outside the file")
    refused(whole[:18] + b"\xb7\x00" + whole[20:], "not an x86-64 object")
    with pytest.raises(EmulatorError, match="cannot be opened"):
        Kernel(lib, tmp_path / "missing.o", "add")


def seal(data: bytes) -> bytes:
    """The trailer of emulator/include/tilewright/seal.h."""
    full = (1 << 64) - 1
    a, b = 0x9E3779B97F4A7C15 ^ len(data), 0xC2B2AE3D27D4EB4F + len(data) & full
    for i in range(0, len(data), 8):
        word = int.from_bytes(data[i : i + 8], "little")
        a = (a ^ word) * 0xFF51AFD7ED558CCD & full
        a ^= a >> 32
        b = (b + word & full) * 0xC4CEB9FE1A85EC53 & full
        b ^= b >> 29
    return b"TWSEAL1\n" + struct.pack("<QQQ", len(data), a, b)


def test_seal(lib: ctypes.CDLL, kernel_object: Path, tmp_path: Path) -> None:
    """Any damage of a sealed object is found before the dynamic loader reads it."""
    whole = kernel_object.read_bytes()
    sealed = whole + seal(whole)
    path = tmp_path / "sealed.o"
    path.write_bytes(sealed)
    Kernel(lib, path, "add").close()
    rng = np.random.default_rng(0)
    for _ in range(300):
        at = int(rng.integers(0, len(sealed) - 32))
        broken = bytearray(sealed)
        broken[at] ^= 1 << int(rng.integers(0, 8))
        path.write_bytes(bytes(broken))
        with pytest.raises(EmulatorError, match="damaged"):
            Kernel(lib, path, "add")
