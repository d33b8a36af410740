# ruff: noqa: F722
"""The float64 reference, its error bounds, comparisons, and the definitions of the shipped operators."""

import json
import math
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright import dtypes
from tilewright.binding import bind
from tilewright.compare import compare, tolerance
from tilewright.graph import Compute, Constant, Convert, Graph, Input
from tilewright.ops import registry
from tilewright.reference import Reference, evaluate
from tilewright.samples import DISTRIBUTIONS, random_inputs

F32 = np.float32
Array = Any
DATA = json.loads((Path(__file__).parent / "elementwise_cases.json").read_text())
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "int64": np.int64}


def array(value: Any, dtype: Any) -> Array | None:
    if value is None:
        return None
    if isinstance(value, dict):
        return np.zeros(value.get("empty", value.get("shape")), dtype)
    special = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

    def plain(v: Any) -> Any:
        return [plain(e) for e in v] if isinstance(v, list) else special.get(v, v)

    return np.array(plain(value), np.float64).astype(dtype)


@pytest.mark.parametrize("case", DATA["cases"], ids=[c["id"] + c["part"] for c in DATA["cases"]])
def test_published_cases(case: dict[str, Any]) -> None:
    op = registry.get(case["op"])
    attributes = dict(case["attributes"])
    kinds = attributes.pop("dtypes", {})
    base = case["dtype"] if case["dtype"] in NUMPY else "f32"
    inputs = {k: array(v, NUMPY[kinds.get(k, base)]) for k, v in case["inputs"].items()}
    if "error" in case["expected"]:
        with pytest.raises((ValueError, TypeError)):
            bind(op, (), {**inputs, **attributes})
        return
    binding = bind(op, (), {**inputs, **attributes})
    [reference] = evaluate(binding)
    expected = array(next(iter(case["expected"].values())), np.float64)
    assert expected is not None
    assert reference.value.shape == expected.shape
    np.testing.assert_allclose(reference.value, expected, rtol=1e-7, atol=1e-37 if base == "f32" else 6e-8)


# -- f32 arithmetic stays within the bounds ------------------------------------------------------------


def run_in_f32(graph: Graph, inputs: list[Array], scalars: tuple[float | int, ...]) -> Array:
    """The graph in NumPy's f32: what a kernel computes, up to its exp and log."""
    values: list[Any] = []
    arrays, numbers = iter(inputs), iter(scalars)
    one = F32(1)
    functions: dict[str, Any] = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "neg": np.negative,
        "abs": np.abs,
        "exp": np.exp,
        "log": np.log,
        "log1p": np.log1p,
        "expm1": np.expm1,
        "sqrt": np.sqrt,
        "rsqrt": lambda x: one / np.sqrt(x),
        "reciprocal": lambda x: one / x,
        "maximum": np.maximum,
        "minimum": np.minimum,
        "select": np.where,
        "gt": np.greater,
        "ge": np.greater_equal,
        "lt": np.less,
        "le": np.less_equal,
        "eq": np.equal,
        "ne": np.not_equal,
    }
    for node in graph.nodes:
        operands = [values[i] for i in node.operands]
        if isinstance(node, Input):
            values.append(next(arrays))
        elif isinstance(node, Constant):
            values.append(dtypes.numpy_dtype(node.type).type(node.value))
        elif isinstance(node, Convert):
            values.append(np.asarray(operands[0]).astype(dtypes.numpy_dtype(node.type)))
        elif isinstance(node, Compute):
            values.append(functions[node.op](*operands))
        else:
            values.append(F32(next(numbers)))
    return np.asarray(values[graph.results[0].node])


def all_variants() -> list[tuple[str, str, Any]]:
    """Elementwise ones; test_interpret.py has them all."""
    found = []
    for name in registry.NAMES:
        op = registry.get(name)
        for t in op.data_types:
            found += [
                (name, t, v)
                for v in op.variants(t)
                if not v.graph.reduced and op.tensors[0].spec.axes == ("*S",)
            ]
    return found


