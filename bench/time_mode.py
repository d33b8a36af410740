"""Cost of time mode on this host: wall clock against fast mode, and memory beyond the tensors.

    python bench/time_mode.py [--json] [--sizes N,N,...]

Targets: at most 4 times fast mode; a kernel over 256 M elements needs under 1 GiB beyond its tensors.
The figures are those of this host; the modelled times of the device are not what is measured here.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from typing import Any

import numpy as np

import tilewright as tw
from tilewright.ops import registry

ROUNDS = 3


def _best(call: Any) -> float:
    seconds = list[float]()
    for _ in range(ROUNDS):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(elements: int) -> dict[str, float]:
    """Seconds of both modes for elu f32 and the growth of the process's peak memory by time mode."""
    kernel = tw.compile(registry.get("elu"))
    x = np.random.default_rng(0).standard_normal(elements, dtype=np.float32)
    fast = _best(lambda: kernel(x))
    before = _peak_bytes()
    timed = _best(lambda: kernel.time(x))
    return {
        "elements": elements,
        "fast_s": fast,
        "time_s": timed,
        "ratio": timed / fast,
        "extra_bytes": _peak_bytes() - before,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sizes", default="4000000,16000000,268435456")
    options = parser.parse_args()
    found = [measure(int(size)) for size in options.sizes.split(",")]
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for row in found:
        print(
            f"{row['elements']:>12} elements: fast {row['fast_s']:.4f} s, time mode {row['time_s']:.4f} s, "
            f"{row['ratio']:.2f} times, {row['extra_bytes'] / 2**20:.1f} MiB more"
        )


if __name__ == "__main__":
    main()
