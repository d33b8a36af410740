"""An emulated CANN in this process: the unmodified ``torch_npu`` wheel then works without a device.

::

    import tilewright.emulated
    tilewright.emulated.activate(devices=2)     # before torch is imported
    import torch, torch_npu

or, without a change to the program, ``tilewright emulate -- python script.py``.

The libraries that torch_npu links are loaded under their own names before torch is; kernels that are launched
through ACL run on the emulated vector cores. Times of events are those of the host, never those of a device.
With ``fallback`` (the default) aten operators for which CANN's own operator library would be needed run on
the host, on the same memory, in the order of the stream.

The address range of a device is reserved lazily; a program that uses more memory than the host has is stopped
by the host.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import NamedTuple

from tilewright import native
from tilewright.errors import UsageError

#: Names that torch_npu and launchers of kernels link or open, the first with all functions.
LIBRARIES = (
    "ascendcl", "hccl", "acl_op_compiler", "ge_runner", "graph", "acl_tdt_channel", "opapi", "nnopbase",
    "runtime",
)  # fmt: skip

#: Variables that would send torch_npu looking for files of a real CANN.
_OF_A_REAL_CANN = ("ASCEND_HOME_PATH", "ASCEND_OPP_PATH")

#: Set by ``tilewright emulate`` for its child: "1" with the operators of the host, "0" without.
FALLBACK_VARIABLE = "TILEWRIGHT_ACL_FALLBACK"

_loaded: list[ctypes.CDLL] = []


class Options(NamedTuple):
    """The emulated machine; None leaves a setting to the environment (docs/environment.md).

    Attributes:
        devices: number of devices, 1 to 8.
        target: a name of the target table.
        memory: bytes of each device, also as "64M" or "2G".
        strict: host code cannot touch device memory: a stray access is a segmentation fault.
        poison: new device memory is filled with 0xA5 bytes.
        check: kernels run in check mode; a hazard is an error of the stream.
    """

    devices: int | None = None
    target: str | None = None
    memory: int | str | None = None
    strict: bool | None = None
    poison: bool | None = None
    check: bool | None = None

    def environment(self) -> dict[str, str]:
        """The variables that the runtime reads.

        Raises:
            UsageError: TW5003 for an unknown target.
        """
        from tilewright import targets

        given: dict[str, str] = {}
        if self.target is not None:
            given["TILEWRIGHT_ACL_TARGET"] = targets.get(self.target).name
        for variable, value in (
            ("TILEWRIGHT_ACL_DEVICES", self.devices),
            ("TILEWRIGHT_ACL_MEMORY", self.memory),
            ("TILEWRIGHT_ACL_STRICT", self.strict),
            ("TILEWRIGHT_ACL_POISON", self.poison),
            ("TILEWRIGHT_ACL_CHECK", self.check),
        ):
            if value is not None:
                given[variable] = str(int(value) if isinstance(value, bool) else value)
        return given


def folder() -> Path:
    """The folder of the emulated runtime's libraries.

    Raises:
        CompileError: TW3003 if they are not installed.
    """
    return native.path(native.ACL).parent


def is_active() -> bool:
    """True if this process uses the emulated CANN."""
    return _library() is not None


def _library() -> ctypes.CDLL | None:
    """The emulated runtime if it is loaded, by whatever means; a real CANN does not count."""
    if _loaded:
        return _loaded[0]
    try:
        library = ctypes.CDLL("libascendcl.so", mode=os.RTLD_NOLOAD | os.RTLD_GLOBAL | os.RTLD_NOW)
    except OSError:
        return None
    return library if hasattr(library, "tw_acl_launches") else None


def library() -> ctypes.CDLL:
    """The emulated runtime.

    Raises:
        UsageError: TW5401 if it is not active.
    """
    found = _library()
    if found is None:
        raise UsageError(
            "TW5401",
            "the emulated CANN is not active in this process",
            hint="call tilewright.emulated.activate() before torch is imported, or start the program with "
            "`tilewright emulate -- python ...`",
        )
    return found


def activate(
    *,
    devices: int | None = None,
    target: str | None = None,
    memory: int | str | None = None,
    strict: bool | None = None,
    poison: bool | None = None,
    check: bool | None = None,
    fallback: bool = True,
) -> None:
    """Load the emulated CANN; a second call does nothing.

    Args:
        devices, target, memory, strict, poison, check: see ``Options``.
        fallback: give aten operators a host implementation on the device, when torch_npu is imported.

    Raises:
        UsageError: TW5402 if torch_npu runs on another CANN already; TW5002, TW5003 for a wrong option.
        CompileError: TW3003 if the libraries are not installed.
    """
    if is_active():
        return
    if "torch_npu" in sys.modules:
        raise UsageError(
            "TW5402",
            "torch_npu was imported before the emulated CANN was activated",
            expected="activate() before the first import of torch",
            hint="or start the program with `tilewright emulate -- python ...`",
        )
    chosen = Options(devices, target, memory, strict, poison, check).environment()
    before = {name: os.environ.get(name) for name in chosen}
    os.environ.update(chosen)  # the runtime reads them once, when it is loaded
    home = folder()
    for name in _OF_A_REAL_CANN:
        os.environ.pop(name, None)
    first = ctypes.CDLL(str(home / f"lib{LIBRARIES[0]}.so"), mode=os.RTLD_GLOBAL | os.RTLD_NOW)
    problem = first.tw_acl_problem
    problem.restype = ctypes.c_char_p
    if text := problem():
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        raise UsageError("TW5002", text.decode(), hint="the variables are described in docs/environment.md")
    _loaded.append(first)
    _loaded.extend(
        ctypes.CDLL(str(home / f"lib{name}.so"), mode=os.RTLD_GLOBAL | os.RTLD_NOW) for name in LIBRARIES[1:]
    )
    if fallback:
        _on_import("torch_npu", _install_fallback)


def _install_fallback() -> None:
    from tilewright import npu_fallback

    npu_fallback.install()


class _Hook:
    """Calls ``then`` once after ``name`` was imported."""

    def __init__(self, name: str, then: object) -> None:
        self.name = name
        self.then = then

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        if name != self.name:
            return None
        sys.meta_path.remove(self)  # type: ignore[arg-type]
        import importlib.util

        spec = importlib.util.find_spec(name)
        loader = spec.loader if spec is not None else None
        if spec is None or loader is None:
            return spec
        execute = loader.exec_module

        def exec_module(module: object) -> None:
            execute(module)  # type: ignore[arg-type]
            self.then()  # type: ignore[operator]

        loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _on_import(name: str, then: object) -> None:
    sys.meta_path.insert(0, _Hook(name, then))  # type: ignore[arg-type]


def environment(options: Options, *, fallback: bool = True) -> dict[str, str]:
    """The environment for another process that is to use the emulated CANN: this one's with changes.

    The dynamic loader finds the libraries by their names (``LD_LIBRARY_PATH``); Python processes also find
    the hook that installs the host's operators (``PYTHONPATH``).
    """
    made = {**os.environ, **options.environment()}
    for name in _OF_A_REAL_CANN:
        made.pop(name, None)
    for variable, entry in (
        ("LD_LIBRARY_PATH", folder()),
        ("PYTHONPATH", Path(__file__).parent / "site_hook"),
    ):
        before = made.get(variable)
        made[variable] = str(entry) + (os.pathsep + before if before else "")
    made[FALLBACK_VARIABLE] = "1" if fallback else "0"
    return made


def adopt() -> None:
    """Finish the set-up in a process that ``tilewright emulate`` started; called by its hook."""
    if os.environ.get(FALLBACK_VARIABLE) in ("0", "1") and not is_active():
        activate(fallback=os.environ[FALLBACK_VARIABLE] == "1")


def launches(kernel: str = "") -> int:
    """Kernels that ran on the emulated devices of this process so far; of one name, or all."""
    count = library().tw_acl_launches
    count.restype = ctypes.c_uint64
    return int(count(kernel.encode()))


def view(address: int) -> int:
    """Where the host may touch the device memory at ``address`` (in strict mode not there)."""
    translate = library().tw_acl_view
    translate.restype = ctypes.c_uint64
    translate.argtypes = [ctypes.c_uint64]
    return int(translate(address))
