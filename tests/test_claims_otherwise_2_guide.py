"""What answers a claim of document 2's guide and contract, on other data than the stored."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import cycle
from types import SimpleNamespace as Some
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from claim_answers import Parts, Patch, Row, always, checks_of, in_turn

from ttt_lib.evidence.claims import declared
from ttt_lib.game.board import Grid, parse
from ttt_lib.game.gametree import solve
from ttt_lib.spectral import claims_guide as claims
from ttt_lib.spectral.datafiles import make_optimal_decision_tree, make_probabilities_json
from ttt_lib.spectral.features import dct_features, on_cells
from ttt_lib.spectral.labels import Rows
from ttt_lib.spectral.policy import spectral, trained
from ttt_lib.spectral.ridge import ridge

GRID = claims.GRID


def differing(column: int) -> Parts:
    """Two boards that differ in one coefficient."""
    return {"dct_features": always(np.stack([np.zeros(4), np.arange(4) == column]))}


def adding(*rows: float) -> Parts:
    """What a stone adds, row by row; for O's stones more is a smaller threat."""
    cells = np.repeat(np.array(rows, dtype=float)[:, None], 3, axis=1)
    return {"on_cells": always(np.stack([cells, cells]))}


def cornered(plain: float, averaged: float) -> Parts:
    """A model that adds something for a stone in the top left corner."""

    def model(grid: Grid, *, symmetric: bool) -> Callable[[np.ndarray], np.ndarray]:
        return lambda boards: (averaged if symmetric else plain) * (boards[:, 0] == 1)

    return {"trained": model}


def high(*sizes: int) -> Parts:
    """The largest weight is 8, of a low frequency: a quarter is 2."""
    places = ((0, 2), (2, 0), (2, 1), (2, 2))
    rows = [
        ("X", 1, 1, 8),
        *(("O", u, v, size) for (u, v), size in zip(places, sizes, strict=True)),
    ]
    table = pd.DataFrame(rows, columns=["channel", "u", "v", "weight"])
    return {"weight_table": always(table)}


def waves(x: tuple[int, int], o: tuple[int, int], kept: float) -> Parts:
    """A model of one wave for each side's stones; what is left of them without high frequencies."""
    weights = np.zeros((2, 3, 3))
    for channel, wave in enumerate((x, o)):
        weights[channel][wave] = 1
    flat = weights.ravel()
    return {"trained": always(Some(weights=flat)), "low_pass": always(kept * flat)}


