"""The page and the Chrome trace of a modelled launch in a real headless Chromium; UB over time."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tilewright")

from hivmc_tools import missing_tools

import tilewright as tw
from tilewright import samples
from tilewright.cli.main import main
from tilewright.ops import registry
from tilewright.timing import chrome, occupancy, page
from tilewright.timing.occupancy import Lifetime
from tilewright.timing.report import TimeReport

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

_BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
BROWSER = next((path for name in _BROWSERS if (path := shutil.which(name))), None)


def browser(*words: str) -> str:
    """Run the browser without a network; what it prints."""
    if BROWSER is None:
        if os.environ.get("CI"):
            pytest.fail("CI needs a Chromium: ./dev test installs it")
        pytest.skip("no Chromium is installed; ./dev test installs it")
    done = subprocess.run(
        [
            BROWSER,
            *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            "--host-resolver-rules=MAP * ~NOTFOUND",
            "--virtual-time-budget=4000",
            *words,
        ],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.fixture(scope="module")
def report() -> TimeReport:
    op = registry.get("elu_backward")
    inputs = samples.random_inputs(op, (1_000_003,), "f32", seed=1)
    options = {"samples": 4, "timeline_cores": 3, "timeline_events": 100_000}
    made = tw.compile(op).time(time_options=options, **inputs)
    assert made is not None
    return made


def pixels(png: Path) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Height x width x 3 of an 8-bit RGB or RGBA picture."""
    import struct
    import zlib

    data = png.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    width = height = channels = 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack_from(">IIBB", body)
            assert depth == 8
            channels = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    raw = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + width * channels)
    picture = np.zeros((height, width * channels), np.uint8)
    before = np.zeros(width * channels, np.int32)
    for y in range(height):
        row = raw[y, 1:].astype(np.int32)
        filtering = raw[y, 0]
        if filtering == 2:
            row = (row + before) & 255
        elif filtering in (1, 3, 4):
            for i in range(len(row)):
                a = row[i - channels] if i >= channels else 0
                b = before[i]
                c = before[i - channels] if i >= channels else 0
                if filtering == 1:
                    guess = a
                elif filtering == 3:
                    guess = (a + b) // 2
                else:
                    p = a + b - c
                    guess = min((a, b, c), key=lambda v: abs(p - v))
                row[i] = (row[i] + guess) & 255
        picture[y], before = row, row
    return picture.reshape(height, width, channels)[:, :, :3]


def test_page_in_a_browser(report: TimeReport, tmp_path: Path) -> None:
    """It draws without an error and without a network, and shows every event of the trace."""
    file = tmp_path / "page.html"
    file.write_text(page.html(report), encoding="utf-8")
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)\s*=|https?://|@import|fetch\(|XMLHttp", text), "needs a network"
    dom = browser("--dump-dom", file.as_uri())
    body = re.search(r"<body[^>]*>", dom)
    assert body is not None
    assert "data-error" not in body[0]
    events = [e for e in chrome.events(report)["traceEvents"] if e["ph"] == "X"]
    first = sum(e["pid"] == 0 for e in events)
    lives = len(occupancy.lifetimes(report, 0))
    assert f'data-drawn="{first} events, {lives} lifetimes"' in body[0]
    for core in range(3):
        assert f"core {core}" in dom
    assert "nothing was measured on a device" in dom
    assert f"{report.us():.2f} us" in dom


def test_trace_in_a_browser(report: TimeReport, tmp_path: Path) -> None:
    """The trace file, parsed by the browser: the events that it holds, by row, and no overlap in a row."""
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps(chrome.events(report)), encoding="utf-8")
    viewer = tmp_path / "viewer.html"
    viewer.write_text(f"""<!doctype html><meta charset="utf-8"><pre id="out"></pre><script>
      const trace = JSON.parse({json.dumps(trace.read_text(encoding="utf-8"))});
      const count = {{}}, last = {{}};
      let overlap = 0;
      const names = {{}};
      for (const e of trace.traceEvents)
        if (e.ph === "M" && e.name === "thread_name") names[e.pid + "/" + e.tid] = e.args.name;
      for (const e of trace.traceEvents.filter(e => e.ph === "X").sort((a, b) => a.ts - b.ts)) {{
        const row = e.pid + "/" + e.tid;
        count[names[row]] = (count[names[row]] || 0) + 1;
        if (e.ts < (last[row] ?? -1) - 1e-5) overlap++;
        last[row] = e.ts + e.dur;
      }}
      const seen = {{ count, overlap, unit: trace.displayTimeUnit }};
      document.getElementById("out").textContent = JSON.stringify(seen);
    </script>""", encoding="utf-8")  # fmt: skip
    dom = browser("--dump-dom", viewer.as_uri())
    found = re.search(r'<pre id="out">(.*?)</pre>', dom)
    assert found is not None
    seen = json.loads(unescape(found[1]))
    events = [e for e in chrome.events(report)["traceEvents"] if e["ph"] == "X"]
    assert set(seen["count"]) == {"SCALAR", "VECTOR", "MTE2", "MTE3", "FLOWCTRL"}
    assert sum(seen["count"].values()) == len(events)
    assert seen["overlap"] == 0
    assert seen["unit"] == "ns"


