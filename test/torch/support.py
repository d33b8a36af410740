"""Reference values in float64, samples for every operator, programs in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

#: Sizes of the axes that the operators name.
_SIZES = {"N": (3,), "C": (5,), "R": (2,), "*S": (4, 3), "*B": (2, 3), "H": (7,), "K": (7,)}


def sample(form: Any, device: str, dtype: Any = None) -> tuple[list[Any], dict[str, Any]]:
    """Arguments of an operator, all optional tensors present: positional and keyword ones."""
    import torch

    op = form.op
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for argument in form.arguments:
        spec = next((t.spec for t in op.tensors if t.name == argument.name), None)
        if spec is None:
            value = _attribute(form, argument)
        elif getattr(spec, "counts", False):
            value = torch.tensor([7, 9]).to(device)
        elif argument.name == "grad_output" and "reduction" in op.attribute_names:
            value = torch.rand(1).to(device, dtype or torch.float32)
        else:
            shape = [n for axis in spec.axes for n in _SIZES.get(axis, (6,))]
            value = (torch.rand(shape) * 0.8 + 0.1).to(device, dtype or torch.float32)
        if argument.keyword_only:
            kwargs[argument.name] = value
        else:
            args.append(value)
    return args, kwargs


def _attribute(form: Any, argument: Any) -> Any:
    given = {
        "training": True,
        "eps": 1e-5,
        "momentum": 0.25,
        "alpha": 1.5,
        "scale": 0.75,
        "input_scale": 1.25,
    }
    if argument.name in given:
        return given[argument.name]
    attribute = next(a for a in form.op.attributes if a.name == argument.name)
    if argument.kind == "I":
        return 1
    return list(attribute.default) if argument.kind == "B" else attribute.default


def close(found: Any, expected: Any, rtol: float = 5e-6, atol: float = 1e-6) -> None:
    """Compare with a float64 reference."""
    import torch

    torch.testing.assert_close(
        found.detach().cpu().double(), expected.detach().double(), rtol=rtol, atol=atol, check_stride=False
    )


def run(script: str, *, plain: bool = False, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process of its own; not ``plain``: with the emulated CANN and ``torch`` at hand."""
    head = (
        ""
        if plain
        else "import tilewright.emulated as emulated\nemulated.activate()\nimport torch, torch_npu\n"
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TILEWRIGHT_ACL_")}
    done = subprocess.run(
        [sys.executable, "-c", head + textwrap.dedent(script)],
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
        cwd=Path(__file__).parent,
        env={**clean, **environment},
    )
    done.stdout = without_greeting(done.stdout)
    return done


def without_greeting(text: str) -> str:
    """What a program printed, without the line that torch_npu prints when it is imported without CANN."""
    return text.replace("Warning: ASCEND_HOME_PATH environment variable is not set.\n", "")
