"""The kernel cache: content addressing, concurrent processes, damage, and folders that cannot be written."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilewright import cache as caches
from tilewright import settings
from tilewright.cache import Built, Cache, make_key
from tilewright.errors import CompileError, UsageError

KEY = make_key({"graph": "x", "target": "Ascend910B4"})


class Builder:
    """Counts builds; each gives other bytes."""

    def __init__(self) -> None:
        self.builds = 0

    def __call__(self) -> Built:
        self.builds += 1
        return Built(b"kernel %d" % self.builds, {"build": self.builds})


def test_a_hit_does_not_build(cache_folder: Path) -> None:
    builder = Builder()
    first = Cache(cache_folder).get(KEY, builder)
    again = Cache(cache_folder).get(KEY, builder)
    assert builder.builds == 1
    assert not first.hit
    assert again.hit
    assert again.kernel == first.kernel
    assert again.kernel.read_bytes() == b"kernel 1"
    assert again.metadata == first.metadata
    assert again.metadata["build"] == 1


def test_every_part_of_the_key_counts() -> None:
    parts = {"graph": "ab", "options": "c"}
    keys = {make_key(parts), make_key({**parts, "options": "d"}), make_key({"graph": "a", "options": "bc"})}
    keys |= {
        make_key({"graph": "ab", "option": "c"}),
        make_key({"graph": "ab\0", "options": "c"}),
        make_key({}),
    }
    assert len(keys) == 6
    assert make_key(dict(reversed(parts.items()))) == make_key(parts)


@pytest.mark.parametrize("name", ["kernel.o", "metadata.json", "SHA256SUMS"])
@pytest.mark.parametrize("damage", ["flip", "truncate", "remove", "empty"])
def test_damage_is_found_and_rebuilt(cache_folder: Path, name: str, damage: str) -> None:
    builder = Builder()
    cache = Cache(cache_folder)
    file = cache.get(KEY, builder).kernel.parent / name
    data = bytearray(file.read_bytes())
    if damage == "flip":
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    elif damage == "truncate":
        file.write_bytes(data[:-1])
    elif damage == "empty":
        file.write_bytes(b"")
    else:
        file.unlink()
    assert cache.lookup(KEY) is None
    rebuilt = cache.get(KEY, builder)
    assert builder.builds == 2
    assert rebuilt.kernel.read_bytes() == b"kernel 2"
    assert Cache(cache_folder).get(KEY, builder).hit
    assert builder.builds == 2
    assert [entry.name for entry in rebuilt.kernel.parent.parent.iterdir()] == [KEY]


def test_a_failed_build_stores_nothing(cache_folder: Path) -> None:
    def fails() -> Built:
        raise CompileError("TW3013", "no")

    with pytest.raises(CompileError):
        Cache(cache_folder).get(KEY, fails)
    assert Cache(cache_folder).entries() == []


def test_sums_are_readable_by_sha256sum(cache_folder: Path) -> None:
    folder = Cache(cache_folder).get(KEY, Builder()).kernel.parent
    subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True, capture_output=True
    )


# One process: waits for the start time, then asks for all keys; prints how many kernels it built itself.
WORKER = """
import sys, time
from pathlib import Path
from tilewright.cache import Built, Cache, make_key
folder, start, log = Path(sys.argv[1]), float(sys.argv[2]), Path(sys.argv[3])
cache, built = Cache(folder), 0
def build():
    global built
    built += 1
    time.sleep(0.05)
    return Built(key.encode() * 1000, {"key of": key})
time.sleep(max(0.0, start - time.time()))
for number in range(8):
    key = make_key({"n": str(number)})
    entry = cache.get(key, build)
    assert entry.kernel.read_bytes() == key.encode() * 1000 and entry.metadata["key of"] == key
