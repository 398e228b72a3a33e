"""Document 3: the network, its training, its play, its files and its claims."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from scipy.optimize import check_grad, minimize

from ttt_lib import cli
from ttt_lib.catalog import agent
from ttt_lib.evidence import claims as ledger
from ttt_lib.evidence import store, weights
from ttt_lib.evidence.store import read_table
from ttt_lib.game import response
from ttt_lib.game.board import Floats, Grid, Ints, parse
from ttt_lib.game.exact import exact_match, misplayed, policy_table, table_of_values, worst_case
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.match import match
from ttt_lib.game.policy import Agent, random_agent, winning_cells
from ttt_lib.ntuple import analysis, bench, claims, move_order, optimum
from ttt_lib.ntuple import runs as stored
from ttt_lib.ntuple.network import (
    FORMAT,
    SHARINGS,
    STORED_4X4,
    Network,
    Patterns,
    load,
    neighbours,
    read_stored,
    squash,
    to_bytes,
)
from ttt_lib.ntuple.players import play_with, table_of, trained
from ttt_lib.ntuple.selfplay import Schedule, SelfPlay
from ttt_lib.ntuple.training import (
    Positions,
    _orders,
    depth_first,
    named_orders,
    positions,
    sgd_epoch,
    train,
)

GRID = Grid(3)
LINES = Patterns(GRID)


def some_network(patterns: Patterns, seed: int = 0) -> Network:
    weights = np.random.default_rng(seed).normal(size=patterns.parameters + 1)
    return Network(patterns, weights)


# ------------------------------------------------------------------ patterns


def test_document_example_of_an_index() -> None:
    # One X in the first and one O in the last cell of the top row, X to move: 1*9 + 2 = 11.
    board = parse("x.o......", GRID)[None]
    assert LINES.entry_of(0, board)[0] == 11
    board = parse("x.o..x...", GRID)[None]
    assert LINES.entry_of(0, board)[0] == 27 + 11
    assert LINES.features(board).shape == (1, 9)


@pytest.mark.parametrize(
    ("sharing", "weights"), [("none", 432), ("kind", 162), ("symmetric", 108), ("one", 54)]
)
def test_parameters_of_each_sharing(sharing: str, weights: int) -> None:
    assert Patterns(GRID, sharing=sharing).parameters == weights  # type: ignore[arg-type]
    assert Patterns(GRID, sharing=sharing, side=False).parameters == weights // 2  # type: ignore[arg-type]


def test_one_table_may_serve_lines_of_a_4x4_board() -> None:
    assert Patterns(Grid(4)).parameters == 10 * 162
    assert Patterns(Grid(4), sharing="symmetric").parameters == 3 * 2 * (81 + 9) // 2
    assert Patterns(Grid(4, 3)).features(Grid(4, 3).initial(2)).shape == (2, 77)


@pytest.mark.parametrize(
    "tuples", [(), ((0, 1), (1, 2), (2, 5), (5, 8), (7, 8), (6, 7), (3, 6), (0, 3))]
)
def test_symmetric_tables_value_symmetric_boards_alike(
    tree: GameTree, tuples: tuple[tuple[int, ...], ...]
) -> None:
    network = some_network(Patterns(GRID, tuples, sharing="symmetric"))
    values = network.predict(tree.boards)
    for permutation in GRID.symmetries:
        np.testing.assert_allclose(network.predict(tree.boards[:, permutation]), values, rtol=1e-12)


@pytest.mark.parametrize("sharing", ["none", "kind", "one"])
def test_other_sharing_does_not(tree: GameTree, sharing: str) -> None:
    network = some_network(Patterns(GRID, sharing=sharing))  # type: ignore[arg-type]
    turned = network.predict(tree.boards[:, GRID.symmetries[3]])
    assert np.abs(turned - network.predict(tree.boards)).max() > 0.1
    assert not play_with(network).symmetric
    assert play_with(some_network(Patterns(GRID, sharing="symmetric"))).symmetric


def test_symmetric_sharing_is_the_finest_that_is_invariant(tree: GameTree) -> None:
    """Two entries share a weight only if some symmetry carries one to the other."""
    patterns = Patterns(GRID, sharing="symmetric")
    sizes = np.bincount(patterns.shared)
    # Edge and middle lines have 4 and 2 images, diagonals 2; a palindrome of a line maps to itself.
    assert sizes.sum() == 432
    assert set(sizes) == {2, 4, 8}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sharing": "all"}, "none, kind, symmetric, one"),
        ({"tuples": ((0, 0),)}, "different cells"),
        ({"tuples": ((0, 9),)}, "0..8"),
        ({"tuples": ((-1, 2),)}, "0..8"),
        ({"tuples": ((),)}, "1 to 14"),
        ({"tuples": ((0, 1),), "sharing": "symmetric"}, "needs the symmetric tuple"),
    ],
)
def test_bad_patterns(change: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Patterns(GRID, **change)  # type: ignore[arg-type]


def test_bad_weights() -> None:
    with pytest.raises(ValueError, match="these patterns need"):
        Network(LINES, np.zeros(432))
    with pytest.raises(ValueError, match="finite"):
        Network(LINES, np.full(433, np.nan))


def test_neighbours_are_the_pairs_of_a_line() -> None:
    assert len(neighbours(GRID)) == 6 + 6 + 4


# ------------------------------------------------------------------ training


def sgd_epoch_reference(
    features: Ints, targets: Floats, order: Ints, weights: Floats, rate: float
) -> None:
    """Readable :func:`sgd_epoch`: a weight picked twice by one position is updated twice."""
    for position in order:
        picked = features[position]
        value = np.tanh(weights[picked].sum())
        slope = 1 - value**2
        np.add.at(weights, picked, rate * (targets[position] - value) * slope)


@pytest.mark.parametrize("sharing", SHARINGS)
def test_kernel_agrees_with_reference(sharing: str) -> None:
    patterns = Patterns(GRID, sharing=sharing)  # type: ignore[arg-type]
    data, order = positions(patterns), np.random.default_rng(1).permutation(5478)[:700]
    kernel, reference = (some_network(patterns).weights * 0.3 for _ in range(2))
    sgd_epoch(data.features, data.targets, order, kernel, 0.05)
    sgd_epoch_reference(data.features, data.targets, order, reference, 0.05)
    np.testing.assert_allclose(kernel, reference, rtol=1e-10, atol=1e-13)


def test_one_update_by_hand() -> None:
    # From zero a won position is valued 0: error 1, slope 1, so each weight moves by the rate.
    data = positions(LINES)
    row = int(np.flatnonzero(data.targets == 1)[0])
    weights = np.zeros(433)
    sgd_epoch(data.features, data.targets, np.array([row]), weights, 0.01)
    assert weights[data.features[row]] == pytest.approx([0.01] * 9)
    assert np.count_nonzero(weights) == 9


def test_training_learns_and_repeats() -> None:
    run = train(rng=3, epochs=8)
    assert (np.diff(run.errors[:5]) < 0).all()
    assert run.errors[0] < np.mean(positions(LINES).targets ** 2)
    np.testing.assert_array_equal(run.network.weights, train(rng=3, epochs=8).network.weights)
    assert not np.array_equal(run.network.weights, train(rng=4, epochs=8).network.weights)


@pytest.mark.parametrize("seed", range(3))
def test_single_precision_plays_the_same(tree: GameTree, seed: int) -> None:
    """The document computes in float; the play is the same, the errors agree to six digits."""
    double, single = train(rng=seed), train(rng=seed, dtype=np.float32)
    np.testing.assert_allclose(single.errors, double.errors, atol=2e-7)
    assert not np.array_equal(single.network.weights, double.network.weights)
    np.testing.assert_array_equal(table_of(single.network, tree), table_of(double.network, tree))


def test_tuples_may_be_lists() -> None:
    listed = Patterns(GRID, [[0, 1], [1, 2]])  # type: ignore[arg-type]
    assert listed == Patterns(GRID, ((0, 1), (1, 2)))
    assert hash(listed) == hash(Patterns(GRID, ((0, 1), (1, 2))))


@pytest.mark.parametrize("seed", [True, 1.0, np.int64(1)])
def test_a_seed_that_equals_a_stored_one_is_that_one(seed: int) -> None:
    assert np.array_equal(read_stored(seed).weights, read_stored(1).weights)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs >= 1"),
        ({"rate": 0.0}, "learning rate"),
        ({"rate": math.nan}, "learning rate"),
        ({"order": "backwards"}, "shuffled"),
        ({"order": np.zeros(5478, dtype=np.int64)}, "once"),
        ({"dtype": int}, "float64 or float32, not int64"),
    ],
)
def test_bad_training(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(**options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="too many positions"):
        train(Patterns(Grid(2, 4)))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [("sorted", "unknown order 'sorted'"),
     (np.array([0, 1, 2, 2]), r"hold each of 0\.\.3 once$"),
     (np.arange(3), r"hold each of 0\.\.3 once$")],
)  # fmt: skip
def test_an_order_is_known_or_holds_every_position_once(wrong: str | Ints, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _orders(wrong, 1, 4, np.random.default_rng(0))


def test_orders_are_what_their_names_say(tree: GameTree) -> None:
    orders = named_orders(tree)
    for rows in orders.values():
        np.testing.assert_array_equal(np.sort(rows), np.arange(len(tree)))
    met, done = depth_first(tree)
    assert met[0] == 0
    assert done[-1] == 0
    place = np.empty(len(tree), dtype=int)
    place[done] = np.arange(len(tree))
    parents, moves = np.nonzero(tree.legal)
    assert (place[tree.children[parents, moves]] < place[parents]).all()


# ------------------------------------------------------------------ play


def test_table_is_the_agents(tree: GameTree) -> None:
    network = trained(GRID, 0)
    np.testing.assert_array_equal(table_of(network, tree), policy_table(play_with(network), tree))
    np.testing.assert_array_equal(
        table_of(network, tree), policy_table(agent("ntuple:seed=0"), tree)
    )


@pytest.mark.parametrize("seed", range(20))
def test_never_loses(tree: GameTree, seed: int) -> None:
    table = analysis.network_table(seed)
    assert worst_case(tree, table, 1).worst == 0
    assert worst_case(tree, table, -1).worst == 0
    assert 0 < len(misplayed(tree, table)) < 70


def test_after_one_epoch_it_can_lose(tree: GameTree) -> None:
    """The enumeration is able to find a loss."""
    table = table_of(train(rng=0, epochs=1).network, tree)
    assert not response.soundness(tree, table).never_loses


@pytest.mark.parametrize("epochs", [1, 2, 5])
def test_worst_result_is_that_of_the_worst_line(tree: GameTree, epochs: int) -> None:
    for seed in range(4):
        table = table_of(train(rng=seed, epochs=epochs).network, tree)
        for side in (1, -1):
            found = worst_case(tree, table, side).worst
            assert response.worst_result(tree, table, side) == found


def test_command_line_settles_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["worst", "ntuple:seed=7", "--side", "o", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["worst"] == 0
    assert cli.main(["exact", "ntuple:seed=0", "random", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["win"] == "95/96"


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("ntuple:depth=0", "3x3", "depth >= 1"),
        ("ntuple:seed=-1", "3x3", "negative"),
        ("ntuple", "5x5", "at most 9 cells and 4x4"),
        ("ntuple:seed=99", "4x4", "0, 1, 2"),
        ("ntuple:b=1", "3x3", "seed=0,depth=1"),
    ],
)
def test_bad_agents(name: str, size: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agent(name, size)


def test_deeper_search_plays_on() -> None:
    result = match(agent("ntuple:depth=2"), agent("random"), 40, rng=0)
    assert result.loss == 0
    small = match(agent("ntuple", "2x2"), agent("random", "2x2"), 10, rng=0, sides="first")
    assert small.win == 10


# ------------------------------------------------------------------ exact questions


def test_opponents_agree_where_the_program_differs(tree: GameTree) -> None:
    for plain, program in (("ply 3", "ply 3, quick"), ("perfect", "perfect, program")):
        a, b = analysis.opponent(plain), analysis.opponent(program)
        assert (a != b).any()
        assert ((b > 0) <= (a > 0)).all()
        assert (b[~tree.finished].sum(axis=1) > 0).all()
        assert analysis.play(analysis.network_table(0), a) == analysis.play(
            analysis.network_table(0), b
        )
    random = analysis.opponent("random")
    assert analysis.play(analysis.opponent("perfect, program"), random) == analysis.play(
        analysis.opponent("perfect"), random
    )
    with pytest.raises(ValueError, match="unknown opponent"):
        analysis.opponent("nobody")


def test_ladder_ends_are_the_players() -> None:
    network, perfect = analysis.network_table(0), analysis.opponent("perfect")
    for side in (1, -1):
        up = analysis.ladder(network, perfect, side)
        down = analysis.ladder(network, perfect, side, ending=True)
        assert up[0] == down[-1]
        assert up[-1] == down[0]


def test_best_against_random_is_a_bound(tree: GameTree) -> None:
    random = analysis.opponent("random")
    for side in (1, -1):
        allowed = response.safe_moves(tree, side)
        safe = response.best_response(tree, random, side, allowed=allowed)
        assert worst_case(tree, safe, side).worst == 0
        bold = analysis.best_against_random(side, safe=False)
        bound = analysis.best_against_random(side, safe=True)
        assert bold.expected >= bound.expected
        for other in (analysis.network_table(0), analysis.opponent("perfect")):
            match = analysis.play(other, random)
            assert (match.first if side == 1 else match.second).expected <= bound.expected


def test_risk_pays_against_random_as_o(tree: GameTree) -> None:
    bold = response.best_response(tree, analysis.opponent("random"), -1)
    assert worst_case(tree, bold, -1).worst == -1
    assert analysis.best_against_random(-1, safe=False).loss > 0


def test_a_corner_beats_random_more_often_than_the_centre() -> None:
    wins = analysis.wins_by_opening(analysis.network_table(0))
    assert wins[0] == Fraction(191, 192) > wins[4] == Fraction(95, 96)


def test_random_player_reaches_every_state(tree: GameTree) -> None:
    assert response.reachable(tree, analysis.opponent("random"), 1).all()
    network = response.reachable(tree, analysis.network_table(0), 1)
    assert network[0]
    assert network.sum() < 300


# ------------------------------------------------------------------ tanh


@njit
def compiled(values):
    out = np.empty_like(values)
    for i in range(len(values)):
        out[i] = squash(values[i])
    return out


def test_tanh_is_tanh_and_has_the_bits_of_plain_arithmetic() -> None:
    """Python's own floats are IEEE 754 without fused steps, on every processor."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(0, scale, 2000) for scale in (1e-6, 0.1, 2, 30)])
    found = compiled(values)
    assert found.tolist() == [squash.py_func(value) for value in values.tolist()]
    assert np.abs(found - np.tanh(values)).max() < 4e-16
    assert (compiled(-values) == -found).all()
    assert compiled(np.array([0.0, 50.0, -np.inf])).tolist() == [0, 1, -1]
    assert (np.diff(compiled(np.sort(values))) >= -3e-16).all()


