"""Kernels whose blocks wait for one another: values, hazards, deadlocks and modelled time.

The kernel is written by hand in the Triton form and compiled by the stock compiler; only the line that
synchronises differs between the tests.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from cross_core_kernels import BARRIER, normalise
from hivmc_tools import TRITON_FLAGS, bishengir, missing_tools

from tilewright import execute, timing
from tilewright.errors import ExecutionError, TilewrightError
from tilewright.execute import Prepared, Program

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

SET = (
    "hivm.hir.sync_block_set[<VECTOR>, <PIPE_{}>, <PIPE_S>] flag = {} "
    "sync_instr_mode = <INTER_BLOCK_SYNCHRONIZATION>\n"
)
WAIT = "hivm.hir.sync_block_wait[<VECTOR>, <PIPE_MTE3>, <PIPE_S>] flag = {}\n"
ALL = "hivm.hir.pipe_barrier[<PIPE_ALL>]\n"


@lru_cache(maxsize=4)
def _program(barrier: str, again: str, folder: Path) -> Program:
    file = folder / "kernel.mlir"
    file.write_text(normalise(barrier, again))
    return execute.load(file)


class Kernels:
    """Compiles variants of the kernel and binds data to them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(
        self, barrier: str = BARRIER, again: str = "", blocks: int = 40, n: int = 100_003
    ) -> Prepared:
        program = _program(barrier, again, self.folder)
        x = np.random.default_rng(n).random(n, np.float32) + 0.5
        arguments: dict[str, Any] = {
            "x": x,
            "partial": np.full(8 * blocks, np.nan, np.float32),
            "y": np.full(n, np.nan, np.float32),
            "n": n,
            "share": -(-n // blocks),
        }
        return program.prepare(arguments, grid=(blocks,))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("cross-core"))


def _right(done: execute.Execution) -> None:
    x = done.arrays["x"].astype(float)
    np.testing.assert_allclose(done.arrays["y"], x / x.sum(), rtol=1e-6)


@pytest.mark.parametrize(("blocks", "n"), [(1, 5_000), (1, 3), (7, 100_003), (40, 100_003), (40, 11)])
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_values(kernels: Kernels, blocks: int, n: int, threads: int) -> None:
    _right(kernels.prepare(blocks=blocks, n=n).run(threads))


def test_large_with_all_threads(kernels: Kernels) -> None:
    """Above the size from which a launch uses several host threads, many times: no lost wake-up."""
    prepared = kernels.prepare(again=BARRIER, n=400_007)
    first: npt.NDArray[Any] | None = None
    for _ in range(30):
        done = prepared.run(2)
        _right(done)
        first = done.arrays["y"].copy() if first is None else first
        assert first.tobytes() == done.arrays["y"].tobytes()
    assert done.counters.blocks == 40


@pytest.mark.parametrize(
    "barrier",
    [
        BARRIER,
        BARRIER.replace("PIPE_ALL", "PIPE_MTE3") + "\n" + ALL,
        ALL + BARRIER.replace("PIPE_ALL", "PIPE_MTE2"),
        SET.format("MTE3", 3) + WAIT.format(3),
        BARRIER + "\n" + BARRIER,
    ],
)
def test_no_hazard(kernels: Kernels, barrier: str) -> None:
    for blocks in (1, 40):
        _right(kernels.prepare(barrier, blocks=blocks).run())
        result = kernels.prepare(barrier, blocks=blocks).check()
        assert result.passed, str(result)
        assert result.blocks == blocks


@pytest.mark.parametrize(
    ("barrier", "why"),
    [
        ("", "no barrier at all"),
        (BARRIER.replace("PIPE_ALL", "PIPE_MTE3"), "later loads do not wait"),
        (BARRIER.replace("PIPE_ALL", "PIPE_MTE2"), "earlier stores may be under way"),
        (BARRIER.replace("PIPE_ALL", "PIPE_S"), "earlier stores may be under way"),
        (BARRIER.replace("ALL_VECTOR", "ALL_SUB_VECTOR"), "only the cores of a block"),
        (SET.format("V", 0) + WAIT.format(0), "the set does not cover the stores"),
    ],
)
def test_race_between_blocks(kernels: Kernels, barrier: str, why: str) -> None:
    result = kernels.prepare(barrier).check()
    races = [f for f in result.findings if f.kind == "core_race"]
    assert len(races) == 2, f"{why}\n{result}"
    for race in races:
        assert race.space == "GM"
        assert race.first is not None
        assert race.second is not None
        assert {race.first.pipe, race.second.pipe} == {"MTE2", "MTE3"}
        # A block is ordered with itself; with each other one it races.
        assert race.count == 40 * 39 // 2
    # One block alone has nobody to race with.
    assert not kernels.prepare(barrier, blocks=1).check().findings


def test_store_after_the_barrier_races_with_loads_after_it(kernels: Kernels) -> None:
    """The second phase of one block against that of another: a barrier before both orders nothing."""
    again = """
    %z8 = memref.alloc() : memref<8xf32>
    hivm.hir.vbrc ins(%zero : f32) outs(%z8 : memref<8xf32>)
    %g8 = memref.reinterpret_cast %partial to offset: [%slot], sizes: [8], strides: [1]
        : memref<?xf32> to memref<8xf32, #row>
    hivm.hir.store ins(%z8 : memref<8xf32>) outs(%g8 : memref<8xf32, #row>)
    """
    assert "core_race" in {f.kind for f in kernels.prepare(again=again).check().findings}
    assert kernels.prepare(again=BARRIER + again).check().passed


