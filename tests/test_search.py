"""Playouts against exact chances; a search that knows whose result it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare
from strategies import plain_lines

from ttt_lib.game import policy as agents
from ttt_lib.game import search as mcts
from ttt_lib.game import search_kernels as kernels
from ttt_lib.game.board import Boards, Grid, parse
from ttt_lib.game.exact import float_values, policy_table
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.match import match
from ttt_lib.game.policy import winning_cells
from ttt_lib.game.stats import wilson
from ttt_lib.spectral.alternatives import wrong_sign_search, wrong_sign_uct

GRID = Grid(3)
C = 1.414

Search = Callable[..., mcts.SearchResult]


def visits(grid: Grid, boards: Boards, iterations: int, search: Search = mcts.search) -> np.ndarray:
    return search(grid, boards, iterations, C, rng=7).visits


def playout_table(tree: GameTree, chances: np.ndarray) -> np.ndarray:
    steps = np.zeros((3**9, 9))
    steps[tree.codes] = chances.cumsum(axis=1)
    return steps


@pytest.fixture(scope="module")
def crooked(tree: GameTree) -> np.ndarray:
    """Chances far from uniform on every state: later cells are likelier, some are never chosen."""
    raw = np.where(tree.legal, (np.arange(9) + tree.ply[:, None]) % 4, 0)
    raw = np.where(raw.any(axis=1, keepdims=True), raw, tree.legal).astype(float)
    return np.asarray(raw / np.maximum(raw.sum(axis=1, keepdims=True), 1))


# ---------------------------------------------------------------------------- playouts


def test_playouts_follow_the_exact_chances(tree: GameTree) -> None:
    n = 200_000
    counts = mcts.playouts(GRID, n, rng=1)
    assert counts.sum() == n
    assert chisquare(counts, n * tree.random_play[0] / tree.random_play[0].sum()).pvalue > 1e-3


def test_boards_whose_result_is_certain() -> None:
    """On 2x2 X always wins; on a line of three nobody can unless all are X's, which none can."""
    assert mcts.playouts(Grid(2), 1000, rng=1).tolist() == [1000, 0, 0]
    assert mcts.playouts(Grid(3, 1), 1000, rng=1).tolist() == [0, 1000, 0]


@pytest.mark.parametrize("grid", [Grid(4), Grid(3, 3)], ids=lambda grid: grid.name)
def test_playouts_agree_with_games_between_random_agents(grid: Grid) -> None:
    """Two implementations of the rules, one compiled: the same shares within 99.9%."""
    n = 4000
    player = agents.random_agent(grid)
    slow = match(player, player, n, rng=2, sides="first")
    fast = mcts.playouts(grid, 100 * n, rng=3) / (100 * n)
    for share, count in zip(fast, (slow.win, slow.draw, slow.loss), strict=True):
        low, high = wilson(count, n, 0.999)
        assert low <= share <= high


def test_playouts_repeat_with_their_seed() -> None:
    first = mcts.playouts(GRID, 5000, rng=4).tolist()
    assert mcts.playouts(GRID, 5000, rng=np.random.default_rng(4)).tolist() == first
    assert mcts.playouts(GRID, 5000, rng=5).tolist() != first
    assert mcts.playouts(GRID, 0, rng=4).tolist() == [0, 0, 0]


def test_negative_playouts() -> None:
    with pytest.raises(ValueError, match="negative: -1"):
        mcts.playouts(GRID, -1)


@pytest.mark.parametrize("games", [1.5, np.nan, np.inf])
def test_playouts_are_whole(games: float) -> None:
    with pytest.raises(ValueError, match=f"whole and not negative: {games}"):
        mcts.playouts(GRID, games)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=f"1 or more playouts, a whole number, not {games}"):
        mcts.pure_monte_carlo(GRID, GRID.initial(), games, rng=0)  # type: ignore[arg-type]


# ---------------------------------------------------------------------------- Pure Monte Carlo


def exact_means(tree: GameTree, chances: np.ndarray, state: int) -> np.ndarray:
    """Exact expected result of every move for the side to move, then play by the table."""
    values = float_values(tree, chances, chances)
    side = 1 if tree.ply[state] % 2 == 0 else -1
    after = tree.children[state]
    return np.asarray(
        np.where(tree.legal[state], side * (values[after, 0] - values[after, 2]), -np.inf)
    )


