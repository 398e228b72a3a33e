"""Exact matches against recursion and against games; the worst case against search."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from statistics import fmean, pvariance

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from strategies import plain_value

from ttt_lib.game import policy as agents
from ttt_lib.game import reference
from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.exact import (
    Outcome,
    as_chances,
    check_table,
    exact_match,
    exact_values,
    float_values,
    misplayed,
    outcome_as,
    policy_table,
    random_expected,
    random_outcome,
    reached,
    worst_case,
)
from ttt_lib.game.gametree import GameTree, enumerate_states, solve
from ttt_lib.game.match import BATCH, MatchResult, Sides, match, random_openings
from ttt_lib.game.policy import Agent
from ttt_lib.game.reference import Cells, Chances
from ttt_lib.game.stats import (
    Interval,
    games_interval,
    mean_interval,
    pairs_interval,
    score_interval,
    wilson,
    with_intervals,
)
from ttt_lib.ising.players import ising

GRID = Grid(3)


def scattered(seed: int, *, top: int = 5, grid: Grid = GRID) -> Agent:
    """An agent of arbitrary weights 0..top-1 on a board's legal moves, the same at every call."""

    def weights(boards: Boards) -> np.ndarray:
        codes, cells = grid.codes(boards)[:, None], np.arange(grid.cells)
        noise = np.sin(codes * (cells + 1.7) + seed) * 1e4
        found = np.where(grid.legal(boards), (noise % 1 * top).astype(np.int64), 0)
        # At least one move must be possible.
        return np.where(found.any(axis=1, keepdims=True), found, grid.legal(boards))

    return agents.from_weights(f"scattered {seed}", grid, weights)


def chances(table: np.ndarray, tree: GameTree) -> dict[Cells, Chances]:
    """A table of weights as plain fractions."""
    return {
        tuple(tree.boards[state].tolist()): {
            move: Fraction(int(weight), int(table[state].sum()))
            for move, weight in enumerate(table[state])
            if weight
        }
        for state in np.flatnonzero(~tree.finished)
    }


SOME = {
    "random": agents.random_agent(GRID),
    "minimax": agents.minimax(GRID),
    "quick": agents.minimax(GRID, "quick"),
    "lookahead": agents.lookahead(GRID, 2),
    "first": agents.minimax(GRID, "first"),
    "safe": agents.safety(agents.random_agent(GRID)),
    "scattered": scattered(1),
}
PAIRS = [("random", "random"), ("minimax", "random"), ("random", "quick"), ("scattered", "safe"),
         ("lookahead", "scattered"), ("first", "lookahead")]  # fmt: skip


# ---------------------------------------------------------------------------- exact matches


@pytest.mark.parametrize(("x", "o"), PAIRS)
def test_exact_match_is_that_of_plain_recursion(tree: GameTree, x: str, o: str) -> None:
    plain = [chances(policy_table(SOME[name], tree), tree) for name in (x, o)]
    expected = reference.exact_match(plain[0].__getitem__, plain[1].__getitem__)
    found = exact_match(SOME[x], SOME[o], tree)
    assert tuple(found) == expected
    assert sum(found) == 1
    assert found.expected == found.win - found.loss
    assert found.reversed() == Outcome(found.loss, found.draw, found.win)


@pytest.mark.parametrize(("player", "other"), PAIRS)
def test_a_player_meets_another_on_either_side(tree: GameTree, player: str, other: str) -> None:
    tables = [policy_table(SOME[name], tree) for name in (player, other)]
    assert outcome_as(tree, 1, *tables) == exact_match(SOME[player], SOME[other], tree)
    assert outcome_as(tree, -1, *tables) == exact_match(SOME[other], SOME[player], tree).reversed()
    with pytest.raises(ValueError, match=r"a side is \+1 \(X\) or -1 \(O\), not 0"):
        outcome_as(tree, 0, *tables)


