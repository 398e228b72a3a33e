"""Random playouts as rows of a data set: boards after one player's moves, and how they ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Grid

GRID = Grid(3)

PLAYOUTS = 1000
"""Playouts of the document's data set."""

TEST_SHARE = 0.2

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Examples:
    """Rows in the order of the playouts and, within each, in the order of its moves.

    Attributes
    ----------
    boards : ndarray of int8, shape (R, 9)
        Boards after a move: X = +1, O = -1, empty = 0.
    outcomes : ndarray of int8, shape (R,)
        How the row's playout ended, from X's side: +1, 0 or -1.
    games : ndarray of intp, shape (R,)
        Which playout the row comes from.
    """

    boards: Boards
    outcomes: NDArray[np.int8]
    games: Rows

    def __len__(self) -> int:
        return len(self.boards)

    def __getitem__(self, rows: Any) -> Examples:
        """The given rows (indices or a mask)."""
        return Examples(self.boards[rows], self.outcomes[rows], self.games[rows])

    @property
    def empties(self) -> NDArray[np.int64]:
        """Empty cells of each row's board, shape (R,)."""
        return np.asarray((self.boards == 0).sum(axis=1), dtype=np.int64)


def examples(
    playouts: int = PLAYOUTS, *, rng: np.random.Generator | int, record: str = "x"
) -> Examples:
    """Play random games and record the boards after the moves of one side, or of both.

    Parameters
    ----------
    playouts : int
        Number of random games, at least 1.
    record : {"x", "o", "both"}
        Whose moves the board is recorded after. Outcomes are always from X's side.

    Raises
    ------
    ValueError
        If playouts < 1 or record is unknown.
    """
    if playouts < 1:
        raise ValueError(f"a data set needs at least 1 playout, not {playouts}")
    if record not in ("x", "o", "both"):
        raise ValueError(f"unknown record {record!r}: x, o or both")
    rng = np.random.default_rng(rng)
    boards, winners = GRID.initial(playouts), np.zeros(playouts, dtype=np.int8)
    running, seen = np.arange(playouts), []
    while len(running):
        boards[running] = GRID.play(boards[running], _random_moves(boards[running], rng))
        seen.append((boards[running], running))
        winners[running] = GRID.winner(boards[running])
        running = running[~GRID.finished(boards[running])]
    wanted = {"x": seen[0::2], "o": seen[1::2], "both": seen}[record]
    games = np.concatenate([game for _, game in wanted])
    order = np.argsort(games, kind="stable")
    rows = np.concatenate([after for after, _ in wanted])[order]
    return Examples(rows, winners[games[order]], games[order])


def _random_moves(boards: Boards, rng: np.random.Generator) -> NDArray[np.intp]:
    """A uniformly random legal move on each board: the empty cell that draws the largest number."""
    return np.asarray(np.argmax(rng.random(boards.shape) * (boards == 0), axis=1), dtype=np.intp)


def split_rows(data: Examples, seed: int) -> tuple[Rows, Rows]:
    """Split as the document does, 80% to 20% of the rows, regardless of their playouts.

    Returns
    -------
    train, test : ndarray of intp
        Row indices.
    """
    from sklearn.model_selection import train_test_split

    train, test = train_test_split(np.arange(len(data)), test_size=TEST_SHARE, random_state=seed)
    return train, test


def split_games(data: Examples, seed: int) -> tuple[Rows, Rows]:
    """Split by playout: all rows of one playout are in the same part.

    Returns
    -------
    train, test : ndarray of intp
        Row indices.
    """
    from sklearn.model_selection import GroupShuffleSplit

    splitter = GroupShuffleSplit(n_splits=1, test_size=TEST_SHARE, random_state=seed)
    train, test = next(splitter.split(data.boards, groups=data.games))
    return train, test
