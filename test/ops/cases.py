"""Every variant of the elementwise gradient operators: operator x dtype x attributes x optional inputs."""

from __future__ import annotations

from collections.abc import Iterator

from harness import Case

HALF = ("f16", "bf16")
FLOATS = ("f32", *HALF)
REDUCTIONS = ("none", "mean", "sum")
SEED_FORM = "sigmoid_cross_entropy_backward_from_probability"


def _elu() -> Iterator[Case]:
    for dtype in FLOATS:
        for is_result in (False, True):
            yield Case("elu_backward", dtype, (("is_result", is_result),))
            if dtype in HALF:
                yield Case("elu_backward", dtype, (("is_result", is_result), ("out_dtype", "f32")))
        yield Case("elu", dtype)


def _binary_cross_entropy() -> Iterator[Case]:
    for dtype in FLOATS:
        for reduction in REDUCTIONS:
            attributes = (("reduction", reduction),)
            yield Case("binary_cross_entropy_backward", dtype, attributes)
            yield Case("binary_cross_entropy_backward", dtype, attributes, ("weight",))
            yield Case("binary_cross_entropy_with_logits_backward", dtype, attributes)
            yield Case("binary_cross_entropy_with_logits_backward", dtype, attributes, ("weight",))
            yield Case("binary_cross_entropy_with_logits_backward", dtype, attributes, ("pos_weight",))
            yield Case(
                "binary_cross_entropy_with_logits_backward", dtype, attributes, ("weight", "pos_weight")
            )
            yield Case(SEED_FORM, dtype, attributes)
            yield Case(SEED_FORM, dtype, attributes, ("weight",))
        yield Case("binary_cross_entropy", dtype, (("reduction", "none"),))
        yield Case(
            "binary_cross_entropy_with_logits", dtype, (("reduction", "none"),), ("weight", "pos_weight")
        )
    for dtype in HALF:
        yield Case(
            "binary_cross_entropy_backward",
            dtype,
            (("reduction", "none"),),
            ("weight",),
            (("weight", "f32"),),
        )
    for dtype in ("i32", "i16"):
        yield Case(SEED_FORM, dtype, (("reduction", "none"),))
        yield Case(SEED_FORM, dtype, (("reduction", "none"),), ("weight",))


ALL = (*_elu(), *_binary_cross_entropy())
#: One of each operator and dtype, for the long sizes.
PRINCIPAL = tuple({(case.op, case.dtype): case for case in reversed(ALL)}.values())
