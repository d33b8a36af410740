"""Temporary files and folders.

``tempfile`` and ``shutil`` take milliseconds to import and a cache hit needs neither, so they are imported
here, when something is written.
"""

from __future__ import annotations

import os
from pathlib import Path

from tilewright.errors import UsageError


def make(prefix: str, parent: Path | None = None) -> Path:
    """A new folder in ``parent`` (None: the system's temporary folder). Raises OSError."""
    import tempfile

    return Path(tempfile.mkdtemp(prefix=prefix, dir=parent))


def work_folder() -> Path:
    """A new folder for the files of one tool run. Raises UsageError TW5001 if there can be none."""
    try:
        return make("tilewright-")
    except OSError as error:
        raise UsageError(
            "TW5001",
            f"no temporary folder can be written: {error.strerror or error}",
            hint="set TMPDIR to a folder with free space",
        ) from error


def make_file(prefix: str, parent: Path, data: bytes = b"") -> Path:
    """A new file with ``data`` in ``parent``. Raises OSError."""
    import tempfile

    handle, name = tempfile.mkstemp(prefix=prefix, dir=parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    return Path(name)


def remove(folder: Path) -> None:
    """Remove a folder and what is in it; never raises."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


def temporary() -> Path:
    """The system's temporary folder."""
    import tempfile

    return Path(tempfile.gettempdir())