def test_known_matches(tree: GameTree) -> None:
    random, perfect = SOME["random"], SOME["minimax"]
    assert exact_match(random, random, tree) == (
        Fraction(737, 1260),
        Fraction(8, 63),
        Fraction(121, 420),
    )
    assert exact_match(perfect, perfect, tree) == (0, 1, 0)
    assert exact_match(perfect, random, tree).loss == 0
    assert exact_match(random, perfect, tree).win == 0


@pytest.mark.parametrize(("x", "o"), PAIRS)
def test_floats_are_close_to_fractions_everywhere(tree: GameTree, x: str, o: str) -> None:
    tables = [policy_table(SOME[name], tree) for name in (x, o)]
    exact = exact_values(tree, *tables)
    floats = float_values(tree, *map(as_chances, tables))
    expected = [[float(share) for share in exact[state]] for state in range(len(tree))]
    assert floats == pytest.approx(np.array(expected), abs=1e-13)


def test_random_play_twice(tree: GameTree) -> None:
    """Two ways to the same fractions: a policy of equal weights, and counting fillings."""
    table = policy_table(SOME["random"], tree)
    exact, expected = exact_values(tree, table, table), random_expected(tree)
    for state in range(0, len(tree), 37):
        assert exact[state] == random_outcome(tree, state)
        assert expected[state] == float(exact[state].expected)


def test_an_agent_of_fractional_weights_has_no_exact_match(tree: GameTree) -> None:
    """Cut to whole numbers, they would be another player's."""

    def weights(boards: Boards) -> np.ndarray:
        return GRID.legal(boards) * np.linspace(2.5, 1, GRID.cells)

    uneven = agents.from_weights("uneven", GRID, weights)
    with pytest.raises(ValueError, match=r"uneven: .* whole-number weights, not float64"):
        exact_match(uneven, SOME["random"], tree)
    legal = agents.from_weights("legal", GRID, GRID.legal)
    assert exact_match(legal, legal, tree) == exact_match(SOME["random"], SOME["random"], tree)


@pytest.mark.parametrize("factor", [0.05, 1, 20])
def test_chances_do_not_depend_on_the_scale_of_the_weights(tree: GameTree, factor: float) -> None:
    table = policy_table(SOME["random"], tree)
    chances = as_chances(table * factor)
    assert chances.sum(axis=1) == pytest.approx(1.0 - tree.finished)
    met = reached(tree, table * factor, table * factor)
    assert met == pytest.approx(reached(tree, table, table))
    assert met[tree.finished].sum() == pytest.approx(1)


def test_large_weights_are_counted_without_overflow(tree: GameTree) -> None:
    """The same chances by weights whose common denominators pass every machine integer."""
    small = policy_table(SOME["random"], tree)
    factors = np.array([1_000_003, 998_244_353, 2_147_483_647])[np.arange(len(tree)) % 3, None]
    exact = exact_values(tree, small, small)
    assert exact.counts.dtype == np.int64
    large = exact_values(tree, small * factors, small * factors)
    assert large.counts.dtype == object
    assert all(large[state] == exact[state] for state in range(0, len(tree), 11))


def test_denominators_too_large_for_one_layer(tree: GameTree) -> None:
    """Every row has its own prime as sum, so a layer's least common multiple is huge."""
    primes = [p for p in range(10_007, 80_000) if all(p % q for q in range(2, 300))]
    table = policy_table(SOME["random"], tree)
    sums = table.sum(axis=1)
    rows = np.flatnonzero(sums > 1)[::6]
    table[rows, table[rows].argmax(axis=1)] += np.resize(primes, len(rows)) - sums[rows]
    exact = exact_values(tree, table, table)[0]
    plain = chances(table, tree)
    assert tuple(exact) == reference.exact_match(plain.__getitem__, plain.__getitem__)


def test_canonical_trees_give_the_same_match(tree: GameTree) -> None:
    classes = enumerate_states(GRID, canonical=True)
    for x, o in (("minimax", "random"), ("lookahead", "quick")):
        full = exact_match(SOME[x], SOME[o], tree)
        assert exact_match(SOME[x], SOME[o], classes) == full


