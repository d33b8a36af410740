"""Compiled operators: one binary for all shapes, caching, threads, plans, reports."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import compiler, targets
from tilewright.errors import CompileError, ExecutionError, ShapeError
from tilewright.kernel import Kernel
from tilewright.samples import random_inputs

ELU = tw.ops.elu_backward


def data(*shape: int, seed: int = 0) -> tuple[Any, Any]:
    """Gradient and input of the given shape."""
    drawn = random_inputs(ELU, shape, "f32", seed=seed)
    return drawn["grad_output"], drawn["self_or_result"]


def expected(g: Any, x: Any, alpha: float = 1.0) -> Any:
    """ELU's gradient in float64."""
    g, x = g.astype(np.float64), x.astype(np.float64)
    return np.where(x > 0, g, g * alpha * np.exp(x))


@pytest.fixture(autouse=True)
def counters() -> Any:
    """Fresh compile counters."""
    compiler.statistics.reset()
    return compiler.statistics


def test_one_binary_serves_all_shapes_and_attribute_values(counters: compiler.Statistics) -> None:
    kernel = Kernel(ELU)
    for i, shape in enumerate([(1,), (7,), (), (33, 5), (2, 3, 4, 5, 6), (4096,), (3, 0), (100_003,)]):
        g, x = data(*shape)
        alpha = 1.0 + i / 8
        np.testing.assert_allclose(kernel(g, x, alpha=alpha), expected(g, x, alpha), rtol=2e-6)
    assert (counters.compilations, counters.cache_hits) == (1, 0)
    assert Kernel(ELU)(*data(3)).shape == (3,)
    assert (counters.compilations, counters.cache_hits) == (1, 1)


def test_variants_and_targets_have_binaries_of_their_own(counters: compiler.Statistics) -> None:
    g, x = data(100)
    kernel = Kernel(ELU)
    kernel(g, x)
    kernel(g, np.abs(x), is_result=True)
    Kernel(ELU, "Ascend910B1")(g, x)
    assert counters.compilations == 3


