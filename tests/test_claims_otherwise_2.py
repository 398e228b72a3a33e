"""What answers a claim of document 2 about accuracy and method, on other data than the stored."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest
from claim_answers import (
    Parts,
    Patch,
    Row,
    always,
    answer,
    checks_of,
    in_turn,
    patch,
)

from ttt_lib.game.board import parse
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.policy import first, winning_cells
from ttt_lib.spectral import claims, claims_settings, policy
from ttt_lib.spectral.fidelity import Heatmaps, heatmaps
from ttt_lib.spectral.labels import good_moves
from ttt_lib.spectral.policy import spectral


def foldings(errors: tuple[float, ...], ranks: tuple[float, ...], **other: float) -> Parts:
    """Two foldings with errors and ranks after calibration; before, both are .5.

    With probabilities as labels neither changes, unless other says so.
    """
    level = Some(mse=0.5, spearman=0.5, pooled=0.5)

    def calibrated(labels: str) -> claims.Calibrated:
        ends = zip(errors, ranks, strict=True)
        after = tuple(Some(mse=error, spearman=rank, pooled=1 - rank) for error, rank in ends)
        if labels == "probability":
            after = 2 * (Some(**vars(level) | other),)
        return claims.Calibrated((level, level), after, (0.25, 0.75))

    return {"calibrated": calibrated}


RULE = claims_settings.RULE_IN_WORDS


def ruled(no_win: bool | None, no_block: bool | None, other: bool | None) -> Parts:
    """A player with the rule that wins nowhere, blocks nowhere, or moves otherwise elsewhere.

    None stands for a rule that is never asked.
    """
    tree, agent = solve(claims.GRID), spectral(claims.GRID)
    with_it, without = (
        policy_table(one, tree) for one in (agent, spectral(claims.GRID, safety="no"))
    )
    side = tree.grid.to_move(tree.boards)
    wins, blocks = (
        winning_cells(tree.grid, tree.boards, sign * side).any(axis=1) for sign in (1, -1)
    )
    found, last = with_it.copy(), tree.legal[:, ::-1].argmax(axis=1)
    for broken, where in ((no_win, wins), (no_block, blocks & ~wins), (other, ~(wins | blocks))):
        if broken:
            found[where] = np.eye(9, dtype=found.dtype)[8 - last[where]]
    return {"policy_table": in_turn(without if no_win is None else found, without)}


def printing(**shares: str) -> Parts:
    """Some printed shares are others."""
    printed = claims.printed
    return {"printed": lambda claim: shares.get(claim.replace("-", "_")) or printed(claim)}


def compared(*rows: tuple[str, float, float, float, int]) -> Parts:
    """Comparisons of the linear model with networks, of as many as there are rows."""
    found = pd.DataFrame(rows, columns=["measure", "linear", "lead", "error", "seeds"])
    return {"leads": always(found), "tally": always((0, 0, len(rows), ""))}


def spreading(symmetric: float) -> Parts:
    """Scores of averaged features spread so much; others by 1."""
    rng = np.random.default_rng(0)
    return {"fit": lambda rows, **given: symmetric if given["symmetric"] else 1.0,
            "heatmaps": lambda s: Some(scores=s * rng.normal(size=(50, 9)))}  # fmt: skip


def little(least: int, chance: int, free: int, used: int, sampled: int = 200) -> Parts:
    """Accuracies from samples, of chance and of the first free cell; and states trained on."""
    rows = claims.exact_rows(claims.GRID, "optimal")
    return {
        "exact_rows": always(rows.part(np.arange(used))), "SEEDS": 2,
        "QUICK_3": claims.QUICK_3._replace(states=sampled),
        "best_move_accuracy": in_turn(*(Some(tie_aware=share) for share in (9, least, 9))),
        "chance_accuracy": always(Some(tie_aware=chance)),
        "first_free": always(Some(tie_aware=free)),
    }  # fmt: skip


def player(changes: Mapping[str, int]) -> Callable[..., Some]:
    """It moves to cell 1 if one of the given numbers is that which changes it, else to 0."""

    def built(*_: object, **given: int) -> Some:
        other = any(changes.get(name) == number for name, number in given.items())
        return Some(policy=lambda boards, rng: np.eye(2)[[int(other)] * len(boards)])

    return built


def training(changes: Mapping[str, int]) -> Callable[..., Some]:
    """A training in which some of the given numbers give other weights."""

    def trained(*_: object, **given: object) -> Some:
        other = [changes.get(name) == number for name, number in given.items()]
        return Some(weights=np.array([any(other)], dtype=float))

    return trained


def seeded(default: int) -> Parts:
    """A command with another default seed; the next one gives other weights."""

    def flags(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seed", type=int, default=default)

    return {"add_arguments": flags, "trained": training({"seed": default + 1})}


def stored(*rows: Sequence[Any]) -> Parts:
    """Stored matches: games, opponent, board, player, and the games that were lost on the way.

    All others were drawn.
    """
    found = []
    for row in rows:
        games, opponent, board, who, lost = (*row, *(None, None, "4x4", "ours", 0)[len(row) :])
        found.append({"board": board, "player": who, "opponent": opponent, "games": games,
                      "win": 0, "draw": games - lost, "loss": 0})  # fmt: skip
    return {"table": always(pd.DataFrame(found))}


def matched(fixed: int | None) -> Parts:
    """The search plays as many games whatever is asked for, if so told."""

    def matches(agent: object, options: argparse.Namespace) -> dict[str, dict[str, int]]:
        searched = options.games_mcts if fixed is None else fixed
        return {
            "random": {"win": options.games_random, "draw": 0, "loss": 0},
            "uct": {"win": 1, "draw": searched - 3, "loss": 2},
        }

    return {"matches": matches}


VERDICTS: list[Row] = [
    # It is open if it is above with the lowest of equal cells, but not with any.
    ("above chance is above by both measures and with either rule for ties", claims.above_baseline,
     lambda index, lot: {
         "best_move_accuracy": always(Some(single=index[0], tie_aware=index[1])),
         "by_lot": always(Some(single=lot[0], tie_aware=lot[1])),
         "chance_accuracy": always(Some(single=5, tie_aware=7))},
     [((6, 8), (6, 8), True), *((low, low, False) for low in ((5, 8), (4, 8), (6, 7), (6, 6))),
      ((6, 8), (5, 8), None), ((6, 8), (6, 7), None), ((5, 8), (6, 8), None)]),
    ("an exact list would hit all states", claims.no_exact_heatmap,
     lambda hits: {"ceiling": always(Some(hits=hits, total=4520))},
     [(4519, True), (4520, False)]),
    ("one kind of labels is enough for a calibration", claims.depth_calibration,
     partial(foldings, mse=0.4, spearman=0.6),
     [((0.6, 0.6), (0.4, 0.4), True), ((0.4, 0.6), (0.6, 0.4), True)]),
    # If the printed shares fit both, they can't tell.
    ("shares are of all boards or of classes", claims.states_counted,
     lambda shares: printing(**shares),
     [({}, (True, False)),
      ({"heat_base_tie": "50.0"}, (False, False)),  # that of classes
      ({"heat_base": "33.7"}, (False, False)), ({"tie_symmetric": "0.650"}, (True, False)),
      ({"heat_base_tie": "50"}, (None, False))]),  # that of both
    ("features are compared only if predictions differ", claims.features_over_complexity,
     lambda shift, won: {"fit": lambda rows: lambda x: policy.fit(rows)(x) + shift,
                         "tally": always((won, 0, 44, ""))},
     [(0.1, 23, True), (0.1, 22, False), (1e-5, 23, True), (0.0, 23, None)]),
    # Moves are told; the run time of the document's program they can't tell.
    ("no number of moves is a run time", claims.search_work,
     lambda moves: {
         "moves_made": lambda grid, size, rng: (15 if size < 15_000 else moves) * size},
     [(15, (None, False)), (31, (None, False))]),
    # One of 30 comparisons; in the others the networks are ahead, not clearly so.
    ("can is one beyond chance or level with all", partial(claims.networks_beaten, most=False),
     lambda lead, error: compared(
         ("kept", -7.0, lead, error, 5), *[("safe_kept", -5.0, -0.1, 1.0, 5)] * 29),
     [(12.0, 1.0, True),  # p = .0003, one of 30 tests
      (8.0, 1.0, None),  # p = .0013
      (-12.0, 1.0, None),
      (0.0, 0.0, True),  # level with every network
      (0.0, 1.0, None),  # level with their mean only
      (0.1, 0.0, True),  # better than all, which are alike
      (-0.1, 0.0, None),
      (1e-5, 1e-6, None)]),  # networks that differ a little are not alike: p = .0006
    ("networks that are better everywhere are not matched",
     partial(claims.networks_beaten, most=False),
     lambda: compared(*[("kept", -7.0, -50.0, 1.0, 5)] * 3), [(False,)]),
    ("averaging reduces variance if scores vary less", claims.variance_reduced, spreading,
     [(0.5, True), (2.0, False)]),
    ("little data is used and beats chance and the first free cell", claims.little_data,
     partial(little, used=451),
     [(6, 6, 6, True), (5, 7, 5, None), (5, 5, 7, None), (5, 8, 5, None), (4, 5, 7, None)]),
    ("little is less than a tenth by exact and by sampled labels", claims.little_data,
     partial(little, 6, 6, 6),
     [(451, 451, True), (452, 451, None), (451, 452, None), (4520, 200, None)]),
    ("much data that does not suffice is not little", claims.little_data,
     partial(little, 5, 7, 5),
     [(4520, 452, False), (4520, 451, None), (451, 452, None)]),
    ("samples and rollouts must both be read", claims_settings.sampling_read,
     lambda changes: {"spectral": player(changes)},
     [({"samples": 200, "rollouts": 3}, ("400 6", True)), ({"samples": 200}, ("400 6", False)),
      ({"rollouts": 3}, ("400 6", False)), ({}, ("400 6", False)),
      ({"samples": 400, "rollouts": 3}, ("others", False))]),
    ("numbers of a quick run must both be read", claims_settings.quick_sampling_read,
     lambda changes: {"trained": training(changes)},
     [({"samples": 100, "rollouts": 3}, True), ({"samples": 100}, False),
      ({"rollouts": 3}, False)]),
    ("numbers of the larger run must both be read", claims_settings.larger_sampling_read,
     lambda changes: {"spectral": player(changes), "quick_checked": always(player(changes)())},
     [({"samples": 300, "rollouts": 4}, ("600 8", True)), ({"samples": 300}, ("600 8", False)),
      ({"rollouts": 4}, ("600 8", False)),
      ({"samples": 600, "rollouts": 4}, ("others", False))]),
    ("numbers of the largest board are those of our runs there",
     claims_settings.largest_sampling_read,
     lambda changes: {"trained": training(changes), "moved_model": always(training(changes)())},
     [({"samples": 300, "rollouts": 12}, ("400 6", True)), ({"samples": 300}, ("400 6", False)),
      ({"rollouts": 12}, ("400 6", False)),
      ({"samples": 400, "rollouts": 12}, ("others", False))]),
    ("the safety rule wins, else blocks, else leaves the move alone", claims_settings.safety_read,
     ruled,
     [(False, False, False, (RULE, True)), (True, False, False, ("another rule", True)),
      (False, True, False, ("another rule", True)), (False, False, True, ("another rule", True)),
      (None, None, None, ("another rule", False))]),
    ("a seed is read if the next gives other weights", claims_settings.seed_read,
     lambda other: {"trained": training({"seed": other})},
     [(43, (42, True)), (44, (42, False))]),
    ("the seed told is that of the command", claims_settings.seed_read, seeded,
     [(7, (7, True))]),
    ("iterations are read if the searches make other moves", claims_settings.iterations_read,
     lambda sizes, made: {"table": always(pd.DataFrame({"iterations": sizes})),
                          "moves_made": in_turn(*made)},
     [([100, 150, 150], (9, 6), ("150 100", True)), ([100, 150], (6, 6), ("150 100", False)),
      ([100, 150, 200], (9, 6, 6), ("200 150 100", False)), ([100], (6,), ("100", False))]),
    ("games are those of the stored matches",
     partial(claims_settings.games_recorded, "4x4", "our", ["random", "uct"]), stored,
     [((50, "random"), (20, "uct@150"), ("50 20", True)),
      ((50, "random"), (30, "random"), (20, "uct"), ("30/50 20", True)),
      ((50, "random"), ("50 0", False)),
      ((50, "random"), (20, "uct@150, wrong sign"), ("50 0", False)),
      ((50, "random"), (20, "uct", "4x4", "another"), ("50 0", False)),
      ((50, "random"), (20, "uct", "5x5"), ("50 0", False)),
      ((50, "random", "4x4", "ours", 1), (20, "uct"), ("50 20", False))]),
    ("iterations on a board are those of its stored searches",
     partial(claims_settings.iterations_recorded, "5x5"), stored,
     [((9, "uct@150", "5x5"), (9, "random", "5x5"), ("150", True)),
      ((9, "uct@150", "5x5"), (9, "uct@100", "5x5"), ("100 150", True)),
      ((9, "uct@150", "4x4"), (9, "random", "5x5"), ("no search", False))]),
    ("games of a command are counted", claims_settings.games_of_the_example, matched,
     [(None, ("50 20", True)), (20, ("50 20", False))]),
]  # fmt: skip
"""In each row a sentence, what answers, what it is given, and in each case the answer."""


test_the_answer_follows_what_is_given = checks_of(VERDICTS)


def test_a_lottery_between_equal_cells_changes_nothing_where_no_cells_are_equal() -> None:
    maps, symmetric = (claims.heatmaps(claims.trained(claims.GRID, symmetric=s)) for s in (0, 1))
    index, lot = claims.best_move_accuracy(maps), claims.by_lot(maps)
    assert lot.single == pytest.approx(index.single)
    assert lot.tie_aware == pytest.approx(index.tie_aware)
    index, lot = claims.best_move_accuracy(symmetric), claims.by_lot(symmetric)
    assert lot.single < claims.first_free().single < index.single
    assert min(claims.by_fixed_orders(symmetric)) <= lot.tie_aware + 1e-9
    assert lot.tie_aware <= max(claims.by_fixed_orders(symmetric)) + 1e-9


@pytest.mark.parametrize(
    ("against", "told"),
    [(["random"], "no match of this player on 3x3 against random play"),
     (["random", "uct"], "no match of this player on 3x3 against random play or UCT"),
     (["minimax"], "matches on 3x3 that we store, replays of printed matches apart: 50 against")],
)  # fmt: skip
def test_matches_that_are_not_stored_are_said_to_be_none(
    monkeypatch: pytest.MonkeyPatch, against: list[str], told: str
) -> None:
    columns = ["board", "player", "opponent", "games", "win", "draw", "loss"]
    rows = pd.DataFrame([["3x3", "ours", "minimax", 50, 50, 0, 0]], columns=columns)
    monkeypatch.setattr(claims_settings, "table", lambda file: rows)
    assert told in claims_settings.games_recorded("3x3", "our", against).found


# ---------------------------------------------------------------------------- accuracy


@pytest.mark.parametrize(
    ("printed", "some"), [(0.199, False), (0.2, True), (0.201, False), (0.3, False), (0.4, True)]
)
def test_it_is_told_whether_some_draws_print_a_share(printed: float, some: bool) -> None:
    reason = claims.by_tie_rule("", printed, (0.4, 0.2004, 0.3996), "ways").reason
    told = "values that print" if some else "none that prints"
    assert reason.endswith(
        f"0.2004 to 0.4000 over 3 ways order in which to sum a score, {told} {printed:g} among "
        "them."
    )
    drawn = (0.4, 0.2004, 0.3996)
    found = claims.by_tie_rule("", 100 * printed, drawn, "ways", percent=True)
    assert found.found.endswith("% if any is as likely")
    assert found.reason.endswith(
        f"20.04% to 40.00% over 3 ways order in which to sum a score, {told} {100 * printed:g}% "
        "among them."
    )


@pytest.mark.parametrize(
    ("published", "again", "word"),
    [
        ("29-1-0", "vs MCTS W:29 D:1 L:0", "agree"),
        ("29-1-0", "vs MCTS W:29 D:0 L:1", "differ"),
        ("0.638", "63.8% tie-aware", "agree"),
        ("0.638", "63.7% tie-aware", "differ"),
    ],
)
def test_two_places_agree_or_differ(published: str, again: str, word: str) -> None:
    assert claims.in_both_places(published, again).endswith(f"the two {word}.")


def test_a_share_is_told_for_every_way_to_break_ties(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "by_fixed_orders", lambda maps: [0.5, 0.25, 0.75])
    rounding = (Some(single=0, tie_aware=0.125), Some(single=0, tie_aware=0.875))
    monkeypatch.setattr(claims, "rounded", lambda: rounding)
    found = claims.tie_aware_symmetric("0.125", "12.5%")
    assert found.holds is None
    assert found.found.endswith("0.2500 to 0.7500 by 3 other fixed orders of them")
    assert "0.1250 to 0.8750 over 2 choices of an order in which to sum a score" in found.reason
    told = "values that print 0.125 among them. The document prints it twice, and the two agree"
    assert told in found.reason
    assert "list of cells" not in found.reason, "rounding can exceed the best list"
    told = claims.tie_aware().reason
    assert "held out it would be 0.606 (0.596 to 0.615 in 20 foldings)" in told
    assert "No list of cells can hit more than" in told


def test_fixed_orders_of_equal_cells_rarely_change_a_share() -> None:
    maps = claims.heatmaps(policy.trained(claims.GRID, symmetric=True))
    shares = claims.by_fixed_orders(maps)
    assert len(shares) == 24 * 24 - 1
    assert {round(share, 3) for share in shares} == {0.638}
    assert len(set(shares)) > 1
    unequal = Heatmaps(maps.scores - 1e-3 * np.arange(9), maps.truth, maps.ply)
    [share] = set(claims.by_fixed_orders(unequal))
    assert share == claims.best_move_accuracy(maps).tie_aware


@pytest.mark.parametrize(
    ("plain", "symmetric", "holds"),
    [
        ([(0.6, 0.1), (0.6, 0.1)], [(0.5, 0.1), (0.4, 0.3)], True),
        ([(0.5, 0.1), (0.4, 0.1)], [(0.6, 0.1), (0.6, 0.1)], True),  # one kind is enough
        ([(0.6, 0.1), (0.5, 0.1)], [(0.5, 0.1), (0.5, 0.1)], None),  # not in every folding
        ([(0.6, 0.1), (0.6, 0.2)], [(0.5, 0.1), (0.5, 0.1)], None),
        ([(0.6, 0.3), (0.4, 0.1)], [(0.5, 0.1), (0.6, 0.2)], False),
    ],
)
def test_training_on_chances_must_better_ranks_and_error_in_every_folding(
    monkeypatch: Patch,
    plain: list[tuple[float, float]],
    symmetric: list[tuple[float, float]],
    holds: bool | None,
) -> None:
    """With 0/1 labels ranks are .5 and the error is .2, in either of two foldings."""

    def calibrated(labels: str, kind: bool) -> claims.Calibrated:
        ends = 2 * [(0.5, 0.2)] if labels == "optimal" else symmetric if kind else plain
        return claims.Calibrated(tuple(Some(spearman=s, mse=e) for s, e in ends), (), ())

    monkeypatch.setattr(claims, "calibrated", calibrated)
    found = claims.true_probabilities()
    assert (found.holds, found.tested) == (holds, holds is None)
    both = sum(rank > 0.5 and error < 0.2 for rank, error in plain)
    assert f"with standard features it is so in {both}." in found.reason
    lower, better, same = (
        sum(some)
        for some in zip(*[(e < 0.2, s > 0.5, s == 0.5) for s, e in symmetric], strict=True)
    )
    assert f"error is lower in {lower}, and" in found.reason
    assert f"are better in {better or 'none'} (the same in {same})" in found.reason
    ranks = sum(rank for rank, _ in plain) / 2
    assert f"Spearman within a state 0.500 to {ranks:.3f}, MSE 0.2000 to" in found.found


@pytest.mark.parametrize("seed", [0, 1])
def test_a_state_is_scored_by_a_model_of_other_boards(monkeypatch: Patch, seed: int) -> None:
    """Here a model scores 1 what it has seen, and 0 what it hasn't."""
    shape, truth = (4520, 9), heatmaps(policy.trained(claims.GRID))

    def maps(model: Some) -> Heatmaps:
        seen = np.isin(np.arange(shape[0]), getattr(model, "seen", []))
        scores = np.tile(seen[:, None].astype(float), shape[1])
        return Heatmaps(np.where(truth.legal, scores, np.nan), truth.truth, truth.ply)

    def without(rows: object, states: np.ndarray, *_: object, **__: object) -> list[Some]:
        return [Some(seen=np.setdiff1d(np.arange(shape[0]), states))]

    monkeypatch.setattr(claims, "heatmaps", maps)
    monkeypatch.setattr(claims, "fit_without", without)
    together = claims.held_out_together.__wrapped__
    assert not np.nansum(together("optimal", seed=seed)[0].scores)
    everything = [Some(seen=np.arange(shape[0]))]
    monkeypatch.setattr(claims, "fit_without", lambda *_, **__: everything)
    assert np.nanmin(together("optimal", seed=seed)[0].scores) == 1


