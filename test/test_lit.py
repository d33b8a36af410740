"""The lit suites as pytest tests: one test a file, so that the runner's summary counts them.

lit itself runs once, on all cores; each pytest test looks up the result of its file.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TEST = Path(__file__).resolve().parent
SUITES = ("dialect", "passes", "pipeline")
FILES = sorted(
    path.relative_to(TEST).as_posix()
    for suite in SUITES
    for path in (TEST / suite).rglob("*")
    if path.suffix in (".mlir", ".test") and "Inputs" not in path.parts
)


@pytest.fixture(scope="session")
def results(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, tuple[str, str]]:
    """File name relative to test/ -> (lit's result code, its output). Runs only the selected files."""
    selected = [
        str(TEST / item.callspec.params["file"])
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and item.originalname == "test_lit_file"
    ]
    output = tmp_path_factory.mktemp("lit") / "results.json"
    command = [sys.executable, "-c", "from lit.main import main; main()", "-q", "-o", str(output), *selected]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not output.is_file():
        pytest.fail(f"lit did not run:\n{done.stdout}{done.stderr}", pytrace=False)
    prefix = "tilewright :: "
    return {
        test["name"].removeprefix(prefix): (test["code"], test["output"])
        for test in json.loads(output.read_text())["tests"]
    }


@pytest.mark.parametrize("file", FILES)
def test_lit_file(file: str, results: dict[str, tuple[str, str]]) -> None:
    code, output = results.get(file, ("MISSING", "lit did not report this file"))
    if code in ("UNSUPPORTED",):
        pytest.skip(f"lit: {code}")
    if code not in ("PASS", "XFAIL"):
        pytest.fail(f"lit: {code}\n{output}", pytrace=False)
