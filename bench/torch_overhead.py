"""Host time of a call of torch.ops.tilewright.*, on the emulated CANN. Nothing here is a time of a device.

    python bench/torch_overhead.py [--repeat N]

For a tensor of 1,000 elements in host memory the time of the kernel itself (the emulator's launch with the
same argument block) is taken away. On ``npu`` the time is that until the call returns, the launch queued;
"below autograd" is what a caller in C++ pays, plus torch's Python binding of the call.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any


def measure(call: Callable[[], Any], repeat: int, after: Callable[[], Any] | None = None) -> float:
    """Mean time of a call in the best of several rounds, in microseconds: others share the machine."""
    for _ in range(50):
        call()
    rounds = []
    for _ in range(9):
        begin = time.perf_counter()
        for _ in range(repeat):
            call()
        rounds.append((time.perf_counter() - begin) / repeat * 1e6)
        if after is not None:
            after()
    return min(rounds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=300)
    repeat = parser.parse_args().repeat

    from tilewright import emulated

    emulated.activate()
    import numpy as np

    import tilewright as tw
    import tilewright.torch
    import torch
    from tilewright import runtime
    from tilewright.ops import elu_backward

    torch.set_num_threads(1)
    g, x = torch.randn(1000), torch.randn(1000)
    gn, xn = g.npu(), x.npu()
    op = torch.ops.tilewright.elu_backward.default
    wait = torch.npu.synchronize

    arrays = [g.numpy(), x.numpy(), np.empty(1000, np.float32)]
    bound = tw.bind(elu_backward, arrays[:2])
    described = tw.compile(elu_backward).described(bound.signature)
    loaded = described.binary.loaded
    addresses = [runtime.address(a) for a in arrays]
    block = loaded.pack(0, 0, 0, *addresses, *bound.scalars, *described.tail)
    ranges = runtime.gm_ranges([(a, 4000, 3) for a in addresses])
    cores = described.plan.cores

    found = {
        "kernel_us": measure(lambda: loaded.launch(cores, block, ranges, threads=1), repeat),
        "host_tensor_us": measure(lambda: op(g, 1.0, 1.0, 1.0, False, x), repeat),
        "npu_enqueue_python_us": measure(lambda: op(gn, 1.0, 1.0, 1.0, False, xn), repeat, wait),
        "aten_host_us": measure(lambda: torch.ops.aten.elu_backward(g, 1, 1, 1, False, x), repeat),
    }
    with torch._C._AutoDispatchBelowAutograd():
        found["npu_enqueue_below_autograd_us"] = measure(
            lambda: op(gn, 1.0, 1.0, 1.0, False, xn), repeat, wait
        )
    found["host_tensor_beyond_kernel_us"] = found["host_tensor_us"] - found["kernel_us"]
    print(json.dumps({key: round(value, 1) for key, value in found.items()}, indent=1))


if __name__ == "__main__":
    main()
