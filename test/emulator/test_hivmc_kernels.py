"""Kernels compiled by stock bishengir-compile and our hivmc, run on the emulated device, against NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hivmc_kernels import (
    TRITON_ADAPTER_ADD,
    PlainKernel,
    linalg_binary,
    linalg_reduce,
    linalg_softmax,
    strided_tile,
    triton_scale,
)
from hivmc_tools import LINALG_FLAGS, PLAIN_FLAGS, TRITON_FLAGS, Array, bishengir, launch, missing_tools

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

DTYPES: dict[str, np.dtype[Any]] = {
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
}


def random_array(shape: tuple[int, ...] | int, element: str, seed: int = 0) -> Array:
    generator = np.random.default_rng(seed)
    if element.startswith("i"):
        return generator.integers(-1000, 1000, shape).astype(DTYPES[element])
    return generator.standard_normal(shape).astype(DTYPES[element])


def run_plain(kernel: PlainKernel, arguments: list[Array | int | float], folder: Path) -> list[Array]:
    return launch(bishengir(kernel.text(), folder, PLAIN_FLAGS), kernel.name, arguments).arrays


#: Lengths around a repeat (64 lanes), a block (8 lanes) and a full tile.
LENGTHS = (1, 63, 64, 65, 1000, 4096)


@pytest.mark.parametrize("element", ["f32", "f16", "i32", "i16"])
@pytest.mark.parametrize("name", ["vadd", "vsub", "vmul", "vmax", "vmin", "vdiv"])
def test_binary(name: str, element: str, tmp_path: Path) -> None:
    if name == "vdiv" and element.startswith("i"):
        pytest.skip("the vector unit has no integer division")
    n = 1000
    kernel = PlainKernel()
    a, b, out = (kernel.argument(n, element) for _ in range(3))
    operands = [kernel.load(a, n, element), kernel.load(b, n, element)]
    kernel.store(kernel.op(name, operands, n, element), out)
    x, y = random_array(n, element, 1), random_array(n, element, 2)
    function = {
        "vadd": np.add,
        "vsub": np.subtract,
        "vmul": np.multiply,
        "vmax": np.maximum,
        "vmin": np.minimum,
        "vdiv": np.divide,
    }[name]
    got = run_plain(kernel, [x, y, np.zeros_like(x)], tmp_path)
    np.testing.assert_array_equal(got[2], function(x, y))
    np.testing.assert_array_equal(got[0], x)


@pytest.mark.parametrize("name", ["vand", "vor", "vxor"])
def test_bytes(name: str, tmp_path: Path) -> None:
    """The i8 functions of the library call helpers that it does not define, on a path not taken here."""
    n = 512
    kernel = PlainKernel()
    a, b, out = (kernel.argument(n, "i8") for _ in range(3))
    kernel.store(kernel.op(name, [kernel.load(a, n, "i8"), kernel.load(b, n, "i8")], n, "i8"), out)
    x, y = (np.random.default_rng(seed).integers(-128, 128, n).astype(np.int8) for seed in (1, 2))
    got = run_plain(kernel, [x, y, np.zeros_like(x)], tmp_path)[2]
    function = {"vand": np.bitwise_and, "vor": np.bitwise_or, "vxor": np.bitwise_xor}[name]
    np.testing.assert_array_equal(got, function(x, y))


@pytest.mark.parametrize("n", LENGTHS)
def test_scalar_operands(n: int, tmp_path: Path) -> None:
    kernel = PlainKernel()
    x, out, s = kernel.argument(n, "f32"), kernel.argument(n, "f32"), kernel.scalar("f32")
    loaded = kernel.load(x, n, "f32")
    scaled = kernel.op("vmul", [loaded, s], n, "f32")
    kernel.store(kernel.op("vexp", [scaled], n, "f32"), out)
    data = random_array(n, "f32")
    got = run_plain(kernel, [data, np.zeros_like(data), 0.75], tmp_path)[1]
    np.testing.assert_allclose(got, np.exp(data.astype(np.float64) * 0.75), rtol=5e-7)


def test_bf16_through_f32(tmp_path: Path) -> None:
    n = 777
    kernel = PlainKernel()
    x, out = kernel.argument(n, "bf16"), kernel.argument(n, "bf16")
    wide = kernel.op("vcast", [kernel.load(x, n, "bf16")], n, "f32", "round_mode = <rint>")
    square = kernel.op("vmul", [wide, wide], n, "f32")
    kernel.store(kernel.op("vcast", [square], n, "bf16", "round_mode = <rint>"), out)
    data = random_array(n, "bf16")
    got = run_plain(kernel, [data, np.zeros_like(data)], tmp_path)[1]
    expected = (data.astype(np.float32) ** 2).astype(ml_dtypes.bfloat16)
    np.testing.assert_array_equal(got.view(np.uint16), expected.view(np.uint16))


@pytest.mark.parametrize(
    ("source", "target", "mode", "expected"),
    [
        ("f32", "i32", "trunc", lambda x: np.trunc(x).astype(np.int32)),
        ("f32", "i32", "floor", lambda x: np.floor(x).astype(np.int32)),
        ("f32", "i32", "ceil", lambda x: np.ceil(x).astype(np.int32)),
        ("f32", "i32", "rint", lambda x: np.rint(x).astype(np.int32)),
        ("f32", "f16", "rint", lambda x: x.astype(np.float16)),
        ("i32", "f32", "rint", lambda x: x.astype(np.float32)),
        ("f16", "f32", "rint", lambda x: x.astype(np.float32)),
    ],
)
def test_casts(source: str, target: str, mode: str, expected: Any, tmp_path: Path) -> None:
    n = 500
    kernel = PlainKernel()
    x, out = kernel.argument(n, source), kernel.argument(n, target)
    kernel.store(kernel.op("vcast", [kernel.load(x, n, source)], n, target, f"round_mode = <{mode}>"), out)
    data = random_array(n, source)
    if not source.startswith("i"):
        data = data * DTYPES[source].type(10)
    got = run_plain(kernel, [data, np.zeros(n, DTYPES[target])], tmp_path)[1]
    np.testing.assert_array_equal(got, expected(data))


@pytest.mark.parametrize("mode", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("element", ["f32", "f16", "i32"])
def test_compare_and_select(mode: str, element: str, tmp_path: Path) -> None:
    # i32 orderings become a scalar loop that writes bytes, which are then packed into bits.
    n = 1000
    kernel = PlainKernel()
    a, b, out = (kernel.argument(n, element) for _ in range(3))
    x, y = kernel.load(a, n, element), kernel.load(b, n, element)
    mask = kernel.op("vcmp", [x, y], n, "i1", f"compare_mode = <{mode}>")
    kernel.store(kernel.op("vsel", [mask, x, y], n, element), out)
    first, second = random_array(n, element, 3), random_array(n, element, 4)
    second[::7] = first[::7]
    got = run_plain(kernel, [first, second, np.zeros_like(first)], tmp_path)[2]
    truth = {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }[mode](first, second)
    np.testing.assert_array_equal(got, np.where(truth, first, second))


def test_masks_are_bits(tmp_path: Path) -> None:
    """Logic on packed masks, and a slice of a mask that starts in the middle of the buffer."""
    n = 512
    kernel = PlainKernel()
    a, b, out = (kernel.argument(n, "f32") for _ in range(3))
    x, y = kernel.load(a, n, "f32"), kernel.load(b, n, "f32")
    zero = kernel.constant("0.0", "f32")
    m1 = kernel.op("vcmp", [x, zero], n, "i1", "compare_mode = <gt>")
    m2 = kernel.op("vcmp", [y, zero], n, "i1", "compare_mode = <lt>")
    both = kernel.op("vand", [m1, m2], n, "i1")
    none = kernel.op("vnot", [both], n, "i1")
    kernel.store(kernel.op("vsel", [none, x, y], n, "f32"), out)
    first, second = random_array(n, "f32", 5), random_array(n, "f32", 6)
    got = run_plain(kernel, [first, second, np.zeros_like(first)], tmp_path)[2]
    np.testing.assert_array_equal(got, np.where(~((first > 0) & (second < 0)), first, second))


@pytest.mark.parametrize("offset", [0, 256, 512])
def test_slice_of_a_mask(offset: int, tmp_path: Path) -> None:
    """Subviews of an i1 buffer count bits, not bytes."""
    n, part = 1024, 256
    gm, ub = "#hivm.address_space<gm>", "#hivm.address_space<ub>"
    view = f"strided<[1], offset: {offset}>, {ub}"
    source = f"""
