"""Three accidents of the document's solver, each a faulty part put into the sound search."""

from __future__ import annotations

from functools import cache

from numba import njit

from ttt_lib.evidence.faults import with_parts
from ttt_lib.ultimate.board.kernels import FORCED, FREE
from ttt_lib.ultimate.solver import endgame
from ttt_lib.ultimate.solver.endgame import keep, recall, turn_move
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.solver.table import EXACT


@njit
def forgetful_recall(s, key, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """Ask the table for the position as if the next move were free, whichever sub-board is forced.

    The arguments are those of :func:`ttt_lib.ultimate.solver.endgame.recall`.
    """
    free = s.copy()
    free[FORCED] = FREE
    return recall(free, key, ply, hot, cold, flags)


@njit
def exact_keep(mark, turn, best, bound, move, nodes, ply, hot, cold):  # type: ignore[no-untyped-def]
    """Store every score as exact, a mere bound too.

    The arguments are those of :func:`ttt_lib.ultimate.solver.endgame.keep`.
    """
    keep(mark, turn, best, EXACT, move, nodes, ply, hot, cold)


@njit
def unturned_recall(s, key, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """Read and store moves as they lie on the board at hand, not as on the canonical one.

    The arguments are those of :func:`ttt_lib.ultimate.solver.endgame.recall`.
    """
    mark, turn, score, bound, move = recall(s, key, ply, hot, cold, flags)
    return mark, 0, score, bound, turn_move(move, turn)


FAULTS = {
    "key without forced sub-board": {"recall": forgetful_recall},
    "bounds stored as exact": {"keep": exact_keep},
    "move not turned back": {"recall": unturned_recall},
}
"""The faulty parts of each accident, by the names of the sound ones."""


@cache
def _negamax(fault: str):  # type: ignore[no-untyped-def]
    return with_parts(endgame.negamax, **FAULTS[fault])


def faulty_solver(fault: str) -> DTWSolver:
    """A solver with one of the accidents; its keys are canonical where the accident needs it.

    Raises
    ------
    KeyError
        If no accident has that name.
    """
    solver = DTWSolver(symmetric=FAULTS[fault].get("recall") is unturned_recall)
    solver.negamax = _negamax(fault)
    return solver
