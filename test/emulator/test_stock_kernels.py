"""Kernels as plain linalg, compiled by stock bishengir-compile and our hivmc, run by exec, against NumPy.

What the stock compiler or its library cannot do is listed in REFUSED with the words of the refusal: the test
of an entry fails when it starts to compile. Everything else has to give right values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import stock_kernels as kernels
from hivmc_tools import Array, missing_tools
from stock_kernels import STYLES, Case, Shape, device_function, triton_function, triton_gather

from tilewright import execute
from tilewright.errors import TilewrightError

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

DTYPES: dict[str, Any] = {
    "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i32": np.int32, "i8": np.int8,
}  # fmt: skip

#: Rows of a program of the Triton grid; never a divisor of the number of rows.
ROWS = 8


def _erf(x: Array) -> Array:
    from math import erf

    return np.vectorize(erf)(x)


def _softmax(x: Array) -> Array:
    power = np.exp(x - x.max(1, keepdims=True))
    return power / power.sum(1, keepdims=True)


def _layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    centred = x - x.mean(1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * gamma + beta


def _rms_norm(x: Array, gamma: Array) -> Array:
    return x / np.sqrt((x**2).mean(1, keepdims=True) + 1e-6) * gamma


def _gelu(x: Array) -> Array:
    return 0.5 * x * (1 + _erf(x / np.sqrt(2)))


def _gelu_tanh(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


@dataclass(frozen=True)
class Subject:
    """A kernel and what it computes.

    Attributes:
        kernel: writes it.
        types: element types of the inputs; "c" before a type: one row of columns, read whole.
        output: element type of the result.
        shape: of the result, for rows and columns.
        model: the result from float64 or integer inputs.
        rtol, atol: tolerance; both 0: equal bits.
        by_rows: rows are independent, so the Triton style can cut by rows.
        largest: of integer inputs.
    """

    kernel: kernels.Kernel
    types: tuple[str, ...]
    output: str
    shape: Callable[[int, int], Shape]
    model: Callable[..., Array]
    rtol: float = 0.0
    atol: float = 0.0
    by_rows: bool = True
    largest: int = 2**31

    def case(self, rows: int, columns: int) -> Case:
        inputs = tuple(
            ((columns,) if t.startswith("c") else (rows, columns), t.removeprefix("c")) for t in self.types
        )
        whole = tuple(i for i, t in enumerate(self.types) if t.startswith("c"))
        return Case(inputs, ((self.shape(rows, columns), self.output),), whole)


def same(rows: int, columns: int) -> Shape:
    return rows, columns


def per_row(rows: int, columns: int) -> Shape:
    return (rows,)


def per_column(rows: int, columns: int) -> Shape:
    return (columns,)


def swapped(rows: int, columns: int) -> Shape:
    return columns, rows


#: The stock compiler divides integers in f32: quotients of larger numbers are off, on a device too.
EXACT_IN_F32 = 2**24

SUBJECTS: dict[str, Subject] = {
    "softmax": Subject(kernels.softmax, ("f32",), "f32", same, _softmax, 3e-6),
    "layer_norm": Subject(kernels.layer_norm, ("f32", "cf32", "cf32"), "f32", same, _layer_norm, 1e-5, 1e-5),
    "rms_norm": Subject(kernels.rms_norm, ("f32", "cf32"), "f32", same, _rms_norm, 2e-6, 1e-7),
    "gelu_erf": Subject(kernels.gelu_erf, ("f32",), "f32", same, _gelu, 2e-6, 1e-6),
    "gelu_tanh": Subject(kernels.gelu_tanh, ("f32",), "f32", same, _gelu_tanh, 2e-6, 1e-6),
    "gelu_exp": Subject(kernels.gelu_exp, ("f32",), "f32", same, _gelu_tanh, 2e-6, 1e-6),
    "transpose": Subject(kernels.transpose, ("f32",), "f32", swapped, np.transpose, by_rows=False),
    "row_sum": Subject(kernels.row_sum, ("f32",), "f32", per_row, lambda x: x.sum(1), 1e-6, 2e-5),
    "row_max": Subject(kernels.row_max, ("f32",), "f32", per_row, lambda x: x.max(1)),
    "column_sum": Subject(
        kernels.column_sum, ("f32",), "f32", per_column, lambda x: x.sum(0), 1e-6, 2e-5, by_rows=False
    ),
    "column_max": Subject(kernels.column_max, ("f32",), "f32", per_column, lambda x: x.max(0), by_rows=False),
    "argmax": Subject(kernels.argmax, ("f32",), "i32", per_row, lambda x: x.argmax(1)),
    "named_argmax": Subject(kernels.named_argmax, ("f32",), "i32", per_row, lambda x: x.argmax(1)),
    "integers": Subject(
        kernels.integers, ("i32", "i32"), "i32", same,
        lambda x, y: x * y + np.maximum(x, y) - np.minimum(x, 7),
    ),
    "bits": Subject(kernels.bits, ("i32", "i32"), "i32", same, lambda x, y: (x & y) ^ (x | y)),
    "shifts": Subject(kernels.shifts, ("i32", "i32"), "i32", same, lambda x, y: (x << 3) + (y >> 2)),
    "division": Subject(
        kernels.division, ("i32", "i32"), "i32", same,
        lambda x, y: np.sign(x) * np.sign(y) * (abs(x) // abs(y)), largest=EXACT_IN_F32,
    ),
    "equal": Subject(kernels.equal, ("i32", "i32"), "i32", same, lambda x, y: np.where(x == y, x, -1)),
    "less": Subject(kernels.less, ("i32", "i32"), "i32", same, np.minimum),
    "mask_bytes": Subject(kernels.mask_bytes, ("f32", "f32"), "i8", same, np.less),
    "square_f16": Subject(kernels.widen, ("f16",), "f16", same, np.square),
    "square_bf16": Subject(kernels.widen, ("bf16",), "bf16", same, np.square),
    "sum_f16": Subject(kernels.half_sum, ("f16",), "f32", per_row, lambda x: x.sum(1), 1e-6, 2e-5),
    "sum_bf16": Subject(kernels.half_sum, ("bf16",), "f32", per_row, lambda x: x.sum(1), 1e-6, 2e-5),
    "to_float": Subject(kernels.to_float, ("i32",), "f32", same, lambda x: x),
    "to_int": Subject(kernels.to_int, ("f32",), "i32", same, np.trunc),
}  # fmt: skip

_KIND = "unsupported linalg unary operation kind"
_GENERIC = "'linalg.generic' that was explicitly marked illegal"
_REDUCE = "'linalg.reduce' that was explicitly marked illegal"
_OVERFLOW = "TW3015"

#: (kernel, style) -> words of the error. All but the last group are the stock compiler's: it takes no
#: elementwise linalg.generic, few named functions, no linalg.reduce with two results, and its scheduler gives
#: tiles that do not fit UB to integer comparisons. The last is the library's: other parameters of its shifts.
REFUSED: dict[tuple[str, str], str] = {
    **{
        (name, "generic"): _GENERIC
        for name in (
            "softmax", "layer_norm", "rms_norm", "gelu_erf", "gelu_tanh", "gelu_exp", "integers", "bits",
            "shifts", "division", "equal", "less", "mask_bytes", "square_f16", "square_bf16", "sum_f16",
            "sum_bf16", "to_float", "to_int",
        )
    },
    **{(name, "named"): _KIND for name in ("layer_norm", "rms_norm", "gelu_erf", "gelu_tanh")},
    **{("argmax", style): _REDUCE for style in STYLES},
    **{(name, style): _OVERFLOW for name in ("equal", "less") for style in ("named", "arith")},
    **{("shifts", style): "TW3022.*vshls_vs_1d_int32_t" for style in ("named", "arith", "triton")},
}  # fmt: skip


def random_array(shape: Shape, element: str, seed: int, largest: int = 2**31) -> Array:
    """Floats around zero; odd integers below `largest`, every fifth of them small."""
    generator = np.random.default_rng(seed)
    if element == "i32":
        data = generator.integers(-largest, largest, shape).astype(np.int32)
        small = generator.integers(-50, 50, shape).astype(np.int32) | 1
        return np.where(generator.integers(0, 5, shape) == 0, small, data | 1)
    return (2 * generator.standard_normal(shape)).astype(DTYPES[element])


def compare(subject: Subject, got: Array, inputs: list[Array]) -> None:
    wide = [x.astype(np.int64 if x.dtype.kind == "i" else np.float64) for x in inputs]
    with np.errstate(over="ignore"):
        expected = subject.model(*wide)
        if subject.rtol == 0:
            np.testing.assert_array_equal(got, expected.astype(got.dtype))
        else:
            np.testing.assert_allclose(got, expected, rtol=subject.rtol, atol=subject.atol)


def run(subject: Subject, style: str, rows: int, columns: int, folder: Path) -> None:
    """Compile for the shape and compare; the Triton style runs with several numbers of rows."""
    case = subject.case(rows, columns)
    text = (
        triton_function(subject.kernel, case, ROWS)
        if style == "triton"
        else device_function(subject.kernel, style, case)
    )
    file = folder / f"{style}-{rows}x{columns}.mlir"
    file.write_text(text)
    # Division is refused, though exact for small numbers.
    program = execute.load(file, accept_defects=subject.kernel is kernels.division)
    for count in (rows, ROWS, 1) if style == "triton" else (rows,):
        sized = subject.case(count, columns)
        inputs = [
            random_array(shape, element, i, subject.largest)
            for i, (shape, element) in enumerate(sized.inputs)
        ]
        for first, second in pairwise(inputs):
            if first.shape == second.shape:
                second.reshape(-1)[::7] = first.reshape(-1)[::7]
        shape, element = sized.outputs[0]
        arguments: dict[str, execute.Value] = {f"in{i}": x for i, x in enumerate(inputs)}
        # Not zeros, so that an element that is not written shows.
        arguments["out"] = np.full(shape, 99, DTYPES[element])
        grid = None
        if style == "triton":
            arguments["n"] = count
            grid = (-(-count // ROWS),)
        done = program.prepare(arguments, grid=grid).run()
        compare(subject, done.arrays["out"], inputs)
        assert set(done.changed) == {"out"}


SUPPORTED = [
    (name, style)
    for name, subject in SUBJECTS.items()
    for style in STYLES
    if (name, style) not in REFUSED and (style != "triton" or subject.by_rows)
]
#: Rows and columns: odd, and a multiple of nothing; then whole blocks and repeats.
SHAPES = ((29, 77), (64, 128))


@pytest.mark.parametrize(("name", "style"), SUPPORTED)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def test_values(name: str, style: str, shape: tuple[int, int], tmp_path: Path) -> None:
    run(SUBJECTS[name], style, *shape, tmp_path)


@pytest.mark.parametrize(("name", "style"), REFUSED)
def test_refused(name: str, style: str, tmp_path: Path) -> None:
    with pytest.raises(TilewrightError, match=REFUSED[name, style]):
        run(SUBJECTS[name], style, 53, 77, tmp_path)


@pytest.mark.parametrize(("rows", "columns"), [(29, 77), (8, 64), (1, 5)])
def test_gather_of_rows(rows: int, columns: int, tmp_path: Path) -> None:
    file = tmp_path / "gather.mlir"
    file.write_text(triton_gather(ROWS, columns))
    table = random_array((100, columns), "f32", 1)
    index = np.random.default_rng(2).integers(0, 100, rows).astype(np.int32)
    done = (
        execute.load(file)
        .prepare(
            {"x": table, "index": index, "out": np.zeros((rows, columns), np.float32), "n": rows},
            grid=(-(-rows // ROWS),),
        )
        .run()
    )
    np.testing.assert_array_equal(done.arrays["out"], table[index])


def _refused(file: Path, words: str) -> None:
    with pytest.raises(TilewrightError, match=words.replace("^", r"\^")) as caught:
        execute.load(file)
    assert caught.value.code == "TW3024"


def test_large_integers_are_divided_in_f32(tmp_path: Path) -> None:
    """Refused: the calls of the stock compiler are right, the algorithm is not exact."""
    case = SUBJECTS["division"].case(ROWS, 64)
    file = tmp_path / "division.mlir"
    file.write_text(triton_function(kernels.division, case, ROWS))
    x, y = np.full((ROWS, 64), 2**30 + 1, np.int32), np.full((ROWS, 64), 3, np.int32)
    arguments: dict[str, execute.Value] = {"x": x, "y": y, "o": np.zeros_like(x), "n": ROWS}
    _refused(file, "2^24")
    program = execute.load(file, accept_defects=True)
    assert [note for note in program.notes if "2^24" in note]
    got = program.prepare(arguments).run().arrays["o"]
    assert (got == np.int32(np.float32(2**30 + 1) / np.float32(3))).all()
    assert (got != x // y).all()


@pytest.mark.parametrize(("name", "function"), [("maxui", np.maximum), ("minui", np.minimum)])
def test_unsigned_extremes_are_signed_ones(name: str, function: Any, tmp_path: Path) -> None:
    """Wrong code of the stock compiler, on a device too: it calls the library's signed function. Refused."""

    def kernel(t: kernels.Tensors, x: kernels.Value, y: kernels.Value) -> kernels.Value:
        return t.binary(name, x, y)

    file = tmp_path / "extreme.mlir"
    file.write_text(device_function(kernel, "arith", SUBJECTS["less"].case(3, 77)))
    x, y = (random_array((3, 77), "i32", seed) for seed in (1, 2))
    _refused(file, "arith.maxui")
    program = execute.load(file, accept_defects=True)
    assert [note for note in program.notes if "arith.maxui" in note]
    got = program.prepare({"x": x, "y": y, "o": np.zeros_like(x)}).run().arrays["o"]
    np.testing.assert_array_equal(got, function(x, y))
    assert (got.view(np.uint32) != function(x.view(np.uint32), y.view(np.uint32))).any()


