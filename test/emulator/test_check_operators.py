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


#: Shapes of operators with channels: together they take every schedule of the planner.
CHANNELS = ((5, 3), (3, 70), (2, 3, 1500), (4, 37, 7, 7), (3, 66, 90), (3000, 3), (700, 70), (6, 2, 9000))


def shapes_of(name: str) -> tuple[tuple[int, ...], ...]:
    axes = next(t.spec.axes for t in registry.get(name).tensors if t.spec.kind == "tensor")
    if len(axes) == 1:
        return (1,), (33,), (4097,), (65_537,)
    return tuple(s for s in CHANNELS if len(s) >= len(axes) - any(a.startswith("*") for a in axes))


@pytest.mark.parametrize("dtype", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("name", registry.NAMES)
def test_operators(name: str, dtype: str) -> None:
    op = registry.get(name)
    kernel = tw.compile(op)
    known = {a.name for a in op.attributes}
    attributes = {k: v for k, v in {"reduction": "none", "training": True}.items() if k in known}
    for number, shape in enumerate(shapes_of(name)):
        if len(shape) > 2 and not any(a.startswith("*") for t in op.tensors for a in t.spec.axes):
            continue
        inputs = samples.random_inputs(op, shape, dtype, seed=number, attributes=attributes)
        result = kernel.check(**inputs, **attributes)
        assert result.findings == (), f"{shape}: {result}"
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
