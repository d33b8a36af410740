"""Pure moves on the emulated device against NumPy's own copy: bytes per second on this host.

    python bench/moves.py [--json] [--elements 16000000] [--threads 1 2]

The kernel loads tiles to UB and stores them again; the same bytes are copied by NumPy (``np.copyto``) with as
many threads, each its own part. Target: at least 60 % of NumPy. Times are of this host, not of a device.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from tilewright import execute

TILE = 16384

KERNEL = f"""
module {{
  func.func @move(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %y: memref<?xf32>, %n: i64,
                  %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {{SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local",
                  mix_mode = "aiv"}} {{
    %tile = arith.constant {TILE} : index
    %n_i = arith.index_cast %n : i64 to index
    %p_i = arith.index_cast %px : i32 to index
    %g_i = arith.index_cast %gx : i32 to index
    %lb = arith.muli %p_i, %tile : index
    %step = arith.muli %g_i, %tile : index
    scf.for %i = %lb to %n_i step %step {{
      %rest = arith.subi %n_i, %i : index
      %len = arith.minsi %rest, %tile : index
      %gx_ = memref.reinterpret_cast %x to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
      %gy_ = memref.reinterpret_cast %y to offset: [%i], sizes: [%len], strides: [1]
           : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
      %a = memref.alloc() : memref<{TILE}xf32>
      %as = memref.subview %a[0] [%len] [1] : memref<{TILE}xf32> to memref<?xf32, strided<[1]>>
      annotation.mark %a {{hivm.multi_buffer = 2 : i32}} : memref<{TILE}xf32>
      hivm.hir.load ins(%gx_ : memref<?xf32, strided<[1], offset: ?>>)
                    outs(%as : memref<?xf32, strided<[1]>>)
      hivm.hir.store ins(%as : memref<?xf32, strided<[1]>>)
                     outs(%gy_ : memref<?xf32, strided<[1], offset: ?>>)
    }}
    return
  }}
}}
"""


def _both(one: Callable[[], None], other: Callable[[], None], rounds: int) -> tuple[float, float]:
    """Best seconds of two functions, taken in turn so that both meet the same neighbours on this host."""
    best = [float("inf"), float("inf")]
    for _ in range(rounds):
        for i, function in enumerate((one, other)):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best[0], best[1]


def measure(program: execute.Program, elements: int, threads: int, rounds: int) -> dict[str, Any]:
    """Bytes read and written a second by the emulated kernel and by NumPy."""
    x = np.random.default_rng(0).standard_normal(elements, np.float32)
    prepared = program.prepare({"x": x, "y": np.zeros_like(x), "n": elements}, grid=(40,))
    source, target = prepared.buffers["x"], np.empty_like(prepared.buffers["y"])
    parts = [slice(i * elements // threads, (i + 1) * elements // threads) for i in range(threads)]
    with ThreadPoolExecutor(threads) as pool:

        def copy() -> None:
            list(pool.map(lambda part: np.copyto(target[part], source[part]), parts))

        def launch() -> None:
            prepared.loaded.launch(prepared.blocks, prepared.arguments, prepared.ranges, threads=threads)

        emulated, copied = _both(launch, copy, rounds)
    assert np.array_equal(prepared.buffers["y"], x)
    moved = 2 * x.nbytes
    return {
        "elements": elements,
        "threads": threads,
        "emulated_gb_s": round(moved / emulated / 1e9, 2),
        "numpy_gb_s": round(moved / copied / 1e9, 2),
        "of_numpy": round(copied / emulated, 3),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--elements", type=int, nargs="+", default=[1_000_000, 16_000_000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "move.mlir"
        file.write_text(KERNEL)
        program = execute.load(file)
    found = [measure(program, n, t, options.rounds) for n in options.elements for t in options.threads]
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print("loads and stores of f32, emulated on this host, against numpy.copyto")
    for row in found:
        print(
            f"  {row['elements']:9d} elements, {row['threads']} thread(s): {row['emulated_gb_s']:6.2f} GB/s, "
            f"numpy {row['numpy_gb_s']:6.2f} GB/s: {row['of_numpy']:.0%}"
        )


if __name__ == "__main__":
    main()