# ------------------------------------------------------------------ optimum


def test_gradient_is_right() -> None:
    patterns = Patterns(GRID, sharing="one")
    data = positions(patterns)
    start = optimum.random_start(patterns, 0)
    difference = check_grad(
        lambda w: optimum.error_and_gradient(w, data)[0],
        lambda w: optimum.error_and_gradient(w, data)[1],
        start,
    )
    assert difference < 1e-6


def test_optimum_is_below_training_and_symmetric_tables_lose_nothing() -> None:
    run = train(rng=0)
    best = optimum.minimise(LINES, run.history[-1])
    shared = Patterns(GRID, sharing="symmetric")
    same = optimum.minimise(shared, np.zeros(shared.parameters + 1))
    assert best.error < run.errors[-1]
    assert best.slope < 1e-6
    assert same.error == pytest.approx(best.error, abs=1e-9)


def test_plainest_tables_are_the_same_player(tree: GameTree) -> None:
    network = train(Patterns(GRID, sharing="symmetric"), rng=1, epochs=20).network
    plain = optimum.plainest(network)
    np.testing.assert_allclose(plain.predict(tree.boards), network.predict(tree.boards), atol=1e-9)
    assert np.abs(plain.weights).sum() < np.abs(network.weights).sum()
    assert (plain.weights == 0).sum() > 20


