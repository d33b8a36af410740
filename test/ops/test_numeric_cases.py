"""The published numeric cases of the elementwise operators (test/data/numerics.json), as its conventions ask.

Each case runs twice for equal bits, inputs are hashed around the call, and cases that are exact in half types
run there too, with the tolerances of those types.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tilewright as tw
from harness import digest
from tilewright.errors import TilewrightError
from tilewright.ops import registry

DATA = json.loads((Path(__file__).parent.parent / "data" / "numerics.json").read_text())
CASES = [case for case in DATA["cases"] if "elu" in case["op"] or "cross_entropy" in case["op"]]
NUMPY = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "int64": np.int64}
#: rtol, atol of the half types (operator specification, section 0).
HALF = {"f16": (6e-4, 6e-8), "bf16": (4e-3, 1e-37)}


def tensor(data: Any, dtype: str) -> np.ndarray[Any, Any] | None:
    if data is None:
        return None
    if isinstance(data, dict):
        if "empty" in data:
            return np.empty(data["empty"], NUMPY[dtype])
        if "constant" in data:
            return np.full(data["shape"], data["constant"], NUMPY[dtype])
        if "expand" in data:
            return np.broadcast_to(np.asarray(data["expand"], NUMPY[dtype]), data["shape"])
        return np.full(data["shape"], 0.5, NUMPY[dtype])  # a shape alone: the case is about the shape
    return np.asarray(np.array(data, dtype=object), np.float64).astype(NUMPY[dtype])


def call(case: dict[str, Any], dtype: str) -> tuple[dict[str, Any], dict[str, Any]]:
    attributes = dict(case["attributes"])
    types = attributes.pop("dtypes", {})
    inputs = {name: tensor(data, types.get(name, dtype)) for name, data in case["inputs"].items()}
    return inputs, attributes


def run(case: dict[str, Any], dtype: str) -> np.ndarray[Any, Any]:
    inputs, attributes = call(case, dtype)
    kernel = tw.compile(registry.get(case["op"]))
    before = digest(inputs)
    first, second = (np.asarray(kernel(**inputs, **attributes)) for _ in range(2))
    assert digest(inputs) == before
    assert first.tobytes() == second.tobytes()
    return first


def check(case: dict[str, Any], got: np.ndarray[Any, Any], limits: dict[str, float]) -> None:
    (expected,) = case["expected"].values()
    if isinstance(expected, dict):
        assert list(got.shape) == expected["empty"]
        return
    want = np.asarray(np.array(expected, dtype=object), np.float64)
    value = got.astype(np.float64)
    assert value.shape == want.shape
    close = np.abs(value - want) <= limits["atol"] + limits["rtol"] * np.abs(want)
    same = (np.isnan(value) & np.isnan(want)) | (value == want)
    assert (close | same).all(), f"got {value}, expected {want}"


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['id']}{c['part']}")
def test_case(case: dict[str, Any]) -> None:
    dtype = case["dtype"] if case["dtype"] in NUMPY else "f32"
    if "error" in case["expected"]:
        inputs, attributes = call(case, dtype)
        with pytest.raises(TilewrightError) as caught:
            tw.compile(registry.get(case["op"]))(**inputs, **attributes)
        names = {cls.__name__ for cls in type(caught.value).__mro__}
        assert names & set(case["expected"]["error"])
        return
    check(case, run(case, dtype), case["tolerance"].get("default", {"rtol": 0, "atol": 0}))


def exact_in(case: dict[str, Any], dtype: str) -> bool:
    """Every input is a number of the half type already."""
    inputs, _ = call(case, "f32")
    return all(
        a is None or np.array_equal(a.astype(NUMPY[dtype]).astype(np.float32), a, equal_nan=True)
        for a in inputs.values()
    )


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize(
    "case",
    [c for c in CASES if c["dtype"] == "f32" and "error" not in c["expected"]],
    ids=lambda c: f"{c['id']}{c['part']}",
)
def test_case_in_half_types(case: dict[str, Any], dtype: str) -> None:
    if not exact_in(case, dtype):
        pytest.skip(f"an input of the case is not a number of {dtype}")
    got = run(case, dtype)
    (expected,) = case["expected"].values()
    if isinstance(expected, dict):
        assert list(got.shape) == expected["empty"]
        return
    want = np.asarray(np.array(expected, dtype=object), np.float64)
    # Beyond the largest number of the type, rounding to nearest gives infinity.
    with np.errstate(over="ignore", invalid="ignore"):
        want = np.where(np.isinf(want.astype(NUMPY[dtype]).astype(np.float64)), np.sign(want) * np.inf, want)
    rtol, atol = HALF[dtype]
    value = got.astype(np.float64)
    same = (np.isnan(value) & np.isnan(want)) | (value == want)
    with np.errstate(invalid="ignore"):
        close = np.abs(value - want) <= atol + rtol * np.abs(want)
    assert (close | same).all(), f"got {value}, expected {want}"