def test_lines_are_fitted_to_the_scores_of_the_boards_that_the_model_has_seen(
    monkeypatch: Patch,
) -> None:
    """What it has seen it scores as the truth, the rest by twice the truth: the line is y = x."""
    truth = heatmaps(policy.trained(claims.GRID))

    def maps(model: Some) -> Heatmaps:
        unseen = np.isin(np.arange(4520), getattr(model, "states", []))[:, None]
        return Heatmaps(np.where(unseen, 2 * truth.truth, truth.truth), truth.truth, truth.ply)

    monkeypatch.setattr(claims, "heatmaps", maps)
    monkeypatch.setattr(claims, "fit_without", lambda rows, states, *_, **__: [Some(states=states)])
    _, lined = claims.held_out_together.__wrapped__("optimal")
    np.testing.assert_allclose(lined.scores, 2 * truth.truth)


@pytest.mark.parametrize(
    ("errors", "ranks", "holds", "tested"),
    [
        ((0.4, 0.4), (0.6, 0.6), True, False),
        ((0.5, 0.5), (0.5, 0.5), False, False),
        ((0.6, 0.6), (0.4, 0.4), False, False),
        ((0.4, 0.4), (0.4, 0.4), None, False),
        ((0.6, 0.6), (0.6, 0.6), None, False),
        ((0.4, 0.6), (0.6, 0.6), None, True),
        ((0.4, 0.4), (0.6, 0.5), None, True),
        ((0.4, 0.6), (0.4, 0.6), None, True),
    ],
)
def test_a_calibration_must_better_error_and_ranks_in_every_folding(
    monkeypatch: Patch,
    errors: tuple[float, ...],
    ranks: tuple[float, ...],
    holds: bool | None,
    tested: bool,
) -> None:
    """Where one of the two measures is better and the other worse, the readings disagree."""
    found = answer(monkeypatch, claims.depth_calibration, foldings(errors, ranks))
    assert (found.holds, found.tested) == (holds, tested)
    lower, better = sum(e < 0.5 for e in errors), sum(rank > 0.5 for rank in ranks)
    assert f"the squared error is lower in {lower} (0/1 labels) and 0 (prob" in found.reason
    assert f"in a state agree better in {better} (0/1 labels) and 0 (probabilities)" in found.reason
    worse = sum(rank < 0.5 for rank in ranks)
    assert claims._times_better(claims.calibrated("optimal"), "pooled") == worse
    assert "on average in 50% (0/1 labels) and 50% (probabilities)" in found.reason