def test_policy_table_is_empty_on_finished_states(tree: GameTree) -> None:
    table = policy_table(SOME["random"], tree)
    assert (table == tree.legal).all()


# ---------------------------------------------------------------------------- bad tables


def stating(table: np.ndarray, tree: GameTree) -> Agent:
    return agents.from_weights("odd", GRID, lambda boards: table[tree.index(boards)])


@pytest.mark.parametrize("fault", ["negative", "illegal", "empty"])
def test_weights_must_be_chances(tree: GameTree, fault: str) -> None:
    table = tree.legal.astype(np.int64)
    state = tree.layers[3]
    taken = int(np.flatnonzero(~tree.legal[state])[0])
    if fault == "negative":
        table[state, np.flatnonzero(tree.legal[state])[0]] = -1
    elif fault == "illegal":
        table[state, taken] = 1
    else:
        table[state] = 0
    with pytest.raises(ValueError, match=r"odd.*weights"):
        policy_table(stating(table, tree), tree)


@pytest.mark.parametrize(("dtype", "weight"), [(np.uint8, 64), (np.int16, 16384)])
def test_weights_whose_sum_their_dtype_does_not_hold(
    tree: GameTree, dtype: type, weight: int
) -> None:
    legal = tree.legal.astype(np.int64)
    table = (legal * weight).astype(dtype)
    assert check_table(tree, table) is table
    assert exact_values(tree, table, table)[0] == exact_values(tree, legal, legal)[0]


def test_weights_are_exact_in_double_precision(tree: GameTree) -> None:
    table = tree.legal.astype(np.int64)
    table[0, 4] = 2**53
    assert check_table(tree, table) is table
    table[0, 4] += 1
    with pytest.raises(ValueError, match=r"weights must be 0 to 2\*\*53"):
        check_table(tree, table)


@pytest.mark.parametrize("shape", [(5477, 9), (5478, 8), (5478, 10), (9, 5478), (5479, 9)])
def test_a_table_has_a_row_for_every_state(tree: GameTree, shape: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="a table has shape"):
        check_table(tree, np.ones(shape, dtype=np.int64))


def test_policy_table_needs_weights(tree: GameTree) -> None:
    mute = Agent("mute", GRID, SOME["random"].policy)
    with pytest.raises(ValueError, match=r"mute can.t state .*ttt match"):
        policy_table(mute, tree)


def test_policy_table_needs_the_same_game(tree: GameTree) -> None:
    with pytest.raises(ValueError, match="random plays 2x2, not 3x3"):
        policy_table(agents.random_agent(Grid(2)), tree)


def test_canonical_tree_needs_symmetric_agents() -> None:
    classes = enumerate_states(GRID, canonical=True)
    with pytest.raises(ValueError, match="symmetric boards differently"):
        policy_table(SOME["first"], classes)


# ---------------------------------------------------------------------------- worst case


def plain_worst(table: np.ndarray, tree: GameTree, side: int) -> tuple[int, int]:
    """Worst result from the agent's side that can happen, and the plies of the shortest such game.

    A breadth-first walk over every game that some opponent can bring about.
    """
    supports = chances(table, tree)
    found: dict[int, int] = {}
    waiting, seen = deque([((0,) * 9, 0)]), {(0,) * 9}
    while waiting:
        board, plies = waiting.popleft()
        moves = reference.successors(board)
        if not moves:
            found.setdefault(side * reference.winner(board), plies)
        agents_turn = (sum(board) == 0) == (side == 1)
        for move, after in moves.items():
            if after not in seen and (not agents_turn or move in supports[board]):
                seen.add(after)
                waiting.append((after, plies + 1))
    return min(found), found[min(found)]


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("name", [*SOME, "scattered 3"])
def test_worst_case(tree: GameTree, name: str, side: int) -> None:
    agent = SOME.get(name) or scattered(3, top=2)
    table = policy_table(agent, tree)
    worst, line = worst_case(tree, table, side)
    assert (worst, len(line)) == plain_worst(table, tree, side)
    board: Cells = (0,) * 9
    for ply, move in enumerate(line):
        if (ply % 2 == 0) == (side == 1):
            assert table[tree.index(np.array([board], dtype=np.int8))[0], move] > 0
        board = reference.successors(board)[move]
    assert not reference.successors(board)
    assert reference.winner(board) * side == worst


