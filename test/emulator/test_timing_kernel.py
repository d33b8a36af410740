"""Time mode on compiled kernels and on a hand-written one: reports, Chrome traces, limits."""

from __future__ import annotations

import ctypes
import json
import struct
import subprocess
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_launch import Kernel as Launcher
from test_launch import Range, add_args, kernel_object

import tilewright as tw
from tilewright import timing
from tilewright.ops import registry
from tilewright.timing import chrome
from tilewright.timing.model import options
from tilewright.timing.report import TimeReport

__all__ = ["kernel_object"]


def data(n: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(0).standard_normal(n, dtype=np.float32)


def timed(n: int, **more: Any) -> TimeReport:
    report = tw.compile(registry.get("elu")).time(data(n), time_options={"samples": 8, **more})
    assert report is not None
    return report


def test_report() -> None:
    report = timed(1_000_000)
    for cache in ("cold", "warm"):
        low, high = report.interval(cache)
        assert 0 < low <= report.us(cache) <= high
        part = report.data[cache]
        assert part["memory"]["read_bytes"] == pytest.approx(4e6, rel=0.01)
        assert part["memory"]["written_bytes"] == pytest.approx(4e6, rel=0.01)
        assert all(0 <= share <= 1 for share in part["busy"].values())
    assert report.us("warm") <= report.us("cold")
    roof = report.roofline()
    assert roof["memory_floor_us"] == pytest.approx(8e6 / 800e3, rel=0.01)
    text = str(report)
    assert "modelled" in text
    assert "nothing was measured on a device" in text
    assert json.loads(json.dumps(report.as_dict()))["cold"]["bound"] == report.bound()
    assert 0 < report.parallelism() < 3


def test_time_grows_with_the_data_and_respects_the_memory() -> None:
    times = [timed(n).us() for n in (100_000, 1_000_000, 10_000_000)]
    assert times == sorted(times)
    big = timed(16_000_000)
    # 128 MB through 800 GB/s, a quarter of the stores absorbed by L2 of 96 MiB at most.
    assert big.us() > 100
    assert big.data["cold"]["memory"]["utilisation"] <= 1 + 1e-6
    assert big.us("warm") == big.us("cold"), "more than L2 holds"


def test_slower_constants_give_more_time() -> None:
    kernel, x = tw.compile(registry.get("elu")), data(1_000_000)
    profile = timing.profile("Ascend910B4")
    usual = kernel.time(x, time_options={"samples": 0})
    slow = kernel.time(x, profile=profile.replaced({"clock_mhz": 750}), time_options={"samples": 0})
    assert usual is not None
    assert slow is not None
    assert slow.us() > 1.3 * usual.us()


def test_an_empty_call_has_no_time() -> None:
    assert tw.compile(registry.get("elu")).time(data(0)) is None


def check_trace(trace: dict[str, Any], cores: int) -> None:
    names, rows = dict[int, str](), defaultdict(dict[int, str])
    spans = defaultdict[tuple[int, int], list[tuple[float, float]]](list)
    for event in trace["traceEvents"]:
        if event["ph"] == "M":
            if event["name"] == "process_name":
                names[event["pid"]] = event["args"]["name"]
            elif event["name"] == "thread_name":
                rows[event["pid"]][event["tid"]] = event["args"]["name"]
            continue
        assert event["ph"] == "X"
        assert event["ts"] >= 0
        assert event["dur"] >= 0
        assert event["name"]
        assert rows[event["pid"]][event["tid"]] == event["cat"]
        spans[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    assert sorted(names) == list(range(cores))
    for core in names:
        assert list(rows[core].values()) == ["SCALAR", "VECTOR", "MTE2", "MTE3", "FLOWCTRL"]
        for row in range(5):  # a pipe does one thing at a time, and slices of a row must not overlap
            ordered = sorted(spans[core, row])
            assert all(a[1] <= b[0] + 2e-6 for a, b in pairwise(ordered)), (core, row)
        assert spans[core, 1]
        assert spans[core, 2]
        assert spans[core, 3]


def test_chrome_trace() -> None:
    report = timed(1_000_000, timeline_cores=3)
    trace = chrome.events(report)
    check_trace(trace, 3)
    assert trace["otherData"]["cut"] is False
    assert "modelled" in trace["otherData"]["note"]
    last = max(e["ts"] + e["dur"] for e in trace["traceEvents"] if e["ph"] == "X")
    assert last <= report.data["cold"]["slowest_core_us"] + 1
    assert last >= 0.9 * report.data["cold"]["core_us"]


def test_chrome_trace_is_bounded() -> None:
    trace = chrome.events(timed(1_000_000, timeline_cores=40, timeline_events=500))
    assert 250 < sum(e["ph"] == "X" for e in trace["traceEvents"]) <= 500
    assert trace["otherData"]["cut"] is True


def test_trace_command(tmp_path: Path) -> None:
    out = tmp_path / "trace.json"
    command = [sys.executable, "-m", "tilewright", "trace", "elu", "--shape", "300000", "--samples", "4"]
    done = subprocess.run(
        [*command, "-o", str(out), "--trace-cores", "2", "--cache", "warm", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert report["modelled"] is True
    assert "timeline" not in report
    trace = json.loads(out.read_text())
    check_trace(trace, 2)
    assert trace["otherData"]["cache"] == "warm"
    text = subprocess.run(
        [*command, "--constant", "clock_mhz=1650"], capture_output=True, text=True, check=True
    ).stdout
    assert "modelled" in text
    bad = subprocess.run([*command, "--constant", "clock=1"], capture_output=True, text=True, check=False)
    assert bad.returncode == 2
    assert "TW5201" in bad.stderr


def test_a_trace_that_is_too_long_is_an_error() -> None:
    with pytest.raises(tw.ExecutionError, match="max_steps") as caught:
        timed(1_000_000, max_steps=100)
    assert caught.value.code == "TW4103"


def test_a_wrong_option_is_an_error() -> None:
    with pytest.raises(tw.ExecutionError) as caught:
        timed(1000, nonsense=1)
    assert caught.value.code == "TW4003"


def test_results_are_those_of_the_fast_mode_and_blocks_may_be_many(
    lib: ctypes.CDLL, kernel_object: Path
) -> None:
    kernel = Launcher(lib, kernel_object, "add")
    x = data(200_000)
    y = np.empty_like(x)
    request = json.dumps(options(timing.profile("Ascend910B4"), samples=4)).encode()
    for blocks in (1, 40, 65536):
        y[:] = 0
        args = add_args(x, y, 1.5, blocks)
        ranges = (Range * 2)(Range(x.ctypes.data, x.nbytes, 1, 0), Range(y.ctypes.data, y.nbytes, 2, 0))
        report, error = ctypes.c_void_p(), ctypes.create_string_buffer(600)
        code = lib.tw_launch_observed(
            kernel.handle, ctypes.c_uint32(blocks), args, ctypes.c_size_t(len(args)), ranges,
            ctypes.c_size_t(2), ctypes.c_uint32(0), ctypes.c_uint32(2), request, None,
            ctypes.byref(report), error,
            ctypes.c_size_t(600),
        )  # fmt: skip
        assert code == 0, error.value
        found = json.loads(ctypes.string_at(report.value or 0))
        lib.tw_free(report)
        assert (y == x + np.float32(1.5)).all()
        assert found["blocks"] == blocks
        assert found["trace"]["different_blocks"] <= 3
        assert found["cold"]["memory"]["read_bytes"] == pytest.approx(x.nbytes, rel=1e-5)
    kernel.close()


def test_a_failed_launch_has_no_time(lib: ctypes.CDLL, kernel_object: Path) -> None:
    kernel = Launcher(lib, kernel_object, "fail")
    report, error = ctypes.c_void_p(), ctypes.create_string_buffer(600)
    request = json.dumps(options(timing.profile("Ascend910B4"))).encode()
    args = struct.pack("q", 2)
    code = lib.tw_launch_observed(
        kernel.handle, ctypes.c_uint32(4), args, ctypes.c_size_t(len(args)), None, ctypes.c_size_t(0),
        ctypes.c_uint32(0), ctypes.c_uint32(2), request, None, ctypes.byref(report), error,
        ctypes.c_size_t(600),
    )  # fmt: skip
    assert code == 4014
    assert json.loads(ctypes.string_at(report.value or 0))["error"] == "launch"
    lib.tw_free(report)
    kernel.close()
