"""GM bytes that batch norm moves, in units of its data tensor, from the emulator's counters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shapes import arranged

import tilewright as tw
from tilewright.ops import registry

#: Rows streamed, lanes streamed, segments streamed; a share of a core fits in UB in the last two.
STREAMED = [(16, 40, 4001), (40_000, 64), (200, 320, 49)]
RESIDENT = [(32, 64, 7, 7), (8, 40, 300)]


def moved(name: str, shape: tuple[int, ...], layout: str, **attributes: Any) -> float:
    rng = np.random.default_rng(0)
    op = registry.get(name)
    data: dict[str, Any] = {}
    for tensor in op.tensors:
        if tensor.name in ("input", "grad_output"):
            data[tensor.name] = arranged(rng.standard_normal(shape).astype(np.float32), layout)
        elif not (attributes.get("training") and tensor.name.startswith("running")):
            data[tensor.name] = rng.random(shape[1]).astype(np.float32) + 0.5
    counters = tw.compile(op).run(**data, **attributes).counters
    return (counters.gm_read_bytes + counters.gm_write_bytes) / data["input"].nbytes


@pytest.mark.parametrize("layout", ["contiguous", "last"])
@pytest.mark.parametrize("shape", STREAMED, ids=str)
def test_streamed(shape: tuple[int, ...], layout: str) -> None:
    """A pass reads each operand once; what waits for no sum is written by the pass that reads its inputs."""
    assert 5 <= moved("batch_norm_backward", shape, layout) <= 5.1
    assert 3 <= moved("batch_norm_backward_frozen", shape, layout) <= 3.1
    # The sample of the statistics comes on top.
    assert 3 <= moved("batch_norm", shape, layout, training=True) <= 3.2
    assert 2 <= moved("batch_norm", shape, layout, training=False) <= 2.1


@pytest.mark.parametrize("shape", RESIDENT, ids=str)
def test_resident(shape: tuple[int, ...]) -> None:
    assert 3 <= moved("batch_norm_backward", shape, "contiguous") <= 3.05
    assert 2 <= moved("batch_norm", shape, "contiguous", training=True) <= 2.4
