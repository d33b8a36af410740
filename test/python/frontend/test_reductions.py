# ruff: noqa: F722, F821
"""Reductions in the language, their canonical iteration, the emitted nests, and results of special kinds."""

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright import canonical
from tilewright.binding import bind, shape_signature
from tilewright.graph import Reduce
from tilewright.nests import Nests
from tilewright.ops import registry
from tilewright.samples import random_inputs

F32 = np.float32
backward = registry.get("batch_norm_backward")
forward = registry.get("batch_norm")


@tw.op
def centre(x: tw.Tensor["N C *S"], bias: tw.Tensor["C"] | None = None) -> tw.Tensor["N C *S"]:
    y = x - tw.sum(x, over="N *S") / tw.size("N *S")
    return y if bias is None else y + tw.exp(bias)


@tw.op
def by_row(
    x: tw.Tensor["*B D"], row: tw.Tensor["*B"], column: tw.Tensor["D"], some: tw.Broadcast["*B D"]
) -> tw.Tensor["*B D"]:
    return (x + row) * column * some / tw.max(x * some, over="D")


@tw.op
def beside(x: tw.Tensor["N C *S"], scale: tw.Tensor["C"]) -> tuple[tw.Tensor["N C *S"], tw.Tensor["N C *S"]]:
    """The first result waits for no sum, the second one for the first of two."""
    first = tw.sum(x, over="N *S")
    centred = x - first
    return x * tw.exp(scale), centred * tw.sum(centred, over="N *S")


@tw.op
def between(x: tw.Tensor["N C *S"]) -> tuple[tw.Tensor["N C *S"], tw.Tensor["C"]]:
    centred = x - tw.max(x, over="N *S")
    return centred, tw.sum(tw.exp(centred), over="N *S")


# -- the graph ------------------------------------------------------------------------------------------


def test_graph_text_and_levels() -> None:
    @tw.op
    def f(x: tw.Tensor["N C"]) -> tuple[tw.Tensor["C"], tw.Tensor["N C"]]:
        mean, var = tw.moments(x, over="N")
        return tw.var(x, over="N") + tw.mean(x, over="N"), (x - mean) / var

    graph = next(f.variants("f32")).graph
    text = graph.text()
    assert "sum %0 over [N] : f32[C]" in text
    assert graph.reduced == ("N",)
    # Mean and variance share their sums: one in the first pass, two in the second.
    assert sorted(graph.levels[i] for i, n in enumerate(graph.nodes) if isinstance(n, Reduce)) == [1, 2, 2]
    assert graph.levels[graph.results[1].node] == 2


def test_axes_of_a_reduction() -> None:
    @tw.op
    def f(x: tw.Tensor["N C *S"]) -> tw.Tensor["C"]:
        return tw.min(x, over="*S N")  # in any order

    graph = next(f.variants("f32")).graph
    [node] = [n for n in graph.nodes if isinstance(n, Reduce)]
    assert (node.op, node.over, node.axes) == ("min", ("N", "*S"), ("C",))


def test_variants_may_reduce_over_different_axes() -> None:
    @tw.op
    def f(x: tw.Tensor["N C"], *, rows: bool) -> tw.Tensor["C"] | tw.Tensor["N"]:
        return tw.sum(x, over="N") if rows else tw.sum(x, over="C")

    x = np.ones((2, 3), F32)
    assert bind(f, (x,), {"rows": True}).signature.outputs[0].shape == (3,)
    assert bind(f, (x,), {"rows": False}).signature.outputs[0].shape == (2,)


