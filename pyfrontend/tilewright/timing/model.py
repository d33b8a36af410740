"""The binding of the model: instruction streams in, reports out."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tilewright import runtime
from tilewright.errors import ExecutionError
from tilewright.timing import profiles
from tilewright.timing.profiles import Profile

_ERROR_BYTES = 4096


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    # The same library as runtime.emulator(); loading it twice gives the same handle.
    library = ctypes.CDLL(str(runtime.emulator().path))
    try:
        simulate_, free = library.tw_timing_simulate, library.tw_free
    except AttributeError as error:
        raise ExecutionError(
            "TW4100",
            f"the emulator library {runtime.emulator().path} has no timing model",
            hint="it belongs to another version of tilewright; build the package again",
        ) from error
    text, size, pointer = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_void_p
    simulate_.argtypes = [text, pointer, pointer, size]
    free.argtypes = [pointer]
    free.restype = None
    return library


def _take(report: ctypes.c_void_p) -> dict[str, Any]:
    if not report.value:
        return {}
    try:
        found: dict[str, Any] = json.loads(ctypes.string_at(report.value))
        return found
    finally:
        _library().tw_free(report)


def failed(what: str) -> ExecutionError:
    """TW4103 with the model's own words."""
    return ExecutionError("TW4103", f"the timing model could not finish: {what}")


def options(profile: Profile, **more: Any) -> dict[str, Any]:
    """Options of the time mode for a profile; ``more`` are those of emulator/timing/Report.h."""
    return {"constants": profile.as_options(), "rates": profiles.rates(), **more}


def simulate(profile: Profile, stream: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """Model the time of an instruction stream (the form is that of emulator/timing/Stream.cpp).

    Returns:
        The report of the time mode. Modelled, not measured.

    Raises:
        ExecutionError: TW4103 if the stream is malformed or a wait has no set.
    """
    library = _library()
    report, error = ctypes.c_void_p(), ctypes.create_string_buffer(_ERROR_BYTES)
    request = json.dumps({**options(profile, **more), **stream}).encode()
    status = library.tw_timing_simulate(request, ctypes.byref(report), error, _ERROR_BYTES)
    if status:
        raise failed(error.value.decode("utf-8", errors="replace"))
    return _take(report)
