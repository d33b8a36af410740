"""Latency of getting a kernel: cold compilation, and a cache hit, each in a new process.

The clock runs inside the new process from before ``import tilewright`` to the finished launch of a small
call, so everything that a user waits for is in it; the import of Python itself and of NumPy is measured apart
and left out.

    python bench/compile_latency.py [--json] [--repeat 5] [--operator elu_backward]

Times are of this host. Nothing here says anything about a device.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from typing import Any

CHILD = """
import time
import numpy as np
import ml_dtypes
start = time.perf_counter()
import sys
import tilewright as tw
from tilewright import compiler, samples
op = getattr(tw.ops, sys.argv[1])
imported = time.perf_counter()
inputs = samples.random_inputs(op, (1000,), "f32")
drawn = time.perf_counter()
kernel = tw.compile(op)
kernel(**{name: array for name, array in inputs.items() if array is not None})
done = time.perf_counter()
import json
print(json.dumps({
    "import_ms": (imported - start) * 1e3,
    "first_call_ms": (done - drawn) * 1e3,
    "total_ms": (done - start - (drawn - imported)) * 1e3,
    "compilations": compiler.statistics.compilations,
    "mlir_imported": "tilewright.mlir" in sys.modules,
}))
"""


def measure(operator: str, cache: str) -> dict[str, Any]:
    """One new process."""
    environment = {**os.environ, "TILEWRIGHT_CACHE_DIR": cache}
    command = [sys.executable, "-c", CHILD, operator]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Median of each figure."""
    return {name: round(statistics.median(run[name] for run in runs), 2) for name in runs[0]}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--operator", default="elu_backward")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    cold = list[dict[str, Any]]()
    for _ in range(options.repeat):
        with tempfile.TemporaryDirectory() as folder:
            cold.append(measure(options.operator, folder))
    with tempfile.TemporaryDirectory() as folder:
        measure(options.operator, folder)
        hits = [measure(options.operator, folder) for _ in range(options.repeat)]
    if any(run["compilations"] != 1 for run in cold) or any(run["compilations"] != 0 for run in hits):
        raise SystemExit("the cache did not behave: the figures would mean something else")
    result = {
        "operator": options.operator,
        "repeat": options.repeat,
        "cold": median(cold),
        "hit": median(hits),
    }
    if options.json:
        print(json.dumps(result, indent=2))
        return 0
    print(f"{options.operator}, median of {options.repeat} new processes, NumPy's import excluded")
    print(f"{'':14s}{'import':>12s}{'first call':>12s}{'total':>12s}")
    for name, label in (("cold", "cold compile"), ("hit", "cache hit")):
        row = result[name]
        print(f"{label:14s}{row['import_ms']:9.1f} ms{row['first_call_ms']:9.1f} ms{row['total_ms']:9.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
