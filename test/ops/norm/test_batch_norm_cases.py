"""The numeric cases of batch norm (test/data/numerics.json), as the conventions of that file ask.

Each case runs twice for equal bits, with inputs hashed around the call. Cases of layers belong to the torch
front door; the operators for training and for frozen statistics are two here and one in aten.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from shapes import arranged

import tilewright as tw
from harness import digest
from tilewright.errors import TilewrightError
from tilewright.ops import registry

DATA = json.loads((Path(__file__).parents[2] / "data" / "numerics.json").read_text())
CASES = [case for case in DATA["cases"] if "norm" in case["op"] and "layer" not in case["op"]]
NUMPY = {
    "f32": np.float32,
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "int64": np.int64,
    "f64": np.float64,
}
MASK = (1 << 64) - 1
#: Result names of aten, in the order of our results.
RESULTS = {
    "batch_norm": ("output", "save_mean", "save_invstd"),
    "batch_norm_backward": ("grad_input", "grad_weight", "grad_bias"),
    "batch_norm_backward_frozen": ("grad_input", "grad_weight", "grad_bias"),
    "batch_norm_stats": ("mean", "invstd"),
    "batch_norm_gather_stats_with_counts": ("mean_all", "invstd_all"),
    "batch_norm_backward_reduce": ("sum_dy", "sum_dy_xmu", "grad_weight", "grad_bias"),
}


def uniform(seed: int, count: int) -> Any:
    """The generator of the file: splitmix64 in counter form."""
    with np.errstate(over="ignore"):
        k = np.arange(1, count + 1, dtype=np.uint64)
        z = np.uint64(seed) + k * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return ((z ^ (z >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def generate(spec: dict[str, Any]) -> Any:
    count = int(np.prod(spec["shape"]))
    if spec["generator"] == "uniform":
        values = spec["lo"] + (spec["hi"] - spec["lo"]) * uniform(spec["seed"], count)
    else:
        u = uniform(spec["seed"], 12 * count).reshape(count, 12)
        total = u[:, 0]
        for i in range(1, 12):
            total = total + u[:, i]
        values = spec["mean"] + spec["std"] * (total - 6)
    return values.reshape(spec["shape"]).astype(NUMPY[spec["dtype"]])


def tensor(data: Any, dtype: str) -> Any:
    if data is None:
        return None
    if isinstance(data, dict):
        if "generator" in data:
            return generate(data)
        shape = data.get("empty", data.get("shape"))
        return np.full(shape, data.get("constant", 0.0), NUMPY[dtype])
    special = {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}

    def plain(v: Any) -> Any:
        return [plain(e) for e in v] if isinstance(v, list) else special.get(v, v)

    return np.array(plain(data), NUMPY[dtype] if dtype == "int64" else np.float64).astype(NUMPY[dtype])


def types(case: dict[str, Any]) -> dict[str, str]:
    """The element type of each tensor."""
    kind = case["dtype"]
    if isinstance(kind, dict):
        return kind
    if kind.startswith("counts"):
        return {"counts": "int64"}
    if kind.startswith("f16 (data"):
        return dict.fromkeys(("input", "weight", "bias", "running_mean", "running_var", "output"), "f16")
    return {} if kind == "f32" else dict.fromkeys(case["inputs"], kind)


def close(name: str, got: Any, expected: Any, case: dict[str, Any]) -> None:
    tolerance = case["tolerance"].get(name.removesuffix("_samples"), case["tolerance"]["default"])
    if name.endswith("_samples"):
        got = np.array([got[tuple(s["index"])] for s in expected])
        expected = [s["value"] for s in expected]
    exact = tensor(expected, "f64")
    assert got.shape == exact.shape, name
    np.testing.assert_allclose(
        got.astype(np.float64), exact, rtol=tolerance["rtol"], atol=tolerance["atol"], err_msg=name
    )


def run(name: str, inputs: dict[str, Any], attributes: dict[str, Any]) -> dict[str, Any]:
    """The results by name, those over inputs among them; twice, with equal bits."""
    op = registry.get(name)
    kernel = tw.compile(op)
    outcomes = []
    for _ in range(2):
        given = {k: v.copy("K") if k in op.updates and v is not None else v for k, v in inputs.items()}
        before = digest(inputs)
        value = kernel(**given, **attributes)
        assert digest(inputs) == before, "an input was changed"
        found = dict(zip(RESULTS[name], value if isinstance(value, tuple) else (value,), strict=True))
        outcomes.append({**found, **{k: given[k] for k in op.updates if given.get(k) is not None}})
    for key, first in outcomes[0].items():
        if first is not None and first.size and not attributes.get("empty"):
            assert first.tobytes() == outcomes[1][key].tobytes(), f"{key}: two runs differ"
    return outcomes[0]


def split(case: dict[str, Any], inputs: dict[str, Any]) -> tuple[str, dict[str, Any], dict[str, Any]]:
    """Our operator, its inputs and its attributes."""
    attributes = dict(case["attributes"])
    attributes.pop("storage", None)
    inputs = {k: v for k, v in inputs.items() if k != "rank_values"}
    name = case["op"].removeprefix("native_")
    if name == "batch_norm_backward":
        eps, train = attributes.pop("eps"), attributes.pop("train")
        if train:
            inputs = {k: v for k, v in inputs.items() if not k.startswith("running")}
        else:
            name, attributes["eps"] = name + "_frozen", eps
            inputs = {k: v for k, v in inputs.items() if not k.startswith("save")}
        attributes["output_mask"] = tuple(attributes["output_mask"])
    if name in ("batch_norm_backward", "batch_norm_backward_frozen", "batch_norm_backward_reduce"):
        inputs["grad_output"] = inputs.pop("grad_out")
    return name, inputs, attributes


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"] + case["part"])
def test_numeric_case(case: dict[str, Any]) -> None:
    kinds = types(case)
    inputs = {
        name: tensor(data, kinds.get(name, "f32"))
        for name, data in case["inputs"].items()
        if name != "rank_values"
    }
    if "+" in case["op"]:
        both(case, inputs)
        return
    name, inputs, attributes = split(case, inputs)
    if "error" in case["expected"]:
        with pytest.raises(TilewrightError) as caught:
            tw.compile(registry.get(name))(**inputs, **attributes)
        assert isinstance(caught.value, (ValueError, RuntimeError))
        return
    reference = None
    for storage in case["attributes"].get("storage", {}).get("input", ["contiguous"]):
        x = (
            arranged(inputs["input"], "last" if storage == "channels_last" else storage)
            if "input" in inputs
            else None
        )
        results = run(name, {**inputs, **({} if x is None else {"input": x})}, attributes)
        check(case, results)
        if storage == "channels_last" and "output" in results:
            assert results["output"].strides == x.strides
            assert np.array_equal(results["output"], reference), "both storages give the same bits"
        reference = results.get("output")


def check(case: dict[str, Any], results: dict[str, Any]) -> None:
    for name, expected in case["expected"].items():
        if name in ("output_sum", "output_abs_sum"):
            output = results["output"].astype(np.float64)
            total = np.abs(output).sum() if name == "output_abs_sum" else output.sum()
            tolerance = case["tolerance"][name]
            np.testing.assert_allclose(total, expected, rtol=tolerance["rtol"], atol=tolerance["atol"])
        elif expected is None:
            assert results[name] is None
        else:
            close(name, results[name.removesuffix("_samples")], expected, case)
    for name in ("save_mean", "save_invstd"):
        if results.get(name) is not None:
            assert results[name].dtype == np.float32
    if case["id"] == "TC-13":
        assert np.isfinite(results["running_var"].astype(np.float64)).all()


def both(case: dict[str, Any], inputs: dict[str, Any]) -> None:
    """A forward pass, then the backward pass with what it saved."""
    attributes = case["attributes"]
    forward = {k: inputs[k] for k in ("input", "weight", "bias", "running_mean", "running_var")}
    results = run("batch_norm", forward, attributes)
    saved = {k: results[k] for k in ("save_mean", "save_invstd")}
    backward = {
        "grad_output": inputs["grad_out"],
        "input": inputs["input"],
        "weight": inputs["weight"],
        **saved,
    }
    check(case, {**results, **run("batch_norm_backward", backward, {})})


def test_cumulative_average() -> None:
    """TC-17 a at the level of the operator: momentum 1/k in call k."""
    [case] = [c for c in DATA["cases"] if c["id"] == "TC-17" and c["part"] == "a"]
    mean, var = np.zeros(3, np.float32), np.ones(3, np.float32)
    for k in (1, 2):
        x = tensor(case["inputs"][f"input_{k}"], "f32")
        tw.compile(registry.get("batch_norm"))(x, None, None, mean, var, training=True, momentum=1 / k)
    close("running_mean", mean, case["expected"]["running_mean"], case)
    close("running_var", var, case["expected"]["running_var"], case)


def test_the_generator() -> None:
    check = DATA["conventions"]["generator_check"]
    assert uniform(701, 3).tolist() == check["uniform seed 701 lo 0 hi 1, first three"]
    bell = generate({"generator": "bell", "seed": 201, "mean": 0, "std": 1, "shape": [3], "dtype": "f32"})
    np.testing.assert_allclose(bell, check["bell seed 201 mean 0 std 1, first three"], rtol=1e-7)


def test_masked_gradients_store_nothing() -> None:
    """TC-18: only the requested gradient is an argument of the kernel, so nothing else can be stored."""
    [case] = [c for c in DATA["cases"] if c["id"] == "TC-18"]
    name, inputs, attributes = split(case, {k: tensor(v, "f32") for k, v in case["inputs"].items()})
    outcome = tw.compile(registry.get(name)).run(**inputs, **attributes)
    assert outcome.launch is not None
    stored = [a for a in outcome.launch.binary.arguments if a.startswith("tensor:out")]
    assert stored == ["tensor:out1"]
    assert len(outcome.outputs) == 1
