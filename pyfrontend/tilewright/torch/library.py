"""The compiled half of the torch operators (pyfrontend/launcher), bound through ctypes."""

from __future__ import annotations

import ctypes
import functools
from typing import Any

from tilewright import native, settings
from tilewright.errors import MissingError

#: The stable C interface of torch that the library was written for begins with this version.
OLDEST_TORCH = (2, 10)

PREPARE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p, ctypes.c_size_t)
EVALUATE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_uint32, ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t
)
STREAM = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_int32)


@functools.cache
def load() -> Any:
    """The library, connected to the torch of this process.

    Raises:
        CompileError: TW3003 if it is not installed.
        MissingError: TW5404 if torch is too old.
    """
    import tilewright.runtime

    tilewright.runtime.emulator()  # makes the emulator's symbols visible to kernel objects
    library = ctypes.CDLL(str(native.path(native.TORCH)))
    text, size, word, long = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint64
    longs = ctypes.c_void_p
    for name, result, arguments in (
        ("twt_load_torch", text, []),
        ("twt_load_acl", text, []),
        ("twt_set_callbacks", None, [PREPARE, EVALUATE, STREAM]),
        ("twt_set_error", None, [text]),
        ("twt_set_threads", None, [word]),
        ("twt_launches", long, []),
        ("twt_forget_plans", None, []),
        ("twt_add_operator", ctypes.c_int64, [text, text]),
        ("twt_implement", ctypes.c_int, [word, text]),
        ("twt_add_plan", ctypes.c_int, [text, size, longs, size, text, size]),
        ("twt_plan_id", long, [text, size]),
        ("twt_add_scalars", ctypes.c_int, [long, longs, size, longs, size, text, size]),
    ):
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    if missing := library.twt_load_torch():
        import torch

        raise MissingError(
            "TW5404",
            f"torch {torch.__version__} has not the C interface that the operators use: {missing.decode()}",
            expected="torch " + ".".join(map(str, OLDEST_TORCH)) + " or later",
            hint="python -m pip install --upgrade torch",
        )
    library.twt_set_threads(settings.threads())
    return library
