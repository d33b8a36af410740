"""``override_aten``: every operator of torch that is routed, undoing in any order."""

from __future__ import annotations

from typing import Any

import pytest
from support import close

import tilewright.emulated as emulated


def aten() -> Any:
    import torch

    return torch.ops.aten


def _call(name: str) -> tuple[Any, list[Any], dict[str, Any]]:
    """A routed operator (its overload), positional arguments and ``out=`` tensors, on the host in f32."""
    import torch

    rand = lambda *s: torch.rand(s) * 0.8 + 0.1  # noqa: E731
    g, x, w, b, mean, var = rand(4, 3, 5), rand(4, 3, 5), rand(3), rand(3), rand(3), rand(3)
    space, _, base = name.partition("::")
    plain, _, overload = base.partition(".")
    empty = {n: torch.empty(0) for n in ("out", "grad_input", "save_mean", "save_invstd")}
    mask, counts = [True, True, True], torch.tensor([8.0, 12.0])
    row_g, row_x, row_w, row_b, row_r = rand(6, 7), rand(6, 7), rand(7), rand(7), rand(6, 1)
    probability = torch.softmax(row_x, -1)
    norm, bn = (x, w, b, mean, var), (0.1, 1e-3)
    backward = (g, x, w, mean, var, x.mean((0, 2)), 1 / (x.var((0, 2), unbiased=False) + 1e-3).sqrt())
    arguments: dict[str, tuple[Any, ...]] = {
        "elu": (x - 0.5, 1.5, 1.0, 0.5),
        "elu_": (x - 0.5, 1.5, 1.0, 0.5),
        "elu_backward": (g, 1.5, 1.0, 0.5, False, x - 0.5),
        "binary_cross_entropy": (x, g, None, 2),
        "binary_cross_entropy_backward": (torch.tensor(0.5), x, g, None, 2),
        "binary_cross_entropy_with_logits": (x, g, None, None, 2),
        "npu_binary_cross_entropy_with_logits_backward": (torch.tensor(0.5), x, g, None, None, 2),
        "native_batch_norm": (*norm, True, *bn),
        "_native_batch_norm_legit": (*norm, True, *bn),
        "_native_batch_norm_legit.no_stats": (x, w, b, True, *bn),
        "_batch_norm_with_update": (*norm, *bn),
        "_batch_norm_no_update": (*norm, *bn),
        "native_batch_norm_backward": (*backward, True, 1e-3, mask),
        "batch_norm_backward": (*backward, True, 1e-3, mask, torch.empty(0, dtype=torch.uint8)),
        "batch_norm_stats": (x, 1e-3),
        "batch_norm_elemt": (x, w, b, mean, var, 1e-3),
        "batch_norm_gather_stats_with_counts": (x, rand(2, 3), rand(2, 3), mean, var, *bn, counts),
        "batch_norm_backward_reduce": (g, x, mean, var, w, *mask),
        "batch_norm_backward_elemt": (g, x, mean, var, w, mean, var, counts.int()),
        "native_layer_norm": (row_x, [7], row_w, row_b, 1e-3),
        "native_layer_norm_backward": (row_g, row_x, [7], row_x.mean(-1, True), row_r, row_w, row_b, mask),
        "_softmax": (row_x, -1, False),
        "_softmax_backward_data": (row_g, probability, -1, torch.float32),
    }  # fmt: skip
    packet = getattr(getattr(torch.ops, space), plain)
    called = getattr(packet, overload or "default")
    outs = {a.name: empty[a.name] for a in called._schema.arguments if a.is_out}
    return called, list(arguments.get(base, arguments.get(plain, ()))), outs


def _moved(value: Any, to: Any) -> Any:
    import torch

    return value.detach().clone().to(to) if isinstance(value, torch.Tensor) else value


def _double(value: Any) -> Any:
    import torch

    floats = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if floats else torch.float64 if value is torch.float32 else value


def _reference(name: str, called: Any, args: list[Any]) -> Any:
    """The result in float64: by the host's kernel, or where the host has none, by one that it has."""
    import torch

    args = [_double(a) for a in args]
    base = name.partition("::")[2].partition(".")[0]
    if base == "npu_binary_cross_entropy_with_logits_backward":
        grad, x, t = args[:3]
        return grad * (torch.sigmoid(x) - t)
    x = args[1 if "backward" in base else 0]
    if base == "batch_norm_stats":
        return x.mean((0, 2)), 1 / (x.var((0, 2), unbiased=False) + 1e-3).sqrt()
    channels = lambda t: t[None, :, None]  # noqa: E731
    if base == "batch_norm_elemt":
        return (x - channels(args[3])) * channels(args[4]) * channels(args[1]) + channels(args[2])
    if base == "batch_norm_gather_stats_with_counts":
        means, invstds, counts = args[1], args[2], args[7][:, None]
        mean = (means * counts).sum(0) / counts.sum()
        square = ((invstds**-2 - 1e-3 + (means - mean) ** 2) * counts).sum(0) / counts.sum()
        return mean, 1 / (square + 1e-3).sqrt()
    if base == "batch_norm_backward_reduce":
        g, x, mean, invstd, _ = args[:5]
        by_mean = (g * (x - channels(mean))).sum((0, 2))
        return g.sum((0, 2)), by_mean, by_mean * invstd, g.sum((0, 2))
    if base == "batch_norm_backward_elemt":
        g, x, mean, invstd, w, sums, by_mean, counts = args
        n = counts.sum()
        inner = channels(sums) / n + (x - channels(mean)) * channels(invstd**2 * by_mean) / n
        return (g - inner) * channels(invstd * w)
    outs = any(a.is_out for a in called._schema.arguments)
    return getattr(getattr(torch.ops.aten, base), "default" if outs else called._overloadname)(*args)


