# mypy: ignore-errors
# pyright: reportUndefinedVariable=false
"""Statistics of the whole batch from those of the ranks: the second step of synchronised batch norm."""

import tilewright as tw


@tw.op(
    updates="running_mean running_var",
    update_weight="momentum",
    samples={"invstd": "positive", "running_var": "positive"},
)
def batch_norm_gather_stats_with_counts(
    mean: tw.Tensor["R C"],
    invstd: tw.Tensor["R C"],
    running_mean: tw.Tensor["C", "f32 | f16 | bf16"] | None,
    running_var: tw.Tensor["C", "f32 | f16 | bf16"] | None,
    counts: tw.Counts["R"],
    *,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> tuple[tw.Tensor["C", "f32"], tw.Tensor["C", "f32"], tw.Tensor["C"] | None, tw.Tensor["C"] | None]:
    """Mean and inverse standard deviation over all ranks, from those of each rank and its element counts.

    Means are weighted by the counts; the variance has the spread between the ranks. Ranks without elements
    are skipped, whatever statistics they give.

    Inputs: mean and invstd (ranks, channels) as batch_norm_stats gave them (f32, f16, bf16); running_mean and
    running_var, both or none, f32 or half; counts, elements per channel of each rank, of any real type.
    Attributes: momentum, the weight of the new statistics; eps, as it was for batch_norm_stats.
    Results: mean and invstd of the whole batch, f32. The running statistics are updated in place, the
    variance in its unbiased form (NaN if there is one element in all). aten's operator also takes the input
    of the layer, of which it uses the type only.
    """
    tw.require((running_mean is None) == (running_var is None), "one running statistic without the other")
    n = tw.sum(counts, over="R")
    mean_all = tw.sum(tw.where(counts > 0, counts * mean, 0), over="R") / n
    spread = mean - mean_all
    var = tw.maximum(1 / (invstd * invstd) - eps, 0)
    squares = tw.sum(tw.where(counts > 0, counts * (var + spread * spread), 0), over="R")
    invstd_all = 1 / tw.sqrt(squares / n + eps)
    if running_mean is None:
        return mean_all, invstd_all, None, None
    unbiased = squares / (n - 1) * ((n - 1) / (n - 1))
    new_mean = (1 - momentum) * running_mean + momentum * mean_all
    return mean_all, invstd_all, new_mean, (1 - momentum) * running_var + momentum * unbiased


@batch_norm_gather_stats_with_counts.check
def _eps(eps: float) -> None:
    tw.require(eps >= 0, f"batch_norm_gather_stats_with_counts: eps is {eps}", expected="eps >= 0")
