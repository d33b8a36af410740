"""Compiled operators: call them, look at their plans and reports.

``compile(op)`` returns at once; a binary is made when the first call needs it, one per variant and layout
class, and serves every shape of that class. Calling is thread safe. Everything a call needs that depends only
on shapes and types is kept with the binding's signature, so a repeated call packs arguments and launches.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tilewright import abi, compiler, runtime, settings, targets
from tilewright.binding import Binding, Signature, bind, shape_signature
from tilewright.compiler import Binary
from tilewright.errors import CompileError, ExecutionError, ShapeError, UsageError
from tilewright.plan import Plan, plan
from tilewright.plan_reduction import CHOSEN, NO_ROOM, SCHEDULES, Tiling, plan_reduction
from tilewright.plan_traits import traits
from tilewright.report import Report
from tilewright.runtime import READABLE, WRITABLE, Counters
from tilewright.targets import Target

if TYPE_CHECKING:
    from tilewright.check import Check
    from tilewright.definition import Op, Variant
    from tilewright.layout import Layout
    from tilewright.timing import Profile, TimeReport

#: Arguments of the Triton kernel ABI that every kernel starts with, as the argument list names them.
_HEAD = ("lock", "workspace")
_GRID = ("grid:x", "grid:y", "grid:z")


class Launch(NamedTuple):
    """What all calls of one signature share.

    Attributes:
        binary: the compiled kernel.
        plan: cores and tiles.
        pack: packs ffts, lock and workspace (0), pointers, scalars, ``tail``.
        tail: planned numbers and the grid.
        sizes: bytes of each input.
        run: the loaded kernel's launch method.
    """

    binary: Binary
    plan: Plan
    pack: Callable[..., bytes]
    tail: tuple[int, ...]
    sizes: tuple[int, ...]
    run: Callable[..., Counters]


class Described(NamedTuple):
    """What a launcher of its own needs of all calls of one signature, for the emulated or a real device.

    Attributes:
        binary: the compiled kernel.
        plan: cores, tiles, bytes of workspace.
        fields: fields of the argument block, in order.
        size: bytes of the block.
        tail: values of the last fields: planned numbers and the grid.
    """

    binary: Binary
    plan: Plan
    fields: tuple[runtime.Argument, ...]
    size: int
    tail: tuple[int, ...]


class Outcome(NamedTuple):
    """A finished call.

    Attributes:
        value: what a plain call returns.
        outputs: the results as NumPy arrays.
        counters: the emulator's counts; zeros if nothing was launched.
        launch: binary and plan, None for an empty call, which launches nothing.
        seconds: wall-clock time of the launch on the host (of the emulation, not of a device).
    """

    value: Any
    outputs: tuple[np.ndarray[Any, np.dtype[Any]], ...]
    counters: Counters
    launch: Launch | None
    seconds: float


def _tail(binary: Binary, planned: Plan, signature: Signature) -> tuple[int, ...]:
    """The numbers after the scalars, checked against the kernel's own argument list."""
    graph = signature.variant.graph
    tensors = [f"tensor:{node.name}" for node in graph.inputs] + [f"tensor:{r.name}" for r in graph.results]
    scalars = [f"scalar:s{i}" for i in range(len(graph.scalars))]
    arguments = [name for name in binary.arguments if not name.startswith("pid:")]
    head = [*_HEAD, *tensors, *scalars]
    numbers, grid = arguments[len(head) : -len(_GRID)], arguments[-len(_GRID) :]
    missing = [name for name in numbers if name not in planned.numbers]
    if arguments[: len(head)] != head or tuple(grid) != _GRID or missing:
        raise ExecutionError(
            "TW4101",
            f"the arguments of kernel {binary.name} are {', '.join(arguments)}",
            expected=f"{', '.join(head)}, planned numbers ({', '.join(planned.numbers)}), {', '.join(_GRID)}",
        )
    # The kernel sees one grid axis; the others are 1.
    return (*(planned.numbers[name] for name in numbers), planned.cores, 1, 1)


