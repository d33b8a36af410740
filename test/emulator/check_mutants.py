"""Mutations of a final module (module.hivm.opt.mlir) that a hazard checker has to notice.

Each mutant is the text with one synchronisation or address changed. Many do no harm: a buffer may be moved to
free bytes, an id may be exchanged everywhere; the test decides by values and by the checker.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_FLAG = re.compile(r"hivm\.hir\.(set|wait)_flag\[<PIPE_(\w+)>, <PIPE_(\w+)>, (.+)\]$")
_BARRIER = re.compile(r"hivm\.hir\.pipe_barrier\[<PIPE_(\w+)>\]$")
_CAST = re.compile(r"(\s*)(%\w+) = hivm\.hir\.pointer_cast\((%\w+)\) : memref<(\d+)x(\w+),")
_GM = re.compile(r"(\s*)(%\w+) = memref\.reinterpret_cast (%\w+) to offset: \[(%\w+)\]")
_CONSTANT = re.compile(r"\s*(%\w+) = arith\.constant (-?\d+) : i64$")


_WIDTH = {"f32": 4, "f16": 2, "bf16": 2, "i1": 0.125, "i32": 4, "i64": 8}

_CROSS = re.compile(r"hivm\.hir\.sync_block_(set|wait)\[")


class Mutant(NamedTuple):
    """Family of the change, a description, the changed module text."""

    family: str
    what: str
    text: str


class Flag(NamedTuple):
    line: int
    kind: str
    source: str
    target: str
    id: str
    depth: int


def _flags(lines: list[str]) -> list[Flag]:
    found: list[Flag] = []
    for number, line in enumerate(lines):
        match = _FLAG.search(line)
        if match:
            depth = (len(line) - len(line.lstrip())) // 2
            found.append(Flag(number, match[1], match[2], match[3], match[4], depth))
    return found


def _without(lines: list[str], *numbers: int) -> str:
    return "\n".join(line for i, line in enumerate(lines) if i not in numbers)


def _replaced(lines: list[str], changes: dict[int, str]) -> str:
    return "\n".join(changes.get(i, line) for i, line in enumerate(lines))


def _remove_flags(lines: list[str]) -> Iterator[Mutant]:
    flags = _flags(lines)
    waits = [f for f in flags if f.kind == "wait"]
    for one in flags:
        name = f"{one.source}->{one.target} {one.id}"
        yield Mutant(f"drop {one.kind}", f"line {one.line + 1}: {name}", _without(lines, one.line))
        if one.kind == "set":
            same = [w for w in waits if w[2:] == one[2:]]
            for wait in same[:1]:
                what = f"lines {one.line + 1}, {wait.line + 1}: {name}"
                yield Mutant("drop pair", what, _without(lines, one.line, wait.line))


def _swap_ids(lines: list[str]) -> Iterator[Mutant]:
    flags = _flags(lines)
    for i, one in enumerate(flags):
        for other in flags[i + 1 :]:
            alike = (one.kind, one.source, one.target, one.depth) == (
                other.kind, other.source, other.target, other.depth,
            )  # fmt: skip
            if alike and one.id != other.id:
                changes = {
                    one.line: lines[one.line].replace(one.id, other.id),
                    other.line: lines[other.line].replace(other.id, one.id),
                }
                what = f"lines {one.line + 1}, {other.line + 1}: {one.kind} {one.source}->{one.target}"
                yield Mutant("swap ids", what, _replaced(lines, changes))


def _move_flags(lines: list[str]) -> Iterator[Mutant]:
    """A wait behind the next call, a set before the previous one."""
    calls = [i for i, line in enumerate(lines) if "func.call @" in line]
    for one in _flags(lines):
        order = lines.copy()
        if one.kind == "wait":
            after = next((c for c in calls if c > one.line), None)
            if after is None:
                continue
            order.insert(after + 1, order[one.line])
            del order[one.line]
        else:
            before = next((c for c in reversed(calls) if c < one.line), None)
            if before is None:
                continue
            moved = order.pop(one.line)
            order.insert(before, moved)
        depth = {len(line) - len(line.lstrip()) for line in (lines[one.line],)}
        target = lines[after if one.kind == "wait" else before]
        if len(target) - len(target.lstrip()) not in depth:
            continue
        what = f"line {one.line + 1}: {one.source}->{one.target} {one.id}"
        yield Mutant(f"move {one.kind}", what, "\n".join(order))


def _remove_barriers(lines: list[str]) -> Iterator[Mutant]:
    for number, line in enumerate(lines):
        match = _BARRIER.search(line)
        if match:
            yield Mutant("drop barrier", f"line {number + 1}: {match[1]}", _without(lines, number))
    for number, line in enumerate(lines):
        if match := _CROSS.search(line):
            yield Mutant(f"drop cross {match[1]}", f"line {number + 1}", _without(lines, number))
    pair = [i for i, line in enumerate(lines) if _CROSS.search(line)][:2]
    if pair:
        yield Mutant("drop cross pair", f"line {pair[0] + 1}", _without(lines, *pair))


def _addresses(lines: list[str]) -> Iterator[Mutant]:
    constants = {m[1]: int(m[2]) for line in lines if (m := _CONSTANT.match(line))}
    casts = [(i, m) for i, line in enumerate(lines) if (m := _CAST.match(line)) and m[4] != "0"]
    for number, match in casts:
        space, name, operand, size, element = match.groups()
        old = constants[operand]
        length = int(int(size) * _WIDTH.get(element, 1))
        for shift in (4, 32, 4096, -32, -4096, length // 2 // 32 * 32):
            if old + shift < 0:
                continue
            what = f"line {number + 1}: {name} at {old} by {shift:+d}"
            text = _replaced(lines, {
                number: f"{space}%mutant = arith.constant {old + shift} : i64\n"
                + lines[number].replace(f"({operand})", "(%mutant)", 1)
            })  # fmt: skip
            yield Mutant("shift address", what, text)
        others = {constants[m[3]] for _, m in casts} - {old}
        for other in sorted(others):
            what = f"line {number + 1}: {name} from {old} onto {other}"
            text = _replaced(lines, {
                number: f"{space}%mutant = arith.constant {other} : i64\n"
                + lines[number].replace(f"({operand})", "(%mutant)", 1)
            })  # fmt: skip
            yield Mutant("overlap", what, text)
    # A buffer that is too small: the next one in UB starts at its half.
    placed = sorted({(constants[m[3]], int(int(m[4]) * _WIDTH.get(m[5], 1))) for _, m in casts})
    for (low, size), (high, _) in pairwise(placed):
        half = low + size // 2 // 32 * 32
        if low < half < high <= low + size + 31:
            changes = {
                number: f"{match[1]}%mutant{number} = arith.constant {half} : i64\n"
                + lines[number].replace(f"({match[3]})", f"(%mutant{number})", 1)
                for number, match in casts
                if constants[match[3]] == high
            }
            yield Mutant("shrink", f"{size} bytes at {low} to half", _replaced(lines, changes))
    for number, line in enumerate(lines):
        gm = _GM.match(line)
        if gm:
            space, name, base, offset = gm.groups()
            for shift in (1, -1, 64):
                text = _replaced(lines, {
                    number: f"{space}%by = arith.constant {shift} : index\n"
                    f"{space}%mutant = arith.addi {offset}, %by : index\n"
                    + line.replace(f"[{offset}]", "[%mutant]", 1)
                })  # fmt: skip
                yield Mutant("shift GM", f"line {number + 1}: {name} of {base} by {shift:+d} elements", text)


def mutants(module: str) -> list[Mutant]:
    """All mutants of a module in a fixed order; texts that occur twice are given once."""
    lines = module.splitlines()
    seen = {module}
    found: list[Mutant] = []
    for family in (_remove_flags, _swap_ids, _move_flags, _remove_barriers, _addresses):
        for mutant in family(lines):
            if mutant.text not in seen:
                seen.add(mutant.text)
                found.append(mutant)
    return found


def spread(every: list[Mutant], count: int) -> list[Mutant]:
    """About ``count`` of them, from all families in turn, evenly over each family."""
    families: dict[str, list[Mutant]] = {}
    for mutant in every:
        families.setdefault(mutant.family, []).append(mutant)
    chosen: list[Mutant] = []
    share = -(-count // len(families)) if families else 0
    for members in families.values():
        step = max(1, len(members) // share)
        chosen += members[len(chosen) % step :: step][:share]
    return chosen


def thorough(every: list[Mutant], overlaps: int) -> list[Mutant]:
    """All of them, of the family "overlap" evenly chosen ones, at most that many."""
    pairs = [mutant for mutant in every if mutant.family == "overlap"]
    kept = {id(pairs[i * len(pairs) // overlaps]) for i in range(overlaps)} if pairs else set[int]()
    return [mutant for mutant in every if mutant.family != "overlap" or id(mutant) in kept]