def test_a_hit_in_another_process_imports_no_mlir_and_starts_nothing() -> None:
    Kernel(ELU)(*data(8))
    code = (
        "import subprocess, sys\n"
        "def refuse(*a, **k): raise AssertionError('a process was started')\n"
        "subprocess.Popen.__init__ = refuse\n"
        "import numpy as np, tilewright as tw\nfrom tilewright import compiler\n"
        "x = np.linspace(-2, 2, 50, dtype=np.float32)\n"
        "print(tw.compile(tw.ops.elu_backward)(x, x).sum())\n"
        "print(compiler.statistics.cache_hits, [m for m in sys.modules if m.startswith('tilewright.mlir')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1] == "1 []"


def test_damaged_entries_are_rebuilt(counters: compiler.Statistics, cache_folder: Path) -> None:
    g, x = data(100)
    first = Kernel(ELU)(g, x)
    (binary,) = cache_folder.glob("kernels/??/*/kernel.o")
    damaged = binary.read_bytes()[:-100]
    binary.unlink()  # this process has the file mapped; its pages must not change
    binary.write_bytes(damaged)
    assert np.array_equal(Kernel(ELU)(g, x), first)
    assert counters.compilations == 2


def test_an_entry_may_vanish_before_it_is_opened(counters: compiler.Statistics, cache_folder: Path) -> None:
    """Another process may evict it, or somebody may empty the folder."""
    kernel = Kernel(ELU)
    g, x = data(100)
    signature = kernel.signature(
        {"grad_output": (100,), "self_or_result": (100,)}, {"grad_output": "f32", "self_or_result": "f32"}
    )
    binary = kernel.binary(signature)
    shutil.rmtree(cache_folder / "kernels")
    np.testing.assert_allclose(kernel(g, x), expected(g, x), rtol=2e-6)
    assert counters.compilations == 2
    assert kernel.binary(signature) is not binary


def test_threads_share_one_compilation(counters: compiler.Statistics) -> None:
    kernel = Kernel(ELU)
    barrier = threading.Barrier(4)
    failures = list[BaseException]()

    def work(seed: int) -> None:
        try:
            barrier.wait()
            for size in (1, 1000, 3000):
                g, x = data(size, seed=seed)
                np.testing.assert_allclose(kernel(g, x), expected(g, x), rtol=2e-6)
        except BaseException as error:
            failures.append(error)

    workers = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures
    assert counters.compilations == 1


def test_processes_share_one_compilation() -> None:
    code = (
        "import numpy as np, tilewright as tw\nfrom tilewright import compiler\n"
        "x = np.linspace(-2, 2, 50, dtype=np.float32)\ntw.compile(tw.ops.elu_backward)(x, x)\n"
        "print(compiler.statistics.compilations)\n"
    )
    workers = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    assert sum(int(worker.communicate(timeout=120)[0]) for worker in workers) == 1


def test_inputs_may_share_memory(counters: compiler.Statistics) -> None:
    _, x = data(5000)
    kernel = Kernel(ELU)
    np.testing.assert_allclose(kernel(x, x), expected(x, x), rtol=2e-6)
    g, overlapping = x[:4000], x[500:4500]
    np.testing.assert_allclose(kernel(g, overlapping), expected(g, overlapping), rtol=2e-6)


def test_inputs_are_unchanged_and_results_are_aligned() -> None:
    g, x = data(12345)
    before = g.tobytes(), x.tobytes()
    result = Kernel(ELU)(g, x)
    assert (g.tobytes(), x.tobytes()) == before
    assert result.__array_interface__["data"][0] % 512 == 0


def test_empty_calls_compile_nothing(counters: compiler.Statistics) -> None:
    outcome = Kernel(ELU).run(*data(3, 0, 5))
    assert outcome.value.shape == (3, 0, 5)
    assert outcome.launch is None
    assert counters.compilations == 0


def test_plan_and_overrides() -> None:
    g, x = data(100_000)
    planned = Kernel(ELU).plan(g, x)
    assert planned is not None
    assert planned.cores == 40
    fewer = Kernel(ELU, cores=3, tile=256)
    outcome = fewer.run(g, x)
    np.testing.assert_allclose(outcome.value, expected(g, x), rtol=2e-6)
    assert outcome.counters.blocks == 3
    with pytest.raises(ShapeError) as caught:
        Kernel(ELU, cores=41)(g, x)
    assert caught.value.code == "TW2401"
    with pytest.raises(ShapeError) as caught:
        Kernel(ELU, tile=10**6)(g, x)
    assert caught.value.code == "TW2401"
    with pytest.raises(TypeError):
        tw.compile(ELU, tiel=3)  # type: ignore[call-arg,unused-ignore]


@pytest.mark.parametrize("target", targets.names())
def test_report_on_every_target(target: str) -> None:
    kernel = Kernel(ELU, target)
    report = kernel.report(*data(1_000_000))
    plain = report.as_dict()
    assert 0 < plain["ub_bytes"] <= kernel.target.ub_usable_bytes
    assert max(b["offset"] + b["size"] for b in plain["ub_buffers"]) == plain["ub_bytes"]
    assert plain["cores"] == kernel.target.vector_cores
    assert plain["synchronisation"]["full_barriers"] == 1
    assert json.loads(json.dumps(plain)) == plain
    assert f"{plain['ub_bytes']} of {kernel.target.ub_usable_bytes} usable bytes" in str(report)
    # The static map and what the emulator saw agree.
    assert kernel.run(*data(1_000_000)).counters.ub_high_water <= plain["ub_bytes"]


def test_traffic_is_that_of_the_tensors() -> None:
    g, x = data(300_000)
    counters = Kernel(ELU).run(g, x).counters
    assert counters.gm_read_bytes == g.nbytes + x.nbytes
    assert counters.gm_write_bytes == g.nbytes


def test_device_binaries_are_not_run_here(fake_hivmc: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{fake_hivmc().parent}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(ExecutionError) as caught:
        Kernel(ELU, hivmc="cann")(*data(10))
    assert caught.value.code == "TW4102"


def test_failures_name_the_stage_and_keep_every_stage_before(fake_hivmc: Any) -> None:
    with pytest.raises(CompileError) as caught:
        Kernel(ELU, hivmc=str(fake_hivmc("exit 3")))(*data(10))
    assert caught.value.code == "TW3013"
    assert "stage hivmc" in caught.value.what
    assert caught.value.bundle is not None
    names = sorted(path.name for path in Path(caught.value.bundle).iterdir())
    assert {"00-linalg.mlir", "input.hivm.mlir", "module.hivm.opt.mlir", "reproduce.sh"} <= set(names)


def test_compile_returns_the_same_kernel() -> None:
    assert tw.compile(ELU) is tw.compile(ELU)
    assert tw.compile(ELU, target="910B1") is not tw.compile(ELU)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"op": "elu_backward"}, "TW5101"),
        ({"op": len}, "TW5101"),
        ({"target": None}, "TW5003"),
        ({"target": 910}, "TW5003"),
        ({"cores": 1.5}, "TW2401"),
        ({"cores": True}, "TW2401"),
        ({"tile": "8"}, "TW2401"),
        ({"tile": 0}, "TW2401"),
        ({"threads": -1}, "TW2401"),
        ({"threads": "2"}, "TW2401"),
        ({"hivmc": 3}, "TW5002"),
    ],
    ids=str,
)
def test_options_of_compile(arguments: dict[str, Any], code: str) -> None:
    """Wrong types are coded errors too: nobody promises that callers use a type checker."""
    given = {"op": ELU, **arguments}
    with pytest.raises(tw.TilewrightError) as caught:
        tw.compile(given.pop("op"), **given)
    assert caught.value.code == code