def test_what_is_told_of_a_calibration_is_its_mean_and_spread(monkeypatch: Patch) -> None:
    parts = foldings((0.3, 0.4), (0.1, 0.4))
    found = answer(monkeypatch, claims.depth_calibration, parts).found
    assert "MSE 0.5000 to 0.3500 (0.3000 to 0.4000)" in found
    assert "Spearman within a state 0.500 to 0.250 (0.100 to 0.400); trained on prob" in found


def test_states_are_turned_whose_moves_are_in_the_reverse_order() -> None:
    """Of four states one is turned, one stays, one is level after, and one has a single move."""
    nan = np.nan
    scores = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, nan]])
    after = np.array([[5.0, 3.0], [5.0, 7.0], [4.0, 4.0], [0.0, nan]])
    before, other = (Heatmaps(one, scores, np.ones(4, dtype=np.intp)) for one in (scores, after))
    assert claims.turned(before, other) == 0.25


def test_what_a_constant_for_each_number_of_stones_gives_is_told(monkeypatch: Patch) -> None:
    """A little more, held out, than the means of the states themselves."""
    parts = foldings((0.4, 0.4), (0.6, 0.6))
    reason = answer(monkeypatch, claims.depth_calibration, parts).reason
    [level] = re.findall(r"held out, has a squared error of ([.\d]+) on average over the", reason)
    maps = heatmaps(policy.trained(claims.GRID))
    plies = np.broadcast_to(maps.ply[:, None], maps.truth.shape)[maps.legal]
    cells = pd.DataFrame({"truth": maps.truth[maps.legal], "ply": plies})
    within = (cells.truth - cells.groupby("ply").truth.transform("mean")).pow(2).mean()
    assert within < float(level) < 1.02 * within
    errors = [claims.constants_error(seed) for seed in claims.CLASS_FOLDINGS]
    assert float(level) == round(float(np.mean(errors)), 4)
    assert len(set(errors)) == len(errors)


