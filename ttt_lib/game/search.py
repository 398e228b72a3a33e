"""Random playouts, Pure Monte Carlo and UCT on n^d boards; the loops are in ``search_kernels``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Ints
from ttt_lib.game.kept import read_only
from ttt_lib.game.search_kernels import count_playouts, grow_tree


class Lines(NamedTuple):
    """The lines through every cell, in the form the kernels read.

    Attributes
    ----------
    of_cell : ndarray of int64, shape (cells, most)
        Padded with ``total``, a dummy line that never fills, so that the kernels need no branch.
    length : int
        Stones that complete a line.
    total : int
        Number of lines.
    """

    of_cell: NDArray[np.int64]
    length: int
    total: int


MAX_NODES = 100_000_000
"""Room for the nodes of one search, about 4 GB; iterations times cells may not exceed it."""

PlayoutTable = Floats
"""A playout policy on a small board: the cumulative probabilities of the moves, float64 of shape
(3**cells, cells), by ``Grid.codes``."""


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found about the root moves of each board.

    Attributes
    ----------
    visits : ndarray of float64, shape (B, cells)
    values : ndarray of float64, shape (B, cells)
        Mean result for the side to move; nan for moves never tried.
    """

    visits: Floats
    values: Floats


@cache
@read_only
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
        If games < 0 or not whole.
    """
    if not (games >= 0 and games % 1 == 0):
        raise ValueError(f"the number of games must be whole and not negative: {games}")
    board = grid.initial()[0]
    return np.asarray(count_playouts(board, games, *lines_of(grid), None, _seed(rng)))


def search(
    grid: Grid,
    boards: Boards,
    iterations: int,
    c: float,
    *,
    rng: np.random.Generator | int,
    policy: PlayoutTable | None = None,
) -> SearchResult:
    """Run UCT on each board; all of them must be running games.

    Parameters
    ----------
    iterations : int
        Playouts per board.
    c : float
        Exploration constant: a child scores its mean plus c sqrt(ln N / n).
    policy : PlayoutTable, optional
        How playouts choose moves; uniform unless given.

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
    boards = boards.astype(np.int8, copy=False)  # the kernels read no byte order but the machine's
    rng = np.random.default_rng(rng)
    found = np.zeros((len(boards), 2, grid.cells))
    for board, out in zip(boards, found, strict=True):
        grow_tree(board, int(iterations), c, *lines_of(grid), policy, _seed(rng), out)
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
        If games < 1 or not whole, or the playout table is for another board.
    """
    if not (games >= 1 and games % 1 == 0):
        raise ValueError(f"Pure Monte Carlo needs 1 or more playouts, a whole number, not {games}")
    _check_table(grid, policy)
    rng = np.random.default_rng(rng)
    state, move = np.nonzero(grid.legal(boards))
    after = grid.play(boards[state].astype(np.int8, copy=False), move)
    means = np.full(boards.shape, -np.inf)
    for row, cell, board in zip(state, move, after, strict=True):
        counts = count_playouts(board, games, *lines_of(grid), policy, _seed(rng))
        mover = -int(grid.to_move(board[None])[0])
        means[row, cell] = mover * (counts[0] - counts[2]) / games
    return means


def check_search(grid: Grid, iterations: int, c: float) -> None:
    """Check the settings of a search before its memory is allocated.

    Raises
    ------
    ValueError
        If iterations < 1 or not whole, or the tree would exceed ``MAX_NODES``, or c is not a finite
        number >= 0.
    """
    most = MAX_NODES // grid.cells
    if not (1 <= iterations <= most and iterations % 1 == 0):
        raise ValueError(
            f"a search on {grid.name} needs 1 to {most} whole iterations, not {iterations}"
        )
    if not (np.isfinite(c) and c >= 0):
        raise ValueError(f"the exploration constant c must be a finite number >= 0, not {c}")


def _check_table(grid: Grid, policy: PlayoutTable | None) -> None:
    if policy is not None and policy.shape != (3**grid.cells, grid.cells):
        raise ValueError(
            f"a playout table on {grid.name} has shape {(3**grid.cells, grid.cells)}, "
            f"not {policy.shape}"
        )


def _seed(rng: np.random.Generator | int) -> NDArray[np.uint64]:
    """State of the kernels' own generator (xorshift64*), seeded from a numpy one."""
    return np.random.default_rng(rng).integers(1, 2**63, size=1, dtype=np.uint64)