VERDICTS: list[Row] = [
    ("one stretched basis is no rotation", claims.orthonormal,
     lambda size: {"basis": lambda n: np.eye(n) * (1 + 1e-9 * (n == size))},
     [(size, False) for size in (3, 4, 5, 6)]),
    ("three stones total three", claims.mean_is_total,
     lambda mean: {"dct_features": always(np.array([[mean]]))},
     [(2, False), (3, True), (4, False)]),
    *(("a gradient is told by its own coefficient", claim, differing,
       [(column, column == own) for column in range(4)])
      for own, claim in ((1, claims.vertical_gradient), (2, claims.second_is_gradient))),
    *(("top rows are favoured if a stone counts more there", claim, adding,
       [(1, 0, -1, True), (0, 0, 0, False), (-1, 0, 1, False)])
      for claim in (claims.favours_top_rows, claims.upper_rows_less_threatening)),
    # By how much a stone adds more on top and on the left: by (1, 0), then by (0, 1).
    ("a direction is favoured if the ends that the guide names differ", claims.favours_a_direction,
     lambda *tilts: {"_tilts": in_turn(*tilts)},
     [((0, 1), (1, 0), True), ((0, -1), (1, 0), True), ((1, 1), (0, 0), False),
      ((0, 0), (1, 0), False), ((1, 0), (0, 1), False), ((1, 0), (1, 1), False)]),
    ("kinds of cells are told by high frequencies if not by low ones",
     claims.kinds_told_by_high_frequencies, waves,
     [((2, 2), (2, 2), 0, True), ((0, 2), (2, 0), 0, True), ((2, 2), (1, 1), 0, False),
      ((1, 2), (2, 2), 0, False), ((2, 2), (2, 2), 1e-6, False)]),
    ("the centre is neutral if it adds nothing to either gradient", claims.centre_is_neutral,
     lambda down, right: {"dct_features": always(
         np.array([[0, down, 0, right], [0, 1, 0, 1]], dtype=float))},
     [(0, 0, True), (0.001, 0, False), (0, -0.001, False)]),
    ("cues are removed if averaging makes images alike that were not", claims.cues_removed,
     cornered, [(0.1, 0.0, True), (0.1, 1e-6, False), (0.0, 0.0, False), (0.1, 0.2, False)]),
    ("high frequencies are usually small if most are below a quarter",
     claims.high_frequencies_small, high,
     [(1, 1, 1, 4, True), (1, 1, 2, 4, False), (-1, -1, -1, -5, True), (3, 3, 1, 1, False)]),
    ("the centre is in the second row and column", claims.five_is_centre,
     lambda *place: {"parse": always(np.zeros(9)), "GRID": Some(coordinates={5: place})},
     [(1, 1, True), (0, 1, False), (1, 0, False), (1, 2, False), (2, 1, False)]),
    ("products influence a choice if the largest of most differ by move", claims.products_influence,
     lambda *differ: {"_largest_differs": Mock(side_effect=cycle(differ))},
     [(True, True), (False, False), (True, True, False, True), (True, False, False, False)]),
    # Only a negative gradient favours the right; the mean, however large, favours no cell.
    ("mean and gradient explain a move that they favour most", claims.mean_explains,
     lambda supposed, learned: {"hypothetical": always(dict(enumerate(supposed))),
                                "trained": always(Some(weights=np.array(learned)))},
     [((0.45, -0.22), (0.1, -0.1), True), ((0.45, 0.22), (0.1, 0.1), False),
      ((9.0, 0.22), (9.0, 0.1), False), ((0.45, -0.22), (0.1, 0.1), None),
      ((0.45, 0.22), (0.1, -0.1), None), ((0.0, -0.22), (0.0, -0.1), True)]),
]  # fmt: skip
"""In each row a sentence, what answers, what it is given, and in each case the answer."""


test_the_answer_follows_what_is_given = checks_of(VERDICTS)


@pytest.mark.parametrize(("place", "differs"), [(0, False), (1, False), (9, False), (10, True)])
def test_a_product_of_o_to_move_differs_if_it_is_of_its_own_stones_and_not_their_number(
    place: int, differs: bool
) -> None:
    board, model = parse(claims.EXAMPLES["second"], GRID), trained(GRID)
    alone = replace(model, weights=np.arange(18) == place)
    assert claims._largest_differs(alone, board, 2) is differs


def test_moves_with_a_score_are_those_to_free_cells(monkeypatch: Patch) -> None:
    assert claims.moves_scored().value == 6
    monkeypatch.setitem(claims.EXAMPLES, "second", "x...o....")
    assert claims.moves_scored().value == 7


# ---------------------------------------------------------------------------- the basis


def test_a_stretched_basis_is_another_transform(monkeypatch: Patch) -> None:
    stretched = claims.basis() * (1 + 1e-9)
    monkeypatch.setattr(claims, "basis", lambda: stretched)
    found = claims.separable()
    assert not found.holds
    assert "do not agree" in found.found


@pytest.mark.parametrize(
    ("bare", "holds"),
    [
        ((2.1, 2.1), True),
        ((2.1, 2.0), None),
        ((2.0, 2.1), None),
        ((1.2, 1.2), None),
        ((1.2, 1.1), None),
        ((1.1, 1.2), None),
        ((1.1, 1.1), False),
        ((1.0, 1.0), False),
        ((0.5, 1.0), False),
        ((0.5, 2.1), None),
    ],
)
def test_stabler_is_a_condition_number_half_as_large_on_both_boards(
    monkeypatch: Patch, bare: tuple[float, float], holds: bool | None
) -> None:
    """With the factors it is 1; one that is a tenth larger without them is no difference."""
    sizes = dict(zip((3, 4), bare, strict=True))
    monkeypatch.setattr(
        claims,
        "conditions",
        lambda rows, lam: claims.Conditions(9, 4, 1, sizes[rows.grid.n], sizes[rows.grid.n]),
    )
    found = claims.orthonormal_is_stabler()
    assert (found.holds, found.tested) == (holds, holds is None)
    told = {True: "24 confirm the sentence, 0 refute", False: "0 confirm the sentence, 24 refute"}
    assert told.get(holds, "0 refute it, and 24 do neither") in found.reason
    told = f"9 moves of 4 states: lambda 0.1: 1.00 (without the factors {bare[0]:.2f}), lambda 100"
    assert told in found.found


