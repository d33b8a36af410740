"""The environment variables that tilewright reads, in one table.

docs/environment.md lists the same names; a test compares the two.
"""

from __future__ import annotations

import os
from pathlib import Path

from tilewright.errors import UsageError

#: Name -> what it does, one line each.
VARIABLES: dict[str, str] = {
    "TILEWRIGHT_CACHE": "off: compile every kernel again, into a folder that is removed at exit (default on)",
    "TILEWRIGHT_CACHE_DIR": "folder of the kernel cache (default ~/.cache/tilewright)",
    "TILEWRIGHT_CACHE_LIMIT": "size of the cache in bytes, K, M or G; oldest entries go first (default 2G)",
    "TILEWRIGHT_FORBID_COMPILE": "1: a kernel that is not in the cache is an error instead of a compilation",
    "TILEWRIGHT_TIMEOUT": "time limit of one tool run in seconds (default 120)",
    "TILEWRIGHT_HIVMC": "ours, cann (hivmc found on PATH) or the path of a hivmc (default ours)",
    "TILEWRIGHT_NATIVE": "folder with bin/ and lib/ of the compiled parts (default: inside the package)",
    "TILEWRIGHT_ANY_WHEEL": "1: accept ascendnpu-ir versions that were not checked",
    "TILEWRIGHT_CLANG": "the clang++ that compiles Ascend C kernels (default clang++-19 on PATH)",
    "TILEWRIGHT_LLD": "the linker of hivmc and of Ascend C kernels (default ld.lld-19 on PATH)",
    "TILEWRIGHT_THREADS": "host threads of an emulated launch, 0 for all (default 0)",
    "TILEWRIGHT_ACL_DEVICES": "devices of the emulated CANN, 1 to 8 (default 1)",
    "TILEWRIGHT_ACL_TARGET": "part that the emulated CANN shows to programs (default Ascend910B4)",
    "TILEWRIGHT_ACL_MEMORY": "bytes of each emulated device, K, M or G (default the part's)",
    "TILEWRIGHT_ACL_STRICT": "1: host code cannot touch emulated device memory (default 0)",
    "TILEWRIGHT_ACL_POISON": "1: new emulated device memory is filled with 0xA5 (default 0)",
    "TILEWRIGHT_ACL_CHECK": "1: kernels launched through ACL run in check mode (default 0)",
    "TILEWRIGHT_ACL_FALLBACK": "set by `tilewright emulate`: 1 with, 0 without aten operators on the host",
    "TILEWRIGHT_ACL_LOG": "1: show what programs write to CANN's log (default 0)",
}

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def _bad(variable: str, value: str, expected: str) -> UsageError:
    return UsageError(
        "TW5002",
        f"the environment variable {variable} has the value {value!r}",
        expected=expected,
        hint=f"{variable}: {VARIABLES[variable]}",
    )


def cache_dir() -> Path:
    """The cache folder; it need not exist yet."""
    chosen = os.environ.get("TILEWRIGHT_CACHE_DIR")
    if chosen:
        return Path(chosen).absolute()
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "tilewright"


def cache_enabled() -> bool:
    """False if ``TILEWRIGHT_CACHE`` is off."""
    value = os.environ.get("TILEWRIGHT_CACHE", "on").strip().lower()
    if value in ("on", "1", ""):
        return True
    if value in ("off", "0"):
        return False
    raise _bad("TILEWRIGHT_CACHE", value, "on or off")


def compile_forbidden() -> bool:
    """True if ``TILEWRIGHT_FORBID_COMPILE`` is 1."""
    value = os.environ.get("TILEWRIGHT_FORBID_COMPILE", "0").strip()
    if value not in ("", "0", "1"):
        raise _bad("TILEWRIGHT_FORBID_COMPILE", value, "0 or 1")
    return value == "1"


def cache_limit_bytes() -> int:
    """Upper limit of the cache's size in bytes."""
    value = os.environ.get("TILEWRIGHT_CACHE_LIMIT", "2G").strip().upper()
    number, unit = (value[:-1], value[-1]) if value[-1:] in ("K", "M", "G") else (value, "")
    if not number.isdecimal():
        raise _bad("TILEWRIGHT_CACHE_LIMIT", value, "a whole number, optionally followed by K, M or G")
    return int(number) * _UNITS[unit]


def timeout_seconds() -> float:
    """Time limit of one tool run."""
    value = os.environ.get("TILEWRIGHT_TIMEOUT", "120")
    try:
        seconds = float(value)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise _bad("TILEWRIGHT_TIMEOUT", value, "a positive number of seconds")
    return seconds


def hivmc_choice() -> str:
    """ "ours", "cann" or the path of a program."""
    value = os.environ.get("TILEWRIGHT_HIVMC", "ours")
    if value not in ("ours", "cann") and os.sep not in value:
        raise _bad("TILEWRIGHT_HIVMC", value, "ours, cann, or a path with a folder")
    return value


def threads() -> int:
    """Host threads of a launch; 0 means all."""
    value = os.environ.get("TILEWRIGHT_THREADS", "0").strip()
    if not value.isdecimal():
        raise _bad("TILEWRIGHT_THREADS", value, "a whole number, 0 for all host cores")
    return int(value)


def linker() -> str | None:
    """The chosen linker, or None."""
    return os.environ.get("TILEWRIGHT_LLD") or None


def clang() -> str | None:
    """The chosen clang++, or None."""
    return os.environ.get("TILEWRIGHT_CLANG") or None
