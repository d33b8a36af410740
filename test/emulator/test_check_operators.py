"""The project's own operators in check mode, through Kernel.check and the command line: nothing is found."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("tilewright")

from hivmc_tools import missing_tools

import tilewright as tw
from tilewright import samples
from tilewright.cli.main import main
from tilewright.errors import UsageError
from tilewright.ops import registry

REASON = missing_tools()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("name", registry.NAMES)
def test_operators(name: str, dtype: str) -> None:
    op = registry.get(name)
    kernel = tw.compile(op)
    attributes = {"reduction": "none"} if any(a.name == "reduction" for a in op.attributes) else {}
    for size in (1, 33, 4097, 65_537):
        inputs = samples.random_inputs(op, (size,), dtype, seed=size, attributes=attributes)
        result = kernel.check(**inputs, **attributes)
        assert result.findings == (), str(result)
        assert result.instructions > 0


def test_options() -> None:
    op = registry.get("elu_backward")
    inputs: dict[str, Any] = samples.random_inputs(op, (100,), "f32", seed=1)
    for options, text in (
        ({"v_barrier": True}, "v_barriers"),
        ({"v_barriers": 1}, "a bool"),
        ({"uninitialized_memory": "one"}, '"nan" or "zero"'),
        ({"out_of_bounds_reads": "uninitialized"}, '"raise"'),
        ({"max_findings": 0}, "1 to"),
        ({"num_cores_or_threads": -1}, "0 to"),
    ):
        with pytest.raises(UsageError, match=text) as caught:
            tw.compile(op).check(**inputs, check_options=options)
        assert caught.value.code == "TW5008"


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["check", "elu_backward", "--shape", "3000", "--cores", "2", "--check", "num_cores_or_threads=1"]
    assert main(words) == 0
    assert "elu_backward: 0 hazards" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["passed"], data["hazards"], data["blocks"], data["findings"]) == (True, 0, 2, [])
    assert main(["check", "elu_backward", "--shape", "0"]) == 0
    assert "empty" in capsys.readouterr().out
    for wrong in ("lints", "lints=maybe", "light=true"):
        assert main(["check", "elu_backward", "--shape", "8", "--check", wrong]) == 2
        assert "TW5008" in capsys.readouterr().err
