"""The model reproduces published measurements as its protocol asks; tests that others would not pass."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

import tilewright as tw
from tilewright import timing
from tilewright.timing import calibrate, profiles
from tilewright.timing.calibrate import Calibration, Comparison

DATA = Path(__file__).resolve().parents[1] / "data" / "timing"


@pytest.fixture(scope="module")
def result() -> Calibration:
    return calibrate.calibrate(DATA)


@pytest.fixture(scope="module")
def bounded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Only the rows that have a bound; of the tile additions every fifth."""
    folder = tmp_path_factory.mktemp("figures")
    for name in ("case_studies.csv", "tadd_tile_cycles.csv"):
        header, *lines = (DATA / name).read_text(encoding="utf-8").splitlines(keepends=True)
        kept = (
            lines[::5]
            if name.startswith("tadd")
            else [line for line in lines if not line.startswith(("data_copy", "add_high_performance,0"))]
        )
        (folder / name).write_text("".join([header, *kept]), encoding="utf-8")
    return folder


def part(result: Calibration, group: str) -> list[Comparison]:
    found = result.groups()[group]
    assert found
    return found


def test_bank_scenarios_within_10_percent(result: Calibration) -> None:
    found = part(result, "bank_conflict_ub")
    assert len(found) == 4
    assert all(abs(c.error) <= 0.10 for c in found)


@pytest.mark.parametrize("quantity", ["task", "core"])
def test_add_cases_within_15_percent(result: Calibration, quantity: str) -> None:
    found = part(result, f"add_high_performance {quantity}")
    assert {"0", "1", "2", "3"} <= {c.case for c in found}
    assert all(abs(c.error) <= 0.15 for c in found)


def test_tile_additions_mean_error_below_10_percent(result: Calibration) -> None:
    found = part(result, "tadd_tile_cycles")
    assert len(found) == 270
    assert result.summary()["tadd_tile_cycles"]["mean_error"] < 0.10


def test_slope_of_tile_additions(result: Calibration) -> None:
    """Two cycles per repeat with conflicting operands: 2.0 within 0.05, by least squares."""
    rows = list(csv.DictReader((DATA / "tadd_tile_cycles.csv").open(encoding="utf-8")))
    full = {"half": 128, "int16": 128, "float": 64, "int32": 64}
    points = [
        (int(row["vec_block"]), c.modelled, c.measured)
        for row, c in zip(rows, part(result, "tadd_tile_cycles"), strict=True)
        if int(row["cols"]) % full[row["dtype"]] == 0
    ]
    mean = sum(r for r, _, _ in points) / len(points)
    spread = sum((r - mean) ** 2 for r, _, _ in points)
    modelled, measured = (sum((p[0] - mean) * p[i] for p in points) / spread for i in (1, 2))
    assert modelled == pytest.approx(2.0, abs=0.05)
    assert measured == pytest.approx(modelled, abs=0.05)


def test_copies(result: Calibration) -> None:
    for quantity in ("task", "MTE2"):
        assert all(abs(c.error) < 0.06 for c in part(result, f"data_copy_gm_to_ub {quantity}"))


def test_every_row_is_replayed_or_explained(result: Calibration) -> None:
    rows = sum(len(list(csv.DictReader(path.open(encoding="utf-8")))) for path in DATA.glob("*.csv"))
    groups = result.groups()
    single = ("tadd_tile_cycles", "pto_tile_cycles", "bank_conflict_ub")
    # Case studies compare several times of a row, library operators compare cold and warm.
    studies = {
        (c.group.split(" ")[0], c.case)
        for c in result.comparisons
        if c.group.startswith(("add_high_performance ", "data_copy_gm_to_ub "))
    }
    library = sum(len(group) for name, group in groups.items() if name.endswith(", cold"))
    replayed = sum(len(groups[name]) for name in single) + len(studies) + library
    assert replayed + len(result.skipped) == rows
    assert library
    assert all(s.reason for s in result.skipped)


