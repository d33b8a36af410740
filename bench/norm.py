"""Modelled time and traffic of batch norm: forward training, inference, backward, frozen backward.

    python bench/norm.py [--suite small|full] [--only OP,...] [--dtype T,...] [--layout L,...] [--worst N]
                         [--target NAME] [--json]

Every row runs on the emulated device and is timed by the model with cold caches. **Nothing here was measured
on a device.** Columns:

    MiB      size of the data tensor
    units    counted GM bytes in units of the data tensor (backward reads two tensors and writes one: 3 or 5)
    us       modelled microseconds without the launch
    roofline counted bytes at the profile's streaming rate, as a share of that time. The streaming rate is
             ``hbm_gb_s`` times the efficiency of the launch's mixture of loads and stores that reach memory,
             between ``gm_read_efficiency`` (loads only) and ``gm_mixed_efficiency`` (a third stores); above 1
             where L2 takes the stores
    bound    0.85 for tensors from 16 MiB on, 0.60 for 1 to 16 MiB, none below
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tilewright import dtypes, targets
from tilewright.kernel import Kernel
from tilewright.ops import registry
from tilewright.samples import draw

MIB = 1 << 20
Array = np.ndarray[Any, np.dtype[Any]]
Shape = tuple[int, ...]

#: Name of a row's operator -> registered operator, attributes.
OPERATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "training": ("batch_norm", {"training": True}),
    "inference": ("batch_norm", {"training": False}),
    "backward": ("batch_norm_backward", {}),
    "frozen": ("batch_norm_backward_frozen", {}),
}
DTYPES = ("f32", "f16", "bf16")

#: The shapes that the acceptance criteria of batch norm name.
NAMED: tuple[Shape, ...] = (
    (16, 3),
    (32, 32, 32),
    (8, 32, 224, 224),
    (2050, 16, 32, 32),
    (8, 16, 3, 224, 224),
    (16, 64, 147, 147),
    (2, 3, 1000003),
    (32, 64, 7, 7),
)
#: Activations of common networks: ResNet-50 (batch 32), MobileNetV2, a U-Net, a speech model, a head.
NETWORKS: tuple[Shape, ...] = (
    (32, 64, 112, 112),
    (32, 64, 56, 56),
    (32, 256, 56, 56),
    (32, 128, 28, 28),
    (32, 512, 28, 28),
    (32, 1024, 14, 14),
    (32, 2048, 7, 7),
    (32, 96, 56, 56),
    (32, 320, 7, 7),
    (4, 64, 256, 256),
    (64, 512, 1, 1),
    (16, 256, 1500),
    (256, 1024, 50),
    (4096, 1024),
    (65536, 64),
    (8192, 2048),
)
#: Awkward ones: odd sizes, few channels, one channel.
ODD: tuple[Shape, ...] = (
    (1, 1, 4194304),
    (4, 1, 1048579),
    (3, 41, 65537),
    (128, 257, 31, 31),
    (1000003, 5),
    (262144, 17),
    (7, 40, 10001),
    (512, 3, 63, 65),
)
SUITES: dict[str, tuple[Shape, ...]] = {
    "small": (
        (32, 64, 56, 56),
        (32, 1024, 14, 14),
        (32, 2048, 7, 7),
        (2, 3, 1000003),
        (32, 64, 7, 7),
        (8192, 2048),
    ),
    "full": (*NAMED, *NETWORKS, *ODD),
}


class Case(NamedTuple):
    """One row: ``name`` is a key of OPERATORS, ``layout`` says how the dimensions are stored."""

    name: str
    layout: str
    dtype: str
    shape: Shape


def layouts(shape: Shape) -> tuple[str, ...]:
    """Storage orders of a shape: NC and NCL exist once, higher ranks also with the channels last."""
    plain = {2: "NC", 3: "NCL", 4: "NCHW", 5: "NCDHW"}[len(shape)]
    return (plain,) if len(shape) == 2 else (plain, "channels-last")


def cases(suite: str) -> Iterator[Case]:
    """All rows of a suite."""
    for shape in SUITES[suite]:
        for name in OPERATORS:
            for layout in layouts(shape):
                for dtype in DTYPES:
                    yield Case(name, layout, dtype, shape)


def _data(case: Case, rng: np.random.Generator) -> Array:
    """Values repeat after a megabyte: they do not matter for time, and drawing them would take longest."""
    count = math.prod(case.shape)
    block = draw("normal", (min(count, 1 << 18),), case.dtype, rng)
    flat = np.resize(block, count)
    if case.layout != "channels-last":
        return flat.reshape(case.shape)
    n, c, *space = case.shape
    return np.moveaxis(flat.reshape(n, *space, c), -1, 1)


def inputs(case: Case) -> dict[str, Array]:
    """Data and per-channel operands of a row."""
    rng = np.random.default_rng(0)
    op = registry.get(OPERATORS[case.name][0])
    channels = (case.shape[1],)
    found: dict[str, Array] = {}
    for tensor in op.tensors:
        if tensor.name in ("input", "grad_output"):
            found[tensor.name] = _data(case, rng)
        else:
            distribution = "positive" if tensor.name.endswith(("var", "invstd")) else "normal"
            found[tensor.name] = draw(distribution, channels, "f32", rng)
    return found


def bound_of(tensor_bytes: int) -> float | None:
    """The least share of the roofline that a tensor of this size has to reach."""
    if tensor_bytes >= 16 * MIB:
        return 0.85
    return 0.60 if tensor_bytes >= MIB else None


def measure(case: Case, kernel: Kernel) -> dict[str, Any]:
    """Runs one row."""
    attributes = OPERATORS[case.name][1]
    call: dict[str, Any] = inputs(case)
    if case.name == "training" and math.prod(case.shape) == case.shape[1]:
        raise ValueError("training needs more than one element a channel")
    plan = kernel.plan(**call, **attributes)
    assert plan is not None
    report = kernel.time(**call, **attributes, time_options={"samples": 0})
    assert report is not None
    cold = report.data["cold"]
    memory = cold["memory"]
    tensor = math.prod(case.shape) * dtypes.TYPES[case.dtype].size
    moved = float(memory["read_bytes"] + memory["written_bytes"])
    us = report.us("cold") - float(report.data["launch_us"])
    share = moved / float(memory["reachable_gb_s"]) / 1e3 / us
    wanted = bound_of(tensor)
    numbers = plan.numbers
    grid = [numbers.get(f"tiling:{axis}_cores", 0) for axis in ("r1", "a", "r0")]
    return {
        **case._asdict(),
        "shape": list(case.shape),
        "mib": tensor / MIB,
        "schedule": plan.schedule or "elementwise",
        "cores": plan.cores,
        "grid": grid if plan.schedule else [],
        "tiles": plan.tiles,
        "units": moved / tensor,
        "us": us,
        "launch_us": float(report.data["launch_us"]),
        "streaming_gb_s": float(memory["reachable_gb_s"]),
        "limited_by": report.bound("cold"),
        "busy": dict(cold["busy"]),
        "roofline": share,
        "wanted": wanted,
        "passed": wanted is None or share >= wanted,
    }


def _line(row: dict[str, Any]) -> str:
    shape = "x".join(map(str, row["shape"]))
    grid = "x".join(map(str, row["grid"])) or "-"
    verdict = "" if row["wanted"] is None else f"{'pass' if row['passed'] else 'FAIL'} ({row['wanted']:.2f})"
    return (
        f"{row['name']:<10} {row['layout']:<13} {row['dtype']:<5} {shape:<18} {row['mib']:8.2f} "
        f"{row['schedule']:<16} {row['cores']:3d} {grid:<8} {row['units']:6.2f} {row['us']:9.2f} "
        f"{row['limited_by']:<8} {row['roofline']:5.2f} {verdict}"
    )


HEADER = (
    f"{'operator':<10} {'layout':<13} {'dtype':<5} {'shape':<18} {'MiB':>8} {'schedule':<16} cores "
    f"{'grid':<6} {'units':>6} {'us':>9} {'limit':<8} roofline"
)


def _words(text: str | None, known: Sequence[str], option: str) -> set[str]:
    if text is None:
        return set(known)
    chosen = set(text.split(","))
    if not chosen <= set(known):
        raise SystemExit(f"{option}: {', '.join(sorted(chosen - set(known)))} is none of {', '.join(known)}")
    return chosen


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--suite", choices=SUITES, default="small")
    parser.add_argument("--only", help="operators: " + ", ".join(OPERATORS))
    parser.add_argument("--dtype")
    parser.add_argument("--layout", help="NC, NCL, NCHW, NCDHW, channels-last")
    parser.add_argument("--target", default=targets.DEFAULT)
    parser.add_argument("--schedule", help="this schedule instead of the planner's")
    parser.add_argument("--worst", type=int, default=0, help="repeat the N rows furthest below their bound")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    names = _words(options.only, list(OPERATORS), "--only")
    types = _words(options.dtype, DTYPES, "--dtype")
    orders = _words(options.layout, ["NC", "NCL", "NCHW", "NCDHW", "channels-last"], "--layout")
    chosen = [c for c in cases(options.suite) if c.name in names and c.dtype in types and c.layout in orders]
    kernels = {
        name: Kernel(registry.get(op), options.target, schedule=options.schedule)
        for name, (op, _) in OPERATORS.items()
    }
    rows = list[dict[str, Any]]()
    if not options.json:
        print(f"modelled on {options.target}, cold; nothing was measured on a device\n{HEADER}", flush=True)
    for case in chosen:
        row = measure(case, kernels[case.name])
        rows.append(row)
        if not options.json:
            print(_line(row), flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))
        return
    judged = [row for row in rows if row["wanted"] is not None]
    failed = [row for row in judged if not row["passed"]]
    print(f"{len(judged) - len(failed)} of {len(judged)} rows reach their bound")
    for row in sorted(failed, key=lambda r: r["roofline"] / r["wanted"])[: options.worst]:
        print(_line(row))


if __name__ == "__main__":
    main()
