# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""The functions of the language, compiled and executed, against NumPy: every type that they take, every way
in which an operand may be spread, special values, and results that no instruction computes."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright.errors import CompileError

DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i32": np.int32, "i16": np.int16}
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 3e38, -3e38, 1e-30]
COMPARISONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
SHAPE = (37, 13)
#: Shapes that broadcast to SHAPE: all lanes, a row, a column, one element.
SPREADS = {"full": SHAPE, "row": SHAPE[1:], "column": (SHAPE[0], 1), "one": (1,)}


def define(body: str, dtype: str, result: str = 'tw.Tensor["*S"]') -> Any:
    source = (
        f'@tw.op(data_types="{dtype}")\n'
        f'def f(x: tw.Tensor["*S"], y: tw.Broadcast["*S"]) -> {result}:\n    {body}\n'
    )
    names: dict[str, Any] = {"tw": tw}
    exec(source, names)
    return names["f"]


def data(dtype: str, shape: tuple[int, ...], seed: int) -> Any:
    rng = np.random.default_rng(seed)
    if dtype in ("i32", "i16"):
        limits = np.iinfo(DTYPES[dtype])
        values = rng.integers(-5, 5, size=shape).astype(DTYPES[dtype])
        extremes = [limits.min, limits.max, 0, -1]
    else:
        values = (rng.integers(-6, 6, size=shape) / 2).astype(DTYPES[dtype])
        extremes = SPECIAL
    flat = values.reshape(-1)  # a view
    if flat.size > 40:
        at = rng.permutation(flat.size)[:30]
        with np.errstate(over="ignore"):
            flat[at] = rng.choice(np.array(extremes), size=30).astype(DTYPES[dtype])
    return values


def assert_same(got: Any, expected: Any) -> None:
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got.astype(np.float64), expected.astype(np.float64))


def relation(sign: str) -> Callable[[Any, Any], Any]:
    return getattr(operator, COMPARISONS[sign])


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_comparisons(dtype: str, spread: str) -> None:
    """All six relations of two tensors, and of a number and a tensor, one bit of the result each."""
    x, y = data(dtype, SHAPE, 1), data(dtype, SPREADS[spread], 2)
    if dtype not in ("i32", "i16"):
        x = np.where(np.isfinite(x), x, x.dtype.type(1))  # the zero below is x * 0
    bits = [f"tw.where(x {sign} y, nil + {1 << i}, nil)" for i, sign in enumerate(COMPARISONS)]
    bits += [f"tw.where(2 {sign} x, nil + {64 << i}, nil)" for i, sign in enumerate(COMPARISONS)]
    op = define(f"nil = x * 0\n    return {' + '.join(bits)}", dtype, f'tw.Tensor["*S", "{exact(dtype)}"]')
    expected = np.zeros(SHAPE, np.int64)
    for i, sign in enumerate(COMPARISONS):
        expected += np.where(relation(sign)(x.astype(np.float64), y.astype(np.float64)), 1 << i, 0)
        expected += np.where(relation(sign)(2, x.astype(np.float64)), 64 << i, 0)
    assert_same(op(x, y), expected.astype(DTYPES[exact(dtype)]))


def exact(dtype: str) -> str:
    """The type that keeps what is computed for ``dtype``."""
    return dtype if dtype in ("i32", "i16") else "f32"


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("sign", COMPARISONS)
def test_comparisons_with_special_values(sign: str, dtype: str) -> None:
    x, y = data(dtype, (1000,), 3), data(dtype, (1000,), 4)
    op = define(f"return tw.where(x {sign} y, x, y)", dtype)
    assert_same(op(x, y), np.where(relation(sign)(x, y), x, y))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("value", [1.0, -1.0, 0.0, np.nan])
def test_a_condition_of_one_element(dtype: str, value: float) -> None:
    """The same choice for all lanes, known only when the kernel runs."""
    if dtype in ("i32", "i16") and np.isnan(value):
        pytest.skip("integers have no NaN")
    op = define("return tw.where(y > 0, x, x + x)", dtype)
    one = np.array([value], DTYPES[dtype])
    for shape in ((1,), (31,), (257,), (4097,), (70_001,), (33, 65)):
        x = np.random.default_rng(5).integers(-9, 9, size=shape).astype(DTYPES[dtype])
        assert_same(op(x, one), x if value > 0 else x + x)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("source", DTYPES)
def test_casts(source: str, spread: str) -> None:
    """Integers wrap around, floats are rounded to nearest even, or towards zero for integers."""
    rng = np.random.default_rng(6)
    shape = SPREADS[spread]
    if source in ("i32", "i16"):
        limits = np.iinfo(DTYPES[source])
        y = rng.integers(limits.min, limits.max, size=shape, endpoint=True).astype(DTYPES[source])
    else:
        y = (rng.normal(size=shape) * 300).astype(DTYPES[source])
    x = np.zeros(SHAPE, DTYPES[source])
    sums = ", ".join(f'tw.cast(y, "{t}") + tw.cast(x, "{t}")' for t in DTYPES)
    results = ", ".join(f'tw.Tensor["*S", "{t}"]' for t in DTYPES)
    wide = y if source in ("i32", "i16") else y.astype(np.float32)
    for got, (target, kind) in zip(
        define(f"return {sums}", source, f"tuple[{results}]")(x, y), DTYPES.items(), strict=True
    ):
        # Every float but f32 is reached from f32.
        through = wide if target in ("i32", "i16") else wide.astype(np.float32)
        with np.errstate(over="ignore"):
            assert_same(got, np.broadcast_to(through.astype(kind), SHAPE))


