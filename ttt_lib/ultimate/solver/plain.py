"""The readable solver: every line of play to its end, by the readable rules.

It has no window, no move order and no table that outlives a call, so it shares none of the faults
that :mod:`ttt_lib.ultimate.solver.negamax` could have.  Eight playable cells take 0.1 s at most.
"""

from __future__ import annotations

from ttt_lib.ultimate.board.rules import Position, legal_moves, play, result


def solve(position: Position) -> tuple[int, int | None]:
    """Who wins under best play, and how soon.

    Returns
    -------
    result : int
        1, 0 or -1 for the side to move.
    distance : int or None
        Plies until the end if the winner hurries and the loser delays; None for a draw.
    """
    return _solve(position, {})


def _solve(
    position: Position, known: dict[Position, tuple[int, int | None]]
) -> tuple[int, int | None]:
    if position not in known:
        over = result(position)
        if over is not None:
            known[position] = (over * position.side, 0 if over else None)
        else:
            replies = [_solve(play(position, m), known) for m in legal_moves(position)]
            best = -min(value for value, _ in replies)
            plies = [1 + (after or 0) for value, after in replies if value == -best]
            known[position] = best, {1: min(plies), 0: None, -1: max(plies)}[best]
    return known[position]
