"""Host time of a call in a warm process, in parts.

    python bench/call_overhead.py [--json] [--elements 1000] [--operator elu_backward]

Parts: binding (checks of shapes, types, attributes), Python around the launch (outputs, addresses, packing),
and the emulator's own launch. The last one is the emulated device at work, not host overhead. Times are of
this host.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import tilewright as tw
from tilewright import samples
from tilewright.binding import bind
from tilewright.kernel import Kernel
from tilewright.runtime import Counters


def best(function: Callable[[], Any], calls: int = 200, rounds: int = 100) -> float:
    """Microseconds per call: the best of several rounds, as noise only ever adds."""
    times = list[float]()
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - start) / calls)
    return min(times) * 1e6


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--operator", default="elu_backward")
    parser.add_argument("--elements", type=int, default=1000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    op = getattr(tw.ops, options.operator)
    drawn = samples.random_inputs(op, (options.elements,), "f32")
    inputs = tuple(array for array in drawn.values() if array is not None)
    kernel = Kernel(op)
    kernel(*inputs)

    binding = bind(op, inputs)
    launch = kernel.run(*inputs).launch
    assert launch is not None
    # The emulator alone: the arguments of one call, launched again and again.
    caught = list[tuple[tuple[Any, ...], dict[str, Any]]]()

    def record(*args: Any, **kwargs: Any) -> Any:
        caught.append((args, kwargs))
        return launch.run(*args, **kwargs)

    binding.signature.memo[kernel] = launch._replace(run=record)
    kept = kernel._execute(binding)
    binding.signature.memo[kernel] = launch
    args, kwargs = caught[0]

    total = best(lambda: kernel(*inputs))
    bound = best(lambda: bind(op, inputs))
    emulated = best(lambda: launch.run(*args, **kwargs))
    # Everything but the emulator: the same path with a launch that does nothing.
    nothing = Counters()
    binding.signature.memo[kernel] = launch._replace(run=lambda *_, **__: nothing)
    executed = best(lambda: kernel._execute(binding))
    binding.signature.memo[kernel] = launch
    del kept
    result = {
        "operator": options.operator,
        "elements": options.elements,
        "call_us": round(total, 2),
        "binding_us": round(bound, 2),
        "python_launch_us": round(executed, 2),
        "emulator_us": round(emulated, 2),
    }
    if options.json:
        print(json.dumps(result, indent=2))
        return 0
    print(f"{options.operator} on {options.elements} f32 elements, warm process, one call")
    for name in ("call_us", "binding_us", "python_launch_us", "emulator_us"):
        print(f"  {name[:-3].replace('_', ' '):16s}{result[name]:9.1f} us")
    return 0


if __name__ == "__main__":
    sys.exit(main())
