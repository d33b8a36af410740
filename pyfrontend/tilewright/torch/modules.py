"""Modules that run on our operators and are otherwise torch's: options, state_dict, checks, messages.

They derive from torch's own classes, so that code which looks for those finds them, and a state_dict of one
loads into the other. ``convert`` and ``revert`` exchange the modules of a whole model.
"""

from __future__ import annotations

from typing import Any, TypeVar

from torch.nn.modules.batchnorm import _BatchNorm

import torch
from tilewright.torch.functional import sync_batch_norm
from torch import nn

M = TypeVar("M", bound=nn.Module)


def _ours() -> Any:
    return torch.ops.tilewright


def _average_factor(module: Any) -> float:
    """Weight of the new running statistics; counts the batch if it has to be counted."""
    factor = 0.0 if module.momentum is None else float(module.momentum)
    if module.training and module.track_running_stats and module.num_batches_tracked is not None:
        module.num_batches_tracked.add_(1)
        if module.momentum is None:
            factor = 1.0 / float(module.num_batches_tracked)
    return factor


def _uses_batch(module: Any) -> bool:
    """Whether the statistics are those of the batch."""
    return bool(module.training) or (module.running_mean is None and module.running_var is None)


def _running(module: Any) -> tuple[torch.Tensor | None, torch.Tensor | None]:
    if module.training and not module.track_running_stats:
        return None, None
    return module.running_mean, module.running_var


def _forward(module: Any, input: torch.Tensor) -> torch.Tensor:
    factor = _average_factor(module)
    batch = _uses_batch(module)
    if batch and input.dim() >= 2 and input.numel() == input.shape[1]:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {input.size()}"
        )
    mean, var = _running(module)
    result: torch.Tensor = _ours().batch_norm(
        input, module.weight, module.bias, mean, var, batch, factor, module.eps
    )[0]
    return result


class BatchNorm1d(nn.BatchNorm1d):
    """``torch.nn.BatchNorm1d`` on our operators: inputs (N, C) or (N, C, L)."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        self._check_input_dim(input)
        return _forward(self, input)


class BatchNorm2d(nn.BatchNorm2d):
    """``torch.nn.BatchNorm2d`` on our operators: inputs (N, C, H, W)."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        self._check_input_dim(input)
        return _forward(self, input)


class BatchNorm3d(nn.BatchNorm3d):
    """``torch.nn.BatchNorm3d`` on our operators: inputs (N, C, D, H, W)."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        self._check_input_dim(input)
        return _forward(self, input)


class SyncBatchNorm(nn.SyncBatchNorm):
    """``torch.nn.SyncBatchNorm`` on our operators, on any device and backend of ``torch.distributed``.

    In training the statistics are those of the batches of all ranks of the process group together, weighted
    by their numbers of elements. A rank may have no samples, or one value per channel.
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        self._check_input_dim(input)
        self._check_non_zero_input_channels(input)
        distributed = torch.distributed.is_available() and torch.distributed.is_initialized()
        batch = _uses_batch(self)
        group: Any = None
        ranks = 1
        if batch and self.training and distributed:
            group = self.process_group or torch.distributed.group.WORLD
            ranks = torch.distributed.get_world_size(group)
        if ranks == 1:
            return _forward(self, input)
        factor = _average_factor(self)
        mean, var = _running(self)
        return sync_batch_norm(input, self.weight, self.bias, mean, var, self.eps, factor, group)


class ELU(nn.ELU):
    """``torch.nn.ELU`` on our operators."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = _ours().elu(input, float(self.alpha), 1.0, 1.0)
        return input.copy_(result) if self.inplace else result


class BCELoss(nn.BCELoss):
    """``torch.nn.BCELoss`` on our operators."""

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        code = ("none", "mean", "sum").index(self.reduction)
        result: torch.Tensor = _ours().binary_cross_entropy(input, target, self.weight, code)
        return result


class BCEWithLogitsLoss(nn.BCEWithLogitsLoss):
    """``torch.nn.BCEWithLogitsLoss`` on our operators."""

    def forward(self, input: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        code = ("none", "mean", "sum").index(self.reduction)
        result: torch.Tensor = _ours().binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, code
        )
        return result


_OURS: dict[type[nn.Module], type[nn.Module]] = {
    nn.BatchNorm1d: BatchNorm1d,
    nn.BatchNorm2d: BatchNorm2d,
    nn.BatchNorm3d: BatchNorm3d,
    nn.SyncBatchNorm: SyncBatchNorm,
    nn.ELU: ELU,
    nn.BCELoss: BCELoss,
    nn.BCEWithLogitsLoss: BCEWithLogitsLoss,
}
_THEIRS = {ours: theirs for theirs, ours in _OURS.items()}


def _exchange(module: M, table: dict[type[nn.Module], type[nn.Module]]) -> M:
    """The same module object with the class of the table, and so its children: nothing is copied."""
    for child in module.modules():
        other = table.get(type(child))
        if other is not None:
            child.__class__ = other
    return module


def convert(module: M) -> M:
    """Make every module of a model that we have one for ours, in place; parameters and buffers stay."""
    return _exchange(module, _OURS)


def revert(module: M) -> M:
    """The reverse of ``convert``."""
    return _exchange(module, _THEIRS)


def convert_sync_batchnorm(module: nn.Module, process_group: Any = None) -> nn.Module:
    """A model whose batch norms are our SyncBatchNorm, as ``torch.nn.SyncBatchNorm.convert_sync_batchnorm``.

    Parameters and buffers are shared with the model that was given.
    """
    if isinstance(module, _BatchNorm) and not isinstance(module, SyncBatchNorm):
        made = SyncBatchNorm(
            module.num_features,
            module.eps,
            module.momentum,
            module.affine,
            module.track_running_stats,
            process_group,
        )
        made.weight, made.bias = module.weight, module.bias
        made.running_mean, made.running_var = module.running_mean, module.running_var
        made.num_batches_tracked = module.num_batches_tracked
        made.training = module.training
        return made
    for name, child in module.named_children():
        module.add_module(name, convert_sync_batchnorm(child, process_group))
    return module


__all__ = [
    "ELU", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
    "SyncBatchNorm", "convert", "convert_sync_batchnorm", "revert",
]  # fmt: skip
