# ruff: noqa: F722, F821
"""Graphs, variants, layout classes and bindings."""

import ast
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from tilewright.binding import Binding, bind, shape_signature
from tilewright.layout import Layout, merge
from tilewright.ops import registry

F32 = np.float32
elu = registry.get("elu_backward")
logits = registry.get("binary_cross_entropy_with_logits_backward")


def test_graph_text() -> None:
    variant = elu.variant("f16", ("f16", "f16"), {"is_result": True, "out_dtype": "T"})
    assert variant.key == "elu_backward(grad_output=f16, self_or_result=f16; is_result=true, out_dtype=f16)"
    assert variant.text() == textwrap.dedent("""\
        graph elu_backward
          %0 = input grad_output tensor : f16[*S]
          %1 = input self_or_result tensor : f16[*S]
          %2 = convert %0 : f32[*S]
          %3 = scalar input_scale : f32[]
          %4 = mul %2 %3 : f32[*S]
          %5 = convert %1 : f32[*S]
          %6 = scalar mul(alpha, scale) : f32[]
          %7 = add %5 %6 : f32[*S]
          %8 = mul %4 %7 : f32[*S]
          %9 = constant 0.0 : f32[]
          %10 = gt %5 %9 : i1[*S]
          %11 = scalar scale : f32[]
          %12 = mul %2 %11 : f32[*S]
          %13 = select %10 %12 %8 : f32[*S]
          %14 = convert %13 : f16[*S]
          out0[*S] <- %14
    """)


def test_graph_text_is_the_same_in_every_process() -> None:
    program = (
        "from tilewright.ops import registry\n"
        "for n in registry.NAMES:\n"
        "    op = registry.get(n)\n"
        "    for t in op.data_types:\n"
        "        for v in op.variants(t, all_types=True): print(v.key, v.text())\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(p for p in sys.path if p)},
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]
    assert runs[0].count("graph ") > 100


def test_source_lines_do_not_change_the_text() -> None:
    source = textwrap.dedent("""
        import tilewright as tw
        @tw.op
        def f(x: tw.Tensor["*S"], *, a: float = 2.0) -> tw.Tensor["*S"]:
            return x * a + tw.exp(x)
    """)
    texts, lines = [], []
    for shift in (0, 7):
        names: dict[str, Any] = {}
        exec(compile("\n" * shift + source, "shifted.py", "exec"), names)
        graph = next(names["f"].variants("f32")).graph
        texts.append(graph.text())
        lines.append(graph.nodes[-1].site.line)
    assert texts[0] == texts[1]
    assert lines[1] - lines[0] == 7


def test_future_annotations_and_locals() -> None:
    source = textwrap.dedent("""
        from __future__ import annotations
        import tilewright as tw
        from typing import Literal
        def make():
            axes = "N *S"
            @tw.op
            def f(x: tw.Tensor[axes], w: tw.Tensor["N"] | None = None, *, m: Literal["a", "b"] = "a"
                  ) -> tw.Tensor[axes]:
                return x + x if w is None else x * w
            return f
    """)
    names: dict[str, Any] = {}
    exec(source, names)
    f = names["make"]()
    assert f.tensors[0].spec.axes == ("N", "*S")
    assert f.tensors[1].spec.optional
    assert len(list(f.variants("f32"))) == 4


def test_attribute_expressions_are_evaluated_once_in_float64() -> None:
    v = np.ones(3, F32)
    scalars = bind(elu, (v, v), {"alpha": 1e300, "scale": 1e-300, "input_scale": 0.1}).scalars
    assert scalars == (float(F32(0.1)), float(F32(0.1)), float(F32(1e-300)))
    twice = bind(elu, (v, v), {"alpha": 0.1, "scale": 0.1, "input_scale": 0.3}).scalars
    assert twice[0] == float(F32(0.1 * 0.1 * 0.3))
    assert twice[0] != float(F32(0.1) * F32(0.1) * F32(0.3))


@pytest.mark.parametrize("value", [0.0, -0.0])
def test_signed_zero_attributes_are_kept_apart(value: float) -> None:
    v = np.ones(3, F32)
    bind(elu, (v, v), {"scale": -value})
    assert np.signbit(bind(elu, (v, v), {"scale": value}).scalars[2]) == np.signbit(value)


def test_equal_scalars_and_values_are_shared() -> None:
    @tw.op
    def f(x: tw.Tensor["*S"], *, a: float = 1.0) -> tw.Tensor["*S"]:
        return tw.exp(x * (2 * a)) + tw.exp(x * (2 * a)) * (2 * a)

    graph = next(f.variants("f32")).graph
    assert len(graph.scalars) == 1
    assert graph.text().count("exp") == 1


