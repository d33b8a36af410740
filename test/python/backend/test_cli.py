"""The command line: JSON, exit statuses, and that bad input writes nothing."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright import native, settings, targets
from tilewright.cli import main


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tilewright", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def ok(*words: str, status: int = 0, **environment: str) -> dict[str, Any]:
    """The JSON object that a command prints."""
    done = run(*words, "--json", **environment)
    assert done.returncode == status, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """The JSON error of a refused command: exit status 2, and the same error as text without --json."""
    assert main([*words, "--json"]) == 2
    error: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert main(list(words)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"{error['code']}: {error['error']}")
    return error


def test_ops() -> None:
    listed = {op["name"]: op for op in ok("ops")["operators"]}
    assert {"elu_backward", "binary_cross_entropy_backward"} <= listed.keys()
    assert ok("ops", "elu_backward")["signature"] == listed["elu_backward"]["signature"]
    text = run("ops").stdout
    assert all(name in text for name in listed)


def test_operators_with_updates_and_optional_results() -> None:
    described = ok("ops", "batch_norm")
    assert [r["written_over"] for r in described["results"]] == [
        None,
        None,
        None,
        "running_mean",
        "running_var",
    ]
    assert [r["optional"] for r in described["results"]] == [False, True, True, True, True]
    assert "written over running_mean" in run("ops", "batch_norm").stdout
    [mask] = [a for a in ok("ops", "batch_norm_backward")["attributes"] if a["name"] == "output_mask"]
    assert mask["kind"] == "tuple of 3 bools"
    assert mask["default"] == [True, True, True]
    # The comparison is with the running statistics as they were before the call.
    words = ("run", "batch_norm", "--shape", "4,3,5", "--attr", "training=true", "--dtype", "f16")
    assert ok(*words, "--with", "running_mean", "--with", "running_var")["passed"]
    assert ok("run", "batch_norm_backward", "--shape", "0,3")["passed"]
    assert ok("run", "batch_norm_gather_stats_with_counts", "--shape", "4,3")["passed"]


def test_run(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs.npz"
    words = ("run", "elu_backward", "--shape", "3,1001", "--attr", "alpha=1.5", "--outputs", str(outputs))
    first = ok(*words)
    assert first["passed"] is True
    assert first["max_rel_err"] <= 2e-6
    assert first["gm_write_bytes"] == 3003 * 4
    assert first["gm_read_bytes"] == 2 * 3003 * 4
    assert 0 < first["ub_bytes"] <= targets.get("Ascend910B4").ub_usable_bytes
    assert first["cores"] == 24  # ceil(3003 * 4 / 512) blocks
    assert first["instructions"] > 0
    assert first["cache_hit"] is False
    assert len(first["binary_key"]) == 64
    assert first["attributes"] == {"alpha": 1.5}
    with np.load(outputs) as archive:
        stored = archive["out0"]
    assert stored.shape == (3, 1001)
    again = ok(*words)
    assert again["cache_hit"] is True
    assert again["binary_key"] == first["binary_key"]
    with np.load(outputs) as archive:
        assert np.array_equal(archive["out0"], stored)


def test_run_takes_inputs_from_a_file(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    x, g = rng.standard_normal((2, 5, 7)).astype(np.float32)
    np.savez(tmp_path / "in.npz", grad_output=g, self_or_result=x)
    outputs = tmp_path / "out.npz"
    words = ("run", "elu_backward", "--inputs", str(tmp_path / "in.npz"), "--outputs", str(outputs))
    assert ok(*words)["shape"] == [5, 7]
    with np.load(outputs) as archive:
        np.testing.assert_allclose(archive["out0"], g * np.where(x > 0, 1, np.exp(x)), rtol=2e-6)


def test_run_with_options() -> None:
    name = "binary_cross_entropy_with_logits_backward"
    words = ("run", name, "--shape", "32,64", "--with", "weight", "--shape-of", "pos_weight=64")
    result = ok(*words, "--dtype", "bf16", "--attr", "reduction=none", "--target", "910B1")
    assert result["passed"] is True
    assert result["target"] == "Ascend910B1"
    assert result["shapes"]["pos_weight"] == [64]
    assert result["shapes"]["weight"] == [32, 64]


@pytest.mark.parametrize("shape", ["0", "4,0,3", "", "1"])
def test_run_empty_and_tiny(shape: str) -> None:
    result = ok("run", "elu_backward", "--shape", shape)
    assert result["passed"] is True
    assert result["cores"] == (0 if "0" in shape else 1)


def test_a_failed_comparison_is_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tilewright.kernel import Kernel

    honest = Kernel.run

    def wrong(self: Kernel, *args: Any, **kwargs: Any) -> Any:
        outcome = honest(self, *args, **kwargs)
        outcome.outputs[0][5] *= np.float32(1.001)
        return outcome

    monkeypatch.setattr(Kernel, "run", wrong)
    assert main(["run", "elu_backward", "--shape", "1000", "--json"]) == 1
    result = json.loads(capsys.readouterr().out)
    assert result["passed"] is False
    assert 9e-4 < result["max_rel_err"] < 1.1e-3


def test_compile_saves_every_stage(tmp_path: Path, cache_folder: Path) -> None:
    folder = tmp_path / "stages"
    result = ok("compile", "elu_backward", "-o", str(folder), "--save-stages")
    names = sorted(path.name for path in folder.iterdir())
    assert names == result["files"]
    assert names[:7] == [
        "00-linalg.mlir",
        "01-tw-normalize-iteration.mlir",
        "02-tw-partition-channels.mlir",
        "03-tw-tile-to-ub.mlir",
        "04-tw-convert-to-hivm.mlir",
        "05-tw-double-buffer.mlir",
        "06-hivm.mlir",
    ]
    assert names[7:] == ["07-module.hivm.opt.mlir", "kernel.o", "metadata.json"]
    assert "linalg.generic" in (folder / names[0]).read_text()
    assert "hivm.hir.load" in (folder / names[6]).read_text()
    assert "tw." not in (folder / names[6]).read_text()
    assert "hivm.hir.load" not in (folder / names[7]).read_text()
    assert (folder / "kernel.o").read_bytes()[:4] == b"\x7fELF"
    metadata = json.loads((folder / "metadata.json").read_text())
    assert metadata["key"] == result["binary_key"]


def test_compiling_ahead_of_time_serves_later_calls(tmp_path: Path) -> None:
    compiled = ok("compile", "elu_backward", "-o", str(tmp_path / "o"), "--dtype", "f16")
    called = ok("run", "elu_backward", "--shape", "9", "--dtype", "f16", TILEWRIGHT_FORBID_COMPILE="1")
    assert called["cache_hit"] is True
    assert called["binary_key"] == compiled["binary_key"]


def test_compile_without_stages(tmp_path: Path) -> None:
    assert ok("compile", "elu_backward", "-o", str(tmp_path / "o"))["files"] == ["kernel.o", "metadata.json"]


def test_doctor() -> None:
    report = ok("doctor")
    assert report["healthy"] is True
    assert [target["name"] for target in report["targets"]] == targets.names()
    assert report["checks"]["ascendnpu-ir"]["value"] in report["known_wheel_versions"]
    text = run("doctor").stdout
    assert all(name in text for name in targets.names())


def test_doctor_finds_what_is_broken(tmp_path: Path) -> None:
    report = ok("doctor", status=1, TILEWRIGHT_NATIVE=str(tmp_path / "nothing"))
    broken = {name for name, check in report["checks"].items() if check["ok"] is False}
    assert broken == {"hivmc (ours)", "tw-opt", "emulator", "emulated CANN"}
    assert "TW3003" in report["checks"]["emulator"]["value"]


def test_doctor_isa() -> None:
    report = ok("doctor", "--isa")
    assert report["total"] == 237
    assert report["supported"] + len(report["rest"]) == report["total"]
    assert report["supported"] >= 0.95 * report["total"]
    assert all(report["rest"].values())


@pytest.mark.parametrize(
    ("words", "code", "hint"),
    [
        (("run", "elu_backwards", "--shape", "3"), "TW5101", "elu_backward"),
        (("ops", "elu_bakward"), "TW5101", "elu_backward"),
        (("run", "elu_backward", "--shape", "3", "--target", "Ascend910B5"), "TW5003", "Ascend910B"),
        (("run", "elu_backward", "--shape", "3", "--attr", "alpa=1"), "TW2002", "alpha"),
        (("run", "elu_backward", "--shape", "3", "--attr", "alpha=big"), "TW2010", ""),
        (("run", "elu_backward", "--shape", "3", "--attr", "alpha=nan"), "TW2011", ""),
        (("run", "elu_backward", "--shape", "3", "--attr", "alpha"), "TW5005", ""),
        (("run", "elu_backward", "--shape", "3", "--attr", "is_result=perhaps"), "TW2010", ""),
        (("run", "batch_norm_backward", "--shape", "3,2", "--attr", "output_mask=1,2,0"), "TW2010", ""),
        (("run", "batch_norm_backward", "--shape", "3,2", "--attr", "output_mask=1,0"), "TW2010", ""),
        (
            ("run", "elu_backward", "--shape", "3", "--attr", "is_result=true", "--attr", "alpha=-1"),
            "TW2014",
            "",
        ),
        (("run", "elu_backward", "--shape", "3", "--dtype", "float64"), "TW2004", ""),
        (("run", "elu_backward", "--shape", "3", "--dtype", "complex64"), "TW2004", ""),
        (("run", "elu_backward", "--shape", "3", "--dtype", "bool"), "TW2004", ""),
        (("run", "elu_backward", "--shape", "3x4"), "TW5005", ""),
        (("run", "elu_backward", "--shape=-3"), "TW5005", ""),
        (("run", "elu_backward"), "TW5005", "--shape"),
        (("run", "elu_backward", "--shape", "1,1,1,1,1,1,1,1,2"), "TW2006", ""),
        (("run", "elu_backward", "--shape", "3", "--shape-of", "grad_output=4"), "TW2007", ""),
        (("run", "elu_backward", "--shape", "3", "--with", "weight"), "TW2002", ""),
        (("run", "elu_backward", "--shape", "3", "--cores", "41"), "TW2401", ""),
        (("run", "elu_backward", "--shape", "3", "--dtype", ""), "TW2004", ""),
        (("run", "elu_backward", "--shape", "3", "--target", ""), "TW5003", ""),
        (("run", "elu_backward", "--shape", "3", "--seed=-1"), "TW5005", ""),
        (("run", "elu_backward", "--shape", "4000000000000"), "TW5009", "--shape"),
        (("run", "elu_backward", "--shape", "9" * 20), "TW2015", ""),
        (("run", "elu_backward", "--shape", "3", "--inputs", "/does/not/exist.npz"), "TW5006", ""),
        (("run", "elu_backward", "--shape", "3", "--outputs", "/does/not/exist/x.npz"), "TW5007", ""),
        (("rum", "elu_backward"), "TW5005", "run"),
        (("run", "elu_backward", "--shape", "3", "--sed", "x"), "TW5005", ""),
        (("compile", "elu_backward"), "TW5005", ""),
    ],
)
def test_bad_input(
    capsys: pytest.CaptureFixture[str], cache_folder: Path, words: tuple[str, ...], code: str, hint: str
) -> None:
    error = refused(capsys, *words)
    assert error["code"] == code
    assert hint in error["hint"]
    if code != "TW2401":  # a plan needs the compiled kernel's limits
        assert not cache_folder.exists()


def test_bad_inputs_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], cache_folder: Path) -> None:
    file = tmp_path / "in.npz"
    words = ("run", "elu_backward", "--inputs", str(file))
    file.write_bytes(b"PK\3\4 not really")
    assert refused(capsys, *words)["code"] == "TW5006"
    np.savez(file, grad_output=np.zeros(3, np.float32))
    assert "self_or_result" in refused(capsys, *words)["error"]
    np.savez(file, grad_output=np.zeros(3), self_or_result=np.zeros(3))
    assert refused(capsys, *words)["code"] == "TW2004"
    np.savez(file, grad_output=np.array([{}], object), self_or_result=np.zeros(1, np.float32))
    assert refused(capsys, *words)["code"] == "TW5006"
    assert not cache_folder.exists()


def test_inputs_file_against_the_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cache_folder: Path
) -> None:
    """Nothing that the options say of an array in a file is ignored."""
    file = tmp_path / "in.npz"
    x = np.zeros((3, 4), np.float32)
    words = ("run", "elu_backward", "--inputs", str(file))
    np.savez(file, grad=x, x=x)
    for option in (("--shape", "7"), ("--dtype", "f16"), ("--shape-of", "grad=12"), ("--dtype-of", "x=bf16")):
        assert refused(capsys, *words, *option)["code"] == "TW5006", option
    np.savez(file, grad=x, grad_output=x, x=x)
    assert "twice" in refused(capsys, *words)["error"]
    np.savez(file, grad=x, x=x, weight=x)
    assert "'weight'" in refused(capsys, *words)["error"]
    plain = tmp_path / "x.npy"
    np.save(plain, x)
    assert refused(capsys, "run", "elu_backward", "--inputs", str(plain))["code"] == "TW5006"
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    assert refused(capsys, *words)["code"] == "TW5006"
    assert not cache_folder.exists()


@pytest.mark.parametrize("raw", ["V2", np.uint16], ids=str)
def test_bf16_from_a_file(raw: Any, tmp_path: Path) -> None:
    """npz files keep no bf16: 16-bit words are taken for it if the options say so."""
    file = tmp_path / "in.npz"
    x = (np.linspace(-2, 2, 12, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16).view(raw)
    np.savez(file, grad=x, x=x)
    words = ("run", "elu_backward", "--inputs", str(file))
    assert ok(*words, "--dtype", "bf16")["passed"] is True
    assert ok(*words, "--dtype-of", "grad=bf16", "--dtype-of", "self_or_result=bf16")["dtype"] == "bf16"


def test_compile_refuses_what_a_call_would(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("compile", "elu_backward", "-o", str(tmp_path / "o"))
    assert refused(capsys, *words, "--attr", "alpha=nan")["code"] == "TW2011"
    assert refused(capsys, *words, "--attr", "alpha=-1", "--attr", "is_result=1")["code"] == "TW2014"
    assert not (tmp_path / "o").exists()


def test_unwritable_places(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    place = tmp_path / "file"
    place.write_text("in the way")
    error = refused(capsys, "compile", "elu_backward", "-o", str(place / "out"))
    assert error["code"] == "TW5007"
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(place / "cache"))
    error = refused(capsys, "run", "elu_backward", "--shape", "3")
    assert error["code"] == "TW5001"
    error = refused(capsys, "compile", "elu_backward", "-o", str(tmp_path / "out"))
    assert error["code"] == "TW5001"
    assert not (tmp_path / "out").exists()
    assert place.read_text() == "in the way"


def test_forbidden_compilation(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("TILEWRIGHT_FORBID_COMPILE", "1")
    assert refused(capsys, "run", "elu_backward", "--shape", "3")["code"] == "TW3040"


def test_missing_tool(capsys: pytest.CaptureFixture[str], monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("TILEWRIGHT_NATIVE", str(tmp_path))
    error = refused(capsys, "run", "elu_backward", "--shape", "3")
    assert error["code"] == "TW3003"
    assert native.HIVMC in error["error"]


def test_every_variable_is_documented() -> None:
    repository = Path(__file__).parents[3]
    text = (repository / "docs" / "environment.md").read_text()
    documented = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `TILEWRIGHT_")]
    assert len(documented) == len(set(documented))
    assert set(settings.VARIABLES) <= set(documented)
    native_sources = [p.read_text() for p in (repository / "emulator").rglob("*.cpp")]
    for name in set(documented) - set(settings.VARIABLES):
        assert any(name in text for text in native_sources), f"{name} is documented and nobody reads it"
    sources = (repository / "pyfrontend" / "tilewright").rglob("*.py")
    used = {name for path in sources for name in re.findall(r"\bTILEWRIGHT_[A-Z_]+", path.read_text())}
    assert used == set(settings.VARIABLES)