def test_the_constant_of_the_empty_board_is_the_mean_over_all_moves_of_others(
    monkeypatch: Patch,
) -> None:
    """Here every other move wins with a chance of a half, and those on the empty board are sure."""
    maps = heatmaps(policy.trained(claims.GRID))
    sure = np.where((maps.ply == 0)[:, None], 1.0, 0.5)
    chances = np.where(maps.legal, sure, np.nan)
    monkeypatch.setattr(claims, "heatmaps", lambda model: Heatmaps(maps.scores, chances, maps.ply))
    assert claims.constants_error(0) == pytest.approx(9 * 0.25 / maps.legal.sum())


@pytest.mark.parametrize("place", [0, -1])
def test_a_class_counts_whichever_board_stands_for_it(monkeypatch: Patch, place: int) -> None:
    """Shares of nothing but for the first or the last of the boards with an X in a corner."""
    tree, boards = claims.solve(claims.GRID), claims.shares_by_board() * 0
    codes = claims.GRID.canonical_codes(tree.boards[~tree.finished])
    [corner] = claims.GRID.canonical_codes(parse("x........", claims.GRID)[None])
    alike = np.flatnonzero(codes == corner)
    boards.iloc[alike[place]] = 100 * len(set(codes)) * len(alike)
    monkeypatch.setattr(claims, "shares_by_board", lambda: boards)
    assert "and 100.0;" in claims.states_counted().found


