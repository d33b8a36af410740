"""Every coded error of the back end has a page, and every page belongs to an error."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
SOURCES = sorted((REPOSITORY / "pyfrontend" / "tilewright").rglob("*.py"))
CODES = sorted(
    {
        code
        for path in SOURCES
        if "mlir" not in path.parts
        for code in re.findall(r'"(TW[345]\d{3})"', path.read_text())
    }
)


@pytest.mark.parametrize("code", CODES)
def test_page(code: str) -> None:
    page = REPOSITORY / "docs" / "errors" / f"{code}.md"
    assert page.is_file(), f"{code} has no page"
    text = page.read_text()
    assert text.startswith(f"# {code}: ")
    assert "## What to do" in text


def test_links_lead_somewhere() -> None:
    for page in [REPOSITORY / "docs" / "environment.md", *(REPOSITORY / "docs" / "errors").glob("*.md")]:
        for link in re.findall(r"\]\(([\w/.-]+\.md)\)", page.read_text()):
            assert (page.parent / link).is_file(), f"{page.name} links to {link}"
