"""Every error injected into a reference is caught, with the right message and the kernel's line."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from injected import ALL, COMPILED, HAZARDS, MARK, Injected

from tilewright.ascendc import references
from tilewright.ascendc.references import Call
from tilewright.check import Check
from tilewright.errors import CompileError, ExecutionError, Location

RNG = np.random.default_rng(1)


def _elu(n: int, dtype: type, cores: int | None = None) -> Call:
    x, g = (RNG.standard_normal(n).astype(dtype) for _ in range(2))
    return references.elu_grad_v2(g, x, cores=cores)


def _norm(shape: tuple[int, ...], cores: int) -> Call:
    x, g = (RNG.standard_normal(shape).astype(np.float32) for _ in range(2))
    ones = np.ones(shape[1], np.float32)
    return references.batch_normalization_grad(g, x, ones, ones * 0, ones, cores=cores)


def _bce() -> Call:
    p = RNG.uniform(0, 1, 1000).astype(np.float32)
    return references.binary_cross_entropy_grad(p[:1], p, p, p, reduction="sum")


CALLS: dict[str, Callable[[], Call]] = {
    "elu": lambda: _elu(60001, np.float32, 2),
    "elu_two_tiles": lambda: _elu(6000, np.float32, 1),
    "elu_small": lambda: _elu(1000, np.float32),
    "elu_bf16": lambda: _elu(60001, ml_dtypes.bfloat16, 2),
    "norm": lambda: _norm((4, 3, 100), 1),
    "norm_groups": lambda: _norm((2, 600, 4), 1),
    "bce": _bce,
}


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of kernels_ref that the reference module uses."""
    original = references.folder()
    copy = tmp_path / "kernels_ref"
    shutil.copytree(original, copy)
    monkeypatch.setattr(references, "folder", lambda: copy)
    references._kernel.cache_clear()
    yield copy
    references._kernel.cache_clear()


def _inject(sources: Path, error: Injected) -> int | None:
    """Change the source; the line of the mark."""
    path = sources / error.file
    text = path.read_text()
    for old, new in ((error.old, error.new), *error.more):
        # Sources are laid out by clang-format: any white space stands for any.
        pattern = r"\s+".join(re.escape(word) for word in old.split())
        assert re.search(pattern, text), f"{error.file} does not contain {old!r}"
        text = re.sub(pattern, lambda _, new=new: new, text, count=1)  # type: ignore[misc]
    path.write_text(text)
    marked = [i for i, line in enumerate(text.splitlines(), 1) if MARK in line]
    assert len(marked) <= 1
    return marked[0] if marked else None


def _at(place: Location | None, error: Injected, line: int | None) -> None:
    if line is None:
        return
    assert place is not None
    assert Path(place.file).name == Path(error.file).name
    assert place.line == line


def test_there_are_enough() -> None:
    assert len(ALL) >= 40
    assert len({error.name for error in ALL}) == len(ALL)


@pytest.mark.parametrize("call", sorted(CALLS))
def test_nothing_is_found_without_an_error(call: str) -> None:
    made = CALLS[call]()
    made.run()
    result = made.check()
    assert not result.findings, str(result)


@pytest.mark.parametrize("error", [e for e in ALL if e.code.startswith("TW4")], ids=lambda e: e.name)
def test_stops_the_launch(error: Injected, sources: Path) -> None:
    line = _inject(sources, error)
    call = CALLS[error.call]()
    with pytest.raises(ExecutionError, match=error.says) as caught:
        call.run()
    assert caught.value.code == error.code
    _at(caught.value.location, error, line)
    # Check mode says the same as a finding.
    found = [f for f in call.check().findings if error.code in f.message or f.kind == "wait_without_set"]
    assert found
    if line is not None and found[0].second is not None:
        name, _, number = found[0].second.location.rpartition(":")
        assert (Path(name).name, int(number)) == (Path(error.file).name, line)


def _lines(result: Check, kind: str) -> list[tuple[str, int]]:
    places = list[tuple[str, int]]()
    for finding in result.findings:
        if finding.kind == kind:
            for instruction in (finding.first, finding.second):
                if instruction is not None and instruction.location:
                    name, _, number = instruction.location.rpartition(":")
                    places.append((Path(name).name, int(number)))
    return places


@pytest.mark.parametrize("error", HAZARDS, ids=lambda e: e.name)
def test_is_a_hazard(error: Injected, sources: Path) -> None:
    line = _inject(sources, error)
    result = CALLS[error.call]().check()
    found = [f for f in result.findings if f.kind == error.code and re.search(error.says, f.message)]
    assert found, str(result)
    if line is not None:
        assert (Path(error.file).name, line) in _lines(result, error.code)


@pytest.mark.parametrize("error", COMPILED, ids=lambda e: e.name)
def test_does_not_compile(error: Injected, sources: Path) -> None:
    line = _inject(sources, error)
    with pytest.raises(CompileError, match=error.says) as caught:
        CALLS[error.call]()
    assert caught.value.code == "TW3200"
    _at(caught.value.location, error, line)
