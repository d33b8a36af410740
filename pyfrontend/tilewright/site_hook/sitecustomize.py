"""Imported by every Python process under ``tilewright emulate``; imports another one, if any."""

import importlib.machinery
import importlib.util
import sys
from pathlib import Path

from tilewright import emulated

emulated.adopt()

_here = Path(__file__).resolve().parent
_others = [entry for entry in sys.path if Path(entry or ".").resolve() != _here]
_spec = importlib.machinery.PathFinder.find_spec("sitecustomize", _others)
if _spec is not None and _spec.loader is not None:
    _spec.loader.exec_module(importlib.util.module_from_spec(_spec))
