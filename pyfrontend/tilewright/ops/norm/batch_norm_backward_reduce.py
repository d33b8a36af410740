# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Sums for the gradients of one rank: the first step of the backward pass of synchronised batch norm."""

import tilewright as tw


@tw.op(
    like="input",
    samples={"invstd": "positive"},
    aliases={"grad": "grad_output", "grad_out": "grad_output"},
)
def batch_norm_backward_reduce(
    grad_output: tw.Tensor["N C *S"],
    input: tw.Tensor["N C *S"],
    mean: tw.Tensor["C", "f32 | T"],
    invstd: tw.Tensor["C", "f32 | T"],
    weight: tw.Tensor["C", "f32 | T"] | None = None,
    *,
    input_g: bool = True,
    weight_g: bool = True,
    bias_g: bool = True,
) -> tuple[
    tw.Tensor["C", "f32"] | None,
    tw.Tensor["C", "f32"] | None,
    tw.Tensor["C", "weight | f32"] | None,
    tw.Tensor["C", "weight | f32"] | None,
]:
    """Sums of g and of g*(x - mean) for each channel, and this rank's gradients of weight and bias.

    Inputs: grad_output g and input x, one shape with the channels in the second of at least two dimensions,
    one type (f32, f16, bf16); mean and invstd of the whole batch; weight, of which only the type counts.
    Attributes: input_g, weight_g, bias_g, which gradients are wanted.
    Results: sum_dy = sum(g) and sum_dy_xmu = sum(g*(x - mean)), f32, with input_g; grad_weight =
    sum_dy_xmu*invstd with weight_g; grad_bias = sum_dy with bias_g; otherwise None.
    """
    tw.require(input_g or weight_g or bias_g, "no gradient is wanted", expected="at least one")
    sum_dy = tw.sum(grad_output, over="N *S")
    sum_dy_xmu = tw.sum(grad_output * (input - mean), over="N *S")
    sums = (sum_dy, sum_dy_xmu) if input_g else (None, None)
    return *sums, sum_dy_xmu * invstd if weight_g else None, sum_dy if bias_g else None
