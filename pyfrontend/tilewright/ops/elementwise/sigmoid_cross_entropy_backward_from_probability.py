# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradient of sigmoid cross-entropy with respect to the logits, from the probabilities."""

from typing import Literal

import tilewright as tw


@tw.op(
    data_types="f32 f16 bf16 i32 i16",
    like="self",
    samples={"self": "probability", "target": "label", "weight": "positive"},
    aliases={"grad": "grad_output", "input": "self", "probability": "self", "p": "self", "y": "target"},
)
def sigmoid_cross_entropy_backward_from_probability(
    grad_output: tw.Broadcast["*S"],
    self: tw.Tensor["*S"],
    target: tw.Tensor["*S"],
    weight: tw.Broadcast["*S", "T | f32"] | None = None,
    *,
    reduction: Literal["none", "mean", "sum"] = "mean",
) -> tw.Tensor["*S"]:
    """``weight * g * (p - y)``: the gradient with respect to the logit, for p = sigmoid(logit) applied
    already.

    Inputs: self p and target y, same shape (0 to 8 dimensions) and type: f32, f16, bf16, and, for reduction
    "none", int32 and int16, whose products wrap around; grad_output g of that type: for "none" any shape that
    broadcasts, else one element; weight None (= 1), or any shape that broadcasts, of the same type, or f32
    beside floats.
    Attributes: reduction "none" (0), "mean" (1: g is divided by the number of elements in f32), "sum" (2).
    The family of handwritten kernels with this formula numbers them none 0, sum 1, mean 2. aten has no such
    operator.
    """
    p, y, g = self, target, grad_output
    tw.require(
        reduction == "none" or not p.is_integer,
        f"reduction {reduction} of integers",
        expected="reduction='none' (0) for int32 and int16",
        hint="the division would truncate; convert the tensors to float32",
    )
    if reduction != "none":
        g = tw.one_element(g)
    if reduction == "mean":
        g = g / tw.size("*S")
    if weight is not None:
        g = weight * g
    return g * (p - y)
