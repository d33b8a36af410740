# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradient of the input from the sums of all ranks: the last step of synchronised batch norm backward."""

import tilewright as tw


@tw.op(
    like="input",
    samples={"invstd": "positive"},
    aliases={"grad": "grad_output", "grad_out": "grad_output"},
)
def batch_norm_backward_elemt(
    grad_output: tw.Tensor["N C *S"],
    input: tw.Tensor["N C *S"],
    mean: tw.Tensor["C", "f32 | T"],
    invstd: tw.Tensor["C", "f32 | T"],
    weight: tw.Tensor["C", "f32 | T"] | None,
    sum_dy: tw.Tensor["C", "f32 | T"],
    sum_dy_xmu: tw.Tensor["C", "f32 | T"],
    count: tw.Counts[""],
) -> tw.Tensor["N C *S"]:
    """Gradient ``weight*invstd * (g - sum_dy/n - (x - mean)*invstd^2*sum_dy_xmu/n)``, n elements per channel.

    Inputs: grad_output g and input x, one shape with the channels in the second of at least two dimensions,
    one type (f32, f16, bf16); mean and invstd of the whole batch; weight (None = 1); sum_dy and sum_dy_xmu,
    totals over all ranks; each one number for each channel, f32 or of the type of x; count, numbers of
    elements of any real type and shape, whose sum is n.
    Result: like x.
    """
    scale = invstd if weight is None else weight * invstd
    slope = invstd * invstd * sum_dy_xmu / count
    return scale * (grad_output - sum_dy / count - (input - mean) * slope)
