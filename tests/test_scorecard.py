"""The scorecard counts the ledger, finds any number, and points to sections that exist."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import ledger_searches
import matplotlib.colors as mpl_colors
import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence import claims, figures, scorecard
from ttt_lib.evidence.documents import documents
from ttt_lib.evidence.verdicts import VERDICTS
from ttt_lib.people.book.pages import slug

NOTEBOOKS = Path(__file__).parents[1] / "notebooks"
ROWS = claims.load_results()


def row(**values: Any) -> dict[str, Any]:
    defaults = {"id": "a", "document": 1, "where": "p. 1", "quantity": "chance to win",
                "published": "0.85", "ours": 0.8512345, "kind": "exact", "verdict": "reproduced",
                "reason": "Because.", "section": "00_the_game#the-board"}  # fmt: skip
    return {**defaults, **values}


# ---------------------------------------------------------------------------- counting


def test_counts_are_the_ledgers() -> None:
    """Counted here without pandas, from the file itself."""
    stored = json.loads(claims.results_path().read_text())["claims"]
    expected = Counter((one["document"], one["verdict"]) for one in stored)
    table = scorecard.counts(ROWS)
    assert list(table.columns) == list(VERDICTS)
    assert {
        (int(document), str(verdict)): int(count)
        for (document, verdict), count in table.stack().items()
        if count
    } == dict(expected)
    assert table.to_numpy().sum() == len(stored)


def test_table_by_hand() -> None:
    rows = [row(), row(verdict="refuted"), row(document=3, verdict="refuted")]
    assert scorecard.as_markdown(rows).splitlines()[2:] == [
        "| 1 Learn to Score a Tic-Tac-Toe Board | 1 | 0 | 0 | 0 | 0 | 1 | 0 | 2 |",
        "| 3 N-Tuple Network | 0 | 0 | 0 | 0 | 0 | 1 | 0 | 1 |",
        "| **all** | 1 | 0 | 0 | 0 | 0 | 2 | 0 | 3 |",
    ]
    assert scorecard.counts([]).empty


def test_every_document_has_a_title() -> None:
    assert list(documents()) == list(claims.DOCUMENTS)


def test_picture_shows_the_counts_and_prints_in_grey() -> None:
    stored = pd.read_csv(figures.folder() / "scorecard.csv")
    for one in stored.itertuples():
        assert one.claims == sum(
            (r["document"], r["verdict"]) == (one.document, one.verdict) for r in ROWS
        )
    grounds = [mpl_colors.to_rgb(ground) for ground, *_ in VERDICTS.values()]
    greys = np.sort(np.array(grounds) @ [0.2126, 0.7152, 0.0722])
    assert np.diff(greys).min() > 0.1, "neighbours differ where there is no colour"


# ---------------------------------------------------------------------------- finding


@pytest.mark.parametrize(
    ("text", "published", "found"),
    [
        ("0.85", "0.85", True),
        ("0.850", "0.85", True),
        (".85", "0.85", True),
        ("85%", "0.85", True),
        ("85 %", "0.85", True),
        ("0.85", "10.85", False),
        ("0.85", "0.851", False),
        ("8577", "8,577", True),
        ("10,000", 10000, True),
        ("5", "29 49 5 113", True),
        ("never", "it never loses", True),
        ("NEVER", "it never loses", True),
        ("nowhere", "it never loses", False),
        ("inf", "an infinite board", True),
        ("nan", "dominance", True),
        ("1_000", "option_1_000", True),
        ("1_000", "1000", False),
        ("100.0", "1", False),
        ("−0.24", "-0.24", True),
        ("85% ", "0.85", True),
        ("1/2", "it is 1/2.", True),
        ("1/2", "18871/20160", False),
        ("1/2", "401/2520", False),
        ("1/2", "3.1/2", False),
        ("1/2", "3/1/2", False),
        ("1/2", "1/2/3", False),
    ],
)
def test_find(text: str, published: object, found: bool) -> None:
    assert bool(scorecard.find([row(published=published)], text)) is found


def test_every_published_number_of_the_ledger_is_found_by_itself() -> None:
    for one in ROWS:
        if one["kind"] in ("exact", "sampled", "timing"):
            assert one in scorecard.find(ROWS, str(one["published"])), one["id"]


@pytest.mark.parametrize(("said", "text", "found"), ledger_searches.EXAMPLES)
def test_what_a_row_says_is_found(said: str, text: str, found: bool) -> None:
    """The book's search is held to the same in test_book.py."""
    assert bool(scorecard.find([row(published="x", ours="x", reason=said)], text)) is found


@pytest.mark.parametrize(("text", "claim"), ledger_searches.README)
def test_what_the_readme_tells_is_found(text: str, claim: str) -> None:
    assert claim in {one["id"] for one in scorecard.find(ROWS, text)}


@pytest.mark.parametrize(
    ("text", "found"),
    [("67.91", True), ("0.6791", True), ("67.9", False), ("6791", False), ("67.92", False),
     ("6.791", False), ("0.67913148", True)],
)  # fmt: skip
def test_a_long_decimal_finds_what_rounds_to_it(text: str, found: bool) -> None:
    assert bool(scorecard.find([row(published="0.6791314837153196")], text)) is found


