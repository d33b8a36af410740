"""torch_npu loads itself with torch and needs CANN; only test/torch, which emulates one, wants that."""

from __future__ import annotations

import os

os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