@pytest.mark.parametrize("board", [".........", "x........", "xo..x....", "xxoo....."])
@pytest.mark.parametrize("uniform", [True, False])
def test_means_are_near_exact(
    tree: GameTree, crooked: np.ndarray, board: str, uniform: bool
) -> None:
    """Within 4.5 standard errors (at most 1 / sqrt(games)) of the exact means."""
    games = 40_000
    state = int(tree.index(parse(board, GRID)[None])[0])
    flat = tree.legal / np.maximum(tree.legal.sum(axis=1, keepdims=True), 1)
    policy = None if uniform else playout_table(tree, crooked)
    found = mcts.pure_monte_carlo(GRID, tree.boards[[state]], games, rng=8, policy=policy)[0]
    expected = exact_means(tree, flat if uniform else crooked, state)
    other = exact_means(tree, crooked if uniform else flat, state)
    legal = tree.legal[state]
    assert np.isneginf(found[~legal]).all()
    assert np.abs(found[legal] - expected[legal]).max() < 4.5 / np.sqrt(games)
    assert np.abs(found[legal] - other[legal]).max() > 4.5 / np.sqrt(games)


def test_playouts_of_a_finished_game_are_its_result(tree: GameTree) -> None:
    board = parse("xx.oo....", GRID)[None]
    assert mcts.pure_monte_carlo(GRID, board, 3, rng=0)[0, 2] == 1.0
    over = parse("xxxoo....", GRID)[None]
    assert np.isneginf(mcts.pure_monte_carlo(GRID, over, 3, rng=0)).all()


@pytest.mark.parametrize("games", [0, -1])
def test_pure_monte_carlo_needs_a_playout(games: int) -> None:
    with pytest.raises(ValueError, match="1 or more playouts, a whole number"):
        mcts.pure_monte_carlo(GRID, GRID.initial(), games, rng=0)


def test_playout_table_must_fit_the_board(tree: GameTree, crooked: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"shape \(19683, 9\), not \(5478, 9\)"):
        mcts.pure_monte_carlo(GRID, GRID.initial(), 1, rng=0, policy=crooked)
    with pytest.raises(ValueError, match=r"shape \(81, 4\)"):
        mcts.search(Grid(2), Grid(2).initial(), 1, C, rng=0, policy=playout_table(tree, crooked))


# ---------------------------------------------------------------------------- the search


@pytest.mark.parametrize("grid", [Grid(2), GRID, Grid(4), Grid(3, 3)], ids=lambda grid: grid.name)
@pytest.mark.parametrize("iterations", [1, 2, 50, 777])
def test_visits_sum_to_iterations(grid: Grid, iterations: int) -> None:
    boards = grid.play(grid.initial(2), np.array([0, 1]))
    found = mcts.search(grid, boards, iterations, C, rng=1)
    assert found.visits.sum(axis=1).tolist() == [iterations] * 2
    assert not found.visits[~grid.legal(boards)].any()
    assert (np.isnan(found.values) == (found.visits == 0)).all()
    assert (np.abs(found.values[found.visits > 0]) <= 1).all()


def test_a_search_to_the_end_finds_the_minimax_value(tree: GameTree) -> None:
    """From every state with at most four empty cells, the favourite is a best move."""
    states = np.flatnonzero((tree.ply >= 5) & ~tree.finished)
    best = policy_table(agents.minimax(GRID), tree)[states]
    chosen = visits(GRID, tree.boards[states], 1500).argmax(axis=1)
    assert best[np.arange(len(states)), chosen].all()


def test_values_are_from_the_side_to_move() -> None:
    for board, sign in (("xx.oo....", 1), ("xx.oo.x..", 1), ("xx.o.....", -1)):
        values = mcts.search(GRID, parse(board, GRID)[None], 3000, C, rng=1).values[0]
        assert sign * values[np.isfinite(values)].max() > 0.3


def urgent_states(tree: GameTree, side: int) -> tuple[np.ndarray, np.ndarray]:
    """Running states where ``side`` times the mover completes a line somewhere, and where."""
    running = np.flatnonzero(~tree.finished)
    boards = tree.boards[running]
    cells = winning_cells(GRID, boards, (side * GRID.to_move(boards)).astype(np.int8))
    return running[cells.any(axis=1)], cells[cells.any(axis=1)]


