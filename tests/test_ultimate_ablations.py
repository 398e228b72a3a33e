"""Endgames in self-play, ablations, costs of faults and the strength table, at tiny sizes."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from test_alphazero_search import uniform_tables

from ttt_lib import cli
from ttt_lib.game.match import MatchResult, match, random_openings
from ttt_lib.game.policy import Agent, choose, random_agent
from ttt_lib.ultimate.board import symmetry
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import RESULT, States
from ttt_lib.ultimate.config import (
    ENDGAMES,
    LITE,
    PUBLISHED_WEIGHTS,
    Config,
    DTWConfig,
    Stage,
    TableConfig,
    TrainingConfig,
)
from ttt_lib.ultimate.learn.driver import self_play
from ttt_lib.ultimate.learn.replay_buffer import Samples, no_samples, phase_weights
from ttt_lib.ultimate.learn.selfplay import ADJUDICATE, PLAY, RELABEL, SelfPlaySettings
from ttt_lib.ultimate.learn.trainer import play_settings, with_changes
from ttt_lib.ultimate.network.tablenet import Tables
from ttt_lib.ultimate.search import puct_table
from ttt_lib.ultimate.search.puct_table import TableSearch
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.studies import ablations, fault_costs, matches, strength
from ttt_lib.ultimate.studies.plain_search import (
    GAME,
    SearchVariant,
    blunders,
    chances,
    grow,
    plain_agent,
    untrained,
    wins,
)

CELLS = 15
TINY = with_changes(
    replace(ablations.BASE, network=TableConfig(4, 4, 4, 4, 4, 1)),
    num_iterations=2, num_train_epochs=3, batch_size=32, stages=(Stage(1.0, 12, 8, 1.0),),
)  # fmt: skip


def how(endgame: int, **changes: float) -> SelfPlaySettings:
    """Every move searched and written down, values of results alone."""
    stage = Stage(1.0, 16, 8, 1.0)
    wanted = {"share": 1.0, "mix": 0.0, "endgame": endgame, "cells": CELLS, **changes}
    return play_settings(LITE, stage)._replace(**wanted)


def games(tables: Tables, endgame: int, **changes: float) -> Samples:
    return self_play(tables, 40, how(endgame, **changes), rng=4)


# ---------------------------------------------------------------------------- endgames


def test_relabelled_endgames_are_what_the_solver_says(tables: Tables) -> None:
    played, found = games(tables, PLAY), games(tables, RELABEL)
    assert (played.states == found.states).all(), "the games themselves are the same"
    assert (played.visits == found.visits).all()
    late, solver = playable(found.states) <= CELLS, DTWSolver()
    truth = [solver.calculate_dtw(state).result for state in found.states[late]]
    assert found.values[late].tolist() == truth
    assert late.sum() > 100
    assert (played.values[late] != found.values[late]).sum() > 5, "sixteen simulations do err"


def test_cut_off_games_end_with_the_verdict(tables: Tables) -> None:
    """Both ways of asking agree on what comes before the endgame, and one keeps the endgame."""
    kept, cut = games(tables, RELABEL), games(tables, ADJUDICATE)
    assert playable(cut.states).min() > CELLS
    # Each task has its own numbers: from the first cut-off on, its games are other ones.
    early = playable(kept.states) > CELLS
    first = np.flatnonzero(~early)[0]
    assert (kept.states[:first] == cut.states[:first]).all()
    assert (kept.values[:first] == cut.values[:first]).all()
    assert set(np.unique(cut.values)) <= {-1, 0, 1}


def test_a_threshold_of_zero_changes_nothing(tables: Tables) -> None:
    played = games(tables, PLAY)
    for endgame in (RELABEL, ADJUDICATE):
        found = games(tables, endgame, cells=0)
        assert all((a == b).all() for a, b in zip(played, found, strict=True))


@pytest.mark.parametrize("rules", ["standard", "codingame"])
def test_solved_targets_do_not_depend_on_threads(tables: Tables, rules: str) -> None:
    game = Ultimate(rules)
    one, two = (self_play(tables, 60, how(RELABEL), game=game, rng=5, threads=n) for n in (1, 2))
    assert all((a == b).all() for a, b in zip(one, two, strict=True))


def test_the_verdict_is_the_sign_of_the_distance(tables: Tables) -> None:
    states = games(tables, PLAY).states
    states = states[playable(states) <= CELLS][:200]
    one, other = DTWSolver(), DTWSolver()
    found = [one.calculate_result(state) for state in states]
    assert found == [other.calculate_dtw(state).result for state in states]
    assert set(found) == {-1, 0, 1}
    over = states[0].copy()
    over[RESULT] = 3
    assert one.calculate_result(over) == 0


def test_the_option_reaches_the_games() -> None:
    for number, name in enumerate(ENDGAMES):
        training = replace(LITE.training, endgame=name)
        config = replace(LITE, training=training, dtw=DTWConfig(endgame_threshold=12))
        found = play_settings(config, training.stages[0])
        assert (found.endgame, found.cells) == (number, 12)
        assert Config.from_dict(config.as_dict()) == config
    with pytest.raises(ValueError, match="endgame must be play, relabel, adjudicate, not 'stop'"):
        TrainingConfig(endgame="stop")


# ---------------------------------------------------------------------------- ablations


def test_every_variant_is_a_change() -> None:
    for name, changes in ablations.VARIANTS.items():
        found = with_changes(ablations.BASE, **changes)
        assert (found == ablations.BASE) == (name == ablations.FULL)
    mean = 0.3 * ablations.SIMULATIONS + 0.7 * ablations.BASE.training.fast_simulations
    alike = ablations.VARIANTS["every move searched alike"]["stages"][0].simulations
    assert alike == pytest.approx(mean), "the same number of simulations"


def few_games(monkeypatch: pytest.MonkeyPatch, uct: int, full: int) -> None:
    monkeypatch.setattr(ablations, "UCT_GAMES", uct)
    monkeypatch.setattr(ablations, "FULL_GAMES", full)


def test_runs_are_paired_by_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    few_games(monkeypatch, 2, 4)
    names = (ablations.FULL, "no turned samples", "endgames relabelled")
    found = pd.DataFrame(ablations.runs((1, 2), names, base=TINY))
    assert found["variant"].tolist() == [*names, *names]
    assert found["seed"].tolist() == [1, 1, 1, 2, 2, 2]
    full = found[found["variant"] == ablations.FULL]
    assert (full["full_score"] == 0.5).all(), "a network against itself, sides exchanged"
    assert (found["positions"] > 100).all()
    assert (found["cpu_minutes"] > 0).all()
    effects = ablations.effects(found)
    assert set(effects.index) == set(names[1:])
    assert (effects["full_low"] <= effects["full"]).all()
    with pytest.raises(ValueError, match="begin with"):
        next(ablations.runs((1,), ("no turned samples",)))


def test_scores_are_those_of_the_network_that_was_changed(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stored net against one that knows nothing, and that one against it."""
    monkeypatch.setattr(ablations, "UCT", 10)
    few_games(monkeypatch, 4, 8)
    strong, weak = (
        ablations.measured(one, other, 1)
        for one, other in ((tables, uniform_tables()), (uniform_tables(), tables))
    )
    for score in ("uct_score", "full_score"):
        assert strong[score] > 0.7
    assert weak["full_score"] < 0.3
    assert [strong["uct_games"], strong["full_games"]] == [4, 8]