def test_perfect_players_never_lose(tree: GameTree) -> None:
    for name, side in (("minimax", 1), ("minimax", -1), ("quick", 1), ("first", -1)):
        assert worst_case(tree, policy_table(SOME[name], tree), side).worst == 0
    assert worst_case(tree, tree.legal.astype(np.int64), 1).worst == -1


def test_first_mover_wins_2x2_whatever_happens() -> None:
    tree = solve(Grid(2))
    assert worst_case(tree, tree.legal.astype(np.int64), 1) == (1, [0, 1, 2])
    assert worst_case(tree, tree.legal.astype(np.int64), -1) == (-1, [0, 1, 2])


def test_worst_case_refuses_canonical_trees_and_unknown_sides(tree: GameTree) -> None:
    classes = enumerate_states(GRID, canonical=True)
    with pytest.raises(ValueError, match="canonical"):
        worst_case(classes, classes.legal.astype(np.int64), 1)
    with pytest.raises(ValueError, match="not 0"):
        worst_case(tree, tree.legal.astype(np.int64), 0)


# ---------------------------------------------------------------------------- misplayed


@pytest.mark.parametrize("name", SOME)
def test_misplayed(tree: GameTree, name: str) -> None:
    table = policy_table(SOME[name], tree)
    expected = [
        state
        for state in np.flatnonzero(~tree.finished).tolist()
        for board in [tuple(tree.boards[state].tolist())]
        if any(
            plain_value(reference.successors(board)[move])[0] != plain_value(board)[0]
            for move in np.flatnonzero(table[state]).tolist()
        )
    ]
    assert misplayed(tree, table).tolist() == expected
    assert bool(expected) == (name not in ("minimax", "quick", "first"))


# ---------------------------------------------------------------------------- intervals


Z = {0.95: 1.959963984540054, 0.999: 3.2905267314919255}
"""Quantiles of the normal distribution, by the confidence of the interval."""


