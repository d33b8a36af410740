"""The list of shipped operators and their description as plain data."""

from __future__ import annotations

import functools
import importlib
from typing import Any

from tilewright.definition import Attribute, Op
from tilewright.errors import UsageError, nearest
from tilewright.spec import FlagsSpec, alternatives

_FAMILIES: dict[str, tuple[str, ...]] = {
    "elementwise": (
        "binary_cross_entropy",
        "binary_cross_entropy_backward",
        "binary_cross_entropy_with_logits",
        "binary_cross_entropy_with_logits_backward",
        "elu",
        "elu_backward",
        "sigmoid_cross_entropy_backward_from_probability",
    ),
    "norm": (
        "batch_norm",
        "batch_norm_backward",
        "batch_norm_backward_elemt",
        "batch_norm_backward_frozen",
        "batch_norm_backward_reduce",
        "batch_norm_elemt",
        "batch_norm_gather_stats_with_counts",
        "batch_norm_stats",
        "layer_norm",
        "layer_norm_backward",
        "layer_norm_backward_weight",
        "rms_norm",
        "softmax",
        "softmax_backward",
    ),
}
_HOME = {name: f"tilewright.ops.{family}.{name}" for family, names in _FAMILIES.items() for name in names}

NAMES: tuple[str, ...] = tuple(sorted(_HOME))
"""Names of all operators; each is defined in a module of its own name in the folder of its family."""


def hint(name: str) -> str:
    """The known names nearest to ``name``."""
    return nearest(name, NAMES)


@functools.cache
def get(name: str) -> Op:
    """The operator ``name``. Raises UsageError TW5101 with the nearest names if there is none."""
    if name not in NAMES:
        raise UsageError("TW5101", f"there is no operator {name!r}", hint=hint(name))
    operator = getattr(importlib.import_module(_HOME[name]), name)
    assert isinstance(operator, Op)
    return operator


def _kind(attribute: Attribute) -> str:
    if isinstance(attribute.spec, (type, FlagsSpec)):
        return attribute.kind()
    return "choice"


def _plain(value: Any) -> Any:
    """The value as JSON has it: a tuple as a list."""
    return list(value) if isinstance(value, tuple) else value


def describe(op: Op) -> dict[str, Any]:
    """What ``tilewright ops --json`` prints about an operator."""
    static = {a.name: a for a in op.statics}
    return {
        "name": op.name,
        "summary": op.doc.partition("\n")[0],
        "doc": op.doc,
        "signature": op.signature(),
        "aten": op.aten or None,
        "dtypes": list(op.data_types),
        "inputs": [
            {
                "name": t.name,
                "shape": {"tensor": "", "broadcast": "broadcasts to ", "scalar": "one element"}[t.spec.kind]
                + " ".join(t.spec.axes),
                "dtype": "any real type" if t.spec.counts else t.spec.dtype,
                "optional": t.spec.optional,
                "aliases": sorted(a for a, n in op.aliases.items() if n == t.name),
            }
            for t in op.tensors
        ],
        "attributes": [
            {
                "name": a.name,
                "kind": _kind(a),
                "values": [_plain(v) for v in a.values()]
                if a.name in static and not isinstance(a.spec, type)
                else None,
                "default": None if a.required else _plain(a.default),
                "required": a.required,
                "run_time": not a.is_static,
            }
            for a in op.attributes
        ],
        "results": [
            {
                "name": f"out{i}",
                "shape": " or ".join(" ".join(axes) or "one element" for axes in (r.axes, *r.others)),
                "optional": r.optional,
                "written_over": op.updated(i),
                "dtype": r.dtype
                if r.dtype in op.attribute_names or r.dtype.split()[0] in {t.name for t in op.tensors}
                else " | ".join(alternatives(r.dtype, "f32", None))
                if "T" not in r.dtype.split()
                else r.dtype,
            }
            for i, r in enumerate(op.results)
        ],
        "variants": {t: sum(1 for _ in op.variants(t, all_types=True)) for t in op.data_types},
    }
