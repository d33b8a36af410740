# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Normalisation with given statistics: the last step of synchronised batch norm."""

import tilewright as tw


@tw.op(samples={"invstd": "positive"})
def batch_norm_elemt(
    input: tw.Tensor["N C *S"],
    weight: tw.Tensor["C", "f32 | T"] | None,
    bias: tw.Tensor["C", "f32 | T"] | None,
    mean: tw.Tensor["C", "f32 | T"],
    invstd: tw.Tensor["C", "f32 | T"],
) -> tw.Tensor["N C *S"]:
    """``(x - mean) * invstd * weight + bias`` for each channel.

    Inputs: input x, channels in the second of at least two dimensions (f32, f16, bf16); weight (None = 1),
    bias (None = 0), mean, invstd: one number for each channel, f32 or of the type of x.
    Result: like x. aten's operator also takes eps, which invstd contains already.
    """
    output = (input - mean) * (invstd if weight is None else invstd * weight)
    return output if bias is None else output + bias