def test_effects_by_hand() -> None:
    """Differences to the same seed's unchanged run; Student's t with one degree of freedom."""
    name = "no root noise"
    rows = [
        {"variant": v, "seed": s, "cpu_minutes": 1 + (v == name), "uct_score": u, "full_score": f}
        for v, s, u, f in (
            (ablations.FULL, 1, 0.5, 0.5), (ablations.FULL, 2, 0.9, 0.5),
            (name, 1, 0.6, 0.7), (name, 2, 0.8, 0.5),
        )
    ]  # fmt: skip
    found = ablations.effects(pd.DataFrame(rows)).loc[name]
    assert found["uct"] == pytest.approx(0)
    assert found["uct_high"] == pytest.approx(12.7062 * 0.1, rel=1e-4)
    assert found["full"] == pytest.approx(0.1)
    assert found["cpu"] == 2


# ---------------------------------------------------------------------------- costs of faults


@pytest.fixture(scope="module")
def positions() -> tuple[list[States], list[States]]:
    return fault_costs.tasks(25)


def best(state: States, variant: SearchVariant, evaluator: object = untrained) -> int:
    agent = plain_agent(evaluator, 200, variant)  # type: ignore[arg-type]
    return int(choose(agent, state[None], np.random.default_rng(0))[0])


