# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Statistics of one rank's part of a batch: the first step of synchronised batch norm."""

import tilewright as tw


@tw.op(aten="aten::batch_norm_stats", empty=0.0)
def batch_norm_stats(
    input: tw.Tensor["N C *S"], *, eps: float = 1e-5
) -> tuple[tw.Tensor["C", "f32"], tw.Tensor["C", "f32"]]:
    """Mean and inverse standard deviation 1/sqrt(var + eps) of each channel, var the biased variance.

    Inputs: input x, channels in the second of at least two dimensions (f32, f16, bf16).
    Attributes: eps, not negative.
    Results: mean and invstd, f32; zeros for a batch without elements.
    """
    mean, var = tw.moments(input, over="N *S")
    return mean, 1 / tw.sqrt(var + eps)


@batch_norm_stats.check
def _eps(eps: float) -> None:
    tw.require(eps >= 0, f"batch_norm_stats: eps is {eps}", expected="eps >= 0")
