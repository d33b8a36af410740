"""The back end driver: every way a tool can fail is one coded error with a bundle that replays."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import pytest
from kernels import ADD, TANH, FakeTool, kernel

from tilewright import settings, wheel
from tilewright.errors import CompileError, TilewrightError
from tilewright.toolchain import acceptance, compile_hivm
from tilewright.toolchain.library import interface
from tilewright.toolchain.module import FinalModule


def failure(ir: str, hivmc: Path, timeout: float | None = None) -> CompileError:
    """The error of a compilation that has to fail."""
    with pytest.raises(CompileError) as caught:
        compile_hivm(ir, target="Ascend910B4", hivmc_choice=str(hivmc), timeout=timeout)
    return caught.value


def bundle_of(error: CompileError) -> Path:
    """The bundle folder that the message names."""
    assert error.bundle is not None
    assert error.bundle in str(error)
    folder = Path(error.bundle)
    assert folder.parent == settings.cache_dir() / "failures"
    return folder


def status(folder: Path) -> dict[str, object]:
    """The bundle's status file."""
    found: dict[str, object] = json.loads((folder / "status.json").read_text())
    return found


def test_success_leaves_nothing_behind(
    fake_hivmc: FakeTool, cache_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    done = compile_hivm(kernel(ADD), target="Ascend910B4", hivmc_choice=str(fake_hivmc()))
    assert done.kernel.decode() == done.module.text
    assert done.module.ub_bytes == 1024 * 4  # in place
    assert [(b.offset, b.size) for b in done.module.buffers] == [(0, 4096), (0, 4096)]
    assert done.module.synchronisation.full_barriers == 1
    assert not cache_folder.exists()
    assert not list(temporary.iterdir())


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        ("echo 'error: bad thing' >&2; exit 3", "TW3013", "hivmc ended with exit status 3: bad thing"),
        ("kill -KILL $$", "TW3011", "hivmc was killed by SIGKILL"),
        ("kill -SEGV $$", "TW3011", "hivmc was killed by SIGSEGV"),
        ("exit 0", "TW3014", "no kernel object"),
    ],
)
def test_hivmc_fails(fake_hivmc: FakeTool, body: str, code: str, words: str) -> None:
    error = failure(kernel(ADD), fake_hivmc(body))
    assert error.code == code
    assert words in error.what
    assert "stage hivmc" in error.what
    folder = bundle_of(error)
    for name in ("input.hivm.mlir", "module.hivm.opt.mlir", "command.txt", "stderr.txt", "versions.json"):
        assert (folder / name).is_file(), name
    assert (folder / "input.hivm.mlir").read_text() == kernel(ADD)
    assert json.loads((folder / "versions.json").read_text())["ascendnpu-ir"] == wheel.locate().version


def test_bundle_replays(fake_hivmc: FakeTool) -> None:
    folder = bundle_of(failure(kernel(ADD), fake_hivmc("echo again $# >&2; exit 7")))
    again = subprocess.run([folder / "reproduce.sh"], capture_output=True, text=True, timeout=60)
    assert again.returncode == status(folder)["exit_status"] == 7
    assert "again" in again.stderr


def test_bundle_of_the_compiler_replays(fake_hivmc: FakeTool) -> None:
    error = failure("module { func.func @broken( }", fake_hivmc())
    assert error.code == "TW3013"
    assert "stage bishengir-compile" in error.what
    folder = bundle_of(error)
    again = subprocess.run([folder / "reproduce.sh"], capture_output=True, text=True, timeout=60)
    assert again.returncode == status(folder)["exit_status"] == 1
    assert "expected non-function type" in again.stderr


def test_earlier_stages_and_versions_are_in_the_bundle(fake_hivmc: FakeTool) -> None:
    with pytest.raises(CompileError) as caught:
        compile_hivm(
            kernel(ADD), target="Ascend910B4", hivmc_choice=str(fake_hivmc("exit 1")),
            stages={"00-linalg.mlir": "first", "01-pass.mlir": "second"}, versions={"tilewright": "x"},
        )  # fmt: skip
    folder = bundle_of(caught.value)
    assert (folder / "00-linalg.mlir").read_text() == "first"
    assert (folder / "01-pass.mlir").read_text() == "second"
    assert json.loads((folder / "versions.json").read_text())["tilewright"] == "x"


@pytest.mark.parametrize("which", ["hivmc", "bishengir-compile"])
def test_a_hanging_tool_is_stopped_with_its_children(
    fake_hivmc: FakeTool, fake_wheel: FakeTool, tmp_path: Path, which: str
) -> None:
    pid_file = tmp_path / "child"
    hang = f"sleep 600 & echo $! > {pid_file}; wait"
    if which == "bishengir-compile":
        fake_wheel(hang)
    tool = fake_hivmc(hang if which == "hivmc" else "exit 0")
    start = time.monotonic()
    error = failure(kernel(ADD), tool, timeout=1.0)
    assert time.monotonic() - start < 10
    assert error.code == "TW3012"
    assert f"stage {which}" in error.what
    assert status(bundle_of(error))["timed_out"] is True
    child = Path("/proc", pid_file.read_text().strip(), "stat")
    for _ in range(100):
        # A killed child stays a zombie until whoever inherits it collects it.
        if not child.exists() or child.read_text().rsplit(")", 1)[1].split()[0] in "ZX":
            return
        time.sleep(0.05)
    raise AssertionError("the tool's child is still running")


