"""The contest: its rows, how it decides, what it reports; a side without right values never counts."""

from __future__ import annotations

import ast
import csv
import dataclasses
import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import runtime, targets, timing
from tilewright.ascendc.validate import OPERATORS
from tilewright.cli.main import main
from tilewright.contest import picture, report, rows, sides, static_linalg, suite, verdict
from tilewright.contest.run import run, run_row, subject, summary
from tilewright.contest.sides import Side
from tilewright.contest.suite import Row

DEVICE = targets.get(targets.DEFAULT)
PROFILE = timing.profile(DEVICE)
PUBLISHED = Path(__file__).parents[1] / "data" / "published_cases.tsv"

NORM = Row("batch_norm_backward", "f32", (6, 5, 9, 7), "test", {}, ("weight",))
BCE = Row("binary_cross_entropy_backward", "f16", (300,), "test", {"reduction": "mean"}, ("weight",))
ELU = Row("elu_backward", "f32", (70_000,), "test")


# ---- the rows ----


def test_the_full_suite_has_what_was_asked_for() -> None:
    full, small = rows("full"), rows("small")
    assert len(full) >= 60
    assert len(set(map(repr, full))) == len(full)
    assert 10 <= len(small) <= 14
    assert set(map(repr, small)) < set(map(repr, full))
    assert {row.op for row in full} == set(OPERATORS), "every reference takes part"
    for kind in ("norm", "elementwise"):
        assert {row.dtype for row in full if row.kind == kind} == {"f32", "f16", "bf16"}
    sources = {row.source for row in full}
    assert {suite.RESNET, suite.UNET, suite.MOBILE, suite.BERT, suite.CTR} <= sources
    sizes = {math.prod(row.shape) for row in full}
    assert {1, 64 << 20} <= sizes
    shapes = {row.shape for row in full if row.kind == "norm"}
    assert (32, 2048, 7, 7) in shapes
    assert any(len(shape) == 2 for shape in shapes)
    assert any(shape[1] == 1 and math.prod(shape) > 1 for shape in shapes)
    assert max(math.prod(row.shape) for row in small) < 4 << 20


def test_published_rows_are_those_of_the_table() -> None:
    with PUBLISHED.open(newline="", encoding="utf-8") as file:
        table = {case["case"]: case for case in csv.DictReader(file, delimiter="\t")}
    named = [row for row in rows("full") if row.source.startswith("case ")]
    assert len(named) >= 20
    long = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
    for row in named:
        case = table[row.source.removeprefix("case ")]
        assert tuple(ast.literal_eval(case["input0_shape"])) == row.shape, row
        assert ast.literal_eval(case["input_dtypes"])[0] == long[row.dtype], row
        attributes = ast.literal_eval(case["attributes"])
        if "training" in row.attributes:
            assert attributes["is_training"] == row.attributes["training"], row
        if row.op.startswith("batch_norm_backward"):
            assert attributes["is_training"] == (row.op == "batch_norm_backward"), row
        if "reduction" in row.attributes:
            assert attributes["reduction"] == row.attributes["reduction"], row


# ---- the verdict ----


def _side(us: float, samples: list[float], passed: bool = True) -> Side:
    return Side(us=us, interval=(us, us), samples=samples, passed=passed, timer=lambda _: us)


def test_verdicts() -> None:
    slow = _side(10, [11, 9])
    assert verdict.decide(_side(5, [6, 5]), slow, PROFILE).winner == "ours"
    assert verdict.decide(_side(20, [22, 19]), slow, PROFILE).winner == "reference"
    near = verdict.decide(_side(10.15, [12, 10]), slow, PROFILE)
    assert (near.winner, near.turned_by) == ("tie", ""), "within 2 %"
    turned = verdict.decide(_side(8, [7, 9.5]), slow, PROFILE)
    assert (turned.winner, turned.turned_by) == ("tie", "several")
    assert (turned.low, turned.high) == (7 / 11, 9.5 / 9)


def test_a_side_without_right_values_is_not_compared() -> None:
    slow = _side(10, [11, 9])
    for other in (_side(5, [6, 5], passed=False), Side(reason="refused")):
        assert verdict.decide(other, slow, PROFILE).winner == "none"
        assert verdict.decide(slow, other, PROFILE).winner == "none"