@pytest.mark.parametrize(("at", "usual", "else_"), [(0.1, 2.1, 2.0), (100.0, 1.0, 1.2)])
@pytest.mark.parametrize("enlarged", [False, True])
def test_stabler_is_asked_of_every_penalty_and_of_an_enlarged_one(
    monkeypatch: Patch, at: float, usual: float, else_: float, enlarged: bool
) -> None:
    def made(rows: Rows, lam: float) -> claims.Conditions:
        found = else_ if lam == at else usual
        return claims.Conditions(9, 4, 1, *((usual, found) if enlarged else (found, usual)))

    monkeypatch.setattr(claims, "conditions", made)
    found = claims.orthonormal_is_stabler()
    assert (found.holds, found.tested) == (None, False)  # readings disagree: not testable
    own = at != 100
    assert f"the factor is at most {max(usual, else_) if own else usual:.3f}:" in found.reason
    counted = 18 - own if usual > 2 else 0
    assert f"{counted} of 18 readings confirm the sentence" in found.reason


def test_condition_numbers_are_those_of_the_documents_fits() -> None:
    """Of X'X + lambda I with the rows of every move; the factors are those of the formula."""
    rows = claims.training_rows(GRID, "optimal")
    found = claims.conditions(rows, lam=5.0)
    waves = dct_features(rows.after, GRID)
    factors = np.sqrt([1 / 3, 2 / 3, 2 / 3])
    plain = waves / np.tile(np.outer(factors, factors).ravel(), 2)
    for ours, x in ((found.ours, waves), (found.bare, plain)):
        assert ours == pytest.approx(np.linalg.cond(x.T @ x + 5 * np.eye(18)))
    larger = 5 * (plain**2).sum() / (waves**2).sum()
    assert found.scaled == pytest.approx(np.linalg.cond(plain.T @ plain + larger * np.eye(18)))
    assert found.moves == 16167
    told = "condition numbers of X'X + lambda I on 3x3, 16,167 moves of 4,520 states"
    assert claims.orthonormal_is_stabler().found.startswith(told)


def test_a_handful_of_products_scores_all_moves(monkeypatch: Patch) -> None:
    assert claims.handful(most=5).holds
    assert not claims.handful(most=4).holds
    stretched = claims.basis() * (1 + 1e-6)
    monkeypatch.setattr(claims, "basis", lambda: stretched)
    assert not claims.handful().holds


def test_another_solution_is_not_the_formula(monkeypatch: Patch) -> None:
    monkeypatch.setattr(claims, "ridge", lambda *given: ridge(*given) + 1e-6)
    found = claims.closed_form()
    assert not found.holds
    assert found.found.endswith("differ")


def test_features_that_are_not_averaged_change_with_the_image(monkeypatch: Patch) -> None:
    monkeypatch.setattr(
        claims, "dct_features", lambda boards, grid, symmetric: 1e-6 * dct_features(boards, grid)
    )
    found = claims.invariance()
    assert not found.holds
    assert found.found.startswith("not equal on")


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (lambda y: y, True),
        (lambda y: y + 0.001, False),  # no sum of six results
        (lambda y: 2 * y, False),  # beyond one
        (lambda y: np.maximum(y, 0), False),  # losses count as draws
        (lambda y: -y, False),  # from the other side
    ],
)
def test_labels_are_means_of_results(
    monkeypatch: Patch, change: Callable[[np.ndarray], np.ndarray], holds: bool
) -> None:
    rows = claims.training_rows(GRID, "mc", samples=200, rollouts=6)
    other = replace(rows, target=change(rows.target))
    monkeypatch.setattr(claims, "training_rows", lambda *_, **__: other)
    assert claims.labels_are_mean_results().holds is holds


