"""Published cases of batch norm and its synchronised pieces (test/data/published_cases.tsv).

Shapes, memory formats, types, ranges and attributes are the published ones; values are uniform in the range
of each input, rounded to its type. A list of numbers in place of a range is a set of values that are mixed
in. Judged with the acceptance rule (value and count) against float64. Cases beyond LIMIT elements run with
TILEWRIGHT_TEST_FULL=1.

BatchNormGrad has the inputs (dy, x, weight, mean, variance or inverse deviation, reserve), BatchNormGradV3
(dy, x, weight, running_mean, running_var, save_mean, save_invstd). The published pieces of SyncBatchNorm work
element by element on tensors of one shape: as rows of one batch element each, with a channel for every
element (SyncBNBwdElemt), or with the shape as it is (SyncBNBwdReduce).
"""

from __future__ import annotations

import ast
import csv
import math
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from harness import FULL, run_checked
from tilewright.ops import registry

Array = Any
LIMIT = 1_000_000
DTYPES = {
    "float": np.float32,
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": ml_dtypes.bfloat16,
}
FAMILIES = (
    "BatchNorm",
    "BatchNormV3",
    "BatchNormGrad",
    "BatchNormGradV3",
    "SyncBNBwdElemt",
    "SyncBNBwdReduce",
)


def read_cases() -> list[dict[str, str]]:
    path = Path(__file__).parents[2] / "data" / "published_cases.tsv"
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["op"] in FAMILIES]
    return [r for r in rows if FULL or math.prod(ast.literal_eval(r["input0_shape"])) <= LIMIT]


def numbers(text: str) -> tuple[Any, ...]:
    value: tuple[Any, ...] = eval(text, {"__builtins__": {}}, {"nan": math.nan, "inf": math.inf})
    return value


def draw(rng: np.random.Generator, shape: tuple[int, ...], limits: tuple[float, ...], dtype: Any) -> Array:
    low, high, *special = limits
    with np.errstate(all="ignore"):
        a = (low / 2 + (high / 2 - low / 2) * rng.random(shape)) * 2
        if math.isinf(low) or math.isnan(low):
            a = np.full(shape, low)
        for value in special:
            a[rng.random(shape) < 0.02] = value
        return a.astype(dtype)


def stored(a: Array, form: str) -> Array:
    """The logical tensor, channels second, of data in a published memory format."""
    return np.moveaxis(a, -1, 1) if form in ("NHWC", "NDHWC") else a


def arrays(row: dict[str, str], shapes: list[tuple[int, ...]]) -> list[Array | None]:
    rng = np.random.default_rng(zlib.crc32(row["case"].encode()))
    types, ranges = ast.literal_eval(row["input_dtypes"]), numbers(row["ranges"])
    if not isinstance(ranges[0], tuple):
        ranges = (ranges,)
    return [
        None if t is None else draw(rng, shape, ranges[min(i, len(ranges) - 1)], DTYPES[t])
        for i, (t, shape) in enumerate(zip(types, shapes, strict=True))
    ]


def batch_norm(row: dict[str, str]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    shape, attributes = ast.literal_eval(row["input0_shape"]), ast.literal_eval(row["attributes"])
    form = ast.literal_eval(row["formats"])[0]
    c = shape[-1] if form.endswith("C") else shape[1]
    count = len(ast.literal_eval(row["input_dtypes"]))
    training, eps = attributes["is_training"], attributes.get("epsilon", 1e-5)
    if "Grad" not in row["op"]:
        x, *channels = arrays(row, [shape] + [(c,)] * (count - 1))
        inputs = dict(zip(("weight", "bias", "running_mean", "running_var"), channels, strict=True))
        momentum = attributes.get("momentum", attributes.get("exponential_avg_factor", 0.1))
        given = {"training": training, "momentum": momentum, "eps": eps}
        return "batch_norm", {"input": stored(x, form), **inputs}, given
    g, x, weight, *channels = arrays(row, [shape] * 2 + [(c,)] * (count - 2))
    data = {"grad_output": stored(g, form), "input": stored(x, form), "weight": weight}
    if training:
        mean, invstd = channels[-2:] if row["op"].endswith("V3") else channels[:2]
        return "batch_norm_backward", {**data, "save_mean": mean, "save_invstd": invstd}, {}
    mean, var = channels[:2]
    return "batch_norm_backward_frozen", {**data, "running_mean": mean, "running_var": var}, {"eps": eps}


def synchronised(row: dict[str, str]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    shape = tuple(ast.literal_eval(row["input0_shape"]))
    if row["op"] == "SyncBNBwdReduce":
        shape = shape if len(shape) > 1 else (1, *shape)
        values = arrays(row, [shape] * 2 + [(shape[1],)] * 2)
        return (
            "batch_norm_backward_reduce",
            dict(zip(("grad_output", "input", "mean", "invstd"), values, strict=True)),
            {},
        )
    total = math.prod(shape)
    values = arrays(row, [(1, total)] * 2 + [(total,)] * 5)
    names = ("grad_output", "input", "mean", "invstd", "weight", "sum_dy", "sum_dy_xmu")
    return "batch_norm_backward_elemt", {**dict(zip(names, values, strict=True)), "count": np.ones(1)}, {}


def may_overflow(inputs: dict[str, Any]) -> bool:
    """Whether intermediate results can leave f32: some published ranges reach its largest number, or infinity."""
    with np.errstate(invalid="ignore"):
        return any(np.any(np.abs(a.astype(np.float64)) > 1e12) for a in inputs.values() if a is not None)


@pytest.mark.parametrize("row", read_cases(), ids=lambda row: row["case"])
def test_published_case(row: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    name, inputs, attributes = batch_norm(row) if row["op"].startswith("BatchNorm") else synchronised(row)
    run_checked(
        monkeypatch,
        registry.get(name),
        inputs,
        attributes,
        rule="gate",
        twice=True,
        overflow=may_overflow(inputs),
    )