# ---------------------------------------------------------------------------- the method


@pytest.mark.parametrize(
    ("won", "lost", "holds"),
    [(13, 0, True), (11, 0, None), (0, 0, False), (27, 22, None), (45, 10, True)],
)
def test_a_penalty_is_selected_if_one_folding_prefers_it_beyond_chance(
    monkeypatch: Patch, won: int, lost: int, holds: bool | None
) -> None:
    """So many states only penalty 1 or only penalty .1 hits, in one of twenty foldings."""
    better = np.arange(100) < won
    hits = {0.1: (np.arange(100) >= won) & (np.arange(100) < won + lost), 1.0: better}
    level = {0.1: better, 1.0: better}
    runs = iter([hits, *[level] * 19])
    monkeypatch.setattr(claims, "hit_states", lambda symmetric, seed: next(runs))
    found = claims.penalty_selected()
    assert found.holds is holds
    text = f"the best penalty hit {won} states that the worst missed, and missed {lost} that"
    assert (text in found.reason) is bool(won)
    assert found.reason.endswith("differed nowhere.") is not won


@pytest.mark.parametrize(
    ("own", "found", "alone"),
    [(0, "20 of 20 cross", True), (1, "19 of 20 cross", False)],
)
def test_penalties_of_the_program_are_told_apart_from_stronger_ones(
    monkeypatch: Patch, own: int, found: str, alone: bool
) -> None:
    """In one folding the program's penalty .1 hits as many other states; and 100 one more."""
    states = np.arange(100)
    level = dict.fromkeys(claims.PENALTIES, states < 50) | {100.0: states < 51}
    first = level | {0.1: (states >= own) & (states < 50 + own)}
    runs = iter([first, *[level] * 19])
    monkeypatch.setattr(claims, "hit_states", lambda symmetric, seed: next(runs))
    judged = claims.penalty_selected()
    assert (judged.holds, judged.tested) == (None, True)
    assert found in judged.found
    assert "held-out accuracy in 0 of 20" in judged.found
    assert ("Those alone would refute the sentence if equal cells go" in judged.reason) is alone