def test_the_positions_are_what_they_are_called(
    positions: tuple[list[States], list[States]],
) -> None:
    solver = DTWSolver()
    for state in positions[0]:
        for move in wins(state):
            after = GAME.play(state[None], np.array([move]))
            assert GAME.winner(after)[0] == GAME.to_move(state[None])[0]
    for state in positions[1]:
        assert not wins(state)
        assert 0 < len(blunders(state)) < GAME.legal(state[None]).sum()
        for move in blunders(state):
            after = GAME.play(state[None], np.array([move]))[0]
            assert solver.get_best_winning_move(after)[1] == 1  # type: ignore[index]


def test_the_sign_decides(positions: tuple[list[States], list[States]], tables: Tables) -> None:
    winning, threatened = positions
    assert len(winning) == len(threatened) == 25
    for state in winning:
        assert best(state, SearchVariant()) in wins(state)
        assert best(state, SearchVariant(sign=-1)) not in wins(state)
        assert TableSearch(GAME, state, tables).run(200).scores.argmax() in wins(state)
    for state in threatened:
        assert TableSearch(GAME, state, tables).run(200).scores.argmax() not in blunders(state)
    given = [best(state, SearchVariant(sign=-1)) in blunders(state) for state in threatened]
    held = [best(state, SearchVariant()) in blunders(state) for state in threatened]
    assert np.mean(given) > 0.5 > 0.2 > np.mean(held)


def test_the_wrong_sign_loses_to_random_play() -> None:
    right, wrong = (plain_agent(untrained, 50, SearchVariant(sign=sign)) for sign in (1, -1))
    rival = random_agent(Ultimate())
    assert match(right, rival, 20, rng=0, openings=4).score > 0.6
    assert match(wrong, rival, 20, rng=0, openings=4).score < 0.5