# -- the canonical iteration ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "dims", "kept", "extents", "moved"),
    [
        ((0, 1, 2), (2, 3, 5), {1}, (2, 3, 5), False),
        ((0, 2, 1), (2, 3, 5), {1}, (10, 3, 1), False),  # channels-last
        ((0, 1, 2, 3), (2, 3, 5, 7), {1}, (2, 3, 35), False),
        ((0, 1), (2, 3), {1}, (2, 3, 1), False),
        ((0, 1, 2), (2, 1, 5), {1}, (1, 1, 10), False),  # one channel: one run
        ((0, 1, 2), (1, 3, 5), {1}, (1, 3, 5), False),
        ((0, 1, 2), (2, 3, 1), {1}, (2, 3, 1), False),
        ((0, 1, 2), (2, 3, 5), {0, 1}, (1, 6, 5), False),  # rows
        ((0, 1, 2), (2, 3, 5), {1, 2}, (2, 15, 1), False),
        ((0, 1, 2), (2, 3, 5), set[int](), (1, 1, 30), False),  # everything
        ((0, 1, 2), (2, 3, 5), {0, 2}, (1, 10, 3), True),  # A R A: kept ones first
        ((0, 1, 2), (2, 1, 5), {0, 2}, (1, 10, 1), False),  # nothing to reduce is no obstacle
        ((0, 1, 2), (2, 3, 1), {0, 2}, (1, 2, 3), False),
        ((0, 1), (0, 3), {1}, (0, 3, 1), False),
        ((0, 1), (2, 0), {1}, (2, 0, 1), False),
        ((), (), set[int](), (1, 1, 1), False),
        ((0, 1, 2, 3), (2, 3, 5, 7), {0, 2}, (1, 10, 21), True),
    ],
)
def test_canonical_view(order: Any, dims: Any, kept: Any, extents: Any, moved: bool) -> None:
    view = canonical.view(order, dims, kept)
    assert (view.extents, view.moved) == (extents, moved)
    assert sorted(view.order) == sorted(order)


def last(a: Any) -> Any:
    """A copy in channels-last order, with the logical shape of ``a``."""
    return np.moveaxis(np.ascontiguousarray(np.moveaxis(a, 1, -1)), -1, 1)


@pytest.mark.parametrize(
    ("shape", "channels_last", "extents"),
    [
        ((4, 3), False, (4, 3, 1)),
        ((4, 3, 5), False, (4, 3, 5)),
        ((4, 3, 5, 2), False, (4, 3, 10)),
        ((4, 3, 5, 2, 2), True, (80, 3, 1)),
        ((1, 3, 5, 2), True, (10, 3, 1)),
        ((1, 3, 1, 1), True, (1, 3, 1)),
    ],
)
def test_one_layout_class_for_all_shapes(shape: Any, channels_last: bool, extents: Any) -> None:
    x = np.random.default_rng(0).random(shape).astype(F32)
    x = last(x) if channels_last else x
    c = np.ones(shape[1], F32)
    binding = bind(backward, (np.ascontiguousarray(x), x, c, c, c))
    assert binding.layout.text() == "3: 111 111 010 010 010 -> 111 010 010"
    assert binding.extents == extents
    first, second = binding.inputs[:2]
    # Both lie in the order of the input, whose array is taken as it is; the gradient was copied to it.
    assert np.shares_memory(second, x)
    assert [s for s, n in zip(first.strides, first.shape, strict=True) if n > 1] == [
        s for s, n in zip(second.strides, second.shape, strict=True) if n > 1
    ]
    grad = binding.signature.outputs[0].allocate()
    assert grad.shape == shape
    assert grad.strides == x.strides


def test_forms_follow_the_declared_axes() -> None:
    x, row, column = np.ones((4, 5), F32), np.ones(4, F32), np.ones(5, F32)
    for shape in ((4, 5), (1, 5), (4, 1), (1, 1)):
        a = np.ones(shape, F32)
        binding = bind(by_row, (a, a[:, 0], a[0], a))
        assert binding.layout.text() == "3: 111 010 001 111 -> 111", shape
    assert bind(by_row, (x, row, column, np.ones((), F32))).layout.text() == "3: 111 010 001 000 -> 111"
    assert bind(by_row, (x, row, column, np.ones((4, 1), F32))).layout.text() == "3: 111 010 001 010 -> 111"
    flat = bind(by_row, (column, np.ones((), F32), column, column))
    assert flat.layout.text() == "3: 111 010 001 111 -> 111"
    assert flat.extents == (1, 1, 5)


