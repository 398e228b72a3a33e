"""Years of cited works in running text are those of the bibliography."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from result_words.tools import NOTEBOOKS, ROOT, markdown

WORKS = ROOT / "notebooks/book/references.bib"


def dated() -> dict[str, str]:
    """Years of the cited works by their keys."""
    text = WORKS.read_text(encoding="utf-8")
    return dict(re.findall(r"@\w+\{(\w+),[^@]*?year = \{(\d{4})\}", text))


def test_a_key_of_a_work_ends_with_its_year() -> None:
    known = {key: year for key, year in dated().items() if not key.startswith("document")}
    assert len(known) > 30
    assert [key for key, year in known.items() if not key.endswith(year)] == []


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