def test_the_plainest_tables_are_one_not_any(tree: GameTree) -> None:
    """Noise in the last bits, other tables for the same player: the same corner."""
    shared = Patterns(GRID, sharing="symmetric")
    network = train(shared, rng=1, epochs=20).network
    plain, rng = optimum.plainest(network), np.random.default_rng(2)
    noise = network.weights * (1 + rng.uniform(-1e-13, 1e-13, len(network.weights)))
    shifted = network.weights.copy()  # each position reads one entry of the first table
    first = np.unique(shared.shared[shared.entries(0)])
    others = [t for t in range(8) if np.isin(shared.shared[shared.entries(t)], first).any()]
    shifted[first] += 0.3
    shifted[-1] -= 0.3 * len(others)
    assert np.abs(shifted - plain.weights).max() > 0.2
    np.testing.assert_allclose(Network(shared, shifted).predict(tree.boards),
                               network.predict(tree.boards), atol=1e-12)  # fmt: skip
    for same in (noise, shifted):
        found = optimum.plainest(Network(shared, same)).weights
        np.testing.assert_allclose(found, plain.weights, atol=1e-9)
    # Nothing else can be nonzero, and these columns are independent: no other optimum.
    design = optimum.design_matrix(shared)[:, plain.weights != 0]
    assert np.linalg.matrix_rank(design) == design.shape[1]


# ------------------------------------------------------------------ the order of moves

SIDEWAYS, STEEP, LEVEL = "...x.o.x.", ".x.xxo.o.", ".x.xox.o."
"""O to move: three positions that tables over lines can't all play right."""


@pytest.fixture(scope="module")
def wanted() -> dict[str, dict[int, move_order.Need]]:
    return {
        sharing: move_order.needs(Patterns(GRID, sharing=sharing))  # type: ignore[arg-type]
        for sharing in ("none", "symmetric")
    }


def images(tree: GameTree, text: str) -> list[int]:
    """Rows of the tree that are images of a board."""
    board = parse(text, GRID)
    return sorted({int(tree.index(board[p][None])[0]) for p in GRID.symmetries})