def test_inputs_that_cover_a_part_of_a_run_are_spread() -> None:
    x = np.arange(24, dtype=F32).reshape(2, 3, 4)
    some = np.arange(3, dtype=F32).reshape(3, 1)  # varies along one of the two dimensions of *B
    binding = bind(by_row, (x, x[..., 0], x[0, 0], some))
    assert binding.layout.text() == "3: 111 010 001 010 -> 111"
    assert binding.inputs[3].tolist() == [0, 1, 2, 0, 1, 2] or binding.inputs[3].tolist() == [[0, 1, 2]] * 2
    assert binding.signature.input_counts == (24, 6, 4, 6)
    both = bind(by_row, (x, x[..., 0], x[0, 0], x[0]))  # along a part of *B, and D
    assert both.layout.text() == "3: 111 010 001 111 -> 111"
    assert np.array_equal(both.inputs[3], np.broadcast_to(x[0], x.shape))


def test_reduction_over_a_middle_axis_is_copied_and_copied_back() -> None:
    x = np.random.default_rng(3).standard_normal((2, 7, 5)).astype(F32)
    softmax = registry.get("softmax")
    view = np.moveaxis(x, 1, -1)
    binding = bind(softmax, (view,))
    assert binding.extents == (1, 10, 7)
    assert np.ravel(binding.inputs[0], order="K").tolist() == np.ascontiguousarray(view).ravel().tolist()
    stored = binding.signature.outputs[0].allocate()
    assert stored.flags.c_contiguous
    stored[...] = view
    result = binding.wrap([stored])
    assert np.array_equal(result, view)
    assert result.strides == view.strides, "in the memory order of the input"


def test_everything_is_one_run() -> None:
    loss = registry.get("binary_cross_entropy")
    x = np.full((2, 3, 4), 0.5, F32)
    binding = bind(loss, (x, x, x[0, 0]), {"reduction": "sum"})
    assert binding.layout.text() == "3: 111 111 111 -> 010"
    assert binding.extents == (1, 1, 24)
    assert binding.signature.outputs[0].shape == ()


def test_sizes_are_counted_in_64_bits() -> None:
    shape = (70000, 3, 70000)
    shapes = {"grad_output": shape, "input": shape, "save_mean": (3,), "save_invstd": (3,)}
    signature = shape_signature(backward, shapes, dict.fromkeys(shapes, "f32"))
    assert signature.extents == shape
    assert signature.input_counts[0] == 14_700_000_000
    assert signature.sizes["N"] * signature.sizes["*S"] == 4_900_000_000
    with pytest.raises(tw.ShapeError, match="TW2015"):
        shape_signature(
            backward,
            {**shapes, "grad_output": (2**31, 3, 2**31), "input": (2**31, 3, 2**31)},
            dict.fromkeys(shapes, "f32"),
        )


# -- results of special kinds ----------------------------------------------------------------------------


def test_masked_results_are_not_computed() -> None:
    inputs = random_inputs(backward, (4, 3, 5), "f32")
    for mask in [(True, False, False), (False, True, False), (False, False, True), (True, False, True)]:
        binding = bind(backward, (), {**inputs, "output_mask": mask})
        graph = binding.variant.graph
        assert [r.name for r in graph.results] == [f"out{i}" for i in range(3) if mask[i]]
        reductions = sum(isinstance(n, Reduce) for n in graph.nodes)
        assert reductions == (2 if mask[0] else mask[1] + mask[2])
        arrays = [np.zeros(o.shape, F32) for o in binding.signature.outputs]
        assert [r is not None for r in binding.wrap(arrays)] == list(mask)
    assert bind(backward, (), {**inputs, "output_mask": [True, True, True]}).variant.key.endswith("111)")


def test_result_types_follow_an_input() -> None:
    inputs = random_inputs(backward, (4, 3), "bf16", types={"save_mean": "bf16"}, present=["weight"])
    assert [o.dtype for o in bind(backward, (), inputs).signature.outputs] == ["bf16", "f32", "f32"]
    half = {**inputs, "weight": np.ones(3, ml_dtypes.bfloat16)}
    assert [o.dtype for o in bind(backward, (), half).signature.outputs] == ["bf16", "bf16", "bf16"]
    assert [o.dtype for o in bind(backward, (), {**inputs, "weight": None}).signature.outputs][1] == "f32"


