# ruff: noqa: F722, F821
"""The NumPy interpreter: the emitted linalg of every operator against float64, and what it says of loops."""

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.binding import bind
from tilewright.compare import compare
from tilewright.ops import registry
from tilewright.reference import evaluate
from tilewright.samples import random_inputs

pytest.importorskip("tilewright.mlir.ir")
from tilewright import interpret, verify

#: Axes of the main input -> shapes: one element, odd sizes, no inner dimension, several inner ones.
SHAPES: dict[str, list[tuple[int, ...]]] = {
    "N C *S": [(1, 1), (5, 3), (3, 4, 5), (2, 3, 4, 7), (1, 17, 9), (13, 1, 11)],
    "*B D": [(1,), (7,), (3, 4, 5), (33, 1), (1, 40)],
    "R C": [(1, 1), (3, 5), (8, 2)],
    "*S": [(), (37, 11), (2, 3, 4)],
}


def all_variants() -> list[tuple[str, Any]]:
    found = []
    for name in registry.NAMES:
        op = registry.get(name)
        for t in op.data_types:
            found += [(t, v) for v in op.variants(t)]
    return found


@pytest.mark.parametrize(("data_type", "variant"), all_variants(), ids=lambda v: getattr(v, "key", str(v)))
def test_every_variant_is_right(data_type: str, variant: Any) -> None:
    """The emitted linalg, executed in the types that it names, is within the bounds of the reference."""
    op = variant.op
    like = next(t for t in op.tensors if t.name == op.like)
    attributes: dict[str, Any] = dict(variant.static)
    present = [t.name for t, d in zip(op.tensors, variant.dtypes, strict=True) if t.spec.optional and d]
    shapes = list(enumerate(SHAPES[" ".join(like.spec.axes)]))
    # The half types differ in the last rounding only.
    for seed, shape in shapes if data_type == "f32" else shapes[1::3]:
        inputs = random_inputs(op, shape, data_type, seed=seed, attributes=attributes, present=present)
        binding = bind(op, (), {**inputs, **attributes})
        results = verify.run_linalg(binding)
        for got, expected, spec in zip(results, evaluate(binding), binding.signature.outputs, strict=True):
            outcome = compare(got, expected, spec.dtype)
            assert outcome.passed, f"{variant.key} {shape}: {outcome}"
            assert outcome.unbounded == 0


@pytest.mark.parametrize("name", ["batch_norm_backward", "batch_norm"])
def test_a_wrong_kernel_is_found(name: str) -> None:
    """The judgement can fail: one operation changed in the text."""
    op = registry.get(name)
    attributes = {"training": True} if name == "batch_norm" else {}
    binding = bind(op, (), {**random_inputs(op, (5, 3, 7), "f32", attributes=attributes), **attributes})
    from tilewright import emit

    text = emit.linalg(binding.variant.graph, binding.layout)
    wrong = text.replace("arith.subf", "arith.addf", 1)
    assert wrong != text
    results = verify.run_linalg(binding, wrong)
    outcomes = [
        compare(got, expected, spec.dtype).passed
        for got, expected, spec in zip(results, evaluate(binding), binding.signature.outputs, strict=True)
    ]
    assert not all(outcomes)


