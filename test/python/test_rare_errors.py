"""Errors that need a broken environment, or a way around the command line, to be seen."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright as tw
from tilewright import compiler, samples, targets
from tilewright.binding import shape_signature
from tilewright.ops import registry


def test_no_linker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """TILEWRIGHT_LLD names the linker of hivmc; the code of hivmc is the code of the error."""
    monkeypatch.setenv("TILEWRIGHT_LLD", str(tmp_path / "ld.lld"))
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path / "cache"))
    signature = shape_signature(registry.get("elu"), {"self": (8,)}, {"self": "f32"})
    request = compiler.request(signature.variant, signature.layout, targets.get("Ascend910B4"))
    with pytest.raises(tw.CompileError) as caught:
        compiler.build(request)
    assert caught.value.code == "TW3109"
    assert caught.value.bundle is not None


def test_random_inputs_of_a_type_that_the_operator_does_not_take() -> None:
    with pytest.raises(tw.UsageError) as caught:
        samples.random_inputs(registry.get("elu"), (8,), "i32")
    assert caught.value.code == "TW5102"
    assert "f16" in caught.value.expected