def test_updates_are_written_over_the_inputs() -> None:
    x = np.ones((4, 3), np.float16)
    mean, var = np.zeros(3, F32), np.zeros(6, np.float16)[::2]
    binding = bind(forward, (x, None, None, mean, var), {"training": True})
    signature = binding.signature
    assert [o.dtype for o in signature.outputs] == ["f16", "f32", "f32", "f32", "f16"]
    arrays = [
        np.full(o.shape, i + 1.0).astype(o.dtype.replace("f", "float"))
        for i, o in enumerate(signature.outputs)
    ]
    results = binding.wrap(arrays)
    assert len(results) == 3
    assert mean.tolist() == [4, 4, 4]
    assert var.tolist() == [5, 5, 5], "also where the caller's array is a view"
    mean[:] = -0.0
    still = bind(forward, (x, None, None, mean, var), {"training": True, "momentum": 0})
    still.wrap(arrays)
    assert np.signbit(mean).all(), "bit for bit with momentum 0"
    inference = bind(forward, (x, None, None, mean, var))
    assert inference.targets == ()
    assert [r is None for r in inference.wrap(arrays[:1])] == [False, True, True]
    assert not inference.variant.graph.reduced


@pytest.mark.parametrize("shape", [(0, 3), (0, 3, 4, 4), (2, 3, 0, 5)])
def test_nothing_to_reduce(shape: tuple[int, ...]) -> None:
    c = np.full(3, 2.0, F32)
    binding = bind(backward, (np.zeros(shape, F32),) * 2 + (c, c, c))
    assert binding.empty
    grad, grad_weight, grad_bias = binding.wrap(binding.unlaunched())
    assert grad.shape == shape
    assert not grad_weight.any()
    assert not grad_bias.any()
    mean, var = c.copy(), c.copy()
    binding = bind(forward, (np.zeros(shape, F32), c, c, mean, var), {"training": True})
    output, save_mean, save_invstd = binding.wrap(binding.unlaunched())
    assert output.shape == shape
    assert save_mean.shape == save_invstd.shape == (3,)
    assert mean.tolist() == var.tolist() == [2, 2, 2], "running statistics stay"
    stats = bind(registry.get("batch_norm_stats"), (np.zeros(shape, F32),))
    assert [a.tolist() for a in stats.wrap(stats.unlaunched())] == [[0, 0, 0], [0, 0, 0]]


def test_nothing_to_reduce_in_losses_and_no_channels() -> None:
    loss, x = registry.get("binary_cross_entropy"), np.zeros((0, 3), F32)
    for reduction, value in (("mean", np.nan), ("sum", 0.0)):
        binding = bind(loss, (x, x), {"reduction": reduction})
        assert binding.empty
        result = binding.wrap(binding.unlaunched())
        assert result.shape == ()
        np.testing.assert_equal(result[()], value)
    c = np.zeros(0, F32)
    binding = bind(backward, (np.zeros((2, 0, 3), F32),) * 2 + (c, c, c))
    assert binding.empty
    assert [r.shape for r in binding.wrap(binding.unlaunched())] == [(2, 0, 3), (0,), (0,)]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.float32, np.float16, ml_dtypes.bfloat16])
def test_counts_of_any_type(kind: Any) -> None:
    gather = registry.get("batch_norm_gather_stats_with_counts")
    s = np.ones((3, 2), F32)
    binding = bind(gather, (s, s, None, None, np.array([3, 0, 1]).astype(kind)))
    assert binding.inputs[2].dtype == F32
    assert binding.inputs[2].tolist() == [3, 0, 1]
    assert binding.layout.text() == "3: 111 111 100 -> 010 010"


def test_total_of_counts() -> None:
    elemt = registry.get("batch_norm_backward_elemt")
    x, c = np.ones((2, 3), F32), np.ones(3, F32)
    for count in (np.array([3, 2**24, 1]), np.array([[5]], np.int32), np.float32(7)):
        binding = bind(elemt, (x, x, c, c, c, c, c, np.asarray(count)))
        assert binding.inputs[-1].shape == ()
        assert binding.inputs[-1] == F32(np.sum(count))


# -- the emitted nests ------------------------------------------------------------------------------------