def share_urgent(tree: GameTree, side: int, iterations: int, search: Search = mcts.search) -> float:
    """Share of states where the move that wins, or the only one that saves the game, is played."""
    states, cells = urgent_states(tree, side)
    if side == -1:
        mover = 1 - 2 * (tree.ply[states] % 2)
        after = mover[:, None] * tree.value[tree.children[states]]
        worth = np.where(tree.legal[states], after, -1)
        saved = (tree.value[states] == 0) & ((worth > -1).sum(axis=1) == 1)
        states, cells = (
            states[saved & (tree.ply[states] < 8)],
            cells[saved & (tree.ply[states] < 8)],
        )
    chosen = visits(GRID, tree.boards[states], iterations, search).argmax(axis=1)
    return float(cells[np.arange(len(states)), chosen].mean())


def test_takes_every_win_in_one(tree: GameTree) -> None:
    """On all states of both players; it may prefer another move that wins as surely, but later."""
    states, cells = urgent_states(tree, 1)
    assert len(states) > 2000
    assert set(GRID.to_move(tree.boards[states]).tolist()) == {1, -1}
    values = tree.value[tree.children[states]] * (1 - 2 * (tree.ply[states] % 2))[:, None]
    chosen = visits(GRID, tree.boards[states], 800).argmax(axis=1)
    rows = np.arange(len(states))
    assert (values[rows, chosen] == 1).all()
    assert cells[rows, chosen].mean() > 0.9
    only = (values == 1).sum(axis=1, where=tree.legal[states]) == 1
    assert only.sum() > 400
    assert cells[rows, chosen][only].all()


def test_blocks_every_loss_in_one(tree: GameTree) -> None:
    assert share_urgent(tree, -1, 800) == 1.0


def test_the_wrong_sign_is_noticed(tree: GameTree) -> None:
    """The same questions to a search that credits results to the wrong player."""
    assert share_urgent(tree, 1, 300, wrong_sign_search()) < 0.2
    assert share_urgent(tree, -1, 300, wrong_sign_search()) < 0.2


@pytest.mark.parametrize("grid", [Grid(4), Grid(3, 3)], ids=lambda grid: grid.name)
@pytest.mark.parametrize("mine", [True, False], ids=["win", "block"])
@pytest.mark.parametrize("starts", [True, False], ids=["x", "o"])
def test_win_and_block_on_larger_boards(grid: Grid, mine: bool, starts: bool) -> None:
    """Every line in turn, all of one player's but one cell; the others' stones stand apart."""
    boards, cells = zip(
        *(nearly(grid, set(line), mine, starts) for line in plain(grid)), strict=True
    )
    chosen = visits(grid, np.stack(boards), 3000).argmax(axis=1)
    assert chosen.tolist() == list(cells)


def plain(grid: Grid) -> list[list[int]]:
    return sorted(sorted(line) for line in plain_lines(grid.n, grid.d))[:: 1 if grid.d < 3 else 6]


def nearly(grid: Grid, line: set[int], mine: bool, starts: bool) -> tuple[np.ndarray, int]:
    """A board where one player lacks the last cell of a line and nobody another; and that cell."""
    open_cell = max(line)
    owner = (1 if starts else -1) * (1 if mine else -1)
    owned = grid.n - 1
    mover = 1 if starts else -1
    # X to move: as many stones each; O to move: X has one more.
    others = owned if mover == 1 else owned - owner
    rng = np.random.default_rng(sum(line))
    while True:
        board = np.zeros(grid.cells, dtype=np.int8)
        board[sorted(line - {open_cell})] = owner
        free = [cell for cell in range(grid.cells) if cell not in line]
        board[rng.choice(free, others, replace=False)] = -owner
        both = [winning_cells(grid, board[None], np.array([s], dtype=np.int8))[0] for s in (1, -1)]
        if (both[0] | both[1]).sum() == 1:
            assert grid.to_move(board[None])[0] == mover
            return board, open_cell


@pytest.mark.parametrize("grid", [GRID, Grid(4)], ids=lambda grid: grid.name)
def test_beats_random_on_both_sides(grid: Grid) -> None:
    search, random = agents.uct(grid, 150), agents.random_agent(grid)
    n = 200
    begins = match(search, random, n, rng=1, sides="first")
    answers = match(random, search, n, rng=2, sides="first")
    assert begins.score > 0.9
    assert answers.score < 0.2
    assert wilson(begins.win, n).low > wilson(begins.loss, n).high + 0.6
    assert wilson(answers.loss, n).low > wilson(answers.win, n).high + 0.3


def test_wrong_sign_loses_to_random() -> None:
    result = match(wrong_sign_uct(GRID, 150, C), agents.random_agent(GRID), 200, rng=1)
    assert result.score < 0.25


