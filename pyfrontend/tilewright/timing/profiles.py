"""Profiles of the timing model: constants with ranges and sources, read from data files.

A profile is ``profiles/NAME.json`` next to the emulator library (in the sources: emulator/profiles). It may
extend another one; constants it names replace those of the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tilewright import native, targets
from tilewright.errors import UsageError, nearest
from tilewright.targets import Target

FOLDER = "profiles"
RATES = "vector_rates"
#: The part on which the published case studies ran.
CALIBRATION = "A2-calibration"


@dataclass(frozen=True)
class Constant:
    """One constant of the model.

    Attributes:
        value: what is used.
        low, high: where it may be; equal to ``value`` if it is not varied.
        unit: for people.
        confidence: H (vendor document or measurement, or two agreeing sources), M (one vendor-like source, or
            arithmetic on vendor numbers), L (inference, or sources disagree).
        source: where it is from.
    """

    value: float
    low: float
    high: float
    unit: str
    confidence: str
    source: str


@dataclass(frozen=True)
class Profile:
    """All constants of a device.

    Attributes:
        name: the profile's name; for targets the target's.
        about: one sentence.
        constants: by name.
    """

    name: str
    about: str
    constants: Mapping[str, Constant]

    def value(self, name: str) -> float:
        """The value of constant ``name``."""
        return self.constants[name].value

    def as_options(self) -> dict[str, list[float]]:
        """[value, low, high] by name, as the model takes it."""
        return {name: [c.value, c.low, c.high] for name, c in self.constants.items()}

    def replaced(self, values: Mapping[str, float]) -> Profile:
        """A profile with some values fixed (their ranges collapse).

        Raises:
            UsageError: TW5201 for a name that is no constant.
        """
        changed = dict(self.constants)
        for name, value in values.items():
            if name not in changed:
                raise UsageError(
                    "TW5201", f"the timing model has no constant {name!r}", hint=nearest(name, changed)
                )
            old = changed[name]
            changed[name] = Constant(value, value, value, old.unit, old.confidence, "given by the user")
        return Profile(self.name, self.about, changed)


def _bad(path: Path, what: str) -> UsageError:
    return UsageError(
        "TW5201",
        f"the profile {path} is not usable: {what}",
        expected="a file like those of emulator/profiles",
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _bad(path, str(error)) from error
    if not isinstance(data, dict) or data.get("format") != 1:
        raise _bad(path, "it has no format 1")
    return data


def _constant(path: Path, name: str, entry: Any) -> Constant:
    try:
        found = Constant(
            float(entry["value"]), float(entry["low"]), float(entry["high"]),
            str(entry["unit"]), str(entry["confidence"]), str(entry["source"]),
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise _bad(path, f"constant {name} lacks or misstates {error}") from error
    if not found.low <= found.value <= found.high or found.confidence not in ("H", "M", "L"):
        raise _bad(path, f"constant {name} is not low <= value <= high with confidence H, M or L")
    return found


def _load(path: Path, depth: int = 0) -> tuple[str, str, dict[str, Constant]]:
    data = _read(path)
    constants: dict[str, Constant] = {}
    if "extends" in data:
        if depth > 4:
            raise _bad(path, "profiles extend each other in a circle")
        _, _, constants = _load(_path(str(data["extends"])), depth + 1)
    for name, entry in data.get("constants", {}).items():
        constants[name] = _constant(path, name, entry)
    return str(data.get("name", path.stem)), str(data.get("about", "")), constants


def _path(name: str) -> Path:
    return native.path(f"{FOLDER}/{name}.json")


@lru_cache(maxsize=64)
def _known(name: str) -> Profile:
    return Profile(*_load(_path(name)))


def profile(name: str | Target | Path) -> Profile:
    """The profile of a target, one by name (``A2-calibration``), or one of the user's own files.

    Raises:
        UsageError: TW5201 if the file is damaged, TW5003 if there is no such target.
        CompileError: TW3003 if the data files are not installed.
    """
    if isinstance(name, Path):
        return Profile(*_load(name))
    if isinstance(name, str) and name == CALIBRATION:
        return _known(name)
    return _known(targets.get(name).name)


@lru_cache(maxsize=1)
def rates() -> dict[str, dict[str, float]]:
    """Cycles of vector instructions by prefix of their names, as the model takes them."""
    path = _path(RATES)
    table = _read(path).get("rates", {})
    return {
        name: {key: float(value) for key, value in entry.items() if key not in ("source", "confidence")}
        for name, entry in table.items()
    }