def _ranges(pointers: Sequence[int], sizes: Sequence[int], inputs: int, written: int = 0) -> bytes:
    """GM ranges of a launch; inputs that share memory become one range, as ranges must not overlap.

    The first ``inputs`` are read, the others written, the first ``written`` both.
    """
    found = [
        (pointer, size, READABLE | WRITABLE if i < written else READABLE if i < inputs else WRITABLE)
        for i, (pointer, size) in enumerate(zip(pointers, sizes, strict=True))
    ]
    found.sort()
    merged = [found[0]]
    for base, size, flags in found[1:]:
        last, length, before = merged[-1]
        if base < last + length:
            merged[-1] = (last, max(length, base + size - last), before | flags)
        else:
            merged.append((base, size, flags))
    return runtime.gm_ranges(merged)


def _pack(
    launch: Launch, binding: Binding, outputs: Sequence[np.ndarray[Any, np.dtype[Any]]]
) -> tuple[bytes, bytes, np.ndarray[Any, np.dtype[Any]] | None]:
    """Arguments and GM ranges of a launch, and its workspace, which has to live as long as the launch."""
    pointers = [array.__array_interface__["data"][0] for array in (*binding.inputs, *outputs)]
    sizes = [*launch.sizes, *[array.nbytes for array in outputs]]
    if not launch.plan.workspace:
        return (
            launch.pack(0, 0, 0, *pointers, *binding.scalars, *launch.tail),
            _ranges(pointers, sizes, len(launch.sizes)),
            None,
        )
    workspace = runtime.empty((launch.plan.workspace // 4,), np.dtype(np.float32))
    address = workspace.__array_interface__["data"][0]
    arguments = launch.pack(0, 0, address, *pointers, *binding.scalars, *launch.tail)
    ranges = _ranges([address, *pointers], [workspace.nbytes, *sizes], 1 + len(launch.sizes), written=1)
    return arguments, ranges, workspace


class Kernel:
    """An operator compiled for a target; made by ``tw.compile``.

    Attributes:
        op: the operator.
        target: the target.
    """

    def __init__(
        self,
        op: Op,
        target: str | Target = targets.DEFAULT,
        *,
        cores: int | None = None,
        tile: int | None = None,
        threads: int | None = None,
        hivmc: str | None = None,
        schedule: str | None = None,
        group: int | None = None,
        tile_rows: int | None = None,
        tile_cols: int | None = None,
    ) -> None:
        """See ``compile``, also for the errors."""
        counts = {"group": group, "tile_rows": tile_rows, "tile_cols": tile_cols}
        _check_options(op, schedule=schedule, cores=cores, tile=tile, threads=threads, hivmc=hivmc, **counts)
        self.op = op
        self.target = targets.get(target)
        self._cores = cores
        self._tile = tile
        self._schedule = schedule
        self._tiling = Tiling(group, tile_rows, tile_cols)
        self._threads = settings.threads() if threads is None else threads
        self._hivmc = hivmc
        self._binaries: dict[tuple[Variant, Layout, str], Binary] = {}
        self._refused: dict[tuple[Variant, Layout, str], CompileError] = {}
        self._lock = threading.Lock()

    # -- calling ------------------------------------------------------------------------------------

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Run on arrays: the operator's tensors by position or name, its attributes by name.

        Returns the result, or a tuple of results, in the kind of array that was given.

        Raises:
            ShapeError, DTypeError: TW2nnn, nothing was run.
            CompileError: TW3nnn.
            ExecutionError: TW4nnn.
        """
        binding = bind(self.op, args, kwargs)
        outputs, _ = self._execute(binding)
        return binding.wrap(outputs)

    def run(self, /, *args: Any, **kwargs: Any) -> Outcome:
        """Like a call, with counters, plan and time."""
        binding = bind(self.op, args, kwargs)
        launch = None if binding.empty else self._launch(binding.signature)
        start = time.perf_counter()
        outputs, counters = self._execute(binding)
        seconds = time.perf_counter() - start
        return Outcome(binding.wrap(outputs), tuple(outputs), counters, launch, seconds)

    def observe(
        self,
        binding: Binding,
        mode: int,
        options: Mapping[str, Any] | None = None,
        threads: int | None = None,
        outputs: list[np.ndarray[Any, np.dtype[Any]]] | None = None,
    ) -> tuple[Launch | None, dict[str, Any]]:
        """Run a bound call under an observer of the emulator (``runtime.CHECK``, ``runtime.TIME``).

        Returns the launch and the observer's report; (None, {}) for an empty call. The results are appended
        to ``outputs`` if it is given.
        """
        if binding.empty:
            return None, {}
        launch = self._launch(binding.signature)
        results = [spec.allocate(runtime.empty) for spec in binding.signature.outputs]
        if outputs is not None:
            outputs += results
        arguments, ranges, workspace = _pack(launch, binding, results)
        _, report = launch.binary.loaded.observe(
            launch.plan.cores,
            arguments,
            ranges,
            mode=mode,
            options=options,
            threads=self._threads if threads is None else threads,
        )
        del workspace  # the launch has ended
        return launch, report

    def check(self, /, *args: Any, check_options: Mapping[str, Any] | None = None, **kwargs: Any) -> Check:
        """Run on arrays in check mode and return the findings: hazards between pipes and cores, misuse of UB.

        Args:
            args, kwargs: as for a call.
            check_options: see ``tilewright.check.OPTIONS``.

        Raises:
            UsageError: TW5008 for a wrong option.
        """
        from tilewright import check

        return check.run(self, bind(self.op, args, kwargs), check_options or {})

    def time(
        self,
        /,
        *args: Any,
        profile: Profile | None = None,
        time_options: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> TimeReport | None:
        """Run on arrays in time mode and return the modelled time; None for an empty call.

        The report is a modelled estimate with an interval, for data in memory (cold) and in L2 (warm);
        nothing is measured on a device.

        Args:
            args, kwargs: as for a call.
            profile: constants of the model; the target's own if None.
            time_options: ``samples``, ``seed``, ``timeline_cores``, ``timeline_events``, ``timeline_cache``
                ("cold" or "warm"), ``max_steps``, ``sample_steps``, ``sample_times`` (1: also list
                the time under every set of constants, to compare kernels set by set).

        Raises:
            ExecutionError: TW4003 for a wrong option, TW4103 if the trace exceeds ``max_steps``.
        """
        from tilewright.timing.report import time_call

        return time_call(self, bind(self.op, args, kwargs), profile, **(time_options or {}))

    def _execute(self, binding: Binding) -> tuple[list[np.ndarray[Any, np.dtype[Any]]], Counters]:
        signature = binding.signature
        if signature.empty:
            return binding.unlaunched(runtime.empty), Counters()
        outputs = [spec.allocate(runtime.empty) for spec in signature.outputs]
        launch = signature.memo.get(self)
        if launch is None:
            launch = self._launch(signature)
        arguments, ranges, workspace = _pack(launch, binding, outputs)
        counters = launch.run(launch.plan.cores, arguments, ranges, threads=self._threads)
        del workspace  # the launch has ended
        return outputs, counters

    def _launch(self, signature: Signature) -> Launch:
        known: Launch | None = signature.memo.get(self)
        if known is not None:
            return known
        schedule, planned = self._choose(signature)
        binary = self.load(signature, schedule)
        loaded = binary.loaded
        sizes = tuple(
            count * _element_size(type_)
            for count, type_ in zip(signature.input_counts, signature.input_types, strict=True)
        )
        tail = _tail(binary, planned, signature)
        launch = Launch(binary, planned, loaded.pack, tail, sizes, loaded.launch)
        signature.memo[self] = launch
        return launch

    def described(self, signature: Signature) -> Described:
        """How a call of this kind is launched by other means than this object: ACL, torch, a C program.

        Raises:
            CompileError: TW3nnn.
            ExecutionError: TW4nnn.
        """
        schedule, planned = self._choose(signature)
        binary = self.binary(signature, schedule)
        if binary.metadata["hivmc"] == "cann":
            graph = signature.variant.graph
            fields, size = abi.fields(binary.arguments, [n.type for n in graph.scalars])
        else:
            loaded = self.load(signature, schedule).loaded
            fields, size = loaded.arguments, loaded.arguments_size
        return Described(binary, planned, fields, size, _tail(binary, planned, signature))

    # -- looking ------------------------------------------------------------------------------------

    def binary(self, signature: Signature, schedule: str | None = None) -> Binary:
        """The binary for a signature, compiled if need be.

        Args:
            signature: kind of call.
            schedule: schedule of a kernel with reductions; the planner's choice if None.
        """
        if schedule is None:
            schedule = self._choose(signature)[0]
        key = (signature.variant, signature.layout, schedule)
        found = self._binaries.get(key)
        if found is None:
            with self._lock:
                if key in self._refused:
                    raise self._refused[key]
                found = self._binaries.get(key)
                if found is None:
                    found = self._compile(key)
        return found

    def _compile(self, key: tuple[Variant, Layout, str]) -> Binary:
        variant, layout, schedule = key
        try:
            found = compiler.compile_variant(
                variant, layout, self.target, hivmc_choice=self._hivmc, schedule=schedule
            )
        except CompileError as error:
            # The planner asks for such a schedule again with every new shape.
            if error.code in NO_ROOM:
                self._refused[key] = error
            raise
        self._binaries[key] = found
        return found

    def load(self, signature: Signature, schedule: str | None = None) -> Binary:
        """The binary, opened on the emulated device."""
        if schedule is None:
            schedule = self._choose(signature)[0]
        for _ in range(8):
            binary = self.binary(signature, schedule)
            try:
                _ = binary.loaded
            except ExecutionError:
                if binary.path.exists():
                    raise
                # Between being found and being opened it was evicted, or somebody emptied the cache folder.
                with self._lock:
                    self._binaries.pop((signature.variant, signature.layout, schedule), None)
            else:
                return binary
        raise ExecutionError(
            "TW4001",
            f"the kernel {binary.key[:12]} disappears from the cache folder as soon as it is stored",
            hint="raise TILEWRIGHT_CACHE_LIMIT",
        )

    def signature(
        self,
        shapes: Mapping[str, tuple[int, ...]],
        types: Mapping[str, str],
        attributes: Mapping[str, Any] | None = None,
    ) -> Signature:
        """The signature of a call without data: shape and type ("f32") of every present tensor by name."""
        return shape_signature(self.op, shapes, types, attributes)

    def plan(self, /, *args: Any, **kwargs: Any) -> Plan | None:
        """Cores, tiles and numbers of a call with these arguments or one Signature; None if it is empty."""
        signature = self._signature_of(args, kwargs)
        return None if signature.empty else self._choose(signature)[1]

    def schedule(self, /, *args: Any, **kwargs: Any) -> str:
        """The schedule that such a call takes; "" for operators without channels and for empty calls."""
        planned = self.plan(*args, **kwargs)
        return "" if planned is None else planned.schedule

    def report(self, /, *args: Any, **kwargs: Any) -> Report:
        """The binary and the plan of a call with these arguments (or of one Signature), for people."""
        signature = self._signature_of(args, kwargs)
        binary = self.binary(signature)
        planned = None if signature.empty else self._choose(signature)[1]
        return Report(self.target, signature.variant.key, signature.extents, binary, planned)

    def _signature_of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Signature:
        if len(args) == 1 and isinstance(args[0], Signature):
            return args[0]
        return bind(self.op, args, kwargs).signature

    def _choose(self, signature: Signature) -> tuple[str, Plan]:
        """Schedule ("" for elementwise kernels) and numbers of a call."""
        cores = self.target.vector_cores
        if not signature.variant.graph.across:
            if self._schedule is not None or self._tiling != CHOSEN:
                raise ShapeError(
                    "TW2401",
                    f"schedule=, group=, tile_rows= and tile_cols= are for operators over channels; "
                    f"{self.op.name} computes element by element",
                    expected="cores= or tile=",
                )
            capacity = self.binary(signature, "").capacity
            return "", plan(capacity, signature.extents, cores, cores=self._cores, tile=self._tile)
        if self._tile is not None:
            raise ShapeError(
                "TW2401",
                f"tile= is for operators that compute element by element; {self.op.name} works on "
                f"(R1, A, R0) = {signature.extents}",
                expected="schedule=, group=, tile_rows=, tile_cols=",
            )
        return plan_reduction(
            traits(signature.variant.graph, signature.layout),
            lambda schedule: self.binary(signature, schedule).reduction,
            signature.extents,
            cores,
            cores=self._cores,
            schedule=self._schedule,
            tiling=self._tiling,
        )

    def __repr__(self) -> str:
        return f"<tilewright kernel {self.op.name} for {self.target.name}>"


def _element_size(type_: str) -> int:
    from tilewright.dtypes import TYPES

    return TYPES[type_].size


def _check_options(op: object, *, hivmc: object, schedule: object, **counts: object) -> None:
    from tilewright.definition import Op

    if not isinstance(op, Op):
        raise UsageError(
            "TW5101",
            f"{op!r} is not an operator",
            expected="what @tw.op made of a function, or an operator of tilewright.ops",
        )
    for name, value in counts.items():
        least = 0 if name == "threads" else 1
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= least):
            continue
        raise ShapeError(
            "TW2401",
            f"{name}={value!r} is not a number of {_COUNTED[name]}",
            expected=f"an integer >= {least}",
        )
    if schedule is not None and schedule not in SCHEDULES:
        raise ShapeError("TW2401", f"schedule={schedule!r}", expected=", ".join(SCHEDULES))
    if hivmc is not None and not isinstance(hivmc, str):
        raise UsageError("TW5002", f"hivmc={hivmc!r}", expected='"ours", "cann" or a path as text')


_COUNTED = {
    "cores": "blocks to launch",
    "tile": "elements",
    "threads": "host threads",
    "group": "channels",
    "tile_rows": "rows",
    "tile_cols": "columns",
}

_kernels: dict[tuple[Any, ...], Kernel] = {}


def compile(
    op: Op,
    *,
    target: str | Target = targets.DEFAULT,
    cores: int | None = None,
    tile: int | None = None,
    threads: int | None = None,
    hivmc: str | None = None,
    schedule: str | None = None,
    group: int | None = None,
    tile_rows: int | None = None,
    tile_cols: int | None = None,
) -> Kernel:
    """An operator ready to be called on arrays; equal arguments give the same object.

    Args:
        op: an operator made by ``@tw.op``.
        target: a name of the target table, or an alias.
        cores: number of blocks to launch instead of the planner's choice.
        tile: elements of a tile instead of the planner's choice (operators over one axis).
        threads: host threads of the emulation, 0 for all; None for the environment's.
        hivmc: "ours", "cann" or a path; None for the environment's.
        schedule: schedule of an operator over channels instead of the planner's choice, see docs/planner.md.
        group, tile_rows, tile_cols: channels of a group, rows and columns of a tile of such an operator.

    Raises:
        UsageError: TW5003 for an unknown target, TW5101 for what is no operator, TW5002 for hivmc.
        ShapeError: TW2401 for a count that is none, an unknown schedule; in calls, for one that does not fit.
    """
    counts = {"group": group, "tile_rows": tile_rows, "tile_cols": tile_cols}
    options: dict[str, Any] = {"cores": cores, "tile": tile, "threads": threads, "hivmc": hivmc, **counts}
    _check_options(op, schedule=schedule, **options)
    target = targets.get(target)
    key = (op, target, schedule, *options.values())
    kernel = _kernels.get(key)
    if kernel is None:
        kernel = _kernels[key] = Kernel(op, target, schedule=schedule, **options)
    return kernel
