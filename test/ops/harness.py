"""Runs an operator on the emulated device as a careful user would: guard bytes, hashed inputs, float64."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import compare, reference, runtime, samples, targets
from tilewright.binding import OutputSpec, bind
from tilewright.definition import Op
from tilewright.kernel import Outcome
from tilewright.ops import registry

GUARD_BYTES = 4096
GUARD_VALUE = 0xA5
#: The whole matrix of sizes for every variant; off by default because float64 references of big tensors
#: take minutes.
FULL = bool(os.environ.get("TILEWRIGHT_TEST_FULL"))


class GuardedMemory:
    """Stands in for ``runtime.empty``: each array lies between two runs of guard bytes."""

    def __init__(self) -> None:
        self._raw: list[tuple[np.ndarray[Any, Any], int, int]] = []

    def empty(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
        size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        raw = np.full(size + 3 * GUARD_BYTES, GUARD_VALUE, np.uint8)
        start = GUARD_BYTES + (-(raw.ctypes.data + GUARD_BYTES)) % 512
        self._raw.append((raw, start, size))
        return raw[start : start + size].view(dtype).reshape(shape)

    def check(self) -> None:
        for raw, start, size in self._raw:
            assert (raw[:start] == GUARD_VALUE).all(), "bytes before an output were written"
            assert (raw[start + size :] == GUARD_VALUE).all(), "bytes after an output were written"


@contextmanager
def guarded_outputs(monkeypatch: pytest.MonkeyPatch) -> Iterator[GuardedMemory]:
    memory = GuardedMemory()
    with monkeypatch.context() as patch:
        patch.setattr(runtime, "empty", memory.empty)
        yield memory
    memory.check()


def digest(arrays: Mapping[str, Any]) -> dict[str, str]:
    return {
        name: hashlib.blake2b(np.ascontiguousarray(a).tobytes(), digest_size=8).hexdigest()
        for name, a in arrays.items()
        if isinstance(a, np.ndarray)
    }


def judge(
    references: Sequence[reference.Reference],
    outcome: Outcome,
    specs: Sequence[OutputSpec],
    rule: str,
    *,
    overflow: bool = False,
) -> str:
    """The empty string if every output is right, else what is wrong.

    ``overflow`` says that intermediate results may leave f32, where no error bound holds.
    """
    wrong: list[str] = []
    for expected, got, spec in zip(references, outcome.outputs, specs, strict=True):
        assert got.shape == spec.shape
        result = compare.compare(got, expected, spec.dtype, rule)
        if not result.passed:
            wrong.append(str(result))
        if result.unbounded and not overflow:
            wrong.append(f"{result.unbounded} of {result.total} elements may have any value")
    return "; ".join(wrong)


def check_ub(outcome: Outcome, target: str) -> None:
    """UB: touched <= addresses of the final module <= the plan's table <= the target's budget."""
    if outcome.launch is None:
        return
    metadata = outcome.launch.binary.metadata
    if metadata.get("schedule"):  # with reductions: buffers of different passes share addresses
        assert outcome.counters.ub_high_water <= metadata["ub_bytes"] <= targets.get(target).ub_bytes
        return
    planned = metadata["plan"]["ub_bytes"]
    assert planned == sum(buffer["bytes"] for buffer in metadata["plan"]["buffers"])
    assert (
        outcome.counters.ub_high_water
        <= metadata["ub_bytes"]
        <= planned
        <= targets.get(target).ub_usable_bytes
    )


def run_checked(
    monkeypatch: pytest.MonkeyPatch,
    op: Op,
    inputs: Mapping[str, Any],
    attributes: Mapping[str, Any] | None = None,
    *,
    target: str = "Ascend910B4",
    rule: str = "tight",
    twice: bool = False,
    references: Sequence[reference.Reference] | None = None,
    overflow: bool = False,
) -> Outcome:
    """Runs, judges, and looks at guard bytes and inputs; ``twice`` compares the bits of a second run.

    ``references`` are what the results are judged by, if not the float64 evaluation of the graph.
    """
    attributes = dict(attributes or {})
    kernel = tw.compile(op, target=target)
    kept = {name: a for name, a in inputs.items() if name not in op.updates}
    before = digest(kept)
    updated = {name: inputs[name].copy() for name in op.updates if inputs.get(name) is not None}
    binding = bind(op, (), {**inputs, **attributes})
    if references is None:
        references = reference.evaluate(binding)
    with guarded_outputs(monkeypatch):
        outcome = kernel.run(**inputs, **attributes)
    assert digest(kept) == before, "an input was changed"
    check_ub(outcome, target)
    problem = judge(references, outcome, binding.signature.outputs, rule, overflow=overflow)
    assert not problem, f"{op.name} {attributes}: {problem}"
    if twice:
        again = kernel.run(**{**inputs, **updated}, **attributes)
        for first, second in zip(outcome.outputs, again.outputs, strict=True):
            assert first.tobytes() == second.tobytes(), "two runs differ"
    return outcome


@dataclass(frozen=True)
class Case:
    """One variant of an operator: what selects the binary."""

    op: str
    dtype: str
    attributes: tuple[tuple[str, Any], ...] = ()
    present: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        parts = [self.op, self.dtype, *(f"{k}={v}" for k, v in self.attributes), *self.present]
        return "-".join([*parts, *(f"{k}:{v}" for k, v in self.types)])

    @property
    def operator(self) -> Op:
        return registry.get(self.op)

    def inputs(self, shape: tuple[int, ...], seed: int = 0, **shapes: tuple[int, ...]) -> dict[str, Any]:
        return samples.random_inputs(
            self.operator,
            shape,
            self.dtype,
            seed=seed,
            attributes=dict(self.attributes),
            present=self.present,
            shapes=shapes,
            types=dict(self.types),
        )
