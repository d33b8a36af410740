# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradients of layer norm with respect to weight and bias."""

import tilewright as tw


@tw.op(like="input", samples={"rstd": "positive"}, aliases={"grad": "grad_output", "grad_out": "grad_output"})
def layer_norm_backward_weight(
    grad_output: tw.Tensor["*B D"],
    input: tw.Tensor["*B D"],
    mean: tw.Tensor["*B", "f32 | T"],
    rstd: tw.Tensor["*B", "f32 | T"],
    weight: tw.Tensor["D", "f32 | T"] | None = None,
    *,
    output_mask: tuple[bool, bool] = (True, True),
) -> tuple[tw.Tensor["D", "weight | f32"] | None, tw.Tensor["D", "weight | f32"] | None]:
    """Gradients of weight, ``sum(g*xhat)``, and bias, ``sum(g)``, over all dimensions but the last.

    Inputs: grad_output g and input x, one shape of at least one dimension, one type (f32, f16, bf16); mean
    and rstd as the forward operator gave them, f32 or of the type of x; weight, of which only the type
    counts.
    Attributes: output_mask, which of the results are wanted; the other is None.
    Results: of the type of weight, f32 without weight.
    """
    tw.require(any(output_mask), "output_mask wants no result", expected="at least one True")
    grad_weight = tw.sum(grad_output * ((input - mean) * rstd), over="*B")
    results = grad_weight, tw.sum(grad_output, over="*B")
    return tuple(r if wanted else None for r, wanted in zip(results, output_mask, strict=True))
