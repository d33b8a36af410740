"""Anybody's kernels on the emulated device: an object, a final module, or a module for the stock compiler.

``load(file)`` finds out what the file is and compiles it if need be; ``Program.prepare`` binds arrays and
numbers to a kernel's own argument list; ``Prepared.run`` launches. The ffts address, lock, workspace and grid
are supplied here, from the roles in the kernel's metadata. Nothing here is a measurement of a device.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import time
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tilewright import check, folders, runtime, settings, symbols, targets
from tilewright.dtypes import numpy_dtype
from tilewright.errors import CompileError, ExecutionError, UsageError, nearest
from tilewright.runtime import READABLE, WRITABLE, Counters, LoadedKernel
from tilewright.targets import Target
from tilewright.toolchain import FLAGS

if TYPE_CHECKING:
    from tilewright.timing import Profile, TimeReport

Array = npt.NDArray[Any]

#: Flags of the stock compiler for a function on tensors, beside the number of blocks.
HFUSION_FLAGS = ("-enable-hfusion-compile=true",)

#: Without a function of the kernel that asks for more: locks and a scratch area for hand-written kernels.
LOCK_BYTES = 4096
WORKSPACE_BYTES = 1 << 20

_INTEGERS = {"i64": 64, "index": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}
_FLOATS = ("f64", "f32", "f16", "bf16")
_MAX_BLOCKS = 65536

#: Operations on tensors that stock bishengir-compile 1.2.0 compiles to something else, without a word.
_MISCOMPILED = (
    (
        re.compile(r"\barith\.(?:max|min)ui\b(?:.*tensor<|\s*\})"),
        "the stock compiler makes signed ones of arith.maxui and arith.minui on tensors",
    ),
    (
        re.compile(r"(?:\barith\.divsi\b|binary_fn<div>).*\n?.*tensor<[^>]*i32>"),
        "the stock compiler divides i32 tensors in f32: exact up to 2^24",
    ),
    (
        re.compile(r"\barith\.cmpf\s+(?:one|ueq|ult|ule|ugt|uge)\b.*tensor<"),
        "the stock compiler compares tensors by == != < <= > >= only: arith.cmpf one, ueq, ult, ule, ugt, "
        "uge are wrong for NaN",
    ),
)


class Scalar(NamedTuple):
    """A number for a scalar argument, with the type that the caller says it has ("" to take the kernel's)."""

    value: float
    type: str = ""


#: What a caller may give for an argument.
Value = Array | Scalar | int | float


def dtype_of(type_: str) -> np.dtype[Any]:
    """The NumPy type that holds elements of an MLIR type.

    Raises:
        KeyError: no such type.
    """
    if type_ == "bf16":
        return numpy_dtype("bf16")
    if type_ in _FLOATS:
        return np.dtype(f"float{type_[1:]}")
    return np.dtype({"i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8"}[type_])


def _holds(dtype: np.dtype[Any], type_: str) -> bool:
    """Whether an array of ``dtype`` can be handed over as elements of ``type_``."""
    if type_ in ("i1", "i8", "ptr"):
        # Bits travel eight to a byte; a pointer without an element type takes anything.
        return type_ == "ptr" or dtype.name in ("int8", "uint8", "bool")
    if type_ in ("i16", "i32", "i64"):
        return dtype.kind in "iu" and dtype.itemsize * 8 == _INTEGERS[type_]
    return type_ in _FLOATS and dtype == dtype_of(type_)


@dataclass(frozen=True)
class Execution:
    """A finished launch.

    Attributes:
        kernel: the kernel's name.
        grid: blocks along x, y, z.
        arrays: every array argument by its label, after the launch.
        changed: labels of the arrays whose bytes differ from what was given.
        counters: the emulator's counts.
        seconds: wall-clock time of the emulation on this host.
    """

    kernel: str
    grid: tuple[int, int, int]
    arrays: dict[str, Array]
    changed: tuple[str, ...]
    counters: Counters
    seconds: float


@dataclass
class Prepared:
    """A launch that only has to be started.

    Attributes:
        loaded: the opened kernel.
        grid: blocks along x, y, z.
        arguments: the packed argument struct.
        ranges: GM allocations of the launch, packed.
        given: label -> array as the caller gave it.
        buffers: label -> its copy in emulated GM.
        hidden: lock and workspace.
        file: the file that the kernel came from, for findings.
    """

    loaded: LoadedKernel
    grid: tuple[int, int, int]
    arguments: bytes
    ranges: bytes
    given: dict[str, Array]
    buffers: dict[str, Array]
    hidden: list[Array] = field(default_factory=lambda: list[Array]())
    file: str = ""

    @property
    def blocks(self) -> int:
        """Number of blocks of the launch."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def run(self, threads: int | None = None) -> Execution:
        """Launch once; the buffers are the kernel's memory, so a second run starts from its results.

        Raises:
            ExecutionError: the emulator's TW4nnn.
        """
        start = time.perf_counter()
        counters = self.loaded.launch(
            self.blocks,
            self.arguments,
            self.ranges,
            threads=self._threads(threads),
        )
        seconds = time.perf_counter() - start
        changed = tuple(
            name for name, array in self.given.items() if array.tobytes() != self.buffers[name].tobytes()
        )
        return Execution(self.loaded.name, self.grid, dict(self.buffers), changed, counters, seconds)

    def check(self, options: Mapping[str, Any] | None = None, threads: int | None = None) -> check.Check:
        """Launch once in check mode: hazards between pipes and blocks (docs/check.md).

        Args:
            options: of ``tilewright.check.OPTIONS``; ``wrong_results`` has no meaning without an operator.
            threads: host threads.

        Raises:
            UsageError: TW5008 for a wrong option.
        """
        chosen = dict(options or {})
        _, report = self.loaded.observe(
            self.blocks,
            self.arguments,
            self.ranges,
            mode=runtime.CHECK,
            options=check.emulator_options(chosen),
            threads=int(chosen.get("num_cores_or_threads", 0)) or self._threads(threads),
        )
        return check.from_report(report, symbols.file_sources(self.file))

    def time(
        self,
        target: str | Target = targets.DEFAULT,
        profile: Profile | None = None,
        threads: int | None = None,
        **more: Any,
    ) -> TimeReport:
        """Launch once in time mode: modelled time, nothing measured on a device (docs/timing.md).

        Args:
            target: whose constants are used.
            profile: other constants.
            threads: host threads.
            more: options of the time mode, for instance ``samples``, ``timeline_cores``.

        Raises:
            ExecutionError: the emulator's TW4nnn; TW4103 if the trace is too long.
        """
        from tilewright.timing import model, profiles
        from tilewright.timing.report import TimeReport

        used = profiles.profile(targets.get(target)) if profile is None else profile
        _, report = self.loaded.observe(
            self.blocks,
            self.arguments,
            self.ranges,
            mode=runtime.TIME,
            options=model.options(used, **more),
            threads=self._threads(threads),
        )
        if "error" in report:
            raise model.failed(str(report.get("message", "no message")))
        return TimeReport(self.loaded.name, used, report)

    @staticmethod
    def _threads(threads: int | None) -> int:
        return settings.threads() if threads is None else threads


def _words(values: Sequence[str]) -> str:
    return ", ".join(values) if values else "none"


class Program:
    """The kernels of a file, compiled.

    Attributes:
        origin: "object", "final module", or the flags that the stock compiler got.
        kernels: name -> description from the object's metadata.
        metadata: the object's metadata.
        seconds: time of the compilation on this host.
        file: where the program is from.
        notes: what the stock compiler is known to get wrong in the module; a device gives the same values.
    """

    def __init__(
        self, data: bytes, origin: str, seconds: float, notes: Sequence[str] = (), file: str = ""
    ) -> None:
        self.origin, self.seconds, self.notes, self.file = origin, seconds, tuple(notes), file
        self.metadata = _metadata(data)
        self.kernels: dict[str, dict[str, Any]] = {k["name"]: k for k in self.metadata["kernels"]}
        self._data = data
        self._loaded: dict[str, LoadedKernel] = {}

    def kernel(self, name: str | None = None) -> LoadedKernel:
        """Kernel ``name``, opened; without a name the only one.

        Raises:
            ExecutionError: TW4001, TW4002, TW4101.
            UsageError: TW5304 if there are several kernels and no name.
        """
        if name is None:
            if len(self.kernels) != 1:
                raise UsageError(
                    "TW5304", f"the file has {len(self.kernels)} kernels", expected="--kernel NAME",
                    hint=_words(sorted(self.kernels)),
                )  # fmt: skip
            name = next(iter(self.kernels))
        elif name not in self.kernels:
            raise ExecutionError(
                "TW4002", f"the file has no kernel {name!r}", hint=nearest(name, self.kernels)
            )
        if name not in self._loaded:
            self._loaded[name] = self._open(name)
        return self._loaded[name]

    def _open(self, name: str) -> LoadedKernel:
        folder = folders.work_folder()
        path = folder / "kernel.o"
        try:
            path.write_bytes(self._data)
            loaded = LoadedKernel(path, name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        # The file is kept as long as the kernel: findings of check mode look for lines in it.
        weakref.finalize(loaded, shutil.rmtree, folder, ignore_errors=True)
        self._host = ctypes.CDLL(str(path), mode=os.RTLD_NOW)
        return loaded

    def _ask(self, kernel: str, what: str) -> int | None:
        """The answer of a host function ``KERNEL_infer_WHAT_function``, or None if the module has none."""
        name = f"{kernel}_infer_{what}_function"
        if name not in self.metadata.get("host_functions", ()):
            return None
        function = getattr(self._host, name)
        function.argtypes, function.restype = [], ctypes.c_int64
        return int(function())

    def _grid(self, loaded: LoadedKernel, grid: Sequence[int] | None) -> tuple[int, int, int]:
        fixed = int(self.kernels[loaded.name].get("block_dim", 0))
        sizes = tuple(grid) if grid else (fixed or 1,)
        if len(sizes) > 3 or any(size < 1 for size in sizes):
            raise UsageError(
                "TW5301", f"--grid {','.join(map(str, sizes))}", expected="one to three numbers of at least 1"
            )
        x, y, z = (*sizes, 1, 1)[:3]
        if x * y * z > _MAX_BLOCKS:
            raise UsageError("TW5301", f"a grid of {x * y * z} blocks", expected=f"at most {_MAX_BLOCKS}")
        if fixed and x * y * z != fixed:
            raise UsageError(
                "TW5302",
                f"kernel {loaded.name} divides its work among {fixed} blocks; the grid has {x * y * z}",
                expected=f"--grid {fixed}, or a compilation for another number (--flags ...--block-dim=N)",
            )
        return x, y, z

    def prepare(
        self,
        arguments: Mapping[str, Value],
        *,
        kernel: str | None = None,
        grid: Sequence[int] | None = None,
        workspace: int | None = None,
    ) -> Prepared:
        """Bind arguments to a kernel.

        Args:
            arguments: label -> array or number, in the order of the kernel's own arguments (the ffts address,
                lock, workspace and grid left out). Arrays are copied.
            kernel: the kernel's name; None for the only one.
            grid: blocks along x, y, z; None for the number that the kernel was compiled for, else 1.
            workspace: bytes of the workspace of all blocks; None for what the kernel asks for.

        Raises:
            UsageError: TW5301 (grid), TW5302 (the arguments do not fit), TW5304 (which kernel).
            ExecutionError: TW4001, TW4002, TW4101.
        """
        loaded = self.kernel(kernel)
        described = self.kernels[loaded.name]["args"]
        sizes = self._grid(loaded, grid)
        blocks = sizes[0] * sizes[1] * sizes[2]
        wanted = [a for a in described if a["kind"] in ("pointer", "scalar")]
        _check_count(loaded.name, wanted, arguments)
        pending, axes = iter(arguments.items()), iter(sizes)
        prepared = Prepared(loaded, sizes, b"", b"", {}, {}, file=self.file)
        values = list[Any]()
        ranges = list[tuple[int, int, int]]()
        for argument in described:
            kind = argument["kind"]
            if kind == "ffts":
                values.append(0)
            elif kind == "grid":
                values.append(next(axes))
            elif kind in ("lock", "workspace"):
                size = self._hidden_bytes(loaded.name, kind, blocks, workspace)
                buffer = runtime.empty((max(size, 1),), np.uint8)
                buffer[:] = 0
                if kind == "lock":
                    initial = self._ask(loaded.name, "sync_block_lock_init")
                    buffer[: size // 8 * 8].view(np.int64)[:] = initial or 0
                prepared.hidden.append(buffer)
                values.append(runtime.address(buffer))
                ranges.append((values[-1], size, READABLE | WRITABLE))
            elif kind == "pointer":
                name, value = next(pending)
                array = _array(loaded.name, name, value, argument)
                buffer = runtime.empty(array.shape, array.dtype)
                buffer[...] = array
                prepared.given[name], prepared.buffers[name] = array, buffer
                values.append(runtime.address(buffer))
                flags = READABLE if argument.get("role") == "input" else READABLE | WRITABLE
                ranges.append((values[-1], buffer.nbytes, flags))
            else:
                name, value = next(pending)
                values.append(_number(loaded.name, name, value, str(argument["type"])))
        prepared.arguments = loaded.pack(*values)
        prepared.ranges = runtime.gm_ranges([r for r in ranges if r[1]])
        return prepared

    def _hidden_bytes(self, kernel: str, kind: str, blocks: int, workspace: int | None) -> int:
        if kind == "lock":
            count = self._ask(kernel, "sync_block_lock_num")
            return LOCK_BYTES if count is None else max(0, count) * 8
        if workspace is not None:
            return workspace
        each = self._ask(kernel, "workspace_shape")
        return WORKSPACE_BYTES if each is None else max(0, each) * blocks


def _describe(argument: Mapping[str, Any]) -> str:
    role = f" ({argument['role']})" if argument.get("role") else ""
    if argument["kind"] == "scalar":
        return f"{argument['type']}{role}"
    count = argument.get("elements")
    return f"array of {f'{count} ' if count else ''}{argument['type']}{role}"


#: Sizes of dynamic arguments reach such a kernel in a way that is not public (AscendNPU-IR, form D).
_HOST_HALF = (
    "this is the device half of a HOST function, which expects the numbers of its tiling function; write the "
    "function with #hacc.function_kind<DEVICE> and static shapes, or in the Triton kernel ABI"
)


def _check_count(kernel: str, wanted: Sequence[Mapping[str, Any]], given: Mapping[str, Value]) -> None:
    if len(wanted) != len(given):
        raise UsageError(
            "TW5302",
            f"kernel {kernel} takes {len(wanted)} arguments, {len(given)} are given ({_words(list(given))})",
            expected=_words([_describe(argument) for argument in wanted]),
            hint=_HOST_HALF if any(str(a.get("role", "")).startswith("tiling") for a in wanted) else "",
        )


def _misfit(kernel: str, name: str, what: str, argument: Mapping[str, Any]) -> UsageError:
    return UsageError("TW5302", f"argument {name} of kernel {kernel} is {what}", expected=_describe(argument))


def _array(kernel: str, name: str, value: Value, argument: Mapping[str, Any]) -> Array:
    if not isinstance(value, np.ndarray):
        raise _misfit(kernel, name, "a number", argument)
    type_ = str(argument["type"])
    if not value.dtype.isnative or not _holds(value.dtype, type_):
        raise _misfit(kernel, name, f"an array of {value.dtype}", argument)
    needed = int(argument.get("elements", 0))
    # The emulator checks transfers; scalar accesses of the kernel's own code it cannot.
    if type_ != "i1" and value.size < needed:
        raise _misfit(kernel, name, f"an array of {value.size} elements", argument)
    return np.ascontiguousarray(value)


def _number(kernel: str, name: str, value: Value, type_: str) -> int | float:
    argument = {"kind": "scalar", "type": type_}
    if isinstance(value, np.ndarray):
        raise _misfit(kernel, name, "an array", argument)
    scalar = value if isinstance(value, Scalar) else Scalar(value)
    number, said = scalar
    if said and said != type_ and {said, type_} != {"i64", "index"}:
        raise _misfit(kernel, name, f"{number}:{said}", argument)
    if type_ in _FLOATS:
        if type_ == "bf16":
            return int(np.array(number).astype(dtype_of("bf16")).view(np.uint16))
        if type_ == "f64":
            return float(number)
        # NumPy rounds as the device's host code would, and overflows to infinity instead of an error.
        with np.errstate(over="ignore"):
            return float(np.array(number).astype(dtype_of(type_)))
    bits = _INTEGERS[type_]
    if isinstance(number, float) or not -(1 << (bits - 1)) <= number < 1 << bits:
        raise _misfit(kernel, name, f"{number}", argument)
    if type_ == "i1":
        return int(number) & 1
    return (int(number) + (1 << (bits - 1))) % (1 << bits) - (1 << (bits - 1))


def _metadata(data: bytes) -> dict[str, Any]:
    """The metadata of a kernel object.

    Raises:
        ExecutionError: TW4001 if there is none.
    """
    start = data.find(b'{"format":')
    end = data.find(b"\0", start)
    try:
        found: dict[str, Any] = json.loads(data[start:end]) if start >= 0 and end > start else {}
    except ValueError:
        found = {}
    if "kernels" not in found:
        raise ExecutionError(
            "TW4001",
            "the file is an ELF object without the metadata of our hivmc",
            hint="compile the module with our hivmc; device binaries of CANN do not run here",
        )
    return found


def _flags(text: str, blocks: int) -> tuple[str, ...]:
    """The stock compiler's flags for a module that names none: by what the module is written in."""
    if "global_kernel" in text:
        return FLAGS
    if "tensor<" in text and "hivm.hir." not in text:
        return (*HFUSION_FLAGS, f"--block-dim={blocks}")
    return ()


