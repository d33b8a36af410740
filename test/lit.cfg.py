"""lit configuration of the compiler tests: test/dialect, test/passes, test/pipeline.

Tools are found through PATH, in this order: tilewright's own (``TILEWRIGHT_NATIVE`` or the installed
package), LLVM 19's (FileCheck, not, split-file), the ``ascendnpu-ir`` wheel's (bishengir-opt,
bishengir-compile). The last one finds ``hivmc`` on PATH too, as it does in a user's installation.

Run with ``./dev test`` (through pytest, see test_lit.py) or ``lit -v test/passes`` in the virtual
environment.

Substitutions besides lit's own:
  %python      the Python that runs lit
  %wheel_lib   the folder of the wheel's template library
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

import lit.formats
from lit.LitConfig import LitConfig
from lit.TestingConfig import TestingConfig

# lit runs this file with these two names defined.
config: TestingConfig = globals()["config"]
lit_config: LitConfig = globals()["lit_config"]

root = Path(__file__).resolve().parent.parent

config.name = "tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "emulator", "kernels_ref", "python", "ops", "torch"]
config.test_source_root = str(root / "test")
config.test_exec_root = os.environ.get("TILEWRIGHT_LIT_OUTPUT", str(root / "build" / "lit"))


def wheel_folder() -> Path:
    """The installed ``ascendnpuir`` package, which has bin/ and lib/."""
    spec = importlib.util.find_spec("ascendnpuir")
    if spec is None or spec.origin is None:
        lit_config.fatal("the package ascendnpu-ir is not installed in " + sys.prefix)
    return Path(spec.origin).parent


native = Path(os.environ.get("TILEWRIGHT_NATIVE", root / "pyfrontend" / "tilewright" / "_native"))
llvm = Path(os.environ.get("TILEWRIGHT_LLVM_BIN", "/usr/lib/llvm-19/bin"))
wheel = wheel_folder()

path = os.pathsep.join([str(native / "bin"), str(llvm), str(wheel / "bin"), os.environ.get("PATH", "")])
config.environment["PATH"] = path
for name in ("FileCheck", "not", "tw-opt", "bishengir-opt", "bishengir-compile"):
    if shutil.which(name, path=path) is None:
        lit_config.fatal(f"{name} was not found on {path}")

config.substitutions += [("%python", sys.executable), ("%wheel_lib", str(wheel / "lib"))]
