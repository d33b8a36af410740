"""Kernels, their plans for given shapes, a C header and a launcher in a folder.

A plan is made for a shape: blocks, tiles and the values of number attributes are in the argument block that
the header has, so a program only fills in addresses. One binary serves all plans of its layout class, types,
choices and target.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tilewright
from tilewright import binding, dtypes, kernel
from tilewright.binding import Signature
from tilewright.definition import Op
from tilewright.errors import UsageError
from tilewright.runtime import argument_struct
from tilewright.targets import Target

HEADER, MANIFEST = "tilewright_kernels.h", "manifest.json"
_LAUNCHER = ("tilewright_launcher.h", "tilewright_launcher.c")


class Tensor(NamedTuple):
    """A tensor of a plan: dense, in C order, of this shape."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        count = dtypes.TYPES[self.dtype].size
        for extent in self.shape:
            count *= extent
        return count


class Planned(NamedTuple):
    """A plan for one shape.

    Attributes:
        name: a C identifier.
        target: what it is compiled for.
        described: binary, plan and fields.
        inputs, results: tensors in the order of the kernel's arguments.
        updates: (result, input) names: the program copies the result over the input.
        block: the argument block without addresses.
        attributes: attribute values, for people.
    """

    name: str
    target: Target
    described: kernel.Described
    inputs: tuple[Tensor, ...]
    results: tuple[Tensor, ...]
    updates: tuple[tuple[str, str], ...]
    block: bytes
    attributes: Mapping[str, Any]


def planned(
    op: Op,
    signature: Signature,
    shapes: Mapping[str, tuple[int, ...]],
    attributes: Mapping[str, Any],
    target: Target,
    hivmc: str | None = None,
) -> Planned:
    """The plan of a call with tensors in C order.

    Raises:
        UsageError: TW5501 if nothing would be launched, or an input would have to be copied first.
        CompileError: TW3nnn.
    """
    if signature.empty:
        raise UsageError(
            "TW5501", f"{op.name}: a call with an empty tensor launches nothing", expected="sizes > 0"
        )
    names = [op.tensors[p].name for p in signature.positions]
    for name, view in zip(names, signature.views, strict=True):
        if view is not None and shapes[name] not in ((), (1,)):
            raise UsageError(
                "TW5501",
                f"{op.name}: the kernel reads {name} of shape {shapes[name]} in another arrangement",
                expected="inputs that broadcast along leading or trailing dimensions only",
                hint=f"give {name} the shape of the data and let the program repeat it",
            )
    described = kernel.compile(op, target=target, hivmc=hivmc).described(signature)
    scalars = binding.scalars(signature, attributes)
    fields = described.fields
    addresses = len(fields) - len(scalars) - len(described.tail)
    block = argument_struct(fields, described.size).pack(*[0] * addresses, *scalars, *described.tail)
    inputs = tuple(Tensor(n, t, shapes[n]) for n, t in zip(names, signature.input_types, strict=True))
    results = tuple(Tensor(f"out{i}", o.dtype, o.shape) for i, o in enumerate(signature.outputs))
    updates = tuple((f"out{i}", op.tensors[p].name) for i, p in signature.updated)
    like = shapes[op.like]
    size = "x".join(map(str, like)) or "scalar"
    choices = "_".join(f"{k}_{v}" for k, v in sorted(attributes.items()) if k in {a.name for a in op.statics})
    parts = [op.name, signature.input_types[names.index(op.like)], size, choices, target.name]
    name = "tw_" + "_".join(re.sub(r"\W", "_", p) for p in parts if p)
    return Planned(name, target, described, inputs, results, updates, block, dict(attributes))