@pytest.mark.parametrize("spread", SPREADS)
def test_functions_and_roundings_of_spread_operands(spread: str) -> None:
    """What is computed of the spread operand alone: intermediate roundings stay, functions are accurate."""
    y = np.random.default_rng(10).uniform(0.1, 4, size=SPREADS[spread]).astype(np.float32)
    x = np.zeros(SHAPE, np.float32)
    rounded = 'tw.cast(tw.cast(y, "f16"), "f32"), tw.cast(tw.cast(y, "bf16"), "f32")'
    functions = ["exp", "log", "sqrt", "rsqrt", "reciprocal", "abs", "log1p", "expm1"]
    values = f"[{rounded}, {', '.join(f'tw.{name}(y)' for name in functions)}]"
    results = ", ".join(['tw.Tensor["*S"]'] * 10)
    op = define(f"return tuple(v + x for v in {values})", "f32", f"tuple[{results}]")
    wide = y.astype(np.float64)
    half, brain, *computed = op(x, y)
    assert_same(half, np.broadcast_to(y.astype(np.float16), SHAPE).astype(np.float32))
    assert_same(brain, np.broadcast_to(y.astype(ml_dtypes.bfloat16), SHAPE).astype(np.float32))
    expected = [np.exp(wide), np.log(wide), np.sqrt(wide), 1 / np.sqrt(wide), 1 / wide, wide]
    for got, wanted in zip(computed, [*expected, np.log1p(wide), np.expm1(wide)], strict=True):
        np.testing.assert_allclose(got, np.broadcast_to(wanted, SHAPE), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("spread", SPREADS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_results_that_no_instruction_computes(dtype: str, spread: str) -> None:
    """An input as it is, one value twice, a result that is used again, numbers chosen by a mask."""
    chosen = 'tw.cast(tw.where(x > y, 3, -2), "i32")'
    results = ", ".join(['tw.Tensor["*S"]'] * 6 + ['tw.Tensor["*S", "i32"]'])
    op = define(f"z = x - y\n    return y, x, x, z, z, z + y * y, {chosen}", dtype, f"tuple[{results}]")
    rng = np.random.default_rng(7)
    x = rng.integers(-15, 15, size=SHAPE).astype(DTYPES[dtype])
    y = rng.integers(-15, 15, size=SPREADS[spread]).astype(DTYPES[dtype])
    a, b = x.astype(np.int64), y.astype(np.int64)
    expected = [b, a, a, a - b, a - b, a - b + b * b]
    *same, mask = op(x, y)
    for got, wanted in zip(same, expected, strict=True):
        assert_same(got, np.broadcast_to(wanted, SHAPE).astype(DTYPES[dtype]))
    assert_same(mask, np.where(a > b, 3, -2).astype(np.int32))


@pytest.mark.parametrize("count", [2, 10, 16])
def test_more_tensors_than_flags(count: int) -> None:
    """Each direction of the pipeline has eight flags; more inputs and results have to share them."""
    names = [f"x{i}" for i in range(count)]
    arguments = ", ".join(f'{name}: tw.Tensor["*S"]' for name in names)
    results = ", ".join(['tw.Tensor["*S"]'] * count)
    body = ", ".join(
        f"{a} * {i + 1} + {b}" for i, (a, b) in enumerate(zip(names, names[1:] + names[:1], strict=True))
    )
    space: dict[str, Any] = {"tw": tw}
    exec(f"@tw.op\ndef f({arguments}) -> tuple[{results}]:\n    return {body}\n", space)
    rng = np.random.default_rng(8)
    inputs = [rng.integers(-50, 50, size=20_001).astype(np.float32) for _ in names]
    for i, got in enumerate(space["f"](*inputs)):
        assert_same(got, inputs[i] * np.float32(i + 1) + inputs[(i + 1) % count])


def _many_values(count: int) -> Any:
    lines = [f"v{i} = x * {i + 1} + y" for i in range(count)]
    total = "v0"
    for i in range(1, count):
        total = f"({total}) * 0.5 + v{i} * v{count - 1 - i}"
    return define("\n    ".join([*lines, f"return {total}"]), "f32")


def test_many_values_alive_at_once() -> None:
    x, y = np.random.default_rng(9).uniform(0.5, 1.5, size=(2, 3001)).astype(np.float32)
    values = [x.astype(np.float64) * (i + 1) + y for i in range(50)]
    expected = values[0]
    for i in range(1, 50):
        expected = expected * 0.5 + values[i] * values[49 - i]
    np.testing.assert_allclose(_many_values(50)(x, y), expected, rtol=1e-5)


def test_too_many_values_alive_at_once() -> None:
    """The smallest tile does not fit: bytes needed and available, the buffers, and the user's line."""
    x = np.ones(100, np.float32)
    with pytest.raises(CompileError) as caught:
        _many_values(190)(x, x)
    error = caught.value
    assert error.code == "TW3030"
    assert "bytes of UB for its smallest tile" in error.what
    assert "x: 2048 bytes" in error.what
    assert "split the operator" in error.hint
    assert error.location is not None
