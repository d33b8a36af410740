"""Mutations of final modules for the fuzz test, for a parser, a verifier or a lowering to stumble over."""

from __future__ import annotations

import random
import re

_NUMBER = re.compile(r"-?\b\d+\b")
_WORD = re.compile(r"[A-Za-z_][A-Za-z_0-9.]*")
_TYPE = re.compile(r"memref<[^()]*?>>|\b[if]\d+\b|\bindex\b|\bbf16\b")
_CONSTANT = re.compile(r"arith\.constant (-?\d+) :")
_SIBLINGS = (
    ("PIPE_S", "PIPE_V", "PIPE_MTE2", "PIPE_MTE3", "PIPE_ALL", "PIPE_M", "PIPE_FIX", "PIPE_V2"),
    ("EVENT_ID0", "EVENT_ID1", "EVENT_ID2", "EVENT_ID7"),
    ("addi", "subi", "muli", "divsi", "remsi", "minsi", "maxsi", "shli", "floordivsi", "ceildivsi"),
    ("gm", "ub", "cbuf", "ca", "zero"),
    ("float", "half", "int32_t", "bool", "int8_t", "bfloat16_t", "int64_t"),
    ("1d", "2d", "3d", "9d"),
    ("set_flag", "wait_flag", "pipe_barrier", "sync_block_set", "sync_block_wait"),
    ("aiv_bitcode", "aic_bitcode", "mix_aiv_bitcode", "host_bitcode"),
    ("AIV", "AIC", "MIX"),
    ("DEVICE", "HOST"),
)
_VALUE = re.compile(r"%[a-zA-Z0-9_]+")


def _swap(text: str, pattern: re.Pattern[str], rng: random.Random) -> str:
    """One occurrence of the pattern becomes a copy of another."""
    found = list(pattern.finditer(text))
    if len(found) < 2:
        return text
    target, source = rng.choice(found), rng.choice(found)
    return text[: target.start()] + source.group() + text[target.end() :]


def _number(text: str, rng: random.Random) -> str:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    target = rng.choice(found)
    value = rng.choice(
        ["0", "1", "-1", "7", "8", "64", "255", "2147483648", "-9223372036854775808", "1" + "0" * 30]
    )
    return text[: target.start()] + value + text[target.end() :]


def _lines(text: str, rng: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    action = rng.randrange(3)
    if action == 0:
        del lines[i]
    elif action == 1:
        lines.insert(j, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return "".join(lines)


def _constant(text: str, rng: random.Random) -> str:
    """Another value of an integer constant: sizes, offsets, event ids and modes change, types stay."""
    found = list(_CONSTANT.finditer(text))
    if not found:
        return text
    target = rng.choice(found)
    value = rng.choice(["0", "1", "-1", "3", "8", "31", "4097", "65536", "-2147483648", "2147483647"])
    return text[: target.start(1)] + value + text[target.end(1) :]


def _statement(text: str, rng: random.Random) -> str:
    """A statement without results disappears, comes twice, or moves."""
    lines = text.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if re.match(r"\s+(func\.call|call|hivm\.hir\.\w*_)", line)]
    if not places:
        return text
    i, j = rng.choice(places), rng.choice(places)
    action = rng.randrange(3)
    if action == 0:
        del lines[i]
    elif action == 1:
        lines.insert(i, lines[i])
    else:
        lines[i], lines[j] = lines[j], lines[i]
    return "".join(lines)


def _keyword(text: str, rng: random.Random) -> str:
    """An operation or enumeration name becomes a sibling."""
    group = rng.choice(_SIBLINGS)
    found = list(re.finditer(r"\b(" + "|".join(group) + r")\b", text))
    if not found:
        return text
    target = rng.choice(found)
    return text[: target.start()] + rng.choice(group) + text[target.end() :]


def _bytes(text: str, rng: random.Random) -> str:
    position, length = rng.randrange(len(text)), rng.choice([1, 1, 2, 5, 40, 400])
    action = rng.randrange(3)
    if action == 0:
        return text[:position] + text[position + length :]
    if action == 1:
        return text[:position] + text[rng.randrange(len(text)) :][:length] + text[position:]
    return text[:position] + chr(rng.randrange(1, 256)) + text[position + 1 :]


def mutate(text: str, seed: int) -> str:
    """A damaged version of `text`; the same seed gives the same damage."""
    rng = random.Random(seed)
    if rng.random() < 0.05:
        return text[: rng.randrange(len(text))]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        action = rng.randrange(12)
        if action == 0:
            text = _swap(text, _VALUE, rng)
        elif action == 1:
            text = _swap(text, _TYPE, rng)
        elif action == 2:
            text = _swap(text, _WORD, rng)
        elif action == 3:
            text = _number(text, rng)
        elif action == 4:
            text = _lines(text, rng)
        elif action == 5:
            text = _bytes(text, rng)
        elif action <= 7:
            text = _constant(text, rng)
        elif action <= 9:
            text = _statement(text, rng)
        else:
            text = _keyword(text, rng)
    return text
