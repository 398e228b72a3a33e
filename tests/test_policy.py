"""From scores to weights to moves; look-ahead against plain recursion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import grid_and_board, plain_lines

from ttt_lib.game import policy as agents
from ttt_lib.game import reference
from ttt_lib.game.board import Boards, Grid, parse
from ttt_lib.game.exact import policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.policy import Agent, best_moves
from ttt_lib.game.reference import Cells

INF = np.inf


def hashed(after: Boards) -> np.ndarray:
    """An evaluator without rhyme or reason, in (-1, 1), the same for the same board."""
    return np.sin(after.astype(float) @ np.arange(3.0, 3.0 + after.shape[1]) ** 2)


def plain_lookahead(board: Cells, depth: int, leaf: Callable[[Cells], float]) -> dict[int, float]:
    """Scores of the moves for the side to move, by negamax."""

    def worth(after: Cells, left: int) -> float:
        if not (moves := reference.successors(after)):
            return float(abs(reference.winner(after)))
        return -max(worth(b, left - 1) for b in moves.values()) if left > 1 else leaf(after)

    return {move: worth(after, depth) for move, after in reference.successors(board).items()}


# ---------------------------------------------------------------------------- tie rules


@pytest.mark.parametrize(
    ("scores", "uniform", "first"),
    [
        ([1, 2, 2], [0, 1, 1], [0, 1, 0]),
        ([-INF, -5, -INF], [0, 1, 0], [0, 1, 0]),
        ([0, 0, -INF], [1, 1, 0], [1, 0, 0]),
        ([1, 1 - 0.9e-9, 1 - 1.1e-9], [1, 1, 0], [1, 0, 0]),
        ([1 - 0.9e-9, 1, 0], [1, 1, 0], [1, 0, 0]),
        ([-1, -1 - 0.9e-9, -1 - 1.1e-9], [1, 1, 0], [1, 0, 0]),
        ([1e6, 1e6 - 0.9e-3, 1e6 - 1.1e-3], [1, 1, 0], [1, 0, 0]),
        ([1e-6, 0.9e-6, 0], [1, 0, 0], [1, 0, 0]),
    ],
)
def test_best_moves(scores: list[float], uniform: list[int], first: list[int]) -> None:
    assert best_moves(np.array([scores])).tolist() == [uniform]
    assert best_moves(np.array([scores]), "first").tolist() == [first]


def test_a_row_of_illegal_moves_is_a_finished_game() -> None:
    with pytest.raises(ValueError, match="finished game"):
        best_moves(np.array([[0.0, 1.0], [-INF, -INF]]))


@pytest.mark.parametrize("odd", [np.nan, INF])
def test_scores_must_be_numbers(odd: float) -> None:
    with pytest.raises(ValueError, match="score"):
        best_moves(np.array([[0.0, odd, -INF]]))


def test_unknown_tie_rule() -> None:
    with pytest.raises(ValueError, match="'last': uniform or first"):
        best_moves(np.array([[0.0]]), "last")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'last': uniform, first or quick"):
        agents.minimax(Grid(3), "last")


# ---------------------------------------------------------------------------- choosing


def stating(*chances: list[float]) -> Agent:
    """An agent whose policy is these rows, whatever the states."""
    return Agent(
        "fixed", Grid(3), lambda states, rng: np.resize(chances, (len(states), len(chances[0])))
    )


def test_choose_draws_moves_as_often_as_their_chances_say() -> None:
    from scipy.stats import chisquare

    chances, n = [0.0, 0.1, 0.0, 0.6, 0.3, 0.0], 30_000
    moves = agents.choose(
        stating(chances), np.zeros((1, 9)).repeat(n, axis=0), np.random.default_rng(1)
    )
    counts = np.bincount(moves, minlength=6)
    assert counts[[0, 2, 5]].tolist() == [0, 0, 0]
    assert chisquare(counts[[1, 3, 4]], n * np.array([0.1, 0.6, 0.3])).pvalue > 1e-4


@pytest.mark.parametrize("draw", [0.0, 0.5, 1 - 2**-53])
@pytest.mark.parametrize("total", [1.0, 1 - 2**-53, 1 + 2**-52, 0.7])
def test_choose_never_takes_a_move_without_a_chance(draw: float, total: float) -> None:
    """At either end of the generator's range, and where a row's sum is rounded."""
    rng = SimpleNamespace(random=lambda shape: np.full(shape, draw))
    rows = [0.0, total / 2, 0.0, total / 2, 0.0]
    [move] = agents.choose(stating(rows), np.zeros((1, 9)), rng)  # type: ignore[arg-type]
    assert move == (1 if draw < 0.5 else 3)


# ---------------------------------------------------------------------------- making agents


def test_an_agent_is_a_value() -> None:
    with pytest.raises(FrozenInstanceError):
        agents.random_agent(Grid(3)).name = "another"  # type: ignore[misc]


def test_a_policy_is_its_weights_over_their_sum() -> None:
    states = np.stack([parse(".........", Grid(3)), parse("xo.......", Grid(3))])
    weights = np.array([[1, 2, 0, 0, 1, 0, 0, 0, 0], [0, 0, 3, 0, 0, 0, 0, 0, 9]])
    agent = agents.from_weights("fixed", Grid(3), lambda _: weights)
    assert agent.policy(states, np.random.default_rng(0)).tolist() == [
        [0.25, 0.5, 0, 0, 0.25, 0, 0, 0, 0], [0, 0, 0.25, 0, 0, 0, 0, 0, 0.75]
    ]  # fmt: skip
    assert agent.weights is not None
    assert agent.weights(states) is weights
    assert not agent.symmetric
    assert agent.side_by_side


def test_a_chosen_move_has_chance_one() -> None:
    agent = agents.from_moves("last", Grid(3), lambda states, rng: np.array([8, 2]))
    states, rng = np.zeros((2, 9), dtype=np.int8), np.random.default_rng(0)
    assert agent.policy(states, rng).tolist() == [[0.0] * 8 + [1.0], [0, 0, 1.0] + [0.0] * 6]
    assert agents.choose(agent, states, rng).tolist() == [8, 2]
    assert not agent.deterministic
    assert not agent.side_by_side
    assert agents.from_moves(
        "", Grid(3), lambda states, rng: states, deterministic=True
    ).deterministic


def test_what_is_visited_most_is_played_if_it_is_legal() -> None:
    looks = np.array([[9.0, 2, 5, 5, 0, 0, 0, 0, 0]])
    agent = agents.from_visits("visits", Grid(3), lambda states, rng: looks)
    state = parse("x........", Grid(3))[None]
    assert agent.policy(state, np.random.default_rng(0)).tolist() == [[0, 0, 1.0] + [0.0] * 6]


def test_the_first_free_cell_and_any_free_cell(tree: GameTree) -> None:
    open_ones = tree.boards[~tree.finished]
    legal = tree.grid.legal(open_ones)
    random, first = agents.random_agent(tree.grid), agents.first_free(tree.grid)
    assert random.weights is not None
    assert first.weights is not None
    assert (random.weights(open_ones) == legal).all()
    assert random.symmetric
    assert (first.weights(open_ones).argmax(axis=1) == legal.argmax(axis=1)).all()
    assert (first.weights(open_ones).sum(axis=1) == 1).all()
    with pytest.raises(ValueError, match="finished game"):
        random.weights(parse("xxxoo....", tree.grid)[None])


# ---------------------------------------------------------------------------- look-ahead


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_scores_are_those_of_plain_negamax(tree: GameTree, depth: int) -> None:
    def leaf(after: Cells) -> float:
        return float(hashed(np.array([after], dtype=np.int8))[0])

    rows = np.flatnonzero(~tree.finished)[:: 1 if depth < 3 else 40]
    scores = agents.move_scores(tree.grid, hashed, depth)(tree.boards[rows])
    for board, found in zip(tree.boards[rows].tolist(), scores, strict=True):
        expected = plain_lookahead(tuple(board), depth, leaf)
        legal = {move: score for move, score in enumerate(found.tolist()) if score > -INF}
        assert legal == pytest.approx(expected, abs=1e-12)


def test_finished_games_can_be_left_to_the_evaluator(tree: GameTree) -> None:
    board = parse("xx.oo....", tree.grid)[None]
    ends = agents.move_scores(tree.grid, hashed)(board)
    asked = agents.move_scores(tree.grid, hashed, ends=False)(board)
    assert ends[0, 2] == 1.0
    assert asked[0, 2] == hashed(parse("xxxoo....", tree.grid)[None])[0]
    assert (np.delete(ends, 2) == np.delete(asked, 2)).all()


def test_each_board_is_valued_once(tree: GameTree) -> None:
    seen: list[list[int]] = []

    def counting(after: Boards) -> np.ndarray:
        seen.extend(after.tolist())
        return hashed(after)

    agents.move_scores(tree.grid, counting)(tree.boards[tree.layer(3)])
    assert len(seen) == len({tuple(board) for board in seen}) == len(tree.boards[tree.layer(4)])


@pytest.mark.parametrize("depth", [0, -1])
def test_depth_must_be_positive(depth: int) -> None:
    with pytest.raises(ValueError, match="depth >= 1"):
        agents.move_scores(Grid(3), hashed, depth)
    with pytest.raises(ValueError, match="depth >= 1"):
        agents.lookahead(Grid(3), depth)


def test_looking_ahead_to_the_end_is_minimax(tree: GameTree) -> None:
    deep = policy_table(agents.lookahead(tree.grid, 9), tree)
    assert (deep == policy_table(agents.minimax(tree.grid), tree)).all()
    shallow = policy_table(agents.lookahead(tree.grid, 5), tree)
    assert (shallow != deep).any()


def test_lookahead_of_one_ply_wins_but_does_not_block() -> None:
    weights = agents.lookahead(Grid(3), 1).weights
    assert weights is not None
    boards = np.stack([parse(text, Grid(3)) for text in ("xx.oo....", "oo.xx.x..", "xx.o.....")])
    assert weights(boards).tolist() == [
        [0, 0, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 1, 0, 1, 1, 1, 1, 1],
    ]


# ---------------------------------------------------------------------------- perfect play


def test_minimax_plays_exactly_the_best_moves(tree: GameTree) -> None:
    uniform = policy_table(agents.minimax(tree.grid), tree)
    side = np.where(tree.ply % 2 == 0, 1, -1)
    worth = np.where(tree.legal, side[:, None] * tree.value[tree.children], -2)
    best = tree.legal & (worth == (side * tree.value)[:, None])
    assert (uniform == best).all()
    first = policy_table(agents.minimax(tree.grid, "first"), tree)
    assert (first[~tree.finished].argmax(axis=1) == best[~tree.finished].argmax(axis=1)).all()
    assert (first.sum(axis=1) == ~tree.finished).all()


def test_quick_minimax_wins_soonest_and_loses_latest(tree: GameTree) -> None:
    quick = policy_table(agents.minimax(tree.grid, "quick"), tree)
    state, move = np.nonzero(quick)
    after = tree.children[state, move]
    assert (tree.value[after] == tree.value[state]).all()
    decided = tree.value[state] != 0
    assert (tree.distance[after] == tree.distance[state] - 1)[decided].all()
    slow = policy_table(agents.minimax(tree.grid), tree)
    assert (quick <= slow).all()
    assert (quick < slow).any()


def test_minimax_needs_an_enumerable_board() -> None:
    with pytest.raises(ValueError, match="too large to enumerate"):
        agents.minimax(Grid(3, 3))


# ---------------------------------------------------------------------------- safety rule


@given(grid_and_board(), st.sampled_from((1, -1)))
def test_winning_cells_are_those_that_fill_a_line(case: tuple[Grid, Boards], side: int) -> None:
    grid, board = case
    lines = plain_lines(grid.n, grid.d)
    expected = [
        cell == 0
        and any(at in line and all(board[0][i] == side for i in line - {at}) for line in lines)
        for at, cell in enumerate(board[0].tolist())
    ]
    sides = np.array([side], dtype=np.int8)
    assert agents.winning_cells(grid, board, sides)[0].tolist() == expected


def last_move(grid: Grid) -> Agent:
    """Plays the highest index: an agent that no rule of this room would imitate."""

    def weights(boards: Boards) -> np.ndarray:
        return best_moves(np.where(grid.legal(boards), np.arange(grid.cells), -INF))

    return agents.from_weights("last", grid, weights)


@pytest.mark.parametrize(
    ("board", "move"),
    [
        ("xx.oo....", 2),  # wins
        ("xx.oo.x..", 5),  # O wins rather than blocks
        ("xx.o.....", 2),  # O blocks
        ("x.x.o.xo.", 1),  # O wins below its own column, and blocks
        ("x.xoo.x..", 5),
        ("xoxo.o.x.", 4),  # two reasons for one cell
        ("x........", 8),  # nothing urgent: asks
        ("x...o...x", 7),
    ],
)
def test_safety_rule(board: str, move: int) -> None:
    weights = agents.safety(last_move(Grid(3))).weights
    assert weights is not None
    assert np.flatnonzero(weights(parse(board, Grid(3))[None])[0]).tolist() == [move]


def test_safety_rule_takes_the_lowest_of_several(tree: GameTree) -> None:
    weights = policy_table(agents.safety(last_move(tree.grid)), tree)
    for state in np.flatnonzero(~tree.finished):
        board = tuple(tree.boards[state].tolist())
        side = 1 - 2 * sum(board)
        moves = sorted(reference.successors(board))
        wins = [m for m in moves if reference.winner(reference.successors(board)[m])]
        blocks = [m for m in moves if reference.winner((*board[:m], -side, *board[m + 1 :]))]
        expected = (wins or blocks or moves[-1:])[0]
        assert np.flatnonzero(weights[state]).tolist() == [expected]


def test_safety_around_an_agent_without_weights() -> None:
    fixed = Agent("fixed", Grid(3), lambda boards, rng: np.full(boards.shape, 1 / 9))
    safe = agents.safety(fixed)
    assert safe.weights is None
    boards = np.stack([parse(text, Grid(3)) for text in ("xx.oo....", ".........")])
    chances = safe.policy(boards, np.random.default_rng(0))
    assert chances[0].tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    assert chances[1] == pytest.approx(np.full(9, 1 / 9))


# ---------------------------------------------------------------------------- search


@pytest.mark.parametrize(
    ("iterations", "c", "message"),
    [(0, 1.0, "iterations"), (-5, 1.0, "iterations"), (10**30, 1.0, "iterations"),
     (5, -0.1, "constant c"), (5, np.nan, "constant c"), (5, INF, "constant c")],
)  # fmt: skip
def test_bad_settings_of_a_search(iterations: int, c: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        agents.uct(Grid(3), iterations, c)
