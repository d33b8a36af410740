# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Gradient of ELU, SELU and CELU."""

from typing import Literal

import tilewright as tw


@tw.op(
    aten="aten::elu_backward",
    like="self_or_result",
    aliases={"grad": "grad_output", "x": "self_or_result"},
)
def elu_backward(
    grad_output: tw.Tensor["*S"],
    self_or_result: tw.Tensor["*S"],
    *,
    alpha: float = 1.0,
    scale: float = 1.0,
    input_scale: float = 1.0,
    is_result: bool = False,
    out_dtype: Literal["T", "f32"] = "T",
) -> tw.Tensor["*S", "out_dtype"]:
    """Gradient of ``elu`` with respect to its input.

    For x > 0: ``g * scale``. Otherwise (both zeros, and NaN, which stays NaN):
    ``g * (alpha*scale*input_scale) * exp(x*input_scale)`` if ``self_or_result`` is the forward input x, or
    ``g * input_scale * (x + alpha*scale)`` if it is the forward result (is_result).

    Inputs: grad_output g and self_or_result x, same shape (0 to 8 dimensions) and type (f32, f16, bf16).
    Attributes: alpha, scale, input_scale; is_result (then alpha must not be negative); out_dtype "f32" keeps
    the f32 result of half inputs. SELU is this with its alpha and scale, CELU(a) is alpha=a, input_scale=1/a.
    """
    g, x = grad_output, self_or_result
    if is_result:
        negative = g * input_scale * (x + alpha * scale)
    else:
        negative = g * (alpha * scale * input_scale) * tw.exp(x * input_scale)
    # "greater" with the exponential as the other branch: NaN compares false and its exponential keeps it.
    return tw.where(x > 0, g * scale, negative)


@elu_backward.check
def _alpha_of_results(alpha: float, is_result: bool) -> None:
    tw.require(
        not is_result or alpha >= 0,
        f"elu_backward: alpha is {alpha} with is_result",
        expected="alpha >= 0 when the forward result is given",
        hint="with a negative alpha the result does not tell which branch was taken; pass the forward input",
    )