def test_integers_wrap_and_int_attributes() -> None:
    @tw.op(data_types="i32 i16")
    def f(x: tw.Tensor["*S"], *, n: int = 3) -> tw.Tensor["*S"]:
        return -x * (n + 1) + abs(x)

    binding = bind(f, (np.ones(3, np.int16),), {"n": 2**31 - 1})
    assert binding.scalars == (-(2**31),)
    assert "scalar add(n, 1) : i32" in binding.variant.text()


def test_an_operator_inside_another_is_inlined() -> None:
    @tw.op
    def twice(g: tw.Tensor["*S"], x: tw.Tensor["*S"], *, alpha: float = 1.0) -> tw.Tensor["*S"]:
        return 2 * elu(g, x, alpha=alpha)

    text = next(twice.variants("f32")).text()
    assert "exp" in text
    assert "scalar mul(mul(alpha, 1.0), 1.0)" in text


def test_named_axes_broadcast() -> None:
    @tw.op
    def f(x: tw.Tensor["N C *S"], w: tw.Tensor["C"]) -> tw.Tensor["N C *S"]:
        return w * x

    x, w = np.ones((2, 3, 4, 5), F32), np.ones(3, F32)
    binding = bind(f, (x, w))
    assert binding.layout.text() == "3: 111 010 -> 111"
    assert binding.extents == (2, 3, 20)
    last = bind(f, (np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2), w))
    # A kernel with one kind of operand for channels has the canonical axes, so one binary serves all layouts.
    assert last.layout == binding.layout
    assert last.extents == (40, 3, 1)
    assert bind(f, (np.ones((7, 3), F32), w)).layout == last.layout


def test_operands_along_different_axes_broadcast() -> None:
    @tw.op
    def f(x: tw.Tensor["N C *S"], w: tw.Tensor["C"], v: tw.Tensor["N C"]) -> tw.Tensor["N C *S"]:
        return w * x + v

    x, w = np.ones((2, 3, 4, 5), F32), np.ones(3, F32)
    binding = bind(f, (x, w, x[:, :, 0, 0]))
    assert binding.layout.text() == "3: 111 010 110 -> 111"
    assert binding.extents == (2, 3, 20)
    last = np.ascontiguousarray(x.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    assert bind(f, (last, w, x[:, :, 0, 0])).layout.text() == "3: 111 001 101 -> 111"


def test_several_results_of_different_shapes_and_types() -> None:
    @tw.op
    def f(x: tw.Tensor["N C"], w: tw.Tensor["C"]) -> tuple[tw.Tensor["N C"], tw.Tensor["C", "f32"]]:
        return x * w, tw.exp(w)

    signature = bind(f, (np.ones((2, 3), np.float16), np.ones(3, np.float16))).signature
    assert [(o.shape, o.dtype) for o in signature.outputs] == [((2, 3), "f16"), ((3,), "f32")]
    assert signature.layout.text() == "2: 11 01 -> 11 01"


@pytest.mark.parametrize(
    "shape", [(), (1,), (1, 1, 1), (7,), (2, 3), (2, 1, 3), (1, 2, 3, 4, 5, 6, 7, 8), (0,), (3, 0, 2)]
)
def test_equal_shapes_are_one_flat_class(shape: tuple[int, ...]) -> None:
    x = np.ones(shape, F32)
    binding = bind(elu, (x, x))
    assert binding.layout == Layout.flat(2)
    assert binding.extents == (x.size,)
    assert binding.empty == (x.size == 0)
    assert binding.signature.outputs[0].shape == shape


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3)])
@pytest.mark.parametrize("grad", [(), (1,), (1, 1)])
def test_one_element_gradients_are_one_class(shape: tuple[int, ...], grad: tuple[int, ...]) -> None:
    x = np.ones(shape, F32)
    binding = bind(logits, (np.ones(grad, F32), x, x), {"reduction": "mean"})
    assert binding.layout.text() == "1: 0 1 1 -> 1"
    assert binding.scalars == (float(x.size),)
    assert binding.inputs[0].shape == ()