@pytest.mark.parametrize("batch", [1, 8, 32])
def test_a_batch_without_virtual_loss_is_one_leaf(tables: Tables, batch: int) -> None:
    """Nothing changes between the choices of a batch, so all are the same."""
    evaluator, state = puct_table.evaluator(tables), GAME.initial()[0]
    root, reached = grow(state, evaluator, 200, SearchVariant(batch=batch))
    assert root.visits == 201
    assert reached == -(-200 // batch)
    assert grow(state, evaluator, 200, SearchVariant(batch=batch, virtual_loss=True))[1] > 190


def test_virtual_losses_are_taken_back(tables: Tables) -> None:
    root, _ = grow(GAME.initial()[0], puct_table.evaluator(tables), 100, SearchVariant(1, 10, True))

    def check(node: object) -> None:
        below = sum(child.visits for child in node.children.values())  # type: ignore[attr-defined]
        assert node.visits >= below  # type: ignore[attr-defined]
        assert abs(node.total) <= node.visits  # type: ignore[attr-defined]
        for child in node.children.values():  # type: ignore[attr-defined]
            check(child)

    check(root)
    assert sum(child.visits for child in root.children.values()) == 100
    with pytest.raises(ValueError, match="1 or more"):
        grow(GAME.initial()[0], untrained, 0)


def test_a_temperature_that_is_not_heeded() -> None:
    visits = np.array([[1.0, 3.0, 0.0], [2.0, 2.0, 4.0]])
    assert chances(visits, 1.0) == pytest.approx(visits / visits.sum(axis=1, keepdims=True))
    assert chances(visits, 0.5)[0] == pytest.approx([0.1, 0.9, 0])
    assert chances(visits, 0.5, unheeded=True) == pytest.approx(chances(visits, 1.0))
    for unheeded in (False, True):
        assert chances(visits, 0, unheeded=unheeded).tolist() == [[0, 1, 0], [0, 0, 1]]


def test_a_row_holds_the_number_as_it_was_measured() -> None:
    assert fault_costs.row("sign", "right", "score", 0.123456789, 7) == {
        "exhibit": "sign", "setting": "right", "quantity": "score", "value": 0.123456789, "n": 7,
    }  # fmt: skip


def test_the_table_of_fault_costs(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each match takes the last moves of two games, too few to say anything of its score."""
    late = 50

    def two_games(ours: Agent, other: Agent, games: int, **more: Any) -> MatchResult:
        return match(ours, other, 2, **more | {"openings": late})

    monkeypatch.setattr(fault_costs, "match", two_games)
    found = fault_costs.table(tables, 0.02)
    wide = fault_costs.wide
    ours = wide(found, fault_costs.SIGN).loc["ours"]
    assert ours["wins in one missed"] == ours["losses in one not blocked"] == 0
    temperature = wide(found, fault_costs.TEMPERATURE)
    assert temperature["best move, as played"].nunique() == 1, "the schedule has no effect"
    assert temperature["best move, as scheduled"].is_monotonic_increasing
    nodes = wide(found, fault_costs.BATCH)["different nodes"]
    assert nodes["32, none"] < nodes["8, none"] < 27 < nodes["8, virtual loss"]
    assert 0 < wide(found, fault_costs.PHASES).iloc[0, 0] < 1
    assert (found["n"] > 0).all()


def test_the_other_way_to_count_phases_counts_every_empty_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states = np.concatenate(
        [random_openings(Ultimate(), 40, plies, np.random.default_rng(plies)) for plies in (30, 50)]
    )
    played = no_samples(len(states))._replace(states=states)
    monkeypatch.setattr(fault_costs, "games_played", lambda tables, count: played)
    row = next(iter(fault_costs.phase_rows(None, 1.0)))
    stones = [sum(int(word).bit_count() for word in state[:18]) for state in states]
    first = dict(PUBLISHED_WEIGHTS)
    weight = [first[max(k for k in first if k <= 81 - count)] for count in stones]
    assert row["value"] == pytest.approx((phase_weights(states) != weight).mean())
    assert 0 < row["value"] < 1


Found = dict[tuple[str, str], float]


def found_of(rows: Iterable[fault_costs.Row]) -> Found:
    return {(row["setting"], row["quantity"]): row["value"] for row in rows}


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, object]]:
    """Who met whom, without a game: a match's score is its place in this list."""
    noted: list[tuple[object, object]] = []

    def note(ours: object, theirs: object, *_: object, **__: object) -> SimpleNamespace:
        noted.append((ours, theirs))
        return SimpleNamespace(score=len(noted) - 1)

    for name, value in {
        "match": note,
        "uct": lambda game, iterations: f"UCT {iterations:,}",
        "random_agent": lambda game: "random",
        "table_agent": lambda tables, simulations: ("ours", tables, simulations),
        "plain_agent": lambda evaluator, simulations, variant: (evaluator, simulations, variant),
    }.items():
        monkeypatch.setattr(fault_costs, name, value)
    monkeypatch.setattr(puct_table, "evaluator", lambda tables: f"evaluator of {tables}")
    return noted


def test_the_rows_about_the_sign_are_of_the_players_that_they_name(
    met: list[tuple[object, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only wrong signs miss the wins and allow the losses here."""

    def faulty(player: Any) -> bool:
        return player[0] != "ours" and player[2].sign == -1

    winning, threatened = np.ones((3, 1)), np.zeros((2, 1))
    monkeypatch.setattr(fault_costs, "tasks", lambda count: (winning, threatened))
    monkeypatch.setattr(fault_costs, "choose", lambda agent, batch, rng: [faulty(agent)])
    monkeypatch.setattr(fault_costs, "wins", lambda state: [False] if state[0] else [])
    monkeypatch.setattr(fault_costs, "blunders", lambda state: [] if state[0] else [True])
    found, n = found_of(fault_costs.sign_rows("net", 1.0)), 200  # type: ignore[arg-type]
    wanted: dict[str, object] = {
        f"{name} sign, {net} network": (evaluator, n, SearchVariant(sign=sign))
        for net, evaluator in (("new", untrained), ("trained", "evaluator of net"))
        for name, sign in (("right", 1), ("wrong", -1))
    } | {"ours": ("ours", "net", n)}
    stored = fault_costs.read(fault_costs.SIGN)
    assert [*wanted] == [*stored.index]
    assert found.keys() == {(name, what) for name in wanted for what in stored}
    for (name, what), value in found.items():
        if what.startswith("score against "):
            rival = what.removeprefix("score against ")
            assert met[int(value)] == (wanted[name], rival)
        else:
            assert value == name.startswith("wrong")


def test_the_rows_about_batches_are_of_the_searches_that_they_name(
    met: list[tuple[object, object]], monkeypatch: pytest.MonkeyPatch
) -> None:
    states = random_openings(GAME, 10, 12, np.random.default_rng(0))
    monkeypatch.setattr(fault_costs, "uct_games", lambda games, **how: [states])
    monkeypatch.setattr(
        fault_costs,
        "grow",
        lambda state, evaluator, n, variant: (None, variant.batch + variant.virtual_loss / 2),
    )
    found = found_of(fault_costs.batch_rows("net", 1.0))  # type: ignore[arg-type]
    stored = fault_costs.read(fault_costs.BATCH)
    assert found.keys() == {(name, what) for name in stored.index for what in stored}
    for name in stored.index:
        size, _, kind = name.replace("one by one", "1, none").partition(", ")
        variant = SearchVariant(batch=int(size), virtual_loss=kind == "virtual loss")
        assert found[name, "different nodes"] == variant.batch + variant.virtual_loss / 2
        ours, theirs = met[int(found[name, "score against UCT 1,000"])]
        assert (ours, theirs) == (("evaluator of net", 200, variant), "UCT 1,000")


def test_the_rows_about_openings_count_legal_moves_and_positions_up_to_symmetry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One move is tried in every position; at ply 2 three of four are images of each other."""
    asked = []
    first = GAME.play(GAME.initial(), np.array([40]))
    two = np.concatenate([GAME.play(first, np.array([move])) for move in (39, 41)])
    turned = [symmetry.transform(two[:1], image)[0] for image in (1, 2)]
    states = np.concatenate([first, two[:1], turned, GAME.play(two[:1], np.array([27]))])
    visits = np.zeros((len(states), 81), np.int64)
    visits[:, 0] = 7

    def note(tables: str, games: int, **changes: float) -> Samples:
        asked.append((tables, changes))
        return no_samples(len(states))._replace(states=states, visits=visits)

    monkeypatch.setattr(fault_costs, "games_played", note)
    found = found_of(fault_costs.opening_rows("net", 1.0))  # type: ignore[arg-type]
    stored = fault_costs.read(fault_costs.OPENINGS)
    assert found.keys() == {(name, what) for name in stored.index for what in stored}
    for name, (tables, changes) in zip(stored.index, asked, strict=True):
        drawn = {} if "temperature" not in name else {"temperature": 0.3}
        noise, openings = 0.25 * name.startswith("noise"), 6 * name.endswith("openings")
        assert tables == "net"
        assert changes == {"noise": noise, "opening": openings} | drawn
        legal = GAME.legal(states).sum()
        assert legal < 9 * len(states)
        assert found[name, "legal moves tried"] == pytest.approx(len(states) / legal)
        shares = [found[name, f"ply {ply}"] for ply in (2, 4, 8, 12)]
        assert shares == [pytest.approx(1 / 3), 0, 0, 0]


# ---------------------------------------------------------------------------- strength


def test_strength_counts_every_game(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [
        strength.Pairing(20, strength.RANDOM, 22),
        strength.Pairing(20, strength.uct_name(1000), 2),
    ]
    monkeypatch.setattr(strength, "plan", lambda: matches)
    one = strength.make_strength()
    with joblib.parallel_config(backend="threading", n_jobs=2):
        two = strength.make_strength()
    sent = pickle.loads(pickle.dumps(partial(strength.play, matches[1], strength.SEED)))
    assert sent()["win"] == one["win"].iloc[1], "nor does the way to another process"
    counts = ["games", "win", "draw", "loss"]
    assert (one[counts] == two[counts]).all(axis=None), "workers change nothing"
    assert (one[["win", "draw", "loss"]].sum(axis=1) == one["games"]).all()
    assert one["games"].tolist() == [22, 2]
    assert one["win"].iloc[0] > 18
    assert one["time_ratio"].iloc[1] < 1, "twenty simulations are quicker than a thousand"
    summary = strength.summary(one)
    assert ((summary["low"] <= summary["score"]) & (summary["score"] <= summary["high"])).all()


def test_the_plan_holds_what_is_asked() -> None:
    found = strength.plan()
    assert all(match.games % 2 == 0 for match in found)
    assert {m.simulations for m in found} == set(strength.SIMULATIONS)
    games = {(m.simulations, m.opponent): m.games for m in found}
    assert games[200, "UCT 1,000"] >= 200
    assert games[200, "UCT 10,000"] >= 400
    assert games[2000, "UCT 100,000"] >= 200


def test_openspiel_is_beaten() -> None:
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    found = strength.play(strength.Pairing(100, strength.OPENSPIEL, 4), seed=0)
    assert found["win"] + found["draw"] + found["loss"] == 4
    assert found["win"] >= 2
    assert 0 < found["time_ratio"] < 1


def test_openspiel_follows_games_by_their_new_stones() -> None:
    game, rng = Ultimate(), np.random.default_rng(3)
    states = [game.initial()]
    for _ in range(9):
        states.append(game.play(states[-1], choose(random_agent(game), states[-1], rng)))
    for first, second in ((0, 0), (0, 5), (3, 5), (4, 9)):
        path = strength.path_between(states[first][0], states[second][0])
        assert path is not None
        assert len(path) == second - first
        state = states[first]
        for move in path:
            state = game.play(state, np.array([move]))
        assert (state == states[second]).all()
    assert strength.path_between(states[3][0], states[2][0]) is None


def test_the_command_line_repeats_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """The row of its seed: with another one the same players score otherwise."""
    pairs = []
    for seed in (strength.SEED, strength.SEED + 1):
        row = strength.play(strength.Pairing(5, "UCT 1,000", 8), seed)
        status = cli.main(
            "match alphazero:simulations=5,solver=0 uct:iterations=1000 --board ultimate --games 8 "
            f"--openings 4 --seed {seed} --json".split()
        )
        found = json.loads(capsys.readouterr().out)
        assert status == 0
        assert [found[k] for k in ("win", "draw", "loss")] == [
            row[k] for k in ("win", "draw", "loss")
        ]
        assert found["pairs"] == [row[name] for name in matches.PAIRS]
        pairs.append(found["pairs"])
    assert pairs[0] != pairs[1]


def test_both_intervals_are_widened_by_the_number_of_changes() -> None:
    """Student's t with one degree of freedom: 12.7062 for 5%, 25.4517 for half of it."""
    names = ["no root noise", "no turned samples"]
    rows = [
        {"variant": v, "seed": s, "cpu_minutes": 1.0, "uct_score": u, "full_score": u}
        for v in (ablations.FULL, *names)
        for s, u in ((1, 0.5), (2, 0.5 if v == ablations.FULL else 0.7))
    ]
    for changes, quantile in ((1, 12.7062), (2, 25.4517)):
        kept = [row for row in rows if row["variant"] in (ablations.FULL, *names[:changes])]
        found = ablations.effects(pd.DataFrame(kept)).loc[names[0]]
        for kind in ("uct", "full"):
            assert found[f"{kind}_high"] == pytest.approx(0.1 + quantile * 0.1, rel=1e-4)