def test_what_only_the_best_and_only_the_worst_penalty_hit_is_told_for_each_folding() -> None:
    told = claims._best_and_worst([(27, 22), (31, 27), (37, 28)])
    assert "hit 27, 31 and 37 states that the worst missed, and missed 22, 27 and 28 that" in told


def test_states_are_hit_as_in_cross_validation() -> None:
    hits = claims.hit_states(symmetric=False, seed=3)
    rows = policy.training_rows(claims.GRID, "optimal")
    shares = policy.cross_validate(rows, lams=claims.PENALTIES, rng=3)
    assert {lam: found.mean() for lam, found in hits.items()} == pytest.approx(shares)


def test_labels_that_lose_no_value_are_optimal(monkeypatch: Patch) -> None:
    half = Some(matches={("o", "minimax"): Some(loss=Fraction(1, 2))})
    monkeypatch.setattr(claims, "value_moves", lambda tree: tree.legal)
    monkeypatch.setattr(claims, "labels_followed", lambda: half)
    found = claims.optimal_labels()
    assert found.holds is True
    assert "loses 1/2 of the games" in found.reason


def test_one_label_that_loses_value_is_enough(monkeypatch: Patch) -> None:
    """All moves keep the value, but for the one labelled on the empty board."""

    def other(tree: GameTree) -> np.ndarray:
        keeps = tree.legal.copy()
        keeps[0] &= ~first(good_moves(tree))[0]
        return keeps

    monkeypatch.setattr(claims, "value_moves", other)
    found = claims.optimal_labels()
    assert found.holds is None
    assert found.found.startswith("1 of 4520 labelled moves throw value away; 0 win less")
    assert found.found.endswith(" (by construction)")
    monkeypatch.setattr(claims, "most_wins", other)
    found = claims.optimal_labels()
    assert found.holds is False
    assert "; 1 win less" in found.found
    assert "by construction" not in found.found


