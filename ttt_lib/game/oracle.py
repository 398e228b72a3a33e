"""Exact results of one running game at a time, from an oracle for each family of games.

The oracle of n^d boards enumerates the rest of the game; the catalog names the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.gametree import MAX_FULL_CELLS, GameTree, enumerate_states
from ttt_lib.game.kept import read_only

WORDS = {1: "win", 0: "draw", -1: "loss"}


@dataclass(frozen=True)
class Exact:
    """The results of a running game under perfect play by both sides.

    Attributes
    ----------
    result, distance : int, int or None
        From the side to move: +1, 0 or -1, and plies to the end; None for a draw on Ultimate.
    moves : dict of int to int
        The result after each legal move, from the side to move.
    best : int
        A move that preserves the result, wins as soon or loses as late as possible.
    """

    result: int
    distance: int | None
    moves: dict[int, int]
    best: int

    @property
    def sentence(self) -> str:
        """The result in words, from the side to move."""
        when = f" in {self.distance} plies" if self.result and self.distance != 1 else ""
        return f"a {WORDS[self.result]}{' at once' if self.distance == 1 else when}"


@dataclass(frozen=True)
class Oracle:
    """A source of exact results for a family of games.

    Attributes
    ----------
    exact : callable
        ``exact(game, state)`` for a running state, a batch of one; None where it has no answer.
    when : str
        When it has one, as the end of a sentence: "once at most 9 cells are empty".
    tree : callable or None
        ``tree(game, state)``, the game from a state onwards, or None where that is too large;
        exact chances against an agent are computed from it.
    """

    exact: Callable[[Any, Any], Exact | None]
    when: str
    tree: Callable[[Any, Any], GameTree | None] | None = None


def tree_from(grid: Grid, state: Boards) -> GameTree | None:
    """The game from a state, shape (1, cells), onwards, if few enough cells are empty."""
    if grid.cells - np.count_nonzero(state) > MAX_FULL_CELLS:
        return None
    return _tree(grid, state.tobytes())


@lru_cache(maxsize=16)
@read_only
def _tree(grid: Grid, board: bytes) -> GameTree:
    return enumerate_states(grid, start=np.frombuffer(board, dtype=np.int8)[None])


def from_tree(grid: Grid, state: Boards) -> Exact | None:
    """Exact results of a running board, shape (1, cells), if few enough cells are empty."""
    tree = tree_from(grid, state)
    if tree is None:
        return None
    side = int(grid.to_move(tree.boards[:1])[0])
    moves = np.flatnonzero(tree.legal[0])
    worth = side * tree.score[tree.children[0, moves]]
    results = dict(zip(map(int, moves), map(int, np.sign(worth)), strict=True))
    best = int(moves[worth.argmax()])
    return Exact(side * int(tree.value[0]), int(tree.distance[0]), results, best)


def oracle() -> Oracle:
    """The oracle for n^d boards."""
    return Oracle(from_tree, f"once at most {MAX_FULL_CELLS} cells are empty", tree_from)