SUM = """
#full = affine_map<(r, a) -> (r, a)>
#kept = affine_map<(r, a) -> (a)>
func.func @f(%x: tensor<?x?xf32> {tw.name = "x"}, %start: tensor<?xf32> {tw.name = "start"})
    -> tensor<?xf32> attributes {tw.kernel} {
  %s = linalg.generic {indexing_maps = [#full, #kept], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) {
  ^bb0(%v: f32, %acc: f32):
    BODY
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("%r = arith.addf %acc, %v : f32\n linalg.yield %r : f32", lambda x, s: s + x.sum(0)),
        ("%r = arith.maximumf %v, %acc : f32\n linalg.yield %r : f32", lambda x, s: np.maximum(s, x.max(0))),
        # No plain combiner: the order of the rows matters.
        (
            "%h = arith.mulf %acc, %acc : f32\n %r = arith.subf %h, %v : f32\n linalg.yield %r : f32",
            lambda x, s: ((s * s - x[0]) ** 2 - x[1]) ** 2 - x[2],
        ),
    ],
)
def test_reductions(body: str, expected: Any) -> None:
    x = np.random.default_rng(0).integers(-3, 4, (3, 5)).astype(np.float32)
    start = np.arange(5, dtype=np.float32)
    [got] = interpret.interpret(SUM.replace("BODY", body), {"x": x, "start": start})
    assert np.array_equal(got, expected(x, start))


LOOPS = """
func.func @f(%x: tensor<?xf32> {tw.arg = "tensor:x"}, %out: tensor<?xf32> {tw.arg = "tensor:out0"},
             %n: i64 {tw.arg = "extent:0"}, %cores: i64 {tw.arg = "grid:cores"}) -> tensor<?xf32>
    attributes {tw.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %k = arith.index_cast %cores : i64 to index
  %size = arith.index_cast %n : i64 to index
  %share = arith.ceildivsi %size, %k : index
  %r = scf.forall (%core) in (%k) shared_outs(%o = %out) -> (tensor<?xf32>) {
    %at = arith.muli %core, %share : index
    %left = arith.subi %size, %at : index
    %own = arith.minsi %left, %share : index
    %in = tensor.extract_slice %x[%at] [%own] [1] : tensor<?xf32> to tensor<?xf32>
    %part = tensor.extract_slice %o[%at] [%own] [1] : tensor<?xf32> to tensor<?xf32>
    %sum = scf.for %i = %c0 to %own step %c1 iter_args(%acc = %part) -> (tensor<?xf32>) {
      %v = tensor.extract %in[%i] : tensor<?xf32>
      %even = arith.remsi %i, %c2 : index
      %is = arith.cmpi eq, %even, %c0 : index
      %w = scf.if %is -> f32 {
        %d = arith.addf %v, %v : f32
        scf.yield %d : f32
      } else {
        scf.yield %v : f32
      }
      %next = tensor.insert %w into %acc[%i] : tensor<?xf32>
      scf.yield %next : tensor<?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%at] [%own] [1] : tensor<?xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}
"""


def test_loops_and_slices() -> None:
    x = np.arange(1, 11, dtype=np.float32)
    given = {"x": x, "out0": np.full(10, np.nan, np.float32), "extent:0": 10, "grid:cores": 2}
    [got] = interpret.interpret(LOOPS, given)
    assert got.tolist() == [2, 2, 6, 4, 10, 12, 7, 16, 9, 20]
    assert np.isnan(given["out0"]).all(), "tensors are values: the destination stays what it was"
    with pytest.raises(IndexError, match="goes beyond the shape"):
        interpret.interpret(LOOPS, {**given, "extent:0": 12})


def test_an_unknown_operation_is_named() -> None:
    text = 'func.func @f(%x: f32 {tw.name = "x"}) -> f32 {\n %y = math.tan %x : f32\n return %y : f32\n}'
    with pytest.raises(interpret.UnknownOperationError, match=r"math\.tan"):
        interpret.interpret(text, {"x": np.float32(1)})


def test_elementwise_reference_in_plain_numpy() -> None:
    """The reference itself, against the formula written down once more."""

    @tw.op
    def standardise(x: tw.Tensor["N C *S"]) -> tuple[tw.Tensor["N C *S"], tw.Tensor["C"], tw.Tensor["C"]]:
        mean, var = tw.moments(x, over="N *S")
        return (x - mean) / tw.sqrt(var), tw.max(x, over="N *S"), tw.min(x, over="N *S")

    x = np.random.default_rng(1).standard_normal((6, 5, 7)).astype(np.float32) * 3 + 2
    exact = x.astype(np.float64)
    first, second, third = evaluate(bind(standardise, (x,)))
    mean, std = exact.mean((0, 2), keepdims=True), exact.std((0, 2), keepdims=True)
    np.testing.assert_allclose(first.value, (exact - mean) / std, rtol=1e-12, atol=1e-12)
    assert np.array_equal(second.value, exact.max((0, 2)))
    assert np.array_equal(third.value, exact.min((0, 2)))