def test_time_limit_from_the_environment(fake_hivmc: FakeTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_TIMEOUT", "0.7")
    assert failure(kernel(ADD), fake_hivmc("sleep 600")).code == "TW3012"
    monkeypatch.setenv("TILEWRIGHT_TIMEOUT", "soon")
    with pytest.raises(TilewrightError) as caught:
        compile_hivm(kernel(ADD), target="Ascend910B4", hivmc_choice=str(fake_hivmc()))
    assert caught.value.code == "TW5002"


@pytest.mark.parametrize(
    ("script", "code"),
    [("kill -KILL $$", "TW3011"), ("echo oops >&2; exit 4", "TW3013"), ("exit 0", "TW3014")],
)
def test_compiler_fails(fake_hivmc: FakeTool, fake_wheel: FakeTool, script: str, code: str) -> None:
    fake_wheel(script)
    error = failure(kernel(ADD), fake_hivmc())
    assert error.code == code
    assert "stage bishengir-compile" in error.what
    assert (bundle_of(error) / "reproduce.sh").is_file()


def test_compiler_not_executable(fake_hivmc: FakeTool, fake_wheel: FakeTool) -> None:
    fake_wheel("exit 0").chmod(0o644)
    assert failure(kernel(ADD), fake_hivmc()).code == "TW3010"


def test_hivmc_missing_or_not_executable(
    fake_hivmc: FakeTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert failure(kernel(ADD), tmp_path / "nowhere" / "hivmc").code == "TW3003"
    assert failure(kernel(ADD), fake_hivmc(executable=False)).code == "TW3010"
    monkeypatch.setenv("TILEWRIGHT_NATIVE", str(tmp_path / "empty"))
    with pytest.raises(CompileError) as caught:
        compile_hivm(kernel(ADD), target="Ascend910B4", hivmc_choice="ours")
    assert caught.value.code == "TW3003"
    assert "bin/hivmc" in caught.value.what


def test_hivmc_without_a_readable_version(fake_hivmc: FakeTool) -> None:
    error = failure(kernel(ADD), fake_hivmc(version="exit 9"))
    assert error.code == "TW3013"
    assert "hivmc" in error.what


def test_cann_is_asked_for(fake_hivmc: FakeTool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_HIVMC", "cann")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(CompileError) as caught:
        compile_hivm(kernel(ADD), target="Ascend910B4")
    assert caught.value.code == "TW3004"
    monkeypatch.setenv("PATH", f"{fake_hivmc().parent}:/usr/bin:/bin")
    assert compile_hivm(kernel(ADD), target="Ascend910B4").kind == "cann"


@pytest.mark.parametrize(
    ("ir", "code", "words"),
    [
        (kernel(TANH), "TW3021", "hivm.hir.vtanh was not lowered"),
        (kernel(ADD, "i64"), "TW3023", "scalar loop"),
        (kernel(ADD, tile=65536), "TW3015", "262144 bytes of the unified buffer, 196608 bytes are available"),
    ],
)
def test_not_accepted(fake_hivmc: FakeTool, ir: str, code: str, words: str) -> None:
    error = failure(ir, fake_hivmc())
    assert error.code == code
    assert words in error.what
    bundle_of(error)


_SINGLE = "memref.store %v, %b[%i] : memref<8xf32, #hivm.address_space<ub>>"


@pytest.mark.parametrize(
    ("inside", "outside", "refused"),
    [
        (_SINGLE, "", True),
        ("", _SINGLE, False),
        (_SINGLE.replace("store %v,", "load"), _SINGLE, False),
        (_SINGLE.replace("8xf32", "1xf32"), "", False),
        (_SINGLE.replace("<ub>", "<gm>"), "", False),
    ],
)
def test_scalar_loops(inside: str, outside: str, refused: bool) -> None:
    """Only loops that write single elements of UB are what becomes of a vector operation."""
    module = FinalModule(
        f"""module {{
  func.func @k() attributes {{hacc.entry}} {{
    {outside}
    scf.for %i = %lo to %hi step %one {{
      {inside}
    }}
    return
  }}
}}
"""
    )
    assert [f.code for f in acceptance.check(module)] == (["TW3023"] if refused else [])
    assert acceptance.check(module, scalar_loops=True) == []


def test_missing_entry(fake_hivmc: FakeTool) -> None:
    with pytest.raises(CompileError) as caught:
        compile_hivm(
            kernel(ADD, entry=False), target="Ascend910B4", hivmc_choice=str(fake_hivmc()), entries=["k"]
        )
    assert caught.value.code == "TW3020"
    assert "@k" in caught.value.what


def test_library_call_with_other_parameters(fake_hivmc: FakeTool) -> None:
    # The compiler calls vector shifts without the temporary buffer that the library's definition has.
    shift = (
        "%c = arith.constant 2 : i32\n"
        "hivm.hir.vshl ins(%as, %c : memref<?xTY, strided<[1]>>, i32) outs(%os : memref<?xTY, strided<[1]>>)"
    )
    error = failure(kernel(shift, "i32"), fake_hivmc())
    assert error.code == "TW3022"
    assert "@vshls_vs_1d_int32_t" in error.what
    assert "3 parameters, the library's has 4" in error.what


def test_unknown_library_function() -> None:
    text = "func.func private @vnothing_1d_float(memref<?xf32>, i32) attributes {llvm.emit_c_interface}"
    found = acceptance.check(FinalModule(text), library=interface(wheel.locate().vector_library))
    assert [(f.code, f.line) for f in found] == [("TW3020", 0), ("TW3022", 1)]
    assert "@vnothing_1d_float" in found[1].what


def test_library_interface() -> None:
    library = interface(wheel.locate().vector_library)
    assert len(library) == 1373
    assert library["load_gm_to_ubuf_1d_float"] == 5
    assert library["copy_ubuf_to_ubuf_1d_float"] == 2
    assert "load_gm_to_ubuf_1d_bool" not in library
