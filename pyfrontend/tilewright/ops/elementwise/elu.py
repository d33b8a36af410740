# mypy: ignore-errors
"""ELU, SELU and CELU."""

import tilewright as tw


@tw.op(aten="aten::elu", aliases={"x": "self", "input": "self"})
def elu(
    self: tw.Tensor["*S"], *, alpha: float = 1.0, scale: float = 1.0, input_scale: float = 1.0
) -> tw.Tensor["*S"]:
    """Exponential linear unit: ``scale * x`` for x > 0, else ``alpha*scale * (exp(x*input_scale) - 1)``.

    Inputs: self x, any shape of 0 to 8 dimensions, f32, f16 or bf16; NaN stays NaN.
    Attributes: alpha, scale, input_scale. SELU is this with its alpha and scale, CELU(a) is alpha=a,
    input_scale=1/a.
    """
    x = self
    return tw.where(x > 0, x * scale, alpha * scale * tw.expm1(x * input_scale))
