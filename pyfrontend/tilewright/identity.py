"""What a compiled kernel depends on beside its own text: the identity of every tool, by content.

Hashing the compiler (about 100 MB) at each start would cost more than a cache hit may. A memo in the cache
folder keeps each file's hash beside its size, times and inode; as long as those are unchanged, the hash is
taken from there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import cast

import tilewright
from tilewright import folders, native, settings, wheel
from tilewright.toolchain.hivmc import Hivmc

_MEMO_NAME = "tools.json"
_BLOCK = 1 << 20
_lock = Lock()
_memo: dict[str, list[object]] | None = None
_memo_place: Path | None = None


def _stamp(path: Path) -> list[object]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino]


def _load(place: Path) -> dict[str, list[object]]:
    try:
        data: object = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(data, dict):
        return {}
    entries = cast("dict[str, object]", data)
    return {key: cast("list[object]", value) for key, value in entries.items() if isinstance(value, list)}


def _store(place: Path, memo: dict[str, list[object]]) -> None:
    # Losing the memo costs only time, so a folder that cannot be written is no error here.
    with contextlib.suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        folders.make_file(".tools-", place.parent, json.dumps(memo).encode()).replace(place)


def hash_file(path: Path) -> str:
    """SHA-256 of the file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def hash_files(paths: Iterable[Path]) -> dict[str, str]:
    """Path -> SHA-256 of its bytes, from the memo where the file is unchanged; missing files give ""."""
    global _memo, _memo_place
    place = settings.cache_dir() / _MEMO_NAME
    with _lock:
        if _memo is None or _memo_place != place:
            _memo, _memo_place = _load(place), place
        hashes, changed = dict[str, str](), False
        for path in paths:
            key = str(path)
            try:
                stamp = _stamp(path)
            except OSError:
                hashes[key] = ""
                continue
            known = _memo.get(key)
            if known is None or known[:-1] != stamp:
                known = [*stamp, hash_file(path)]
                _memo[key], changed = known, True
            hashes[key] = str(known[-1])
        if changed:
            _store(place, _memo)
    return hashes


def _package_sources() -> list[Path]:
    """Python sources and extension modules of the package; everything here may shape the IR."""
    root = Path(__file__).parent
    found = list[Path]()
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in ("__pycache__", "_native", "cli"))
        found.extend(Path(folder, name) for name in sorted(files) if name.endswith((".py", ".so")))
    return found


def tools(chosen: Hivmc, compiler: wheel.Wheel) -> dict[str, str]:
    """Name -> hash or version of everything outside the kernel's own text that shapes its binary."""
    sources = _package_sources()
    named = {
        "bishengir-compile": compiler.compiler,
        "vector library": compiler.vector_library,
        "hivmc": chosen.path,
        "emulator": native.candidate(native.EMULATOR),
    }
    hashes = hash_files([*named.values(), *sources])
    root = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sources:
        digest.update(f"{path.relative_to(root)}\0{hashes[str(path)]}\n".encode())
    return {
        "tilewright": f"{getattr(tilewright, '__version__', 'unknown')} {digest.hexdigest()}",
        "ascendnpu-ir": compiler.version,
        **{name: hashes[str(path)] for name, path in named.items()},
        "hivmc kind": chosen.kind,
    }