@pytest.mark.parametrize(
    ("text", "found"), [("0.067", False), ("0.0679", False), ("0.06791", True)]
)
def test_zeros_in_front_do_not_make_a_decimal_long(text: str, found: bool) -> None:
    assert bool(scorecard.find([row(published="0.06791314837153196")], text)) is found


@pytest.mark.parametrize("number", ["0.8512345", "0.8512", "85.12%", "7", "1,200"])
def test_numbers_of_ours_and_of_the_reason_are_found(number: str) -> None:
    assert scorecard.find([row(published="0.9", reason="In 7 of 1200 games.")], number)
    assert not scorecard.find([row(published="0.9", ours=1, reason="Always.")], number)


def test_counts_are_found_as_they_are_printed_and_rows_by_their_name() -> None:
    ours = "win 1/4, draw 1/2, loss 1/4"
    counted = row(id="some-match", kind="sampled", n=100, published="29-49-22", ours=ours)
    assert scorecard.find([counted], "25-50-25")
    assert scorecard.find([counted], "some-match")
    assert not scorecard.find([row(id="other")], "some-match")


def test_numbers_are_found_in_quotes_too() -> None:
    assert scorecard.find([row(quote="85.77 % of 10,000 games")], "85.77")
    assert scorecard.find([row(quote="85.77 % of 10,000 games")], "85.77%")
    assert not scorecard.find([row(quote="85.77 % of 10,000 games")], "5.77")


@pytest.mark.parametrize(
    ("accepts", "said"),
    [
        (None, ""),
        ([0.25, 0.5], "0.25 to 0.50"),
        ([37.0, 63.0], "37 to 63"),
        ([9998.0, 10000.0], "9998 to 10000"),
        ([-0.5, 1.25], "-0.50 to 1.25"),
        ([0.0, 0.25], "0 to 0.25"),
        ([0.0, None], "0 or more"),
    ],
)
def test_what_would_have_passed(accepts: list[float | None] | None, said: str) -> None:
    assert scorecard.would_pass(row(accepts=accepts)) == said
    assert (f"; {said} would have passed" in scorecard.line(row(accepts=accepts))) is bool(said)


def test_line_says_everything() -> None:
    line = scorecard.line(row())
    for part in ("p. 1", "chance to win", "0.85", "0.8512", "reproduced", "Because."):
        assert part in line
    assert line.endswith("notebooks/00_the_game.ipynb#the-board")
    assert scorecard.link(row(section="")) == ""


def test_a_line_tells_words_once() -> None:
    line = scorecard.line(row(published="it never loses", quote="it never loses"))
    assert line.count("it never loses") == 1
    assert "published" not in line


def test_a_line_tells_a_chance_beside_a_count_as_a_count_too() -> None:
    line = scorecard.line(row(kind="sampled", n=100, published=88, ours=0.84))
    assert "published 88, ours 0.84 (in the published unit: 84): " in line
    assert "unit" not in scorecard.line(row())


# ---------------------------------------------------------------------------- sections


def anchors(notebook: str) -> list[str]:
    """The anchors of a notebook's headings, as Jupyter and GitHub make them, in lower case."""
    cells = json.loads((NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8"))["cells"]
    prose = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return [slug(found) for found in re.findall(r"^#+ (.*)$", prose, re.MULTILINE)]


@pytest.mark.parametrize("section", sorted({str(one["section"]) for one in ROWS}))
def test_claims_point_to_headings(section: str) -> None:
    notebook, _, heading = section.partition("#")
    assert heading in anchors(notebook)


@pytest.mark.parametrize("one", ROWS, ids=lambda one: str(one["id"]))
def test_links_name_files(one: dict[str, Any]) -> None:
    path, _, heading = scorecard.link(one).partition("#")
    assert (NOTEBOOKS.parent / path).is_file()
    assert heading


GLOSSARY = (NOTEBOOKS / "book" / "glossary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("target", re.findall(r"\]\(\.\./(\w+\.ipynb#[\w-]+)\)", GLOSSARY))
def test_the_glossary_points_to_headings(target: str) -> None:
    notebook, _, heading = target.partition(".ipynb#")
    assert heading in anchors(notebook)


def test_every_word_of_the_glossary_is_linked_or_names_its_file() -> None:
    entries = re.findall(r"^- \*\*(.*)\*\*: (.*(?:\n  .*)*)", GLOSSARY, re.MULTILINE)
    assert len(entries) >= 30
    for word, meaning in entries:
        assert "](../" in meaning or "`" in meaning, word
    for path in re.findall(r"`((?:data|ttt_lib)/[\w./]*)`", GLOSSARY):
        assert (NOTEBOOKS.parent / path).exists(), path


def test_slugs() -> None:
    assert slug("What 0.647 means") == "what-0647-means"
    assert slug("The document, replayed") == "the-document-replayed"
    assert "no-such-heading" not in anchors("00_the_game")