@pytest.mark.parametrize(("mode", "known"), [("olt", False), ("une", False), ("ult", True), ("one", True)])
def test_comparisons_with_nan(mode: str, known: bool, tmp_path: Path) -> None:
    """The stock compiler has six comparisons for fourteen; where that is wrong for NaN it is refused."""

    def kernel(t: kernels.Tensors, x: kernels.Value, y: kernels.Value) -> kernels.Value:
        return t.cast("extui", t.compare(mode, x, y), "i8")

    file = tmp_path / "compare.mlir"
    file.write_text(device_function(kernel, "arith", SUBJECTS["mask_bytes"].case(3, 3)))
    values = np.array([np.nan, -1.0, np.inf], np.float32)
    x, y = (np.ascontiguousarray(a) for a in np.meshgrid(values, values))
    if known:
        _refused(file, "wrong for NaN")
    program = execute.load(file, accept_defects=known)
    assert bool(program.notes) == known
    got = program.prepare({"x": x, "y": y, "o": np.full((3, 3), 9, np.int8)}).run().arrays["o"]
    unordered = np.isnan(x) | np.isnan(y)
    truth = np.less(x, y) if mode.endswith("lt") else np.not_equal(x, y)
    np.testing.assert_array_equal(got[~unordered], truth[~unordered])
    # The c220 rule: != is true and < is false where an operand is NaN, whatever the module asked for.
    assert (got[unordered] == (mode in ("une", "one"))).all()


def test_a_view_beyond_its_buffer_stops_the_kernel(tmp_path: Path) -> None:
    """The stock scheduler reserves 31 rows for the NaN mask of an argmax over up to 99 rows of 77.

    The mask of a full tile then overwrites the indices, on any device; silent without the check of hivmc.
    """
    with pytest.raises(TilewrightError, match="TW4014"):
        run(SUBJECTS["named_argmax"], "arith", 53, 77, tmp_path)