def check_play(tree: GameTree, patterns: Patterns, weights: np.ndarray, missed: list[int]) -> None:
    """The network of these weights misplays these positions alone, and never loses."""
    assert move_order.missed(move_order.needs(patterns), weights) == missed
    found = response.soundness(tree, table_of(move_order.as_network(patterns, weights), tree))
    assert (found.never_loses, found.misplayed) == (True, len(missed))


def test_shared_tables_misplay_one_of_two_kinds(
    tree: GameTree, wanted: dict[str, dict[int, move_order.Need]]
) -> None:
    """Eight is the least: the kind of eight, or both kinds of four, by cancelling pairs of rows."""
    rows = {text: images(tree, text) for text in (SIDEWAYS, STEEP, LEVEL)}
    assert [len(found) for found in rows.values()] == [8, 4, 4]
    need = {text: wanted["symmetric"][found[0]] for text, found in rows.items()}
    for other in (STEEP, LEVEL):
        proofs = move_order.contradictions([need[SIDEWAYS], need[other]])
        assert proofs is not None
        assert len(proofs) == math.prod(len(need[text].cells) for text in (SIDEWAYS, other))
        for proof in proofs:
            assert (proof.times > 0).all()
            assert not (proof.times @ proof.rows).any()
    assert move_order.contradictions([need[STEEP], need[LEVEL]]) is None


def test_eight_positions_are_enough_to_misplay(tree: GameTree) -> None:
    shared = Patterns(GRID, sharing="symmetric")
    check_play(tree, shared, move_order.best_order(shared), images(tree, SIDEWAYS))


def test_eight_tables_of_their_own_misplay_a_position(
    tree: GameTree, wanted: dict[str, dict[int, move_order.Need]]
) -> None:
    some = [row for row in images(tree, SIDEWAYS) if tree.boards[row][[5, 7]].all()]
    rows = images(tree, STEEP) + some
    assert len(rows) == 8
    proofs = move_order.contradictions([wanted["none"][row] for row in rows])
    assert proofs is not None
    assert len({proof.cells for proof in proofs}) == 16
    assert all(len(proof.times) and (proof.times > 0).all() for proof in proofs)
    assert not any((proof.times @ proof.rows).any() for proof in proofs)
    fewer = move_order.contradictions([wanted["none"][row] for row in rows[1:]])
    assert fewer is None


def test_one_position_is_enough_for_tables_of_their_own(tree: GameTree) -> None:
    spared = int(tree.index(parse(STEEP, GRID)[None])[0])
    weights = move_order.best_order(LINES, spared=[spared], cells=(0, 8), rounds=3)
    check_play(tree, LINES, weights, [spared])


def test_eight_is_not_the_least_for_tables_shared_by_kind(tree: GameTree) -> None:
    """A pattern and its mirror image differ there, so images of a position may be played apart."""
    by_kind, spared = Patterns(GRID, sharing="kind"), images(tree, STEEP)
    weights = move_order.best_order(by_kind, spared=spared, cells=(2, 6), rounds=3)
    missed = move_order.missed(move_order.needs(by_kind), weights)
    check_play(tree, by_kind, weights, missed)
    assert len(missed) == 5


@pytest.mark.parametrize("patterns", [Patterns(GRID, sharing="one"), Patterns(GRID, side=False)])
def test_tables_that_lose_as_trained_can_be_safe(tree: GameTree, patterns: Patterns) -> None:
    """Whole weights, so every comparison of two moves is exact; all games are followed."""
    weights = move_order.safe_order(patterns)
    assert weights.dtype == np.int64
    sums = optimum.design_matrix(patterns).astype(np.int64) @ weights
    values = sums / (np.abs(sums).max() + 1)
    player = table_of_values(tree, values)
    assert [response.worst_result(tree, player, side) for side in (1, -1)] == [0, 0]


def test_single_cells_are_beaten_at_every_round() -> None:
    cells = Patterns(GRID, tuple((cell,) for cell in range(GRID.cells)))
    with pytest.raises(ArithmeticError, match="all 3 linear programs"):
        move_order.safe_order(cells, rounds=3)