def plain_wilson(scores: Sequence[float], confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's formula with the variance of the scores themselves, each in [0, 1]."""
    n, z = len(scores), Z[confidence]
    middle = fmean(scores) + z * z / (2 * n)
    width = z * math.sqrt(pvariance(scores) / n + z * z / (4 * n * n))
    return (middle - width) / (1 + z * z / n), (middle + width) / (1 + z * z / n)


@given(st.integers(1, 1000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(max_examples=30)
def test_wilson_is_its_formula(case: tuple[int, int]) -> None:
    count, total = case
    scores = [1] * count + [0] * (total - count)
    wanted, wider = plain_wilson(scores), plain_wilson(scores, 0.999)
    assert tuple(wilson(count, total)) == pytest.approx(wanted, abs=1e-12)
    assert tuple(wilson(count, total, 0.999)) == pytest.approx(wider, abs=1e-12)


@pytest.mark.parametrize(("count", "total"), [(1, 0), (0, 0), (-1, 5), (6, 5)])
def test_wilson_refuses_what_is_no_share(count: int, total: int) -> None:
    with pytest.raises(ValueError, match="0 <= count <= total"):
        wilson(count, total)


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.5, 95.0])
def test_wilson_refuses_what_is_no_confidence(confidence: float) -> None:
    with pytest.raises(ValueError, match="a confidence lies between 0 and 1"):
        wilson(1, 2, confidence)


def test_shares_of_a_table_stand_beside_their_wilson_intervals() -> None:
    table = pd.DataFrame({"loss": [0, 3, 3], "games": [10, 12, 40]})
    found = with_intervals(table, "loss")
    assert found["share"].tolist() == [0, 0.25, 0.075]
    ends = [tuple(wilson(*row)) for row in table.itertuples(index=False)]
    assert [*found[["low", "high"]].itertuples(index=False, name=None)] == ends


@pytest.mark.parametrize(
    ("points", "squares", "units"),
    [(0, 0, np.inf), (0, 0, 0), (1, -1, 2), (1, 1.5, 2), (2.5, 2, 2)],
)
def test_the_interval_of_a_score_needs_scores_of_finitely_many_units(
    points: float, squares: float, units: int
) -> None:
    with pytest.raises(ValueError, match="units > 0 and finite"):
        score_interval(points, squares, units)


@pytest.mark.parametrize("confidence", [0.0, 1.0])
def test_the_interval_of_a_score_needs_a_confidence(confidence: float) -> None:
    with pytest.raises(ValueError, match="a confidence lies between 0 and 1"):
        score_interval(1, 1, 2, confidence)


def test_the_interval_of_a_score_by_hand() -> None:
    """With z^2 = 3.84146, (2 + z^2/2) / (4 + z^2) = 0.5 -+ z sqrt(1.5 - 2^2/4 + z^2/4) / 7.84146.

    Likewise (6 + z^2/2) / 13.84146 = 0.572247 -+ z sqrt(5.5 - 6^2/10 + z^2/4) / 13.84146.
    """
    assert tuple(games_interval(1, 2, 4)) == pytest.approx((0.197948, 0.802052), abs=1e-6)
    assert tuple(games_interval(5, 2, 10)) == pytest.approx((0.332762, 0.811731), abs=1e-6)


@given(st.lists(st.integers(0, 30), min_size=5, max_size=5).filter(any))
def test_the_interval_of_a_score_is_wilsons_with_the_variance_of_the_scores(
    counts: list[int],
) -> None:
    """Of games and of pairs of them, whose points are halved."""
    quarters = [place / 4 for place, count in enumerate(counts) for _ in range(count)]
    assert tuple(pairs_interval(counts)) == pytest.approx(plain_wilson(quarters))
    points, squares = sum(quarters), sum(score**2 for score in quarters)
    wider = score_interval(points, squares, len(quarters), 0.999)
    assert tuple(wider) == pytest.approx(plain_wilson(quarters, 0.999))
    loss, draw, win, *_ = counts
    if scores := [0.0] * loss + [0.5] * draw + [1.0] * win:
        found = games_interval(win, draw, len(scores))
        assert tuple(found) == pytest.approx(plain_wilson(scores))


def test_rounding_takes_no_interval_past_its_score_or_the_ends_of_the_scale() -> None:
    for confidence, n in product((0.8, 0.9, 0.95, 0.99), range(1, 60)):
        assert score_interval(0, 0, n, confidence).low == 0
        assert score_interval(n, n, n, confidence).high == 1
    low, high = score_interval(5 * 0.3, 5 * 0.3**2, 5, 1e-9)  # squares lack 6e-17 of 1.5^2 / 5
    assert low == pytest.approx(0.3) == high


@pytest.mark.parametrize("confidence", [0.95, 0.99])
@pytest.mark.parametrize("values", [[1, 4], [0.5, 0.25, 0.125], range(40)])
def test_the_interval_of_a_mean_is_by_students_t(
    values: Sequence[float], confidence: float
) -> None:
    expected = ttest_1samp([*values], 0).confidence_interval(confidence)
    assert mean_interval(values, confidence) == pytest.approx(tuple(expected))
    assert mean_interval(values) == mean_interval(values, 0.95)
    assert np.ptp(mean_interval([0.1] * 3, confidence)) == 0


@pytest.mark.parametrize(("values", "confidence"), [([1], 0.95), ([1, 2], 0), ([1, 2], 1)])
def test_the_interval_of_a_mean_needs_two_values_and_a_confidence(
    values: Sequence[float], confidence: float
) -> None:
    with pytest.raises(ValueError, match="n >= 2 and 0 < confidence < 1, not"):
        mean_interval(values, confidence)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_the_interval_of_a_mean_needs_finite_values(value: float) -> None:
    with pytest.raises(ValueError, match="finite values"):
        mean_interval([1, value])


# ---------------------------------------------------------------------------- simulated matches


@pytest.mark.parametrize(("x", "o"), [("random", "random"), ("scattered", "safe")])
def test_exact_lies_within_the_interval_of_many_games(tree: GameTree, x: str, o: str) -> None:
    exact = exact_match(SOME[x], SOME[o], tree)
    result = match(SOME[x], SOME[o], 20_000, rng=5, sides="first")
    for name in ("win", "draw", "loss"):
        low, high = wilson(getattr(result, name), result.games, 0.999)
        assert low <= getattr(exact, name) <= high, name
        assert high - low < 0.03


def test_alternating_sides_average_both_matches(tree: GameTree) -> None:
    a, b = SOME["random"], SOME["safe"]
    first, second = exact_match(a, b, tree), exact_match(b, a, tree).reversed()
    result = match(a, b, 20_000, rng=6)
    for name in ("win", "draw", "loss"):
        low, high = wilson(getattr(result, name), result.games, 0.999)
        assert low <= (getattr(first, name) + getattr(second, name)) / 2 <= high, name


class Recorder:
    """An agent that plays at random and notes how many stones it sees."""

    def __init__(self) -> None:
        self.plies: list[int] = []
        self.agent = Agent("recorder", GRID, self.policy)

    def policy(self, boards: Boards, rng: np.random.Generator) -> np.ndarray:
        self.plies += np.abs(boards).sum(axis=1).tolist()
        return as_chances(GRID.legal(boards))


@pytest.mark.parametrize(
    ("sides", "games", "begins"),
    [("alternate", 10, 5), ("alternate", 11, 6), ("alternate", 1, 1), ("first", 7, 7)],
)
def test_who_begins(sides: Sides, games: int, begins: int) -> None:
    """Counted by the empty boards an agent is shown; one more is for warming up."""
    a, b = Recorder(), Recorder()
    result = match(a.agent, b.agent, games, sides=sides)
    assert result.games == games == result.win + result.draw + result.loss
    assert a.plies.count(0) - 1 == begins
    assert b.plies.count(0) - 1 == games - begins


def test_results_are_from_the_first_named_side() -> None:
    """On 2x2 whoever begins wins, and 101 games over two batches are all counted."""
    one = agents.random_agent(Grid(2))
    result = match(one, one, 101)
    assert (result.win, result.draw, result.loss) == (51, 0, 50)
    result = match(one, one, 2 * BATCH + 1, sides="first")
    assert (result.win, result.draw, result.loss) == (2 * BATCH + 1, 0, 0)


def stones(grid: Grid, count: int, plies: int) -> list[int]:
    openings = random_openings(grid, count, plies, np.random.default_rng(2))
    return np.count_nonzero(openings, axis=1).tolist()


def test_an_opening_has_its_plies_where_no_game_can_end() -> None:
    """On 2x2x2 any two stones of one side are a line: the third move is never played."""
    assert stones(GRID, 41, 4) == [4] * 41
    assert max(stones(Grid(2, 3), 50, 4)) == 2


def test_pairs_that_are_played_one_by_one_are_all_counted() -> None:
    first = agents.from_moves("first", GRID, lambda boards, rng: GRID.legal(boards).argmax(axis=1))
    result = match(first, first, 10, openings=2, rng=1)
    assert result.games == 10
    assert sum(result.pairs) == 5
    assert result.score == 0.5


def test_speed_is_games_over_seconds() -> None:
    result = replace(match(SOME["random"], SOME["random"], 10), seconds=0.5)
    assert result.as_dict()["games_per_second"] == 20


def counts(result: MatchResult) -> tuple[int, int, int]:
    return result.win, result.draw, result.loss


def test_a_seed_repeats_a_match_with_or_without_progress(
    capsys: pytest.CaptureFixture[str],
) -> None:
    a, b = SOME["random"], SOME["scattered"]
    first = counts(match(a, b, 1500, rng=3))
    assert counts(match(a, b, 1500, rng=np.random.default_rng(3))) == first
    assert capsys.readouterr() == ("", "")
    assert counts(match(a, b, 1500, rng=3, progress=True)) == first
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "1500/1500" in shown.err
    assert counts(match(a, b, 1500, rng=4)) != first


def test_a_match_leaves_the_global_generator_alone() -> None:
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    match(SOME["random"], SOME["random"], 50, rng=3)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


@pytest.mark.parametrize("games", [0, -1])
def test_a_match_needs_a_game(games: int) -> None:
    with pytest.raises(ValueError, match="at least 1 game"):
        match(SOME["random"], SOME["random"], games)


def test_bad_matches() -> None:
    with pytest.raises(ValueError, match="'both': alternate or first"):
        match(SOME["random"], SOME["random"], 1, sides="both")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="random plays 3x3 but random plays 4x4"):
        match(SOME["random"], agents.random_agent(Grid(4)), 1)


