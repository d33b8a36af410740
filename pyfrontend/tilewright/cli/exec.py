"""``tilewright exec``: run a kernel of an object or module file on given arrays and numbers."""

from __future__ import annotations

import argparse
import shlex
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tilewright import dtypes, execute, targets
from tilewright.cli.call import parse_shape
from tilewright.cli.main import emit
from tilewright.errors import UsageError, nearest
from tilewright.execute import Prepared, Program, Scalar, Value
from tilewright.targets import Target

Array = npt.NDArray[Any]

_TYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8")
_FORMS = "NAME=@KEY, NAME=@KEY:bf16, NAME=zeros|ones|random:TYPE:SHAPE, or NAME=NUMBER:TYPE"


def _unreadable(word: str, why: str, expected: str = _FORMS) -> UsageError:
    return UsageError("TW5301", f"--args {word}: {why}", expected=expected)


def _filled(word: str, how: str, type_: str, shape: str, random: np.random.Generator) -> Array:
    if type_ not in _TYPES:
        raise _unreadable(word, f"unknown type {type_!r}", ", ".join(_TYPES))
    extents = parse_shape(shape, f"--args {word}: shape")
    dtype = execute.dtype_of(type_)
    try:
        if how == "random":
            if type_.startswith("i"):
                return random.integers(-100, 100, extents).astype(dtype)
            return random.standard_normal(extents).astype(dtype)
        return np.zeros(extents, dtype) if how == "zeros" else np.ones(extents, dtype)
    except (MemoryError, ValueError) as error:
        raise UsageError(
            "TW5103", f"--args {word}: this machine has no memory for the array", expected="a smaller shape"
        ) from error


def _taken(word: str, text: str, arrays: Mapping[str, Array], path: str | None) -> Array:
    key, _, type_ = text.partition(":")
    if path is None:
        raise _unreadable(word, "there is no archive to take an array from", "--inputs FILE.npz")
    if key not in arrays:
        raise UsageError("TW5006", f"{path} has no array {key!r}", hint=nearest(key, arrays))
    array = arrays[key]
    if type_ == "bf16" and array.dtype.itemsize == 2:
        # npz files keep no extension types: bf16 comes as raw 16-bit words.
        return array.view(dtypes.numpy_dtype("bf16"))
    if type_:
        raise _unreadable(word, f"{array.dtype} words cannot be taken as {type_}", "bf16 for 16-bit words")
    return array


def _scalar(word: str, text: str, type_: str) -> Scalar:
    if type_ not in (*_TYPES, "i1", "index"):
        raise _unreadable(word, f"unknown type {type_!r}", ", ".join((*_TYPES, "i1", "index")))
    try:
        return Scalar(float(text) if type_ in ("f64", "f32", "f16", "bf16") else int(text, 0), type_)
    except ValueError:
        raise _unreadable(word, f"{text!r} is not a number of type {type_}") from None


def parse_arguments(
    words: Sequence[str], arrays: Mapping[str, Array], path: str | None = None, seed: int = 0
) -> dict[str, Value]:
    """``x=@x y=zeros:f32:4,8 n=1024:i64`` -> values by label, in order.

    Args:
        words: the words of ``--args``.
        arrays: arrays by key, for ``@KEY``.
        path: where ``arrays`` is from, for messages; None if there is none.
        seed: of ``random``.

    Raises:
        UsageError: TW5301 for a word that cannot be read, TW5006 for an array that is not there, TW5103 for
            one that does not fit the memory.
    """
    found = dict[str, Value]()
    random = np.random.Generator(np.random.PCG64(seed))
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name or not text:
            raise _unreadable(word, "no value")
        if name in found:
            raise _unreadable(word, f"{name} is given twice")
        parts = text.split(":")
        if text.startswith("@"):
            found[name] = _taken(word, text[1:], arrays, path)
        elif parts[0] in ("zeros", "ones", "random"):
            if len(parts) != 3:
                raise _unreadable(word, "an array needs a type and a shape")
            found[name] = _filled(word, parts[0], parts[1], parts[2], random)
        elif len(parts) == 2:
            found[name] = _scalar(word, parts[0], parts[1])
        else:
            raise _unreadable(word, "neither an array nor a number with a type")
    return found