@pytest.mark.parametrize(
    ("name", "data_type", "variant"), all_variants(), ids=lambda v: getattr(v, "key", None) or str(v)
)
def test_f32_arithmetic_is_within_the_tolerance(name: str, data_type: str, variant: Any) -> None:
    op = registry.get(name)
    attributes: dict[str, Any] = dict(variant.static)
    present = [t.name for t, d in zip(op.tensors, variant.dtypes, strict=True) if d]
    inputs = random_inputs(op, (37, 111), data_type, seed=3, attributes=attributes, present=present)
    numbers = {a.name: 0.7 + i for i, a in enumerate(op.numbers)}
    binding = bind(op, (), {**inputs, **attributes, **numbers})
    with np.errstate(all="ignore"):
        got = run_in_f32(variant.graph, list(binding.inputs), binding.scalars)
    [reference] = evaluate(binding)
    out = binding.signature.outputs[0].dtype
    result = compare(got, reference, out)
    assert result.passed, str(result)
    assert result.unbounded == 0
    assert compare(got, reference, out, "gate").passed
    assert reference.value.std() > 0


@pytest.mark.parametrize("rule", ["tight", "gate"])
@pytest.mark.parametrize("data_type", ["f32", "f16", "bf16"])
def test_a_wrong_result_fails(data_type: str, rule: str) -> None:
    op = registry.get("elu_backward")
    binding = bind(op, (), random_inputs(op, (1000,), data_type, seed=1))
    [reference] = evaluate(binding)
    good = reference.value.astype(dtypes.numpy_dtype(data_type))
    assert compare(good, reference, data_type, rule).passed
    for change in (1.01, -1.0, np.nan, np.inf):
        bad = good.copy()
        bad[7:27] = (good[7:27].astype(F32) * F32(change)).astype(good.dtype)
        outcome = compare(bad, reference, data_type, rule)
        assert not outcome.passed
        assert outcome.worst is not None
        assert 7 <= outcome.worst[0] < 27


def test_rounding_in_between_fails_in_half() -> None:
    op = registry.get("elu_backward")
    binding = bind(
        op,
        (),
        random_inputs(op, (5000,), "f16", seed=2),
    )
    [reference] = evaluate(bind(op, binding.inputs, {"alpha": 1.3}))
    g, x = (a.astype(F32) for a in binding.inputs)
    e = np.exp(x).astype(np.float16).astype(F32)
    twice = np.where(x > 0, g, g * F32(1.3) * e).astype(np.float16)
    assert not compare(twice, reference, "f16").passed


def test_comparison_of_special_values() -> None:
    inf, nan = np.inf, np.nan
    value = np.array([nan, inf, -inf, 0.0, 70000.0, 65519.9, 1e-9])
    reference = Reference(value, np.zeros(7))
    good = np.array([nan, inf, -inf, -0.0, inf, 65504, 0.0], np.float16)
    assert compare(good, reference, "f16").passed
    for i, wrong in [
        (0, 0.0),
        (1, -inf),
        (1, 65504.0),
        (2, nan),
        (3, nan),
        (4, -inf),
        (4, 65504.0),
        (6, inf),
    ]:
        bad = good.copy()
        bad[i] = wrong
        assert not compare(bad, reference, "f16").passed, (i, wrong)
        assert not compare(bad, reference, "f16", "gate").passed, (i, wrong)


def test_gate_counts() -> None:
    reference = Reference(np.ones(10000), np.zeros(10000))
    got = np.ones(10000, F32)
    got[0] = 1 + 2e-4
    assert compare(got, reference, "f32", "gate").passed
    got[1] = 1 + 2e-4
    assert not compare(got, reference, "f32", "gate").passed
    got[:2] = [1.02, 1]
    assert not compare(got, reference, "f32", "gate").passed
    assert tolerance("i32") == (0.0, 0.0, False, 0.0)


def test_worst_index_of_a_permuted_result() -> None:
    value = np.zeros((4, 3, 2)).transpose(2, 0, 1)
    got = np.zeros(value.shape, F32)
    got[1, 2, 0] = 1.0
    assert compare(got, Reference(value, np.zeros((2, 4, 3))), "f32").worst == (1, 2, 0)


def test_bounds_follow_cancellation() -> None:
    @tw.op
    def f(x: tw.Tensor["*S"], *, a: float) -> tw.Tensor["*S"]:
        return (x * a - 1) * 8

    x = np.full(4, 1 / 3, F32)
    [reference] = evaluate(bind(f, (x,), {"a": 3.0}))
    assert np.all(np.abs(reference.value) < 1e-6)
    assert np.all(reference.bound > 8 * 2.0**-24)
    assert np.all(reference.bound < 24 * 2.0**-24)


