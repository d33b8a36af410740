"""Speed of the emulated device in fast mode: elements per second and host thread.

    python bench/emulation_speed.py [--json] [--elements 10000000] [--operator elu_backward] [--threads 1 2]

Counts only the launch. Times are of this host; they say nothing about the speed of a device.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

import tilewright as tw
from tilewright import samples
from tilewright.kernel import Kernel


def measure(operator: str, elements: int, dtype: str, threads: int, repeat: int) -> dict[str, Any]:
    """Best of ``repeat`` launches."""
    op = getattr(tw.ops, operator)
    drawn = samples.random_inputs(op, (elements,), dtype)
    inputs = tuple(array for array in drawn.values() if array is not None)
    kernel = Kernel(op, threads=threads)
    outcome = kernel.run(*inputs)
    times = list[float]()
    for _ in range(repeat):
        start = time.perf_counter()
        kernel(*inputs)
        times.append(time.perf_counter() - start)
    seconds = min(times)
    counters = outcome.counters
    return {
        "operator": operator,
        "dtype": dtype,
        "elements": elements,
        "threads": threads,
        "seconds": round(seconds, 5),
        "elements_per_s_per_thread": round(elements / seconds / threads),
        "gm_bytes_per_s": round((counters.gm_read_bytes + counters.gm_write_bytes) / seconds),
        "instructions": counters.instructions,
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--operator", default="elu_backward")
    parser.add_argument("--elements", type=int, default=10_000_000)
    parser.add_argument("--dtype", nargs="+", default=["f32", "f16", "bf16"])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    results = [
        measure(options.operator, options.elements, dtype, threads, options.repeat)
        for dtype in options.dtype
        for threads in options.threads
    ]
    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    print(f"{options.operator}, {options.elements} elements, emulated on this host")
    for row in results:
        print(
            f"  {row['dtype']:5s} {row['threads']} thread(s): {row['seconds'] * 1e3:8.2f} ms, "
            f"{row['elements_per_s_per_thread'] / 1e6:7.1f} M elements/s per thread, "
            f"{row['gm_bytes_per_s'] / 1e9:5.2f} GB/s of GM traffic"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