def _load(path: str | None) -> dict[str, Array]:
    if path is None:
        return {}
    try:
        with np.load(path, allow_pickle=False) as archive:
            return {name: np.asarray(archive[name]) for name in archive.files}
    except (OSError, ValueError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise UsageError(
            "TW5006", f"the inputs {path} cannot be read: {error}", expected="a file written by numpy.savez"
        ) from error


def _parse_grid(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    words = [word.strip() for word in text.split(",")]
    if len(words) > 3 or any(not word.isdecimal() or int(word) < 1 for word in words):
        raise UsageError(
            "TW5301", f"--grid {text}", expected="one to three numbers of at least 1, such as 40 or 8,5"
        )
    return tuple(int(word) for word in words)


def _check_writable(path: str | None) -> None:
    if path and (not Path(path).absolute().parent.is_dir() or Path(path).is_dir()):
        raise UsageError(
            "TW5007", f"the file {path} cannot be written", expected="a file in a folder that exists"
        )


def _save(path: str, arrays: Mapping[str, Array]) -> None:
    plain: dict[str, Any] = {
        name: array.view(np.uint16) if array.dtype.name == "bfloat16" else array
        for name, array in arrays.items()
    }
    try:
        with Path(path).open("wb") as file:
            np.savez(file, **plain)
    except OSError as error:
        raise UsageError("TW5007", f"the file {path} cannot be written: {error.strerror or error}") from error


def _print(summary: Mapping[str, Any]) -> None:
    counters = summary["counters"]
    grid = "x".join(map(str, summary["grid"]))
    print(f"kernel {summary['kernel']} on an emulated {summary['target']}, grid {grid}")
    print(f"  from {summary['file']} ({summary['origin']})")
    for name, array in summary["arrays"].items():
        shape = "x".join(map(str, array["shape"])) or "()"
        print(f"  {name}: {shape} {array['dtype']}, {'changed' if array['changed'] else 'not changed'}")
    print(f"  read {counters['gm_read_bytes']} bytes of GM, wrote {counters['gm_write_bytes']}, "
          f"{counters['scalar_gm_accesses']} scalar accesses")  # fmt: skip
    print(f"  {counters['instructions']} instructions, {counters['vector_instructions']} of the vector pipe, "
          f"UB up to byte {counters['ub_high_water']}")  # fmt: skip
    for note in summary["notes"]:
        print(f"  note: {note}")
    print(f"  compiled in {summary['compile_s']:.3f} s, emulated in {summary['run_s']:.4f} s on this host")


def _check(options: argparse.Namespace, program: Program, prepared: Prepared) -> int:
    from tilewright.cli.check import parse_options

    result = prepared.check(parse_options(options.check), options.threads)
    if options.output:
        _save(options.output, prepared.buffers)
    if options.json:
        emit({"file": options.file, "origin": program.origin, **result.as_dict()})
    else:
        print(result)
    return 0 if result.passed else 1


def _time(options: argparse.Namespace, target: Target, prepared: Prepared) -> int:
    from tilewright.cli.trace import write_pictures

    pictures = bool(options.trace or options.html)
    report = prepared.time(target, threads=options.threads, timeline_cores=4 if pictures else 0)
    if options.output:
        _save(options.output, prepared.buffers)
    if pictures:
        write_pictures(report, options.trace, options.html)
    if options.json:
        emit({"file": options.file, **report.as_dict()})
    else:
        print(report)
    return 0


def main(options: argparse.Namespace) -> int:
    """Run one kernel. Raises coded errors for bad input, failed compilations and what the device refuses."""
    target = targets.get(targets.DEFAULT if options.target is None else options.target)
    grid = _parse_grid(options.grid)
    if options.seed < 0:
        raise UsageError("TW5005", f"--seed {options.seed} is negative", expected="--seed N with N >= 0")
    if options.workspace is not None and options.workspace < 0:
        raise UsageError("TW5005", f"--workspace {options.workspace}", expected="a number of bytes")
    for path in (options.output, options.trace, options.html):
        _check_writable(path)
    if options.mode != "time" and (options.trace or options.html):
        raise UsageError("TW5005", "--trace and --html need --mode time")
    if options.mode != "check" and options.check:
        raise UsageError("TW5005", "--check needs --mode check")
    arguments = parse_arguments(options.args, _load(options.inputs), options.inputs, options.seed)
    flags = None if options.flags is None else shlex.split(options.flags)
    program = execute.load(
        options.file, target=target, flags=flags, grid=grid, accept_defects=options.accept_defects
    )
    prepared = program.prepare(arguments, kernel=options.kernel, grid=grid, workspace=options.workspace)
    if options.mode == "check":
        return _check(options, program, prepared)
    if options.mode == "time":
        return _time(options, target, prepared)
    done = prepared.run(options.threads)
    if options.output:
        _save(options.output, done.arrays)
    summary = {
        "file": options.file,
        "origin": program.origin,
        "notes": list(program.notes),
        "kernel": done.kernel,
        "target": target.name,
        "grid": list(done.grid),
        "arrays": {
            name: {"dtype": array.dtype.name, "shape": list(array.shape), "changed": name in done.changed}
            for name, array in done.arrays.items()
        },
        "counters": done.counters._asdict(),
        "compile_s": round(program.seconds, 6),
        "run_s": round(done.seconds, 6),
        "device": "emulated; times are of this host, not of a device",
    }
    if options.json:
        emit(summary)
    else:
        _print(summary)
    return 0
