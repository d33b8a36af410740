"""The target table against the wheel's own device specification, and finding the wheel."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tilewright import native, targets, wheel
from tilewright.errors import CompileError, UsageError


@pytest.mark.parametrize("name", targets.names())
def test_table_agrees_with_the_compiler(tmp_path: Path, name: str) -> None:
    empty = tmp_path / "empty.mlir"
    empty.write_text("module {}")
    command: list[str | Path] = [wheel.locate().opt, empty, f"--hacc-append-device-spec=target={name}"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    spec = {key: int(value) for key, value in re.findall(r'dl_entry<"(\w+)", (\d+) : i32>', text)}
    target = targets.get(name)
    assert target.vector_cores == spec["VECTOR_CORE_COUNT"]
    assert target.cube_cores == spec["CUBE_CORE_COUNT"]
    assert target.ub_bytes * 8 == spec["UB_SIZE"]
    assert target.ub_align_bytes * 8 == spec["UB_ALIGN_SIZE"]


def test_table_has_every_target_of_the_generation() -> None:
    text = subprocess.run(
        [wheel.locate().compiler, "--help"], capture_output=True, text=True, check=True
    ).stdout
    listed = set(re.findall(r"^ +=(Ascend910(?:B\w*(?:-\d)?|_93\w+)) ", text, re.MULTILINE))
    assert listed == set(targets.names())


@pytest.mark.parametrize(
    ("spelling", "name"),
    [("910B4", "Ascend910B4"), ("ascend910b4-1", "Ascend910B4-1"), (" Ascend910_9382", "Ascend910_9382")],
)
def test_aliases(spelling: str, name: str) -> None:
    assert targets.get(spelling).name == name


def test_no_spelling_means_two_targets() -> None:
    spellings = [s.lower() for t in targets.TABLE for s in (t.name, *t.aliases)]
    assert len(spellings) == len(set(spellings))


@pytest.mark.parametrize(
    ("name", "words"),
    [("Ascend910B5", "Ascend910B"), ("Ascend950PR_957b", "950 generation"), ("a", "known:")],
)
def test_unknown_target(name: str, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        targets.get(name)
    assert caught.value.code == "TW5003"
    assert words in caught.value.hint


def test_missing_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel, "find", lambda: None)
    with pytest.raises(CompileError) as caught:
        wheel.locate()
    assert caught.value.code == "TW3001"
    assert "pip install ascendnpu-ir==" in caught.value.hint


def test_missing_wheel_in_an_environment_without_it() -> None:
    # The finder itself, not only its result: a process in which the import system has no such package.
    code = (
        "import sys, importlib.util\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda n, *a: None if n == 'ascendnpuir' else real(n, *a)\n"
        "from tilewright import wheel\n"
        "try:\n    wheel.locate()\nexcept Exception as e:\n    print(e.code)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "TW3001"


def test_incomplete_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheel, "find", lambda: wheel.Wheel(tmp_path, "1.2.0"))
    with pytest.raises(CompileError) as caught:
        wheel.locate()
    assert caught.value.code == "TW3001"
    assert "incomplete" in caught.value.what


def test_other_version(monkeypatch: pytest.MonkeyPatch) -> None:
    real = wheel.locate()
    monkeypatch.setattr(wheel, "find", lambda: wheel.Wheel(real.root, "9.9.9"))
    with pytest.raises(CompileError) as caught:
        wheel.locate()
    assert caught.value.code == "TW3002"
    assert "9.9.9" in caught.value.what
    monkeypatch.setenv("TILEWRIGHT_ANY_WHEEL", "1")
    assert wheel.locate().version == "9.9.9"


def test_locating_the_wheel_does_not_import_it() -> None:
    code = "import sys\nfrom tilewright import wheel\nwheel.locate()\nprint('ascendnpuir' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_native_override(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "hivmc").write_text("")
    monkeypatch.setenv("TILEWRIGHT_NATIVE", str(tmp_path))
    assert native.path(native.HIVMC) == tmp_path / "bin" / "hivmc"
    with pytest.raises(CompileError) as caught:
        native.path(native.TW_OPT)
    assert caught.value.code == "TW3003"
