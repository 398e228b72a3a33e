"""Exact results of Ultimate positions with few playable cells left, within a second or so."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ttt_lib.game.oracle import Exact, Oracle
from ttt_lib.ultimate.board.game import Ultimate, playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.solver.solver import BudgetExceededError, DTWSolver

CELLS = 18
"""Playable empty cells up to which the solver is asked."""

NODES = 3_000_000
"""The solver's node budget for a position and all its moves, a second or so."""


def from_solver(game: Ultimate, state: States) -> Exact | None:
    """Exact results of a running state, shape (1, 24); None if that takes too long."""
    if playable(state)[0] > CELLS:
        return None
    solver, left = _solver(game.rules), NODES
    try:
        found = solver.calculate_dtw(state[0], nodes=left)
        left, results = left - solver.searched, {}
        for move in map(int, np.flatnonzero(game.legal(state)[0])):
            after = game.play(state, np.array([move]))[0]
            results[move] = -solver.calculate_result(after, nodes=max(left, 1))
            left -= solver.searched
    except BudgetExceededError:
        return None
    assert found.best_move is not None  # the game is running
    return Exact(found.result, found.distance, results, found.best_move)


@lru_cache(maxsize=3)
def _solver(rules: str) -> DTWSolver:
    return DTWSolver(rules)


def oracle() -> Oracle:
    """The oracle for exact results of Ultimate."""
    when = f"once the solver can see the end, at about {CELLS} open cells"
    return Oracle(from_solver, when)
