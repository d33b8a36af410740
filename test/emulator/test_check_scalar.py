# ruff: noqa: F722
"""Scalar loads and stores of compiled kernels in check and time mode, and source lines of findings.

Kernels in the Triton form, compiled by the stock compiler; where a hazard is needed, flags are taken out of
the final module.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hivmc_tools import TRITON_FLAGS, final_module, missing_tools, run_hivmc

import tilewright as tw
from tilewright import check, emit, execute, pipeline, runtime, symbols, timing
from tilewright import kernel as kernels
from tilewright.binding import bind
from tilewright.check import Check
from tilewright.execute import Prepared
from tilewright.toolchain.driver import LOCATIONS

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

N = 64

#: Lines that more than one kernel has.
_LOAD = """
    %gx_ = memref.reinterpret_cast %x to offset: [0], sizes: [64], strides: [1]
         : memref<?xf32> to memref<64xf32, strided<[1]>>
    %gy_ = memref.reinterpret_cast %y to offset: [0], sizes: [64], strides: [1]
         : memref<?xf32> to memref<64xf32, strided<[1]>>
    %a = memref.alloc() : memref<64xf32>
    hivm.hir.load ins(%gx_ : memref<64xf32, strided<[1]>>) outs(%a : memref<64xf32>)
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %n = arith.constant 64 : index
"""
_STORE = "hivm.hir.store ins(%e : memref<64xf32>) outs(%gy_ : memref<64xf32, strided<[1]>>)"

BODIES = {
    # The scalar unit reads what V computed.
    "load": f"""{_LOAD}
    %e = memref.alloc() : memref<64xf32>
    hivm.hir.vexp ins(%a : memref<64xf32>) outs(%e : memref<64xf32>)
    %s = memref.load %e[%c7] : memref<64xf32>
    hivm.hir.vmul ins(%e, %s : memref<64xf32>, f32) outs(%e : memref<64xf32>)
    {_STORE}""",
    # V reads what the scalar unit stored.
    "store": f"""{_LOAD}
    %v = arith.constant 3.0 : f32
    memref.store %v, %a[%c7] : memref<64xf32>
    %e = memref.alloc() : memref<64xf32>
    hivm.hir.vexp ins(%a : memref<64xf32>) outs(%e : memref<64xf32>)
    {_STORE}""",
    # The scalar unit writes GM, one element at a time.
    "gm": """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 64 : index
    scf.for %i = %c0 to %n step %c1 {
      %v = memref.load %x[%i] : memref<?xf32>
      %w = arith.addf %v, %v : f32
      memref.store %w, %y[%i] : memref<?xf32>
    }""",
}


def source(body: str) -> str:
    return f"""module {{
  func.func @k(%lock: memref<?xi8>, %ws: memref<?xi8>, %x: memref<?xf32>, %y: memref<?xf32>,
               %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32)
      attributes {{SyncBlockLockArgIdx = 0 : i64, WorkspaceArgIdx = 1 : i64, global_kernel = "local",
                  mix_mode = "aiv"}} {{{body}
    return
  }}
}}
"""


def prepare(file: Path, blocks: int = 1) -> Prepared:
    x = np.random.default_rng(3).standard_normal(N).astype(np.float32)
    return execute.load(file).prepare({"x": x, "y": np.zeros(N, np.float32)}, grid=(blocks,))


def checked(file: Path, blocks: int = 1) -> Check:
    return prepare(file, blocks).check()


def without(text: str, *patterns: str) -> str:
    """The module without the lines that match; each pattern has to match one at least."""
    for pattern in patterns:
        text, count = re.subn(rf"^.*{pattern}.*\n", "", text, flags=re.MULTILINE)
        assert count, f"no line has {pattern}"
    return text


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("scalar")
    return {name: final_module(source(body), folder / name, TRITON_FLAGS) for name, body in BODIES.items()}


def test_values_and_no_false_alarm(modules: dict[str, Path]) -> None:
    wanted = {
        "load": lambda x: np.exp(x) * np.exp(x[7]),
        "store": lambda x: np.exp(np.where(np.arange(N) == 7, 3.0, x)),
        "gm": lambda x: x + x,
    }
    for name, function in wanted.items():
        done = prepare(modules[name]).run()
        np.testing.assert_allclose(
            done.arrays["y"], function(done.arrays["x"].astype(float)), rtol=1e-5, err_msg=name
        )
        result = checked(modules[name])
        assert not result.findings, str(result)
        assert not result.scalar_gm_accesses_unseen


def test_log_lists_scalar_accesses(modules: dict[str, Path]) -> None:
    call = prepare(modules["gm"])
    _, report = call.loaded.observe(1, call.arguments, call.ranges, mode=runtime.LOG)
    seen = [i for i in report["instructions"] if i["name"].startswith("scalar ")]
    starts = {n: b.ctypes.data for n, b in call.buffers.items()}
    spans = {"scalar load": bytearray(4 * N), "scalar store": bytearray(4 * N)}
    for instruction in seen:
        (access,) = instruction["access"]
        assert (access["space"], access["write"]) == ("GM", instruction["name"] == "scalar store")
        at = access["begin"] - starts["y" if access["write"] else "x"]
        for byte in range(at, at + access["run"]):
            spans[instruction["name"]][byte] += 1
    # Every element once.
    assert all(set(span) == {1} for span in spans.values())


@pytest.mark.parametrize(
    ("name", "flags", "kind", "pipes", "instruction"),
    [
        ("load", ("<PIPE_V>, <PIPE_S>",), "race_raw", ("V", "S"), "scalar load"),
        ("store", ("<PIPE_S>, <PIPE_V>",), "race_raw", ("S", "V"), "scalar store"),
        ("store", ("<PIPE_MTE2>, <PIPE_S>",), "race_waw", ("MTE2", "S"), "scalar store"),
    ],
)
def test_missing_flag(
    modules: dict[str, Path],
    tmp_path: Path,
    name: str,
    flags: tuple[str, ...],
    kind: str,
    pipes: tuple[str, str],
    instruction: str,
) -> None:
    broken = tmp_path / "k.mlir"
    broken.write_text(without(modules[name].read_text(), *flags))
    result = checked(broken)
    races = [f for f in result.findings if f.first and f.second and (f.first.pipe, f.second.pipe) == pipes]
    assert kind in [f.kind for f in races], str(result)
    race = races[0]
    assert race.first is not None
    assert race.second is not None
    assert instruction in (race.first.name, race.second.name)
    assert race.space == "UB"
    assert race.begin % 256 == 28  # element 7 of a buffer
    assert race.end - race.begin == 4


def test_load_of_nothing(modules: dict[str, Path], tmp_path: Path) -> None:
    """Without the load from GM the scalar store is defined and everything around it is not."""
    broken = tmp_path / "k.mlir"
    broken.write_text(without(modules["load"].read_text(), "call @load_gm_to_ubuf", "call @vexp"))
    kinds = {(f.kind, f.second.name if f.second else "") for f in checked(broken).findings}
    assert ("uninitialized_read", "scalar load") in kinds


def test_blocks_that_store_the_same_words(modules: dict[str, Path]) -> None:
    assert checked(modules["gm"]).passed
    result = checked(modules["gm"], blocks=3)
    races = [f for f in result.findings if f.kind == "core_race"]
    assert len(races) == 1, str(result)
    assert races[0].first is not None
    assert races[0].first.name == "scalar store"
    assert (races[0].block, races[0].other_block) == (0, 1)


def test_modelled_time_counts_scalar_code(modules: dict[str, Path]) -> None:
    """Each element costs a load and a store of GM and some instructions between them."""

    def cycles(**constants: float) -> float:
        profile = timing.profile("Ascend910B4").replaced({"latency_jitter": 0, **constants})
        return float(prepare(modules["gm"]).time(profile=profile).data["cold"]["core_cycles"])

    base = cycles(scalar_gm_access=200, scalar_instruction=1)
    assert cycles(scalar_gm_access=300, scalar_instruction=1) - base == pytest.approx(2 * N * 100, rel=1e-3)
    executed = cycles(scalar_gm_access=200, scalar_instruction=2) - base
    assert 3 * N <= executed <= 12 * N


def test_lines_of_a_module(modules: dict[str, Path], tmp_path: Path) -> None:
    """A final module without locations: its own lines. With them, the lines of what was compiled."""
    broken = tmp_path / "broken.mlir"
    broken.write_text(without(modules["load"].read_text(), "<PIPE_V>, <PIPE_S>"))
    race = next(
        f for f in checked(broken).findings
        if f.kind == "race_raw" and f.second is not None and f.second.name == "scalar load"
    )  # fmt: skip
    assert race.first is not None
    assert race.second is not None
    lines = broken.read_text().splitlines()
    for instruction, text in ((race.first, "call @vexp"), (race.second, "memref.load")):
        file, _, number = instruction.location.rpartition(":")
        assert file == str(broken)
        assert text in lines[int(number) - 1]

    # Two blocks store the same bytes: found in the user's module, compiled by exec.
    user = tmp_path / "user.mlir"
    user.write_text(source(BODIES["store"]))
    race = next(f for f in checked(user, blocks=2).findings if f.kind == "core_race")
    assert race.first is not None
    file, _, number = race.first.location.rpartition(":")
    assert file == str(user)
    assert "hivm.hir.store" in user.read_text().splitlines()[int(number) - 1]


@tw.op
def located(x: tw.Tensor["*S"], y: tw.Tensor["*S"]) -> tw.Tensor["*S"]:
    z = tw.exp(x)  # line of VEXP
    w = z * y  # line of VMUL
    return w - x  # line of VSUB


def test_lines_of_a_definition() -> None:
    """The line tables of an operator's kernel name nodes of the graph, which know their lines."""
    text = Path(__file__).read_text().splitlines()
    x = np.ones(5000, np.float32)
    kernel = tw.compile(located)
    binding = bind(located, (x, x), {})
    launch = kernel._launch(binding.signature)
    path = str(launch.binary.path)
    sources = symbols.graph_sources([node.site for node in binding.signature.variant.graph.nodes])
    start, length, _ = next(f for f in symbols.symbols(path).functions if "observed_tw_entry" in f[2])
    symbols.prepare(path, range(start, start + length))
    places = {symbols.line(path, offset, sources) for offset in range(start, start + length)} - {""}
    assert {Path(place.rpartition(":")[0]).resolve() for place in places} == {Path(__file__).resolve()}
    found = {text[int(place.rpartition(":")[2]) - 1] for place in places}
    for word in ("VEXP", "VMUL", "VSUB"):
        assert any(word in line for line in found), found