func.func @slice(%a: memref<{n}xf32, {gm}>, %o: memref<{part}xf32, {gm}>)
    attributes {{hacc.entry, hacc.function_kind = #hacc.function_kind<DEVICE>}} {{
  %zero = arith.constant 0.0 : f32
  %x = memref.alloc() : memref<{n}xf32, {ub}>
  %m = memref.alloc() : memref<{n}xi1, {ub}>
  %r = memref.alloc() : memref<{part}xf32, {ub}>
  hivm.hir.load ins(%a : memref<{n}xf32, {gm}>) outs(%x : memref<{n}xf32, {ub}>)
  hivm.hir.vcmp ins(%x, %zero : memref<{n}xf32, {ub}>, f32) outs(%m : memref<{n}xi1, {ub}>)
      compare_mode = <gt>
  %ms = memref.subview %m[{offset}] [{part}] [1] : memref<{n}xi1, {ub}> to memref<{part}xi1, {view}>
  %xs = memref.subview %x[{offset}] [{part}] [1] : memref<{n}xf32, {ub}> to memref<{part}xf32, {view}>
  hivm.hir.vsel ins(%ms, %xs, %zero : memref<{part}xi1, {view}>, memref<{part}xf32, {view}>, f32)
      outs(%r : memref<{part}xf32, {ub}>)
  hivm.hir.store ins(%r : memref<{part}xf32, {ub}>) outs(%o : memref<{part}xf32, {gm}>)
  return
}}
"""
    data = random_array(n, "f32", 7)
    kernel_object = bishengir(source, tmp_path, PLAIN_FLAGS)
    got = launch(kernel_object, "slice", [data, np.zeros(part, np.float32)]).arrays[1]
    np.testing.assert_array_equal(got, np.maximum(data[offset : offset + part], 0))


@pytest.mark.parametrize("kind", ["sum", "max", "min"])
@pytest.mark.parametrize(("rows", "columns"), [(8, 64), (16, 256), (5, 72)])
def test_reduce_rows(kind: str, rows: int, columns: int, tmp_path: Path) -> None:
    kernel = PlainKernel()
    x, out = kernel.argument((rows, columns), "f32"), kernel.argument((rows, 1), "f32")
    loaded = kernel.load(x, (rows, columns), "f32")
    result = kernel.buffer((rows, 1), "f32")
    kernel.body.append(
        f"hivm.hir.vreduce <{kind}> ins({loaded} : {kernel.types[loaded]}) "
        f"outs({result} : {kernel.types[result]}) reduce_dims = [1]"
    )
    kernel.store(result, out)
    data = random_array((rows, columns), "f32", 8)
    got = run_plain(kernel, [data, np.zeros((rows, 1), np.float32)], tmp_path)[1]
    if kind == "sum":
        np.testing.assert_allclose(got, data.astype(np.float64).sum(1, keepdims=True), rtol=1e-5, atol=1e-5)
    else:
        np.testing.assert_array_equal(got, (data.max if kind == "max" else data.min)(1, keepdims=True))


@pytest.mark.parametrize(("rows", "columns", "pitch"), [(8, 49, 3136), (16, 64, 100), (3, 7, 11)])
def test_strided_tile(rows: int, columns: int, pitch: int, tmp_path: Path) -> None:
    data, out = random_array((rows, pitch), "f32", 9), random_array((rows, pitch), "f32", 10)
    kernel_object = bishengir(strided_tile(rows, columns, pitch), tmp_path, PLAIN_FLAGS)
    launched = launch(kernel_object, "tile", [data, out])
    expected = out.copy()
    expected[:, :columns] = 2 * data[:, :columns]
    np.testing.assert_array_equal(launched.arrays[1], expected)


@pytest.mark.parametrize("kind", ["add", "max", "min"])
def test_atomic_store(kind: str, tmp_path: Path) -> None:
    n, blocks = 128, 7
    kernel = PlainKernel()
    x, out = kernel.argument(n, "f32"), kernel.argument(n, "f32")
    kernel.store(kernel.load(x, n, "f32"), out, f"atomic = <{kind}>")
    data = np.round(random_array(n, "f32", 11) * 8)
    start = np.round(random_array(n, "f32", 12) * 8)
    kernel_object = bishengir(kernel.text(), tmp_path, PLAIN_FLAGS)
    got = launch(kernel_object, "k", [data, start], blocks=blocks).arrays[1]
    expected = {
        "add": start + blocks * data,
        "max": np.maximum(start, data),
        "min": np.minimum(start, data),
    }[kind]
    np.testing.assert_array_equal(got, expected)


def test_scalars_of_gm(tmp_path: Path) -> None:
    """memref.load from GM feeds a vector operation; the device counts scalar accesses."""
    n = 64
    kernel = PlainKernel()
    x, out = kernel.argument(n, "f32"), kernel.argument(n, "f32")
    kernel.body.append("%i = arith.constant 5 : index")
    kernel.body.append(f"%s = memref.load {x}[%i] : {kernel.types[x]}")
    kernel.types["%s"] = "f32"
    kernel.store(kernel.op("vadd", [kernel.load(x, n, "f32"), "%s"], n, "f32"), out)
    data = random_array(n, "f32", 13)
    launched = launch(bishengir(kernel.text(), tmp_path, PLAIN_FLAGS), "k", [data, np.zeros_like(data)])
    np.testing.assert_array_equal(launched.arrays[1], data + data[5])
    assert launched.counters["scalar_gm_accesses"] >= 1


@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize("n", [1, 2047, 2048, 2049, 100_003])
def test_triton_form(element: str, n: int, tmp_path: Path) -> None:
    kernel_object = bishengir(triton_scale(element), tmp_path, TRITON_FLAGS)
    data = random_array(n, element, 14)
    launched = launch(kernel_object, "scale", [data, np.zeros_like(data), n, 1.5], grid=(20, 1, 1))
    np.testing.assert_array_equal(launched.arrays[1], data * DTYPES[element].type(1.5))
    assert launched.counters["blocks"] == 20
    assert launched.counters["gm_read_bytes"] == launched.counters["gm_write_bytes"] == data.nbytes


@pytest.mark.parametrize("n", [1, 1024, 10_000])
def test_triton_adapter(n: int, tmp_path: Path) -> None:
    kernel_object = bishengir(TRITON_ADAPTER_ADD, tmp_path, TRITON_FLAGS)
    x, y = random_array(n, "f32", 19), random_array(n, "f32", 20)
    got = launch(kernel_object, "vecadd", [x, y, np.zeros_like(x), n], grid=(-(-n // 1024), 1, 1)).arrays[2]
    np.testing.assert_array_equal(got, x + y)


@pytest.mark.parametrize("function", ["add", "mul", "max_signed"])
@pytest.mark.parametrize(("shape", "element"), [((1024, 512), "f32"), ((37, 129), "f16")])
def test_linalg_elementwise(function: str, shape: tuple[int, int], element: str, tmp_path: Path) -> None:
    a, b = random_array(shape, element, 15), random_array(shape, element, 16)
    kernel_object = bishengir(linalg_binary(function, shape, element), tmp_path, LINALG_FLAGS)
    got = launch(kernel_object, "lin", [a, b, np.zeros_like(a)], blocks=40).arrays[2]
    expected = {"add": np.add, "mul": np.multiply, "max_signed": np.maximum}[function](a, b)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(("rows", "columns", "dimension"), [(1000, 77, 1), (64, 512, 1), (128, 200, 0)])
def test_linalg_sum(rows: int, columns: int, dimension: int, tmp_path: Path) -> None:
    data = random_array((rows, columns), "f32", 17)
    source = linalg_reduce("arith.addf", "0.0", rows, columns, dimension)
    kernel_object = bishengir(source, tmp_path, LINALG_FLAGS)
    expected = data.astype(np.float64).sum(dimension)
    got = launch(kernel_object, "red", [data, np.zeros(expected.shape, np.float32)], blocks=40).arrays[1]
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


def test_linalg_softmax(tmp_path: Path) -> None:
    data = random_array((96, 300), "f32", 18)
    kernel_object = bishengir(linalg_softmax(96, 300), tmp_path, LINALG_FLAGS)
    got = launch(kernel_object, "softmax", [data, np.zeros_like(data)], blocks=40).arrays[1]
    wide = data.astype(np.float64)
    power = np.exp(wide - wide.max(1, keepdims=True))
    np.testing.assert_allclose(got, power / power.sum(1, keepdims=True), rtol=2e-6)