def test_result_as_json() -> None:
    result = MatchResult(games=10, win=5, draw=2, loss=3, seconds=0.5)
    found = result.as_dict()
    assert {k: found[k] for k in ("games", "win", "draw", "loss", "games_per_second")} == {
        "games": 10, "win": 5, "draw": 2, "loss": 3, "games_per_second": 20.0,
    }  # fmt: skip
    assert found["intervals"] == {
        name: Interval(*wilson(count, 10)) for name, count in (("win", 5), ("draw", 2), ("loss", 3))
    }
    assert result.score == 0.6


def test_result_as_json_tells_distinct_games_and_pairs() -> None:
    pairs = (1, 0, 2, 3, 4)
    found = MatchResult(20, 11, 5, 4, 2.0, distinct=7, pairs=pairs).as_dict()
    assert found["distinct_games"] == 7
    assert found["pairs"] == list(pairs)
    assert found["score"] == 13.5 / 20
    assert found["score_interval"] == pairs_interval(pairs)


def test_the_json_object_tells_what_the_intervals_are_based_on() -> None:
    told = MatchResult(10, 5, 3, 2, 1.0, 3, (2, 1, 0)).as_dict()
    assert told["counted"] == [2, 1, 0]
    assert told["warning"].startswith("only 3 games")
    assert told["score_interval"] == games_interval(2, 1, 3)
    assert MatchResult(6, 3, 2, 1, 1.0, 6, (3, 2, 1)).as_dict()["warning"] is None
    assert MatchResult(7, 4, 2, 1, 1.0, 6, (3, 2, 1)).warning.startswith("only 6 games")