def test_a_race_names_lines_of_the_definition(tmp_path: Path) -> None:
    """The barriers of an operator's final module are dropped: findings name the lines of its definition."""
    x = np.ones(5000, np.float32)
    handle = tw.compile(located, cores=1)
    binding = bind(located, (x, x), {})
    launch = handle._launch(binding.signature)
    variant, layout = binding.signature.variant, binding.signature.layout
    hivm = pipeline.lower(emit.linalg(variant.graph, layout), handle.target).hivm
    module = final_module(hivm, tmp_path, (*TRITON_FLAGS, LOCATIONS))
    text = module.read_text()
    assert "hivm.hir.pipe_barrier[<PIPE_V>]" in text
    module.write_text("".join(c for c in text.splitlines(True) if "hivm.hir.pipe_barrier[<PIPE_V>]" not in c))
    done = run_hivmc(module, "-o", tmp_path / "racy.o")
    assert done.returncode == 0, done.stderr

    outputs = [spec.allocate(runtime.empty) for spec in binding.signature.outputs]
    packed, ranges, _workspace = kernels._pack(launch, binding, outputs)
    racy = runtime.LoadedKernel(tmp_path / "racy.o", launch.binary.name)
    _, report = racy.observe(launch.plan.cores, packed, ranges, mode=runtime.CHECK)
    sources = symbols.graph_sources([node.site for node in variant.graph.nodes])
    races = [f for f in check.from_report(report, sources).findings if f.kind == "race_raw"]
    lines = Path(__file__).read_text().splitlines()
    pairs = set[tuple[str, str]]()
    for race in races:
        assert race.first is not None
        assert race.second is not None
        places = [place.location.rpartition(":") for place in (race.first, race.second)]
        assert {Path(file).resolve() for file, _, _ in places} == {Path(__file__).resolve()}
        names = [lines[int(number) - 1].rpartition("line of ")[2] for _, _, number in places]
        pairs.add((names[0], names[1]))
    assert {("VEXP", "VMUL"), ("VMUL", "VSUB")} <= pairs
