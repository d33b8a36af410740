"""One line of ``tilewright doctor``."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """What, whether it is fine (None: not needed), its state, what to do."""

    name: str
    ok: bool | None
    value: str
    hint: str = ""
