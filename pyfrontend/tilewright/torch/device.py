"""ACL from Python: binaries on a device, the current stream, the address of the synchronisation area.

Used when a plan is made; the launches themselves are in C++. The functions are looked up by name in whatever
``libascendcl.so`` the process has loaded, CANN's or the emulated one.
"""

from __future__ import annotations

import ctypes
import functools
import os
from pathlib import Path
from typing import Any, NamedTuple

from tilewright import targets
from tilewright.errors import ExecutionError, MissingError
from tilewright.targets import Target

#: Magic number of a binary for vector cores (acl_rt.h).
_MAGIC_VECTOR = 0x41415246
_OPTION_MAGIC = 2

#: Ways of a plan, as in pyfrontend/launcher/Plan.h.
EMULATOR, ACL, RT = 0, 1, 2


class _Option(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int), ("value", ctypes.c_uint32 * 4))


class _Options(ctypes.Structure):
    _fields_ = (("options", ctypes.POINTER(_Option)), ("count", ctypes.c_size_t))


class _DeviceBinary(ctypes.Structure):
    _fields_ = (
        ("magic", ctypes.c_uint32),
        ("version", ctypes.c_uint32),
        ("data", ctypes.c_char_p),
        ("length", ctypes.c_uint64),
    )


class Entry(NamedTuple):
    """A kernel on a device: how it is launched, and its handle."""

    way: int
    handle: int


@functools.cache
def acl() -> Any:
    """``libascendcl.so`` of this process.

    Raises:
        MissingError: TW5405 if torch_npu has not loaded one.
    """
    try:
        library = ctypes.CDLL("libascendcl.so", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
    except OSError as error:
        raise MissingError(
            "TW5405",
            f"no CANN runtime is loaded: {error}",
            expected="torch_npu imported on CANN, or on the emulated one",
            hint="`tilewright emulate -- python ...` or tilewright.emulated.activate()",
        ) from error
    library.aclGetRecentErrMsg.restype = ctypes.c_char_p
    return library


def _check(code: int, what: str) -> None:
    if code:
        message = acl().aclGetRecentErrMsg() or b""
        raise ExecutionError(
            "TW4202", f"{what} failed with ACL code {code}: {message.decode(errors='replace').strip()}"
        )


def is_emulated() -> bool:
    """True if the CANN runtime of this process is the emulated one."""
    return hasattr(acl(), "tw_acl_launches")


@functools.cache
def target(device: int) -> Target:
    """The target that a device is. Raises UsageError TW5003 if the table has no such part."""
    import torch

    return targets.get(str(torch.npu.get_device_name(device)))  # type: ignore[attr-defined, unused-ignore]


def stream(device: int) -> int:
    """The device's current stream, after torch_npu's own queue was emptied into it."""
    import torch_npu

    return int(torch_npu._C._npu_getCurrentRawStream(device))


class _Current:
    """Makes a device current in this thread for a while."""

    def __init__(self, device: int) -> None:
        self.device = device

    def __enter__(self) -> None:
        before = ctypes.c_int32(-1)
        self.before = -1 if acl().aclrtGetDevice(ctypes.byref(before)) else before.value
        if self.before != self.device:
            _check(acl().aclrtSetDevice(self.device), f"choosing device {self.device}")

    def __exit__(self, *_: object) -> None:
        if self.before not in (-1, self.device):
            _check(acl().aclrtSetDevice(self.before), f"choosing device {self.before}")


@functools.cache
def sync_area(device: int) -> int:
    """Address of the area through which cores synchronise: the first argument of every kernel ("ffts")."""
    with _Current(device):
        if hasattr(acl(), "aclrtGetHardwareSyncAddr"):
            address = ctypes.c_void_p()
            _check(acl().aclrtGetHardwareSyncAddr(ctypes.byref(address)), "aclrtGetHardwareSyncAddr")
            return int(address.value or 0)
        found, length = ctypes.c_uint64(), ctypes.c_uint32()
        _check(_rt("rtGetC2cCtrlAddr")(ctypes.byref(found), ctypes.byref(length)), "rtGetC2cCtrlAddr")
        return int(found.value)


def _rt(name: str) -> Any:
    if hasattr(acl(), name):
        return getattr(acl(), name)
    return getattr(ctypes.CDLL("libruntime.so"), name)


_stubs: list[Any] = []


@functools.cache
def entry(path: Path, name: str, device: int) -> Entry:
    """Load a kernel binary on a device, once, and return its entry.

    With CANN releases whose ACL cannot load a binary from memory, the older rt* calls are used.

    Raises:
        ExecutionError: TW4202 with ACL's code and text.
    """
    image = path.read_bytes()
    with _Current(device):
        if hasattr(acl(), "aclrtBinaryLoadFromData") and hasattr(acl(), "aclrtLaunchKernelWithHostArgs"):
            option = _Option(_OPTION_MAGIC, (ctypes.c_uint32 * 4)(_MAGIC_VECTOR))
            options = _Options(ctypes.pointer(option), 1)
            binary, function = ctypes.c_void_p(), ctypes.c_void_p()
            size = ctypes.c_size_t(len(image))
            _check(
                acl().aclrtBinaryLoadFromData(image, size, ctypes.byref(options), ctypes.byref(binary)),
                f"loading the kernel {name} on device {device}",
            )
            _check(
                acl().aclrtBinaryGetFunction(binary, name.encode(), ctypes.byref(function)),
                f"finding the kernel {name} in its binary",
            )
            return Entry(ACL, int(function.value or 0))
        described = _DeviceBinary(_MAGIC_VECTOR, 0, image, len(image))
        handle = ctypes.c_void_p()
        _check(
            _rt("rtDevBinaryRegister")(ctypes.byref(described), ctypes.byref(handle)),
            f"registering the kernel {name} on device {device}",
        )
        stub = ctypes.create_string_buffer(f"{name}@{device}".encode())
        _stubs.append((image, stub))
        _check(
            _rt("rtFunctionRegister")(handle, stub, stub, name.encode(), ctypes.c_uint32(0)),
            f"registering the kernel {name}",
        )
        return Entry(RT, ctypes.addressof(stub))
