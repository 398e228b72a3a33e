"""Random playouts, Pure Monte Carlo and UCT on n^d boards, compiled.

Search = select, expand, play out, back up (Kocsis and Szepesvari, 2006), over a
tree in flat arrays.  Values are kept for the player who made the move into a
node, so that selection always takes the largest: the sign is the classic
accident of two-player search, and the tests look for it.

All kernels of this file share one state: the cells, and per line and player the
number of stones on it, so that a move is checked for a win in as many steps as
lines pass through its cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.board import Boards, Grid

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Lines(NamedTuple):
    """The lines through every cell, as the kernels read them.

    Attributes
    ----------
    of_cell : ndarray of int64, shape (cells, most)
        Padded with ``total``: a line that never fills, so that the kernels need no branch.
    length : int
        Stones that complete a line.
    total : int
        Number of lines.
    """

    of_cell: NDArray[np.int64]
    length: int
    total: int


NEVER = 1 << 40
"""More stones than any line can hold."""

MAX_NODES = 100_000_000
"""Room for the nodes of one search, about 4 GB; iterations times cells may not pass it."""

PlayoutTable = Floats
"""A playout policy on a small board: the cumulated chances of the moves, float64 of shape
(3**cells, cells), by ``Grid.codes``."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found out about the moves at the root of each board.

    Attributes
    ----------
    visits : ndarray of float64, shape (B, cells)
    values : ndarray of float64, shape (B, cells)
        Mean result for the side to move, nan where never tried.
    """

    visits: Floats
    values: Floats


@cache
def lines_of(grid: Grid) -> Lines:
    """The line tables of a grid."""
    through = grid.lines_through
    of_cell = np.full((grid.cells, max(map(len, through))), len(grid.lines), dtype=np.int64)
    for cell, lines in enumerate(through):
        of_cell[cell, : len(lines)] = lines
    return Lines(of_cell, grid.n, len(grid.lines))


def playouts(grid: Grid, games: int, *, rng: np.random.Generator | int = 0) -> Ints:
    """Play uniformly random games from the empty board.

    Returns
    -------
    ndarray of int64, shape (3,)
        X wins, draws, O wins.

    Raises
    ------
    ValueError
        If games < 0.
    """
    if games < 0:
        raise ValueError(f"the number of games can't be negative: {games}")
    board = grid.initial()[0]
    return np.asarray(_playouts(board, games, *lines_of(grid), None, _seed(rng)))


def search(
    grid: Grid,
    boards: Boards,
    iterations: int,
    c: float,
    *,
    rng: np.random.Generator | int,
    policy: PlayoutTable | None = None,
    sign: int = 1,
) -> SearchResult:
    """Run UCT on each board, which must be running games.

    Parameters
    ----------
    iterations : int
        Playouts per board.
    c : float
        Exploration constant: a child is worth its mean plus c sqrt(ln N / n).
    policy : PlayoutTable, optional
        How playouts choose moves; uniform unless given.
    sign : int
        1; with -1 results are credited to the wrong player, an exhibit.

    Raises
    ------
    ValueError
        If a game is finished, the playout table is for another board, or as
        :func:`check_search`.
    """
    check_search(grid, iterations, c)
    _check_table(grid, policy)
    if grid.finished(boards).any():
        raise ValueError("a finished game has no move to choose")
    rng = np.random.default_rng(rng)
    found = np.zeros((len(boards), 2, grid.cells))
    for board, out in zip(boards, found, strict=True):
        _uct(board, iterations, c, sign, *lines_of(grid), policy, _seed(rng), out)
    visits, sums = found.swapaxes(0, 1)
    values = np.divide(sums, visits, out=np.full_like(sums, np.nan), where=visits > 0)
    return SearchResult(visits, values)


def pure_monte_carlo(
    grid: Grid,
    boards: Boards,
    games: int,
    *,
    rng: np.random.Generator | int,
    policy: PlayoutTable | None = None,
) -> Floats:
    """Mean playout result of every legal move for the side to move, shape (B, cells).

    Parameters
    ----------
    games : int
        Playouts per move.

    Returns
    -------
    ndarray of float64
        -inf where a move is not legal.

    Raises
    ------
    ValueError
        If games < 1, or the playout table is for another board.
    """
    if games < 1:
        raise ValueError(f"Pure Monte Carlo needs at least 1 playout a move, not {games}")
    _check_table(grid, policy)
    rng = np.random.default_rng(rng)
    state, move = np.nonzero(grid.legal(boards))
    after = grid.play(boards[state], move)
    means = np.full(boards.shape, -np.inf)
    for row, cell, board in zip(state, move, after, strict=True):
        counts = _playouts(board, games, *lines_of(grid), policy, _seed(rng))
        mover = -int(grid.to_move(board[None])[0])
        means[row, cell] = mover * (counts[0] - counts[2]) / games
    return means


def check_search(grid: Grid, iterations: int, c: float) -> None:
    """Check the settings of a search, before it reserves its memory.

    Raises
    ------
    ValueError
        If iterations < 1 or the tree would pass ``MAX_NODES``, or c is not a finite number >= 0.
    """
    most = MAX_NODES // grid.cells
    if not 1 <= iterations <= most:
        raise ValueError(f"a search on {grid.name} needs 1 to {most} iterations, not {iterations}")
    if not (np.isfinite(c) and c >= 0):
        raise ValueError(f"the exploration constant c must be a finite number >= 0, not {c}")


def _check_table(grid: Grid, policy: PlayoutTable | None) -> None:
    if policy is not None and policy.shape != (3**grid.cells, grid.cells):
        raise ValueError(
            f"a playout table on {grid.name} has shape {(3**grid.cells, grid.cells)}, "
            f"not {policy.shape}"
        )


def _seed(rng: np.random.Generator | int) -> NDArray[np.uint64]:
    """State of the kernels' own generator (xorshift64*), drawn from a numpy one."""
    return np.random.default_rng(rng).integers(1, 2**63, size=1, dtype=np.uint64)