def test_an_integer_program_agrees_that_eight_is_the_least(
    tree: GameTree, wanted: dict[str, dict[int, move_order.Need]]
) -> None:
    """By another way: one 0/1 unknown for each good move and each kind of position."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    codes = GRID.canonical_codes(tree.boards)
    kinds = {int(codes[row]): need for row, need in wanted["symmetric"].items()}
    sizes = [int((codes == code).sum()) for code in kinds]
    size = next(iter(kinds.values())).leads[0].shape[1]
    moves = [(k, rows) for k, need in enumerate(kinds.values()) for rows in need.leads]
    width, far = size + len(moves) + len(kinds), 1000.0
    leads, led = [], []
    picks = np.zeros((len(kinds), width))
    picks[:, size + len(moves) :] = np.eye(len(kinds))
    for place, (kind, rows) in enumerate(moves):
        picks[kind, size + place] = 1
        block = np.zeros((len(rows), width))
        block[:, :size], block[:, size + place] = rows, -far
        leads.append(block)
        led += [1 - far] * len(rows)
    found = milp(
        np.r_[np.zeros(size + len(moves)), sizes],
        constraints=[
            LinearConstraint(np.vstack(leads), led, np.inf),
            LinearConstraint(picks, 1, np.inf),
        ],
        integrality=np.r_[np.zeros(size), np.ones(width - size)],
        bounds=Bounds(
            np.r_[np.full(size, -100), np.zeros(width - size)],
            np.r_[np.full(size, 100), np.ones(width - size)],
        ),
        options={"time_limit": 120},
    )
    assert found.status == 0
    assert round(found.fun) == round(found.mip_dual_bound) == 8


def test_multipliers_are_refused_unless_they_cancel() -> None:
    assert move_order.cancelling(np.array([[1, 0], [0, 1]])) is None
    times = move_order.cancelling(np.array([[2, -1], [-3, 2], [1, -1]]))
    assert times is not None
    assert not (times @ np.array([[2, -1], [-3, 2], [1, -1]])).any()
    assert move_order.missed(
        {7: move_order.Need((0,), (np.array([[1, -1]]),))}, np.array([3, 3])
    ) == [7]


# ------------------------------------------------------------------ self-play


def test_self_play_learns_to_beat_random_and_repeats() -> None:
    games = [SelfPlay(LINES, rng=5) for _ in range(2)]
    counts = [game.play(3000) for game in games]
    assert counts[0].sum() == 3000
    np.testing.assert_array_equal(games[0].weights, games[1].weights)
    result = match(play_with(games[0].averaged), random_agent(GRID), 200, rng=0)
    assert result.win > 150


def test_pure_exploration_is_random_play_and_learns_nothing() -> None:
    game = SelfPlay(LINES, Schedule(epsilon=1.0), rng=0)
    counts = game.play(20_000)
    expected = exact_match(random_agent(GRID), random_agent(GRID), solve(GRID))
    shares = [float(chance) for chance in expected]
    assert counts / 20_000 == pytest.approx(shares, abs=4 * math.sqrt(0.25 / 20_000))
    assert not game.weights.any()


@given(seed=st.integers(0, 100))
def test_greedy_self_play_wins_when_it_can(seed: int) -> None:
    """Without exploration every game ends well inside the board, and X and O both take wins."""
    game = SelfPlay(LINES, Schedule(epsilon=0.0), rng=seed)
    assert game.play(5).sum() == 5


def test_self_play_reaches_perfect_play(tree: GameTree) -> None:
    game = SelfPlay(Patterns(GRID, sharing="symmetric"), stored.SELF_PLAY, rng=0)
    game.play(100_000)
    assert response.soundness(tree, table_of(game.averaged, tree)).never_loses


def test_the_average_counts_later_games_more() -> None:
    learner, seen = SelfPlay(Patterns(Grid(3)), rng=0), []
    for _ in range(3):
        learner.play(20)
        seen.append(learner.weights.copy())
    assert learner.average == pytest.approx(np.average(seen, axis=0, weights=[1, 2, 3]))


def test_step_size_halves() -> None:
    schedule = Schedule(rate=0.1, half=1000)
    assert schedule.at(0) == 0.1
    assert schedule.at(1000) == pytest.approx(0.05)
    assert Schedule(rate=0.1).at(10**9) == 0.1


@pytest.mark.parametrize(
    "options",
    [{"rate": 0}, {"rate": math.inf}, {"half": 0}, {"epsilon": 1.5}, {"epsilon": math.nan}],
)
def test_bad_schedule(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        Schedule(**options)


def test_negative_games() -> None:
    with pytest.raises(ValueError, match="negative"):
        SelfPlay(LINES).play(-1)


# ------------------------------------------------------------------ files


@pytest.mark.parametrize("sharing", SHARINGS)
def test_round_trip(tmp_path: Path, sharing: str) -> None:
    network = some_network(Patterns(GRID, sharing=sharing))  # type: ignore[arg-type]
    path = tmp_path / "net.safetensors"
    path.write_bytes(to_bytes(network))
    again = load(path)
    assert again.patterns == network.patterns
    np.testing.assert_array_equal(again.weights, network.weights)
    assert to_bytes(again) == to_bytes(network)


@pytest.mark.parametrize("keep", [0, 10, 500, -1])
def test_truncated_file(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "net.safetensors"
    path.write_bytes(to_bytes(some_network(LINES))[:keep])
    with pytest.raises(ValueError, match=r"net\.safetensors is damaged"):
        load(path)


def test_wrong_files(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    with pytest.raises(ValueError, match="missing"):
        load(path)
    weights.write(path, {"weights": np.zeros(3)}, FORMAT, {})
    with pytest.raises(ValueError, match="no stored N-tuple network"):
        load(path)
    _, about = weights.read(store.data_dir() / STORED_4X4.format(seed=0), FORMAT)
    weights.write(path, {"weights": np.zeros(3)}, FORMAT, about)
    with pytest.raises(ValueError, match="no stored N-tuple network"):
        load(path)


def test_stored_4x4_networks_play_symmetric_boards_alike() -> None:
    network, grid = read_stored(0), Grid(4)
    boards = grid.initial(200)
    rng = np.random.default_rng(0)
    for _ in range(8):
        boards = boards[~grid.finished(boards)]
        free = np.where(boards == 0, rng.random(boards.shape), -1).argmax(axis=1)
        boards = grid.play(boards, free)
    boards = boards[~grid.finished(boards)]
    table = play_with(network).weights
    assert table is not None
    for permutation in grid.symmetries:
        np.testing.assert_array_equal(table(boards[:, permutation]), table(boards)[:, permutation])


# ------------------------------------------------------------------ claims, tables, benchmark


def mine() -> list[ledger.Claim]:
    return [claim for claim in ledger.load() if claim.document == 3]


def test_every_published_error_and_table_has_a_row() -> None:
    rows = {claim.id.removeprefix("ntuple-"): claim for claim in mine()}
    assert len(str(rows["mse"].published).split()) == 20
    for table in ("perfect-random", "network-random", "network-ply3", "network-perfect"):
        won, lost, drawn = map(int, rows[table].quote.split()[-3:])
        assert (int(rows[table].published), lost) == (won, 0)
        assert rows[table].n == won + drawn


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [("86 0 14", "86 0 15", 1), ("177 0 23", "85 0 115", 2), ("878 0 122", "870 8 122", 10)],
    ids=["101 games in a row", "fewer wins than before", "a loss that can't happen"],
)
def test_slips_in_a_match_table_are_noticed(old: str, new: str, row: int) -> None:
    right = next(claim.quote for claim in mine() if claim.id == "ntuple-perfect-random")
    assert "10 rows" in claims.match("perfect", "random", right).reason
    assert old in right
    with pytest.raises(ValueError, match=rf"^row {row} of the table adds"):
        claims.match("perfect", "random", right.replace(old, new))


@pytest.mark.parametrize(
    ("player", "opponent"), [("perfect", "random"), ("network", "random"), ("network", "ply 3")]
)
def test_wins_with_alternating_sides_vary_less(player: str, opponent: str) -> None:
    """One game on each side by hand; and mean and variance of many against a single binomial."""
    match, chance = claims.sides(player, opponent), float(claims.chance(player, opponent).win)
    a, b = float(match.first.win), float(match.second.win)
    two = claims.distribution_of_wins(player, opponent, 1)
    assert two == pytest.approx([(1 - a) * (1 - b), a * (1 - b) + b * (1 - a), a * b])
    distribution, wins = claims.distribution_of_wins(player, opponent, 500), np.arange(1001)
    assert distribution.sum() == pytest.approx(1)
    assert distribution @ wins == pytest.approx(1000 * chance)
    variance = distribution @ (wins - 1000 * chance) ** 2
    assert variance == pytest.approx(1000 * chance * (1 - chance) - 250 * (a - b) ** 2)
    tested = claims.match(player, opponent)
    assert tested.chances == distribution.tolist()
    assert "sum of two binomial counts" in tested.reason


def test_sides_that_play_alike_need_no_other_law() -> None:
    assert "binomial" not in claims.match("network", "perfect").reason


def test_matches_that_a_fault_would_have_misprinted_say_so() -> None:
    told = {pair: "as a draw" in claims.match(*pair).reason for pair in
            [("network", "random"), *claims.LAST_TABLES]}  # fmt: skip
    assert list(told.values()) == [False, True, True]


def test_stored_curves_are_what_training_gives() -> None:
    table = read_table("ntuple_curves.csv").set_index("seed")
    for seed in (0, 431):
        errors = train(rng=seed, epochs=15).errors[4::5]
        np.testing.assert_allclose(table.loc[seed].to_numpy()[:3], errors, atol=1e-8)
    old = claims.epochs().query("epoch % 5 == 0").pivot(index="seed", columns="epoch")["error"]
    np.testing.assert_allclose(table.loc[old.index], old, atol=1e-8)


@pytest.mark.parametrize("side", [1, -1])
def test_shares_of_the_gain_add_up(side: int) -> None:
    """Together they are the whole gain; a ply at which both play alike has none."""
    network, perfect = analysis.network_table(0), analysis.opponent("perfect")
    shares = analysis.shares_of_gain(network, perfect, side)
    steps = analysis.ladder(network, perfect, side)
    assert sum(shares.values()) == steps[-1] - steps[0]
    alike = np.where((analysis.tree3().ply < 2)[:, None], perfect, network)
    assert analysis.shares_of_gain(alike, perfect, side)[0 if side == 1 else 1] == 0


def test_exact_chances_behind_the_tables() -> None:
    assert claims.chance("perfect", "random").win == Fraction(949999, 1088640)
    assert claims.chance("network", "random").win == Fraction(18871, 20160)
    assert claims.chance("network", "ply 3").win == Fraction(359, 1260)
    assert claims.chance("network", "perfect").draw == 1


def test_stored_epochs_are_what_training_gives(tree: GameTree) -> None:
    table = claims.epochs()
    for seed in (0, 57):
        run, rows = train(rng=seed, epochs=12), table[table.seed == seed].head(12)
        np.testing.assert_allclose(run.errors, rows.error, atol=1e-8)
        found = response.soundness(tree, table_of(run.network, tree))
        last = rows.iloc[-1]
        assert found == (last.worst_x, last.worst_o, last.misplayed)


def test_stored_matches_repeat_where_they_are_exact() -> None:
    table = store.read_table("ntuple_4x4_exact.csv")
    assert (table[["worst_x", "worst_o"]] == 0).all(axis=None)
    for row in table.itertuples():
        assert Fraction(row.win) + Fraction(row.draw) + Fraction(row.loss) == 1


def test_minimisations_converge_and_start_where_training_ended() -> None:
    starts, last = (
        read_table("ntuple_starts.csv"),
        claims.epochs().query("epoch == 100 and seed < 20"),
    )
    assert starts.converged.all()
    assert (starts.error < starts.error_start).all()
    begun = starts[starts.start.str.startswith("trained") & (starts.variant == "document")]
    assert begun.misplayed_start.tolist() == last.misplayed.tolist()
    assert begun.error_start.tolist() == last.error.tolist()
    found = stored._ended("lines and squares", "random 0")
    kept = starts.set_index(["variant", "start"]).loc["lines and squares", "random 0"]
    assert found["misplayed_start"] == kept.misplayed_start


def test_a_variant_is_told_by_its_trainings_and_by_its_lowest_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = ["variant", "parameters", "start", "error_start", "never_loses_start",
               "misplayed_start", "converged", "error", "never_loses", "misplayed"]  # fmt: skip
    rows = [["a", 7, "zero", 9.0, False, 99, True, 0.2, False, 5],
            ["a", 7, "trained 0", 0.5, True, 10, True, 0.3, True, 6],
            ["a", 7, "trained 1", 0.7, False, 20, True, 0.1, True, 4]]  # fmt: skip
    monkeypatch.setattr(claims, "read_table", lambda name: pd.DataFrame(rows, columns=columns))
    told = claims.variants.__wrapped__().loc["a"]
    assert told.tolist() == [7, pytest.approx(0.6), 0.5, 0.7, 1, 2, 15, 0.1, True, 4]


def test_self_play_is_judged_where_the_stored_run_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """At each check twice: the network of the moment, and the averaged one."""
    judged: dict[tuple[str, str, int], list[int]] = {}

    def note(sharing: str, half: float, seed: int, checks: Ints) -> pd.DataFrame:
        steps = "falling" if half < math.inf else "constant"
        judged[sharing, steps, seed] = np.repeat(checks, 2).tolist()
        return pd.DataFrame()

    monkeypatch.setattr(stored, "_self_play_of", note)
    stored.make_self_play()
    table = read_table("ntuple_self_play.csv")
    table["steps"] = table["way"].str.removesuffix(", averaged")
    kept = table.groupby(["sharing", "steps", "seed"])["games"].apply(list)
    assert kept.to_dict() == judged


def test_networks_of_the_4x4_matches_are_what_they_are_called(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The trained ones by their patterns, the stored one by its file and its depth."""
    named: dict[str, Any] = {}

    def note(name: str, mine: Any, other: Agent) -> dict[str, str]:
        named[name] = mine
        return {"network": name, "opponent": other.name}

    monkeypatch.setattr(stored, "_trained_4x4", lambda patterns: patterns)
    monkeypatch.setattr(stored, "_match_row", note)
    monkeypatch.setattr(stored, "read_stored", lambda seed: f"seed {seed}")
    monkeypatch.setattr(stored, "play_with", lambda network, depth=1: (network, depth))
    asked, table = stored.make_4x4_matches(), read_table("ntuple_4x4_matches.csv")
    assert asked.equals(table[["network", "opponent"]])
    assert named["lines, by symmetry"] == ("seed 0", 1)
    assert named["lines, by symmetry, 2 plies"] == ("seed 0", 2)
    assert named["random"].name == "random"
    pairs, lines = named["2-tuples, by symmetry"], named["lines, 10 x 162"]
    assert lines.parameters == 10 * 162
    assert {len(cells) for cells in pairs.tuples} == {2}
    boards = np.random.default_rng(0).integers(-1, 2, (50, 16)).astype(np.int8)
    for patterns, alike in ((pairs, True), (lines, False)):
        network = some_network(patterns)
        values = [network.predict(boards[:, image]) for image in Grid(4).symmetries]
        assert np.allclose(values, values[0]) is alike


