# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Binary cross-entropy of probabilities."""

from typing import Literal

import tilewright as tw


@tw.op(
    aten="aten::binary_cross_entropy",
    samples={"self": "probability", "target": "label", "weight": "positive"},
    aliases={"input": "self"},
)
def binary_cross_entropy(
    self: tw.Tensor["*S"],
    target: tw.Tensor["*S"],
    weight: tw.Broadcast["*S", "T | f32"] | None = None,
    *,
    reduction: Literal["none", "mean", "sum"] = "mean",
) -> tw.Tensor["*S"] | tw.Tensor[""]:
    """Loss ``-(t*log(x) + (1-t)*log(1-x)) [* weight]``, with both logarithms cut off at -100.

    Inputs: self x (probabilities) and target t, same shape (0 to 8 dimensions) and type (f32, f16, bf16);
    weight None, or any shape that broadcasts, of the same type or f32.
    Attributes: reduction "none" (0): a result like self; "mean" (1, divides by the number of elements
    whatever the weights are; NaN without elements) and "sum" (2): one element of shape ().
    """
    x, t = self, target
    loss = (t - 1) * tw.maximum(tw.log1p(-x), -100) - t * tw.maximum(tw.log(x), -100)
    if weight is not None:
        loss = loss * weight
    if reduction == "none":
        return loss
    total = tw.sum(loss, over="*S")
    return total / tw.size("*S") if reduction == "mean" else total