def test_nests_of_the_forward_pass() -> None:
    x, c = np.ones((4, 3, 5), F32), np.ones(3, F32)
    binding = bind(forward, (x, c, c, c.copy(), c.copy()), {"training": True})
    nests = Nests(binding.variant.graph, binding.layout)
    assert [len(level.reductions) for level in nests.levels] == [1, 2, 0]
    assert [len(level.channel) for level in nests.levels] == [0, 1, 5]  # first mean; mean, scale, results
    assert [[r.name for r in level.full] for level in nests.levels] == [[], [], ["out0"]]


def test_a_channel_value_is_computed_once() -> None:
    """exp(bias) is used after the reduction only, so the last channel nest has it, not the first."""
    x, c = np.ones((4, 3, 5), F32), np.ones(3, F32)
    binding = bind(centre, (x, c))
    graph = binding.variant.graph
    nests = Nests(graph, binding.layout)
    assert nests.levels[0].channel == ()
    assert sorted(graph.nodes[i].body().split()[0] for i in nests.levels[1].channel) == ["div", "exp"]
    read, computed = nests.needed([r.node for r in nests.levels[-1].full], {*nests.levels[1].channel, 0})
    assert len(read) == 3
    assert all(graph.nodes[i].axes == ("N", "C", "*S") for i in computed)


def test_a_result_is_written_by_the_first_pass_that_can() -> None:
    binding = bind(beside, (np.ones((4, 3, 5), F32), np.ones(3, F32)))
    graph = binding.variant.graph
    levels = Nests(graph, binding.layout).levels
    assert [len(level.reductions) for level in levels] == [1, 1, 0]
    assert [[r.name for r in level.full] for level in levels] == [["out0"], [], ["out1"]]
    assert [graph.nodes[i].body().split()[0] for i in levels[0].channel] == ["exp"]
    binding = bind(between, (np.ones((4, 3, 5), F32),))
    levels = Nests(binding.variant.graph, binding.layout).levels
    assert [[r.name for r in level.full] for level in levels] == [[], ["out0"], []]


def operations(text: str) -> list[str]:
    """Nests and fills in order, with their iterators, loops and inputs."""
    return [
        re.sub(r".*iterator_types = \[([^]]*)\].*", r"\1", line) if "linalg.generic" in line else "fill"
        for line in text.splitlines()
        if "linalg.generic" in line or "linalg.fill" in line
    ]


def test_emitted_form() -> None:
    pytest.importorskip("tilewright.mlir.ir")
    from tilewright import emit

    x, c = np.ones((4, 3, 5), np.float16), np.ones(3, F32)
    binding = bind(forward, (x, c, None, c.copy(), c.copy()), {"training": True})
    text = emit.linalg(binding.variant.graph, binding.layout)
    assert text == emit.linalg(binding.variant.graph, binding.layout)
    assert "attributes {tw.kernel, tw.reduction}" in text
    reduction = '"reduction", "parallel", "reduction"'
    assert operations(text) == [
        "fill",
        reduction,
        '"parallel"',
        "fill",
        "fill",
        reduction,
        '"parallel"',
        '"parallel", "parallel", "parallel"',
    ]
    assert "linalg.index" not in text
    assert text.count("tensor<?x?x?xf32>") == 0, "nothing full-sized passes between nests"
    bodies = re.findall(r"iterator_types = \[\"reduction.*?linalg\.yield", text, re.DOTALL)
    for body in bodies:
        sums = [line for line in body.splitlines() if "arith.addf %out" in line]
        assert sums == body.splitlines()[-1 - len(sums) : -1], "the combiners come last, accumulator first"


def test_neutral_elements() -> None:
    pytest.importorskip("tilewright.mlir.ir")
    from tilewright import emit

    @tw.op
    def f(x: tw.Tensor["N C"]) -> tuple[tw.Tensor["C"], tw.Tensor["C"], tw.Tensor["C"]]:
        return tw.sum(x, over="N"), tw.max(x, over="N"), tw.min(x, over="N")

    binding = bind(f, (np.ones((4, 3), F32),))
    text = emit.linalg(binding.variant.graph, binding.layout)
    assert "arith.constant 0.0" in text
    assert "0xFF800000" in text
    assert "0x7F800000" in text
    assert text.count("linalg.generic") == 2, "three reductions in one nest, one channel nest for the results"
