"""Failure bundles: a folder with everything needed to look at a failed stage again.

Nothing is written on success; the texts are in memory anyway.
"""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tilewright import settings
from tilewright.toolchain.process import Run

#: Older bundles are removed when a new one is written.
KEEP = 50


@dataclass
class Evidence:
    """What is known when a stage fails.

    Attributes:
        stage: name of the failed stage.
        stages: file name -> text, in order; the input of the failed stage is the last one that exists.
        input_name: the file of ``stages`` that the failed command read, or "".
        run: the failed run, or None if no tool was involved.
        arguments: the failed command with ``{input}`` and ``{output}`` in place of its files.
        environment: variables that the reproducer has to set.
        versions: name -> version or identity.
        notes: free lines, for example acceptance findings.
    """

    stage: str
    stages: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    input_name: str = ""
    run: Run | None = None
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=lambda: dict[str, str]())
    versions: Mapping[str, str] = field(default_factory=lambda: dict[str, str]())
    notes: list[str] = field(default_factory=lambda: list[str]())


def _reproducer(evidence: Evidence) -> str:
    lines = [
        "#!/bin/sh",
        f"# Runs the failed stage ({evidence.stage}) again, with output in a new temporary folder.",
        "set -u",
        'here=$(cd "$(dirname "$0")" && pwd)',
        "out=$(mktemp -d) || exit 1",
        'echo "output folder: $out" >&2',
        'cd "$out" || exit 1',
    ]
    for name, value in evidence.environment.items():
        lines.append(f"export {name}={shlex.quote(value)}")
    places = {"{input}": f'"$here"/{shlex.quote(evidence.input_name)}', "{output}": '"$out"/kernel.o'}
    words = list[str]()
    for word in evidence.arguments:
        if word in places:
            words.append(places[word])
        elif word == "--save-temps={folder}":
            words.append('--save-temps="$out"')
        else:
            words.append(shlex.quote(word))
    lines.append("exec " + " ".join(words))
    return "\n".join(lines) + "\n"


def _write(folder: Path, evidence: Evidence) -> None:
    for name, text in evidence.stages.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "versions.json").write_text(
        json.dumps(dict(evidence.versions), indent=2) + "\n", encoding="utf-8"
    )
    if evidence.notes:
        (folder / "notes.txt").write_text("\n".join(evidence.notes) + "\n", encoding="utf-8")
    run = evidence.run
    if run is not None:
        (folder / "command.txt").write_text(shlex.join(run.command) + "\n", encoding="utf-8")
        (folder / "stdout.txt").write_text(run.stdout, encoding="utf-8")
        (folder / "stderr.txt").write_text(run.stderr, encoding="utf-8")
    status = {
        "stage": evidence.stage,
        "exit_status": None if run is None else run.status,
        "signal": "" if run is None else run.signal_name,
        "timed_out": False if run is None else run.timed_out,
        "start_error": "" if run is None else run.start_error,
        "seconds": 0.0 if run is None else round(run.seconds, 3),
    }
    (folder / "status.json").write_text(json.dumps(status, indent=2) + "\n", encoding="utf-8")
    if evidence.arguments:
        script = folder / "reproduce.sh"
        script.write_text(_reproducer(evidence), encoding="utf-8")
        script.chmod(0o755)


def _prune(parent: Path) -> None:
    with contextlib.suppress(OSError):
        old = sorted(entry for entry in parent.iterdir() if entry.is_dir())[:-KEEP]
        for folder in old:
            shutil.rmtree(folder, ignore_errors=True)


def write(evidence: Evidence) -> Path | None:
    """Write a bundle under the cache folder's ``failures/``; in the temporary folder if that cannot be
    written.

    Returns:
        The bundle's folder, or None if no place could be written. Never raises: the failure that led here
        matters more than its bundle.
    """
    stage = "".join(c if c.isalnum() or c in "-_" else "-" for c in evidence.stage)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    for parent in (settings.cache_dir() / "failures", Path(tempfile.gettempdir()) / "tilewright-failures"):
        try:
            parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=f"{stamp}-{stage}-", dir=parent))
            folder.chmod(0o755)
            _write(folder, evidence)
        except OSError:
            continue
        _prune(parent)
        return folder
    return None
