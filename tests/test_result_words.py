"""Words and numbers that state a result are built from the evidence, and must stand in the text.

A function of ``result_words`` belongs to a file: from stored tables, the ledger or exact code it
builds phrases as they should stand there.  A changed word isn't found, and changed evidence builds
other words.  A phrase without a number is built by comparing (``so``): it isn't found where it
doesn't hold.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from result_words import (
    comparison,
    data,
    end_exercises,
    exercises,
    ising,
    lessons,
    ntuple,
    pages,
    playout_mlp,
    spectral,
    the_game,
    ultimate,
)
from result_words.tools import SAID, astray, built, listed, so, text_of, word

ROOMS = (
    *(the_game, playout_mlp, spectral, ntuple, ising, ultimate, comparison),
    *(exercises, end_exercises, lessons, pages, data),
)
NAMES = [f"{Path(file).name}: {phrases.__name__}" for file, phrases in SAID]
PLACES = range(len(SAID))


@pytest.mark.parametrize("place", PLACES, ids=NAMES)
def test_what_the_evidence_says_stands_in_the_text(place: int) -> None:
    assert built(place)
    assert astray(built(place), text_of(SAID[place][0])) == []


def test_a_changed_a_missing_and_a_doubled_phrase_are_noticed() -> None:
    assert astray(["loses less", "wins"], "It wins and loses less.") == []
    assert astray(["loses less", "wins"], "It wins and loses more.") == ["loses less"]
    assert astray(["wins"], "It wins what it wins.") == ["wins"]


def test_what_does_not_hold_is_built_otherwise() -> None:
    assert so("never loses", 1 > 0) == "never loses"
    assert astray([so("never loses", 1 < 0)], "It never loses.")
    assert (word(0), word(5), word(42)) == ("no", "five", "forty-two")
    assert listed([1, 3, 4]) == "1, 3 and 4"


def test_other_evidence_builds_other_words(monkeypatch: pytest.MonkeyPatch) -> None:
    more = ntuple.safe_seeds() + 1
    monkeypatch.setattr(ntuple, "safe_seeds", lambda: more)
    missing = astray(ntuple.self_play(), text_of("notebooks/03_ntuple_network.ipynb"))
    assert missing[0] == "in the end for all but two of twenty seeds"


def test_phrases_are_many_and_of_many_files() -> None:
    assert sum(len(built(place)) for place in PLACES) >= 1300
    assert len({file for file, _ in SAID}) >= 130
    assert {phrases.__module__ for _, phrases in SAID} == {room.__name__ for room in ROOMS}
