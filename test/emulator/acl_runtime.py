"""The emulated CANN through ctypes, as a program without torch would use it."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

H2D, D2H, D2D, INFERRED = 1, 2, 3, 4
HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

#: The machine of these tests; read when the library is loaded.
DEVICES = 3
MEMORY = 64 << 20


class AclError(Exception):
    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


class Acl:
    """Calls functions by name; a code other than 0 is an AclError with the runtime's text."""

    def __init__(self, lenient: bool = False) -> None:
        os.environ.setdefault("TILEWRIGHT_ACL_DEVICES", str(DEVICES))
        os.environ.setdefault("TILEWRIGHT_ACL_MEMORY", str(MEMORY))
        os.environ.setdefault("TILEWRIGHT_ACL_POISON", "1")
        from tilewright import native

        self.library = ctypes.CDLL(str(native.path(native.ACL)), mode=ctypes.RTLD_GLOBAL)
        self.library.aclGetRecentErrMsg.restype = ctypes.c_char_p
        self.library.tw_acl_launches.restype = ctypes.c_uint64
        self.library.tw_acl_view.restype = ctypes.c_uint64
        self.library.tw_acl_view.argtypes = [ctypes.c_uint64]

    def __getattr__(self, name: str) -> Any:
        function = getattr(self.library, name)

        def call(*arguments: Any) -> None:
            code = function(*(ctypes.c_size_t(a) if type(a) is int else a for a in arguments))
            if code:
                raise AclError(code, self.library.aclGetRecentErrMsg().decode())

        return call

    def out(self, name: str, *arguments: Any, type: Any = ctypes.c_void_p, last: bool = False) -> Any:
        """The value that a function stores through its first (or last) pointer."""
        value = type()
        where = ctypes.byref(value)
        getattr(self, name)(*((*arguments, where) if last else (where, *arguments)))
        return value.value

    def malloc(self, size: int) -> int:
        return int(self.out("aclrtMalloc", size, 0))

    def upload(self, array: Array) -> int:
        address = self.malloc(max(array.nbytes, 1))
        self.aclrtMemcpy(pointer(address), array.nbytes, data(array), array.nbytes, H2D)
        return address

    def download(self, address: int, like: Array) -> Array:
        result = np.empty_like(like)
        self.aclrtMemcpy(data(result), result.nbytes, pointer(address), result.nbytes, D2H)
        return result

    def stream(self) -> int:
        return int(self.out("aclrtCreateStream"))

    def event(self, flags: int = 0) -> int:
        return int(self.out("aclrtCreateEventWithFlag", flags))

    def launches(self, name: str = "") -> int:
        return int(self.library.tw_acl_launches(name.encode()))


def pointer(address: int) -> ctypes.c_void_p:
    return ctypes.c_void_p(address)


def data(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class Kernel:
    """elu_backward of the package, loaded through ACL, with the plan of one shape."""

    name = "elu_backward"

    def __init__(self, acl: Acl, grad: Array, x: Array) -> None:
        import tilewright as tw
        from tilewright.ops import elu_backward

        self.acl = acl
        bound = tw.bind(elu_backward, (grad, x))
        kernel = tw.compile(elu_backward)
        self.described = kernel.described(bound.signature)
        self.scalars = bound.scalars
        self.expected = kernel(grad, x)
        self.image = self.described.binary.path.read_bytes()
        binary = acl.out("aclrtBinaryLoadFromData", self.image, len(self.image), None, last=True)
        self.binary = pointer(binary)
        self.function = pointer(acl.out("aclrtBinaryGetFunction", self.binary, b"elu_backward", last=True))

    def block(self, *addresses: int) -> bytes:
        from tilewright.runtime import argument_struct

        described = self.described
        pack = argument_struct(described.fields, described.size).pack
        return pack(0, 0, 0, *addresses, *self.scalars, *described.tail)

    def launch(self, block: bytes, stream: int | None) -> None:
        cores = self.described.plan.cores
        where = pointer(stream) if stream else None
        self.acl.aclrtLaunchKernelWithHostArgs(self.function, cores, where, None, block, len(block), None, 0)
