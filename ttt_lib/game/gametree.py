"""The enumerated game: every state of a small board, with its exact values.

States are stored in layers, one per ply, and each layer's values are computed from
the next in one array operation.  On 3x3 all 5478 states are listed; on 4x4 one state
represents all its symmetric images (``canonical``), so that the tree fits in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import factorial

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Grid, Ints, Mask
from ttt_lib.game.kept import read_only

MAX_FULL_CELLS = 9
MAX_CANONICAL_CELLS = 16


@dataclass(frozen=True, eq=False)
class GameTree:
    """All reachable states of a game as arrays, sorted by ply and then by code.

    Attributes
    ----------
    grid : Grid
        The game.
    canonical : bool
        Whether a row represents all symmetric images of its board.
    boards : ndarray of int8, shape (S, cells)
    codes : ndarray of int64, shape (S,)
        ``grid.codes(boards)``, ascending within a layer.
    layers : ndarray of intp, shape (cells + 2,)
        States of ply p are the rows ``layers[p]:layers[p + 1]``.
    children : ndarray of int32, shape (S, cells)
        Row of the state after each move, -1 where the move is not legal.
    winner : ndarray of int8, shape (S,)
        +1, -1, or 0 for nobody.
    """

    grid: Grid
    canonical: bool
    boards: Boards
    codes: Ints
    layers: NDArray[np.intp]
    children: NDArray[np.int32]
    winner: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.boards)

    @cached_property
    @read_only
    def ply(self) -> NDArray[np.intp]:
        """Stones on the board, shape (S,)."""
        return np.repeat(np.arange(len(self.layers) - 1), np.diff(self.layers))

    @cached_property
    @read_only
    def legal(self) -> Mask:
        """Legal moves, shape (S, cells)."""
        return np.asarray(self.children >= 0)

    @cached_property
    @read_only
    def finished(self) -> Mask:
        """Whether the game is over, shape (S,)."""
        return np.asarray(~self.legal.any(axis=1))

    @cached_property
    @read_only
    def orbit(self) -> Ints:
        """How many states a row represents (1 without ``canonical``), shape (S,)."""
        if not self.canonical:
            return np.ones(len(self), dtype=np.int64)
        images = np.stack([self.grid.codes(self.boards[:, p]) for p in self.grid.symmetries])
        images.sort(axis=0)
        return np.asarray(1 + (np.diff(images, axis=0) != 0).sum(axis=0), dtype=np.int64)

    def index(self, boards: Boards) -> NDArray[np.intp]:
        """Rows of the given boards (or of their canonical forms), shape (B,).

        Raises
        ------
        ValueError
            If a board is not reachable in play, or refused (see :meth:`Grid.winner`).
        """
        codes = self.grid.canonical_codes(boards) if self.canonical else self.grid.codes(boards)
        order, ranked = self._by_code
        place = np.minimum(np.searchsorted(ranked, codes), len(ranked) - 1)
        if (ranked[place] != codes).any():
            raise ValueError(f"a {self.grid.name} board that no play reaches")
        return order[place]

    @cached_property
    @read_only
    def _by_code(self) -> tuple[NDArray[np.intp], Ints]:
        order = np.argsort(self.codes)
        return order, self.codes[order]

    @cached_property
    @read_only
    def value(self) -> NDArray[np.int8]:
        """Minimax value from X's side, shape (S,): +1, 0 or -1."""
        return np.asarray(np.sign(self.score), dtype=np.int8)

    @cached_property
    @read_only
    def distance(self) -> NDArray[np.int64]:
        """Plies to the end with the quickest wins and the latest losses, shape (S,).

        Draws are played to a full board, so their distance is the number of empty cells.
        """
        longest = self.grid.cells - self.ply
        return np.where(self.score == 0, longest, self._horizon - np.abs(self.score))

    @property
    def _horizon(self) -> int:
        return self.grid.cells + 1

    @cached_property
    @read_only
    def score(self) -> Ints:
        """Negamax of (value, distance) as one number: a win in k plies scores horizon - k."""
        score = self.winner.astype(np.int64) * self._horizon
        for ply in range(self.grid.cells - 1, -1, -1):
            rows, side = self.layer(ply), 1 - 2 * (ply % 2)
            after = np.where(
                self.legal[rows], side * score[self.children[rows]], -self._horizon - 1
            )
            best = after.max(axis=1)
            best -= np.sign(best)
            score[rows] = np.where(self.finished[rows], score[rows], side * best)
        return score

    def layer(self, ply: int) -> slice:
        """The rows of one ply."""
        return slice(int(self.layers[ply]), int(self.layers[ply + 1]))

    @cached_property
    @read_only
    def random_play(self) -> Ints:
        """Exact outcome counts under uniformly random play, shape (S, 3).

        Columns count X wins, draws and O wins; with r empty cells the
        probabilities are these numbers over ``factorial(r)``: a finished game
        counts once for every order in which its empty cells could be filled.
        """
        counts = np.zeros((len(self), 3), dtype=np.int64)
        for ply in range(self.grid.cells, -1, -1):
            rows = self.layer(ply)
            ended = self.finished[rows, None] * np.eye(3, dtype=np.int64)[1 - self.winner[rows]]
            after = (counts[self.children[rows]] * self.legal[rows, :, None]).sum(axis=1)
            counts[rows] = after + ended * factorial(self.grid.cells - ply)
        return counts


