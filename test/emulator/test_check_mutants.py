"""Mutation test of check mode: changed synchronisation and addresses of a compiled kernel are noticed.

A mutant is caught by a hazard (or by a tool that refuses it). One that is not caught has to be redundant: no
hazard, and the results are those of the unmutated kernel, bit for bit (or the call does not get there: a
kernel has code for several schedules). Every operator of the project takes part, and a kernel whose blocks
wait for one another; ``TILEWRIGHT_TEST_FULL=1`` tries all mutants of all of them (of the pairs of buffers
that can be laid onto one another, which grow with the square of the buffers, 200 of each kernel).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("tilewright")

from check_mutants import Mutant, mutants, spread, thorough
from cross_core_kernels import normalise
from hivmc_tools import TRITON_FLAGS, final_module, missing_tools, run_hivmc

import tilewright as tw
from tilewright import check, compiler, execute, kernel, runtime, samples
from tilewright.binding import bind
from tilewright.errors import CompileError, ExecutionError
from tilewright.ops import registry
from tilewright.toolchain import FINAL_MODULE

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)
FULL = bool(os.environ.get("TILEWRIGHT_TEST_FULL"))

#: Mutants of an operator in the short run; 300 have to come together.
EACH = 13

#: Overlaps of an operator in the full run.
OVERLAPS = 200

#: Families that may overwrite data in a well-defined order. That is no race and shows in the values only; one
#: that changes them by less than the operator's tolerance is missed. The full run allows 1 % of such.
ADDRESSES = ("shift address", "overlap", "shrink", "shift GM")

_NORM = (2, 3, 7013)
_ROWS = (70, 701)


class Case(NamedTuple):
    """A call: several tiles in every block, and a tail."""

    dtype: str
    shape: tuple[int, ...]
    attributes: Mapping[str, Any] = MappingProxyType({})


CASES = {
    "elu_backward": Case("f32", (2 * 5632 * 4 + 1003,)),
    "binary_cross_entropy_with_logits_backward": Case("f16", (50_003,), {"reduction": "none"}),
    "batch_norm_gather_stats_with_counts": Case("f32", (5, 77)),
    "batch_norm": Case("f32", _NORM, {"training": True}),
    **{
        name: Case("f32", _NORM)
        for name in registry.NAMES
        if name.startswith("batch_norm_") and "gather" not in name
    },
    **{name: Case("f16", _ROWS) for name in registry.NAMES if name.startswith(("layer", "rms", "softmax"))},
}


def case_of(name: str) -> Case:
    """The call of an operator."""
    if name in CASES:
        return CASES[name]
    op = registry.get(name)
    reduction = any(a.name == "reduction" for a in op.attributes)
    return Case("bf16", (40_013,), {"reduction": "none"} if reduction else {})


class Subject:
    """An operator call whose kernel object can be exchanged."""

    def __init__(self, name: str, case: Case, cores: int) -> None:
        self.name = name
        op = registry.get(name)
        self.kernel = tw.compile(op, cores=cores)
        inputs = samples.random_inputs(op, case.shape, case.dtype, seed=3, attributes=case.attributes)
        self.binding = bind(op, (), {**inputs, **case.attributes})
        signature = self.binding.signature
        self.launch = self.kernel._launch(signature)
        schedule, _ = self.kernel._choose(signature)
        asked = compiler.request(signature.variant, signature.layout, self.kernel.target, schedule=schedule)
        built = compiler.build(asked, keep_stages=True)
        self.module = next(text for stage, text in built.stages.items() if stage.endswith(FINAL_MODULE))

    def arguments(self) -> tuple[int, bytes, bytes, Any, list[np.ndarray[Any, Any]]]:
        outputs = [spec.allocate(runtime.empty) for spec in self.binding.signature.outputs]
        for output in outputs:
            output.view(np.uint8)[...] = 0xA5
        packed, ranges, workspace = kernel._pack(self.launch, self.binding, outputs)
        return self.launch.plan.cores, packed, ranges, workspace, outputs

    def judge(self, path: Path) -> tuple[check.Check, bytes | str]:
        """What a check of the kernel object finds, and its results or the error of a fast run."""
        loaded = runtime.LoadedKernel(path, self.launch.binary.name)
        cores, packed, ranges, _workspace, outputs = self.arguments()
        _, report = loaded.observe(cores, packed, ranges, mode=runtime.CHECK)
        found = check.from_report(report)
        if found.passed and (wrong := check.wrong_results(self.binding, outputs)):
            found = replace(found, hazards=len(wrong), findings=tuple(wrong))
        cores, packed, ranges, _workspace, outputs = self.arguments()
        try:
            loaded.launch(cores, packed, ranges)
            values: bytes | str = b"".join(o.tobytes() for o in outputs)
        except ExecutionError as error:
            values = error.code
        return found, values


class CrossCoreSubject:
    """The kernel of test_cross_core.py: two phases with a barrier of all blocks between them."""

    def __init__(self, folder: Path) -> None:
        self.name = "normalise"
        self.module = final_module(normalise(), folder, TRITON_FLAGS).read_text()

    def judge(self, path: Path) -> tuple[check.Check, bytes | str]:
        n, blocks = 9001, 3
        x = np.random.default_rng(1).random(n, np.float32) + 0.5

        def prepared() -> execute.Prepared:
            y, partial = np.full(n, np.nan, np.float32), np.full(8 * blocks, np.nan, np.float32)
            arguments = {"x": x, "partial": partial, "y": y, "n": n, "share": -(-n // blocks)}
            return execute.load(path).prepare(arguments, grid=(blocks,))

        checked = prepared()
        found = checked.check()
        right = x / x.sum(dtype=float)
        if found.passed and not np.allclose(checked.buffers["y"], right, rtol=1e-6):
            wrong = check.Finding("wrong_result", "hazard", "", "", 0, 1)
            found = replace(found, hazards=1, findings=(wrong,))
        try:
            return found, prepared().run().arrays["y"].tobytes()
        except ExecutionError as error:
            return found, error.code


@pytest.fixture(scope="module")
def table() -> Iterator[Counter[tuple[str, str]]]:
    rows: Counter[tuple[str, str]] = Counter()
    yield rows
    if rows:
        print("\nfamily            mutants  caught  redundant  missed")
        for family in sorted({f for f, _ in rows}):
            n = {k: rows[family, k] for k in ("caught", "redundant", "missed")}
            print(f"{family:<17}{sum(n.values()):>8}{n['caught']:>8}{n['redundant']:>11}{n['missed']:>8}")


def _hunt(
    subject: Subject | CrossCoreSubject, count: int, folder: Path, table: Counter[tuple[str, str]]
) -> None:
    def compiled(text: str, number: int) -> Path | None:
        module = folder / f"m{number}.mlir"
        module.write_text(text)
        output = folder / f"m{number}.o"
        # Without optimisation: what the kernel does is the same, and a third of the time.
        done = run_hivmc(module, "--tw-opt-level=0", "-o", output)
        return output if done.returncode == 0 else None

    original = compiled(subject.module, 0)
    assert original is not None
    result, right = subject.judge(original)
    assert result.findings == (), str(result)
    assert isinstance(right, bytes)

    every = mutants(subject.module)
    chosen = thorough(every, OVERLAPS) if FULL else spread(every, count)
    missed: list[Mutant] = []
    for number, mutant in enumerate(chosen, 1):
        path = compiled(mutant.text, number)
        if path is None:
            verdict, why = "caught", "refused by hivmc"
        else:
            result, values = subject.judge(path)
            verdict = "caught" if not result.passed else "redundant" if values == right else "missed"
            why = ", ".join(sorted({f.kind for f in result.findings if f.severity == "hazard"}))
            path.unlink()
        table[mutant.family, verdict] += 1
        print(f"{verdict:<10}{mutant.family:<14}{mutant.what}: {why}")
        if verdict == "missed" and not (FULL and mutant.family in ADDRESSES):
            missed.append(mutant)
    assert not missed, "\n".join(f"{m.family}: {m.what}" for m in missed)


@pytest.mark.parametrize("name", registry.NAMES)
def test_operators(name: str, tmp_path: Path, table: Counter[tuple[str, str]]) -> None:
    _hunt(Subject(name, case_of(name), cores=2), EACH, tmp_path, table)


def test_blocks_that_wait(tmp_path: Path, table: Counter[tuple[str, str]]) -> None:
    _hunt(CrossCoreSubject(tmp_path / "stock"), 2 * EACH, tmp_path, table)


def test_enough_mutants(table: Counter[tuple[str, str]], request: pytest.FixtureRequest) -> None:
    """Runs last: what the tests above tried."""
    selected = {item.name for item in request.session.items if item.module is request.module}
    if len(selected) < len(registry.NAMES) + 2:
        pytest.skip("not all operators were selected")
    assert sum(table.values()) >= 300
    caught = sum(n for (_, verdict), n in table.items() if verdict == "caught")
    assert caught >= sum(table.values()) // 3
    missed = sum(n for (_, verdict), n in table.items() if verdict == "missed")
    assert missed <= (caught + missed) / 100
    for family in ("drop set", "drop wait", "drop pair", "drop barrier", "swap ids", "move wait", "shrink"):
        assert sum(n for (f, _), n in table.items() if f == family) > 0, family


SWAPPED = """
module {
  func.func @sums(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %y: memref<?xf32>,
                  %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local",
                  mix_mode = "aiv"} {
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %end = arith.constant 320 : index
    %a = memref.alloc() : memref<64xf32>
    %b = memref.alloc() : memref<64xf32>
    hivm.hir.vbrc ins(%zero : f32) outs(%a : memref<64xf32>)
    %r:2 = scf.for %i = %c0 to %end step %c64 iter_args(%old = %a, %new = %b)
        -> (memref<64xf32>, memref<64xf32>) {
      %g = memref.reinterpret_cast %x to offset: [%i], sizes: [64], strides: [1]
         : memref<?xf32> to memref<64xf32, strided<[1], offset: ?>>
      %t = memref.alloc() : memref<64xf32>
      hivm.hir.load ins(%g : memref<64xf32, strided<[1], offset: ?>>) outs(%t : memref<64xf32>)
      hivm.hir.vmul ins(%t, %t : memref<64xf32>, memref<64xf32>) outs(%new : memref<64xf32>)
      hivm.hir.vadd ins(%new, %old : memref<64xf32>, memref<64xf32>) outs(%new : memref<64xf32>)
      scf.yield %new, %old : memref<64xf32>, memref<64xf32>
    }
    %gy_ = memref.reinterpret_cast %y to offset: [0], sizes: [64], strides: [1]
        : memref<?xf32> to memref<64xf32, strided<[1]>>
    hivm.hir.store ins(%r#0 : memref<64xf32>) outs(%gy_ : memref<64xf32, strided<[1]>>)
    return
  }
}
"""


def test_memrefs_swapped_through_a_loop(tmp_path: Path) -> None:
    """The wheel gives two buffers that a loop hands on in turn one address, and says nothing."""
    source = tmp_path / "sums.mlir"
    source.write_text(SWAPPED)
    with pytest.raises(CompileError, match="a loop hands two buffers on in turn") as caught:
        execute.load(source)
    assert caught.value.code == "TW3114"
    # Handed on in their places, the same two buffers are fine, and so is a loop with room for both.
    for old, new in (("scf.yield %new, %old", "scf.yield %old, %new"), ("%new, %old :", "%old, %new :")):
        source.write_text(SWAPPED.replace(old, new))
        execute.load(source)
    module = final_module(SWAPPED, tmp_path / "stock", TRITON_FLAGS)
    text = module.read_text()
    second = "%1 = hivm.hir.pointer_cast(%c0_i64)"
    assert second in text
    source.write_text(
        text.replace(second, "%k = arith.constant 4096 : i64\n" + second.replace("c0_i64", "k"))
    )
    x = np.random.default_rng(0).random(320, np.float32)
    done = execute.load(source).prepare({"x": x, "y": np.zeros(64, np.float32)}).run()
    np.testing.assert_allclose(done.arrays["y"], (x.reshape(5, 64).astype(float) ** 2).sum(0), rtol=1e-5)
