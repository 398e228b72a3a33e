"""Every paragraph was read beside the outputs since its last change; and a changed word is seen."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import prose_review as review
import pytest

FILES = review.readers()


@cache
def paragraphs(file: str) -> list[str]:
    """Those of a file; none of one that is gone."""
    read, path = FILES.get(file, (None, None))
    return list(read(path)) if read and path else []


@pytest.mark.parametrize("file", sorted(FILES.keys() | review.reviewed().keys()))
def test_every_paragraph_was_read_since_its_last_change(file: str) -> None:
    now, before = {file: paragraphs(file)}, {file: review.reviewed().get(file, [])}
    told = "read it beside the outputs, then: make review ARGS=--accept"
    assert review.unread(now, before) == [], told


def test_what_is_read() -> None:
    for name in (
        *("README.md", "notebooks/02_spectral_dct.ipynb", "figures/manifest.toml"),
        *("data/manifest.toml", "data/claims/3_ntuple_network.toml"),
        *("notebooks/exercises/instructor_guide.md", "notebooks/exercises/masters/rubric.md"),
        "notebooks/exercises/masters/01_playout_mlp.ipynb",
    ):
        assert name in FILES
        assert len(paragraphs(name)) >= 3
    assert not any("scorecard:begin" in text for text in paragraphs("README.md")), "code writes it"


def notebook(path: Path, *cells: tuple[str, str]) -> Path:
    import json

    found = [{"cell_type": kind, "source": source} for kind, source in cells]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"cells": found}))
    return path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("wins twice as often", "loses twice as often"),
        ("wins twice as often", "wins three times as often"),
        ("in {share} of all games", "in {share} of no games"),
        ("alt = 'six of ten'", "alt = 'ten of six'"),
        ("published = '0.85'", "published = '0.58'"),
        ("return 7", "return 5"),
        ("takes 45 minutes", "takes 54 minutes"),
        ("Makes 400 games", "Makes 40 games"),
        ("Wins whatever you do", "Loses whatever you do"),
        ("from X's side", "from O's side"),
        ("wins would pass", "wins would fail"),
        ("(10 * share)", "(100 * share)"),
        ("content: 'Ours: '", "content: 'Theirs: '"),
        ("Scored for X", "Scored for O"),
        ("2021, MIT", "2012, MIT"),
        ("{share:.2f}wins", "{share:.2f}draws"),
        ("share:.2f", "share:.0f"),
        ("'more' if", "'less' if"),
        ("'The winner'", "'The loser'"),
        ("# It wins.", "# It loses."),
        ("# Ties win.", "# Ties lose."),
    ],
)
def test_a_changed_word_or_number_is_to_be_read_again(old: str, new: str, tmp_path: Path) -> None:
    def found(change: tuple[str, str]) -> dict[str, list[str]]:
        def text(source: str) -> str:
            return source.replace(*change)

        said = text("say(f'It wins in {share} of all games')")
        notebook(tmp_path / "notebooks/01_a.ipynb", ("markdown", text("It wins twice as often.")),
                 ("code", said), ("code", text("label('The winner')  # It wins.")))  # fmt: skip
        notebook(tmp_path / "notebooks/exercises/masters/01_a.ipynb", ("code", text("return 7")))
        for name, source in {
            "README.md": "The lesson takes 45 minutes.\n\nThat is all.",
            "ttt_lib/game/a.py": "def made():\n    'Makes 400 games.'\n    return 'word'\n"
            "f'{share:.2f}wins'\nword = 'more' if share > 1 else 'fewer'  # Ties win.",
            "ttt_lib/people/a.py": "ABOUT = 'Wins whatever you do.'",
            "ttt_lib/cli.py": 'HELP = "exact chances, from X\'s side"',
            "notebooks/book/_static/a.js": "say('wins would pass')\n\nsay((10 * share).toFixed(1))",
            "notebooks/book/_static/a.css": "td::before { content: 'Ours: '; }\n\np { margin: 0; }",
            "data/claims/2.toml": "# Scored for X.\n\nclaim = []",
            "LICENSE": "By its author, 2021, MIT",
            "figures/manifest.toml": "[one]\nalt = 'six of ten'",
            "data/claims/1.toml": "[[claim]]\nid = 'a'\npublished = '0.85'",
        }.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text(source))
        return review.paragraphs(tmp_path)

    before = found(("", ""))
    read = {file: list(map(review.fingerprint, texts)) for file, texts in before.items()}
    assert review.unread(before, read) == []
    told = review.unread(found((old, new)), read)
    assert len(told) == 2, "what is new, and that the old one is gone"
    assert told[1].endswith("1 paragraphs that were read are gone")


def test_layout_is_no_change_and_a_lost_paragraph_is_one() -> None:
    assert review.fingerprint("a  b\nc") == review.fingerprint("a b c")
    one, two = review.fingerprint("one"), review.fingerprint("two")
    assert review.unread({"f": ["one"]}, {"f": [one, two]}) == [
        "f: 1 paragraphs that were read are gone"
    ]
    assert review.unread({"f": ["one", "one"]}, {"f": [one]}) == ["f: one"]
    assert review.unread({"f": ["two", "one"]}, {"f": [one, two]}) == [
        "f: paragraphs have changed places"
    ]


def test_what_only_looks_computed_is_read() -> None:
    typed = "<!-- extra:begin -->\nIt loses 7 games.\n<!-- extra:end -->"
    assert review.blocks(typed) == [typed]
    assert review.blocks("<!-- scorecard:begin -->\n7\n<!-- scorecard:end -->") == []
