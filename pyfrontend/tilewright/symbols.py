"""Functions and source lines behind addresses of a kernel object."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from tilewright.graph import Site

#: The file that hivmc names for nodes of a traced operator: node N is its line N + 1
#: (emulator/hivmc/LineTables.h).
GRAPH_FILE = "tw.graph"

#: The twin of a function that check and time mode run (emulator/hivmc/Observed.h).
_OBSERVED = "tw_observed_"

_Lines = dict[int, str]


class Symbols:
    """Function symbols of an ELF object."""

    def __init__(self, path: Path) -> None:
        self.functions: list[tuple[int, int, str]] = []
        try:
            self._read(path.read_bytes())
        except (OSError, struct.error, IndexError, UnicodeDecodeError):
            self.functions = []  # findings then name offsets in the object

    def _read(self, data: bytes) -> None:
        if data[:4] != b"\x7fELF":
            return
        start = struct.unpack_from("<Q", data, 0x28)[0]
        size, count = struct.unpack_from("<HH", data, 0x3A)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, start + i * size) for i in range(count)]
        for section in sections:
            if section[1] != 2:  # SHT_SYMTAB
                continue
            strings = sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, kind, _, _, value, length = struct.unpack_from("<IBBHQQ", data, at)
                if kind & 15 == 2 and length:  # STT_FUNC
                    text = data[strings + name : data.index(b"\0", strings + name)]
                    self.functions.append((value, length, text.decode()))
        self.functions.sort()

    def find(self, offset: int) -> tuple[str, int]:
        """The function at ``offset`` and the distance from its start; ("", offset) if there is none."""
        for value, length, name in self.functions:
            if value <= offset < value + length:
                return name.removeprefix(_OBSERVED), offset - value
        return "", offset


@lru_cache(maxsize=32)
def symbols(path: str) -> Symbols:
    """The symbols of the object at ``path``, read once."""
    return Symbols(Path(path))


@lru_cache(maxsize=32)
def _known(path: str) -> _Lines:
    """Lines found so far."""
    return {}


def _ask(path: str, offsets: Sequence[int]) -> list[str]:
    tool = shutil.which("llvm-symbolizer-19") or shutil.which("llvm-symbolizer")
    if tool is None or not offsets:
        return [""] * len(offsets)
    try:
        result = subprocess.run(
            [
                *(tool, f"--obj={path}", "--output-style=LLVM", "--inlines", "--functions=none"),
                *map(hex, offsets),
            ],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return [""] * len(offsets)
    # One group of frames an address, the innermost first, blank lines between.
    found = [group.split("\n") for group in result.stdout.strip().split("\n\n")]
    if result.returncode or len(found) != len(offsets):
        return [""] * len(offsets)
    return [_own(frames) for frames in found]


def _own(frames: Sequence[str]) -> str:
    """The innermost frame outside the Ascend C headers, "file:line"; an instruction is the caller's there."""
    for frame in frames:
        text = frame.strip().rpartition(":")[0]  # without the column
        file, _, number = text.rpartition(":")
        if not file or file.startswith("?") or number in ("0", "?"):
            continue
        folder = Path(file).parent
        if folder.name != "ascendc" or not (folder.parent / "kernel_operator.h").exists():
            return text
    return ""


def prepare(path: str, offsets: Iterable[int]) -> None:
    """Look up the lines of many addresses in one go."""
    known = _known(path)
    missing = sorted(set(offsets) - known.keys())
    known.update(zip(missing, _ask(path, missing), strict=True))


#: From file and line of the object's line tables to what a reader knows, "file:line".
Sources = Callable[[str, int], str]


def line(path: str, offset: int, sources: Sources | None = None) -> str:
    """ "file:line" of an address by the object's line tables, or "" if it has none."""
    prepare(path, [offset])
    text = _known(path)[offset]
    file, colon, number = text.rpartition(":")
    return sources(file, int(number)) if colon and sources and number.isdigit() else text


def graph_sources(sites: Sequence[Site]) -> Sources:
    """Lines of the object of an operator whose nodes are written at ``sites``."""

    def find(file: str, number: int) -> str:
        if Path(file).name == GRAPH_FILE:
            return f"{sites[number - 1].file}:{sites[number - 1].line}" if 0 < number <= len(sites) else ""
        return f"{file}:{number}"

    return find


def file_sources(name: str) -> Sources:
    """Lines of the object of a module file ``name``, which was compiled under another name."""

    def find(file: str, number: int) -> str:
        return f"{name if Path(file).name in _COMPILED else file}:{number}"

    return find


#: Names under which module text is handed to the tools.
_COMPILED = ("hivm.mlir", "module.hivm.opt.mlir")
