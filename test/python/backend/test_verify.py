"""Pass-by-pass verification: every stage of real kernels, and a defect in one stage that has to be named."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from tilewright import samples, targets, verify
from tilewright.binding import Binding, bind
from tilewright.cli.main import main
from tilewright.interpret import UnknownOperationError
from tilewright.interpret_hivm import Memory, launch
from tilewright.kernel import Kernel
from tilewright.ops import registry

STAGES = (
    "00-linalg.mlir",
    "01-tw-normalize-iteration.mlir",
    "02-tw-partition-channels.mlir",
    "03-tw-tile-to-ub.mlir",
    "04-tw-convert-to-hivm.mlir",
    "05-tw-double-buffer.mlir",
)


def call(name: str, shape: tuple[int, ...], dtype: str, **attributes: Any) -> tuple[Kernel, Binding]:
    op = registry.get(name)
    present = [t.name for t in op.tensors if t.spec.optional]
    inputs = samples.random_inputs(op, shape, dtype, seed=4, attributes=attributes, present=present)
    return Kernel(op, targets.get(targets.DEFAULT)), bind(op, (), {**inputs, **attributes})


@pytest.mark.parametrize(
    ("name", "shape", "dtype", "attributes"),
    [
        ("elu_backward", (1003,), "bf16", {"is_result": False}),
        ("binary_cross_entropy_with_logits_backward", (5, 37), "f32", {"reduction": "mean"}),
        ("batch_norm", (4, 3, 35), "f16", {"training": True}),  # rows of several channels in a tile
        ("batch_norm_backward", (70, 33), "f32", {}),  # channels in lanes
        ("batch_norm_backward", (2, 2, 700), "f32", {}),  # rows in lanes
        ("batch_norm_stats", (3, 2, 5001), "f32", {}),  # more cores than channels: partial sums, a barrier
        ("layer_norm", (9, 70), "f32", {}),
        ("batch_norm_gather_stats_with_counts", (3, 20), "f32", {}),
    ],
)
def test_every_stage_is_right(name: str, shape: tuple[int, ...], dtype: str, attributes: Any) -> None:
    kernel, binding = call(name, shape, dtype, **attributes)
    texts, planned = verify.stages(kernel, binding)
    found = verify.verify(binding, texts, planned)
    assert tuple(stage.name for stage in found) == STAGES
    for stage in found:
        assert stage.passed, f"{stage.name}: {stage.error} {[str(c) for c in stage.comparisons]}"
        assert len(stage.comparisons) == len(binding.signature.outputs)


def test_the_first_wrong_stage_is_named() -> None:
    kernel, binding = call("batch_norm_backward", (6, 3, 20), "f32")
    texts, planned = verify.stages(kernel, binding)
    for stage, old, new in (
        (0, "arith.mulf", "arith.addf"),
        (3, "arith.subf", "arith.mulf"),
        (4, "hivm.hir.vmul", "hivm.hir.vadd"),
        (5, "hivm.hir.vsub", "hivm.hir.vadd"),
    ):
        name = STAGES[stage]
        assert old in texts[name]
        broken = {**texts, name: texts[name].replace(old, new)}
        found = verify.verify(binding, broken, planned)
        assert next(s.name for s in found if not s.passed) == name
        assert [s.passed for s in found] == [s.name != name for s in found]


def test_what_cannot_be_executed_is_said() -> None:
    kernel, binding = call("elu", (100,), "f32")
    texts, planned = verify.stages(kernel, binding)
    broken = {name: text.replace("math.exp", "math.tan") for name, text in texts.items()}
    first = verify.verify(binding, broken, planned)[0]
    assert not first.passed
    assert first.error.startswith("UnknownOperationError: math.tan")


def test_command(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", "batch_norm_backward", "--shape", "4,3,5", "--attr", "output_mask=0,1,1"]
    assert main(words) == 0
    text = capsys.readouterr().out
    assert text.endswith("all stages are right\n")
    assert all(stage in text for stage in STAGES)
    assert main([*words, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["first_wrong"] is None
    assert [s["stage"] for s in report["stages"]] == list(STAGES)
    assert main(["verify", "batch_norm_backward", "--shape", "0,3"]) == 0
    assert "empty" in capsys.readouterr().out


def test_the_command_names_a_wrong_pass(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    original = verify.stages

    def damaged(kernel: Kernel, binding: Binding) -> Any:
        texts, planned = original(kernel, binding)
        return {n: t.replace("vmul", "vadd") if n == STAGES[4] else t for n, t in texts.items()}, planned

    monkeypatch.setattr(verify, "stages", damaged)
    assert main(["verify", "elu_backward", "--shape", "100"]) == 1
    assert f"first wrong stage: {STAGES[4]}" in capsys.readouterr().out


# -- the machine of the interpreter -----------------------------------------------------------------------

BLOCK = """
func.func @f(%in: memref<?xf32>, %out: memref<?xf32>, %core: i32)
    attributes {tw.kernel, tw.args = ["tensor:x", "tensor:out0", "pid:x"]} {
  %zero = arith.constant 0.5 : f32
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %i = arith.index_cast %core : i32 to index
  %at = arith.muli %i, %c3 : index
  %ub = memref.alloc() : memref<16xf32>
  %row = memref.subview %ub[0] [3] [1] : memref<16xf32> to memref<3xf32, strided<[1]>>
  %gm = memref.reinterpret_cast %in to offset: [%at], sizes: [3], strides: [1]
      : memref<?xf32> to memref<3xf32, strided<[1], offset: ?>>
  hivm.hir.load ins(%gm : memref<3xf32, strided<[1], offset: ?>>) outs(%row : memref<3xf32, strided<[1]>>)
      PAD
  %all = memref.subview %ub[0] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1]>>
  %sum = memref.alloc() : memref<1xf32>
  hivm.hir.vreduce <sum> ins(%all : memref<8xf32, strided<[1]>>) outs(%sum : memref<1xf32>) reduce_dims = [0]
  %to = memref.reinterpret_cast %out to offset: [%i], sizes: [1], strides: [1]
      : memref<?xf32> to memref<1xf32, strided<[1], offset: ?>>
  hivm.hir.store ins(%sum : memref<1xf32>) outs(%to : memref<1xf32, strided<[1], offset: ?>>)
  return
}
"""


def test_padding_and_uninitialised_memory() -> None:
    x = np.arange(6, dtype=np.float32)
    out = np.zeros(2, np.float32)
    padded = BLOCK.replace("PAD", "pad_mode = <PadValue> pad_value = %zero : f32")
    launch(padded, {"x": x, "out0": out}, 2)
    assert out.tolist() == [3 + 2.5, 12 + 2.5], "the rest of the last block of 32 bytes"
    launch(BLOCK.replace("PAD", ""), {"x": x, "out0": out}, 2)
    assert np.isnan(out).all(), "what nobody wrote looks like no result"
    with pytest.raises(IndexError):
        launch(padded, {"x": x[:5], "out0": out}, 2)


def test_windows() -> None:
    flat = np.arange(12, dtype=np.float32)
    window = Memory(flat, 1, (2, 3), (6, 2))
    assert window.window.tolist() == [[1, 3, 5], [7, 9, 11]]
    window.window[...] = 0
    assert flat.tolist() == [0, 0, 2, 0, 4, 0, 6, 0, 8, 0, 10, 0]
    with pytest.raises(IndexError, match="elements 2 to 12"):
        _ = Memory(flat, 2, (2, 3), (6, 2)).window


def test_a_failing_core_releases_the_others() -> None:
    text = re.sub(
        r"hivm\.hir\.store.*", "hivm.hir.sync_block[<ALL_VECTOR>, 0 : i16] tvector_pipe = <PIPE_ALL>", BLOCK
    )
    text = text.replace("PAD", "pad_mode = <PadValue> pad_value = %zero : f32")
    x, out = np.zeros(7, np.float32), np.zeros(3, np.float32)
    launch(text, {"x": np.zeros(9, np.float32), "out0": out}, 3)
    with pytest.raises(IndexError):
        launch(text, {"x": x, "out0": out}, 3)
    sine = "hivm.hir.vsin ins(%sum : memref<1xf32>) outs(%sum : memref<1xf32>)\n  hivm.hir.sync_block"
    with pytest.raises(UnknownOperationError, match="vsin"):
        launch(text.replace("hivm.hir.sync_block", sine), {"x": x, "out0": out}, 1)