class SelfPlayed:
    """Self-play without games: its networks are what it was asked for, and how many games."""

    def __init__(self, patterns: Patterns, schedule: Schedule, *, rng: int) -> None:
        self.asked, self.games = (patterns, schedule, rng), 0

    def play(self, games: int) -> None:
        self.games += games

    @property
    def network(self) -> Any:
        return ("latest", *self.asked, self.games)

    @property
    def averaged(self) -> Any:
        return ("averaged", *self.asked, self.games)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_stored_network_of_4x4_is_trained_from_the_seed_of_its_file(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the schedule by which those of the matches with other patterns are trained, too."""
    monkeypatch.setattr(stored, "SelfPlay", SelfPlayed)
    monkeypatch.setattr(stored, "to_bytes", lambda network: network)
    monkeypatch.setattr(stored, "play_with", lambda network: network)
    (maker,) = (
        entry.made_by
        for entry in store.manifest()
        if entry.file == f"ntuple_4x4_seed{seed}.safetensors"
    )
    patterns, how = Patterns(Grid(4), sharing="symmetric"), stored.SELF_PLAY_4X4
    assert store.resolve(maker)() == ("averaged", patterns, how, seed, 200_000)
    assert stored._trained_4x4(patterns) == ("averaged", patterns, how, 0, 200_000)


@pytest.mark.parametrize("sharing", ["none", "symmetric"])
@pytest.mark.parametrize("half", [math.inf, stored.SELF_PLAY.half])
def test_verdicts_during_self_play_are_of_the_learners_that_their_rows_name(
    sharing: Any, half: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged: list[Any] = []

    def note(tree: GameTree, table: Any) -> response.Soundness:
        judged.append(table)
        return response.Soundness(0, 0, len(judged))

    monkeypatch.setattr(stored, "SelfPlay", SelfPlayed)
    monkeypatch.setattr(stored, "table_of", lambda network, tree: network)
    monkeypatch.setattr(stored, "soundness", note)
    rows = stored._self_play_of(sharing, half, 7, [100, 300])
    assert rows["misplayed"].tolist() == [1, 2, 3, 4]
    how = Schedule(stored.SELF_PLAY.rate, half, stored.SELF_PLAY.epsilon)
    steps = "constant" if half == math.inf else "falling"
    for row, learner in zip(rows.to_dict("records"), judged, strict=True):
        kind = "averaged" if row["way"] == f"{steps}, averaged" else "latest"
        assert row["way"].startswith(steps)
        assert learner == (kind, Patterns(Grid(3), sharing=sharing), how, 7, row["games"])


@pytest.mark.parametrize("name", stored.VARIANTS)
def test_minimisations_start_from_the_weights_that_their_rows_name(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    patterns = stored.VARIANTS[name]

    def note(given: Patterns, weights: Floats) -> SimpleNamespace:
        begun.append((given, weights.tolist()))
        return SimpleNamespace(slope=0.0, error=0.0, network=Network(given, weights))

    size = patterns.parameters + 1
    trained_to = {seed: np.full(size, seed / 100) for seed in (0, 7)}
    drawn_at = {seed: np.full(size, -1 - seed / 100) for seed in (0, 7)}
    monkeypatch.setattr(
        stored, "train", lambda given, rng: SimpleNamespace(history=[None, trained_to[rng]])
    )
    monkeypatch.setattr(stored, "random_start", lambda given, seed: drawn_at[seed])
    monkeypatch.setattr(stored, "minimise", note)
    for start in ("zero", "trained 7", "random 7"):
        assert stored._ended(name, start)["start"] == start
    wanted = (np.zeros(size), trained_to[7], drawn_at[7])
    assert begun == [(patterns, weights.tolist()) for weights in wanted]


def test_exact_rows_of_4x4_are_those_of_their_networks_opponents_and_sides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With the game, its tables and its results replaced by a note of what was asked for."""
    for name, value in {
        "solve": lambda grid: [grid.name],
        "read_stored": lambda seed: f"seed {seed}",
        "play_with": lambda network: SimpleNamespace(name=network),
        "policy_table": lambda agent, tree: agent.name,
        "soundness": lambda tree, table: response.Soundness(f"X {table}", f"O {table}", table),
        "outcome_as": lambda tree, *asked: asked,
    }.items():
        monkeypatch.setattr(stored, name, value)
    found, table = stored.make_4x4_exact(), read_table("ntuple_4x4_exact.csv")
    about = ["seed", "opponent", "side"]
    assert list(found) == list(table)
    assert found[about].equals(table[about])
    for row in found.itertuples():
        name = f"seed {row.seed}"
        sign = {"x": "1", "o": "-1"}[row.side]
        assert (row.win, row.draw, row.loss) == (sign, name, row.opponent)
        assert (row.worst_x, row.worst_o, row.misplayed) == (f"X {name}", f"O {name}", name)


def test_the_rate_of_training_is_updates_over_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = np.zeros(0)
    monkeypatch.setattr(bench, "ours", lambda orders: (2.0, nothing))
    monkeypatch.setattr(bench, "cpp", lambda orders: bench.Reference(0.5, nothing))
    found, updates = bench._training(), 5478 * bench.EPOCHS
    assert (found["rate"], found["reference_rate"]) == (updates / 2, updates * 2)
    assert found["ratio"] == 0.25


def test_cpp_loop_ends_with_the_same_weights() -> None:
    orders = np.stack([np.random.default_rng(0).permutation(5478) for _ in range(2)])
    reference = bench.cpp(orders)
    if reference is None:
        pytest.skip("no C++ compiler")
    np.testing.assert_allclose(bench.ours(orders)[1], reference.weights, atol=1e-13)


@pytest.mark.parametrize("times", [(1, 0, 0), (0, 0, 0), (-1, -1, -1)])
def test_a_program_whose_multipliers_do_not_cancel_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, times: tuple[int, ...]
) -> None:
    from scipy import optimize

    found = SimpleNamespace(status=0, x=np.array(times, dtype=float))
    monkeypatch.setattr(optimize, "linprog", lambda *_, **__: found)
    with pytest.raises(ArithmeticError, match="do not cancel"):
        move_order.cancelling(np.array([[2, -1], [-3, 2], [1, -1]]))


