"""The operators on a real device, against float64, with the tolerances of the acceptance gate."""

from __future__ import annotations

from typing import Any

import pytest

#: Relative tolerance of a device by type: the gate that operator libraries are accepted by.
GATE = {"float32": 1e-4, "float16": 1e-3, "bfloat16": 4e-3}


@pytest.fixture(scope="module")
def torch() -> Any:
    import torch_npu  # noqa: F401

    import tilewright.emulated
    import tilewright.torch
    import torch

    assert not tilewright.emulated.is_active(), "these tests are for a real device"
    return torch


@pytest.mark.parametrize("dtype", GATE)
@pytest.mark.parametrize("shape", [(1,), (1000,), (10007,), (64, 3, 17, 5)])
def test_elu_backward(torch: Any, dtype: str, shape: tuple[int, ...]) -> None:
    kind = getattr(torch, dtype)
    g, x = torch.randn(shape).to(kind), torch.randn(shape).to(kind)
    found = torch.ops.tilewright.elu_backward(g.npu(), 1.0, 1.0, 1.0, False, x.npu())
    expected = torch.ops.aten.elu_backward(g.double(), 1.0, 1.0, 1.0, False, x.double())
    torch.testing.assert_close(found.cpu().double(), expected, rtol=GATE[dtype], atol=GATE[dtype])


@pytest.mark.parametrize("dtype", GATE)
@pytest.mark.parametrize("channels_last", [False, True])
def test_batch_norm(torch: Any, dtype: str, channels_last: bool) -> None:
    kind = getattr(torch, dtype)
    x = torch.randn(8, 20, 7, 7).to(kind)
    x = x.to(memory_format=torch.channels_last) if channels_last else x
    found = torch.ops.tilewright.batch_norm(x.npu(), None, None, None, None, True, 0.1, 1e-5)[0]
    expected = torch.nn.functional.batch_norm(x.double(), None, None, training=True)
    torch.testing.assert_close(found.cpu().double(), expected, rtol=GATE[dtype], atol=GATE[dtype])


def test_order_with_torch_npu(torch: Any) -> None:
    x = torch.randn(1 << 20)
    y = x.npu()
    for _ in range(10):
        y = torch.ops.tilewright.elu(y * 1.5) * 0.5
    expected = x.double()
    for _ in range(10):
        expected = torch.nn.functional.elu(expected * 1.5) * 0.5
    torch.testing.assert_close(y.cpu().double(), expected, rtol=1e-3, atol=1e-3)


def test_a_program_without_python(torch: Any, tmp_path: Any) -> None:
    from tilewright.cli import main

    assert main(["export", "elu", "--shape", "1000", "--hivmc", "cann", "-o", str(tmp_path)]) == 0
