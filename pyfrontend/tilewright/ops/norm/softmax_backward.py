# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradient of softmax."""

import tilewright as tw


@tw.op(
    aten="aten::_softmax_backward_data",
    like="output",
    samples={"output": "probability"},
    aliases={"grad": "grad_output"},
)
def softmax_backward(grad_output: tw.Tensor["*B D"], output: tw.Tensor["*B D"]) -> tw.Tensor["*B D"]:
    """Gradient of softmax along the last dimension: ``y * (g - sum(g*y))``.

    Inputs: grad_output g and the result y of the forward operator, one shape of at least one dimension, one
    type (f32, f16, bf16).
    """
    g, y = grad_output, output
    return y * (g - tw.sum(g * y, over="D"))
