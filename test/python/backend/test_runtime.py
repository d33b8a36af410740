"""Launching kernel objects: packing, counters, errors of the emulated device."""

from __future__ import annotations

import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from kernels import ADD, kernel

from tilewright import runtime
from tilewright.errors import ExecutionError
from tilewright.runtime import READABLE, WRITABLE, Argument, LoadedKernel
from tilewright.toolchain import compile_hivm

F32 = npt.NDArray[np.float32]


@pytest.fixture(scope="module")
def add(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A kernel object for y = x + x over n elements of f32."""
    path = tmp_path_factory.mktemp("add") / "kernel.o"
    path.write_bytes(compile_hivm(kernel(ADD), target="Ascend910B4", hivmc_choice="ours").kernel)
    return path


def launch(loaded: LoadedKernel, x: F32, y: F32, blocks: int = 3, **options: Any) -> runtime.Counters:
    """Run y = x + x."""
    options.setdefault(
        "ranges", [(runtime.address(x), x.nbytes, READABLE), (runtime.address(y), y.nbytes, WRITABLE)]
    )
    ranges = runtime.gm_ranges(options.pop("ranges"))
    arguments = loaded.pack(0, 0, 0, runtime.address(x), runtime.address(y), x.size, blocks, 1, 1)
    return loaded.launch(blocks, arguments, ranges, **options)


def test_arguments_are_those_of_the_launch_abi(add: Path) -> None:
    loaded = LoadedKernel(add, "k")
    kinds = [argument.kind for argument in loaded.arguments]
    assert kinds == ["ffts", "lock", "workspace", "pointer", "pointer", "scalar", "grid", "grid", "grid"]
    assert [argument.offset for argument in loaded.arguments] == [0, 8, 16, 24, 32, 40, 48, 52, 56]
    packed = loaded.pack(1, 2, 3, 4, 5, 6, 7, 8, 9)
    assert len(packed) == loaded.arguments_size
    assert struct.unpack_from("<6q3i", packed) == (1, 2, 3, 4, 5, 6, 7, 8, 9)


@pytest.mark.parametrize("elements", [1, 7, 1023, 1024, 1025, 10_000])
@pytest.mark.parametrize("threads", [1, 2, 0])
def test_values_and_counters(add: Path, elements: int, threads: int) -> None:
    loaded = LoadedKernel(add, "k")
    x = np.random.default_rng(elements).standard_normal(elements).astype(np.float32)
    guarded = np.full(elements + 64, np.float32(-7))
    y = guarded[32 : 32 + elements]
    counters = launch(loaded, x, y, threads=threads)
    assert np.array_equal(y, x + x)
    assert (guarded[:32] == -7).all()
    assert (guarded[32 + elements :] == -7).all()
    assert counters.gm_read_bytes == counters.gm_write_bytes == x.nbytes
    assert counters.blocks == 3
    assert counters.instructions > counters.vector_instructions > 0
    assert 0 < counters.ub_high_water <= 196608


def test_gm_outside_the_ranges_is_refused(add: Path) -> None:
    loaded = LoadedKernel(add, "k")
    x, y = np.ones(2000, np.float32), np.zeros(2000, np.float32)
    short = [(runtime.address(x), x.nbytes - 4, READABLE), (runtime.address(y), y.nbytes, WRITABLE)]
    with pytest.raises(ExecutionError) as caught:
        launch(loaded, x, y, ranges=short)
    assert caught.value.code == "TW4010"
    y[:] = 0  # blocks before the refused one had written theirs
    read_only = [(runtime.address(x), x.nbytes, READABLE), (runtime.address(y), y.nbytes, READABLE)]
    with pytest.raises(ExecutionError) as caught:
        launch(loaded, x, y, ranges=read_only)
    assert caught.value.code == "TW4010"
    assert not y.any()


def test_bad_launches(add: Path) -> None:
    loaded = LoadedKernel(add, "k")
    with pytest.raises(ExecutionError) as caught:
        loaded.launch(1, b"short", b"")
    assert caught.value.code == "TW4003"
    x = np.ones(8, np.float32)
    with pytest.raises(ExecutionError) as caught:
        launch(loaded, x, x.copy(), blocks=0)
    assert caught.value.code == "TW4003"


def test_bad_objects(add: Path, tmp_path: Path) -> None:
    for content in (b"", b"not an object", add.read_bytes()[:1000]):
        damaged = tmp_path / f"{len(content)}.o"
        damaged.write_bytes(content)
        with pytest.raises(ExecutionError) as caught:
            LoadedKernel(damaged, "k")
        assert caught.value.code == "TW4001"
    with pytest.raises(ExecutionError) as caught:
        LoadedKernel(tmp_path / "missing.o", "k")
    assert caught.value.code == "TW4001"
    with pytest.raises(ExecutionError) as caught:
        LoadedKernel(add, "other")
    assert caught.value.code == "TW4002"


def test_launches_from_several_threads(add: Path) -> None:
    loaded = LoadedKernel(add, "k")
    wrong = list[int]()

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(50):
            x = rng.standard_normal(int(rng.integers(1, 5000))).astype(np.float32)
            y = np.zeros_like(x)
            counters = launch(loaded, x, y, threads=seed % 2)
            if not np.array_equal(y, x + x) or counters.gm_write_bytes != x.nbytes:
                wrong.append(seed)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_struct_with_padding() -> None:
    arguments = [
        Argument("pointer", "i64", 0, 8),
        Argument("scalar", "i16", 8, 2),
        Argument("scalar", "f32", 12, 4),
        Argument("scalar", "i64", 16, 8),
    ]
    packed = runtime.argument_struct(arguments, 32)
    assert packed.size == 32
    assert packed.pack(2**63, -2, 1.5, -1) == struct.pack("<Qhxxfq8x", 2**63, -2, 1.5, -1)
    with pytest.raises(ExecutionError) as caught:
        runtime.argument_struct([Argument("pointer", "i64", 0, 8), Argument("scalar", "i32", 4, 4)], 8)
    assert caught.value.code == "TW4101"
    with pytest.raises(ExecutionError):
        runtime.argument_struct([Argument("pointer", "i64", 0, 8)], 4)


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 5, 7), (2, 0, 4)])
@pytest.mark.parametrize("dtype", [np.float32, np.int16, "bf16"])
def test_aligned_arrays(shape: tuple[int, ...], dtype: Any) -> None:
    if dtype == "bf16":
        import ml_dtypes

        dtype = ml_dtypes.bfloat16
    array = runtime.empty(shape, dtype)
    assert array.shape == shape
    assert array.dtype == np.dtype(dtype)
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert array.size == 0 or runtime.address(array) % runtime.ALIGNMENT == 0
    array[...] = 1


def test_library_that_is_none(tmp_path: Path) -> None:
    library = tmp_path / "lib.so"
    library.write_bytes(b"no library")
    with pytest.raises(ExecutionError) as caught:
        runtime.Emulator(library)
    assert caught.value.code == "TW4100"


def test_emulator_and_mlir_live_in_one_process() -> None:
    # The emulator's symbols are global. C++ symbols among them would break exceptions in MLIR's bindings.
    code = (
        "from tilewright import runtime\nruntime.emulator()\n"
        "from tilewright.mlir import ir, passmanager\n"
        "with ir.Context():\n"
        "    try:\n        passmanager.PassManager.parse('builtin.module(no-such-pass)')\n"
        "    except ValueError:\n        print('fine')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "fine", done.stderr