@njit(cache=True, inline="always")
def _advance(bits):  # type: ignore[no-untyped-def]
    """The next state of xorshift64*."""
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    return bits ^ (bits >> np.uint64(27))


@njit(cache=True, inline="always")
def _below(bits, limit):  # type: ignore[no-untyped-def]
    """A uniform integer in 0..limit-1 from a state; limit < 2**31."""
    high = (bits * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)
    return (np.int64(high) * limit) >> 32


@njit(cache=True, inline="always")
def _random(state, limit):  # type: ignore[no-untyped-def]
    """Advance the generator and draw a uniform integer in 0..limit-1."""
    state[0] = _advance(state[0])
    return _below(state[0], limit)


@njit(cache=True, inline="always")
def _place(cell, side, board, stones, of_cell, length):  # type: ignore[no-untyped-def]
    """Put a stone of side 0 (X) or 1 (O); True if it completes a line."""
    board[cell] = 1 + side
    won = False
    for i in range(of_cell.shape[1]):
        line = of_cell[cell, i]
        stones[side, line] += 1
        won |= stones[side, line] == length
    return won


@njit(cache=True, inline="always")
def _load(root, board, stones, of_cell, empties):  # type: ignore[no-untyped-def]
    """Copy a root board of +1, -1 and 0; returns the side to move (0 or 1) and the empty cells."""
    stones[:] = 0
    stones[0, -1] = stones[1, -1] = -NEVER
    free = 0
    for cell in range(len(root)):
        board[cell] = 0
        if root[cell] == 0:
            empties[free] = cell
            free += 1
        else:
            _place(cell, 0 if root[cell] > 0 else 1, board, stones, of_cell, NEVER)
    return (len(root) - free) & 1, free


@njit(cache=True)
def _pick_by_table(board, empties, free, steps, state):  # type: ignore[no-untyped-def]
    """Index into ``empties`` of a move drawn from a playout table."""
    code = 0
    for cell in range(len(board)):
        code = 3 * code + board[cell]
    draw = _random(state, 1 << 30) * steps[code, -1] / 2.0**30
    for place in range(free):
        cell = empties[place]
        below = steps[code, cell - 1] if cell > 0 else 0.0
        if below <= draw < steps[code, cell]:
            return place
    return 0


@njit(cache=True)
def _finish_by_table(side, free, board, stones, empties, of_cell, length, steps, state):  # type: ignore[no-untyped-def]
    """Play a running game to its end by a playout table; returns +1 (X), -1 (O) or 0."""
    while free > 0:
        place = _pick_by_table(board, empties, free, steps, state)
        cell = empties[place]
        free -= 1
        empties[place] = empties[free]
        if _place(cell, side, board, stones, of_cell, length):
            return 1 - 2 * side
        side = 1 - side
    return 0


@njit(cache=True, inline="always")
def _finish(side, free, board, stones, empties, of_cell, length, steps, state):  # type: ignore[no-untyped-def]
    """Play a running game to its end, uniformly unless there is a table."""
    if steps is not None:
        return _finish_by_table(side, free, board, stones, empties, of_cell, length, steps, state)
    # The generator's state stays in a register here: this is the innermost loop of all.
    bits, winner = state[0], 0
    while free > 0 and winner == 0:
        bits = _advance(bits)
        place = _below(bits, free)
        cell = empties[place]
        free -= 1
        empties[place] = empties[free]
        if _place(cell, side, board, stones, of_cell, length):
            winner = 1 - 2 * side
        side = 1 - side
    state[0] = bits
    return winner


@njit(cache=True, inline="always")
def _winner(stones, length):  # type: ignore[no-untyped-def]
    """Owner of a full line: +1 (X), -1 (O), or 0 for nobody."""
    for line in range(stones.shape[1] - 1):
        if stones[0, line] == length:
            return 1
        if stones[1, line] == length:
            return -1
    return 0


@njit(cache=True, inline="always")
def _playouts(root, games, of_cell, length, lines, steps, state):  # type: ignore[no-untyped-def]
    """Play games out from one board; returns counts of X wins, draws, O wins."""
    board, empties = np.zeros(len(root), np.int8), np.zeros(len(root), np.int64)
    stones, counts = np.zeros((2, lines + 1), np.int64), np.zeros(3, np.int64)
    for _ in range(games):
        side, free = _load(root, board, stones, of_cell, empties)
        winner = _winner(stones, length)
        if winner == 0:
            winner = _finish(side, free, board, stones, empties, of_cell, length, steps, state)
        counts[1 - winner] += 1
    return counts


