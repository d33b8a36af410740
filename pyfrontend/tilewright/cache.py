"""The kernel cache: content-addressed, safe under concurrent processes, self-repairing.

An entry is a folder ``<cache>/kernels/<first two digits>/<key>`` with the kernel object, its metadata and
``SHA256SUMS`` (the format of sha256sum). It appears by renaming a finished folder, so it is whole or absent;
what damages it later (a full disk, an editor, a half-copied home folder) is found through the sums, and it is
rebuilt.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, cast

from tilewright import folders, settings
from tilewright.errors import CompileError, UsageError

FORMAT = 1
KERNEL = "kernel.o"
METADATA = "metadata.json"
_SUMS = "SHA256SUMS"
#: Entries are touched at most once in this many seconds; eviction needs no finer order.
_TOUCH_SECONDS = 3600


class Entry(NamedTuple):
    """A compiled kernel on disk.

    Attributes:
        key: SHA-256 of everything the kernel depends on.
        kernel: path of the kernel object.
        metadata: what the compiler recorded.
        hit: it was there before this call.
    """

    key: str
    kernel: Path
    metadata: dict[str, object]
    hit: bool


class Built(NamedTuple):
    """What a compilation hands to the cache."""

    kernel: bytes
    metadata: dict[str, object]


def make_key(parts: Mapping[str, str]) -> str:
    """SHA-256 over names and values; lengths are hashed too, so no two lists of parts have one key."""
    digest = hashlib.sha256(f"tilewright cache {FORMAT}\n".encode())
    for name, value in sorted(parts.items()):
        data = value.encode()
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()


def _unwritable(folder: Path, error: OSError) -> UsageError:
    return UsageError(
        "TW5001",
        f"the cache folder {folder} cannot be written: {error.strerror or error}",
        hint="set TILEWRIGHT_CACHE_DIR to a folder you may write, or TILEWRIGHT_CACHE=off",
    )


class Cache:
    """A cache folder.

    Args:
        root: the folder; it is created when the first entry is written.
        limit_bytes: the total size above which the least recently used entries are removed.
    """

    def __init__(self, root: Path, *, limit_bytes: int = 2 << 30) -> None:
        self.root = root
        self.limit_bytes = limit_bytes

    def folder(self, key: str) -> Path:
        """Where the entry ``key`` is or would be."""
        return self.root / "kernels" / key[:2] / key

    def lookup(self, key: str) -> Entry | None:
        """The entry ``key`` if it is there and undamaged."""
        folder = self.folder(key)
        try:
            sums = (folder / _SUMS).read_bytes()
            metadata_bytes = (folder / METADATA).read_bytes()
            kernel = (folder / KERNEL).read_bytes()
        except OSError:
            return None
        if sums != _sums(kernel, metadata_bytes):
            return None
        metadata: object = json.loads(metadata_bytes)
        if not isinstance(metadata, dict):
            return None
        self._touch(folder)
        return Entry(key, folder / KERNEL, cast("dict[str, object]", metadata), hit=True)

    def get(self, key: str, build: Callable[[], Built]) -> Entry:
        """The entry ``key``; built and stored if it is missing or damaged.

        Processes that ask for the same key at a time build it once: the others wait for the first.

        Raises:
            UsageError: TW5001 if the entry cannot be stored.
            CompileError: TW3040 if it is missing and ``TILEWRIGHT_FORBID_COMPILE`` is set.
            Whatever ``build`` raises; nothing is stored then.
        """
        entry = self.lookup(key)
        if entry is not None:
            return entry
        if settings.compile_forbidden():
            raise CompileError(
                "TW3040",
                f"the kernel {key[:12]} is not in the cache and compiling is forbidden",
                hint="compile it ahead of time (tilewright compile), or unset TILEWRIGHT_FORBID_COMPILE",
            )
        self.check_writable()
        with self._exclusive(key):
            entry = self.lookup(key)
            return self._store(key, build()) if entry is None else entry

    def put(self, key: str, built: Built) -> Entry:
        """Store an entry that was built elsewhere, unless it is there already. Raises TW5001."""
        entry = self.lookup(key)
        if entry is not None:
            return entry
        self.check_writable()
        with self._exclusive(key):
            return self.lookup(key) or self._store(key, built)

    def check_writable(self) -> None:
        """Raise UsageError TW5001 if no entry could be stored: found out before a compilation, not after."""
        try:
            (self.root / "kernels").mkdir(parents=True, exist_ok=True)
            (self.root / "locks").mkdir(exist_ok=True)
            folders.make_file(".probe-", self.root).unlink()
        except OSError as error:
            raise _unwritable(self.root, error) from error

    @contextlib.contextmanager
    def _exclusive(self, key: str) -> Iterator[None]:
        # The lock only saves work. Where the file system has no locks, two processes build and the rename
        # decides. It goes away with its holder, so a killed process never blocks the others. Lock files are
        # shared by keys with the same first digits and are never removed: unlinking a locked file would let
        # two holders in.
        path = self.root / "locks" / key[:3]
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise _unwritable(self.root, error) from error
        try:
            with contextlib.suppress(OSError):
                fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    def _store(self, key: str, built: Built) -> Entry:
        folder = self.folder(key)
        metadata = {**built.metadata, "format": FORMAT, "key": key}
        data = json.dumps(metadata, indent=1, sort_keys=True).encode()
        fresh: Path | None = None
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            fresh = folders.make(".new-", folder.parent)
            fresh.chmod(0o755)
            for name, content in (
                (KERNEL, built.kernel),
                (METADATA, data),
                (_SUMS, _sums(built.kernel, data)),
            ):
                _write(fresh / name, content)
            self._publish(fresh, folder)
        except OSError as error:
            raise _unwritable(self.root, error) from error
        finally:
            if fresh is not None:
                folders.remove(fresh)
        self._evict(keep=folder)
        return Entry(key, folder / KERNEL, metadata, hit=False)

    def _publish(self, fresh: Path, folder: Path) -> None:
        for _ in range(100):
            try:
                fresh.rename(folder)
                return
            except OSError:
                if not folder.is_dir():
                    raise
            # Something is there. If it is whole, another process was faster and its entry is as good as ours.
            # If it is damaged it is moved aside under a name of its own, which exactly one process manages to
            # do.
            if self.lookup(folder.name) is not None:
                return
            aside = folders.make(".old-", folder.parent)
            with contextlib.suppress(OSError):
                folder.rename(aside / "entry")
            folders.remove(aside)
        raise OSError(f"{folder} kept changing")

    def _touch(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            now = time.time()
            if now - (folder / _SUMS).stat().st_mtime > _TOUCH_SECONDS:
                os.utime(folder / _SUMS)

    def entries(self) -> list[tuple[float, int, Path]]:
        """(time of last use, bytes, folder) of every entry, least recently used first."""
        found = list[tuple[float, int, Path]]()
        for folder in (self.root / "kernels").glob("??/*"):
            if folder.name.startswith("."):
                continue
            with contextlib.suppress(OSError):
                size = sum(file.stat().st_size for file in folder.iterdir())
                found.append(((folder / _SUMS).stat().st_mtime, size, folder))
        return sorted(found)

    def _evict(self, keep: Path) -> None:
        entries = self.entries()
        total = sum(size for _, size, _ in entries)
        for _, size, folder in entries:
            if total <= self.limit_bytes:
                return
            if folder != keep:
                folders.remove(folder)
                total -= size


def _sums(kernel: bytes, metadata: bytes) -> bytes:
    pairs = ((kernel, KERNEL), (metadata, METADATA))
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {name}\n" for data, name in pairs).encode()


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def opened() -> Cache:
    """The environment's cache; a new folder, removed at exit, if ``TILEWRIGHT_CACHE`` is off."""
    if settings.cache_enabled():
        return Cache(settings.cache_dir(), limit_bytes=settings.cache_limit_bytes())
    return _private_cache()


_private: Cache | None = None


def _private_cache() -> Cache:
    global _private
    if _private is None or not _private.root.is_dir():
        import atexit

        try:
            folder = folders.make("tilewright-kernels-")
        except OSError as error:
            raise _unwritable(folders.temporary(), error) from error
        atexit.register(folders.remove, folder)
        _private = Cache(folder)
    return _private
