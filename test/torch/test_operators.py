"""torch.ops.tilewright.*: values against float64, layouts, sizes, refusals, and torch's own checks."""

from __future__ import annotations

from typing import Any

import pytest
from support import close, sample

import tilewright.emulated as emulated
from tilewright.ops import registry

NAMES = registry.NAMES
DEVICES = ("cpu", "npu")


def ops() -> Any:
    import torch

    return torch.ops.tilewright


def forms() -> Any:
    from tilewright.torch import operators

    return operators.forms()


def aten() -> Any:
    import torch

    return torch.ops.aten


@pytest.mark.parametrize("name", NAMES)
def test_torch_accepts_the_operator(name: str) -> None:
    import torch

    args, kwargs = sample(forms()[name], "cpu")
    torch.library.opcheck(getattr(ops(), name).default, args, kwargs)


@pytest.mark.parametrize("name", NAMES)
def test_device_and_host_agree_and_the_kernel_ran_on_the_stream(name: str) -> None:
    import torch

    args, kwargs = sample(forms()[name], "cpu")
    there = [a.npu() if isinstance(a, torch.Tensor) else a for a in args]
    expected = getattr(ops(), name)(
        *[a.clone() if isinstance(a, torch.Tensor) else a for a in args], **kwargs
    )
    before = emulated.launches()
    found = getattr(ops(), name)(*there, **kwargs)
    torch.npu.synchronize()
    assert emulated.launches() == before + 1
    found, expected = (x if isinstance(x, (tuple, list)) else (x,) for x in (found, expected))
    assert [x.shape for x in found] == [x.shape for x in expected]
    for x, y in zip(found, expected, strict=True):
        assert x.device == torch.device("npu:0")
        assert x.dtype == y.dtype
        assert torch.equal(x.cpu(), y)


@pytest.mark.parametrize("name", [n for n in NAMES if registry.get(n).aten])
def test_schema_has_atens_names_in_atens_order(name: str) -> None:
    form = forms()[name]
    base, _, overload = form.op.aten.removeprefix("aten::").partition(".")
    theirs = [a.name for a in getattr(getattr(aten(), base), overload or "default")._schema.arguments]
    ours = [a.name for a in getattr(ops(), name).default._schema.arguments]
    common = [n for n in theirs if n in ours]
    assert [n for n in ours if n in theirs] == common
    assert set(theirs) - set(ours) <= {"normalized_shape", "dim", "half_to_float", "input_dtype"}


def test_changed_arguments_are_declared() -> None:
    schema = ops().batch_norm.default._schema
    assert {a.name for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write} == {
        "running_mean",
        "running_var",
    }


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("shape", [(), (1,), (3, 1), (7, 5, 3), (2, 3, 5, 7), (0,), (4, 0, 3), (10007,)])
def test_shapes(device: str, shape: tuple[int, ...]) -> None:
    import torch

    g, x = torch.randn(shape), torch.randn(shape)
    before = emulated.launches()
    found = ops().elu_backward(g.to(device), 1.5, 1.0, 0.5, False, x.to(device))
    close(found, aten().elu_backward(g.double(), 1.5, 1.0, 0.5, False, x.double()))
    torch.npu.synchronize()
    assert emulated.launches() == before + int(device == "npu" and 0 not in shape)


def layouts(x: Any) -> dict[str, Any]:
    """The same values (4, 6, 5, 3), stored in different ways."""
    import torch

    padded = torch.randn(4, 6, 5, 8)
    padded[..., :3] = x
    return {
        "contiguous": x,
        "channels-last": x.to(memory_format=torch.channels_last),
        "transposed": x.permute(3, 1, 0, 2).contiguous().permute(2, 1, 3, 0),
        "sliced": padded[..., :3],
        "expanded": x[:1].expand(4, 6, 5, 3),
        "offset": torch.cat([torch.zeros(1), x.flatten()])[1:].view(x.shape),
    }


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    "first", ["contiguous", "channels-last", "transposed", "sliced", "expanded", "offset"]
)
@pytest.mark.parametrize("second", ["contiguous", "channels-last", "expanded"])
def test_layouts(device: str, first: str, second: str) -> None:
    import torch

    g, x = layouts(torch.randn(4, 6, 5, 3))[second], layouts(torch.randn(4, 6, 5, 3))[first]
    g, x = (t.to(device) if t.is_contiguous() else t.npu() if device == "npu" else t for t in (g, x))
    found = ops().elu_backward(g, 1.0, 1.0, 1.0, False, x)
    close(found, aten().elu_backward(g.cpu().double(), 1, 1, 1, False, x.cpu().double()))
    if first == "channels-last":
        assert found.is_contiguous(memory_format=torch.channels_last)
    if first == "contiguous":
        assert found.is_contiguous()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["float16", "bfloat16"])
def test_half_types(device: str, name: str) -> None:
    import torch

    dtype = getattr(torch, name)
    x = torch.randn(1003).to(dtype)
    found = ops().elu(x.to(device))
    assert found.dtype == dtype
    close(found, aten().elu(x.double()), rtol=6e-4 if name == "float16" else 4.4e-3, atol=6e-8)


