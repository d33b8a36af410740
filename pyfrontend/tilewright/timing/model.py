"""The binding of the model: instruction streams and launches in, reports out."""

from __future__ import annotations

import ctypes
import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from tilewright import runtime
from tilewright.errors import ExecutionError
from tilewright.runtime import Counters
from tilewright.timing import profiles
from tilewright.timing.profiles import Profile

_ERROR_BYTES = 4096
_TIME_MODE = 2


@lru_cache(maxsize=1)
def _library() -> ctypes.CDLL:
    # The same library as runtime.emulator(); loading it twice gives the same handle.
    library = ctypes.CDLL(str(runtime.emulator().path))
    try:
        simulate_, launch, free = library.tw_timing_simulate, library.tw_launch_observed, library.tw_free
    except AttributeError as error:
        raise ExecutionError(
            "TW4100",
            f"the emulator library {runtime.emulator().path} has no timing model",
            hint="it belongs to another version of tilewright; build the package again",
        ) from error
    text, size, word, pointer = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_void_p
    simulate_.argtypes = [text, pointer, pointer, size]
    launch.argtypes = [pointer, word, text, size, text, size, word, word, text, pointer, pointer, pointer, size]
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


def _failed(what: str) -> ExecutionError:
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
        raise _failed(error.value.decode("utf-8", errors="replace"))
    return _take(report)


def launch(
    kernel: runtime.LoadedKernel, blocks: int, arguments: bytes, ranges: bytes, profile: Profile, *,
    threads: int = 0, **more: Any,
) -> tuple[Counters, dict[str, Any]]:  # fmt: skip
    """Run a kernel in time mode: its results are written as in fast mode, and its time is modelled.

    Raises:
        ExecutionError: the emulator's TW4nnn; TW4103 if the trace exceeds ``max_steps``.
    """
    library = _library()
    report, error = ctypes.c_void_p(), ctypes.create_string_buffer(_ERROR_BYTES)
    counters = (ctypes.c_uint64 * len(Counters._fields))()
    status = library.tw_launch_observed(
        kernel.handle, blocks, arguments, len(arguments), ranges, len(ranges) // runtime.RANGE_BYTES,
        threads, _TIME_MODE, json.dumps(options(profile, **more)).encode(),
        ctypes.byref(counters), ctypes.byref(report), error, _ERROR_BYTES,
    )  # fmt: skip
    found = _take(report)
    if status:
        text = error.value.decode("utf-8", errors="replace")
        raise ExecutionError(f"TW{status}", f"kernel {kernel.name} on the emulated device: {text}")
    if "error" in found:
        raise _failed(str(found.get("message", "no message")))
    return Counters(*counters), found
