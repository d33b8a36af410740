"""Published operator cases (test/data/published_cases.tsv): shapes, types, ranges and attributes.

BCEGrad is the gradient of the loss of probabilities, EluGrad that of ELU, BCE and Elu are the forward
operators. Values are uniform in the published range of each input, rounded to its type; ranges beyond the
type saturate to infinity, as a cast does. Judged with the acceptance rule (value and count) against
float64.
"""

from __future__ import annotations

import ast
import csv
import zlib
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from harness import run_checked
from tilewright.ops import registry

DTYPES = {"float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
#: Published operator -> ours, and the order of its inputs.
OPERATORS = {
    "BCEGrad": ("binary_cross_entropy_backward", ("self", "target", "grad_output", "weight")),
    "BCE": ("binary_cross_entropy", ("self", "target", "weight")),
    "EluGrad": ("elu_backward", ("grad_output", "self_or_result")),
    "Elu": ("elu", ("self",)),
}


def read_cases() -> list[dict[str, str]]:
    path = Path(__file__).parent.parent / "data" / "published_cases.tsv"
    with path.open(newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["op"] in OPERATORS]


def draw(rng: np.random.Generator, shape: tuple[int, ...], limits: tuple[float, float], dtype: Any) -> Any:
    low, high = limits
    with np.errstate(over="ignore"):
        return (low / 2 + (high / 2 - low / 2) * rng.random(shape)).__mul__(2).astype(dtype)


def one_element(name: str, reduction: str) -> bool:
    return name == "grad_output" and reduction != "none"


@pytest.mark.parametrize("row", read_cases(), ids=lambda row: row["case"])
def test_published_case(row: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    ours, names = OPERATORS[row["op"]]
    attributes: dict[str, Any] = ast.literal_eval(row["attributes"])
    reduction = attributes.get("reduction", "none")
    shape = ast.literal_eval(row["input0_shape"])
    types = ast.literal_eval(row["input_dtypes"])
    ranges = ast.literal_eval(row["ranges"])
    rng = np.random.default_rng(zlib.crc32(row["case"].encode()))
    inputs: dict[str, Any] = {}
    for index, name in enumerate(names):
        dtype = types[index] if index < len(types) else None
        if dtype is None:
            inputs[name] = None
            continue
        extent = (1,) if one_element(name, reduction) and ours.endswith("_backward") else shape
        inputs[name] = draw(rng, extent, ranges[min(index, len(ranges) - 1)], DTYPES[dtype])
    if ours in ("elu", "elu_backward"):
        attributes.setdefault("alpha", 1.0)
    run_checked(monkeypatch, registry.get(ours), inputs, attributes, rule="gate", twice=True)