def test_broadcast_rows_and_columns() -> None:
    x = np.ones((5, 7), F32)
    binding = bind(logits, (x, x, x, x[:, :1], x[0]), {"reduction": 0})
    assert binding.layout.text() == "2: 11 11 11 10 01 -> 11"
    assert binding.extents == (5, 7)
    for i, expected in enumerate([(5, 7), (5, 7), (5, 7), (5, 1), (7,)]):
        assert binding.inputs[i].shape == expected
        assert binding.inputs[i].size == binding.signature.input_counts[i]


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 1, 0, 2)])
def test_dense_storage_orders_are_taken_as_they_are(order: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    stored = rng.standard_normal([(2, 3, 4, 5)[d] for d in order]).astype(F32)
    x = stored.transpose(np.argsort(order))
    g = rng.standard_normal((2, 3, 4, 5)).astype(F32)
    binding = bind(elu, (g, x))
    assert binding.inputs[1] is x
    assert binding.inputs[0].strides == x.strides
    assert np.array_equal(binding.inputs[0], g)
    result = binding.signature.outputs[0].allocate()
    assert result.shape == x.shape
    assert result.strides == x.strides


@pytest.mark.parametrize(
    "view",
    [
        lambda: np.broadcast_to(np.array([[1.0], [2.0]], F32), (2, 6)),
        lambda: np.arange(24, dtype=F32).reshape(2, 12)[:, ::2],
        lambda: np.arange(12, dtype=F32)[::-1].reshape(2, 6)[:, ::-1],
        lambda: np.arange(18, dtype=F32).reshape(3, 6)[1:, :],
    ],
)
def test_other_strides_are_copied(view: Any) -> None:
    x = view()
    before = x.copy()
    binding = bind(elu, (x, np.ones((2, 6), F32)))
    got = binding.inputs[0]
    assert np.array_equal(got, before)
    assert got.flags.c_contiguous
    assert np.array_equal(x, before)


def test_unaligned_arrays_are_copied() -> None:
    raw = np.zeros(4 * 4 + 1, np.uint8)[1:].view(F32)
    raw[:] = [1, 2, 3, 4]
    binding = bind(elu, (raw, raw))
    assert binding.inputs[0].__array_interface__["data"][0] % 4 == 0
    assert np.array_equal(binding.inputs[0], raw)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 1, 0, 2)])
def test_unaligned_arrays_keep_their_storage_order(order: tuple[int, ...]) -> None:
    """Dense arrays are taken in storage order; the copy of an unaligned one must not change that order."""
    values = np.random.default_rng(0).normal(size=(2, 3, 4, 5)).astype(F32)
    stored = np.ascontiguousarray(values.transpose(order))
    raw = np.zeros(values.nbytes + 1, np.uint8)
    raw[1:] = np.frombuffer(stored.tobytes(), np.uint8)
    unaligned = raw[1:].view(F32).reshape(stored.shape).transpose(np.argsort(order))
    assert not unaligned.flags.aligned
    assert np.array_equal(unaligned, values)
    binding = bind(elu, (values, unaligned))
    own = binding.inputs[1]
    assert own.flags.aligned
    assert np.array_equal(own, values)
    assert own.strides == stored.transpose(np.argsort(order)).strides
    one = raw[1:5].view(F32)
    bound = bind(logits, (one, unaligned, values), {"reduction": "mean"})
    assert bound.inputs[0].flags.aligned


def test_signatures_are_found_again() -> None:
    x = np.ones((3, 4), F32)
    first = bind(elu, (x, x), {"alpha": 2.0})
    again = bind(elu, (x.copy(), x.copy()), {"alpha": 3.0})
    assert first.signature is again.signature
    assert first.scalars != again.scalars
    assert bind(elu, (x, x), {"is_result": True}).signature is not first.signature
    half = x.astype(ml_dtypes.bfloat16)
    assert bind(elu, (half, half)).variant.dtypes == ("bf16", "bf16")


def test_names_codes_and_aliases() -> None:
    x = np.ones(3, F32)
    by_code = bind(logits, (), {"grad": x[0], "input": x, "target": x, "reduction": 2})
    by_name = bind(logits, (x[0], x, x), {"reduction": "sum"})
    numpy_code = bind(logits, (x[0], x, x), {"reduction": np.int64(2)})
    assert by_code.variant is by_name.variant is numpy_code.variant


@pytest.mark.parametrize(
    "shape", [(1, 8, 3, 3), (5, 1, 2, 2), (1, 1, 4, 1), (2, 3, 1, 1, 4, 1), (1, 6), (6, 1)]
)
@pytest.mark.parametrize("order", ["contiguous", "channels last", "reversed"])
def test_results_have_the_strides_of_the_input_in_dimensions_of_size_one(
    shape: tuple[int, ...], order: str
) -> None:
    """torch reads the memory format from the strides, also where a size of 1 makes them irrelevant."""
    logical = tuple(range(len(shape)))
    stored = {
        "contiguous": logical,
        "channels last": (0, *logical[2:], 1),
        "reversed": logical[::-1],
    }[order]
    x = np.zeros([shape[d] for d in stored], F32).transpose(np.argsort(stored))
    binding = bind(elu, (np.zeros(shape, F32), x))
    assert binding.signature.outputs[0].allocate().strides == x.strides
    assert binding.layout.text() == "1: 1 1 -> 1"


def test_an_input_may_be_called_self() -> None:
    """torch names it so; it must not meet the self of a method."""
    x = np.linspace(0.1, 0.9, 5, dtype=F32)
    op = registry.get("binary_cross_entropy_backward")
    got = op(self=x, target=x, grad_output=x[:1])
    assert np.array_equal(got, np.zeros(5, F32))