print(built)
"""


def _worker(folder: Path, start: float, code: str = WORKER) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder), str(start), "-"], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("locks", [True, False])
def test_concurrent_processes(cache_folder: Path, locks: bool) -> None:
    # Without locks (some network file systems have none) kernels may be built twice, but entries stay whole.
    code = WORKER if locks else "import fcntl\ndef no(*a): raise OSError\nfcntl.flock = no\n" + WORKER
    start = time.time() + 1.0
    workers = [_worker(cache_folder, start, code) for _ in range(6)]
    built = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    assert all(worker.returncode == 0 for worker in workers)
    assert sum(built) == 8 if locks else 8 <= sum(built) <= 48
    assert len(Cache(cache_folder).entries()) == 8
    assert not list((cache_folder / "kernels").rglob(".*"))


def test_concurrent_processes_repair_damage(cache_folder: Path) -> None:
    for number in range(8):
        key = make_key({"n": str(number)})
        entry = Cache(cache_folder).get(key, lambda: Built(b"old", {}))
        entry.kernel.write_bytes(b"bad")
    start = time.time() + 1.0
    workers = [_worker(cache_folder, start) for _ in range(4)]
    built = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    assert all(worker.returncode == 0 for worker in workers)
    assert sum(built) == 8


def test_a_killed_process_blocks_nobody(cache_folder: Path) -> None:
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom tilewright.cache import Cache\n"
        "def build():\n    print('building', flush=True)\n    time.sleep(600)\n"
        f"Cache(Path(sys.argv[1])).get({KEY!r}, build)\n"
    )
    worker = _worker(cache_folder, 0.0, code)
    assert worker.stdout is not None
    assert worker.stdout.readline() == "building\n"
    worker.send_signal(signal.SIGKILL)
    worker.wait(10)
    start = time.monotonic()
    assert not Cache(cache_folder).get(KEY, Builder()).hit
    assert time.monotonic() - start < 5


def test_forbidden(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILEWRIGHT_FORBID_COMPILE", "1")
    builder = Builder()
    with pytest.raises(CompileError) as caught:
        Cache(cache_folder).get(KEY, builder)
    assert caught.value.code == "TW3040"
    assert builder.builds == 0
    assert not cache_folder.exists()
    monkeypatch.delenv("TILEWRIGHT_FORBID_COMPILE")
    Cache(cache_folder).get(KEY, builder)
    monkeypatch.setenv("TILEWRIGHT_FORBID_COMPILE", "1")
    assert Cache(cache_folder).get(KEY, builder).hit


def test_unwritable_folder(tmp_path: Path) -> None:
    # Permissions do not stop a super-user; a file in place of the folder stops everybody.
    place = tmp_path / "file"
    place.write_text("in the way")
    builder = Builder()
    with pytest.raises(UsageError) as caught:
        Cache(place / "cache").get(KEY, builder)
    assert caught.value.code == "TW5001"
    assert str(place / "cache") in caught.value.what
    assert builder.builds == 0
    assert place.read_text() == "in the way"


def test_off_keeps_nothing(cache_folder: Path, tmp_path: Path) -> None:
    code = (
        "from tilewright import cache\n"
        f"e = cache.opened().get({KEY!r}, lambda: cache.Built(b'k', {{}}))\n"
        f"assert cache.opened().get({KEY!r}, lambda: 1 / 0).hit\nprint(e.kernel)"
    )
    environment = {**os.environ, "TILEWRIGHT_CACHE": "off", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(tmp_path))
    assert not Path(done.stdout.strip()).exists()
    assert not cache_folder.exists()
    assert not list(tmp_path.glob("tilewright-*"))


def test_size_limit_drops_the_least_recently_used(cache_folder: Path) -> None:
    cache = Cache(cache_folder, limit_bytes=3500)
    keys = [make_key({"n": str(n)}) for n in range(4)]
    for age, key in zip((300, 100, 200), keys, strict=False):
        entry = cache.get(key, lambda: Built(b"x" * 800, {}))
        moment = time.time() - age
        os.utime(entry.kernel.parent / "SHA256SUMS", (moment, moment))
    assert len(cache.entries()) == 3
    cache.get(keys[3], lambda: Built(b"x" * 800, {}))
    assert {folder.name for _, _, folder in cache.entries()} == {keys[1], keys[2], keys[3]}


@pytest.mark.parametrize(("text", "number"), [("1000", 1000), ("4K", 4096), ("2m", 2 << 20), ("1G", 1 << 30)])
def test_limit_setting(monkeypatch: pytest.MonkeyPatch, text: str, number: int) -> None:
    monkeypatch.setenv("TILEWRIGHT_CACHE_LIMIT", text)
    assert caches.opened().limit_bytes == number == settings.cache_limit_bytes()


@pytest.mark.parametrize(
    ("variable", "value"),
    [("TILEWRIGHT_CACHE", "maybe"), ("TILEWRIGHT_CACHE_LIMIT", "big"), ("TILEWRIGHT_CACHE_LIMIT", "-1")],
)
def test_bad_settings(monkeypatch: pytest.MonkeyPatch, variable: str, value: str) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError) as caught:
        caches.opened()
    assert caught.value.code == "TW5002"
    assert variable in caught.value.what
