"""Years of cited works in running text are those of the bibliography."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from result_words.tools import NOTEBOOKS, ROOT, markdown

WORKS = ROOT / "notebooks/book/references.bib"


def told(field: str) -> dict[str, str]:
    """What the bibliography tells in a field, by the keys of the works that have it."""
    text = WORKS.read_text(encoding="utf-8")
    return dict(re.findall(rf"@\w+\{{(\w+),[^@]*?\b{field} = \{{([^}}]*)\}}", text))


def dated() -> dict[str, str]:
    """Years of the cited works by their keys."""
    return told("year")


def test_a_key_of_a_work_ends_with_its_year() -> None:
    known = {key: year for key, year in dated().items() if not key.startswith("document")}
    assert len(known) > 30
    assert [key for key, year in known.items() if not key.endswith(year)] == []


FIELDS = {"year": "year", "doi": "doi", "repository-code": "url"}
"""Fields of a reference in CITATION.cff, and what the bibliography calls them."""


def test_the_file_to_cite_tells_of_the_documents_what_the_bibliography_does() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    told_there = {
        (f"document{number}", field): str(work[field])
        for number, work in enumerate(cited, 1)
        for field in FIELDS
        if field in work
    }
    told_here = {
        (key, field): value
        for field, name in FIELDS.items()
        for key, value in told(name).items()
        if key.startswith("document")
    }
    assert {("document3", "year"), ("document4", "repository-code")} <= set(told_here)
    assert told_there == told_here


CITED = re.compile(
    r"([A-Z][a-z]+)(?:, [A-Z]\w+)*(?: and [A-Z][\wéü]+| et al\.| and others)?,? \(?(\d{4})\b"
)


def cited(text: str) -> set[tuple[str, str]]:
    """First surname and year of citations in running text: Brier (1950), (Nau, 1983)."""
    return {(name.lower(), year) for name, year in CITED.findall(text)}


def unknown(text: str) -> set[tuple[str, str]]:
    """Citations whose author wrote a work of our list, but none of that year."""
    keys = set(dated())
    names = {re.sub(r"\d+$", "", key) for key in keys}
    return {(n, y) for n, y in cited(text) if n in names and n + y not in keys}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_years_in_running_text_are_those_of_the_works(path: Path) -> None:
    text = markdown(path).partition("## References")[0]
    assert unknown(text) == set()
    for name, year in cited(text):
        if name + year in dated():
            assert unknown(text.replace(year, str(int(year) + 1)))
