"""When games of the stored network with itself are decided."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence.store import read_table
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.studies import transition

GAME = Ultimate()


@pytest.mark.parametrize(
    ("values", "sure", "ply"),
    [([0.1, 0.7, 0.9], 0.7, 1), ([-0.9, -0.8], 0.7, 0), ([0.9, 0.69, 0.8], 0.7, 2),
     ([0.9, 0.5], 0.7, None), ([0.9, 0.5], 0.5, 0), ([0.9, 0.0], 0.7, None)],
)  # fmt: skip
def test_a_game_is_decided_once_the_winner_stays_sure(
    values: list[float], sure: float, ply: int | None
) -> None:
    assert transition.decided_at(np.array(values), sure) == ply


def test_no_opening_comes_twice_and_more_games_begin_with_the_same_ones() -> None:
    many, few = transition.openings(300), transition.openings(20)
    assert len(np.unique(many, axis=0)) == 300
    assert (many[:20] == few).all()


def test_too_few_openings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transition, "OPENING_PLIES", 1)
    with pytest.raises(ValueError, match="only 81 of 400 openings differ, not 200"):
        transition.openings(200)


def test_a_searched_game_is_played_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transition, "SIMULATIONS", 20)
    values, states = transition.searched_game(transition.openings(1)[0])
    assert (states[0] == transition.openings(1)[0]).all()
    for before, after in pairwise(states):
        moves = np.flatnonzero(GAME.legal(before[None])[0])
        assert any((GAME.play(before[None], np.array([m]))[0] == after).all() for m in moves)
    last = [
        GAME.play(states[-1:], np.array([m])) for m in np.flatnonzero(GAME.legal(states[-1:])[0])
    ]
    assert any(GAME.finished(state)[0] for state in last)
    assert len(values) == len(states)
    assert (np.abs(values) <= 1).all()


def test_cells_are_counted_where_the_game_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    states = transition.openings(3)
    game = np.array([0.4, 0.6, 0.8]), states
    monkeypatch.setattr(transition, "searched_game", lambda state: game)
    assert transition.turn(states[0]) == [*playable(states[1:]).tolist(), None]


def test_only_drawn_games_are_never_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transition, "SIMULATIONS", 20)
    seen = set()
    for state in transition.openings(12):
        values, states = transition.searched_game(state)
        ends = [
            GAME.play(states[-1:], np.array([m])) for m in GAME.legal(states[-1:])[0].nonzero()[0]
        ]
        won = any(GAME.winner(end)[0] for end in ends)  # the search sees wins in one
        assert {transition.decided_at(values, sure) is not None for sure in transition.SURE} == {
            won
        }
        seen.add(won)
    assert seen == {True, False}


def test_the_surer_the_later() -> None:
    table = read_table(transition.FILE)
    cells = table[[transition.column(sure) for sure in sorted(transition.SURE)]]
    assert table.game.tolist() == [*range(transition.GAMES)]
    assert cells.stack().dropna().between(1, 81).all()
    for sooner, later in pairwise(cells.columns):
        both = cells.dropna(subset=[later])
        assert (both[sooner] >= both[later]).all()


def test_games_that_are_never_decided_are_left_out() -> None:
    for sure in transition.SURE:
        cells = read_table(transition.FILE)[transition.column(sure)]
        assert pd.Series(transition.decided(sure)).tolist() == cells[cells > 0].tolist()
