"""The command line: ``tilewright ops | run | compile | doctor``."""

from __future__ import annotations

from tilewright.cli.main import main

__all__ = ["main"]
