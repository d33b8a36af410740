"""Ours against the handwritten reference on the same inputs: ``tilewright validate OP``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tilewright import dtypes, reference, runtime, targets
from tilewright.ascendc import references
from tilewright.ascendc.references import Call
from tilewright.binding import Binding, bind
from tilewright.compare import Comparison, compare
from tilewright.errors import ShapeError, UsageError, nearest
from tilewright.kernel import Kernel
from tilewright.runtime import Counters
from tilewright.targets import Target
from tilewright.timing.report import TimeReport

Array = npt.NDArray[Any]
Inputs = Mapping[str, Array]
Attributes = Mapping[str, Any]
#: A call of a reference, and the name of its output for each of our results in order ("" where it has none).
Made = tuple[Call, tuple[str, ...]]


def _refuse(op: str, why: str) -> ShapeError:
    return ShapeError("TW2403", f"the handwritten reference of {op} {why}")


def _full(array: Array, like: Array, op: str) -> Array:
    if array.dtype != like.dtype:
        raise _refuse(op, f"takes one type; a tensor is {array.dtype}, the data {like.dtype}")
    return np.ascontiguousarray(np.broadcast_to(array, like.shape))


def _elu(inputs: Inputs, a: Attributes, target: Target) -> Made:
    call = references.elu_grad_v2(
        np.ascontiguousarray(inputs["grad_output"]), np.ascontiguousarray(inputs["self_or_result"]),
        alpha=a.get("alpha", 1.0), scale=a.get("scale", 1.0), input_scale=a.get("input_scale", 1.0),
        is_result=a.get("is_result", False), out_dtype=a.get("out_dtype"), target=target,
    )  # fmt: skip
    return call, ("y",)


_REDUCTIONS = {0: "none", 1: "mean", 2: "sum"}


def _bce(formula: str, name: str) -> Callable[[Inputs, Attributes, Target], Made]:
    def make(inputs: Inputs, a: Attributes, target: Target) -> Made:
        if inputs.get("pos_weight") is not None:
            raise _refuse(name, "has no pos_weight")
        x = np.ascontiguousarray(inputs["self"])
        given = a.get("reduction", "mean")
        reduction = str(_REDUCTIONS.get(given, given))
        grad, weight = inputs["grad_output"], inputs.get("weight")
        call = references.binary_cross_entropy_grad(
            _full(grad, x, name) if reduction == "none" else np.ascontiguousarray(grad).reshape(1),
            x, _full(inputs["target"], x, name),
            None if weight is None else _full(weight, x, name),
            reduction=reduction, formula=formula, target=target,
        )  # fmt: skip
        return call, ("outgrad",)

    return make


def _channel(inputs: Inputs, name: str, like: Array, default: float | None = None) -> Array:
    found = inputs.get(name)
    if found is None and default is not None:
        return np.full(like.shape, default, like.dtype)
    if found is None:
        raise _refuse("batch norm", f"needs {name}")
    if found.dtype != like.dtype:
        raise _refuse("batch norm", f"takes one type for all tensors of channels; {name} is {found.dtype}")
    return np.ascontiguousarray(found)


def _batch_norm(inputs: Inputs, a: Attributes, target: Target) -> Made:
    x = np.ascontiguousarray(inputs["input"])
    like = np.empty(
        x.shape[1],
        next((inputs[n].dtype for n in ("weight", "running_mean") if inputs.get(n) is not None), x.dtype),
    )
    tensors = [
        _channel(inputs, "weight", like, 1.0), _channel(inputs, "bias", like, 0.0),
        _channel(inputs, "running_mean", like), _channel(inputs, "running_var", like),
    ]  # fmt: skip
    eps = a.get("eps", 1e-5)
    if a.get("training", False):
        made = references.batch_norm_training(
            x, *tensors, momentum=a.get("momentum", 0.1), eps=eps, target=target
        )
        return made, ("y", "save_mean", "save_invstd", "running_mean", "running_var")
    return references.batch_norm_inference(x, *tensors, eps=eps, target=target), ("y",)


_GRADS = ("grad_input", "grad_weight", "grad_bias")


def _backward(inputs: Inputs, a: Attributes, target: Target) -> Made:
    x = np.ascontiguousarray(inputs["input"])
    like = np.empty(x.shape[1], x.dtype)
    made = references.batch_normalization_grad(
        np.ascontiguousarray(inputs["grad_output"]), x, _channel(inputs, "weight", like, 1.0),
        _channel(inputs, "save_mean", like), _channel(inputs, "save_invstd", like), target=target,
    )  # fmt: skip
    return made, _GRADS


def _frozen(inputs: Inputs, a: Attributes, target: Target) -> Made:
    x = np.ascontiguousarray(inputs["input"])
    like = np.empty(x.shape[1], inputs["running_mean"].dtype)
    made = references.batch_norm_frozen_grad(
        np.ascontiguousarray(inputs["grad_output"]), x, _channel(inputs, "weight", like, 1.0),
        _channel(inputs, "running_mean", like), _channel(inputs, "running_var", like),
        eps=a.get("eps", 1e-5), target=target,
    )  # fmt: skip
    return made, _GRADS


#: Operator -> how its reference is called.
OPERATORS: Mapping[str, Callable[[Inputs, Attributes, Target], Made]] = {
    "elu_backward": _elu,
    "sigmoid_cross_entropy_backward_from_probability": _bce("sigmoid", "binary_cross_entropy_grad"),
    "binary_cross_entropy_backward": _bce("probability", "binary_cross_entropy_backward"),
    "binary_cross_entropy_with_logits_backward": _bce("logit", "binary_cross_entropy_with_logits_backward"),
    "batch_norm": _batch_norm,
    "batch_norm_backward": _backward,
    "batch_norm_backward_frozen": _frozen,
}


def reference_call(op: str, inputs: Inputs, attributes: Attributes, target: str | Target) -> Made:
    """The handwritten reference of an operator's call.

    Raises:
        UsageError: TW5306 if the operator has none.
        ShapeError: TW2403 if the reference does not offer the call (types, optional inputs, rank).
    """
    if op not in OPERATORS:
        raise UsageError("TW5306", f"{op} has no handwritten reference", hint=nearest(op, OPERATORS))
    return OPERATORS[op](inputs, attributes, targets.get(target))


def _figures(counters: Counters, report: TimeReport | None) -> dict[str, Any]:
    return {
        "gm_read_bytes": counters.gm_read_bytes, "gm_write_bytes": counters.gm_write_bytes,
        "ub_high_water": counters.ub_high_water, "instructions": counters.instructions,
        "blocks": counters.blocks, "modelled_us": None if report is None else report.us(),
        "modelled_interval_us": None if report is None else report.interval(),
    }  # fmt: skip


def _difference(ours: Array, theirs: Array, dtype: str) -> float:
    """Largest difference relative to the larger magnitude (absolute below 1)."""
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    with np.errstate(invalid="ignore"):
        difference = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    return float((difference / np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))).max(initial=0.0))


def validate(
    kernel: Kernel, inputs: Inputs, attributes: Attributes, *, rule: str = "tight", time: bool = True
) -> dict[str, Any]:
    """Run both on the same inputs; judge both against float64.

    Args:
        kernel: our operator.
        inputs, attributes: of the call; optional inputs that are absent are left out.
        rule: "tight" or "gate", see ``tilewright.compare``.
        time: model the time of both, too.

    Returns:
        Plain data: ``passed``, ``results`` (per result errors of both and their difference), ``ours``,
        ``reference`` (traffic, UB, blocks, modelled time), ``hazards`` of the reference.
    """
    binding: Binding = bind(kernel.op, (), {**{k: v.copy() for k, v in inputs.items()}, **attributes})
    call, names = reference_call(kernel.op.name, inputs, attributes, kernel.target)
    theirs, counters = call.run()
    fresh = {name: array.copy() for name, array in inputs.items()}
    outcome = kernel.run(**fresh, **attributes)
    results = list[dict[str, Any]]()
    expected = reference.evaluate(binding)
    for i, (got, value, spec) in enumerate(
        zip(outcome.outputs, expected, binding.signature.outputs, strict=True)
    ):
        name = names[i] if i < len(names) else ""
        judged: dict[str, Comparison] = {"ours": compare(got, value, spec.dtype, rule)}
        row: dict[str, Any] = {"result": i, "name": name, "dtype": spec.dtype}
        if name:
            other = theirs[name].reshape(got.shape)
            row["reference_dtype"] = dtypes.short_name(other.dtype)
            judged["reference"] = compare(other, value, row["reference_dtype"] or spec.dtype, rule)
            row["difference"] = _difference(got, other, spec.dtype)
        for side, comparison in judged.items():
            row[side] = {
                "passed": comparison.passed, "max_abs_err": comparison.max_abs_err,
                "max_rel_err": comparison.max_rel_err, "of_allowed": comparison.max_share,
            }  # fmt: skip
        results.append(row)
    checked = call.check()
    # The reference's data lies on the device's grid of 512 bytes, too.
    own: dict[str, Any] = {name: runtime.placed(array) for name, array in inputs.items()}
    ours_time = kernel.time(**{**own, **attributes}) if time else None
    their_time = call.time(kernel.target) if time else None
    return {
        "passed": all(r[s]["passed"] for r in results for s in ("ours", "reference") if s in r)
        and not checked.hazards,
        "operator": kernel.op.name,
        "reference": call.name,
        "target": kernel.target.name,
        "tiling_key": call.tiling.key,
        "rule": rule,
        "results": results,
        "hazards": checked.hazards,
        "ours": _figures(outcome.counters, ours_time),
        "theirs": _figures(counters, their_time),
        "device": "emulated; times are modelled, nothing was measured on a device",
    }
