"""The first player wins if decided sub-boards stay in play: a strategy, and its proof.

The strategy follows the idea of Bertholon, Géraud-Stewart, Kugelmann, Lenoir and Naccache, "At
most 43 moves, at least 29: optimal strategies and bounds for Ultimate Tic-Tac-Toe", arXiv
2006.02353 (2020).  X opens in the centre of the centre board, and then

1. while the centre board has an empty cell, plays the centre of whichever board O sends X to.
   That sends O back to the centre board, until O has filled its eight outer cells;
2. from then on c is the board to which O's last stone there sends X, and d the opposite one.
   X answers in the board X is sent to, in board d if the move is free, and plays cell c there,
   or cell d if cell c is taken.

So from then on O plays in boards c and d only. X visits every other outer board at most twice
more, and the second of these visits completes centre, c and d there. O owns the centre board and
needs both c and d for a line with it, but X owns d before O first plays there. Nor is O ever sent
to a full board. These are observations: the tests check them in all positions of the proof.

Proven, by playing it out against all replies of O: X wins every game that :func:`answers` plays
from the empty board under ``keep-playing``, within the number of plies that :func:`prove` finds.
Not proven: that no other strategy wins sooner, or anything about the standard rules, under which
the first phase fails as soon as O wins the centre board.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import FORCED, FREE, FULL, States
from ttt_lib.ultimate.board.rules import MOVE_OF, Position

GAME = Ultimate("keep-playing")
CENTRE = 4
"""The centre board, and the centre cell of each."""

Strategy = Callable[[States], NDArray[np.intp]]
"""Running states with X to move, (B, 24) -> one move each, (B,)."""


def answer(position: Position) -> int:
    """X's move 9 row + column, in plain code; defined for positions that the strategy reaches."""
    free = position.forced == FREE
    if 0 in position.sub_board(CENTRE):
        return MOVE_OF[CENTRE if free else position.forced][CENTRE]
    last, opposite = ends(position)
    board = opposite if free else position.forced
    return MOVE_OF[board][last if position.sub_board(board)[last] == 0 else opposite]


def ends(position: Position) -> tuple[int, int]:
    """Boards c and d of the second phase: the first whose centre X does not hold, its opposite."""
    last = min((b for b in range(9) if position.sub_board(b)[CENTRE] != 1), default=0)
    return last, 8 - last


def answers(states: States) -> NDArray[np.intp]:
    """As :func:`answer`, for a batch of packed states, shape (B, 24); returns moves, shape (B,)."""
    rows, x = np.arange(len(states)), states[:, :9].astype(np.intp)
    taken, forced = x | states[:, 9:18], states[:, FORCED].astype(np.intp)
    last = ((x >> CENTRE & 1) == 0).argmax(axis=1)
    opening = taken[:, CENTRE] != FULL
    board = np.where(forced != FREE, forced, np.where(opening, CENTRE, 8 - last))
    second = np.where(taken[rows, board] >> last & 1, 8 - last, last)
    cell = np.where(opening, CENTRE, second)
    return np.asarray(np.array(MOVE_OF, dtype=np.intp)[board, cell])


@dataclass(frozen=True)
class Proof:
    """The result of playing out a strategy of X against all replies.

    Attributes
    ----------
    positions, replies, wins : tuple of int
        By ply from the first position on: different positions, moves of O that were played
        from them, and positions among them that X has won.
    escapes : ndarray of uint16, shape (B, 24)
        Finished games of the last ply that X has not won, and positions of it in which the
        strategy picks an illegal move.
    ends : ndarray of uint16, shape (B, 24)
        Positions of the last ply that X has won.
    """

    positions: tuple[int, ...]
    replies: tuple[int, ...]
    wins: tuple[int, ...]
    escapes: States
    ends: States

    @property
    def holds(self) -> bool:
        """Whether X wins every game."""
        return not len(self.escapes)

    @property
    def shortest(self) -> int:
        """Plies of the shortest game that X wins."""
        return int(np.flatnonzero(self.wins)[0])

    @property
    def longest(self) -> int:
        """Plies until every game is won, or the strategy first fails."""
        return len(self.positions) - 1

    def table(self) -> pd.DataFrame:
        """Positions, replies and wins by ply."""
        counts = {"positions": self.positions, "replies": self.replies, "wins": self.wins}
        return pd.DataFrame(counts).rename_axis("ply")


def prove(
    strategy: Strategy = answers, start: States | None = None, game: Ultimate = GAME
) -> Proof:
    """Play a strategy of X against all replies, ply by ply, each different position once.

    Positions are compared word by word, so that two are merged only if they are equal: stones,
    owners, forced board and side to move.  The search ends with the last game, or at the first
    ply in which the strategy fails; since every ply fills a cell, it terminates.

    Parameters
    ----------
    start : ndarray of uint16, shape (1, 24), optional
        Where to begin, either side to move; the empty board by default.
    game : Ultimate
        The rules.
    """
    layer = game.initial() if start is None else start
    positions, replies, wins = [], [], []
    while True:
        won, finished = game.winner(layer) == 1, game.finished(layer)
        after, played, stuck = advance(layer[~finished], strategy, game)
        escapes = np.concatenate([layer[finished & ~won], stuck])
        positions.append(len(layer))
        wins.append(int(won.sum()))
        replies.append(played)
        if len(escapes) or not len(after):
            return Proof(tuple(positions), tuple(replies), tuple(wins), escapes, layer[won])
        layer = np.unique(after, axis=0)


def advance(states: States, strategy: Strategy, game: Ultimate) -> tuple[States, int, States]:
    """One ply from running states with the same side to move.

    Returns
    -------
    after : ndarray of uint16, shape (B', 24)
        The states after X's move in each, or after all of O's.
    replies : int
        Moves of O among them.
    stuck : ndarray of uint16
        States in which the strategy's move is not legal.
    """
    legal = game.legal(states)
    if len(states) and game.to_move(states)[0] == 1:
        moves = strategy(states)
        fine = legal[np.arange(len(states)), moves]
        return game.play(states[fine], moves[fine]), 0, states[~fine]
    rows, moves = np.nonzero(legal)
    return game.play(states[rows], moves), len(moves), states[:0]


def filled(last: int, game: Ultimate = GAME) -> States:
    """The position after the first phase, X to move in board ``last``, shape (1, 24).

    The order in which O filled the centre board makes no difference, except for its last stone.

    Raises
    ------
    ValueError
        If ``last`` is not one of the eight outer boards.
    """
    if last not in range(9) or last == CENTRE:
        raise ValueError(f"not an outer board: {last}; 0 to 8, but not {CENTRE}")
    outer = [board for board in range(9) if board not in (CENTRE, last)]
    moves = [(CENTRE, CENTRE), *(m for b in outer for m in ((CENTRE, b), (b, CENTRE)))]
    state = game.initial()
    for board, cell in [*moves, (CENTRE, last)]:
        state = game.play(state, np.array([MOVE_OF[board][cell]]))
    return state
