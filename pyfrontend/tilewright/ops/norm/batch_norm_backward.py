# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradients of batch norm in training."""

import tilewright as tw


@tw.op(
    like="input",
    samples={"save_invstd": "positive"},
    aliases={"grad": "grad_output", "grad_out": "grad_output"},
)
def batch_norm_backward(
    grad_output: tw.Tensor["N C *S"],
    input: tw.Tensor["N C *S"],
    weight: tw.Tensor["C", "f32 | T"] | None,
    save_mean: tw.Tensor["C", "f32 | T"],
    save_invstd: tw.Tensor["C", "f32 | T"],
    *,
    output_mask: tuple[bool, bool, bool] = (True, True, True),
) -> tuple[
    tw.Tensor["N C *S"] | None, tw.Tensor["C", "weight | f32"] | None, tw.Tensor["C", "weight | f32"] | None
]:
    """Gradients of batch norm in training with respect to input, weight and bias.

    With xhat = (x - save_mean)*save_invstd and m elements per channel: grad_bias = sum(g),
    grad_weight = sum(g*xhat), grad_input = weight*save_invstd*(g - grad_bias/m - xhat*grad_weight/m).

    Inputs: grad_output g and input x, one shape with the channels in the second of at least two dimensions,
    one type (f32, f16, bf16); weight None (= 1) or one number for each channel; the mean and the inverse
    standard deviation that the forward operator saved. Numbers for channels are f32 or of the type of x.
    Attributes: output_mask, which of the results are wanted; the others are None and cost nothing.
    Results: grad_input like x; grad_weight and grad_bias of the type of weight, f32 without weight.
    """
    tw.require(any(output_mask), "output_mask wants no result", expected="at least one True")
    g, d, m = grad_output, input - save_mean, tw.size("N *S")
    grad_bias = tw.sum(g, over="N *S")
    products = tw.sum(g * d, over="N *S")
    scale = save_invstd if weight is None else weight * save_invstd
    grad_input = scale * (g - grad_bias / m - d * (save_invstd * save_invstd * products / m))
    results = grad_input, products * save_invstd, grad_bias
    return tuple(r if wanted else None for r, wanted in zip(results, output_mask, strict=True))
