# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradients of batch norm with frozen statistics."""

import tilewright as tw


@tw.op(
    like="input",
    samples={"running_var": "positive"},
    aliases={"grad": "grad_output", "grad_out": "grad_output"},
)
def batch_norm_backward_frozen(
    grad_output: tw.Tensor["N C *S"],
    input: tw.Tensor["N C *S"],
    weight: tw.Tensor["C", "f32 | T"] | None,
    running_mean: tw.Tensor["C", "f32 | T"],
    running_var: tw.Tensor["C", "f32 | T"],
    *,
    eps: float = 1e-5,
    output_mask: tuple[bool, bool, bool] = (True, True, True),
) -> tuple[
    tw.Tensor["N C *S"] | None, tw.Tensor["C", "weight | f32"] | None, tw.Tensor["C", "weight | f32"] | None
]:
    """Gradients of batch norm in inference, whose statistics are constants, for input, weight and bias.

    With r = 1/sqrt(running_var + eps): grad_input = g*weight*r, grad_weight = sum(g*(x - running_mean))*r,
    grad_bias = sum(g).

    Inputs: grad_output g and input x, one shape with the channels in the second of at least two dimensions,
    one type (f32, f16, bf16); weight None (= 1) or one number for each channel; the running statistics.
    Numbers for channels are f32 or of the type of x.
    Attributes: eps, not negative; output_mask, which of the results are wanted; the others are None and cost
    nothing.
    Results: grad_input like x; grad_weight and grad_bias of the type of weight, f32 without weight.
    """
    tw.require(any(output_mask), "output_mask wants no result", expected="at least one True")
    g, r = grad_output, 1 / tw.sqrt(running_var + eps)
    grad_input = g * (r if weight is None else weight * r)
    grad_weight = tw.sum(g * (input - running_mean), over="N *S") * r
    results = grad_input, grad_weight, tw.sum(g, over="N *S")
    return tuple(x if wanted else None for x, wanted in zip(results, output_mask, strict=True))


@batch_norm_backward_frozen.check
def _eps(eps: float) -> None:
    tw.require(eps >= 0, f"batch_norm_backward_frozen: eps is {eps}", expected="eps >= 0")