def test_f32_range() -> None:
    @tw.op
    def f(x: tw.Tensor["*S"]) -> tw.Tensor["*S"]:
        return tw.exp(x) * tw.exp(-x)

    [reference] = evaluate(bind(f, (np.array([0.0, 89.0, 104.0, -104.0, -95.0], F32),)))
    # exp(89) overflows in f32; exp(104) * exp(-104) is inf * 0 there.
    assert reference.value[0] == 1.0
    assert reference.value[1] == math.inf
    assert np.isnan(reference.value[2:4]).all()
    assert reference.value[4] == math.inf


def test_uncertain_comparisons_allow_both_branches() -> None:
    @tw.op
    def f(x: tw.Tensor["*S"], *, a: float) -> tw.Tensor["*S"]:
        return tw.where(x * a >= 1, 5, -5)

    [reference] = evaluate(bind(f, (np.array([1 / 3, 0.5, 0.2], F32),), {"a": 3.0}))
    assert reference.bound.tolist() == [10.0, 0.0, 0.0]


def test_integers_are_exact() -> None:
    op = registry.get("sigmoid_cross_entropy_backward_from_probability")
    for kind in (np.int32, np.int16):
        rng = np.random.default_rng(5)
        info = np.iinfo(kind)
        g, p, y, w = (rng.integers(info.min, info.max, 1000, endpoint=True).astype(kind) for _ in range(4))
        [reference] = evaluate(bind(op, (g, p, y, w), {"reduction": "none"}))
        exact = [int(a) * int(b) * (int(c) - int(d)) for a, b, c, d in zip(w, g, p, y, strict=True)]
        wrapped = np.array([(e - info.min) % (1 << info.bits) + info.min for e in exact])
        assert np.array_equal(reference.value, wrapped)
        assert compare(wrapped.astype(kind), reference, op.data_types[3 if kind is np.int32 else 4]).passed


def test_logits_and_probability_forms_agree() -> None:
    logits = registry.get("binary_cross_entropy_with_logits_backward")
    form = registry.get("sigmoid_cross_entropy_backward_from_probability")
    rng = np.random.default_rng(7)
    x, t, w, g = rng.standard_normal((4, 500))
    p = (1 / (1 + np.exp(-x))).astype(F32)
    x, t, w, g = x.astype(F32), t.astype(F32), w.astype(F32), g.astype(F32)
    for reduction in ("none", "mean", "sum"):
        grad = g if reduction == "none" else g[0]
        [a] = evaluate(bind(logits, (grad, x, t, w), {"reduction": reduction}))
        [b] = evaluate(bind(form, (grad, p, t, w), {"reduction": reduction}))
        scale = np.abs(w * grad) / (500 if reduction == "mean" else 1)
        assert np.all(np.abs(a.value - b.value) <= 1e-6 * scale)


def test_broadcast_and_storage_orders_do_not_change_values() -> None:
    op = registry.get("binary_cross_entropy_with_logits_backward")
    rng = np.random.default_rng(9)
    g, x, t = (rng.standard_normal((2, 3, 4, 5)).astype(F32) for _ in range(3))
    w, p = rng.random((3, 1, 1)).astype(F32), rng.random(5).astype(F32)
    [plain] = evaluate(bind(op, (g, x, t, w, p), {"reduction": 0}))
    full = [np.broadcast_to(a, x.shape) for a in (w, p)]
    [expanded] = evaluate(bind(op, (g, x, t, *full), {"reduction": 0}))
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    [permuted] = evaluate(bind(op, (g, last, t, w, p), {"reduction": 0}))
    assert np.array_equal(plain.value, expanded.value)
    assert np.array_equal(plain.value, permuted.value)


def test_random_inputs() -> None:
    op = registry.get("binary_cross_entropy_backward")
    first = random_inputs(op, (100, 10), "f16", seed=4, present=["weight"])
    again = random_inputs(op, (100, 10), "f16", seed=4, present=["weight"])
    other = random_inputs(op, (100, 10), "f16", seed=5, present=["weight"])
    for name, value in first.items():
        assert value is not None
        assert np.array_equal(value, again[name])
        assert value.dtype == np.float16
        if value.size > 1:
            assert not np.array_equal(value, other[name])
            assert len(np.unique(value)) > 100
    assert first["grad_output"].shape == ()
    assert random_inputs(op, (3,), "f32", attributes={"reduction": 0})["grad_output"].shape == (3,)
    assert random_inputs(op, (3,), "f32")["weight"] is None
    for distribution in DISTRIBUTIONS.values():
        drawn = distribution(np.random.default_rng(0), 1000)
        assert drawn.dtype == F32
        assert len(np.unique(drawn)) > 100