@pytest.mark.parametrize(
    ("fit", "holds", "told"),
    [
        ([0], True, "1 fits both printed matches on 4x4: 1, 0, -1;"),
        ([2], False, "1 fits both printed matches on 4x4: 1, 0.5, 0;"),
        ([0, 4], None, "2 fit both printed matches on 4x4: 1, 0, -1; 1, -1, -1;"),
        ([], None, "0 fit both printed matches on 4x4;"),
    ],
)
def test_what_results_count_is_decided_by_the_printed_matches(
    monkeypatch: Patch, fit: list[int], holds: bool | None, told: str
) -> None:
    """Others have the same wins against random play, or against the search, but not both."""
    ways = [claims.WORTHS[place] for place in fit]
    shown = claims.printed("4-random"), claims.printed("4-mcts")
    others = iter([(shown[0], "9-1-0"), ("16-9-0", shown[1])] * 3)
    monkeypatch.setattr(
        claims, "sampled_labels", lambda run: shown if run.worth in ways else next(others)
    )
    found = claims.labels_are_mean_results()
    assert found.holds is holds
    assert not found.tested
    assert told in found.found


# ---------------------------------------------------------------------------- the guide


def test_a_weight_alone_adds_what_the_wave_of_its_channel_is() -> None:
    """Of X's or of O's (u = 1, v = 0), which does tell top from bottom, and of no other weight."""
    for place in (3, 12):
        cells = claims._alone(place, 2.0)
        board = np.zeros(9, dtype=np.int8)
        board[:2] = 1 if place < 9 else -1
        after = dct_features(board[None], GRID)[0, place]
        assert cells.ravel()[:2].sum() == pytest.approx(2 * after)
        assert cells[0].min() > 0 > cells[2].max()


@pytest.mark.parametrize(
    ("down", "right", "model"),
    [(0, 0, True), (9e-7, -9e-7, True), (1e-6, 0, False), (0, 1e-6, False), (-1, 0, False),
     (0, -1, False)],
)  # fmt: skip
@pytest.mark.parametrize("game", [True, False])
def test_patterns_are_symmetric_if_model_and_game_are(
    monkeypatch: Patch, down: float, right: float, model: bool, game: bool
) -> None:
    """A game is not if one of the nine boards with one stone has another value than its images."""
    tree = solve(claims.GRID)
    lone = np.arange(len(tree)) == np.flatnonzero(tree.ply == 1)[0]
    value = tree.value + (0 if game else lone)
    other = Some(boards=tree.boards, index=tree.index, value=value)
    monkeypatch.setattr(claims, "solve", lambda grid: other)
    monkeypatch.setattr(claims, "balance", lambda model: Some(down=down, right=right))
    found = claims.already_symmetric()
    assert found.holds is (model if model == game else None)
    assert ("not all images" in found.found) is not game


@pytest.mark.parametrize(
    ("choices", "holds", "told"),
    [
        ([1, 1, 1], False, "give no other move in any of"),
        ([1, 2, 1], True, "give other moves, by 1 of these, in some of"),
        ([1, 1, 2], True, "give other moves, by 1 of these, in some of"),
        ([1, 2, 2], True, "give other moves, by 2 of these, in some of"),
    ],
)
def test_two_weights_matter_if_they_change_a_choice_in_one_case(
    monkeypatch: Patch, choices: list[int], holds: bool, told: str
) -> None:
    found = iter(choices)
    monkeypatch.setattr(claims, "chosen", lambda scores: next(found))
    answer = claims.control_against_threat([(-5.0, 7.0), (7.0, 5.0)])
    assert answer.holds is holds
    assert told in answer.found


def test_weights_of_the_means_are_those_told(monkeypatch: Patch) -> None:
    seen: list[np.ndarray] = []

    def player(model: Some) -> Some:
        seen.append(model.weights)
        return Some(scores=lambda boards: None)

    monkeypatch.setattr(claims, "player", player)
    monkeypatch.setattr(claims, "chosen", always(0))
    pairs = [(5.0, -3.0), (-1.0, 2.0)]
    told = "(w[0], w[9]) = (5, -3), (-1, 2) in place of the trained weights"
    assert claims.control_against_threat(pairs).found.startswith(told)
    assert [tuple(weights[[0, 9]]) for weights in seen[1:]] == pairs
    assert (np.delete(seen[0] - seen[1], [0, 9]) == 0).all()


