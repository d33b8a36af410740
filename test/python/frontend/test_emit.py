# ruff: noqa: F722, F821
"""Emission of linalg: the text, its locations, and its determinism; every variant passes MLIR's verifier."""

import re

import numpy as np
import pytest

import tilewright as tw
from tilewright.binding import bind, shape_signature
from tilewright.layout import Layout
from tilewright.ops import registry

pytest.importorskip("tilewright.mlir.ir")
from tilewright import emit

#: An extent for each axis of the shipped operators.
SIZES = {"N": 2, "C": 3, "*S": 5, "R": 4, "*B": 6, "D": 7}


def body(text: str) -> list[str]:
    """Operations without locations."""
    place = r"(?:#loc\d*|\"[^\"]*\":\d+:\d+|unknown)"
    plain = re.sub(rf" ?loc\((?:{place}|\"tw\.node\.\d+\"\({place}\))\)", "", text)
    return [line.strip() for line in plain.splitlines() if line.strip() and not line.startswith("#")]


def test_elu_backward() -> None:
    op = registry.get("elu_backward")
    variant = op.variant("bf16", ("bf16", "bf16"), {"is_result": False, "out_dtype": "T"})
    text = emit.linalg(variant.graph, Layout.flat(2))
    lines = body(text)
    assert lines[1] == (
        'func.func @elu_backward(%arg0: tensor<?xbf16> {tw.name = "grad_output"}, %arg1: tensor<?xbf16> '
        '{tw.name = "self_or_result"}, %arg2: f32 {tw.name = "s0"}, %arg3: f32 {tw.name = "s1"}, %arg4: f32 '
        '{tw.name = "s2"}) -> (tensor<?xbf16> {tw.name = "out0"}) attributes {tw.kernel} {'
    )
    operations = [re.split(r"[ (]", line.split(" = ", 1)[1])[0] for line in lines if line.startswith("%")]
    assert operations == [
        "arith.constant",
        "arith.constant",
        "tensor.dim",
        "tensor.empty",
        "linalg.generic",
        "arith.extf",
        "arith.mulf",
        "arith.extf",
        "arith.mulf",
        "math.exp",
        "arith.mulf",
        "arith.cmpf",
        "arith.mulf",
        "arith.select",
        "arith.truncf",
    ]
    assert text == emit.linalg(variant.graph, Layout.flat(2))


def test_locations_name_the_line_of_the_definition() -> None:
    @tw.op
    def f(x: tw.Tensor["*S"]) -> tw.Tensor["*S"]:
        return tw.exp(x)

    line = f.function.__code__.co_firstlineno + 2
    text = emit.linalg(next(f.variants("f32")).graph, Layout.flat(1))
    assert re.search(rf'loc\("[^"]*test_emit\.py":{line}:\d+\)', text)


def test_broadcast_maps() -> None:
    op = registry.get("binary_cross_entropy_with_logits_backward")
    x = np.ones((5, 7), np.float32)
    binding = bind(op, (x[0, 0], x, x, x[:, :1], x[0]), {"reduction": 1})
    text = emit.linalg(binding.variant.graph, binding.layout)
    assert "affine_map<(d0, d1) -> ()>" in text
    assert "affine_map<(d0, d1) -> (d0)>" in text
    assert "affine_map<(d0, d1) -> (d1)>" in text
    assert "tensor<f32>" in text


def test_several_results() -> None:
    @tw.op
    def f(
        x: tw.Tensor["N C"], w: tw.Tensor["C"]
    ) -> tuple[tw.Tensor["N C"], tw.Tensor["N C"], tw.Tensor["C"]]:
        return x * w, x + w, w * w

    binding = bind(f, (np.ones((2, 3), np.float32), np.ones(3, np.float32)))
    text = emit.linalg(binding.variant.graph, binding.layout)
    assert text.count("linalg.generic") == 2
    assert "-> (tensor<?x?xf32>, tensor<?x?xf32>)" in text


def test_all_functions_of_the_language() -> None:
    @tw.op(data_types="f16")
    def f(x: tw.Tensor["*S"], n: tw.Tensor["*S", "i16"], *, a: float = 1.0, k: int = 2) -> tw.Tensor["*S"]:
        y = tw.exp(x) + tw.log(x) - tw.sqrt(x) * tw.rsqrt(x) / tw.reciprocal(x) + tw.log1p(x) + tw.expm1(-x)
        y = tw.clip(abs(y), -a, tw.exp(a)) + tw.minimum(x, 1)
        for condition in (
            x < y,
            x <= y,
            x > y,
            x >= y,
            x == y,
            x != y,
            n < 3,
            n == k,
            n != 1,
            n >= 0,
            n <= 9,
            n > 8,
            tw.cast(x, "i32") < 3,
            tw.cast(x, "i32") == k,
        ):
            y = tw.where(condition, y, -y)
        m = tw.maximum(tw.minimum(abs(n) * k - 3 + n, 100), -n)
        return y + tw.cast(m, "f32") + tw.cast(tw.cast(x, "i32"), "bf16") + tw.cast(x > 0, "f16")

    text = emit.linalg(next(f.variants("f16")).graph, Layout.flat(2))
    for name in (
        "math.exp",
        "math.log",
        "math.sqrt",
        "math.rsqrt",
        "math.absf",
        "arith.addf",
        "arith.subf",
        "arith.mulf",
        "arith.divf",
        "arith.negf",
        "arith.maximumf",
        "arith.minimumf",
        "arith.select",
        "arith.extf",
        "arith.truncf",
        "arith.addi",
        "arith.subi",
        "arith.muli",
        "arith.maxsi",
        "arith.minsi",
        "arith.trunci",
        "arith.sitofp",
        "arith.fptosi",
        "arith.cmpf olt",
        "arith.cmpf ole",
        "arith.cmpf ogt",
        "arith.cmpf oge",
        "arith.cmpf oeq",
        "arith.cmpf une",
        "arith.cmpi eq",
        "arith.cmpi ne",
    ):
        assert name in text, name
    # What no vector instruction does is written with those that there are.
    assert not re.search(r"arith\.cmpi (s|u)|arith\.extsi", text)


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_variant_is_verified(name: str) -> None:
    op = registry.get(name)
    for data_type in op.data_types:
        for variant in op.variants(data_type, all_types=True):
            graph = variant.graph
            types = {n.name: n.type for n in graph.inputs}
            shapes = {
                n.name: () if n.kind == "scalar" else tuple(SIZES[a] for a in n.axes) for n in graph.inputs
            }
            layout = shape_signature(op, shapes, types, dict(variant.static)).layout
            text = emit.linalg(graph, layout)
            assert f"@{name}(" in text