def write(folder: Path, plans: Sequence[Planned]) -> list[str]:
    """Write binaries, manifest, header and launcher; returns the names of the files.

    Raises:
        UsageError: TW5007 if the folder cannot be written.
    """
    files: dict[str, bytes] = {}
    binaries: dict[str, str] = {}
    for plan in plans:
        binary = plan.described.binary
        image = binary.path.read_bytes()
        file = f"{binary.name}_{plan.target.name}_{binary.key[:12]}.o"
        files[file] = image
        # What aclrtBinaryLoadFromFile reads beside a binary.
        files[file[:-2] + ".json"] = json.dumps({"magic": "RT_DEV_BINARY_MAGIC_ELF_AIVEC"}).encode()
        binaries[plan.name] = file
    files[HEADER] = header(plans, binaries, files).encode()
    files[MANIFEST] = (json.dumps(manifest(plans, binaries, files), indent=1) + "\n").encode()
    for name in _LAUNCHER:
        files[name] = (Path(__file__).parent / name).read_bytes()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (folder / name).write_bytes(data)
    except OSError as error:
        raise UsageError("TW5007", f"{folder} cannot be written: {error.strerror or error}") from error
    return sorted(files)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def manifest(
    plans: Sequence[Planned], binaries: Mapping[str, str], files: Mapping[str, bytes]
) -> dict[str, Any]:
    """What was exported, as plain data."""
    return {
        "format": 1,
        "tilewright": tilewright.__version__,
        "files": {name: _hash(files[name]) for name in sorted({*binaries.values(), HEADER})},
        "plans": [
            {
                "name": p.name,
                "operator": p.described.binary.metadata["operator"],
                "variant": p.described.binary.metadata["variant"],
                "target": p.target.name,
                "hivmc": p.described.binary.metadata["hivmc"],
                "binary": binaries[p.name],
                "kernel": p.described.binary.name,
                "blocks": p.described.plan.cores,
                "workspace_bytes": p.described.plan.workspace,
                "attributes": {k: str(v) for k, v in p.attributes.items()},
                "inputs": [{**t._asdict(), "bytes": t.bytes} for t in p.inputs],
                "results": [{**t._asdict(), "bytes": t.bytes} for t in p.results],
                "updates": [list(u) for u in p.updates],
                "arguments": [f._asdict() for f in p.described.fields],
            }
            for p in plans
        ],
    }


def header(plans: Sequence[Planned], binaries: Mapping[str, str], files: Mapping[str, bytes]) -> str:
    """A ``tw_plan`` for each plan."""
    text = "/* Written by `tilewright export`. */\n"
    text += "#ifndef TW_KERNELS_H\n#define TW_KERNELS_H\n\n"
    text += '#include "tilewright_launcher.h"\n'
    for p in plans:
        fields, tensors = p.described.fields, (*p.inputs, *p.results)
        offsets = {f.kind: f.offset for f in fields if f.kind in ("ffts", "workspace")}
        pointers = [f.offset for f in fields if f.kind == "pointer"]
        numbers = ", ".join(map(str, p.block))
        arrays = {
            "char *const": ("tensors", ", ".join(f'"{t.name}"' for t in tensors)),
            "uint64_t": ("bytes", ", ".join(f"{t.bytes}u" for t in tensors)),
            "uint32_t": ("pointers", ", ".join(map(str, pointers))),
            "uint8_t": ("block", numbers),
        }
        text += "\n"
        for t in tensors:
            text += f"/* {t.name}: {t.dtype} {list(t.shape)} */\n"
        for result, argument in p.updates:
            text += f"/* copy {result} over {argument} after the kernel */\n"
        for type_, (what, listed) in arrays.items():
            text += f"static const {type_} {p.name}_{what}[] = {{{listed}}};\n"
        file = binaries[p.name]
        strings = [p.name, p.described.binary.name, file, _hash(files[file]), p.target.name]
        arrays_of = [f"{p.name}_{what}" for what in ("tensors", "bytes", "pointers")]
        counts = [len(tensors), len(p.inputs), f"{p.name}_block", len(p.block), p.described.plan.cores]
        places = [offsets.get("ffts", -1), offsets.get("workspace", -1), f"{p.described.plan.workspace}u"]
        values = [*(f'"{s}"' for s in strings), *arrays_of, *counts, *places]
        text += f"static const tw_plan {p.name} = {{{', '.join(map(str, values))}}};\n"
    return text + "\n#endif\n"