def test_moves_that_win_most_are_those_of_most_chances() -> None:
    """On the empty board the centre alone; of equal moves all."""
    tree = solve(claims.GRID)
    most = claims.most_wins(tree)
    assert np.flatnonzero(most[0]).tolist() == [4]
    assert (most[~tree.finished] == good_moves(tree)[~tree.finished]).all()


@pytest.mark.parametrize(
    ("shares", "holds", "word"),
    [
        (
            ("0.638", "0.623"),
            None,
            "the latter, so that 2231 moves as good as the labelled are labelled 0",
        ),
        (("0.623", "0.638"), True, "the former"),
        (("0.638", "0.638"), False, "neither"),
        (("0.623", "0.623"), True, "both"),
    ],
)
def test_labels_are_judged_by_the_accuracy_that_they_lead_to(
    monkeypatch: Patch, shares: tuple[str, str], holds: bool | None, word: str
) -> None:
    """With every best move labelled, and with one of each state: the words can mean either."""
    found = iter(map(float, shares))
    monkeypatch.setattr(claims, "best_move_accuracy", lambda maps: Some(tie_aware=next(found)))
    judged = claims.every_optimal_move_labelled()
    assert judged.holds is holds
    assert not judged.tested
    assert f"The printed 0.623 fits {word}." in judged.reason
    assert ("the readings disagree" in judged.reason) is (holds is None)


@pytest.mark.parametrize(
    ("every", "one", "holds", "word"),
    [
        (0.6, 0.515, None, "fits the latter, so that by the definition as it reads"),
        (0.515, 0.4, True, "fits the former"),
        (0.515, 0.515, True, "fits both"),
        (0.6, 0.4, False, "fits neither"),
    ],
)
def test_an_accuracy_counts_any_best_move_or_the_labelled_one(
    monkeypatch: Patch, every: float, one: float, holds: bool | None, word: str
) -> None:
    """Held out, in foldings that differ a little."""
    about = 0.001 * np.array([-1, 0, 1])
    monkeypatch.setattr(claims, "held_out_any", lambda: tuple(every + about))
    monkeypatch.setattr(claims, "held_out", lambda symmetric: tuple(one + about))
    found = claims.any_best_move_hits()
    assert (found.holds, found.tested) == (holds, False)
    assert f"The printed 0.516 {word}" in found.reason
    assert found.found.startswith(f"held out, {every:.3f} ({every - 0.001:.3f} to ")


@pytest.mark.parametrize("symmetric", [False, True])
def test_any_best_move_is_counted_in_the_foldings_of_the_labelled_ones(symmetric: bool) -> None:
    """If only labelled moves count, the accuracy is that of cross-validation; with all, more."""
    tree = solve(claims.GRID)
    labelled = first(good_moves(tree))[~tree.finished]
    for seed in range(2):
        same = claims._held_out(labelled, symmetric, seed)
        assert same == pytest.approx(claims.held_out(symmetric)[seed])
        assert claims.held_out_any(symmetric=symmetric)[seed] > same + 0.05


def test_comparisons_are_won_or_level_or_lost(monkeypatch: Patch) -> None:
    rows = [("kept", 1), ("kept", 0), ("kept", 1e-10), ("safe_kept", -1), ("safe_kept", 1)]
    found = pd.DataFrame(rows, columns=["measure", "lead"])
    monkeypatch.setattr(claims, "leads", lambda: found)
    *counts, where = claims.tally()
    assert counts == [2, 2, 5]
    assert where == ("By the means alone the linear model leads in 2, of these with the rule in 1.")


def test_points_of_a_contest_row_count_draws_half() -> None:
    """Of 10 games per match 6 are won and 1 is lost; against perfect play X wins all."""
    matches = ("x_random", "o_random", "x_minimax", "o_minimax")
    row = {f"{rule}{m}_{end}": share for rule in claims.RULES for m in matches
           for end, share in (("win", 0.6), ("loss", 0.1))}  # fmt: skip
    row |= {"x_minimax_win": 1.0, "x_minimax_loss": 0.0}
    row |= {"tie_aware": 0.9, "misplayed": 7, "safe_misplayed": 3}
    found = claims.measured(pd.Series(row))
    assert found["x_random"] == found["safe_o_minimax"] == pytest.approx(0.75)
    assert found["x_minimax"] == 1
    assert (found["good moves"], found["kept"], found["safe_kept"]) == (0.9, -7, -3)


