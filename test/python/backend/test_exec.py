"""``tilewright exec`` and ``tilewright.execute``: anybody's kernels, from every kind of file."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tilewright import execute
from tilewright.cli import main
from tilewright.errors import CompileError, ExecutionError, TilewrightError, UsageError
from tilewright.execute import Scalar
from tilewright.toolchain import FLAGS, compile_hivm

GM, UB = "#hivm.address_space<gm>", "#hivm.address_space<ub>"
DEVICE = "attributes {hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}"
TRITON = (
    'attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local", '
    'mix_mode = "aiv"}'
)
ENDS = "%gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32"

#: y[i] = x[i] * s, the Triton kernel ABI.
SCALE = f"""
func.func @scale(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %y: memref<?xf32>, %n: i64,
                 %s: f32, {ENDS}) {TRITON} {{
  %T = arith.constant 256 : index
  %n_i = arith.index_cast %n : i64 to index
  %p = arith.index_cast %px : i32 to index
  %g = arith.index_cast %gx : i32 to index
  %first = arith.muli %p, %T : index
  %step = arith.muli %g, %T : index
  scf.for %i = %first to %n_i step %step {{
    %rest = arith.subi %n_i, %i : index
    %len = arith.minsi %rest, %T : index
    %xg = memref.reinterpret_cast %x to offset: [%i], sizes: [%len], strides: [1]
        : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %yg = memref.reinterpret_cast %y to offset: [%i], sizes: [%len], strides: [1]
        : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %a = memref.alloc() : memref<256xf32>
    %as = memref.subview %a[0] [%len] [1] : memref<256xf32> to memref<?xf32, strided<[1]>>
    hivm.hir.load ins(%xg : memref<?xf32, strided<[1], offset: ?>>) outs(%as : memref<?xf32, strided<[1]>>)
    %b = memref.alloc() : memref<256xf32>
    %bs = memref.subview %b[0] [%len] [1] : memref<256xf32> to memref<?xf32, strided<[1]>>
    hivm.hir.vmul ins(%as, %s : memref<?xf32, strided<[1]>>, f32) outs(%bs : memref<?xf32, strided<[1]>>)
    hivm.hir.store ins(%bs : memref<?xf32, strided<[1]>>) outs(%yg : memref<?xf32, strided<[1], offset: ?>>)
  }}
  return
}}
"""

#: Block b adds row b of x to o, one block after the other.
LOCKED = f"""
func.func @locked(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %o: memref<?xf32>,
                  {ENDS}) {TRITON} {{
  %l = hivm.hir.create_sync_block_lock from %lock : from memref<?xi8> to memref<1xi64>
  %p = arith.index_cast %px : i32 to index
  %c64 = arith.constant 64 : index
  %off = arith.muli %p, %c64 : index
  %xg = memref.reinterpret_cast %x to offset: [%off], sizes: [64], strides: [1]
      : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
  %og = memref.reinterpret_cast %o to offset: [0], sizes: [64], strides: [1]
      : memref<?xf32> to memref<64xf32, strided<[1]>>
  %a = memref.alloc() : memref<64xf32>
  hivm.hir.load ins(%xg : memref<64xf32, strided<[1], offset: ?>>) outs(%a : memref<64xf32>)
  hivm.hir.sync_block_lock lock_var(%l : memref<1xi64>)
  %b = memref.alloc() : memref<64xf32>
  hivm.hir.load ins(%og : memref<64xf32, strided<[1]>>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  hivm.hir.vadd ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%c : memref<64xf32>)
  hivm.hir.store ins(%c : memref<64xf32>) outs(%og : memref<64xf32, strided<[1]>>)
  hivm.hir.sync_block_unlock lock_var(%l : memref<1xi64>)
  return
}}
"""

#: A function on tensors, for the stock compiler's scheduler.
TENSORS = f"""
func.func @twice(%x: tensor<37x129xf32>) -> tensor<37x129xf32> {DEVICE} {{
  %e = tensor.empty() : tensor<37x129xf32>
  %0 = linalg.elemwise_binary {{fun = #linalg.binary_fn<add>}}
      ins(%x, %x : tensor<37x129xf32>, tensor<37x129xf32>) outs(%e : tensor<37x129xf32>) -> tensor<37x129xf32>
  return %0 : tensor<37x129xf32>
}}
"""


def plain(name: str, operation: str, element: str = "f32", operand: str = "%x") -> str:
    """z = x op y on 100 elements, static, plain HIVM."""
    gm, ub = f"memref<100x{element}, {GM}>", f"memref<100x{element}, {UB}>"
    return f"""
func.func @{name}(%x: {gm}, %y: {gm}, %z: {gm}) {DEVICE} {{
  %a = memref.alloc() : {ub}
  hivm.hir.load ins(%x : {gm}) outs(%a : {ub})
  %b = memref.alloc() : {ub}
  hivm.hir.load ins(%y : {gm}) outs(%b : {ub})
  %c = memref.alloc() : {ub}
  hivm.hir.{operation} ins(%a, %b : {ub}, {ub}) outs(%c : {ub})
  hivm.hir.store ins(%c : {ub}) outs(%z : {gm})
  return
}}
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """scale.mlir, its final module scale.final.mlir and its object scale.o."""
    folder = tmp_path_factory.mktemp("exec")
    compiled = compile_hivm(SCALE, target="Ascend910B4", flags=FLAGS)
    (folder / "scale.mlir").write_text(SCALE)
    (folder / "scale.final.mlir").write_text(compiled.module.text)
    (folder / "scale.o").write_bytes(compiled.kernel)
    np.savez(folder / "in.npz", x=np.arange(1000, dtype=np.float32))
    return folder


def refused(capsys: pytest.CaptureFixture[str], code: str, *words: str) -> dict[str, Any]:
    assert main(["exec", *words, "--json"]) == 2
    error: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert error["code"] == code, error
    return error


@pytest.mark.parametrize("name", ["scale.mlir", "scale.final.mlir", "scale.o"])
def test_every_kind_of_file(files: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    output = files / "out.npz"
    words = [
        "exec", str(files / name), "--args", "x=@x", "y=zeros:f32:1000", "n=1000:i64", "s=1.5:f32",
        "--inputs", str(files / "in.npz"), "--output", str(output), "--grid", "3",
    ]  # fmt: skip
    assert main([*words, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["kernel"] == "scale"
    assert printed["notes"] == []
    assert printed["grid"] == [3, 1, 1]
    assert printed["arrays"]["x"] == {"dtype": "float32", "shape": [1000], "changed": False}
    assert printed["arrays"]["y"]["changed"] is True
    assert printed["counters"]["blocks"] == 3
    assert printed["counters"]["gm_read_bytes"] == printed["counters"]["gm_write_bytes"] == 4000
    with np.load(output) as archive:
        np.testing.assert_array_equal(archive["y"], np.arange(1000, dtype=np.float32) * np.float32(1.5))
        np.testing.assert_array_equal(archive["x"], np.arange(1000, dtype=np.float32))
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "kernel scale on an emulated Ascend910B4, grid 3x1x1" in text
    assert "y: 1000 float32, changed" in text


def test_inputs_are_not_touched(files: Path) -> None:
    x, y = np.ones(10, np.float32), np.zeros(10, np.float32)
    prepared = execute.load(files / "scale.o").prepare({"x": x, "y": y, "n": 10, "s": 2.0})
    done = prepared.run()
    np.testing.assert_array_equal(done.arrays["y"], 2 * x)
    assert not y.any()
    assert done.changed == ("y",)
    assert done.grid == (1, 1, 1)


def test_locks_order_the_blocks(tmp_path: Path) -> None:
    (tmp_path / "locked.mlir").write_text(LOCKED)
    x = np.random.default_rng(0).standard_normal((7, 64)).astype(np.float32)
    program = execute.load(tmp_path / "locked.mlir")
    got = program.prepare({"x": x, "o": np.zeros(64, np.float32)}, grid=(7,)).run().arrays["o"]
    expected = np.zeros(64, np.float32)
    for row in x:
        expected = expected + row
    np.testing.assert_array_equal(got, expected)


def test_functions_on_tensors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "twice.mlir"
    file.write_text(TENSORS)
    x = np.random.default_rng(0).standard_normal((37, 129)).astype(np.float32)
    for grid, blocks in ((None, 40), ((6,), 6)):
        program = execute.load(file, grid=grid)
        done = program.prepare({"x": x, "y": np.zeros_like(x)}, grid=grid).run()
        assert done.counters.blocks == blocks
        np.testing.assert_array_equal(done.arrays["y"], 2 * x)
    # The work is divided at compile time; fewer blocks would leave elements unwritten.
    with pytest.raises(UsageError, match=r"TW5302.*6 blocks; the grid has 3") as error:
        program.prepare({"x": x, "y": np.zeros_like(x)}, grid=(3,))
    assert "--grid 6" in error.value.expected
    words = ("--args", "x=random:f32:37,129", "y=zeros:f32:37,129", "--grid", "5")
    flags = "-enable-hfusion-compile=true --block-dim=6"
    refused(capsys, "TW5302", str(file), *words, f"--flags={flags}")


def test_several_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.mlir"
    file.write_text("module {" + plain("sum", "vadd") + plain("product", "vmul") + "}")
    arguments = ("--args", "x=random:f32:100", "y=random:f32:100", "z=zeros:f32:100")
    assert refused(capsys, "TW5304", str(file), *arguments)["hint"] == "product, sum"
    assert "product" in refused(capsys, "TW4002", str(file), *arguments, "--kernel", "produkt")["hint"]
    program = execute.load(file)
    x, y = np.full(100, 3, np.float32), np.full(100, 5, np.float32)
    for kernel, expected in (("sum", 8), ("product", 15)):
        done = program.prepare({"x": x, "y": y, "z": np.zeros_like(x)}, kernel=kernel).run()
        assert (done.arrays["z"] == expected).all()


@pytest.mark.parametrize("kind", ["HOST", "DEVICE"])
def test_tiling_data_that_is_not_given(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes that only a tiling function knows: nothing runs without them, nor with others than it gives."""
    tensor = "tensor<?xf32>"
    file = tmp_path / "add.mlir"
    file.write_text(f"""
func.func @add(%a: {tensor}, %b: {tensor}, %o: {tensor}) -> {tensor}
    attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<{kind}>}} {{
  %0 = linalg.elemwise_binary {{fun = #linalg.binary_fn<add>}} ins(%a, %b : {tensor}, {tensor})
      outs(%o : {tensor}) -> {tensor}
  return %0 : {tensor}
}}
""")
    arrays = ("x=random:f32:1000", "y=random:f32:1000", "z=zeros:f32:1000")
    error = refused(capsys, "TW5302", str(file), "--args", *arrays)
    assert "tiling_struct" in error["expected"]
    assert "tiling function" in error["hint"]
    short = refused(capsys, "TW5302", str(file), "--args", *arrays, "key=zeros:i64:1", "sizes=zeros:i64:1")
    assert "array of 1 elements" in short["error"]
    number = refused(capsys, "TW5302", str(file), "--args", *arrays, "key=0:i64", "sizes=zeros:i64:2")
    assert "is a number" in number["error"]
    # Zeros are no tiling of any size: the kernel's own divisions stop it.
    refused(capsys, "TW4012", str(file), "--args", *arrays, "key=zeros:i64:1", "sizes=zeros:i64:2")


def test_half_precision_words(tmp_path: Path) -> None:
    file = tmp_path / "max.mlir"
    file.write_text(plain("largest", "vand", "bf16"))
    x = np.linspace(-2, 2, 100).astype(ml_dtypes.bfloat16)
    np.savez(tmp_path / "in.npz", x=x.view(np.uint16))
    words = [
        "exec", str(file), "--args", "x=@x:bf16", "y=@x:bf16", "z=zeros:bf16:100",
        "--inputs", str(tmp_path / "in.npz"), "--output", str(tmp_path / "out.npz"),
    ]  # fmt: skip
    assert main(words) == 0
    with np.load(tmp_path / "out.npz") as archive:
        np.testing.assert_array_equal(archive["z"], x.view(np.uint16))


@pytest.mark.parametrize(
    "word",
    [
        "y", "y=", "=1:i64", "y=zeros", "y=zeros:f32", "y=zeros:f99:4", "y=1024", "y=x:i64", "y=1.5:i64",
        "y=1:q7", "y=@x:f16", "x=1:i64", "y=1:2:3",
    ],
)  # fmt: skip
def test_words_that_cannot_be_read(files: Path, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = ("--inputs", str(files / "in.npz"))
    refused(capsys, "TW5301", str(files / "scale.o"), "--args", "x=@x", word, *inputs)


@pytest.mark.parametrize("grid", ["0", "", "1,2,3,4", "x", "-1", "65537"])
def test_grids(files: Path, grid: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--args", "x=random:f32:8", "y=zeros:f32:8", "n=8:i64", "s=1:f32")
    refused(capsys, "TW5301", str(files / "scale.o"), *words, f"--grid={grid}")


def test_arrays_that_are_not_there(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(files / "scale.o")
    refused(capsys, "TW5301", file, "--args", "x=@x")
    assert "x" in refused(capsys, "TW5006", file, "--args", "x=@X", "--inputs", str(files / "in.npz"))["hint"]
    refused(capsys, "TW5006", file, "--args", "x=@x", "--inputs", str(files / "scale.o"))
    refused(capsys, "TW5103", file, "--args", "x=zeros:f32:1000000,1000000000")
    refused(capsys, "TW5007", file, "--output", str(files / "no" / "out.npz"))
    refused(capsys, "TW5005", file, "--seed", "-1")
    refused(capsys, "TW5005", file, "--workspace", "-1")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("x=random:f32:8",), "takes 4 arguments, 1 are given (x)"),
        (("x=random:f16:8", "y=zeros:f32:8", "n=8:i64", "s=1:f32"), "argument x of kernel scale is an array"),
        (("x=1:f32", "y=zeros:f32:8", "n=8:i64", "s=1:f32"), "argument x of kernel scale is a number"),
        (("x=random:f32:8", "y=zeros:f32:8", "n=zeros:i64:1", "s=1:f32"), "n of kernel scale is an array"),
        (("x=random:f32:8", "y=zeros:f32:8", "n=8:i32", "s=1:f32"), "argument n of kernel scale is 8:i32"),
        (("x=random:f32:8", "y=zeros:f32:8", "n=0x10000000000000000:i64", "s=1:f32"), "argument n of kernel"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(
    files: Path, words: tuple[str, ...], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert what in refused(capsys, "TW5302", str(files / "scale.o"), "--args", *words)["error"]


def test_numbers(files: Path) -> None:
    program = execute.load(files / "scale.o")
    x = np.ones(8, np.float32)
    for value, expected in ((2, 2.0), (Scalar(0.1, "f32"), np.float32(0.1)), (1e300, np.inf), (-3.5, -3.5)):
        done = program.prepare({"x": x, "y": np.zeros_like(x), "n": 8, "s": value}).run()
        assert (done.arrays["y"] == expected).all()
    with pytest.raises(UsageError, match="TW5302"):
        program.prepare({"x": x, "y": x, "n": 8.0, "s": 1.0})


def test_static_arrays_have_to_be_large_enough(tmp_path: Path) -> None:
    (tmp_path / "sum.mlir").write_text(plain("sum", "vadd"))
    program = execute.load(tmp_path / "sum.mlir")
    x = np.zeros(100, np.float32)
    with pytest.raises(UsageError, match=r"TW5302.*99 elements") as error:
        program.prepare({"x": x[:99], "y": x, "z": x})
    assert "array of 100 f32" in error.value.expected
    assert program.prepare({"x": np.zeros(101, np.float32), "y": x, "z": x}).run().changed == ()


def test_the_device_bounds_dynamic_arrays(files: Path) -> None:
    program = execute.load(files / "scale.o")
    x, y = np.ones(1000, np.float32), np.zeros(999, np.float32)
    with pytest.raises(ExecutionError, match="TW4010"):
        program.prepare({"x": x, "y": y, "n": 1000, "s": 1.0}).run()


def test_files_that_are_no_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "TW5303", str(tmp_path / "missing.mlir"))
    refused(capsys, "TW5303", str(tmp_path))
    for name, content in (("empty", b""), ("text", b"hello"), ("bytes", bytes(range(256)))):
        (tmp_path / name).write_bytes(content)
        refused(capsys, "TW5303", str(tmp_path / name))
    python = shutil.which(sys.executable)
    assert python is not None
    refused(capsys, "TW4001", python)


def test_damaged_objects(files: Path, tmp_path: Path) -> None:
    data = (files / "scale.o").read_bytes()
    x = np.zeros(8, np.float32)
    middle = len(data) // 2
    flipped = data[:middle] + bytes([data[middle] ^ 4]) + data[middle + 1 :]
    for damaged in (data[:100], data[:middle], flipped):
        (tmp_path / "damaged.o").write_bytes(damaged)
        with pytest.raises(ExecutionError, match="TW4001"):
            execute.load(tmp_path / "damaged.o").prepare({"x": x, "y": x, "n": 8, "s": 1.0})


def test_modules_that_do_not_compile(tmp_path: Path, files: Path) -> None:
    for name, text, code in (
        ("syntax", "func.func @k( {", "TW3013"),
        ("no entry", SCALE.replace('global_kernel = "local", ', ""), "TW3020"),
        ("tanh", plain("k", "vadd").replace("hivm.hir.vadd ins(%a, %b : ", "hivm.hir.vtanh ins(%a : ")
         .replace(f"memref<100xf32, {UB}>, memref<100xf32, {UB}>)", f"memref<100xf32, {UB}>)"), "TW3021"),
        ("final", (files / "scale.final.mlir").read_text().replace("vmuls_vs_1d_float", "vwonder_1d_float"),
         "TW3104"),
    ):  # fmt: skip
        (tmp_path / "k.mlir").write_text(text)
        with pytest.raises(CompileError) as error:
            execute.load(tmp_path / "k.mlir")
        assert error.value.code == code, (name, error.value)


def test_flags_replace_the_choice(files: Path) -> None:
    # Without the Triton flags nothing of this module is lowered.
    with pytest.raises(TilewrightError, match="TW302"):
        execute.load(files / "scale.mlir", flags=())


#: Every block copies its eight words to the same place.
LAST = f"""
func.func @last(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %o: memref<?xf32>,
                {ENDS}) {TRITON} {{
  %p = arith.index_cast %px : i32 to index
  %c8 = arith.constant 8 : index
  %off = arith.muli %p, %c8 : index
  %xg = memref.reinterpret_cast %x to offset: [%off], sizes: [8], strides: [1]
      : memref<?xf32> to memref<8xf32, strided<[1], offset: ?>>
  %og = memref.reinterpret_cast %o to offset: [0], sizes: [8], strides: [1]
      : memref<?xf32> to memref<8xf32, strided<[1]>>
  %a = memref.alloc() : memref<8xf32>
  hivm.hir.load ins(%xg : memref<8xf32, strided<[1], offset: ?>>) outs(%a : memref<8xf32>)
  hivm.hir.store ins(%a : memref<8xf32>) outs(%og : memref<8xf32, strided<[1]>>)
  return
}}
"""


def test_lock_that_is_not_given_back(tmp_path: Path) -> None:
    """The lock's word is that of a block that does not exist: an error after seconds, no hang."""
    file = tmp_path / "locked.mlir"
    file.write_text(LOCKED)
    arguments = {"x": np.ones(128, np.float32), "o": np.zeros(64, np.float32)}
    prepared = execute.load(file).prepare(arguments, grid=(2,))
    prepared.hidden[0][:] = 7
    with pytest.raises(ExecutionError, match="waits in a loop for GM to change") as caught:
        prepared.run()
    assert caught.value.code == "TW4013"
    assert "block 0" in str(caught.value)


def test_blocks_in_random_order(tmp_path: Path) -> None:
    """The last block to store wins: the result depends on the order, which check mode can change."""
    file = tmp_path / "k.mlir"
    file.write_text(LAST)
    program = execute.load(file)
    winners = set[float]()
    for seed in range(6):
        prepared = program.prepare(
            {"x": np.arange(8 * 5, dtype=np.float32), "o": np.zeros(8, np.float32)}, grid=(5,)
        )
        result = prepared.check({"random_seed": seed, "num_cores_or_threads": 1})
        assert "core_race" in {f.kind for f in result.findings}
        winners.add(float(prepared.buffers["o"][0]))
    assert len(winners) > 1
    assert winners <= {0.0, 8.0, 16.0, 24.0, 32.0}


def test_modes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same kernel in check and time mode, from the command line and from Python."""
    file = tmp_path / "twice.mlir"
    file.write_text(TENSORS)
    words = ["exec", str(file), "--args", "x=random:f32:37,129", "y=zeros:f32:37,129"]
    assert main([*words, "--mode", "check", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], data["hazards"], data["kernel"]) == (True, 0, "twice")
    trace, page, out = tmp_path / "t.json", tmp_path / "t.html", tmp_path / "o.npz"
    more = ["--mode", "time", "--trace", str(trace), "--html", str(page), "--output", str(out)]
    assert main([*words, *more]) == 0
    assert "modelled" in capsys.readouterr().out
    assert json.loads(trace.read_text())["otherData"]["kernel"] == "twice"
    assert page.read_text().startswith("<!doctype html>")
    arrays = np.load(out)
    np.testing.assert_array_equal(arrays["y"], 2 * arrays["x"])
    assert main([*words, "--trace", str(trace)]) == 2
    assert "TW5005" in capsys.readouterr().err
    assert main([*words, "--mode", "check", "--check", "v_barrier=true"]) == 2
    assert "TW5008" in capsys.readouterr().err


def test_check_mode_finds_what_fast_mode_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two blocks store the same result: right values, exit status 1."""
    file = tmp_path / "k.mlir"
    file.write_text(plain("add", "vadd"))
    words = [
        "exec",
        str(file),
        "--args",
        "x=ones:f32:100",
        "y=ones:f32:100",
        "z=zeros:f32:100",
        "--grid",
        "2",
    ]
    assert main(words) == 0
    capsys.readouterr()
    assert main([*words, "--mode", "check"]) == 1
    text = capsys.readouterr().out
    assert "core_race" in text
    assert f"{file}:" in text


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("arith.maxui %a, %b : tensor<4xi32>", "signed"),
        ("arith.divsi %a, %b : tensor<4xi32>", "2^24"),
        ("arith.cmpf ult, %a, %b : tensor<4xf32>", "NaN"),
    ],
)
def test_known_defects_of_the_compiler_are_refused(operation: str, words: str) -> None:
    text = f"module {{\n  func.func @f() {{\n    %0 = {operation}\n  }}\n}}\n"
    with pytest.raises(TilewrightError, match=re.escape(words)) as caught:
        execute.known_defects(text)
    assert caught.value.code == "TW3024"
    assert "line 3" in str(caught.value)
    assert len(execute.known_defects(text, accept=True)) == 1
    assert (
        execute.known_defects(text.replace("ui", "si").replace("divsi", "muli").replace("ult", "olt")) == []
    )