class _Tree(NamedTuple):
    """Search nodes in flat arrays; node 0 is the root, children of a node stand together.

    Attributes
    ----------
    first, size : ndarray of int64, shape (nodes,)
        First child (-1: not expanded) and number of children.
    cell : ndarray of int64, shape (nodes,)
        The move that leads into the node.
    visits, sums : ndarray of float64, shape (nodes,)
        Playouts through the node, and their results for the player who made that move.
    """

    first: Ints
    size: Ints
    cell: Ints
    visits: Floats
    sums: Floats


@njit(cache=True)
def _new_tree(nodes):  # type: ignore[no-untyped-def]
    """A root that is not expanded, and room for more."""
    numbers = np.zeros((2, nodes), np.int64)
    return _Tree(np.full(nodes, -1), numbers[0], numbers[1], np.zeros(nodes), np.zeros(nodes))


@njit(cache=True)
def _expand(tree, node, board, used):  # type: ignore[no-untyped-def]
    """Give a node one child per empty cell; returns the number of nodes in use."""
    tree.first[node] = used
    for cell in range(len(board)):
        if board[cell] == 0:
            tree.first[used], tree.visits[used], tree.sums[used] = -1, 0.0, 0.0
            tree.cell[used] = cell
            used += 1
    tree.size[node] = used - tree.first[node]
    return used


@njit(cache=True)
def _untried(tree, node, state):  # type: ignore[no-untyped-def]
    """A child without visits, chosen uniformly; -1 if all were tried."""
    chosen, seen = -1, 0
    for child in range(tree.first[node], tree.first[node] + tree.size[node]):
        if tree.visits[child] == 0:
            seen += 1
            if _random(state, seen) == 0:
                chosen = child
    return chosen


@njit(cache=True)
def _select(tree, node, c, state):  # type: ignore[no-untyped-def]
    """The child to descend to: an untried one, else the best upper confidence bound."""
    chosen, best = _untried(tree, node, state), -np.inf
    if chosen >= 0:
        return chosen
    log_visits = np.log(tree.visits[node])
    for child in range(tree.first[node], tree.first[node] + tree.size[node]):
        visits = tree.visits[child]
        bound = tree.sums[child] / visits + c * np.sqrt(log_visits / visits)
        if bound > best:
            chosen, best = child, bound
    return chosen


@njit(cache=True)
def _free_cells(board, empties):  # type: ignore[no-untyped-def]
    """List the empty cells; returns how many there are."""
    free = 0
    for cell in range(len(board)):
        if board[cell] == 0:
            empties[free] = cell
            free += 1
    return free


@njit(cache=True)
def _back_up(tree, path, depth, side, winner, sign):  # type: ignore[no-untyped-def]
    """Credit a result along the path; ``side`` is to move at the root."""
    for step in range(depth + 1):
        mover = 2 * side - 1 if step % 2 == 0 else 1 - 2 * side
        tree.visits[path[step]] += 1
        tree.sums[path[step]] += sign * mover * winner


@njit(cache=True)
def _simulate(  # type: ignore[no-untyped-def]
    tree, used, c, path, side, free, board, stones, empties, of_cell, length, steps, state
):
    """Descend to a new node or an end and play out; returns (depth, winner, nodes used)."""
    node, depth = 0, 0
    while True:
        if tree.first[node] < 0:
            used = _expand(tree, node, board, used)
        node = _select(tree, node, c, state)
        depth += 1
        path[depth] = node
        if _place(tree.cell[node], side, board, stones, of_cell, length):
            return depth, 1 - 2 * side, used
        side = 1 - side
        if depth == free:
            return depth, 0, used
        if tree.visits[node] == 0:
            left = _free_cells(board, empties)
            winner = _finish(side, left, board, stones, empties, of_cell, length, steps, state)
            return depth, winner, used


@njit(cache=True)
def _uct(root, iterations, c, sign, of_cell, length, lines, steps, state, out):  # type: ignore[no-untyped-def]
    """Search one board; fills ``out`` (2, cells) with visits and summed results."""
    cells = len(root)
    board, stones = np.zeros(cells, np.int8), np.zeros((2, lines + 1), np.int64)
    empties, path = np.zeros(cells, np.int64), np.zeros(cells + 1, np.int64)
    tree = _new_tree(1 + iterations * cells)
    used = 1
    for _ in range(iterations):
        side, free = _load(root, board, stones, of_cell, empties)
        depth, winner, used = _simulate(
            tree, used, c, path, side, free, board, stones, empties, of_cell, length, steps, state
        )
        _back_up(tree, path, depth, side, winner, sign)
    for child in range(tree.first[0], tree.first[0] + tree.size[0]):
        out[0, tree.cell[child]] = tree.visits[child]
        out[1, tree.cell[child]] = tree.sums[child]
