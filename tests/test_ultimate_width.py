"""What width is worth: how narrow and wide nets are compared, and what the stored runs hold."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from types import SimpleNamespace as Some

import numpy as np
import pytest

from ttt_lib.ultimate.config import Stage, TableConfig
from ttt_lib.ultimate.learn import trainer
from ttt_lib.ultimate.learn.networks import load_playable
from ttt_lib.ultimate.learn.trainer import Trainer, with_changes
from ttt_lib.ultimate.studies import matches, width

TINY = {
    "num_iterations": 1, "taught": 1, "num_train_epochs": 1, "batch_size": 32,
    "stages": (Stage(1.0, 4, 2, 1.0),),
}  # fmt: skip
ROWS = {"WIDE": 8, "NARROW": 4}
TEACHER = cache(load_playable)


@pytest.fixture(autouse=True)
def _one_teacher(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer, "load_playable", TEACHER)


@pytest.fixture
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, rows in ROWS.items():
        config = replace(getattr(width, name), network=TableConfig(4, 4, 4, rows, 4, 1))
        monkeypatch.setattr(width, name, with_changes(config, **TINY))


def test_both_are_taught_by_the_same_games() -> None:
    wide, narrow = (
        Trainer(config, seed=3).play(np.random.default_rng(0), Stage(1.0, 8, 2, 1.0))
        for config in (width.WIDE, width.NARROW)
    )
    assert len(wide.states) > 20
    assert all(np.array_equal(one, other) for one, other in zip(wide, narrow, strict=True))


@pytest.mark.usefixtures("_tiny")
def test_they_meet_each_other_and_the_same_opponent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SIMULATIONS", 4), ("MORE", 5), ("OPPONENT", 8), ("GAMES", 2)):
        monkeypatch.setattr(width, name, value)
    rows = list(width.run(1))
    assert [(row["network"], row["opponent"]) for row in rows] == [
        ("wide", "narrow"), ("wide", "narrow, more simulations"), ("wide", "UCT"),
        ("narrow", "UCT"),
    ]  # fmt: skip
    assert all(row["win"] + row["draw"] + row["loss"] == row["games"] == 2 for row in rows)
    assert len({row["cpu_minutes"] for row in rows if row["network"] == "wide"}) == 1


@pytest.mark.usefixtures("_tiny")
def test_each_row_is_the_match_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    played, (wide, narrow) = [], ROWS.values()
    monkeypatch.setattr(
        width, "network_agent", lambda net, n: (len(net.weights) // len(net.bias), n)
    )
    monkeypatch.setattr(width, "uct", lambda game, playouts: playouts)

    def timed(one: object, two: object, games: int, rng: int) -> tuple[dict[str, int], Some, Some]:
        played.append((one, two, games, rng))
        return {}, Some(milliseconds=1.0), Some(milliseconds=2.0)

    monkeypatch.setattr(width, "timed", timed)
    rows = list(width.run(7))
    few, more = width.SIMULATIONS, width.MORE
    assert [match[:2] for match in played] == [
        ((wide, few), (narrow, few)), ((wide, few), (narrow, more)),
        ((wide, few), width.OPPONENT), ((narrow, few), width.OPPONENT),
    ]  # fmt: skip
    assert {match[2:] for match in played} == {(width.GAMES, 7)}
    assert {(row["ms"], row["opponent_ms"]) for row in rows} == {(1.0, 2.0)}


def test_stored_nets_learned_for_about_the_same_time() -> None:
    table = matches.read(width.FILE)
    assert set(table["games"]) == {width.GAMES}
    assert (table.groupby("seed").size() == 4).all()
    assert tuple(table["seed"].unique()) == width.SEEDS
    minutes = table.groupby(["network", "seed"])["cpu_minutes"].first().unstack(0)
    assert minutes["wide"].to_numpy() == pytest.approx(minutes["narrow"].to_numpy(), rel=0.1)
