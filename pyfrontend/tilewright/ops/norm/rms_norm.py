# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""RMS norm."""

import tilewright as tw


@tw.op(aten="aten::_fused_rms_norm")
def rms_norm(
    input: tw.Tensor["*B D"], weight: tw.Tensor["D", "f32 | T"] | None = None, *, eps: float = 1e-6
) -> tuple[tw.Tensor["*B D"], tw.Tensor["*B", "f32"]]:
    """RMS norm along the last dimension: ``x * rstd * weight`` with rstd = 1/sqrt(mean(x^2) + eps).

    Inputs: input x, at least one dimension (f32, f16, bf16); weight (None = 1), one number for each element
    of the last dimension, f32 or of the type of x.
    Attributes: eps, not negative.
    Results: output like x; rstd of each row, f32, without the last dimension.
    """
    rstd = 1 / tw.sqrt(tw.sum(input * input, over="D") / tw.size("D") + eps)
    output = input * rstd
    return output if weight is None else output * weight, rstd


@rms_norm.check
def _eps(eps: float) -> None:
    tw.require(eps >= 0, f"rms_norm: eps is {eps}", expected="eps >= 0")