def _routes() -> list[str]:
    """Names of all routes; written down, because the module needs torch to be asked."""
    return [
        "aten::elu", "aten::elu.out", "aten::elu_", "aten::elu_backward", "aten::elu_backward.grad_input",
        "aten::binary_cross_entropy", "aten::binary_cross_entropy.out", "aten::binary_cross_entropy_backward",
        "aten::binary_cross_entropy_backward.grad_input", "aten::binary_cross_entropy_with_logits",
        "npu::npu_binary_cross_entropy_with_logits_backward", "aten::native_batch_norm",
        "aten::native_batch_norm.out", "aten::_native_batch_norm_legit",
        "aten::_native_batch_norm_legit.no_stats", "aten::_batch_norm_with_update",
        "aten::_batch_norm_no_update", "aten::native_batch_norm_backward", "aten::batch_norm_backward",
        "aten::batch_norm_stats", "aten::batch_norm_elemt", "aten::batch_norm_elemt.out",
        "aten::batch_norm_gather_stats_with_counts", "aten::batch_norm_backward_reduce",
        "aten::batch_norm_backward_elemt", "aten::native_layer_norm", "aten::native_layer_norm_backward",
        "aten::_softmax", "aten::_softmax.out", "aten::_softmax_backward_data",
        "aten::_softmax_backward_data.out",
    ]  # fmt: skip


def test_every_route_is_tested() -> None:
    from tilewright.torch import routes

    assert {r.name for group in routes.GROUPS.values() for r in group} == set(_routes())


@pytest.mark.parametrize("name", _routes())
def test_a_route_runs_our_kernel_and_gives_torchs_results(name: str) -> None:
    import tilewright.torch as twt
    import torch

    called, args, outs = _call(name)
    expected = _reference(name, called, [_moved(a, "cpu") for a in args])
    there = [_moved(a, "npu") for a in args]
    device_outs = {n: o.npu() for n, o in outs.items()}
    before = emulated.launches()
    with twt.override_aten() as switch:
        found = called(*there, **device_outs)
    torch.npu.synchronize()
    assert switch.calls == 1
    assert 1 <= emulated.launches() - before <= 2
    found, expected = (r if isinstance(r, (tuple, list)) else (r,) for r in (found, expected))
    assert len(found) == len(expected)
    for f, e in zip(found, expected, strict=True):
        if f.dtype != torch.uint8:  # the reserve
            close(f, e, rtol=1e-4, atol=1e-5)
    for result, out in zip(found, device_outs.values(), strict=False):
        assert result is out or result.data_ptr() == out.data_ptr()


def _launched(call: Any) -> int:
    import torch

    before = emulated.launches()
    call()
    torch.npu.synchronize()
    return emulated.launches() - before


def test_switches_nest_and_are_undone_in_any_order() -> None:
    import tilewright.torch as twt
    import torch

    x = torch.randn(33)
    y, z = x.npu(), x.double().npu()

    def elu() -> None:
        close(torch.nn.functional.elu(y), torch.nn.functional.elu(x.double()))
        close(torch.nn.functional.elu(z), torch.nn.functional.elu(x.double()), rtol=1e-12)

    for first_out in (0, 1):
        switches = [twt.override_aten("elu"), twt.override_aten("elu", "softmax")]
        assert _launched(elu) == 1
        assert [s.calls for s in switches] == [0, 1]
        switches[first_out].undo()
        assert _launched(elu) == 1
        assert [s.calls for s in switches] == [first_out, 2 - first_out]
        switches[1 - first_out].undo()
        assert _launched(elu) == 0
    with pytest.raises(ZeroDivisionError), twt.override_aten("elu"):
        raise ZeroDivisionError
    assert _launched(elu) == 0


def test_compiled_programs_are_routed_too() -> None:
    import tilewright.torch as twt
    import torch

    torch.manual_seed(2)
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.ELU()).npu()
    reference = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.ELU()).double()
    x = torch.randn(4, 3, 5)
    ours, theirs = x.npu().requires_grad_(), x.double().requires_grad_()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    with twt.override_aten("batch_norm", "elu") as switch:
        found = compiled(ours)
        found.square().sum().backward()
    assert switch.calls == 4
    expected = reference(theirs)
    expected.square().sum().backward()
    close(found, expected, atol=1e-5)
    close(ours.grad, theirs.grad, atol=1e-4)
    close(model[0].running_var, reference[0].running_var)
