"""The passes as the compiler runs them: stages, and failures at the user's line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tilewright import native, targets
from tilewright.errors import CompileError
from tilewright.pipeline import PASSES, lower
from tilewright.toolchain.module import without_locations

LINALG = """#m = affine_map<(d0) -> (d0)>
module {
  func.func @k(%a: tensor<?xf32> {tw.name = "a"}) -> (tensor<?xf32> {tw.name = "out0"})
      attributes {tw.kernel} {
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.empty(%d) : tensor<?xf32>
    %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]}
        ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) {
    ^bb0(%x: f32, %o: f32):
      %y = math.OPERATION %x : f32 loc("user.py":12:5)
      linalg.yield %y : f32
    } -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
"""
TARGET = targets.get("Ascend910B4")


def test_host_part_is_taken_out() -> None:
    lowered = lower(LINALG.replace("OPERATION", "exp"), TARGET)
    assert lowered.name == "k"
    assert lowered.arguments[:4] == ("lock", "workspace", "tensor:a", "tensor:out0")
    assert lowered.arguments[-6:] == ("grid:x", "grid:y", "grid:z", "pid:x", "pid:y", "pid:z")
    assert 0 < lowered.plan["ub_bytes"] <= TARGET.ub_usable_bytes
    assert "tw." not in lowered.hivm
    assert lowered.stages == {}


def test_stages_are_the_same_kernel() -> None:
    text = LINALG.replace("OPERATION", "exp")
    lowered = lower(text, TARGET, keep_stages=True)
    assert list(lowered.stages) == [
        "00-linalg.mlir",
        *(f"{number:02d}-{name}.mlir" for number, name in enumerate(PASSES, start=1)),
        "06-hivm.mlir",
    ]
    assert lowered.hivm == lower(text, TARGET).hivm
    assert without_locations(lowered.hivm).split() == lowered.stages["06-hivm.mlir"].split()


def test_a_failing_pass_is_named_at_the_users_line() -> None:
    with pytest.raises(CompileError) as caught:
        lower(LINALG.replace("OPERATION", "sin"), TARGET, versions={"tilewright": "x"})
    error = caught.value
    assert error.code == "TW3030"
    assert error.what.startswith("stage tw-")
    assert "math.sin" in error.what
    assert str(error.location) == "user.py:12"
    assert error.bundle is not None
    bundle = Path(error.bundle)
    assert {"00-linalg.mlir", "input.mlir", "notes.txt", "versions.json"} <= {
        p.name for p in bundle.iterdir()
    }
    if native.candidate(native.TW_OPT).is_file():
        again = subprocess.run([bundle / "reproduce.sh"], capture_output=True, text=True, timeout=60)
        assert again.returncode != 0
        assert "math.sin" in again.stderr
