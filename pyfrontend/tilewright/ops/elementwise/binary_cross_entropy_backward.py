# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradient of binary cross-entropy of probabilities."""

from typing import Literal

import tilewright as tw


@tw.op(
    aten="aten::binary_cross_entropy_backward",
    like="self",
    samples={"self": "probability", "target": "label", "weight": "positive"},
    aliases={"grad": "grad_output", "input": "self"},
)
def binary_cross_entropy_backward(
    grad_output: tw.Broadcast["*S"],
    self: tw.Tensor["*S"],
    target: tw.Tensor["*S"],
    weight: tw.Broadcast["*S", "T | f32"] | None = None,
    *,
    reduction: Literal["none", "mean", "sum"] = "mean",
) -> tw.Tensor["*S"]:
    """Gradient with respect to the probabilities: ``g * (x - t)/max(x*(1 - x), 1e-12) [* weight] [/ numel]``.

    Inputs: self x (probabilities) and target t, same shape (0 to 8 dimensions) and type (f32, f16, bf16);
    grad_output g of that type: for "none" any shape that broadcasts to self's, else one element;
    weight None, or any shape that broadcasts, of the same type or f32. Values outside [0, 1] follow the
    formula.
    Attributes: reduction "none" (0), "mean" (1), "sum" (2): what the forward operator did. The result always
    has the shape of self. "mean" divides by the number of elements, whatever the weights are.
    """
    x, t, g = self, target, grad_output
    if reduction != "none":
        g = tw.one_element(g)
    if reduction == "mean":
        g = g / tw.size("*S")
    r = (x - t) / tw.maximum(x * (1 - x), 1e-12)
    if weight is not None:
        r = r * weight
    return r * g
