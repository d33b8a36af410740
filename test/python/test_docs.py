"""The documentation agrees with the sources: generated pages, error codes, links, environment variables."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tilewright import settings

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]

#: Codes that no test provokes, with the reason.
UNTESTED = {
    "TW3112": "a defect by definition: hivmc's own checks passed and an upstream conversion failed",
    "TW4203": "needs a torch that refuses a kernel for a schema that it accepted",
    "TW4020": "needs a host that refuses address space below 4 GiB",
}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _sources() -> Iterator[Path]:
    """Our sources, without MLIR's bindings and without tests."""
    for folder in ("pyfrontend/tilewright", "pyfrontend/launcher", "emulator", "passes", "dialect"):
        for path in sorted((ROOT / folder).rglob("*")):
            parts = path.relative_to(ROOT).parts
            if path.suffix in (".py", ".cpp", ".h", ".td") and not {"mlir", "_native"} & set(parts):
                yield path


def _codes(text: str) -> set[str]:
    return set(re.findall(r"\bTW\d{4}\b", text))


def _raised() -> set[str]:
    """Codes that the sources raise or return."""
    # In Python a code that is raised is a string of its own; in docstrings it is not.
    found = {
        code
        for path in _sources()
        if path.suffix == ".py"
        for code in re.findall(r'"(TW\d{4})"', _read(path))
    }
    # The launcher writes them into its texts.
    launcher = (ROOT / "pyfrontend" / "launcher").glob("*.cpp")
    found |= {code for path in launcher for code in re.findall(r'"(TW\d{4}): ', _read(path))}
    # C++ has them as numbers, in one enumeration each.
    for header, prefix in (
        ("emulator/hivmc/Errors.h", "31"),
        ("emulator/include/tilewright/emulator.h", "40"),
    ):
        found |= {f"TW{n}" for n in re.findall(rf"\b\w+ = ({prefix}\d\d),?\s", _read(ROOT / header))}
    return found


RAISED = sorted(_raised())


def test_generated_pages_are_up_to_date() -> None:
    generated: dict[Path, str] = runpy.run_path(str(DOCS / "generate"))["generate"]()
    stale = [str(path) for path, text in generated.items() if _read(ROOT / path) != text]
    assert not stale, "run ./dev docs"
    committed = {path.relative_to(ROOT) for path in (DOCS / "reference").rglob("*.md")}
    assert committed <= set(generated), "a page of docs/reference that nothing generates any more"


def test_codes_are_found() -> None:
    # One of each kind of source, so that a change of style cannot empty the list.
    assert {"TW1001", "TW2401", "TW3013", "TW3100", "TW4010", "TW5101"} <= set(RAISED)


@pytest.mark.parametrize("code", RAISED)
def test_every_code_has_a_page(code: str) -> None:
    page = DOCS / "errors" / f"{code}.md"
    assert page.is_file(), f"{code} has no page"
    assert re.match(rf"# {code}: \S", _read(page))


def test_every_page_belongs_to_a_code() -> None:
    assert sorted(page.stem for page in (DOCS / "errors").glob("TW*.md")) == RAISED


def test_mentioned_codes_exist() -> None:
    mentioned = {code for path in [*PAGES, *_sources()] for code in _codes(_read(path))}
    assert mentioned <= set(RAISED), "codes that nothing raises"


def test_every_code_has_a_test() -> None:
    tested = set[str]()
    for path in sorted((ROOT / "test").rglob("*")):
        if path.suffix not in (".py", ".mlir", ".test") or path == Path(__file__).resolve():
            continue
        text = _read(path)
        tested |= _codes(text)
        # Tests of the C interface compare numbers.
        tested |= {f"TW{n}" for n in re.findall(r"\b(?:code == |\), )(40\d\d)\b", text)}
    assert sorted(set(RAISED) - tested) == sorted(UNTESTED)


def _anchors(text: str) -> set[str]:
    """Anchors of the headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", _read(page), flags=re.DOTALL)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), f"{page.name} links to {link}"
        assert target.is_relative_to(ROOT)
        if anchor:
            assert anchor in _anchors(_read(target)), f"{page.name} links to {link}"


def test_every_page_can_be_reached() -> None:
    seen, waiting = set[Path](), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen or page.suffix != ".md" or not page.is_file():
            continue
        seen.add(page)
        waiting += [(page.parent / link).resolve() for link in re.findall(r"\]\(([^)#\s]+)", _read(page))]
    assert set(PAGES) <= seen, "pages that no chain of links from README.md leads to"


def test_environment_variables() -> None:
    page = _read(DOCS / "environment.md")
    first = page.partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `(TILEWRIGHT_\w+)` \|", first, flags=re.MULTILINE)) == sorted(
        settings.VARIABLES
    )
    # Those that only the compiled parts read stand further down.
    for path in _sources():
        for name in re.findall(r'getenv\("(TILEWRIGHT_\w+)"\)', _read(path)):
            assert f"`{name}`" in page, f"{path.name} reads {name}"


@pytest.mark.parametrize("name", ["elu_backward.py", "softplus_backward.py"])
def test_examples_run(name: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / name), str(tmp_path / "stages")],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


def test_tutorial_shows_the_example() -> None:
    example = _read(ROOT / "examples" / "softplus_backward.py")
    assert example in _read(DOCS / "tutorial.md")
    # The definition has to be the one whose stages the tutorial explains.
    assert 'loc("examples/softplus_backward.py":22:9)' in _read(DOCS / "tutorial.md")
    assert example.splitlines()[21].strip() == "z = beta * x"