@cache
@read_only
def solve(grid: Grid) -> GameTree:
    """Enumerate a game once per process: every state up to 9 cells, canonical forms up to 16.

    Raises
    ------
    ValueError
        If the board is too large to enumerate.
    """
    return enumerate_states(grid, canonical=grid.cells > MAX_FULL_CELLS)


def enumerate_states(
    grid: Grid, *, canonical: bool = False, start: Boards | None = None
) -> GameTree:
    """List every state that play can reach, ply by ply.

    Parameters
    ----------
    grid : Grid
        The game.
    canonical : bool
        Keep one state for all its symmetric images.
    start : Boards, optional
        One board, shape (1, cells), from which play begins; the empty one by default.
        The layers of earlier plies are then empty.

    Raises
    ------
    ValueError
        If more than 9 cells are empty at the start (16 with ``canonical``).
    """
    start = grid.initial() if start is None else start
    ply = int(np.count_nonzero(start))
    limit = MAX_CANONICAL_CELLS if canonical else MAX_FULL_CELLS
    if grid.cells - ply > limit:
        raise ValueError(
            f"a {grid.name} board is too large to enumerate: at most {limit} cells"
            + ("" if canonical else f", or {MAX_CANONICAL_CELLS} with canonical forms")
        )
    first = grid.canonical_codes(start) if canonical else grid.codes(start)
    layers = [np.zeros(0, dtype=np.int64)] * ply + [first]
    links = [np.zeros((0, grid.cells), dtype=np.int32)] * ply
    for _ in range(ply, grid.cells):
        codes, children = _expand(grid, layers[-1], canonical)
        layers.append(codes)
        links.append(children)
    links.append(np.full((len(layers[-1]), grid.cells), -1, dtype=np.int32))
    return _assemble(grid, canonical, layers, links)


def _expand(grid: Grid, codes: Ints, canonical: bool) -> tuple[Ints, NDArray[np.int32]]:
    """Codes of the next layer, and the index in it that each move leads to."""
    boards = grid.decode(codes)
    state, move = np.nonzero(grid.legal(boards))
    after = grid.place(boards[state], move)
    reached = grid.canonical_codes(after) if canonical else grid.codes(after)
    unique, place = np.unique(reached, return_inverse=True)
    children = np.full(boards.shape, -1, dtype=np.int32)
    children[state, move] = place
    return unique, children


def _assemble(
    grid: Grid, canonical: bool, layers: list[Ints], links: list[NDArray[np.int32]]
) -> GameTree:
    starts = np.cumsum([0, *map(len, layers)])
    children = np.concatenate(
        [
            np.where(link >= 0, link + start, -1)
            for link, start in zip(links, starts[1:], strict=True)
        ]
    ).astype(np.int32)
    codes = np.concatenate(layers)
    boards = grid.decode(codes)
    return GameTree(grid, canonical, boards, codes, starts, children, grid.winner(boards))


def paths_to(tree: GameTree) -> Ints:
    """Number of sequences of moves from the empty board to every state, shape (S,)."""
    paths = np.zeros(len(tree), dtype=np.int64)
    paths[0] = 1
    for ply in range(tree.grid.cells):
        rows = tree.layer(ply)
        state, move = np.nonzero(tree.legal[rows])
        np.add.at(paths, tree.children[rows][state, move], paths[rows][state])
    return paths
