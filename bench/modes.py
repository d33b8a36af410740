"""Check and time mode against fast mode: how many times longer they take on this host.

    python bench/modes.py [--json] [--operator elu elu_backward] [--elements 1000000 16000000] [--threads 1]

Targets: check mode at most 6 times, time mode at most 4 times. Besides wall-clock time it gives processor
time, which is the fairer measure on a host that does other things; the modes run in turn, the best of all
rounds counts. Check mode is measured without the float64 reference, time mode with its default interval.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import tilewright as tw
from tilewright.ops import registry


def _best(functions: dict[str, Callable[[], object]], rounds: int) -> dict[str, tuple[float, float]]:
    """name -> best (wall-clock, processor) seconds."""
    best = dict.fromkeys(functions, (float("inf"), float("inf")))
    for _ in range(rounds):
        for name, function in functions.items():
            wall, processor = time.perf_counter(), time.process_time()
            function()
            spent = time.perf_counter() - wall, time.process_time() - processor
            best[name] = min(best[name][0], spent[0]), min(best[name][1], spent[1])
    return best


def measure(operator: str, elements: int, threads: int, rounds: int) -> dict[str, Any]:
    """Times of one call in every mode."""
    op = registry.get(operator)
    kernel = tw.compile(op, threads=threads)
    x = np.random.default_rng(0).standard_normal(elements, np.float32)
    inputs = (x,) * sum(not t.spec.optional for t in op.tensors)
    options = {"wrong_results": False}
    found = _best(
        {
            "fast": lambda: kernel(*inputs),
            "check": lambda: kernel.check(*inputs, check_options=options),
            "time": lambda: kernel.time(*inputs),
        },
        rounds,
    )
    row: dict[str, Any] = {"operator": operator, "elements": elements, "threads": threads}
    for name, (wall, processor) in found.items():
        row[f"{name}_s"], row[f"{name}_processor_s"] = round(wall, 5), round(processor, 5)
        if name != "fast":
            row[f"{name}_times"] = round(wall / found["fast"][0], 2)
            row[f"{name}_processor_times"] = round(processor / found["fast"][1], 2)
    return row


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--operator", nargs="+", default=["elu", "elu_backward"])
    parser.add_argument("--elements", type=int, nargs="+", default=[1_000_000, 16_000_000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = [
        measure(operator, elements, threads, options.rounds)
        for operator in options.operator
        for elements in options.elements
        for threads in options.threads
    ]
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print("times of fast mode, by wall clock (by processor time), on this host")
    for row in found:
        print(
            f"  {row['operator']:14s} {row['elements']:9d} elements, {row['threads']} thread(s): fast "
            f"{row['fast_s'] * 1e3:7.2f} ms; "
            f"check {row['check_times']:.2f} ({row['check_processor_times']:.2f}), "
            f"time {row['time_times']:.2f} ({row['time_processor_times']:.2f})"
        )


if __name__ == "__main__":
    main()