def test_the_guide_is_tried_with_more_weight_on_either_mean_and_both_signs() -> None:
    pairs = declared("dct-guide-control").args["cases"]
    signs = {(abs(other) > abs(own), own > abs(other), np.sign(other)) for own, other in pairs}
    assert signs == {(more, not more, sign) for more in (True, False) for sign in (1, -1)}


@pytest.mark.parametrize(
    ("weights", "holds"),
    [
        ({(0, 2): 1, (2, 0): 1}, True),
        ({(0, 2): 9e-7, (1, 1): 9e-10}, True),
        ({(0, 1): 1e-9, (1, 0): 1e-9}, False),
        ({(1, 1): 0.1}, False),
        ({(1, 2): 0.1, (2, 1): 0.1}, False),
        ({(0, 2): 1e-6}, False),
        ({(2, 0): 0.1}, False),
    ],
)
def test_weights_are_balanced_if_even_and_interchangeable(
    monkeypatch: Patch, weights: dict[tuple[int, int], float], holds: bool
) -> None:
    grid = np.zeros((2, 3, 3))
    for (u, v), weight in weights.items():
        grid[1, u, v] = weight
    monkeypatch.setattr(claims, "trained", lambda *_, **__: Some(weights=grid.ravel()))
    found = claims.balanced_by_symmetry()
    assert found.holds is holds
    told = "odd frequencies have weight 0, u and v are interchangeable"
    assert (found.found == told) is holds


@pytest.mark.parametrize(
    ("x_wave", "o_wave", "holds"),
    [((2, 2), (2, 2), True), ((2, 2), (1, 0), False), ((0, 2), (2, 2), False)],
)
def test_the_wave_of_the_centre_has_the_greatest_weight_for_both(
    monkeypatch: Patch, x_wave: tuple[int, int], o_wave: tuple[int, int], holds: bool
) -> None:
    """The mean, whose weight is greater still, does not count."""
    weights = np.full((2, 3, 3), 0.1)
    weights[:, 0, 0], weights[:, 2, 1] = 3, -2
    for channel, wave in enumerate((x_wave, o_wave)):
        weights[channel][wave] = 1 + channel
    monkeypatch.setattr(claims, "trained", lambda grid: Some(weights=weights.ravel()))
    found = claims.centre_is_valuable()
    assert found.holds is holds
    places = [
        f"for {player} (number {1 if wave == (2, 2) else 2} of 8 in size)"
        for player, wave in (("X", x_wave), ("O", o_wave))
    ]
    assert found.found.startswith("(u = 2, v = 2), which is largest in the centre, has the weights")
    assert [part[-len(places[0]) :] for part in found.found.split(" and ")] == places


def test_a_tilt_is_what_one_end_adds_beyond_the_other() -> None:
    assert claims._tilts(np.array([[3.0, 2, 1], [0, 0, 0], [1, 1, 1]])) == [
        1.0,
        pytest.approx(2 / 3),
    ]


# ---------------------------------------------------------------------------- worked examples


@pytest.mark.parametrize(
    ("board", "taken"), [("....x....", True), ("x...o....", True), ("x........", False)]
)
def test_a_centre_is_taken_by_either_player(monkeypatch: Patch, board: str, taken: bool) -> None:
    monkeypatch.setitem(claims.EXAMPLES, "first", board)
    assert claims.five_is_centre().found.endswith("and taken") is taken


def test_the_hypothetical_weights_are_the_printed_ones() -> None:
    assert claims.hypothetical() == {0: 0.45, 1: 0.22, 2: -0.15, 8: -0.08, 9: -0.35, 10: -0.12}


@pytest.mark.parametrize(
    ("name", "board", "value"),
    [("first", "xo.......", "[2, 3, 4, 5, 6, 7, 8]"), ("first", "xoxoxox..", "[7, 8]")],
)
def test_moves_are_the_free_cells(monkeypatch: Patch, name: str, board: str, value: str) -> None:
    monkeypatch.setitem(claims.EXAMPLES, name, board)
    assert claims.legal_moves().value == value


def test_grids_hold_the_stones_of_their_side(monkeypatch: Patch) -> None:
    monkeypatch.setitem(claims.EXAMPLES, "second", "ox.......")
    assert claims.grids().value == "0 1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0"


# ---------------------------------------------------------------------------- data and contract


