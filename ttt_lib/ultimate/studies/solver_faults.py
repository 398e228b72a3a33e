"""Three faults of the document's solver, each a faulty part substituted into the sound search."""

from __future__ import annotations

from functools import cache

from numba import njit

from ttt_lib.evidence.faults import with_parts
from ttt_lib.ultimate.board.kernels import FORCED, FREE
from ttt_lib.ultimate.solver import endgame
from ttt_lib.ultimate.solver.endgame import probe_entry, store_entry, turn_move
from ttt_lib.ultimate.solver.solver import DTWSolver
from ttt_lib.ultimate.solver.table import EXACT


@njit
def probe_without_forced_board(s, key, image_keys, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """Ask the table for the position as if the next move were free, whichever sub-board is forced.

    The arguments are those of :func:`ttt_lib.ultimate.solver.endgame.probe_entry`.
    """
    free = s.copy()
    free[FORCED] = FREE
    return probe_entry(free, key, image_keys, ply, hot, cold, flags)


@njit
def store_as_exact(mark, turn, best, bound, move, nodes, ply, hot, cold):  # type: ignore[no-untyped-def]
    """Store every score as exact, even a mere bound.

    The arguments are those of :func:`ttt_lib.ultimate.solver.endgame.store_entry`.
    """
    store_entry(mark, turn, best, EXACT, move, nodes, ply, hot, cold)


@njit
def probe_without_turning(s, key, image_keys, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """Read and store moves as they lie on the board at hand, not as on the canonical one.

    The arguments are those of :func:`ttt_lib.ultimate.solver.endgame.probe_entry`.
    """
    mark, turn, score, bound, move = probe_entry(s, key, image_keys, ply, hot, cold, flags)
    return mark, 0, score, bound, turn_move(move, turn)


FAULTS = {
    "key without forced sub-board": {"probe_entry": probe_without_forced_board},
    "bounds stored as exact": {"store_entry": store_as_exact},
    "move not turned back": {"probe_entry": probe_without_turning},
}
"""The faulty parts of each fault, by the names of the sound ones."""


@cache
def _negamax(fault: str):  # type: ignore[no-untyped-def]
    return with_parts(endgame.negamax, **FAULTS[fault])


def faulty_solver(fault: str) -> DTWSolver:
    """A solver with one of the faults; its keys are canonical where the fault needs it.

    Raises
    ------
    KeyError
        If no fault has that name.
    """
    solver = DTWSolver(symmetric=FAULTS[fault].get("probe_entry") is probe_without_turning)
    solver.negamax = _negamax(fault)
    return solver
