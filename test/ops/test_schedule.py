"""The schedule as the vendor's compiler left it: two buffers a transfer, flags by parity, no barrier."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tilewright as tw
from harness import Case
from tilewright import compiler
from tilewright.binding import bind

CASES = (
    (Case("elu_backward", "f32"), 3),
    (Case("elu_backward", "bf16", (("is_result", True),)), 3),
    (
        Case(
            "binary_cross_entropy_with_logits_backward",
            "f16",
            (("reduction", "none"),),
            ("weight", "pos_weight"),
        ),
        6,
    ),
)


def final_module(case: Case) -> str:
    binding = bind(case.operator, (), {**case.inputs((100_000,)), **dict(case.attributes)})
    kernel = tw.compile(case.operator)
    asked = compiler.request(binding.variant, binding.layout, kernel.target)
    stages = compiler.build(asked, keep_stages=True).stages
    return next(text for name, text in stages.items() if "module" in name)


@pytest.mark.parametrize(("case", "transfers"), CASES, ids=str)
def test_double_buffering(case: Case, transfers: int) -> None:
    text = final_module(case)
    addresses = dict(re.findall(r"(%\w+) = arith.constant (\d+) : i64", text))
    casts = {
        name: int(addresses[operand])
        for name, operand in re.findall(r"(%\w+) = hivm.hir.pointer_cast\((%\w+)\)", text)
    }
    # arith.select between the two addresses of a buffer, by the parity of the iteration
    pairs = [
        (casts[a], casts[b])
        for a, b in re.findall(r"arith.select %\w+, (%\w+), (%\w+) : memref<\d+x\w+, #hivm", text)
        if a in casts and b in casts
    ]
    assert len({frozenset(pair) for pair in pairs}) >= transfers
    assert all(first != second for first, second in pairs)
    # flags whose id is a value: chosen by parity
    assert re.search(r"wait_flag\[<PIPE_V>, <PIPE_MTE2>, %\w+\]", text)
    assert re.search(r"wait_flag\[<PIPE_MTE3>, <PIPE_V>, %\w+\]", text)


@pytest.mark.parametrize(("case", "transfers"), CASES, ids=str)
def test_no_full_barrier_in_the_loop(case: Case, transfers: int) -> None:
    text = final_module(case)
    loops = text[text.index("scf.for") : text.rindex("}")]
    body = loops[: loops.rindex("hivm.hir.wait_flag")]
    assert "PIPE_ALL" not in body


def test_one_block_more_at_most() -> None:
    """Cores of one launch differ by at most one block of 512 bytes."""
    case = Case("elu_backward", "f32")
    planned = tw.compile(case.operator).plan(**case.inputs((10_000_019,)))
    assert planned is not None
    base, big = planned.numbers["tiling:base"], planned.numbers["tiling:big"]
    blocks = -(-10_000_019 * 4 // 512)
    assert base * planned.cores + big == blocks
    assert 0 <= big < planned.cores
    work = [base + (core < big) for core in range(planned.cores)]
    assert max(work) - min(work) <= 1
    assert np.sum(work) == blocks