@pytest.mark.parametrize(
    ("change", "count"), [("more", 4520), ("fewer", 4519), ("unlikely", 4519), ("none", 4520)]
)
def test_entries_are_counted_whose_chances_add_up(
    monkeypatch: Patch, change: str, count: int
) -> None:
    entries = json.loads(make_optimal_decision_tree())
    name, entry = entries.popitem()
    match change:
        case "more":
            entries |= {name: entry, "another": entry}
        case "unlikely":
            entries[name] = entry | {"p_draw": 2}
        case "none":
            entries[name] = entry
    monkeypatch.setattr(claims, "make_optimal_decision_tree", lambda: json.dumps(entries))
    found = claims.exhaustive()
    assert found.holds is None
    assert found.found == f"ours has {count} of the 4520 unfinished states"


@pytest.mark.parametrize("lost", [0, 1])
def test_states_with_probabilities_are_counted(monkeypatch: Patch, lost: int) -> None:
    entries = json.loads(make_probabilities_json())
    kept = dict([*entries.items()][lost:])
    monkeypatch.setattr(claims, "make_probabilities_json", lambda: json.dumps(kept))
    found = claims.probabilities()
    assert found.holds is None
    assert found.found.startswith(f"ours has {5478 - lost} of the 5478 states")


@pytest.mark.parametrize("lost", [0, 1])
def test_moves_are_counted_that_lead_to_a_state_with_probabilities(
    monkeypatch: Patch, lost: int
) -> None:
    """The first board with one stone is reached by one move."""
    tree, entries = solve(GRID), json.loads(make_probabilities_json())
    first = claims.key(tree.boards[tree.children[0, 0]])
    kept = {name: entry for name, entry in entries.items() if name != first or not lost}
    monkeypatch.setattr(claims, "make_probabilities_json", lambda: json.dumps(kept))
    found = claims.move_probabilities()
    assert found.holds is None
    assert found.found.startswith(f"ours has a row for each of {5478 - lost} states")
    assert f"{16167 - lost} of 16167 moves" in found.found


@pytest.mark.parametrize("fault", ["none", "illegal", "another", "full"])
@pytest.mark.parametrize("options", [("no", "yes"), ("yes", "no")])
def test_a_contract_is_a_legal_move_the_same_again_and_an_error_on_a_full_board(
    monkeypatch: Patch, fault: str, options: tuple[str, str]
) -> None:
    """One of four players, without or with averaging and rule, breaks it on one board."""
    seen: list[object] = []

    def choose(agent: tuple[str, str], board: list[int], side: int) -> int:
        broken = agent == options
        free = [cell for cell, stone in enumerate(board) if stone == 0]
        if not free:
            if broken and fault == "full" and side == 1:
                return 0
            raise ValueError
        if broken and board == [0, 1] + 7 * [0]:
            seen.append(board)
            return {"illegal": 1, "another": free[len(seen) % 2]}.get(fault, free[0])
        return free[0]

    monkeypatch.setattr(claims, "spectral", lambda grid, *given: given)
    monkeypatch.setattr(claims, "choose_move", choose)
    found = claims.contract()
    assert found.holds is (fault == "none")
    assert found.found.startswith("ours keeps it" if found.holds else "ours breaks it")
    assert "each of 4520 states" in found.found
    assert "each of 78 full boards" in found.found


def test_what_choose_move_takes_is_its_signature(monkeypatch: Patch) -> None:
    """Ours takes a board and a side, and refuses whatever is finished; another would not."""
    found = claims.contract_input()
    assert found.value == "board and player as arguments of their own"
    assert "refuses 880 of the 880 finished boards that have free cells" in found.reason
    monkeypatch.setattr(claims, "choose_move", lambda agent, game, *_: 0)
    other = claims.contract_input()
    assert "refuses 0 of the 880" in other.reason

    def whole(agent: object, game: object) -> int:
        raise ValueError

    monkeypatch.setattr(claims, "_refuses", always(True))
    monkeypatch.setattr(claims, "choose_move", whole)
    assert claims.contract_input().value == "game object"