def to_block(grid: Grid, wanted: int) -> tuple[Ints, Ints]:
    """Random positions of 4x4 in which the mover can't win at once and must stop one win."""
    rng, boards, cells = np.random.default_rng(0), [], []
    while len(cells) < wanted:
        order_, stones = rng.permutation(grid.cells), rng.integers(6, 13)
        board = np.zeros((1, grid.cells), dtype=np.int8)
        board[0, order_[:stones:2]], board[0, order_[1:stones:2]] = 1, -1
        side = grid.to_move(board)
        won, threats = (winning_cells(grid, board, sign * side)[0] for sign in (1, -1))
        if grid.winner(board)[0] == 0 and not won.any() and threats.sum() == 1:
            boards.append(board[0])
            cells.append(int(threats.argmax()))
    return np.array(boards), np.array(cells)


def test_tables_over_pairs_miss_blocks_that_lines_never_miss() -> None:
    """On 4x4, after self-play: neighbouring pairs three of four, all pairs of a line over half."""
    grid = Grid(4)
    boards, cells = to_block(grid, 1000)

    def missed(network: Network) -> float:
        chances = play_with(network).weights
        assert chances is not None
        played = chances(boards) > 0
        return 1 - float((played[np.arange(len(cells)), cells] & (played.sum(axis=1) == 1)).mean())

    assert missed(read_stored(0)) == 0
    of_lines = tuple(sorted({pair for line in grid.lines for pair in combinations(line, 2)}))
    for pairs, low, high in ((neighbours(grid), 0.7, 0.8), (of_lines, 0.5, 0.75)):
        for seed in (0, 1):
            game = SelfPlay(
                Patterns(grid, pairs, sharing="symmetric"), stored.SELF_PLAY_4X4, rng=seed
            )
            game.play(stored.GAMES_4X4)
            assert low < missed(game.averaged) < high