def test_picture(report: TimeReport, tmp_path: Path) -> None:
    """Pixels: each pipe has its colour in its row, and the buffer shows what pipes wrote."""
    file, png = tmp_path / "page.html", tmp_path / "page.png"
    file.write_text(page.html(report), encoding="utf-8")
    browser("--window-size=1200,1000", f"--screenshot={png}", file.as_uri())
    shown = pixels(png).astype(int)

    def where(colour: str) -> np.ndarray[Any, Any]:
        wanted = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)])
        return np.argwhere(np.abs(shown - wanted).sum(2) <= 6)

    places = {"VECTOR": where("#2f6fde"), "MTE2": where("#1f9d72"), "MTE3": where("#d9822b")}
    for name, at in places.items():
        assert len(at) > 100, name
    # Rows are one below another in the order of the legend.
    tops = [int(np.min(places[name][:, 0])) for name in ("VECTOR", "MTE2", "MTE3")]
    assert tops == sorted(tops)
    assert tops[1] - tops[0] == pytest.approx(30, abs=3)
    # Bars of the buffer: the colour of their pipe, mixed with white.
    assert len(where("#57b695")) > 1000  # written by loads
    assert len(where("#6393e6")) > 1000  # written by V


def test_lifetimes(report: TimeReport) -> None:
    """Every tile: two loads that live until V has read them, results until MTE3 has stored them."""
    lives = occupancy.lifetimes(report)
    loads = [one for one in lives if one.row == "MTE2"]
    steps: Any = report.data["timeline"]["steps"]
    stores = [s for s in report.data["timeline"]["segments"] if s[0] == 0 and s[2] == 3]
    assert len(loads) == 2 * len(stores)
    assert all(one.readers >= 1 and one.stop > one.start for one in loads)
    assert max(one.end for one in lives) <= occupancy.UB_BYTES
    for segment in stores:
        begin, end, write = steps[segment[3]]["ub"][0]
        assert not write
        finish = (segment[4] + segment[5]) / report.profile.value("clock_mhz")
        assert any(one.begin <= begin and end <= one.end and one.stop >= finish - 1e-9 for one in lives)
    peak = max(size for _, size in occupancy.live_bytes(lives))
    assert max(one.end - one.begin for one in lives) < peak < occupancy.UB_BYTES


def test_live_bytes_count_shared_bytes_once() -> None:
    def live(begin: int, end: int, start: float, stop: float) -> Lifetime:
        return Lifetime(begin, end, start, stop, "x", "VECTOR", 0)

    lives = [live(0, 100, 0, 4), live(50, 150, 1, 2), live(400, 500, 1, 3)]
    assert occupancy.live_bytes(lives) == [(0, 100), (1, 250), (2, 200), (3, 100), (4, 0)]
    assert occupancy.live_bytes([]) == []


def test_command_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "page.html"
    assert main(["trace", "elu", "--shape", "20000", "--samples", "0", "--html", str(file)]) == 0
    assert "page of 4 cores" in capsys.readouterr().out
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main(["trace", "elu", "--shape", "20", "--html", str(tmp_path / "no" / "page.html")]) == 2
    assert "TW5007" in capsys.readouterr().err

    words = ["ub", "elu_backward", "--shape", "100003"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "of 196608 bytes" in text
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["mean_live_bytes"] <= data["peak_live_bytes"] <= data["reserved_bytes"] <= data["ub_bytes"]
    assert {"MTE2", "VECTOR"} <= {row for buffer in data["buffers"] for row in buffer["writers"]}
    assert main(["ub", "elu", "--shape", "0"]) == 0
