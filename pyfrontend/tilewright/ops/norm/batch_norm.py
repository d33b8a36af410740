# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Batch norm: training and inference."""

import tilewright as tw


@tw.op(
    aten="aten::native_batch_norm",
    updates="running_mean running_var",
    update_weight="momentum",
    samples={"running_var": "positive"},
)
def batch_norm(
    input: tw.Tensor["N C *S"],
    weight: tw.Tensor["C", "f32 | T"] | None = None,
    bias: tw.Tensor["C", "f32 | T"] | None = None,
    running_mean: tw.Tensor["C", "f32 | T"] | None = None,
    running_var: tw.Tensor["C", "f32 | T"] | None = None,
    *,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[
    tw.Tensor["N C *S"],
    tw.Tensor["C", "f32"] | None,
    tw.Tensor["C", "f32"] | None,
    tw.Tensor["C"] | None,
    tw.Tensor["C"] | None,
]:
    """Batch norm: ``(x - mean) * invstd * weight + bias`` with invstd = 1/sqrt(var + eps), for each channel.

    In training mean and biased variance are those of the batch; in inference the running statistics.

    Inputs: input x, channels in the second of at least two dimensions (f32, f16, bf16); weight (None = 1),
    bias (None = 0), running_mean and running_var: one number for each channel, f32 or of the type of x; the
    running statistics both or none, in inference both.
    Attributes: training; momentum, the weight of the new statistics (1/k in call k for a plain average);
    eps, not negative.
    Results: output like x; in training mean and invstd of the batch in f32 (save_mean, save_invstd), in
    inference None. Training updates running_mean and running_var in place, the latter with the unbiased
    variance.
    """
    tw.require(
        (running_mean is None) == (running_var is None),
        "running_mean is given without running_var, or the other way round",
        expected="both or none",
    )
    if training:
        mean, var = tw.moments(input, over="N *S")
    else:
        tw.require(running_mean is not None, "inference without running statistics", expected="both")
        mean, var = running_mean, running_var
    invstd = 1 / tw.sqrt(var + eps)
    output = (input - mean) * (invstd if weight is None else invstd * weight)
    if bias is not None:
        output = output + bias
    if not training:
        return output, None, None, None, None
    if running_mean is None:
        return output, mean, invstd, None, None
    m = tw.size("N *S")
    unbiased = var * (m / (m - 1))
    new_mean = (1 - momentum) * running_mean + momentum * mean
    return output, mean, invstd, new_mean, (1 - momentum) * running_var + momentum * unbiased


@batch_norm.check
def _eps(eps: float) -> None:
    tw.require(eps >= 0, f"batch_norm: eps is {eps}", expected="eps >= 0")