def test_playouts_by_a_table_change_the_search(tree: GameTree) -> None:
    """Told that O always answers badly, X's opening is worth more."""
    quick = policy_table(agents.minimax(GRID, "quick"), tree).astype(float)
    chances = np.where((tree.ply % 2 == 0)[:, None], quick, tree.legal)
    chances /= np.maximum(chances.sum(axis=1, keepdims=True), 1)
    policy = playout_table(tree, chances)
    [first] = mcts.search(GRID, GRID.initial(), 1, C, rng=1, policy=policy).values
    assert np.nanmax(first) in (-1, 0, 1)
    found = mcts.pure_monte_carlo(GRID, GRID.initial(), 20_000, rng=1, policy=policy)[0]
    after = tree.children[0]
    values = float_values(tree, chances, chances)[after]
    assert found == pytest.approx(values[:, 0] - values[:, 2], abs=4.5 / np.sqrt(20_000))
    told, untold = (
        mcts.search(GRID, GRID.initial(), 5000, C, rng=1, policy=table).values[0].mean()
        for table in (policy, None)
    )
    assert told > untold + 0.2


def test_search_repeats_with_its_seed() -> None:
    boards = GRID.initial(3)
    first = visits(GRID, boards, 100)
    assert (visits(GRID, boards, 100) == first).all()
    assert (first[0] != first[1]).any()


@pytest.mark.parametrize("dtype", [">i2", np.int64, np.float64, object])
def test_boards_of_any_signed_dtype_are_searched_alike(dtype: Any) -> None:
    boards = parse("x...o....", GRID)[None]
    expected = mcts.search(GRID, boards, 20, C, rng=1).visits
    assert (mcts.search(GRID, boards.astype(dtype), 20.0, C, rng=1).visits == expected).all()
    means = mcts.pure_monte_carlo(GRID, boards, 20, rng=1)
    assert (mcts.pure_monte_carlo(GRID, boards.astype(dtype), 20, rng=1) == means).all()


def test_search_does_not_change_its_boards() -> None:
    boards = np.stack([parse(text, GRID) for text in ("x........", "xx.oo....")])
    before = boards.copy()
    visits(GRID, boards, 50)
    assert (boards == before).all()


@pytest.mark.parametrize("board", ["xxxoo....", "xoxxoxoxo"])
def test_a_finished_game_has_nothing_to_search(board: str) -> None:
    boards = np.stack([parse(".........", GRID), parse(board, GRID)])
    with pytest.raises(ValueError, match="finished game"):
        visits(GRID, boards, 10)


@pytest.mark.parametrize(
    ("iterations", "c"),
    [
        (0, C),
        (-1, C),
        (2.5, C),
        (np.nan, C),
        (mcts.MAX_NODES // 9 + 1, C),
        (10, np.nan),
        (10, np.inf),
        (10, -1.0),
    ],
)
def test_bad_settings_are_refused_before_any_memory_is_taken(iterations: float, c: float) -> None:
    with pytest.raises(ValueError, match=r"iterations|constant c"):
        mcts.search(GRID, GRID.initial(), iterations, c, rng=0)


# ---------------------------------------------------------------------------- one step


def tree_of(visits: Sequence[float], means: Sequence[float]) -> kernels._Tree:
    """An expanded root whose children have so many visits and such means."""
    tree = kernels._new_tree(len(visits) + 1)
    tree.first[0], tree.size[0], tree.visits[0] = 1, len(visits), sum(visits)
    tree.visits[1:], tree.sums[1:] = visits, np.multiply(visits, means)
    return tree


@pytest.mark.parametrize(("mean", "chosen"), [(-0.57, 1), (-0.55, 2)])
def test_the_largest_upper_confidence_bound_is_descended_to(mean: float, chosen: int) -> None:
    """UCB1 with the logarithm of the parent's visits, 11, not of one more or fewer."""
    tree, state = tree_of([10, 1], [0.5, mean]), np.array([1], np.uint64)
    bounds = [0.5 + np.sqrt(np.log(11) / 10), mean + np.sqrt(np.log(11))]
    assert kernels._select(tree, 0, 1.0, state) == chosen == 1 + np.argmax(bounds)


def test_an_untried_move_comes_first_and_each_is_as_likely() -> None:
    tree, state = tree_of([0, 5, 0, 0], [0, 1, 0, 0]), np.array([7], np.uint64)
    chosen = Counter(int(kernels._select(tree, 0, 1.0, state)) for _ in range(3000))
    assert set(chosen) == {1, 3, 4}
    assert chisquare(list(chosen.values())).pvalue > 1e-4