def test_the_end_of_one_constants_range_makes_a_tie() -> None:
    """The hypercube may miss the corner; the ends of each range are tried where it is close."""

    def timer(profile: timing.Profile) -> float:
        return 9.5 + 10 * (profile.value("flag") - PROFILE.value("flag")) / PROFILE.value("flag")

    close = Side(us=9.5, samples=[9.4, 9.6], passed=True, timer=timer)
    slow = _side(10, [10, 10])
    found = verdict.decide(close, slow, PROFILE)
    assert (found.winner, found.turned_by) == ("tie", "flag")
    assert verdict.decide(close, slow, PROFILE, ends=False).winner == "ours"
    far = Side(us=5, samples=[5, 5], passed=True, timer=timer)
    assert verdict.decide(far, slow, PROFILE).winner == "ours"


def test_summary_counts_what_can_be_compared() -> None:
    def row(kind: str, ours: float, theirs: float | None, auto: float | None, winner: str) -> dict[str, Any]:
        return {
            "class": kind, "ours_us": ours, "reference_us": theirs, "auto_us": auto, "verdict": winner,
        }  # fmt: skip

    found = summary(
        [
            row("norm", 1.0, 4.0, 2.0, "ours"), row("norm", 4.0, 4.0, None, "tie"),
            row("elementwise", 2.0, 1.0, 4.0, "reference"), row("elementwise", 1.0, None, None, "none"),
        ]
    )  # fmt: skip
    assert found["geomean"] == pytest.approx({"norm": 0.5, "elementwise": 2.0, "auto": 0.5})
    assert found["compared"] == {"norm": 2, "elementwise": 1, "auto": 2}
    assert found["slower_rows"] == [2]
    assert {name: bound["met"] for name, bound in found["bounds"].items()} == {
        "norm": True, "elementwise": False, "auto": True,
    }  # fmt: skip


# ---- the sides ----


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return run(chosen=[NORM, BCE, ELU])


def test_rows_have_all_three_sides(found: dict[str, Any]) -> None:
    assert [row["class"] for row in found["rows"]] == ["norm", "elementwise", "elementwise"]
    for row in found["rows"]:
        for name in ("ours", "reference", "auto"):
            side = row["sides"][name]
            assert side["passed"] is True, (row["label"], name)
            assert side["hazards"] == 0, (row["label"], name)
            assert side["max_rel_err"] >= 0
            low, high = side["interval_us"]
            assert low <= side["us"] == row[f"{name}_us"] <= high
            assert 0 < side["ub_bytes"] <= 196_608
            assert 1 <= side["cores"] <= 40
            elements = math.prod(row["shape"])
            assert side["gm_write_bytes"] >= elements * (2 if row["dtype"] == "f16" else 4)
        ratio = row["ratio"]
        assert ratio["low"] <= ratio["ratio"] == row["ours_us"] / row["reference_us"] <= ratio["high"]
        turned = (ratio["low"] - 1) * (ratio["high"] - 1) <= 0
        assert (row["verdict"] == "tie") == (turned or abs(ratio["ratio"] - 1) <= verdict.MARGIN)
    means = found["geomean"]
    assert means["norm"] == pytest.approx(found["rows"][0]["ratio"]["ratio"])
    assert means["auto"] == pytest.approx(
        math.prod(r["ours_us"] / r["auto_us"] for r in found["rows"]) ** (1 / 3)
    )


def test_data_lies_where_a_device_would_put_it() -> None:
    """Off the grid of 512 bytes transfers are slower, and NumPy's arrays lie anywhere."""
    for row in (NORM, BCE, ELU):
        call = subject(row, DEVICE)
        assert {runtime.address(array) % 512 for array in call.binding.inputs} == {0}


def test_equal_kernels_tie() -> None:
    """Sets of constants belong together: a kernel against itself has the ratio 1 under each of them."""
    call = subject(ELU, DEVICE)
    first, second = sides.ours(call), sides.ours(call)
    assert len(first.samples) == sides.TIMING["samples"]
    assert first.samples == second.samples
    decided = verdict.decide(first, second, PROFILE)
    assert (decided.winner, decided.ratio, decided.low, decided.high) == ("tie", 1.0, 1.0, 1.0)


def test_a_stopped_automatic_schedule_gives_its_reason() -> None:
    """The reductions that the stock compiler makes of this shape stop in an assertion of its library."""
    row = Row("batch_norm_backward", "f32", (80, 4, 31, 12), "test", {}, ("weight",))
    made = run_row(row, DEVICE)
    assert made["auto_us"] is None
    assert made["auto_reason"].startswith("TW4014")
    assert made["verdict"] in ("ours", "reference", "tie")


