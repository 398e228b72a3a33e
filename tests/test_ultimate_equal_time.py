"""The endgame network against the self-play network alone, with more or less time."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from ttt_lib.evidence.store import read_table
from ttt_lib.game.policy import Agent
from ttt_lib.game.stats import pairs_interval
from ttt_lib.ultimate.studies import equal_time
from ttt_lib.ultimate.studies.matches import PAIRS


def test_both_players_search_as_much_as_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def noted(build: Callable[..., Agent]) -> Callable[..., Agent]:
        def noting(*arguments: Any) -> Agent:
            made.append(arguments[-1])
            return build(*arguments)

        return noting

    for name in ("stored_agent", "table_agent"):
        monkeypatch.setattr(equal_time, name, noted(getattr(equal_time, name)))
    for name, value in {"SIMULATIONS": 5, "RIVALS": (2, 3), "SEEDS": (1, 2), "GAMES": 4}.items():
        monkeypatch.setattr(equal_time, name, value)
    table = equal_time.make_equal_time()
    assert made == [5, 2, 5, 2, 5, 3, 5, 3]
    assert table.rival_simulations.tolist() == [2, 2, 3, 3]
    assert (table[["win", "draw", "loss"]].sum(axis=1) == 4).all()


def test_the_times_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = (SimpleNamespace(milliseconds=3.0), SimpleNamespace(milliseconds=2.0))
    monkeypatch.setattr(equal_time, "timed", lambda *players, rng: ({}, *clocks))
    row = equal_time.play(200, 1)
    assert (row["ms"], row["opponent_ms"]) == (3, 2)


def test_the_matches_of_all_seeds_are_added_up() -> None:
    table, found = read_table(equal_time.FILE), equal_time.read()
    assert found.index.tolist() == [*equal_time.RIVALS]
    for rival, row in found.iterrows():
        part = table[table.rival_simulations == rival]
        assert part.seed.tolist() == [*equal_time.SEEDS]
        assert row.games == part.games.sum() == equal_time.GAMES * len(part)
        points = sum(part[name].sum() * half / 2 for half, name in enumerate(PAIRS))
        assert row.score == pytest.approx(points / row.games)
        assert (row.low, row.high) == pairs_interval([part[name].sum() for name in PAIRS])
        assert row.time_ratio == pytest.approx(part.ms.sum() / part.opponent_ms.sum())