@pytest.mark.parametrize(
    ("alone", "ruled", "holds", "tested"),
    [
        ((13, 0), (11, 0), True, False),
        ((12, 0), (11, 0), None, True),
        ((13, 0), (10, 0), None, True),
        ((0, 13), (0, 11), False, False),
        ((0, 12), (0, 11), None, True),
        ((1, 18), (5, 4), None, True),  # fails alone, and can't be decided with the rule
        ((13, 0), (0, 11), None, False),
    ],
)
def test_often_is_beyond_chance_in_more_than_half_without_the_rule_and_with_it(
    monkeypatch: Patch,
    alone: tuple[int, int],
    ruled: tuple[int, int],
    holds: bool | None,
    tested: bool,
) -> None:
    """Better and worse, of 24 comparisons without the rule and of 20 with it."""
    rows = []
    for name, total, counts in (
        ("safe_kept", 20, ruled),
        ("kept", 24, alone),
    ):
        for sign, count in ((100.0, counts[0]), (-100.0, counts[1]), (0.5, total - sum(counts))):
            rows += [(name, -5.0, sign, 1.0, 7)] * count
    found = answer(monkeypatch, partial(claims.networks_beaten, most=True), compared(*rows))
    assert (found.holds, found.tested) == (holds, tested)
    assert found.found == (
        f"beyond chance, without the safety rule better in {alone[0]} of 24 comparisons and worse "
        f"in {alone[1]}; with it better in {ruled[0]} of 20 and worse in {ruled[1]}"
    )
    words = {True: "it holds", False: "it fails", None: "these tests can't decide"}
    half = [words[claims.in_most([1] * won + [-1] * lost + [0] * (total - won - lost))]
            for (won, lost), total in ((alone, 24), (ruled, 20))]  # fmt: skip
    assert f"Without the rule {half[0]}, with it {half[1]}." in found.reason
    assert "mean of 7 seeds" in found.reason


@pytest.mark.parametrize(
    ("measure", "score", "holds"),
    [
        ("kept", 0.0, None),
        ("safe_kept", -1.0, True),
        ("good moves", 1.0, None),
        ("x_random", 1.0, None),
        ("x_random", 0.5, True),
        ("safe_o_minimax", 0.5, None),
        ("safe_o_minimax", 0.4, True),
        ("o_minimax", 0.0, None),
    ],
)
def test_a_match_at_a_limit_shows_nothing(
    monkeypatch: Patch, measure: str, score: float, holds: bool | None
) -> None:
    parts = compared((measure, score, 0.0, 0.0, 5), ("kept", -7.0, -12.0, 1.0, 5))
    found = answer(monkeypatch, partial(claims.networks_beaten, most=False), parts)
    assert found.holds is holds
    assert f"shows nothing, in {0 if holds else 1}" in found.reason


def test_leads_are_tested_with_one_degree_of_freedom_fewer_than_seeds(monkeypatch: Patch) -> None:
    """Of two seeds: p = .063; with two degrees of freedom it were .0099."""
    patch(monkeypatch, claims.__name__, compared(("kept", -7.0, 10.0, 1.0, 2)))
    assert claims.beyond_chance().better == []
    patch(monkeypatch, claims.__name__, compared(("kept", -7.0, 100.0, 1.0, 2)))
    assert len(claims.beyond_chance().better) == 1


def test_penalties_with_as_many_hits_are_not_told_apart() -> None:
    alike = {lam: np.array([True, lam > 1]) for lam in (2.0, 3.0)}
    assert claims.apart(alike) == (0, 0)
    assert claims.apart({1.0: ~alike[2.0], **alike}) == (2, 0)


def test_leads_beyond_chance_name_their_measures(monkeypatch: Patch) -> None:
    clear, unclear = ("kept", -7.0, 50.0, 1.0, 5), ("x_random", 0.7, 0.1, 1.0, 5)
    beaten = partial(claims.networks_beaten, most=False)
    reason = answer(monkeypatch, beaten, compared(clear, clear, unclear)).reason
    assert "better in 2 (states not misplayed 2 of 4) and worse in 0. It is level so in none." in (
        reason
    )


def test_stored_leads_have_the_linear_models_own_values() -> None:
    own = claims.leads().set_index("measure")["linear"]
    [row] = claims.table("spectral_networks.csv").query("hidden == 0 and labels == 'value'").iloc
    assert claims.measured(row)["x_random"] in set(own["x_random"])
    for measure, value in own.items():
        least, best = claims.limits_of(str(measure))
        assert least <= value <= best


def test_flags_that_are_not_taken_are_told() -> None:
    found = claims_settings.flags_taken(["--sym-avg", "--seed=3", "--other"])
    assert found.found == (
        "`ttt spectral` takes `--sym-avg`, takes `--seed`, does not take `--other`"
    )
    assert found.holds is None
    assert not found.tested, "ours says nothing of the document's scripts"


def test_weights_that_change_are_random(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "SEEDS", 1)
    for drawn in ([0, 1, 2, 2], [0, 0, 1, 2], [0, 1, 2, 3], [0, 0, 1, 1]):
        runs = iter(drawn)
        monkeypatch.setattr(
            claims, "fit", lambda rows, runs=runs: Some(weights=np.array([next(runs)]))
        )
        found = claims.no_randomness()
        assert found.holds is (drawn == [0, 0, 1, 1])
        words = ["the same" if one == two else "other" for one, two in (drawn[:2], drawn[2:])]
        assert found.found.startswith(
            f"exact labels: {words[0]} weights again; sampled: {words[1]} weights again"
        )


def cells(notebook: str) -> list[str]:
    """The sources of a notebook's cells."""
    path = Path(__file__).parents[1] / "notebooks" / f"{notebook}.ipynb"
    found = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in found]


def test_the_notebook_runs_the_command_whose_games_are_counted() -> None:
    [cell] = [cell for cell in cells("02_spectral_dct") if "cli.main" in cell]
    texts = re.findall(r'arguments \+?= "(.*)"', cell)
    assert "".join(texts).startswith(claims_settings.EXAMPLE)
