"""Mutation test of check mode: changed synchronisation and addresses of a compiled kernel are noticed.

A mutant is caught by a hazard (or by a tool that refuses it). One that is not caught has to be redundant: no
hazard, and the results are those of the unmutated kernel, bit for bit. ``TILEWRIGHT_TEST_FULL=1`` tries all
mutants and prints the table; otherwise every fifth one is tried.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tilewright")

from check_mutants import Mutant, mutants
from hivmc_tools import missing_tools, run_hivmc

import tilewright as tw
from tilewright import check, compiler, runtime, samples
from tilewright.binding import bind
from tilewright.errors import ExecutionError
from tilewright.kernel import Kernel
from tilewright.ops import registry
from tilewright.toolchain import FINAL_MODULE

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)
FULL = bool(os.environ.get("TILEWRIGHT_TEST_FULL"))


class Subject:
    """An operator call whose kernel object can be exchanged."""

    def __init__(self, name: str, dtype: str, size: int, attributes: dict[str, Any], cores: int) -> None:
        self.op = registry.get(name)
        self.kernel: Kernel = tw.compile(self.op, cores=cores)
        inputs = samples.random_inputs(self.op, (size,), dtype, seed=3, attributes=attributes)
        self.binding = bind(self.op, (), {**inputs, **attributes})
        signature = self.binding.signature
        asked = compiler.request(signature.variant, signature.layout, self.kernel.target)
        built = compiler.build(asked, keep_stages=True)
        self.module = next(text for stage, text in built.stages.items() if stage.endswith(FINAL_MODULE))

    def arguments(self) -> tuple[int, bytes, bytes, list[np.ndarray[Any, Any]]]:
        launch = self.kernel._launch(self.binding.signature)
        outputs = [spec.allocate(runtime.empty) for spec in self.binding.signature.outputs]
        for output in outputs:
            output.view(np.uint8)[...] = 0xA5
        arrays = [*self.binding.inputs, *outputs]
        pointers = [runtime.address(a) for a in arrays]
        inputs = len(self.binding.inputs)
        ranges = runtime.gm_ranges(
            sorted(
                (p, a.nbytes, 1 if i < inputs else 2)
                for i, (p, a) in enumerate(zip(pointers, arrays, strict=True))
            )
        )
        packed = launch.pack(0, 0, 0, *pointers, *self.binding.scalars, *launch.tail)
        return launch.plan.cores, packed, ranges, outputs

    def judge(self, path: Path) -> tuple[check.Check, bytes | str]:
        """What a check of the kernel object finds, and its results or the error of a fast run."""
        loaded = runtime.LoadedKernel(path, self.op.name)
        cores, packed, ranges, outputs = self.arguments()
        _, report = loaded.observe(cores, packed, ranges, mode=runtime.CHECK)
        found = check.from_report(report)
        if found.passed and (wrong := check.wrong_results(self.binding, outputs)):
            found = replace(found, hazards=len(wrong), findings=tuple(wrong))
        cores, packed, ranges, outputs = self.arguments()
        try:
            loaded.launch(cores, packed, ranges)
            values: bytes | str = b"".join(o.tobytes() for o in outputs)
        except ExecutionError as error:
            values = error.code
        return found, values


@pytest.fixture(scope="module")
def table() -> Iterator[Counter[tuple[str, str]]]:
    rows: Counter[tuple[str, str]] = Counter()
    yield rows
    if rows:
        print("\nfamily            mutants  caught  redundant  missed")
        for family in sorted({f for f, _ in rows}):
            n = {k: rows[family, k] for k in ("caught", "redundant", "missed")}
            print(f"{family:<17}{sum(n.values()):>8}{n['caught']:>8}{n['redundant']:>11}{n['missed']:>8}")


@pytest.mark.parametrize(
    ("name", "dtype", "size", "attributes"),
    [
        # Several full tiles in every block, and a tail.
        ("elu_backward", "f32", 2 * 5632 * 4 + 1003, {}),
        pytest.param(
            "binary_cross_entropy_with_logits_backward", "f16", 50_003, {"reduction": "none"},
            marks=pytest.mark.skipif(not FULL, reason="long; TILEWRIGHT_TEST_FULL=1"),
        ),
    ],
)  # fmt: skip
def test_mutants(
    name: str,
    dtype: str,
    size: int,
    attributes: dict[str, Any],
    tmp_path: Path,
    table: Counter[tuple[str, str]],
) -> None:
    subject = Subject(name, dtype, size, attributes, cores=2)

    def compiled(text: str, number: int) -> Path | None:
        module = tmp_path / f"m{number}.mlir"
        module.write_text(text)
        output = tmp_path / f"m{number}.o"
        return output if run_hivmc(module, "-o", output).returncode == 0 else None

    original = compiled(subject.module, 0)
    assert original is not None
    result, right = subject.judge(original)
    assert result.findings == (), str(result)
    assert isinstance(right, bytes)

    every = mutants(subject.module)
    chosen = every if FULL else every[::5]
    missed: list[Mutant] = []
    calls: set[str] = set()
    for number, mutant in enumerate(chosen, 1):
        path = compiled(mutant.text, number)
        if path is None:
            verdict, why = "caught", "refused by hivmc"
        else:
            result, values = subject.judge(path)
            verdict = "caught" if not result.passed else "redundant" if values == right else "missed"
            why = ", ".join(sorted({f.kind for f in result.findings if f.severity == "hazard"}))
            calls |= {i.call for f in result.findings for i in (f.first, f.second) if i and i.call}
            path.unlink()
        table[mutant.family, verdict] += 1
        print(f"{verdict:<10}{mutant.family:<14}{mutant.what}: {why}")
        if verdict == "missed":
            missed.append(mutant)
    # Findings inside library functions say which call of the kernel they belong to.
    assert len({call for call in calls if call.startswith(f"tw_entry_{name}+")}) >= 5
    assert not missed, "\n".join(f"{m.family}: {m.what}" for m in missed)
    assert sum(n for (_, verdict), n in table.items() if verdict == "caught") >= len(chosen) // 2