DEADLOCKS = {
    "a block leaves the barrier out": (
        "%c7 = arith.constant 7 : i32\n%is = arith.cmpi ne, %px, %c7 : i32\nscf.if %is {\n" + BARRIER + "\n}",
        "block 7 has set it 0 times and is over",
    ),
    "waits once too often": (
        SET.format("MTE3", 1) + WAIT.format(1) * 2,
        "the block itself has set it 1 times",
    ),
    "waits before the set": (WAIT.format(2) + SET.format("MTE3", 2), "the block itself has set it 0 times"),
    "two flags, crossed": (
        "%c0i = arith.constant 0 : i32\n%is = arith.cmpi eq, %px, %c0i : i32\nscf.if %is {\n"
        + SET.format("MTE3", 1) + WAIT.format(1) + SET.format("MTE3", 2) + WAIT.format(2) + "} else {\n"
        + SET.format("MTE3", 2) + WAIT.format(2) + SET.format("MTE3", 1) + WAIT.format(1) + "}",
        "block 1 has set it 0 times and waits for flag 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DEADLOCKS)
def test_deadlock_is_an_error_in_every_mode(kernels: Kernels, name: str) -> None:
    barrier, why = DEADLOCKS[name]
    for threads in (1, 2):
        with pytest.raises(ExecutionError, match=why) as error:
            kernels.prepare(barrier).run(threads)
        assert error.value.code == "TW4013"
        assert "block 0: SYNC.BLOCK.WAIT" in str(error.value)
    with pytest.raises(ExecutionError, match=why):
        kernels.prepare(barrier).time()
    result = kernels.prepare(barrier).check()
    stuck = [f for f in result.findings if f.kind == "wait_without_set"]
    assert len(stuck) >= 1
    assert why in stuck[0].message


def test_flag_left_set(kernels: Kernels) -> None:
    again = SET.format("MTE3", 5)
    with pytest.raises(ExecutionError, match="cross-core flag 5 was set 1 times and waited for 0") as error:
        kernels.prepare(again=again).run()
    assert error.value.code == "TW4013"
    result = kernels.prepare(again=again).check()
    assert [f.kind for f in result.findings] == ["flag_left_set"]
    assert result.findings[0].count == 40


def test_counter_of_a_flag_is_full(kernels: Kernels) -> None:
    fits = SET.format("MTE3", 1) * 15 + WAIT.format(1) * 15
    _right(kernels.prepare(fits).run())
    with pytest.raises(ExecutionError, match="set 16 times without a wait"):
        kernels.prepare(SET.format("MTE3", 1) * 16 + WAIT.format(1) * 16).run()


def test_wait_that_nothing_sets_is_refused(kernels: Kernels) -> None:
    with pytest.raises(TilewrightError, match="never sets") as error:
        kernels.prepare(again=WAIT.format(9))
    assert error.value.code == "TW3103"


def test_more_blocks_than_cores(kernels: Kernels) -> None:
    with pytest.raises(ExecutionError, match="41 blocks do not run at the same time on 40 vector cores") as e:
        kernels.prepare(blocks=41).run()
    assert e.value.code == "TW4003"


def test_error_of_a_block_ends_the_waits_of_the_others(kernels: Kernels) -> None:
    """Block 7 leaves its allocation; the blocks that wait for it are stopped without errors of their own."""
    bad = """
    %c7 = arith.constant 7 : i32
    %is = arith.cmpi eq, %px, %c7 : i32
    scf.if %is {
      %far = arith.constant 1000000000 : index
      %gf = memref.reinterpret_cast %partial to offset: [%far], sizes: [1], strides: [1]
          : memref<?xf32> to memref<1xf32, #row>
      hivm.hir.store ins(%own : memref<1xf32>) outs(%gf : memref<1xf32, #row>)
    }
    """
    for threads in (1, 2):
        with pytest.raises(ExecutionError, match=r"block 7: MOV\.UB\.TO\.OUT") as error:
            kernels.prepare(bad + BARRIER, n=400_007).run(threads)
        assert error.value.code == "TW4010"
    kinds = [f.kind for f in kernels.prepare(bad + BARRIER).check().findings]
    assert "gm_bounds" in kinds
    assert "wait_without_set" not in kinds


def test_modelled_time_of_a_barrier(kernels: Kernels) -> None:
    """Each barrier adds the constant; all cores leave it together, after the last one came."""
    for blocks in (1, 40):
        us: list[float] = []
        for extra in (0.0, 5.0):
            profile = timing.profile("Ascend910B4").replaced({"cross_core_us": 1 + extra})
            for again in ("", BARRIER):
                us.append(kernels.prepare(again=again, blocks=blocks, n=20_000).time(profile=profile).us())
        assert us[2] - us[0] == pytest.approx(5, rel=0.01)
        assert us[3] - us[1] == pytest.approx(10, rel=0.01)
        assert us[1] - us[0] > 1


def test_cores_leave_a_barrier_together(kernels: Kernels) -> None:
    report = kernels.prepare().time(timeline_cores=40, timeline_events=100_000)
    timeline: Any = report.data["timeline"]
    waits = [i for i, s in enumerate(timeline["steps"]) if s["name"] == "SYNC.BLOCK.WAIT"]
    assert len(waits) == 1
    ends = [s[4] + s[5] for s in timeline["segments"] if s[3] == waits[0] and s[2] == 4]
    assert len(ends) == 40
    assert max(ends) - min(ends) < 1e-3 * max(ends)


def test_metadata_tells_cores(kernels: Kernels, tmp_path: Path) -> None:
    made = bishengir(normalise(), tmp_path, TRITON_FLAGS)
    program = execute.load(made)
    assert program.metadata["vector_cores"] == 40
    assert {"SYNC.BLOCK.SET", "SYNC.BLOCK.WAIT"} <= set(program.metadata["instructions"])
