"""The operators in torch: ``import tilewright.torch`` defines ``torch.ops.tilewright.*``.

They take tensors in host memory (the kernel runs on the emulated cores) and on ``npu`` devices (it is
launched on the current stream, by CANN or by the emulated one). Autograd, ``torch.compile``,
``torch.export`` and autocast work as with torch's own operators.

    import torch, tilewright.torch
    torch.ops.tilewright.elu(torch.randn(8, requires_grad=True), 1.0, 1.0, 1.0).sum().backward()
"""

from __future__ import annotations

from tilewright.errors import MissingError

try:
    from torch import library as _library  # a folder called torch is no torch
except (ImportError, RuntimeError) as _error:
    raise MissingError(
        "TW5404",
        f"torch is not installed or cannot be imported: {str(_error).partition(chr(10))[0]}",
        expected="torch 2.10 or later",
        hint="python -m pip install torch; everything of tilewright but tilewright.torch works without it. "
        "If torch_npu is installed but CANN is not, activate the emulated CANN first "
        "(tilewright.emulated.activate()) or set TORCH_DEVICE_BACKEND_AUTOLOAD=0",
    ) from _error
del _library

from tilewright.torch import operators as _operators  # noqa: E402
from tilewright.torch.override import override_aten as override_aten  # noqa: E402
from tilewright.torch.plans import launches as launches  # noqa: E402

_operators.define()

__all__ = ["launches", "override_aten"]
