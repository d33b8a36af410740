"""tw_launch_observed in check mode: races between blocks, coverage, fixed reports, stock kernels."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import hivmc_tools
import numpy as np
import pytest
from hivmc_kernels import TRITON_ADAPTER_ADD, linalg_reduce, linalg_softmax, strided_tile, triton_scale
from hivmc_tools import LINALG_FLAGS, PLAIN_FLAGS, TRITON_FLAGS, bishengir, missing_tools
from test_launch import Kernel, add_args, kernel_object

from device import Array, Counters, EmulatorError, Range

__all__ = ["kernel_object"]  # the fixture

CHECK = 1
REASON = missing_tools()
TILE = 4096


def observed(
    kernel: Kernel,
    blocks: int,
    args: bytes,
    arrays: Sequence[tuple[Array, int]],
    threads: int = 0,
    mode: int = CHECK,
    **options: Any,
) -> dict[str, Any]:
    ranges = (Range * max(1, len(arrays)))(*[Range(a.ctypes.data, a.nbytes, f, 0) for a, f in arrays])
    counters, out = Counters(), ctypes.c_void_p()
    error = ctypes.create_string_buffer(1024)
    code = kernel.lib.tw_launch_observed(
        kernel.handle, ctypes.c_uint32(blocks), args, ctypes.c_size_t(len(args)), ranges,
        ctypes.c_size_t(len(arrays)), ctypes.c_uint32(threads), ctypes.c_uint32(mode),
        json.dumps(options).encode(), ctypes.byref(counters), ctypes.byref(out), error, ctypes.c_size_t(1024),
    )  # fmt: skip
    text = ctypes.string_at(out.value) if out.value else b"{}"
    kernel.lib.tw_free(out)
    if code:
        raise EmulatorError(code, error.value.decode())
    assert counters.blocks == blocks
    data: dict[str, Any] = json.loads(text)
    return data


def hazards(report: dict[str, Any]) -> list[str]:
    return [f["kind"] for f in report["findings"] if f["severity"] == "hazard"]


def test_right_values_and_no_hazard(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    for n, blocks in ((1, 1), (100_003, 7), (1_000_003, 40)):
        x = np.arange(n, dtype=np.float32)
        y = np.zeros(n, np.float32)
        report = observed(kernel, blocks, add_args(x, y, 2.5, blocks), [(x, 1), (y, 2)])
        assert hazards(report) == []
        assert (y == x + np.float32(2.5)).all()


def test_two_blocks_write_the_same_bytes(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    x, y = np.zeros(3 * TILE, np.float32), np.zeros(3 * TILE, np.float32)
    report = observed(kernel, 2, add_args(x, y, 1, 1), [(x, 1), (y, 2)])  # both blocks do tiles 1 and 2
    assert hazards(report) == ["core_race"]
    found = report["findings"][0]
    assert (found["block"], found["other_block"]) == (0, 1)
    assert (found["space"], found["begin"], found["end"]) == ("GM", 4 * TILE, 12 * TILE)
    assert hazards(observed(kernel, 2, add_args(x, y, 1, 1), [(x, 1), (y, 2)], detect_core_races=False)) == []


def test_a_block_reads_what_another_writes(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    memory = np.zeros(3 * TILE, np.float32)
    x, y = memory[TILE:], memory[: 2 * TILE]
    report = observed(kernel, 2, add_args(x, y, 1, 2), [(memory, 3)])
    assert hazards(report) == ["core_race"]
    assert "reads GM bytes" in report["findings"][0]["message"]
    assert "writes in the same launch" in report["findings"][0]["message"]
    # One block does the same in order.
    assert hazards(observed(kernel, 1, add_args(x, y, 1, 1), [(memory, 3)])) == []


def test_results_that_nobody_stores(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    x, y = np.zeros(3 * TILE, np.float32), np.zeros(3 * TILE, np.float32)
    report = observed(kernel, 2, add_args(x, y, 1, 3), [(x, 1), (y, 2)])
    assert hazards(report) == ["gm_not_written"]
    assert (report["findings"][0]["begin"], report["findings"][0]["end"]) == (8 * TILE, 12 * TILE)


def test_errors_of_blocks_are_findings(lib: ctypes.CDLL, kernel_object: Path) -> None:
    report = observed(Kernel(lib, kernel_object, "left"), 3, b"", [])
    assert hazards(report) == ["flag_left_set"]
    assert report["findings"][0]["count"] == 3
    kernel = Kernel(lib, kernel_object, "fail")
    report = observed(kernel, 10, (7).to_bytes(8, "little"), [])
    assert hazards(report) == ["stopped"]
    assert (report["findings"][0]["block"], report["findings"][0]["count"]) == (7, 3)


def test_report_is_the_same_in_every_run(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    x, y = np.zeros(64 * TILE, np.float32), np.zeros(64 * TILE, np.float32)
    reports = {
        json.dumps(
            observed(kernel, 40, add_args(x, y, 1, 33), [(x, 1), (y, 2)], threads=threads), sort_keys=True
        )
        for threads in (1, 2, 4, 4, 4)
    }
    assert len(reports) == 1
    assert "core_race" in next(iter(reports))


def test_many_blocks(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    x, y = np.zeros(1000, np.float32), np.zeros(1000, np.float32)
    assert hazards(observed(kernel, 65536, add_args(x, y, 1, 65536), [(x, 1), (y, 2)])) == []


def test_modes(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Kernel(lib, kernel_object, "add")
    x = np.zeros(8, np.float32)
    for mode in (0, 4):
        with pytest.raises(EmulatorError, match="unknown observed mode") as caught:
            observed(kernel, 1, add_args(x, x, 1, 1), [(x, 3)], mode=mode)
        assert caught.value.code == 4003
    with pytest.raises(EmulatorError, match="unknown check option speed"):
        observed(kernel, 1, add_args(x, x, 1, 1), [(x, 3)], speed=1)


# ---- kernels of the stock compiler ----


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """Launches of hivmc_tools run in check mode; their reports."""
    if REASON:
        pytest.skip(REASON)
    library, found = hivmc_tools.emulator(), list[dict[str, Any]]()

    def launch(handle: Any, blocks: Any, args: bytes, size: Any, table: Any, n: Any, *rest: Any) -> int:
        threads, _, counters, message, length = rest
        out = ctypes.c_void_p()
        code = int(
            library.tw_launch_observed(
                handle, blocks, args, size, table, n, threads, ctypes.c_uint32(CHECK), b"{}",
                counters, ctypes.byref(out), message, length,
            )
        )  # fmt: skip
        if out.value:
            found.append(json.loads(ctypes.string_at(out.value)))
        library.tw_free(out)
        return code

    monkeypatch.setattr(library, "tw_launch", launch, raising=False)
    return found


def test_stock_triton(reports: list[dict[str, Any]], tmp_path: Path) -> None:
    kernel = bishengir(triton_scale(), tmp_path, TRITON_FLAGS)
    for n in (1, 2047, 2049, 100_003):
        data = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        got = hivmc_tools.launch(kernel, "scale", [data, np.zeros_like(data), n, 0.5], grid=(8, 1, 1))
        np.testing.assert_array_equal(got.arrays[1], data * np.float32(0.5))
    assert [r["findings"] for r in reports] == [[]] * 4


def test_stock_softmax(reports: list[dict[str, Any]], tmp_path: Path) -> None:
    kernel = bishengir(linalg_softmax(96, 300), tmp_path, LINALG_FLAGS)
    x = np.random.default_rng(0).standard_normal((96, 300)).astype(np.float32)
    hivmc_tools.launch(kernel, "softmax", [x, np.zeros_like(x)], blocks=40)
    assert [r["findings"] for r in reports] == [[]]


@pytest.mark.skipif(not os.environ.get("TILEWRIGHT_TEST_FULL"), reason="long; TILEWRIGHT_TEST_FULL=1")
def test_more_stock_kernels(reports: list[dict[str, Any]], tmp_path: Path) -> None:
    x = np.random.default_rng(0).standard_normal((8, 3136)).astype(np.float32)
    kernel = bishengir(strided_tile(8, 49, 3136), tmp_path / "tile", PLAIN_FLAGS)
    hivmc_tools.launch(kernel, "tile", [x, np.zeros_like(x)])
    x = np.ones((128, 200), np.float32)
    kernel = bishengir(linalg_reduce("arith.addf", "0.0", 128, 200, 0), tmp_path / "sum", LINALG_FLAGS)
    hivmc_tools.launch(kernel, "red", [x, np.zeros(200, np.float32)], blocks=40)
    x = np.ones(10_000, np.float32)
    kernel = bishengir(TRITON_ADAPTER_ADD, tmp_path / "add", TRITON_FLAGS)
    hivmc_tools.launch(kernel, "vecadd", [x, x, np.zeros_like(x), 10_000], grid=(10, 1, 1))
    assert [r["findings"] for r in reports] == [[]] * 3


def test_random_order_of_blocks(lib: ctypes.CDLL, kernel_object: Path) -> None:
    """Every seed runs all blocks once, and the report is the same; only the order differs."""
    kernel = Kernel(lib, kernel_object, "add")
    x = np.arange(100_003, dtype=np.float32)
    for seed in (0, 1, 2, 12345):
        y = np.zeros_like(x)
        report = observed(kernel, 25, add_args(x, y, 1, 25), [(x, 1), (y, 2)], random_seed=seed)
        assert hazards(report) == []
        np.testing.assert_array_equal(y, x + 1)
