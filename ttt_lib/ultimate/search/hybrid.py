"""The hybrid of document 5: a network's search, and the endgame solver where it can see the end.

The solver works at the root, not at the leaves: an endgame at the root is solved once and the
table then answers for the rest of the game, whereas solving one leaf costs as much as evaluating
dozens at the document's 15 playable cells, and hundreds at 20.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from ttt_lib.ultimate.board.game import Ultimate
from ttt_lib.ultimate.board.kernels import RESULT, SIDE, State
from ttt_lib.ultimate.search.tree_search import RootView
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver

SEARCHED, SOLVED, QUICK, BEYOND = "searched", "solved", "quick win", "beyond the budget"
"""How a move was found: by the search; by solving the endgame; as a win that the shallow search
saw; by the search, because the solver's budget ran out."""

NODES = 20_000_000
"""The solver's node budget per move, some seconds; beyond it the search decides."""

HOT, COLD = 1 << 12, 1 << 16
"""Entries of the solver's table, which is kept through a game: enough for 20 cells.  It is cleared
between games, and a larger one would take longer to clear."""


@dataclass(eq=False)
class Hybrid:
    """A search, and a solver that takes over in endgames; ask it about one game at a time.

    Parameters
    ----------
    search : callable
        A running state, (24,) -> what a search finds about its moves.
    cells : int
        Playable cells up to which a position is solved.
    shallow : int
        Plies of the document's shallow search in the midgame, which looks for a win, and then
        for the opponent's wins after each candidate move; 0 for none.
    nodes : int
        The solver's node budget per move.
    midgame : int
        Playable cells up to which the shallow search runs.

    Attributes
    ----------
    solver : DTWSolver
    counts : dict of int
        Number of moves by the way they were found.

    Raises
    ------
    ValueError
        If cells or shallow are not from 0 to 81, or another number is too small for the solver.
    """

    game: Ultimate
    search: Callable[[State], RootView]
    cells: int
    shallow: int = 0
    nodes: int = NODES
    midgame: int = 45
    counts: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not 0 <= self.cells <= 81:
            raise ValueError(f"solver must be 0 to 81 playable cells, not {self.cells}")
        if not 0 <= self.shallow <= 81:
            raise ValueError(f"shallow must be 0 to 81 plies, not {self.shallow}")
        self.solver = DTWSolver(
            self.game.rules, hot_size=HOT, cold_size=COLD, nodes=self.nodes,
            endgame_threshold=self.cells, midgame_threshold=max(self.cells, self.midgame),
            shallow_depth=max(self.shallow, 1),
        )  # fmt: skip
        self._last = self.game.initial()[0]

    def move(self, state: State) -> int:
        """The move to play in a running state, shape (24,).

        Raises
        ------
        ValueError
            If the game is over.
        """
        self._follow(state)
        way, move = self._decide(state)
        self.counts[way] = self.counts.get(way, 0) + 1
        return move

    def _follow(self, state: State) -> None:
        """Clear the table once another game has begun, so that games don't affect each other."""
        if (self._last[:18] & ~state[:18]).any():
            self.solver.table.clear()
        self._last = state.copy()

    def _decide(self, state: State) -> tuple[str, int]:
        try:
            if self.cells and self.solver.is_endgame(state):
                return SOLVED, self._solved(state)
            if self.shallow and self.solver.is_midgame(state):
                return self._checked(state)
        except BudgetExceededError:
            return BEYOND, int(self.search(state).secure.argmax())
        return SEARCHED, int(self.search(state).secure.argmax())

    def _solved(self, state: State) -> int:
        """The quickest win or latest loss; among drawing moves the one that the search prefers.

        Against a player who errs, some drawing moves are better than others.
        """
        found = self.solver.calculate_dtw(state)
        if found.best_move is None:
            raise ValueError("a finished game has no move to choose")
        if found.result:
            return found.best_move
        return next(m for m in self._favourites(state) if self._worth(state, m) == 0)

    def _worth(self, state: State, move: int) -> int:
        """The exact result of a move for the player who makes it."""
        after = self.game.play(state[None], np.array([move]))[0]
        return -self.solver.calculate_result(after)

    def _favourites(self, state: State) -> Iterator[int]:
        """Legal moves, best first by the search."""
        scores = self.search(state).secure
        order = np.argsort(-scores, kind="stable")
        return (int(move) for move in order if np.isfinite(scores[move]))

    def _checked(self, state: State) -> tuple[str, int]:
        """A win within the horizon if there is one, else the search's best move not refuted in it.

        If all moves are refuted, the search's best.
        """
        if (win := self.solver.get_best_winning_move(state)) is not None:
            return QUICK, win[0]
        moves = list(self._favourites(state))
        return SEARCHED, next((m for m in moves if not self._refuted(state, m)), moves[0])

    def _refuted(self, state: State, move: int) -> bool:
        """Whether the opponent is known to win within the horizon after a move."""
        after = self.game.play(state[None], np.array([move]))[0]
        if after[RESULT]:
            return bool(after[RESULT] != 3 and after[RESULT] != 1 + state[SIDE])
        try:
            return self.solver.get_best_winning_move(after) is not None
        except BudgetExceededError:
            return False
