"""Host time of a call of torch.ops.tilewright.*, on the emulated CANN. Nothing here is a time of a device.

    python bench/torch_overhead.py [--repeat N]

For a tensor of 1,000 elements in host memory the time of the kernel itself (the emulator's launch with the
same argument block) is taken away. On ``npu`` the time is that until the call returns, the launch queued.
The caller in C++ (torch_enqueue.cpp) goes through torch's dispatcher like any other, below autograd as in
``at::AutoDispatchBelowAutograd``; it needs a C++ compiler. With ``--check`` the exit code says whether the
limits of the project are kept.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Limits in microseconds.
LIMITS = {
    "host_tensor_beyond_kernel_us": 60.0,
    "npu_enqueue_python_us": 80.0,
    "npu_enqueue_cpp_us": 30.0,
}


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


def cpp_caller() -> Callable[[Any, int], float]:
    """The compiled caller: a tensor and a number of calls -> mean time of a call."""
    import torch

    compiler = next(filter(None, map(shutil.which, ("c++", "g++", "clang++", "clang++-19"))), None)
    if compiler is None:
        raise SystemExit("a C++ compiler is needed for the caller in C++")
    # The library stays loaded when its file is gone.
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "enqueue.so"
        source = Path(__file__).with_name("torch_enqueue.cpp")
        subprocess.run(
            [compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(file), "-ldl"], check=True
        )
        library = ctypes.CDLL(str(file))
    library.enqueue.restype = ctypes.c_double
    library.enqueue.argtypes = [ctypes.c_void_p, ctypes.c_uint64]
    # Its functions are looked up in what is visible to all.
    ctypes.CDLL("libtorch_cpu.so", mode=ctypes.RTLD_GLOBAL)

    def call(tensor: Any, repeat: int) -> float:
        (handle,) = torch._C._aoti.unsafe_alloc_void_ptrs_from_tensors([tensor])
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        address = handle if isinstance(handle, int) else pointer(handle, None)
        found = float(library.enqueue(address, repeat))
        if found < 0:
            raise SystemExit("torch refused the call from C++")
        return found

    return call


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=int, default=300)
    parser.add_argument("--check", action="store_true", help="fail if a limit is missed")
    given = parser.parse_args()
    repeat = given.repeat

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
        torch.ops.tilewright.elu(xn)
        enqueue, rounds = cpp_caller(), []
        before = emulated.launches("elu")
        for _ in range(10):
            rounds.append(enqueue(xn, repeat))
            wait()
        assert emulated.launches("elu") == before + 10 * repeat
        found["npu_enqueue_cpp_us"] = min(rounds[1:])
    found["host_tensor_beyond_kernel_us"] = found["host_tensor_us"] - found["kernel_us"]
    print(json.dumps({key: round(value, 1) for key, value in found.items()}, indent=1))
    missed = {key: limit for key, limit in LIMITS.items() if found[key] > limit}
    for key, limit in missed.items():
        print(f"{key} is above the limit of {limit}", file=sys.stderr)
    if given.check and missed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
