"""The endgame network against the self-play network alone, with more or less time."""

from __future__ import annotations

import pytest

from ttt_lib.evidence.store import read_table
from ttt_lib.game.stats import pairs_interval
from ttt_lib.ultimate.studies import equal_time
from ttt_lib.ultimate.studies.matches import PAIRS


def test_both_players_search_as_much_as_they_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    for name in ("stored_agent", "table_agent"):
        build = getattr(equal_time, name)
        monkeypatch.setattr(
            equal_time, name, lambda *a, b=build: made.append(a[-1]) or b(*a)  # type: ignore[func-returns-value]
        )  # fmt: skip
    for name, value in {"SIMULATIONS": 5, "RIVALS": (2, 3), "SEEDS": (1, 2), "GAMES": 4}.items():
        monkeypatch.setattr(equal_time, name, value)
    table = equal_time.make_equal_time()
    assert made == [5, 2, 5, 2, 5, 3, 5, 3]
    assert table.rival_simulations.tolist() == [2, 2, 3, 3]
    assert (table[["win", "draw", "loss"]].sum(axis=1) == 4).all()
    assert (table[["ms", "opponent_ms"]] > 0).all(axis=None)


def test_the_matches_of_all_seeds_are_added_up() -> None:
    table, found = read_table(equal_time.TABLE), equal_time.stored()
    assert found.index.tolist() == [*equal_time.RIVALS]
    for rival, row in found.iterrows():
        part = table[table.rival_simulations == rival]
        assert part.seed.tolist() == [*equal_time.SEEDS]
        assert row.games == part.games.sum() == equal_time.GAMES * len(part)
        points = sum(part[name].sum() * half / 2 for half, name in enumerate(PAIRS))
        assert row.score == pytest.approx(points / row.games)
        assert (row.low, row.high) == pairs_interval([part[name].sum() for name in PAIRS])
        assert row.time_ratio == pytest.approx(part.ms.sum() / part.opponent_ms.sum())
