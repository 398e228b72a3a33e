"""The questions an exhaustive search can answer, and the forms in which it encodes positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.game.policy import TOLERANCE
from ttt_lib.game.worst_kernels import Words

WHOLE = 2.0**52
"""The largest integer worth of a cell, so that floats hold all of them exactly."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked about a player that counts stones on lines.

    Attributes
    ----------
    grid : Grid
        The board.
    own, other : ndarray of float64, shape (n,)
        A line with k stones of the player alone is worth ``own[k]`` to a move on it, one with k
        of the opponent's ``b * other[k]``; an empty line is worth both.
    low, high : float
        The range of b: all of [low, high].
    side : int
        The player's side, +1 or -1.
    goal : int
        -1: it loses, 0: it doesn't win (asked once it is known not to lose).
    last : int
        Maximum length of a game, in plies.
    width : int
        Keep only this many states per layer, the most promising for the opponent; 0: all.
    tolerance : float
        Relative difference below which two moves are tied.
    part, parts : int
        Continue only from every ``parts``-th state, starting with the ``part``-th, of the first
        layer that has enough for all parts (:data:`ttt_lib.game.worst_counted.SHARE`): the goal
        is reached if it is reached in any part.
    """

    grid: Grid
    own: Floats
    other: Floats
    low: float
    high: float
    side: int
    goal: int = -1
    last: int = 10_000
    width: int = 0
    tolerance: float = TOLERANCE
    part: int = 0
    parts: int = 1

    def worths(self) -> tuple[Ints, Ints]:
        """``own`` and ``other`` as integers, in the same unit."""
        most = int(np.bincount(self.grid.lines.ravel()).max())  # lines through a cell
        largest = most * max(float(np.abs(self.own).max()), float(np.abs(self.other).max()))
        unit = WHOLE / largest if largest else 1.0
        own, other = (np.rint(table * unit).astype(np.int64) for table in (self.own, self.other))
        return own, other


@dataclass(frozen=True, eq=False)
class Form:
    """How positions are encoded, and the compiled steps that read and write them.

    Attributes
    ----------
    known : NamedTuple
        The board and the worths in the form the steps read.
    start : ndarray of uint64, shape (words,)
        The key of the empty board.
    words : callable
        Number of words in a key, by the number of empty cells.
    expand, opening : callable
        One move of each player from the states of a layer; the player's first moves.
    shows : callable
        Whether a board (1 the player's stones, 2 the opponent's, 0 empty) may match a key.
    """

    known: Any
    start: Words
    words: Callable[[int], int]
    expand: Callable[..., tuple[int, int, int]]
    opening: Callable[..., int]
    shows: Callable[[NDArray[np.int64], Words], bool]
