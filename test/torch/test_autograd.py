"""Gradients against float64, what has none, compilation and export."""

from __future__ import annotations

import copy
import io
from typing import Any

import pytest
from support import close, sample

import tilewright.emulated as emulated
from tilewright.ops import registry

DEVICES = ("cpu", "npu")


def ops() -> Any:
    import torch

    return torch.ops.tilewright


def both(
    device: str, call: Any, reference: Any, *inputs: Any, rtol: float = 1e-5, atol: float = 2e-5
) -> None:
    """Results and gradients of ``call`` on a device against ``reference`` in float64."""
    import torch

    ours = [x.to(device).detach().requires_grad_() for x in inputs]
    theirs = [x.double().detach().requires_grad_() for x in inputs]
    found, expected = call(*ours), reference(*theirs)
    grad = torch.randn(expected.shape)
    close(found, expected, rtol, atol)
    for x, y in zip(
        torch.autograd.grad(found, ours, grad.to(device)),
        torch.autograd.grad(expected, theirs, grad.double()),
        strict=True,
    ):
        close(x, y, rtol, atol)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("alpha", "scale", "input_scale"), [(1.0, 1.0, 1.0), (1.6733, 1.0507, 1.0), (0.5, 1.0, 2.0)]
)
def test_elu(device: str, alpha: float, scale: float, input_scale: float) -> None:
    import torch

    both(
        device,
        lambda x: ops().elu(x, alpha, scale, input_scale),
        lambda x: torch.ops.aten.elu(x, alpha, scale, input_scale),
        torch.randn(5, 77),
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("reduction", [0, 1, 2])
def test_losses(device: str, reduction: int) -> None:
    import torch

    p, x, t, w = torch.rand(6, 9) * 0.9 + 0.05, torch.randn(6, 9), torch.rand(6, 9), torch.rand(9) + 0.5
    there = [v.to(device) for v in (t, w)]
    both(
        device,
        lambda p: ops().binary_cross_entropy(p, there[0], None, reduction),
        lambda p: torch.ops.aten.binary_cross_entropy(p, t.double(), None, reduction),
        p,
        atol=1e-4,
    )
    both(
        device,
        lambda x: ops().binary_cross_entropy_with_logits(x, there[0], None, there[1], reduction),
        lambda x: torch.ops.aten.binary_cross_entropy_with_logits(x, t.double(), None, w.double(), reduction),
        x,
        atol=1e-4,
    )


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("training", [True, False])
def test_batch_norm(device: str, training: bool) -> None:
    import torch

    x, w, b = torch.randn(4, 6, 5, 3) * 2 + 1, torch.rand(6) + 0.5, torch.randn(6)
    mean, var = torch.randn(6), torch.rand(6) + 0.5
    ours, theirs = [[s.to(d).clone() for s in (mean, var)] for d in (device, torch.float64)]
    both(
        device,
        lambda x, w, b: ops().batch_norm(x, w, b, *ours, training, 0.1, 1e-5)[0],
        lambda x, w, b: torch.nn.functional.batch_norm(x, *theirs, w, b, training, 0.1, 1e-5),
        x,
        w,
        b,
        atol=1e-4,
    )
    for s, t, before in zip(ours, theirs, (mean, var), strict=True):
        close(s, t)
        assert torch.equal(s.cpu(), before) != training


def test_only_what_is_wanted_is_computed() -> None:
    import torch

    x, w = torch.randn(4, 6, 5), torch.ones(6, requires_grad=True)
    result = ops().batch_norm(x, w, None, None, None, True, 0.1, 1e-5)
    assert [r.requires_grad for r in result] == [True, False, False]
    result[0].sum().backward()
    assert w.grad is not None


def test_derivatives_that_do_not_exist_are_refused() -> None:
    import torch

    x, t = torch.rand(5, requires_grad=True), torch.rand(5, requires_grad=True)
    with pytest.raises(NotImplementedError, match=r"TW2601.*'target'"):
        ops().binary_cross_entropy(x, t)
    (grad,) = torch.autograd.grad(ops().elu(x).sum(), x, create_graph=True)
    with pytest.raises(NotImplementedError, match=r"TW2602.*elu_backward"):
        grad.sum().backward()
    close(ops().elu(x), torch.nn.functional.elu(x.double()))


UNWANTED = [
    ("binary_cross_entropy", (False, True), "target"),
    ("binary_cross_entropy", (False, False, True), "weight"),
    ("binary_cross_entropy_with_logits", (False, True), "target"),
    ("binary_cross_entropy_with_logits", (False, False, True), "weight"),
    ("binary_cross_entropy_with_logits", (False, False, False, True), "pos_weight"),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("name", "flags", "words"), UNWANTED)
def test_gradients_of_masks_and_targets_are_refused(
    device: str, name: str, flags: tuple[bool, ...], words: str
) -> None:
    import torch

    tensors = [torch.rand(5).to(device).requires_grad_(flag) for flag in flags]
    with pytest.raises(NotImplementedError, match=f"TW2601.*'{words}'"):
        getattr(ops(), name)(*tensors)
    detached = [t.detach() for t in tensors]
    with torch.no_grad():  # without a graph nothing is asked for
        assert torch.equal(getattr(ops(), name)(*tensors), getattr(ops(), name)(*detached))


def test_a_changed_argument_is_noticed_by_graphs_that_saved_it() -> None:
    import torch

    mean, x = torch.zeros(6), torch.ones(6, requires_grad=True)
    product = mean * x
    ops().batch_norm(torch.randn(4, 6), None, None, mean, torch.ones(6), True, 0.1, 1e-5)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.sum().backward()


class Block:
    """Convolution, batch norm, ELU: with our operators, and with torch's."""

    @staticmethod
    def make(ours: bool) -> Any:
        import torch
        from tilewright.torch import modules
        from torch import nn

        torch.manual_seed(5)
        model = nn.Sequential(nn.Conv2d(2, 4, 3), nn.BatchNorm2d(4), nn.ELU())
        return modules.convert(model) if ours else model.double()


def test_training_step_compiles_as_one_graph() -> None:
    import torch

    ours, theirs = Block.make(True), Block.make(False)
    compiled = torch.compile(ours, fullgraph=True, backend="aot_eager")
    for n in (3, 5):
        x = torch.randn(n, 2, 6, 6)
        before = [p.grad for p in ours.parameters()]
        assert n != 3 or before == [None] * 4
        ours.zero_grad()
        theirs.zero_grad()
        found, expected = compiled(x), theirs(x.double())
        close(found, expected, atol=1e-5)
        found.square().sum().backward()
        expected.square().sum().backward()
        for p, q in zip(ours.parameters(), theirs.parameters(), strict=True):
            close(p.grad, q.grad, rtol=1e-4, atol=1e-3)
    close(ours[1].running_var, theirs[1].running_var)
    assert int(ours[1].num_batches_tracked) == 2


def test_compiled_on_the_device() -> None:
    import torch

    compiled = torch.compile(lambda x: ops().elu(x, 0.5).sum(), fullgraph=True, backend="aot_eager")
    x = torch.randn(77).npu().requires_grad_()
    before = emulated.launches("elu_backward")
    compiled(x).backward()
    close(x.grad, torch.ops.aten.elu_backward(torch.ones(77), 0.5, 1, 1, False, x.detach().cpu().double()))
    assert emulated.launches("elu_backward") == before + 1


def test_export_with_dynamic_sizes() -> None:
    import torch

    model = Block.make(True).eval()
    n = torch.export.Dim("n", min=2, max=64)
    program = torch.export.export(model, (torch.randn(4, 2, 6, 6),), dynamic_shapes=({0: n},))
    assert any("tilewright.batch_norm" in str(node.target) for node in program.graph.nodes)
    x = torch.randn(9, 2, 6, 6)
    torch.testing.assert_close(program.module()(x), model(x))
    torch.testing.assert_close(_loaded(program).module()(x), model(x))


def _loaded(program: Any) -> Any:
    """The program after a way through a file."""
    import torch

    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    return torch.export.load(file)


def test_exported_training_updates_the_buffers() -> None:
    """Saved and loaded, a program in training mode still changes its running statistics in place."""
    import torch

    model = Block.make(True).train()
    before = copy.deepcopy(model)
    x = torch.randn(4, 2, 6, 6)
    loaded = _loaded(torch.export.export(model, (x,))).module()
    torch.testing.assert_close(loaded(x), before(x))
    state, expected = loaded.state_dict(), before.state_dict()
    assert state.keys() == expected.keys()
    for name, value in expected.items():
        torch.testing.assert_close(state[name], value)
    assert not torch.equal(state["1.running_mean"], torch.zeros(4))


@pytest.mark.parametrize("name", registry.NAMES)
def test_every_operator_survives_export_and_a_file(name: str) -> None:
    import torch
    from tilewright.torch import operators

    args, kwargs = sample(operators.forms()[name], "cpu")
    tensors = tuple(a for a in args if isinstance(a, torch.Tensor))

    class Module(torch.nn.Module):
        def forward(self, *given: Any) -> Any:
            rest = iter(given)
            full = [next(rest) if isinstance(a, torch.Tensor) else a for a in args]
            return getattr(ops(), name)(*full, **kwargs)

    copies = [tuple(t.clone() for t in tensors) for _ in range(2)]
    program = _loaded(torch.export.export(Module(), tensors))
    found, expected = program.module()(*copies[0]), Module()(*copies[1])
    torch.testing.assert_close(found, expected, rtol=0, atol=0)
    # What the operator changes in place, it changes there too.
    torch.testing.assert_close(copies[0], copies[1], rtol=0, atol=0)


def test_shapes_without_data() -> None:
    from torch._subclasses.fake_tensor import FakeTensorMode

    import torch

    with FakeTensorMode():
        x = torch.empty(1 << 20, 1 << 20)  # 4 TiB that nobody has
        assert ops().elu(x).shape == x.shape
        with pytest.raises(RuntimeError, match="same device"):
            ops().elu_backward(x, 1.0, 1.0, 1.0, False, torch.empty(3, device="meta"))
