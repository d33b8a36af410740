# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradient of layer norm with respect to its input."""

import tilewright as tw


@tw.op(like="input", samples={"rstd": "positive"}, aliases={"grad": "grad_output", "grad_out": "grad_output"})
def layer_norm_backward(
    grad_output: tw.Tensor["*B D"],
    input: tw.Tensor["*B D"],
    mean: tw.Tensor["*B", "f32 | T"],
    rstd: tw.Tensor["*B", "f32 | T"],
    weight: tw.Tensor["D", "f32 | T"] | None = None,
) -> tw.Tensor["*B D"]:
    """Gradient of the input: ``rstd * (h - mean(h) - xhat*mean(h*xhat))``, h = g*weight, means over a row.

    Inputs: grad_output g and input x, one shape of at least one dimension, one type (f32, f16, bf16); mean
    and rstd as the forward operator gave them; weight None (= 1). Numbers are f32 or of the type of x. The
    gradients of weight and bias are sums over the other dimensions: layer_norm_backward_weight.
    """
    h = grad_output if weight is None else grad_output * weight
    xhat, n = (input - mean) * rstd, tw.size("D")
    return rstd * (h - tw.sum(h, over="D") / n - xhat * (tw.sum(h * xhat, over="D") / n))
