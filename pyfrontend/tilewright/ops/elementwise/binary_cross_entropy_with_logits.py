# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Binary cross-entropy of logits."""

from typing import Literal

import tilewright as tw


@tw.op(
    aten="aten::binary_cross_entropy_with_logits",
    samples={"self": "logit", "target": "label", "weight": "positive", "pos_weight": "positive"},
    aliases={"input": "self"},
)
def binary_cross_entropy_with_logits(
    self: tw.Tensor["*S"],
    target: tw.Tensor["*S"],
    weight: tw.Broadcast["*S", "T | f32"] | None = None,
    pos_weight: tw.Broadcast["*S", "T | f32"] | None = None,
    *,
    reduction: Literal["none", "mean", "sum"] = "mean",
) -> tw.Tensor["*S"] | tw.Tensor[""]:
    """Loss ``-(p*t*log(sigmoid(x)) + (1-t)*log(sigmoid(-x))) [* weight]``, without overflow for any finite
    logit.

    Inputs: self x (logits) and target t, same shape (0 to 8 dimensions) and type (f32, f16, bf16); weight and
    pos_weight p None (= 1), or any shape that broadcasts, of the same type or f32.
    Attributes: reduction "none" (0): a result like self; "mean" (1, divides by the number of elements
    whatever the weights are; NaN without elements) and "sum" (2): one element of shape ().
    """
    x, t = self, target
    tail = tw.log1p(tw.exp(-tw.abs(x)))
    # log(sigmoid(x)) = -(max(-x, 0) + tail) and log(sigmoid(-x)) = -(max(x, 0) + tail): sums of like signs.
    positive = t * (tw.maximum(-x, 0) + tail)
    if pos_weight is not None:
        positive = pos_weight * positive
    loss = (1 - t) * (tw.maximum(x, 0) + tail) + positive
    if weight is not None:
        loss = loss * weight
    if reduction == "none":
        return loss
    total = tw.sum(loss, over="*S")
    return total / tw.size("*S") if reduction == "mean" else total
