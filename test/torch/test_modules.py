"""Modules, the switch for torch's own operators, a training loop, SyncBatchNorm."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from support import close

import tilewright.emulated as emulated
from tilewright.errors import UsageError


def network(dtype: Any = None) -> Any:
    import torch
    from torch import nn

    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ELU(), nn.Conv2d(6, 8, 3), nn.BatchNorm2d(8), nn.ELU(),
        nn.Flatten(), nn.Linear(8 * 16, 1),
    ).to(dtype or torch.float32)  # fmt: skip


def train(model: Any, steps: int, device: str, dtype: Any) -> list[float]:
    """Losses of a few steps on data that every call draws alike."""
    import torch
    from torch import nn

    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    generator = torch.Generator().manual_seed(1)
    losses = []
    for _ in range(steps):
        x = torch.randn(8, 1, 8, 8, generator=generator)
        y = (x.mean((1, 2, 3)) > 0)[:, None]
        loss = nn.functional.binary_cross_entropy_with_logits(model(x.to(device, dtype)), y.to(device, dtype))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_training_on_the_device_with_torchs_operators_routed_to_ours() -> None:
    import tilewright.torch as twt
    import torch

    names = ("elu", "elu_backward", "batch_norm", "batch_norm_backward", "binary_cross_entropy_with_logits",
             "binary_cross_entropy_with_logits_backward")  # fmt: skip
    before = {name: emulated.launches(name) for name in names}
    with twt.override_aten() as switch:
        losses = train(network(), 50, "npu", torch.float32)
    ran = {name: emulated.launches(name) - before[name] for name in names}
    assert ran == dict(zip(names, (100, 100, 100, 100, 50, 50), strict=True))
    assert switch.calls == 500
    expected = train(network(torch.float64), 50, "cpu", torch.float64)
    assert max(abs(a - b) for a, b in zip(losses, expected, strict=True)) < 1e-4
    assert losses[-1] < 0.7 * losses[0]
    before = {name: emulated.launches(name) for name in names}
    train(network(), 1, "npu", torch.float32)
    assert {name: emulated.launches(name) for name in names} == before, "the switch is still on"


def test_one_group_and_types_that_are_not_ours() -> None:
    import tilewright.torch as twt
    import torch

    x = torch.randn(33)
    with twt.override_aten("elu") as switch:
        out = torch.empty(0).npu()
        before = emulated.launches("elu")
        close(torch.ops.aten.elu.out(x.npu(), out=out), torch.nn.functional.elu(x.double()))
        close(torch.nn.functional.elu(x.npu().clone(), inplace=True), torch.nn.functional.elu(x.double()))
        assert emulated.launches("elu") == before + 2
        close(torch.nn.functional.elu(x.double().npu()), torch.nn.functional.elu(x.double()), rtol=1e-12)
        assert switch.calls == 2
    switch.undo()
    with pytest.raises(UsageError, match="TW5406"):
        twt.override_aten("conv")


@pytest.mark.parametrize("device", ["cpu", "npu"])
@pytest.mark.parametrize(
    "options", [{}, {"affine": False}, {"track_running_stats": False}, {"momentum": None}]
)
def test_batch_norm_modules(device: str, options: dict[str, Any]) -> None:
    import torch
    from tilewright.torch import modules
    from torch import nn

    for theirs, ours, shape in (
        (nn.BatchNorm1d, modules.BatchNorm1d, (9, 5)),
        (nn.BatchNorm2d, modules.BatchNorm2d, (3, 5, 4, 2)),
        (nn.BatchNorm3d, modules.BatchNorm3d, (2, 5, 3, 2, 2)),
    ):
        reference, module = theirs(5, **options).double(), ours(5, **options)
        module.load_state_dict(reference.state_dict())
        module.to(device)
        for mode in (True, True, True, False):
            reference.train(mode)
            module.train(mode)
            x = torch.randn(shape) + 2
            close(module(x.to(device)), reference(x.double()), atol=1e-5)
        assert module.state_dict().keys() == reference.state_dict().keys()
        for key, value in module.state_dict().items():
            close(value, reference.state_dict()[key])


def test_modules_say_what_torchs_say() -> None:
    import torch
    from tilewright.torch import modules

    module = modules.BatchNorm1d(5)
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        module(torch.randn(1, 5))
    with pytest.raises(ValueError, match="expected 2D or 3D input"):
        module(torch.randn(5))
    assert module.eval()(torch.randn(1, 5)).shape == (1, 5)


def test_conversion_keeps_parameters() -> None:
    import torch
    from tilewright.torch import modules

    model = network()
    parameters = list(model.parameters())
    twin = copy.deepcopy(model)
    modules.convert(model)
    assert type(model[1]) is modules.BatchNorm2d
    assert type(model[2]) is modules.ELU
    assert all(p is q for p, q in zip(model.parameters(), parameters, strict=True))
    x = torch.randn(4, 1, 8, 8)
    torch.testing.assert_close(model(x), twin(x))
    assert type(modules.revert(model)[1]) is torch.nn.BatchNorm2d
    synchronised = modules.convert_sync_batchnorm(model)
    assert type(synchronised[1]) is modules.SyncBatchNorm
    torch.testing.assert_close(synchronised(x), twin(x))  # one process: ordinary batch norm


# -- several processes -----------------------------------------------------------------------------------

#: Samples of each rank: even, uneven, a rank without any, one value per channel.
SPLITS = ([4], [3, 5], [2, 0, 5], [1, 2, 3, 1], [1, 1, 1, 1])


def _data(total: int) -> Any:
    import torch

    generator = torch.Generator().manual_seed(3)
    shape = (total, 5, 3) if total != 4 else (total, 5, 1)
    return [torch.randn(shape, generator=generator) * 2 + 1 for _ in range(2)]


def _worker(rank: int, world: int, port: int, results: Any) -> None:
    import os

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), TORCH_DEVICE_BACKEND_AUTOLOAD="0")
    import torch.distributed as distributed

    import tilewright.torch  # noqa: F401
    import torch
    from tilewright.torch.modules import SyncBatchNorm

    torch.set_num_threads(1)
    distributed.init_process_group("gloo", rank=rank, world_size=world)
    for split in SPLITS:
        group = distributed.new_group(list(range(len(split))))
        if rank >= len(split):
            continue
        inputs, grads = _data(sum(split))
        begin = sum(split[:rank])
        own = slice(begin, begin + split[rank])
        module = SyncBatchNorm(5, process_group=group)
        with torch.no_grad():
            module.weight.copy_(torch.linspace(0.5, 2, 5))
            module.bias.copy_(torch.linspace(-1, 1, 5))
        x = inputs[own].clone().requires_grad_()
        result = module(x)
        result.backward(grads[own])
        tensors = (
            result,
            x.grad,
            module.weight.grad,
            module.bias.grad,
            module.running_mean,
            module.running_var,
        )
        results.put((len(split), split, rank, [t.detach().numpy().copy() for t in tensors]))
    distributed.barrier()
    distributed.destroy_process_group()


def test_sync_batch_norm_equals_batch_norm_of_the_whole_batch() -> None:
    import socket

    import torch.multiprocessing as multiprocessing

    import torch

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    context = multiprocessing.get_context("spawn")
    results = context.SimpleQueue()
    multiprocessing.spawn(_worker, (4, port, results), nprocs=4)
    found: dict[tuple[int, ...], dict[int, Any]] = {}
    for _ in range(sum(map(len, SPLITS))):
        _, split, rank, arrays = results.get()
        found.setdefault(tuple(split), {})[rank] = [torch.from_numpy(a) for a in arrays]
    for split in SPLITS:
        inputs, grads = _data(sum(split))
        reference = torch.nn.BatchNorm1d(5).double()
        with torch.no_grad():
            reference.weight.copy_(torch.linspace(0.5, 2, 5))
            reference.bias.copy_(torch.linspace(-1, 1, 5))
        x = inputs.double().requires_grad_()
        expected = reference(x)
        expected.backward(grads.double())
        ranks = [found[tuple(split)][r] for r in range(len(split))]
        close(torch.cat([r[0] for r in ranks]), expected, atol=1e-5)
        close(torch.cat([r[1] for r in ranks]), x.grad, atol=1e-5)
        close(sum(r[2] for r in ranks), reference.weight.grad, atol=2e-5)
        close(sum(r[3] for r in ranks), reference.bias.grad, atol=2e-5)
        for r in ranks:
            close(r[4], reference.running_mean)
            close(r[5], reference.running_var)
            assert torch.equal(r[4], ranks[0][4])
            assert torch.equal(r[5], ranks[0][5])