def test_library_operators_are_near(result: Calibration) -> None:
    """Others' kernels with another tiling: no equality, but the same order of magnitude."""
    for name, group in result.groups().items():
        if name.startswith("library"):
            assert all(0.3 < c.modelled / c.measured < 2 for c in group)
    cold = result.summary()["library on 910B4-1, cold"]
    assert cold["mean_error"] < 0.26, "the published baseline's leave-one-out error"


def test_installed_figures_are_those_of_the_sources() -> None:
    for path in DATA.glob("*.csv"):
        assert (calibrate.default_folder() / path.name).read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"vector_overhead": 60.0},
        {"clock_mhz": 1500.0},
        {"mte2_latency_gm": 1200.0},
        {"hbm_gb_s": 1200.0},
        {"gm_read_efficiency": 0.5, "gm_mixed_efficiency": 0.5},
        {"mask_floor": 80.0},
    ],
)
def test_other_constants_do_not_pass(bounded: Path, change: dict[str, float]) -> None:
    profile = timing.profile(profiles.CALIBRATION)
    assert calibrate.calibrate(bounded, profile).passed
    assert not calibrate.calibrate(bounded, profile.replaced(change)).passed


def test_another_folder(tmp_path: Path) -> None:
    """Rows of the same form in another folder: other strides, double buffering, a hint, an unknown suite."""
    with (DATA / "case_studies.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    add = next(r for r in rows if r["suite"] == "add_high_performance" and r["case"] == "3")
    bank = next(r for r in rows if r["suite"] == "bank_conflict_ub")
    double = {**add, "case": "d", "buffering": "double", "ub_src0_pong": "0x18000", "ub_src1_pong": "0x20000",
              "ub_dst_pong": "0x28000", "elems_per_copy": "8192"}  # fmt: skip
    hinted = {**double, "case": "h", "l2_hint_inputs": "disabled"}
    strided = {**bank, "case": "s", "src0_blk_stride": "16", "src0_rep_stride": "0", "ticks_50MHz": "2200"}
    half = {**bank, "case": "m", "mask": "32", "ticks_50MHz": "2800"}
    unknown = {**bank, "suite": "matmul"}
    broken = {**bank, "ub_src0": "?"}
    with (tmp_path / "case_studies.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows([add, double, hinted, strided, half, unknown, broken])
    result = calibrate.calibrate(tmp_path)
    task = {c.case: c.modelled for c in result.groups()["add_high_performance task"]}
    assert task["d"] < task["3"] * 1.05, "double buffering is not slower, with half the copies' size"
    assert task["h"] <= task["d"], "inputs that leave no trace in L2 evict nothing"
    bank_us = {c.case: c.modelled for c in result.groups()["bank_conflict_ub"]}
    assert bank_us["s"] == pytest.approx(1000 * (24 + 8 + 63) / 1850, rel=0.01), "read once, in eight cycles"
    assert bank_us["m"] == pytest.approx(1000 * (24 + 64 + 16) / 1850, rel=0.01)
    assert len(result.skipped) == 2


def test_no_data(tmp_path: Path) -> None:
    with pytest.raises(tw.UsageError) as caught:
        calibrate.calibrate(tmp_path)
    assert caught.value.code == "TW5202"
    (tmp_path / "case_studies.csv").write_bytes(b"suite,case\n\xff\xfe,1\n")
    with pytest.raises(tw.UsageError) as caught:
        calibrate.calibrate(tmp_path)
    assert caught.value.code == "TW5202"


def test_command_line() -> None:
    command = [sys.executable, "-m", "tilewright", "calibrate"]
    done = subprocess.run(
        [*command, "--json", "--data", str(DATA)], capture_output=True, text=True, check=True
    )
    report = json.loads(done.stdout)
    assert report["passed"] is True
    assert len(report["points"]) > 300
    assert "modelled" in report["note"]
    table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "modelled" in table
    assert "bank_conflict_ub" in table
    assert "measured nothing on a device" in table
