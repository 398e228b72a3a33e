"""Learning curves: how they are measured, read, and what the stored ones hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ttt_lib.ultimate.config import LITE, Stage, TableConfig
from ttt_lib.ultimate.learn.trainer import Trainer, with_changes
from ttt_lib.ultimate.studies import curves

TINY = with_changes(
    replace(LITE, network=TableConfig(4, 4, 4, 4, 4, 1)),
    num_iterations=3, num_train_epochs=2, batch_size=32, stages=(Stage(1.0, 8, 6, 1.0),),
)  # fmt: skip

FOUND = pd.DataFrame(
    {
        "seed": [1, 1, 1, 2, 2, 1], "iteration": [1, 2, 3, 1, 2, 3],
        "cpu_minutes": [1.0, 4.9, 5.1, 2.0, 5.0, 5.1], "opponent": [1000] * 5 + [10_000],
        "games": [10] * 6, "win": [1, 2, 9, 3, 4, 5], "draw": [0, 2, 0, 0, 2, 0],
        "loss": [9, 6, 1, 7, 4, 5],
        "pairs_0": [4, 2, 0, 2, 1, 1], "pairs_half": [0, 1, 0, 0, 0, 0],
        "pairs_1": [1, 1, 1, 3, 3, 3], "pairs_3_halves": [0, 0, 0, 0, 0, 0],
        "pairs_2": [0, 1, 4, 0, 1, 1],
    }
)  # fmt: skip


@pytest.fixture
def _quick_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(curves, "OPPONENTS", (10, 20))
    monkeypatch.setattr(curves, "GAMES", 2)


@pytest.mark.usefixtures("_quick_matches")
def test_curve_measures_on_the_way_and_at_the_end() -> None:
    rows = list(curves.curve(Trainer(TINY, seed=4), every=2))
    assert [row["iteration"] for row in rows] == [2, 2, 3, 3]
    assert [row["opponent"] for row in rows] == [*curves.OPPONENTS] * 2
    assert all(row["win"] + row["draw"] + row["loss"] == row["games"] == 2 for row in rows)
    assert 0 < rows[0]["cpu_minutes"] < rows[-1]["cpu_minutes"]


@pytest.mark.usefixtures("_quick_matches")
def test_measuring_does_not_change_the_training() -> None:
    measured, alone = Trainer(TINY, seed=4), Trainer(TINY, seed=4, threads=2)
    list(curves.curve(measured, every=1))
    for _ in range(TINY.training.num_iterations):
        alone.train_iteration()
    for ours, theirs in zip(measured.net.parameters(), alone.net.parameters(), strict=True):
        assert np.array_equal(ours.detach().numpy(), theirs.detach().numpy())


def test_within_takes_the_last_measurement_of_each_seed() -> None:
    assert curves.within(5, 1000, FOUND).to_dict() == {1: 0.3, 2: 0.5}
    assert curves.at(5, 1000, FOUND) == pytest.approx(0.4)
    assert curves.within(6, 1000, FOUND).to_dict() == {1: 0.9, 2: 0.5}


def test_nothing_measured_in_time_is_said() -> None:
    with pytest.raises(ValueError, match="nothing was measured against UCT 10000 within 1"):
        curves.within(1, 10_000, FOUND)


def test_intervals_hold_the_scores() -> None:
    table = curves.summary(FOUND)
    assert (table["low"] < table["score"]).all()
    assert (table["score"] < table["high"]).all()


def test_stored_runs_are_as_strong_as_promised() -> None:
    table = curves.summary()
    assert set(table["seed"]) == set(curves.SEEDS)
    assert curves.at(5, 1000) >= 0.92
    assert curves.at(10, 10_000) >= 0.70
    assert table.loc[table["opponent"] == 1000, "games"].min() >= 200


def test_the_last_measurement_is_the_last_whatever_the_order_of_rows() -> None:
    assert curves.within(6, 1000, FOUND.iloc[::-1]).to_dict() == {1: 0.9, 2: 0.5}
