"""Batch norm over all ranks of a process group."""

from __future__ import annotations

from typing import Any

import torch.distributed as distributed

import torch


def _ours() -> Any:
    return torch.ops.tilewright


def _staged(tensor: torch.Tensor, group: Any) -> bool:
    """Whether the group's backend needs the tensor in host memory: gloo knows no ``npu``."""
    return tensor.device.type == "npu" and str(distributed.get_backend(group)) == "gloo"


def _gather(tensor: torch.Tensor, group: Any) -> torch.Tensor:
    """The tensors of all ranks, one row each, in the order of the ranks."""
    sent = tensor.cpu() if _staged(tensor, group) else tensor
    rows = [torch.empty_like(sent) for _ in range(distributed.get_world_size(group))]
    distributed.all_gather(rows, sent, group=group)
    return torch.stack(rows).to(tensor.device)


def _add_up(tensor: torch.Tensor, group: Any) -> torch.Tensor:
    """The sum over all ranks; the ranks add in one order, so they get the same bits."""
    rows = _gather(tensor, group)
    return rows.sum(0)


class _SyncBatchNorm(torch.autograd.Function):
    """Statistics of each rank, gathered; the elementwise part; and the same for the gradients."""

    @staticmethod
    def forward(
        ctx: Any,
        input: torch.Tensor,
        weight: torch.Tensor | None,
        bias: torch.Tensor | None,
        running_mean: torch.Tensor | None,
        running_var: torch.Tensor | None,
        eps: float,
        momentum: float,
        group: Any,
    ) -> torch.Tensor:
        channels = input.shape[1]
        count = input.numel() // channels
        mean, invstd = _ours().batch_norm_stats(input, eps)
        own = torch.cat([mean, invstd, torch.full((1,), float(count), device=input.device)])
        rows = _gather(own, group)
        means, invstds, counts = rows[:, :channels], rows[:, channels:-1], rows[:, -1].contiguous()
        mean, invstd = _ours().batch_norm_gather_stats_with_counts(
            means, invstds, running_mean, running_var, counts, momentum, eps
        )
        ctx.save_for_backward(input, weight, mean, invstd, counts)
        ctx.group = group
        result: torch.Tensor = _ours().batch_norm_elemt(input, weight, bias, mean, invstd)
        return result

    @staticmethod
    def backward(ctx: Any, *grads: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        (grad,) = grads
        input, weight, mean, invstd, counts = ctx.saved_tensors
        wants_input, wants_weight, wants_bias = ctx.needs_input_grad[:3]
        grad_input = grad_weight = grad_bias = None
        if wants_input or wants_weight or wants_bias:
            # This rank's gradient of bias is sum_dy: it is stored once.
            sum_dy, sum_dy_xmu, grad_weight, grad_bias = _ours().batch_norm_backward_reduce(
                grad, input, mean, invstd, weight, wants_input, wants_weight, wants_bias and not wants_input
            )
            if wants_bias and wants_input:
                grad_bias = sum_dy if weight is None else sum_dy.to(weight.dtype)
        if wants_input:
            sums = _add_up(torch.stack([sum_dy, sum_dy_xmu]), ctx.group)
            grad_input = _ours().batch_norm_backward_elemt(
                grad, input, mean, invstd, weight, sums[0], sums[1], counts
            )
        return grad_input, grad_weight, grad_bias, None, None, None, None, None


def sync_batch_norm(
    input: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    running_mean: torch.Tensor | None,
    running_var: torch.Tensor | None,
    eps: float,
    momentum: float,
    group: Any,
) -> torch.Tensor:
    """Batch norm in training with the statistics of the batches of all ranks of ``group`` together.

    Every rank of the group has to call it, and its backward pass, as often as the others. Arguments are those
    of ``torch.nn.functional.batch_norm``; the running statistics are updated on every rank, to the same bits.
    """
    result: torch.Tensor = _SyncBatchNorm.apply(  # type: ignore[no-untyped-call]
        input, weight, bias, running_mean, running_var, eps, momentum, group
    )
    return result