@pytest.mark.parametrize("patterns", [Patterns(GRID, sharing="one"), Patterns(GRID, side=False)])
@pytest.mark.parametrize("all_met", [False, True])
def test_squared_error_on_the_boards_that_it_compares_does_not_make_a_player_safe(
    patterns: Patterns, all_met: bool, tree: GameTree
) -> None:
    """Refitted 25 times, on those that the latest player compares or on all compared so far."""
    data, asked = positions(patterns), np.ones(len(tree), dtype=bool)
    compared = np.zeros(len(tree), dtype=bool)
    for _ in range(26):
        part = Positions(data.features[asked], data.targets[asked])
        start = np.zeros(patterns.parameters + 1)
        fit = minimize(optimum.error_and_gradient, start, args=(part,), jac=True, method="L-BFGS-B")
        player = table_of(Network(patterns, fit.x), tree)
        assert not response.soundness(tree, player).never_loses
        compared &= all_met
        for side in (1, -1):
            moves = response.reachable(tree, player, side) & (
                tree.grid.to_move(tree.boards) == side
            )
            after = tree.children[moves & ~tree.finished]
            compared[after[after >= 0]] = True
        asked = compared & ~tree.finished


def test_the_program_keeps_the_first_of_several_slow_quickest_wins(tree: GameTree) -> None:
    slow = (np.where(tree.ply % 2 == 0, tree.value, -tree.value) == 1) & (tree.distance >= 3)
    assert (tree.distance[slow] > 3).any()
    one, all_ = (analysis.opponent(name)[slow] > 0 for name in ("perfect, program", "perfect"))
    assert (one.sum(axis=1) == 1).all()
    assert (one.argmax(axis=1) == all_.argmax(axis=1)).all()


def test_the_program_at_three_plies_wins_at_once_or_takes_the_first_slow_win(
    tree: GameTree,
) -> None:
    side = np.where(tree.ply % 2 == 0, 1, -1)
    plain, program = (analysis.opponent(name) > 0 for name in ("ply 3", "ply 3, quick"))
    wins = tree.legal & (tree.winner[tree.children] == side[:, None])
    now, slow = wins.any(axis=1), (side * tree.value == 1) & (tree.distance == 3)
    assert (plain[now] != wins[now]).any()
    assert (program[now] == wins[now]).all()
    assert (plain[slow].sum(axis=1) > 1).any()
    assert (program[slow].sum(axis=1) == 1).all()
    assert (program[slow].argmax(axis=1) == plain[slow].argmax(axis=1)).all()


@pytest.mark.parametrize("side", [1, -1])
def test_a_trap_is_set_only_if_every_move_it_may_make_sets_it(tree: GameTree, side: int) -> None:
    """A player that takes any move which keeps the draw never leaves the most for sure."""
    table = (tree.legal & (tree.value[tree.children] == 0)).astype(np.int64)
    table[table.sum(axis=1) == 0] = tree.legal[table.sum(axis=1) == 0]
    choices, missed = 0, []
    for row in np.flatnonzero(response.reachable(tree, table, side)):
        if not tree.finished[row] and tree.value[row] == 0 and (-1) ** tree.ply[row] == side:
            after = tree.children[row][table[row] > 0]
            replies = [tree.children[child][tree.legal[child]] for child in after]
            differ = len({int((tree.value[r] == side).sum()) for r in replies}) > 1
            choices, missed = choices + differ, missed + [int(row)] * differ
    found = analysis.traps(table, side)
    assert (found[:2], found.missed) == ((choices, 0), tuple(missed))
    images = {tree.boards[row][cells].tobytes() for row in missed for cells in GRID.symmetries}
    forms = 0
    while images:
        board = np.frombuffer(images.pop(), dtype=tree.boards.dtype)
        images -= {board[cells].tobytes() for cells in GRID.symmetries}
        forms += 1
    assert found.forms == forms > 0
