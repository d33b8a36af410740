"""``tilewright export``: a C program runs exported kernels on the emulated CANN, without Python."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import emulated
from tilewright.cli import main
from tilewright.ops import registry

COMPILER = next((c for c in ("clang-19", "clang", "gcc", "cc") if shutil.which(c)), "cc")


def build(folder: Path, plan: str) -> Path:
    program = folder / "program"
    sources = [Path(__file__).with_name("exported_program.c"), folder / "tilewright_launcher.c"]
    flags = [
        "-std=gnu99",
        "-Wall",
        "-Wextra",
        "-Wno-unused-const-variable",
        "-Werror",
        f"-DPLAN={plan}",
        f"-I{folder}",
    ]
    subprocess.run([COMPILER, *flags, *map(str, sources), "-o", str(program), "-ldl"], check=True)
    return program


def execute(program: Path, folder: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = emulated.environment(emulated.Options(poison=True, **options))
    command = [str(program), str(program.parent), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environment)


@pytest.mark.parametrize(
    ("name", "attributes"),
    [("elu_backward", {"alpha": 1.5, "is_result": True}), ("batch_norm_backward", {})],
)
def test_a_program_without_python(
    name: str, attributes: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["export", name, "--shape", "4,6,5,3", "--json", "-o", str(tmp_path / "out")]
    words += [w for k, v in attributes.items() for w in ("--attr", f"{k}={v}")]
    assert main(words) == 0
    (plan,) = json.loads(capsys.readouterr().out)["plans"]
    program = build(tmp_path / "out", plan)
    rng, op = np.random.default_rng(11), registry.get(name)
    described = json.loads((tmp_path / "out" / "manifest.json").read_text())["plans"][0]
    inputs = {t["name"]: rng.random(t["shape"]).astype(np.float32) for t in described["inputs"]}
    for key, value in inputs.items():
        value.tofile(tmp_path / f"{key}.bin")
    done = execute(program, tmp_path)
    assert done.returncode == 0, done.stderr
    expected = tw.compile(op)(**inputs, **attributes)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for result, value in zip(described["results"], expected, strict=True):
        found = np.fromfile(tmp_path / f"{result['name']}.bin", np.float32).reshape(result["shape"])
        np.testing.assert_array_equal(found, value)


def test_the_manifest_describes_the_files(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    words = ["export", "elu", "elu_backward", "--shape", "7", "--shape", "100,3", "--dtype", "f32,f16"]
    assert main([*words, "-o", str(folder)]) == 0
    manifest = json.loads((folder / "manifest.json").read_text())
    assert len(manifest["plans"]) == 8
    assert len({p["binary"] for p in manifest["plans"]}) == 4, "one binary for all shapes"
    for name, digest in manifest["files"].items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    for plan in manifest["plans"]:
        assert plan["binary"] in manifest["files"]
        assert (folder / plan["binary"]).with_suffix(".json").is_file()
        assert plan["name"] in (folder / "tilewright_kernels.h").read_text()


def test_mistakes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ["-o", str(tmp_path / "out")]
    for words, code in (
        (["elu"], "TW5005"),
        (["elu", "--shape", "0"], "TW5501"),
        (["el", "--shape", "3"], "TW5101"),
        (["elu", "--shape", "3", "--target", "Ascend1"], "TW5003"),
    ):
        assert main(["export", *words, *out]) == 2
        assert code in capsys.readouterr().err
    (tmp_path / "file").write_text("")
    assert main(["export", "elu", "--shape", "3", "-o", str(tmp_path / "file" / "x")]) == 2
    assert "TW5007" in capsys.readouterr().err


def test_a_damaged_binary_is_refused_by_the_launcher(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", "elu", "--shape", "33", "--json", "-o", str(tmp_path / "out")]) == 0
    (plan,) = json.loads(capsys.readouterr().out)["plans"]
    program = build(tmp_path / "out", plan)
    np.zeros(33, np.float32).tofile(tmp_path / "self.bin")
    assert execute(program, tmp_path).returncode == 0
    binary = next((tmp_path / "out").glob("*.o"))
    binary.write_bytes(binary.read_bytes()[:4000])
    done = execute(program, tmp_path)
    assert done.returncode == 5
    assert "TW4001" in done.stderr
    binary.unlink()
    assert "cannot be read" in execute(program, tmp_path).stderr


def test_argument_blocks_follow_the_abi() -> None:
    """A binary of CANN does not describe its block; the description made without it is the same."""
    from tilewright import abi

    for name in ("elu_backward", "batch_norm_backward"):
        op = registry.get(name)
        shapes = {t.name: tuple({"N": 3, "C": 4, "R": 2}.get(a, 5) for a in t.spec.axes) for t in op.tensors}
        kernel = tw.compile(op)
        types = dict.fromkeys(shapes, "f32")
        described = kernel.described(kernel.signature(shapes, types))
        graph = kernel.signature(shapes, types).variant.graph
        fields, size = abi.fields(described.binary.arguments, [s.type for s in graph.scalars])
        assert size == described.size
        assert [(f.kind, f.offset, f.size) for f in fields] == [
            (f.kind, f.offset, f.size) for f in described.fields
        ], name