def test_output_type_attribute() -> None:
    h = np.ones(3, np.float16)
    kinds = [
        bind(elu, (h, h), {"out_dtype": d}).signature.outputs[0].dtype for d in ("T", None, "f32", np.float32)
    ]
    assert kinds == ["f16", "f16", "f32", "f32"]
    x = h.astype(F32)
    assert bind(elu, (x, x), {"out_dtype": "f32"}).variant is bind(elu, (x, x)).variant


def test_shapes_alone() -> None:
    """TC-24: more than 2^31 elements, without data."""
    shape = (1, 1, 65536, 32769)
    signature = shape_signature(
        elu,
        dict.fromkeys(("grad_output", "self_or_result"), shape),
        dict.fromkeys(("grad_output", "self_or_result"), "f32"),
    )
    assert signature.extents == (2_147_549_184,)
    assert signature.layout == Layout.flat(2)


def test_merge() -> None:
    full, row, one = (True,) * 4, (False, True, True, False), (False,) * 4
    extents, masks = merge((2, 3, 4, 5), (full, row, one), (True, False, False))
    assert extents == (2, 12, 5)
    assert masks == ((True, True, True), (False, True, False), (False, False, False))
    assert merge((1, 1), ((True, True), (False, False)), (True, False)) == ((1,), ((True,), (False,)))
    assert merge((2, 1, 3), ((True, True, True),), (True,)) == ((6,), ((True,),))


class _Torch:
    """The few parts of torch that a binding touches, on NumPy memory."""

    int16, bfloat16 = "int16", "bfloat16"

    class Tensor:
        def __init__(self, array: Any, dtype: str) -> None:
            self.array, self.dtype = array, f"torch.{dtype}"
            self.device = type("device", (), {"type": "cpu"})()

        def data_ptr(self) -> int:
            return 0

        def detach(self) -> "_Torch.Tensor":
            return self

        def view(self, dtype: str) -> "_Torch.Tensor":
            kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.int16
            return _Torch.Tensor(self.array.view(kind), dtype)

        def numpy(self) -> Any:
            if self.dtype == "torch.bfloat16":
                raise TypeError("Got unsupported ScalarType BFloat16")
            return self.array

    @staticmethod
    def from_numpy(a: Any) -> "_Torch.Tensor":
        return _Torch.Tensor(a, a.dtype.name)


_Torch.Tensor.__module__ = "torch"


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_torch_tensors_without_torch(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", _Torch)  # type: ignore[arg-type]
    array = np.arange(6).reshape(2, 3).astype(dtype if dtype == "float32" else ml_dtypes.bfloat16)
    x = _Torch.Tensor(array, dtype)
    binding: Binding = bind(elu, (x, x))
    assert binding.inputs[0].dtype == array.dtype
    assert binding.inputs[0].__array_interface__["data"][0] == array.__array_interface__["data"][0]
    result = binding.wrap([binding.signature.outputs[0].allocate()])
    assert isinstance(result, _Torch.Tensor)
    assert result.dtype == f"torch.{dtype}"


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch", minversion="2")
    x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last).requires_grad_()
    binding = bind(elu, (x, x))
    assert binding.signature.outputs[0].order == (0, 2, 3, 1)
    assert binding.wrap([binding.signature.outputs[0].allocate()]).is_contiguous(
        memory_format=torch.channels_last
    )
    b = torch.randn(5).bfloat16()
    assert bind(elu, (b, b)).variant.dtypes == ("bf16", "bf16")


def test_literal_numbers_are_choices() -> None:
    @tw.op
    def f(x: tw.Tensor["*S"], *, n: Literal[1, 2] = 1) -> tw.Tensor["*S"]:
        return x * n

    x = np.ones(3, F32)
    assert "constant 2.0" in bind(f, (x,), {"n": 2}).variant.text()
    with pytest.raises(tw.ShapeError, match="TW2012"):
        bind(f, (x,), {"n": 0})


def test_importing_the_package_is_quick_and_lazy() -> None:
    program = (
        "import sys, tilewright\n"
        "print(sorted(m for m in sys.modules if m.startswith(('tilewright.', 'numpy'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": ":".join(p for p in sys.path if p)},
    )
    assert done.stdout.strip() == "[]"


def test_every_operator_defines_itself_alone() -> None:
    """Each shipped operator has a docstring, under 30 lines of body, and a description."""
    for name in registry.NAMES:
        op = registry.get(name)
        assert op.name == name
        assert len(op.doc.splitlines()) >= 4
        description = registry.describe(op)
        assert description["name"] == name
        assert all(n > 0 for n in description["variants"].values())
        [definition] = [
            node
            for node in ast.parse(Path(op.function.__code__.co_filename).read_text()).body
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        first, last = definition.body[1], definition.body[-1]  # behind the docstring
        assert (last.end_lineno or 0) - first.lineno < 30, name
