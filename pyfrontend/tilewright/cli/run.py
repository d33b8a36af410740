"""``tilewright run``: compile, run on the emulated device, compare with float64."""

from __future__ import annotations

import argparse
import time
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tilewright import dtypes
from tilewright.binding import bind
from tilewright.cli import call as calls
from tilewright.cli.main import emit
from tilewright.compare import Comparison, compare
from tilewright.definition import Op
from tilewright.errors import UsageError, nearest
from tilewright.kernel import Kernel, Outcome
from tilewright.ops import registry
from tilewright.samples import distribution, draw

Array = npt.NDArray[Any]


def _load(path: str, op: Op, dtype: str | None, overrides: Mapping[str, str]) -> dict[str, Array]:
    """Inputs by name from a NumPy archive; 16-bit words stand for bf16 where the options say so."""
    names = [t.name for t in op.tensors]
    found: dict[str, Array] = {}
    try:
        archive = np.load(path, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise ValueError("it holds one array without a name")
        with archive:
            for given in archive.files:
                name = op.aliases.get(given, given)
                if name not in names:
                    raise UsageError(
                        "TW5006", f"{path}: {op.name} has no input {given!r}", hint=nearest(given, names)
                    )
                if name in found:
                    raise UsageError("TW5006", f"{path} gives {name} twice, under different names")
                found[name] = np.asarray(archive[given])
    except (OSError, EOFError, zipfile.BadZipFile, zlib.error, SyntaxError, KeyError) as error:
        raise _unreadable(path, error) from error
    except ValueError as error:
        if isinstance(error, UsageError):
            raise
        raise _unreadable(path, error) from error
    for t in op.tensors:
        if t.name not in found and not t.spec.optional:
            raise UsageError(
                "TW5006", f"{path} has no array {t.name}", expected=f"one for each of {', '.join(names)}"
            )
    for t in op.tensors:
        array = found.get(t.name)
        own = dtype if t.spec.dtype == "T" else None
        wanted = dtypes.short_name(overrides.get(t.name, own) or "")
        if array is not None and wanted == "bf16" and array.dtype.kind in "Vu" and array.dtype.itemsize == 2:
            # npz files keep no extension types: bf16 comes back as raw 16-bit words.
            found[t.name] = array.view(dtypes.numpy_dtype("bf16"))
    return found


def _unreadable(path: str, error: Exception) -> UsageError:
    return UsageError(
        "TW5006", f"the inputs {path} cannot be read: {error}", expected="a file written by numpy.savez"
    )


def _random(call: calls.Call, seed: int) -> dict[str, Array]:
    """Equal seeds give equal inputs, whatever the other options."""
    return {
        t.name: draw(
            distribution(call.op, t),
            call.shapes[t.name],
            call.types[t.name],
            np.random.Generator(np.random.PCG64([seed, i])),
        )
        for i, t in enumerate(call.op.tensors)
        if t.name in call.shapes
    }


def _given(inputs: Mapping[str, Array]) -> dict[str, tuple[tuple[int, ...], str]]:
    return {
        name: (array.shape, dtypes.short_name(array.dtype) or dtypes.long_name(array.dtype))
        for name, array in inputs.items()
    }


def _check_writable(path: str | None) -> None:
    if path is None:
        return
    parent = Path(path).absolute().parent
    if not parent.is_dir() or Path(path).is_dir():
        raise UsageError(
            "TW5007", f"the file {path} cannot be written", expected="a file in a folder that exists"
        )


def _save(path: str, outputs: Sequence[Array]) -> None:
    def plain(a: Array) -> Array:
        return a.view(np.uint16) if a.dtype.name == "bfloat16" else a

    try:
        arrays: dict[str, Any] = {f"out{i}": plain(np.ascontiguousarray(a)) for i, a in enumerate(outputs)}
        with Path(path).open("wb") as file:
            np.savez(file, **arrays)
    except OSError as error:
        raise UsageError("TW5007", f"the file {path} cannot be written: {error.strerror or error}") from error


def _reference(kernel: Kernel, inputs: Mapping[str, Array], attributes: Mapping[str, Any]) -> list[Any]:
    from tilewright import reference

    return reference.evaluate(bind(kernel.op, (), {**inputs, **attributes}))


def _summary(
    call: calls.Call,
    kernel: Kernel,
    outcome: Outcome,
    comparisons: Sequence[Comparison],
    compile_seconds: float,
) -> dict[str, Any]:
    launch, counters = outcome.launch, outcome.counters
    elements = max((a.size for a in outcome.outputs), default=0)
    return {
        "passed": all(c.passed for c in comparisons),
        "max_abs_err": max((c.max_abs_err for c in comparisons), default=0.0),
        "max_rel_err": max((c.max_rel_err for c in comparisons), default=0.0),
        "bad_elements": sum(c.bad for c in comparisons),
        "operator": call.op.name,
        "dtype": call.dtype,
        "shape": list(call.shapes[call.op.like]),
        "shapes": {name: list(shape) for name, shape in call.shapes.items()},
        "attributes": call.attributes,
        "target": kernel.target.name,
        "cores": 0 if launch is None else launch.plan.cores,
        "tiles": 0 if launch is None else launch.plan.tiles,
        "tile_elements": 0 if launch is None else launch.plan.elements,
        "ub_bytes": 0 if launch is None else launch.binary.metadata["ub_bytes"],
        "ub_high_water": counters.ub_high_water,
        "gm_read_bytes": counters.gm_read_bytes,
        "gm_write_bytes": counters.gm_write_bytes,
        "instructions": counters.instructions,
        "vector_instructions": counters.vector_instructions,
        "binary_key": "" if launch is None else launch.binary.key,
        "cache_hit": True if launch is None else launch.binary.cache_hit,
        "compile_s": round(compile_seconds, 6),
        "run_s": round(outcome.seconds, 6),
        "elements_per_s": round(elements / outcome.seconds) if outcome.seconds > 0 else 0,
        "device": "emulated; times are of this host, not of a device",
    }


def _print(summary: Mapping[str, Any]) -> None:
    shape = "x".join(map(str, summary["shape"])) or "()"
    print(f"{summary['operator']} {summary['dtype']} {shape} on an emulated {summary['target']}")
    print(
        f"  {'passed' if summary['passed'] else 'FAILED'}: max relative error {summary['max_rel_err']:.3g}, "
        f"max absolute error {summary['max_abs_err']:.3g}, {summary['bad_elements']} bad elements"
    )
    print(
        f"  {summary['cores']} vector cores, {summary['tiles']} tiles of up to {summary['tile_elements']} "
        f"elements each, {summary['ub_bytes']} bytes of UB"
    )
    print(
        f"  read {summary['gm_read_bytes']} bytes of GM, wrote {summary['gm_write_bytes']}, "
        f"{summary['instructions']} instructions"
    )
    cached = " (from the cache)" if summary["cache_hit"] else ""
    print(
        f"  compiled in {summary['compile_s']:.3f} s{cached}, emulated in "
        f"{summary['run_s']:.4f} s on this host ({summary['elements_per_s'] / 1e6:.0f} M elements/s)"
    )
    print(f"  binary {summary['binary_key'] or 'none: the call is empty'}")


def prepare(options: argparse.Namespace) -> tuple[calls.Call, dict[str, Array]]:
    """The call of the command line and its inputs, from ``--inputs`` or random."""
    if options.seed < 0:
        raise UsageError("TW5005", f"--seed {options.seed} is negative", expected="--seed N with N >= 0")
    if not options.inputs:
        call = calls.parse(options)
        _ = call.signature()  # refused before memory is filled
        return call, _random(call, options.seed)
    op = registry.get(options.operator)
    inputs = _load(options.inputs, op, options.dtype, calls.types_of(op, options.dtype_of))
    return calls.parse(options, _given(inputs)), inputs


def main(options: argparse.Namespace) -> int:
    """Run one call. Exit status 1 if the comparison fails; raises coded errors for bad input."""
    op = registry.get(options.operator)
    _check_writable(options.outputs)
    call, inputs = prepare(options)
    signature = call.signature()
    kernel = calls.kernel_of(op, options)
    # Everything about the call is checked before anything is compiled.
    bind(op, (), {**inputs, **call.attributes})
    start = time.perf_counter()
    if not signature.empty:
        # Loading belongs to getting ready, not to the run.
        _ = kernel.load(signature)
    compile_seconds = time.perf_counter() - start
    # Before the run, which may update some inputs.
    references = _reference(kernel, inputs, call.attributes)
    outcome = kernel.run(**inputs, **call.attributes)
    comparisons = [
        compare(own, wanted, spec.dtype)
        for own, wanted, spec in zip(outcome.outputs, references, signature.outputs, strict=True)
    ]
    if options.outputs:
        _save(options.outputs, outcome.outputs)
    summary = _summary(call, kernel, outcome, comparisons, compile_seconds)
    if options.json:
        emit(summary)
    else:
        _print(summary)
    return 0 if summary["passed"] else 1