@pytest.mark.parametrize("device", DEVICES)
def test_sums_over_nothing(device: str) -> None:
    import torch

    x, c = torch.empty(0, 5, 4).to(device), torch.ones(5).to(device)
    grad_input, grad_weight, grad_bias = ops().batch_norm_backward(x, x, c, c, c, [True] * 3)
    assert grad_input.shape == (0, 5, 4)
    assert torch.equal(grad_weight.cpu(), torch.zeros(5))
    assert torch.equal(grad_bias.cpu(), torch.zeros(5))


def test_masked_results_are_none() -> None:
    import torch

    args, _ = sample(forms()["batch_norm_backward"], "cpu")
    full = ops().batch_norm_backward(*args[:5], [True, True, True])
    part = ops().batch_norm_backward(*args[:5], [False, True, False])
    assert part[0] is None
    assert part[2] is None
    torch.testing.assert_close(part[1], full[1])


def _two(t: Any, d: str, first: Any, second: Any) -> Any:
    return ops().elu_backward(first.to(d), 1.0, 1.0, 1.0, False, second.to(d))


def _counts(t: Any) -> Any:
    rows = t.ones(2, 3)
    return ops().batch_norm_gather_stats_with_counts(rows, rows, None, None, t.tensor([5, -1]))


REFUSED = [
    ("another type", "TW2004", lambda t, d: ops().elu(t.zeros(3, dtype=t.float64).to(d))),
    ("integers", "TW2004", lambda t, d: ops().elu(t.zeros(3, dtype=t.int64).to(d))),
    ("two types", "TW2005", lambda t, d: _two(t, d, t.ones(3).half(), t.ones(3))),
    ("two shapes", "TW2007", lambda t, d: _two(t, d, t.ones(3), t.ones(4))),
    ("nine dimensions", "TW2006", lambda t, d: ops().elu(t.ones((1,) * 9).to(d))),
    ("a wrong code", "TW2012", lambda t, d: ops().binary_cross_entropy(*[t.ones(3).to(d)] * 2, None, 7)),
    ("a NaN attribute", "TW2011", lambda t, d: ops().elu(t.ones(3).to(d), float("nan"))),
    ("a sparse tensor", "Sparse", lambda t, d: ops().elu(t.ones(3).to_sparse())),
    ("a string", "alpha", lambda t, d: ops().elu(t.ones(3).to(d), "one")),
    ("no tensor", "no tensor arguments", lambda t, d: ops().elu(None)),
    ("negative counts", "TW2018", lambda t, d: _counts(t)),
]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(("what", "words", "call"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refusals_leave_everything_working(device: str, what: str, words: str, call: Any) -> None:
    import torch

    with pytest.raises(RuntimeError, match=words):
        call(torch, device)
    x = torch.randn(33)
    close(ops().elu(x.to(device)), aten().elu(x.double()))


def test_mixed_devices() -> None:
    import torch

    cpu, first, second = torch.ones(3), torch.ones(3).npu(), torch.ones(3).to("npu:1")
    for pair, words in (((first, cpu), "npu:0 and cpu"), ((first, second), "npu:0 and npu:1")):
        with pytest.raises(RuntimeError, match=words):
            ops().elu_backward(pair[0], 1.0, 1.0, 1.0, False, pair[1])
    with pytest.raises(RuntimeError, match="device"):
        ops().elu(torch.empty(3, device="npu:7"))


def test_the_second_device() -> None:
    import torch

    x = torch.randn(1003)
    found = ops().elu(x.to("npu:1"))
    assert found.device == torch.device("npu:1")
    assert torch.npu.current_device() == 0
    close(found, aten().elu(x.double()))


def test_too_large_for_the_device() -> None:
    import torch

    one = torch.ones(1).npu()
    huge = one.expand(1 << 20, 1 << 16)
    with pytest.raises(RuntimeError, match="memory"):
        ops().elu(huge)
    close(ops().elu(one), torch.ones(1))


def test_attributes_do_not_recompile() -> None:
    import torch
    from tilewright.compiler import statistics

    x = torch.randn(50)
    ops().elu(x, 1.0, 1.0, 1.0)
    before = statistics.compilations
    for alpha in (0.5, -2.0, 1e30):
        close(ops().elu(x, alpha, 1.0, 1.0), aten().elu(x.double(), alpha), atol=1e-6 * max(1, abs(alpha)))
    assert statistics.compilations == before


def test_autocast() -> None:
    import torch

    x, t = torch.randn(40), torch.rand(40)
    for device in DEVICES:
        with torch.autocast(device, dtype=torch.bfloat16):
            found = ops().binary_cross_entropy_with_logits(x.bfloat16().to(device), t.to(device))
            kept = ops().elu(x.bfloat16().to(device))
        assert found.dtype == torch.float32
        assert kept.dtype == torch.bfloat16
        reference = aten().binary_cross_entropy_with_logits(x.bfloat16().double(), t.double())
        close(found, reference)