def test_copies_of_a_game_are_counted_once() -> None:
    one = agents.minimax(GRID, "first")
    found = match(one, one, 10)
    assert (found.draw, found.distinct, found.counted) == (10, 2, (0, 2, 0))
    assert found.intervals["draw"] == wilson(2, 2)
    assert "count each of them once" in found.warning
    assert "\n" not in found.warning
    drawn = match(SOME["random"], one, 400)
    assert 2 < drawn.distinct < 400, "who draws moves may repeat a game by chance"
    assert sum(drawn.counted) == 400
    assert not drawn.warning


@pytest.mark.parametrize("openings", [0, 2, 4])
@pytest.mark.parametrize("other", ["first", "lookahead", "ising"])
def test_shares_lie_in_their_intervals_also_if_only_some_games_had_a_choice(
    other: str, openings: int
) -> None:
    """Counting each game without a choice once would weigh these games less than the others."""
    opponent = ising(GRID, 0.3) if other == "ising" else SOME[other]
    found = match(SOME["first"], opponent, 2000, rng=7, openings=openings)
    for name, interval in found.intervals.items():
        assert interval.low <= getattr(found, name) / found.games <= interval.high
    assert found.score_interval.low <= found.score <= found.score_interval.high
    assert (sum(found.counted) == found.games) == (not found.warning)


