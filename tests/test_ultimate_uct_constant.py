"""UCT with other exploration constants, and the stored nets against the best of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ttt_lib.evidence.store import read_table
from ttt_lib.game.match import random_openings
from ttt_lib.game.policy import Agent
from ttt_lib.game.stats import pairs_interval
from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.search.tree_search import uct
from ttt_lib.ultimate.studies import OPENING_PLIES, uct_constant
from ttt_lib.ultimate.studies.matches import PAIRS

FEW = {"ITERATIONS": 5, "SIMULATIONS": 3, "CONSTANTS": (0.5, 2.0), "TUNING": (1, 2), "REPORT": (3,)}


def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in FEW.items():
        monkeypatch.setattr(uct_constant, name, value)


def test_the_default_constant_is_that_of_all_other_matches() -> None:
    assert inspect.signature(uct).parameters["c"].default == uct_constant.DEFAULT


def test_every_player_gets_its_own_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    few(monkeypatch)
    made = []

    def noted(build: Callable[..., Agent]) -> Callable[..., Agent]:
        def noting(*arguments: Any) -> Agent:
            made.append((build.__name__, *arguments[-2:]))
            return build(*arguments)

        return noting

    for name in ("uct", "stored_agent"):
        monkeypatch.setattr(uct_constant, name, noted(getattr(uct_constant, name)))
    uct_constant.play(0.5, 2.0, 1)
    uct_constant.play(None, 0.7, 1)
    assert made == [("uct", 5, 0.5), ("uct", 5, 2.0), ("stored_agent", 3), ("uct", 5, 0.7)]


def test_the_nets_meet_the_best_constant_and_the_default(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few(monkeypatch)
    monkeypatch.setattr(uct_constant, "best", lambda table: len(table) / 2)
    table = uct_constant.make_uct_constant(tmp_path / "done")
    assert table.player.tolist() == ["UCT"] * 4 + ["net"] * 2
    assert table.c.dropna().tolist() == [0.5, 0.5, 2.0, 2.0]
    assert table.rival_c.tolist() == [uct_constant.DEFAULT] * 4 + [2.0, uct_constant.DEFAULT]
    assert table.seed.tolist() == [1, 2, 1, 2, 3, 3]
    assert (table.games == 2).all()


def test_a_killed_run_goes_on_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    few(monkeypatch)
    path, played = tmp_path / "done", uct_constant.play
    whole, asked = uct_constant.make_uct_constant(path), []

    def play(*job: Any) -> dict[str, Any]:
        asked.append(job)
        return played(*job)

    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    monkeypatch.setattr(uct_constant, "play", play)
    pd.testing.assert_frame_equal(uct_constant.make_uct_constant(path), whole)
    assert asked == [(None, uct_constant.DEFAULT, 3)]


def test_the_best_constant_scores_most() -> None:
    points = {0.5: (1, 0), 0.7: (1, 1), 1.0: (1, 1), 1.2: (0, 1)}
    rows = [
        {"player": "UCT", "c": c, "games": 2, "win": win, "draw": draw, "loss": 2 - win - draw,
         **dict.fromkeys(PAIRS, 0), PAIRS[2 * win + draw]: 1}
        for c, (win, draw) in points.items()
    ]  # fmt: skip
    assert uct_constant.best(pd.DataFrame([*rows, {**rows[1], "player": "net"}])) == 0.7


def opening(seed: int) -> bytes:
    rng = np.random.default_rng(seed)
    return random_openings(Ultimate(), 1, OPENING_PLIES, rng).tobytes()


def test_no_opening_is_used_for_tuning_and_for_the_report() -> None:
    tuning, report = (set(map(opening, s)) for s in (uct_constant.TUNING, uct_constant.REPORT))
    assert not tuning & report


def test_the_stored_rows_are_those_that_were_planned() -> None:
    table = read_table(uct_constant.FILE)
    rivals = (uct_constant.best(), uct_constant.DEFAULT)
    plan = [
        (c, uct_constant.DEFAULT, s) for c in uct_constant.CONSTANTS for s in uct_constant.TUNING
    ]
    plan += [(0, rival, seed) for rival in rivals for seed in uct_constant.REPORT]
    stored = table[["c", "rival_c", "seed"]].fillna(0)
    assert [*stored.itertuples(index=False, name=None)] == plan
    assert (table.player == np.where(table.c.isna(), "net", "UCT")).all()
    assert (table.games == 2).all()
    assert (table[["win", "draw", "loss"]].sum(axis=1) == 2).all()
    assert (table[[*PAIRS]].to_numpy().argmax(axis=1) == 2 * table.win + table.draw).all()
    assert (table[[*PAIRS]].sum(axis=1) == 1).all()


def test_scores_and_intervals_are_over_the_pairs_of_all_openings() -> None:
    table = read_table(uct_constant.FILE)
    for by, found in (("c", uct_constant.tuning()), ("rival_c", uct_constant.read())):
        kind = table[table.player == ("UCT" if by == "c" else "net")]
        assert set(found.index) == set(kind[by])
        for constant, row in found.iterrows():
            part = kind[kind[by] == constant]
            assert row.games == 2 * len(part)
            assert row.score == pytest.approx((part.win + part.draw / 2).sum() / row.games)
            assert (row.low, row.high) == pairs_interval([part[name].sum() for name in PAIRS])