@pytest.mark.parametrize(
    ("board", "move", "value"),
    [("x...o....", 5, "0.67 0.00 0.33"), ("x...o....", 6, "0.67 0.82 0.33"),
     (".........", 3, "0.33 0.41 0.00"), ("xo..o...x", 2, "1.00 -0.41 0.67")],
)  # fmt: skip
def test_features_are_those_of_the_board_after_the_move(
    monkeypatch: Patch, board: str, move: int, value: str
) -> None:
    monkeypatch.setitem(claims.EXAMPLES, "first", board)
    assert claims.without_weights([0, 1, 9], move, 3).value == f"{value} 0.00"


@pytest.mark.parametrize(
    ("board", "product", "value"),
    [("x...o...x", 3, "0.00"), ("x...o...x", 0, "open"), ("x...o....", 3, "open"),
     ("x..x...o.", 3, "open"), ("x..o....x", 1, "0.00")],
)  # fmt: skip
def test_a_product_depends_on_no_weight_if_its_feature_is_zero_after_every_move(
    monkeypatch: Patch, board: str, product: int, value: str
) -> None:
    monkeypatch.setitem(claims.EXAMPLES, "second", board)
    assert claims.without_weights([0], 5, product).value == f"0.67 {value}"


def test_a_running_board_is_not_refused() -> None:
    assert not claims._refuses(spectral(GRID), parse("x........", GRID))
    assert claims._refuses(spectral(GRID), parse("xoxxoxoxo", GRID))


# ---------------------------------------------------------------------------- what reasons tell


@pytest.mark.parametrize(
    ("weights", "told"),
    [({}, "moves 1 and 7 would"), ({0: 1.0, 8: 1.0}, "moves 2, 6 and 8 would"),
     ({4: 1.0, 1: 2.0}, "move 3 would")],
)  # fmt: skip
def test_supposed_weights_choose_other_moves_than_the_printed_scores(
    monkeypatch: Patch, weights: dict[int, float], told: str
) -> None:
    monkeypatch.setattr(claims, "hypothetical", partial(dict, weights or claims.hypothetical()))
    reason = claims.first_scores().reason
    assert f"supposes {len(claims.hypothetical())}, by which {told} score highest" in reason
    assert reason.endswith("move 5 add up to 0.094, not 0.60, though it calls all others small.")


@pytest.mark.parametrize(("symmetric", "count"), [(True, 8), (False, 0)])
def test_images_are_counted_only_if_the_features_are_their_average(
    monkeypatch: Patch, symmetric: bool, count: int
) -> None:
    """Here the averaged features are averaged, or those of the board itself."""
    real = claims.dct_features
    monkeypatch.setattr(
        claims,
        "dct_features",
        lambda boards, grid, symmetric=False, now=symmetric: real(
            boards, grid, symmetric=symmetric and now
        ),
    )
    assert claims.images().value == count


def test_with_columns_stacked_the_guide_would_be_right_about_the_top_and_wrong_about_o() -> None:
    top, upper = claims.favours_top_rows(), claims.upper_rows_less_threatening()
    assert "which does favour the top, but is the guide's horizontal gradient" in top.reason
    assert (
        "stacked the sentence fails if the score is X's, as the guide takes it, and holds if it"
        in (upper.reason)
    )
    assert (top.holds, upper.holds) == (False, False)


def test_what_stacked_columns_would_give_is_told_only(monkeypatch: Patch) -> None:
    """If only (u = 1, v = 0) made O's stones cost less on top, the guide's index would not."""
    rows = np.repeat(np.array([1.0, 0.0, -1.0])[:, None], 3, axis=1)
    monkeypatch.setattr(
        claims, "_alone", lambda place, weight: rows * (place % GRID.cells == GRID.n)
    )
    found = claims.upper_rows_less_threatening()
    assert found.holds is False
    assert "the sentence holds if the score is X's, as the guide takes it, and fails if" in (
        found.reason
    )


def test_two_comes_first_of_the_free_cells_and_opposite_corners_cancel() -> None:
    """As the reasons of `dct-parts-b` and `dct-parts-features` say, of the board x...o...x."""
    claim = declared("dct-parts-b")
    liked = np.argsort(-on_cells(trained(GRID).weights, GRID)[0].ravel())
    board = parse(claims.EXAMPLES["second"], GRID)
    assert f"({', '.join(map(str, liked[:4]))}, …)" in claim.reason
    assert next(cell for cell in liked if board[cell] == 0) == claim.args["move"] == 2
    assert dct_features(board[None], GRID)[0, 3] == pytest.approx(0)