def test_an_automatic_schedule_beyond_ub_gives_its_reason() -> None:
    row = Row("binary_cross_entropy_with_logits_backward", "f16", (4096, 1), "test", {"reduction": "mean"})
    made = sides.automatic(subject(row, DEVICE))
    assert made.us is None
    assert made.reason.startswith("TW3015")


def test_wrong_values_do_not_count() -> None:
    call = subject(BCE, DEVICE)
    moved = [dataclasses.replace(e, value=e.value + 1.0) for e in call.expected]
    wrong = dataclasses.replace(call, expected=moved)
    for side in (sides.ours(wrong), sides.handwritten(wrong), sides.automatic(wrong)):
        assert side.us is not None
        assert side.passed is False
        assert not side.counts
    assert "wrong" in sides.automatic(wrong).reason


@pytest.mark.parametrize(
    ("op", "shape", "attributes", "present"),
    [
        ("batch_norm", (3, 1, 5), {"training": True}, ("weight", "bias", "running_mean", "running_var")),
        ("batch_norm", (9, 33), {"training": True}, ("weight", "bias", "running_mean", "running_var")),
        ("batch_norm_backward_frozen", (1, 40, 6, 6), {}, ("weight",)),
        ("binary_cross_entropy_backward", (1,), {"reduction": "mean"}, ()),
        ("softmax", (20, 48), {}, ()),
        ("sigmoid_cross_entropy_backward_from_probability", (7, 11), {"reduction": "none"}, ("weight",)),
    ],
)
def test_static_linalg_means_the_same(
    op: str, shape: tuple[int, ...], attributes: dict[str, Any], present: tuple[str, ...]
) -> None:
    """One channel, one axis, one element, maxima: the stock compiler's kernel has our operator's values."""
    call = subject(Row(op, "f32", shape, "test", attributes, present), DEVICE)
    text = static_linalg.write(call.binding)
    assert "?" not in text, "every extent is a constant"
    made = sides.automatic(call)
    assert made.passed is True, made.reason


# ---- reports ----


def test_markdown_and_picture(found: dict[str, Any]) -> None:
    page = f"# Title\n\n{report.BEGIN}\nold\n{report.END}\n\nafter\n"
    text = report.markdown(found, page)
    assert text.startswith("# Title\n")
    assert text.endswith(f"{report.END}\n\nafter\n")
    assert "old" not in text
    assert report.markdown(found, text) == text, "again gives the same"
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(lines) == len(found["rows"]) + 2 * 2
    assert len({line.count("|") for line in lines}) == 1
    assert "6x5x9x7" in text
    assert "nothing ran on a device" in text
    root = ElementTree.fromstring(picture.svg(found))
    circles = [e for e in root.iter() if e.tag.endswith("circle")]
    assert len(circles) == len(found["rows"]) + 3, "one a row, and the legend"


def test_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(suite, "ALL", (dataclasses.replace(ELU, small=True), NORM))
    page, drawing = tmp_path / "contest.md", tmp_path / "contest.svg"
    words = ["bench", "contest", "--json", "--markdown", str(page), "--picture", str(drawing)]
    assert main(words) == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert [row["op"] for row in printed["rows"]] == ["elu_backward"]
    assert {"norm", "elementwise", "auto"} == set(printed["geomean"])
    assert printed["geomean"]["norm"] is None
    assert "1/1 elu_backward" in captured.err
    assert "70000" in page.read_text()
    assert drawing.read_text().startswith("<svg")
    assert main(["bench", "contest"]) == 0
    assert "geometric mean" in capsys.readouterr().out


def test_command_refuses_what_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "contest", "--markdown", str(tmp_path / "no" / "x.md"), "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["code"] == "TW5007"
    assert main(["bench", "race"]) == 2
    assert "TW5005" in capsys.readouterr().err


def test_wrong_values_of_ours_are_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(suite, "ALL", (dataclasses.replace(BCE, small=True),))
    judge = Side.judge

    def spoilt(self: Side, results: Any, expected: Any, types: Any) -> None:
        judge(self, [None if r is None else np.full_like(r, 7) for r in results], expected, types)

    monkeypatch.setattr(Side, "judge", spoilt)
    assert main(["bench", "contest", "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["verdict"] == "none"
    assert row["auto_us"] is None
