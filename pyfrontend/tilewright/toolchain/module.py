"""Reading the final module (``module.hivm.opt.mlir``) as text.

The module is printed by a patched MLIR; stock parsers reject some of it, and a cold compilation has no time
for a second parse. Everything the acceptance checks and the reports need is visible line by line: MLIR prints
one operation a line and one function header a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

_FUNCTION = re.compile(r"^\s*func\.func (?P<private>private )?@(?P<name>[\w.$-]+)\(")
_CONSTANT = re.compile(r"^\s*(%[\w#]+) = arith\.constant (-?\d+) : i64$")
_POINTER_CAST = re.compile(r"hivm\.hir\.pointer_cast\((%[\w#]+)[^)]*\).*: memref<((?:\d+x)+)(\w+)")
_FLAG = re.compile(r"hivm\.hir\.(set_flag|wait_flag|pipe_barrier)\[<(\w+)>")
_LOOP = re.compile(r"\b(?:scf\.(?:for|while|parallel)|affine\.(?:for|parallel))\b")

_BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "f16": 16, "bf16": 16, "f32": 32, "f64": 64}


@dataclass(frozen=True)
class Function:
    """A function header: name, number of parameters, whether only declared, 1-based line, whole line."""

    name: str
    parameters: int
    private: bool
    line: int
    text: str


@dataclass(frozen=True)
class Buffer:
    """A UB buffer with a static address: offset and size in bytes, element type, 1-based line."""

    offset: int
    size: int
    element: str
    line: int


@dataclass
class Synchronisation:
    """Numbers of flag and barrier operations in the text (not executed ones)."""

    set_flags: int = 0
    wait_flags: int = 0
    barriers: int = 0
    full_barriers: int = 0


#: A location behind an operation or an argument, and a line that only defines an alias of one.
_LOCATION = re.compile(r' loc\((?:#loc\d*|unknown|(?:[^()"]|"[^"]*"|\((?:[^()"]|"[^"]*")*\))*)\)')
_ALIAS = re.compile(r"^#loc\d* = .*\n", re.MULTILINE)


def without_locations(text: str) -> str:
    """The module without the locations that ``--enable-debug-info`` puts into it."""
    return _LOCATION.sub("", _ALIAS.sub("", text)) if "loc(" in text else text


def parameter_count(header: str) -> int:
    """Number of parameters in the first parenthesised list of ``header``."""
    depth, count, seen = 0, 0, False
    quoted = False
    previous = ""
    for character in header[header.index("(") :]:
        if character == '"':
            quoted = not quoted
        elif not quoted:
            if character in "([{<":
                depth += 1
            elif character in ")]}" or (character == ">" and previous != "-"):
                depth -= 1
                if depth == 0:
                    break
            elif character == "," and depth == 1:
                count += 1
            elif not character.isspace():
                seen = True
        previous = character
    return count + 1 if seen else 0


@dataclass
class FinalModule:
    """The text of a final module and what can be read from it."""

    text: str
    lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = self.text.splitlines()

    @cached_property
    def functions(self) -> list[Function]:
        """All function headers in order."""
        found = list[Function]()
        for number, line in enumerate(self.lines, start=1):
            match = _FUNCTION.match(line)
            if match is not None:
                private = match["private"] is not None
                found.append(Function(match["name"], parameter_count(line), private, number, line))
        return found

    @cached_property
    def buffers(self) -> list[Buffer]:
        """UB buffers with static addresses, by offset; empty placeholders (``memref<0xT>``) are left out."""
        constants = dict[str, int]()
        found = list[Buffer]()
        for number, line in enumerate(self.lines, start=1):
            constant = _CONSTANT.match(line)
            if constant is not None:
                constants[constant[1]] = int(constant[2])
                continue
            cast = _POINTER_CAST.search(line)
            if cast is None or "address_space<ub>" not in line or cast[1] not in constants:
                continue
            elements = 1
            for extent in cast[2].rstrip("x").split("x"):
                elements *= int(extent)
            size = -(-elements * _BITS.get(cast[3], 64) // 8)
            if size:
                found.append(Buffer(constants[cast[1]], size, cast[3], number))
        return sorted(found, key=lambda buffer: (buffer.offset, buffer.line))

    @property
    def ub_bytes(self) -> int:
        """Highest UB byte that a static buffer reaches."""
        return max((buffer.offset + buffer.size for buffer in self.buffers), default=0)

    @cached_property
    def synchronisation(self) -> Synchronisation:
        """Counts of flags and barriers; every kernel ends with one full barrier."""
        counts = Synchronisation()
        for line in self.lines:
            match = _FLAG.search(line)
            if match is None:
                continue
            if match[1] == "set_flag":
                counts.set_flags += 1
            elif match[1] == "wait_flag":
                counts.wait_flags += 1
            else:
                counts.barriers += 1
                counts.full_barriers += match[2] == "PIPE_ALL"
        return counts

    def lines_in_loops(self) -> Iterator[tuple[int, str]]:
        """(1-based number, text) of every line inside a loop's region, the loop's own first line excluded."""
        ends = list[int]()
        for number, line in enumerate(self.lines, start=1):
            indent = len(line) - len(line.lstrip())
            # MLIR's printer indents regions, so a loop ends at the first closing brace with its own
            # indentation.
            if ends and indent == ends[-1] and line.lstrip().startswith("}"):
                ends.pop()
                continue
            if ends:
                yield number, line
            if _LOOP.search(line) is not None and line.rstrip().endswith("{"):
                ends.append(indent)
