"""The CMake option for CANN: refused without a toolkit; with one, the right libraries with the right macros.

The toolkit is a stand-in that writes down what it is asked for. Real compilations need CANN: not tested.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright.ascendc import compile_kernel

REPOSITORY = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not on PATH")

_PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(references NONE)
set(PROJECT_SOURCE_DIR "{repository}")
include("{repository}/cmake/CannKernels.cmake")
"""

_TOOLKIT = """\
set(LOG "${CMAKE_BINARY_DIR}/asked.txt")
file(WRITE "${LOG}" "")
function(ascendc_library name kind)
  file(APPEND "${LOG}" "library ${name} ${kind} ${ARGN} ${SOC_VERSION} ${RUN_MODE}\\n")
  add_custom_target(${name})
endfunction()
function(ascendc_compile_definitions name)
  file(APPEND "${LOG}" "definitions ${name} ${ARGN}\\n")
endfunction()
"""


def _configure(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    folder.mkdir(exist_ok=True)
    (folder / "CMakeLists.txt").write_text(_PROJECT.format(repository=REPOSITORY))
    environment = {k: v for k, v in os.environ.items() if k != "ASCEND_HOME_PATH"}
    return subprocess.run(
        ["cmake", "-S", str(folder), "-B", str(folder / "build"), *options],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def _toolkit(folder: Path) -> Path:
    module = folder / "cann" / "tools" / "tikcpp" / "ascendc_kernel_cmake"
    module.mkdir(parents=True)
    (module / "ascendc.cmake").write_text(_TOOLKIT)
    return folder / "cann"


def _asked(folder: Path) -> dict[str, tuple[str, list[str]]]:
    """Library -> its source and macros."""
    found = dict[str, tuple[str, list[str]]]()
    for line in (folder / "build" / "asked.txt").read_text().splitlines():
        words = line.replace(";", " ").split()
        if words[0] == "library":
            assert words[2] == "STATIC"
            assert words[4:] == ["Ascend910B4", "npu"]
            found[words[1]] = (words[3], [])
        else:
            assert words[2] == "PRIVATE"
            found[words[1]][1].extend(words[3:])
    return found


def test_without_a_toolkit(tmp_path: Path) -> None:
    done = _configure(tmp_path / "p")
    assert done.returncode
    assert "source its set_env.sh" in " ".join(done.stderr.split())


def test_with_a_runtime_only(tmp_path: Path) -> None:
    (tmp_path / "cann").mkdir()
    done = _configure(tmp_path / "p", f"-DASCEND_HOME_PATH={tmp_path / 'cann'}")
    assert done.returncode
    assert "not only its runtime" in " ".join(done.stderr.split())


def test_libraries_and_macros(tmp_path: Path) -> None:
    done = _configure(tmp_path / "p", f"-DASCEND_HOME_PATH={_toolkit(tmp_path)}")
    assert done.returncode == 0, done.stderr
    asked = _asked(tmp_path / "p")
    count = re.search(r"CANN kernels for Ascend910B4: (\d+) libraries", done.stdout)
    assert count is not None
    assert int(count[1]) == len(asked) == len(set(asked))
    sources = {Path(source).name for source, _ in asked.values()}
    entries = {
        p.name
        for p in (REPOSITORY / "kernels_ref").glob("*/op_kernel/*.cpp")
        if "__global__" in p.read_text()
    }
    assert sources == entries
    # What CANN would be asked to compile compiles with our headers.
    for source, macros in asked.values():
        assert Path(source).is_file()
        defines = dict(macro.split("=") for macro in macros)
        key = int(defines.pop("TILING_KEY_VAR"))
        compile_kernel(source, defines=defines, tiling_key=key)


def test_the_option_is_wired() -> None:
    text = (REPOSITORY / "CMakeLists.txt").read_text()
    assert re.search(r"option\(TILEWRIGHT_CANN .* OFF\)", text)
    assert re.search(r"if\(TILEWRIGHT_CANN\)\s+include\(CannKernels\)", text)
