# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradient of binary cross-entropy of logits."""

from typing import Literal

import tilewright as tw


@tw.op(
    like="self",
    samples={"self": "logit", "target": "label", "weight": "positive", "pos_weight": "positive"},
    aliases={"grad": "grad_output", "input": "self"},
)
def binary_cross_entropy_with_logits_backward(
    grad_output: tw.Broadcast["*S"],
    self: tw.Tensor["*S"],
    target: tw.Tensor["*S"],
    weight: tw.Broadcast["*S", "T | f32"] | None = None,
    pos_weight: tw.Broadcast["*S", "T | f32"] | None = None,
    *,
    reduction: Literal["none", "mean", "sum"] = "mean",
) -> tw.Tensor["*S"]:
    """Gradient with respect to the logits: ``g * ((1-t)*sigmoid(x) - p*t*sigmoid(-x)) [* weight] [/ numel]``.

    Without pos_weight p (= 1) that is ``g * (sigmoid(x) - t)``, in a form that keeps full relative accuracy
    for hard labels at both ends; infinite logits give finite gradients, NaN stays NaN.

    Inputs: self x (logits) and target t (soft labels allowed), same shape (0 to 8 dimensions) and type (f32,
    f16, bf16); grad_output g of that type: for "none" any shape that broadcasts to self's, else one element;
    weight and pos_weight None, or any shape that broadcasts, of the same type or f32.
    Attributes: reduction "none" (0), "mean" (1), "sum" (2): what the forward operator did. The result always
    has the shape of self. "mean" divides by the number of elements. aten has no such operator; autograd
    inlines it.
    """
    x, t, g = self, target, grad_output
    if reduction != "none":
        g = tw.one_element(g)
    if reduction == "mean":
        g = g / tw.size("*S")
    # sigmoid(x) and sigmoid(-x) have the denominator 1 + e in common and the numerators 1 and e, or e and 1.
    e = tw.exp(-tw.abs(x))
    hit = t * tw.where(x >= 0, e, 1)
    if pos_weight is not None:
        hit = pos_weight * hit
    r = ((1 - t) * tw.where(x >= 0, 1, e) - hit) / (1 + e)
    if weight is not None:
        r = r * weight
    return r * g
