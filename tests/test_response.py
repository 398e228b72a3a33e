"""One player against every opponent, by plain recursion over the games that can happen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from ttt_lib.game import policy as agents
from ttt_lib.game import response
from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import Outcome, policy_table, worst_case
from ttt_lib.game.gametree import GameTree, enumerate_states

SIDES = pytest.mark.parametrize("side", [1, -1])
NAMES = ("random", "minimax", "first", "middling", "odd", "free")
WORTHS = (response.POINTS, (10**6, 0, -1), (1, 0, -(10**6)), (3, 1, Fraction(-1, 3)))


@pytest.fixture(scope="module")
def tables(tree: GameTree) -> dict[str, Ints]:
    """Weights of players that are good, bad, and neither."""
    grid, cells = tree.grid, np.arange(9)
    some = {
        "random": agents.random_agent(grid),
        "minimax": agents.minimax(grid, "quick"),
        "first": agents.minimax(grid, "first"),
        "free": agents.first_free(grid),
    }
    found = {name: policy_table(agent, tree) for name, agent in some.items()}
    found["middling"] = np.where(tree.legal, cells % 3 + 1, 0)
    odd = np.where(tree.legal, (np.arange(len(tree))[:, None] * 7 + cells * 5) % 4, 0)
    found["odd"] = np.where(odd.any(axis=1, keepdims=True), odd, tree.legal)
    return found


def own(tree: GameTree, state: int, side: int) -> bool:
    return bool((tree.ply[state] % 2 == 0) == (side == 1))


def next_states(tree: GameTree, table: Ints, side: int, state: int) -> list[int]:
    allowed = table[state] > 0 if own(tree, state, side) else tree.legal[state]
    return [] if tree.finished[state] else tree.children[state][allowed].tolist()


def plain_worst(tree: GameTree, table: Ints, side: int) -> int:
    @cache
    def worst(state: int) -> int:
        after = next_states(tree, table, side, state)
        return min(map(worst, after)) if after else side * int(tree.winner[state])

    return worst(0)


@pytest.mark.parametrize("name", NAMES)
@SIDES
def test_worst_result(tree: GameTree, tables: dict[str, Ints], name: str, side: int) -> None:
    table = tables[name]
    found = response.worst_result(tree, table, side)
    assert found == plain_worst(tree, table, side) == worst_case(tree, table, side).worst


def test_some_players_lose_and_some_never_do(tree: GameTree, tables: dict[str, Ints]) -> None:
    verdicts = {name: response.soundness(tree, tables[name]) for name in NAMES}
    assert verdicts["minimax"] == response.Soundness(0, 0, 0)
    assert {name for name in NAMES if verdicts[name].never_loses} == {"minimax", "first"}
    assert verdicts["random"][:2] == (-1, -1)
    assert verdicts["random"].misplayed > 0
    assert not response.Soundness(0, -1, 5).never_loses
    assert not response.Soundness(-1, 1, 5).never_loses
    assert response.Soundness(0, 1, 5).never_loses


@SIDES
def test_worst_results_on_canonical_forms_are_the_same(tree: GameTree, side: int) -> None:
    classes = enumerate_states(Grid(3), canonical=True)
    for agent in (agents.random_agent(Grid(3)), agents.minimax(Grid(3))):
        whole, part = (policy_table(agent, t) for t in (tree, classes))
        found = response.worst_result(classes, part, side)
        assert found == response.worst_result(tree, whole, side)


@pytest.mark.parametrize("name", NAMES)
@SIDES
def test_reachable_states(tree: GameTree, tables: dict[str, Ints], name: str, side: int) -> None:
    table = tables[name]
    seen, new = {0}, {0}
    while new:
        new = {s for state in new for s in next_states(tree, table, side, state)} - seen
        seen |= new
    assert np.flatnonzero(response.reachable(tree, table, side)).tolist() == sorted(seen)


def plain_best(
    tree: GameTree, opponent: Ints, side: int, worth: Sequence[int | Fraction], careful: bool
) -> dict[int, tuple[Fraction, frozenset[int]]]:
    """Value of each state, and the best moves."""

    def allowed(state: int) -> list[int]:
        moves = np.flatnonzero(tree.legal[state]).tolist()
        if not careful or side * tree.value[state] < 0:
            return moves
        return [m for m in moves if side * tree.value[tree.children[state, m]] >= 0]

    @cache
    def value(state: int) -> Fraction:
        if tree.finished[state]:
            return Fraction(worth[1 - side * int(tree.winner[state])])
        if own(tree, state, side):
            return max(value(int(tree.children[state, m])) for m in allowed(state))
        weights = opponent[state]
        parts = [int(weights[m]) * value(int(tree.children[state, m]))
                 for m in np.flatnonzero(weights)]  # fmt: skip
        return sum(parts, Fraction(0)) / int(weights.sum())

    mine = [s for s in np.flatnonzero(~tree.finished).tolist() if own(tree, s, side)]
    return {
        s: (
            value(s),
            frozenset(m for m in allowed(s) if value(int(tree.children[s, m])) == value(s)),
        )
        for s in mine
    }


@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize("worth", WORTHS)
@pytest.mark.parametrize("name", ["random", "odd", "middling"])
@SIDES
def test_best_response(
    tree: GameTree,
    tables: dict[str, Ints],
    name: str,
    worth: Sequence[int | Fraction],
    careful: bool,
    side: int,
) -> None:
    opponent = tables[name]
    allowed = response.safe_moves(tree, side) if careful else None
    table = response.best_response(tree, opponent, side, worth, allowed=allowed)
    plain = plain_best(tree, opponent, side, worth, careful)
    assert {s: frozenset(np.flatnonzero(table[s]).tolist()) for s in plain} == {
        s: moves for s, (_, moves) in plain.items()
    }
    assert set(np.unique(table)) <= {0, 1}
    outcome = response.response_outcome(tree, opponent, side, worth, allowed=allowed)
    won, drawn, lost = (chance * w for chance, w in zip(outcome, worth, strict=True))
    if side == 1:
        assert won + drawn + lost == plain[0][0]
    else:
        share = opponent[0] / Fraction(int(opponent[0].sum()))
        parts = [share[m] * plain[int(tree.children[0, m])][0] for m in np.flatnonzero(opponent[0])]
        assert won + drawn + lost == sum(parts)


def test_allowed_moves_that_cannot_be_are_refused(tree: GameTree, tables: dict[str, Ints]) -> None:
    illegal, none = np.ones_like(tree.legal), np.zeros_like(tree.legal)
    for allowed in (illegal, tree.legal[:1]):
        with pytest.raises(ValueError, match=r"allowed moves must be legal, in an array of shape"):
            response.best_response(tree, tables["random"], 1, allowed=allowed)
    with pytest.raises(ValueError, match="in every unfinished state some move must be allowed"):
        response.best_response(tree, tables["random"], 1, allowed=none)


@pytest.mark.parametrize("name", ["random", "odd"])
@SIDES
def test_no_trade_off_is_better_than_the_frontier(
    tree: GameTree, tables: dict[str, Ints], name: str, side: int
) -> None:
    opponent = tables[name]
    corners = response.frontier(tree, opponent, side)
    assert corners == sorted(corners, key=lambda c: (c.loss, c.win))
    slopes = [(b.win - a.win) / (b.loss - a.loss) for a, b in pairwise(corners)]
    assert all(a > b > 0 for a, b in pairwise(slopes))
    for price in (Fraction(1, 10), 1, 50):
        best = response.response_outcome(tree, opponent, side, (1, 0, -price))
        assert best.win - price * best.loss == max(c.win - price * c.loss for c in corners)


def test_a_point_between_two_others_is_no_corner() -> None:
    def point(win: int, loss: int) -> Outcome:
        return Outcome(Fraction(win, 30), Fraction(30 - win - loss, 30), Fraction(loss, 30))

    chain = [point(10, 1), point(14, 3), point(16, 4), point(18, 5), point(19, 6), point(20, 8)]
    kept = [chain[k] for k in (0, 1, 3, 4, 5)]
    assert response._corners(chain) == [point(10, 1), point(18, 5), point(19, 6), point(20, 8)]
    assert response._corners(kept) == [point(10, 1), point(18, 5), point(19, 6), point(20, 8)]
    assert response._corners(chain[:1]) == chain[:1]
    assert response._corners(chain[:2]) == chain[:2]


@pytest.mark.parametrize("power", [3, 6, 9])
def test_rare_blunders_hide_no_corner(tree: GameTree, tables: dict[str, Ints], power: int) -> None:
    """However rarely a perfect player errs; its extremes are found with a weight of their own."""
    opponent = policy_table(agents.minimax(tree.grid), tree) * 10**power + tables["random"]
    corners, far = response.frontier(tree, opponent, -1), 10**100
    assert len(corners) == 4
    assert corners[0] == response.response_outcome(tree, opponent, -1, (1, 0, -far))
    assert corners[-1] == response.response_outcome(tree, opponent, -1, (far, 0, -1))


@pytest.mark.parametrize("answer", [response.best_response, response.frontier, response.reachable])
def test_bad_questions(
    tree: GameTree, tables: dict[str, Ints], answer: Callable[..., object]
) -> None:
    table = tables["random"]
    with pytest.raises(ValueError, match=r"a side is \+1 \(X\) or -1 \(O\), not 0"):
        answer(tree, table, 0)
    for bad in (0 * table, -table, 1 - table):
        with pytest.raises(ValueError, match="weights must be 0 to"):
            answer(tree, bad, 1)


@pytest.mark.parametrize("worth", [(1, 0), (1, 0, -1, 5), ()])
def test_a_worth_is_three_numbers(
    tree: GameTree, tables: dict[str, Ints], worth: tuple[int, ...]
) -> None:
    with pytest.raises(ValueError, match=f"need three worths, not {len(worth)}"):
        response.best_response(tree, tables["random"], 1, worth)


@pytest.mark.parametrize("answer", [response.best_response, response.frontier])
def test_an_answer_needs_whole_numbers(
    tree: GameTree, tables: dict[str, Ints], answer: Callable[..., object]
) -> None:
    with pytest.raises(ValueError, match="whole-number weights, not float64"):
        answer(tree, tables["random"] / 9, 1)


@pytest.mark.parametrize("side", [0, 2])
def test_safe_moves_are_those_of_a_side(side: int) -> None:
    with pytest.raises(ValueError, match=f"not {side}"):
        response.safe_moves(enumerate_states(Grid(2)), side)
