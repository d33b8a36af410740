"""The three sides of a row: ours, the handwritten reference, the stock compiler's automatic schedule.

Each runs once for its values, once in check mode and once in time mode, on copies of the same inputs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tilewright import dtypes, execute, reference
from tilewright.ascendc.validate import reference_call
from tilewright.binding import Binding
from tilewright.compare import compare
from tilewright.contest import static_linalg
from tilewright.errors import TilewrightError
from tilewright.kernel import Kernel
from tilewright.runtime import Counters
from tilewright.timing import Profile, TimeReport
from tilewright.timing.report import time_call

Array = npt.NDArray[Any]
Expected = Sequence[reference.Reference]
#: Modelled microseconds of a launch under other constants, data in memory.
Timer = Callable[[Profile], float]

#: Options of the time mode: equal for all sides, so that the lists of sampled times belong together.
TIMING: Mapping[str, Any] = {"samples": 24, "seed": 1, "sample_times": 1}
_ONCE: Mapping[str, Any] = {"samples": 0}
#: Values are compared here; check mode need not do so again.
_CHECK: Mapping[str, Any] = {"wrong_results": False}
_FIRST_LINE = 300


@dataclass
class Side:
    """What is known of one side of a row.

    Attributes:
        us, interval: modelled time with the data in memory, launch included, and its 5 to 95 %; None if there
            is no kernel, see ``reason``.
        samples: modelled time under each sampled set of constants.
        passed, max_rel_err: against float64, over all results, by ``rule`` of ``tilewright.compare``.
        ub_bytes, gm_read_bytes, gm_write_bytes, cores: of the launch.
        hazards: of check mode.
        bound: what limits the launch, see ``TimeReport.bound``.
        launch_us: the part of the time that starting the cores takes.
        reason: why there is no kernel, or why it does not count.
        timer: models the time again under other constants.
    """

    us: float | None = None
    interval: tuple[float, float] | None = None
    samples: list[float] = field(default_factory=list[float])
    passed: bool | None = None
    max_rel_err: float | None = None
    rule: str = "tight"
    ub_bytes: int | None = None
    gm_read_bytes: int | None = None
    gm_write_bytes: int | None = None
    cores: int | None = None
    hazards: int | None = None
    bound: str | None = None
    launch_us: float | None = None
    reason: str = ""
    timer: Timer | None = None

    @property
    def counts(self) -> bool:
        """Whether its time may be compared: it ran, and its values are right."""
        return self.us is not None and self.passed is True

    def timed(self, report: TimeReport) -> None:
        """Take over a report made with ``TIMING``."""
        self.us, self.interval = report.us(), report.interval()
        self.bound, self.launch_us = report.bound(), float(report.data["launch_us"])
        self.samples = [float(us) for us in report.data["cold"]["sample_us"]]

    def counted(self, counters: Counters) -> None:
        """Take over the counts of a launch."""
        self.ub_bytes, self.cores = counters.ub_high_water, counters.blocks
        self.gm_read_bytes, self.gm_write_bytes = counters.gm_read_bytes, counters.gm_write_bytes

    def judge(self, results: Sequence[Array | None], expected: Expected, types: Sequence[str]) -> None:
        """Compare results with float64; None where a side has no such result."""
        self.passed, self.max_rel_err = True, 0.0
        for got, value, type_ in zip(results, expected, types, strict=True):
            if got is None:
                continue
            found = compare(got.reshape(value.value.shape), value, type_, self.rule)
            self.passed &= found.passed
            self.max_rel_err = max(self.max_rel_err, found.max_rel_err)

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "us": self.us, "interval_us": self.interval, "passed": self.passed,
            "max_rel_err": self.max_rel_err, "rule": self.rule, "ub_bytes": self.ub_bytes,
            "gm_read_bytes": self.gm_read_bytes, "gm_write_bytes": self.gm_write_bytes,
            "cores": self.cores, "hazards": self.hazards, "bound": self.bound,
            "launch_us": self.launch_us, "reason": self.reason or None,
        }  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """A bound call that all sides run.

    Attributes:
        kernel: our operator for the target.
        inputs, attributes: of the call.
        binding: the same, bound.
        expected: the results in float64.
    """

    kernel: Kernel
    inputs: Mapping[str, Array]
    attributes: Mapping[str, Any]
    binding: Binding
    expected: Expected

    @property
    def types(self) -> list[str]:
        """Element types of the results."""
        return [spec.dtype for spec in self.binding.signature.outputs]

    def fresh(self) -> dict[str, Array]:
        """Copies of the inputs: some operators update them in place."""
        return {name: array.copy() for name, array in self.inputs.items()}

    def call(self) -> dict[str, Any]:
        """The arguments of a call of our operator."""
        return {**self.fresh(), **self.attributes}


def ours(subject: Subject) -> Side:
    """Our compiled kernel. Raises TilewrightError: it has to run."""
    side, kernel = Side(), subject.kernel
    outcome = kernel.run(**subject.call())
    side.judge(outcome.outputs, subject.expected, subject.types)
    side.counted(outcome.counters)
    side.hazards = kernel.check(check_options=_CHECK, **subject.call()).hazards
    report = time_call(kernel, subject.binding, **TIMING)
    assert report is not None, "a row of the contest has elements"
    side.timed(report)

    def timer(profile: Profile) -> float:
        again = time_call(kernel, subject.binding, profile, **_ONCE)
        assert again is not None
        return again.us()

    side.timer = timer
    return side


def handwritten(subject: Subject) -> Side:
    """The handwritten reference; a side without a time if it refuses the call."""
    side = Side()
    kernel = subject.kernel
    try:
        call, names = reference_call(kernel.op.name, subject.fresh(), subject.attributes, kernel.target)
        found, counters = call.run()
    except TilewrightError as error:
        side.reason = _words(error)
        return side
    results: list[Array | None] = [None] * len(subject.expected)
    types = subject.types
    for i, name in enumerate(names):
        if name:
            results[i] = found[name]
            types[i] = dtypes.short_name(found[name].dtype) or types[i]
    side.judge(results, subject.expected, types)
    side.counted(counters)
    side.hazards = call.check().hazards
    side.timed(call.time(kernel.target, **TIMING))
    side.timer = lambda profile: call.time(kernel.target, profile, **_ONCE).us()
    return side


def automatic(subject: Subject) -> Side:
    """AscendNPU-IR's own automatic schedule of the same linalg, for the static shape and all cores.

    Its values are judged by the vendor's acceptance rule: it may sum in another order and without
    compensation.
    """
    side = Side(rule="gate")
    target = subject.kernel.target
    arguments: dict[str, execute.Value] = {
        f"in{i}": array if array.ndim else array.reshape(1) for i, array in enumerate(subject.binding.inputs)
    }
    results = [f"out{i}" for i in range(len(subject.expected))]
    for name, spec in zip(results, subject.binding.signature.outputs, strict=True):
        # Not zeros, so that an element that is not written shows.
        arguments[name] = np.full(spec.shape or (1,), 99, dtypes.numpy_dtype(spec.dtype))
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "contest.mlir"
            file.write_text(static_linalg.write(subject.binding), encoding="utf-8")
            program = execute.load(file, target=target)
        prepared = program.prepare(arguments)
        done = prepared.run()
        side.judge([done.arrays[name] for name in results], subject.expected, subject.types)
        side.counted(done.counters)
        side.hazards = prepared.check().hazards
        side.timed(prepared.time(target, **TIMING))
    except TilewrightError as error:
        return Side(rule=side.rule, reason=_words(error))
    if not side.passed:
        side.reason = "compiles, but its values are wrong"
    return side


def _words(error: TilewrightError) -> str:
    """The code and the first line of an error."""
    text = str(error).split("\n", 1)[0]
    return text if len(text) <= _FIRST_LINE else text[: _FIRST_LINE - 3] + "..."
