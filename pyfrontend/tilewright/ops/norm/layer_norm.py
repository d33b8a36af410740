# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Layer norm."""

import tilewright as tw


@tw.op(aten="aten::native_layer_norm")
def layer_norm(
    input: tw.Tensor["*B D"],
    weight: tw.Tensor["D", "f32 | T"] | None = None,
    bias: tw.Tensor["D", "f32 | T"] | None = None,
    *,
    eps: float = 1e-5,
) -> tuple[tw.Tensor["*B D"], tw.Tensor["*B", "f32"], tw.Tensor["*B", "f32"]]:
    """Layer norm along the last dimension: ``(x - mean) * rstd * weight + bias``, rstd = 1/sqrt(var + eps).

    Inputs: input x, at least one dimension (f32, f16, bf16); weight (None = 1) and bias (None = 0), one
    number for each element of the last dimension, f32 or of the type of x. To normalise over several
    dimensions, reshape them to one.
    Attributes: eps, not negative.
    Results: output like x; mean and rstd of each row, f32, without the last dimension.
    """
    mean, var = tw.moments(input, over="D")
    rstd = 1 / tw.sqrt(var + eps)
    output = (input - mean) * rstd
    if weight is not None:
        output = output * weight
    return output if bias is None else output + bias, mean, rstd


@layer_norm.check
def _eps(eps: float) -> None:
    tw.require(eps >= 0, f"layer_norm: eps is {eps}", expected="eps >= 0")