def known_defects(text: str, accept: bool = False) -> list[str]:
    """What stock bishengir-compile 1.2.0 is known to get wrong, without a word, in a module.

    Raises:
        CompileError: TW3024 for the first, unless ``accept``.
    """
    notes: list[str] = []
    for pattern, note in _MISCOMPILED:
        match = pattern.search(text)
        if match is None:
            continue
        notes.append(note)
        if not accept:
            line = text.count("\n", 0, match.start()) + 1
            raise CompileError(
                "TW3024",
                f"{note}; line {line} of the module has such an operation",
                expected="another operation: a device would compute the same wrong values",
                hint="docs/exec.md has ways around; --accept-defects runs the kernel all the same",
            )
    return notes


def load(
    file: str | Path,
    *,
    target: str | Target = targets.DEFAULT,
    flags: Sequence[str] | None = None,
    grid: Sequence[int] | None = None,
    hivmc: str | None = None,
    accept_defects: bool = False,
) -> Program:
    """The kernels of a file.

    Args:
        file: a kernel object of our hivmc, a final module, or a module for ``bishengir-compile``.
        target: the device to compile for.
        flags: options of ``bishengir-compile``; None to choose by the module: the Triton kernel ABI where a
            function has ``global_kernel``, automatic scheduling for functions on tensors, else none.
        grid: for automatic scheduling, the blocks to divide the work among; None for all vector cores.
        hivmc: "ours" or a path; None for the environment's.
        accept_defects: compile also what the stock compiler is known to compile to something else; the notes
            of the program say what.

    Raises:
        CompileError: TW3024 for an operation that the stock compiler is known to get wrong.
        UsageError: TW5303 if the file cannot be read or is neither; TW5003, TW5001.
        CompileError: TW3nnn.
        ExecutionError: TW4001 for an object that is not ours, TW4102 if CANN's hivmc was chosen.
    """
    device = targets.get(target)
    try:
        data = Path(file).read_bytes()
    except OSError as error:
        raise UsageError("TW5303", f"the file {file} cannot be read: {error.strerror or error}") from error
    if data.startswith(b"\x7fELF"):
        return Program(data, "object", 0.0, file=str(file))
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    if "func.func" not in text:
        raise UsageError(
            "TW5303",
            f"{file} is neither a kernel object nor an MLIR module with a function",
            expected="kernel.o of our hivmc, a final module, or a module that bishengir-compile takes",
        )
    start = time.perf_counter()
    from tilewright.toolchain import compile_hivm, final

    if flags is None and final.is_final(text):
        made = final.translate(text, hivmc_choice=hivmc)
        return Program(made, "final module", time.perf_counter() - start, file=str(file))
    blocks = int(np.prod(grid)) if grid else device.vector_cores
    chosen = _flags(text, blocks) if flags is None else tuple(flags)
    notes = known_defects(text, accept_defects)
    compiled = compile_hivm(
        text, target=device.name, hivmc_choice=hivmc, flags=chosen, entries=None, scalar_loops=True
    )
    if compiled.kind == "cann":
        raise ExecutionError(
            "TW4102",
            "the kernel was compiled by CANN's hivmc for a real device and cannot run here",
            hint="compile it with TILEWRIGHT_HIVMC=ours for the emulated device",
        )
    origin = " ".join(chosen) or "bishengir-compile without flags"
    return Program(compiled.kernel, origin, time.perf_counter() - start, notes, str(file))