@pytest.mark.parametrize("deterministic", [False, True])
def test_who_states_one_move_but_might_state_another_repeats_no_game(deterministic: bool) -> None:
    """A search answers with a single move, and with another one the next time."""

    def policy(boards: Boards, rng: np.random.Generator | None) -> Floats:
        return np.eye(9)[GRID.legal(boards).argmax(axis=1)]

    agent = Agent("first free", GRID, policy, deterministic=deterministic)
    found = match(agent, agent, 10)
    assert found.distinct == 2
    assert sum(found.counted) == (2 if deterministic else 10)


def test_games_that_differ_in_the_opening_alone_are_no_copies() -> None:
    """With the last or the last but one cell taken, whoever fills cells in order moves alike."""
    ordered = agents.from_moves(
        "ordered", GRID, lambda boards, rng: GRID.legal(boards).argmax(axis=1), deterministic=True
    )
    assert match(ordered, ordered, 400, openings=1).distinct == 18, "nine openings, begun by either"


def test_openings_are_played_from_both_sides() -> None:
    """Whoever goes on first from an opening of odd length is O: each does so once per pair."""
    one = agents.minimax(Grid(3), "first")
    for plies in (1, 2, 5):
        found = match(one, one, 60, rng=plies, openings=plies)
        assert found.pairs[2] == sum(found.pairs), "an agent takes from itself what it gives"
        assert found.win == found.loss
    better = match(one, SOME["random"], 200, rng=1, openings=1)
    assert sum(better.pairs) == 100
    points = sum(n * k for n, k in zip(better.pairs, (0, 0.5, 1, 1.5, 2), strict=True))
    assert points == pytest.approx(200 * better.score)
    low, high = better.score_interval
    assert low < better.score < high


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 3, "openings": 2}, "even number"),
        ({"games": 2, "openings": -1}, "0 or more"),
        ({"games": 2, "openings": 2, "sides": "first"}, "alternate"),
    ],
)
def test_openings_that_cannot_be_paired(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        match(SOME["random"], SOME["random"], **options)  # type: ignore[arg-type]


def test_no_opening_ends_a_game() -> None:
    states = random_openings(GRID, 200, 8, np.random.default_rng(0))
    assert not GRID.finished(states).any()


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 60))
def test_the_interval_of_a_score_is_wilsons_without_draws(win: int, draw: int, loss: int) -> None:
    games = win + draw + loss
    assert games_interval(win, 0, win + loss) == pytest.approx(wilson(win, win + loss))
    low, high = games_interval(win, draw, games)
    assert 0 <= low <= (win + draw / 2) / games <= high <= 1
    assert high - low > 0
    plain = score_interval(win + draw / 2, win + draw / 2, games)
    assert high - low <= plain.high - plain.low + 1e-12, "draws make it no wider"


@pytest.mark.parametrize("mean", [0.2, 0.5, 0.9])
def test_the_interval_of_a_score_covers_the_truth(mean: float) -> None:
    """Pairs whose games lean apart, as openings that favour a side make them."""
    rng, hits, pairs = np.random.default_rng(4), 0, 40
    for _ in range(1000):
        first = rng.random(pairs) < min(1, mean + 0.1)
        second = rng.random(pairs) < max(0, mean - 0.1)
        counts = np.bincount(2 * first + 2 * second, minlength=5).tolist()
        low, high = pairs_interval(counts)
        hits += low <= mean <= high
    assert 920 <= hits <= 985


@pytest.mark.parametrize("place", range(5))
def test_each_kind_of_pair_counts_its_quarters(place: int) -> None:
    """Many pairs of one kind and a few others: the interval closes on the mean of their scores."""
    pairs = [1000] * 5
    pairs[place] += 10**7
    quarters = sum(number * count for number, count in enumerate(pairs))
    low, high = pairs_interval(pairs)
    assert low <= quarters / 4 / sum(pairs) <= high
    assert high - low < 1e-3
