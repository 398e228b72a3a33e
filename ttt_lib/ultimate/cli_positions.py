"""What ``ttt perft`` and ``ttt solve`` find, as an object for JSON and as text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from operator import mul
from typing import Any

from ttt_lib.ultimate.board import game
from ttt_lib.ultimate.board.notation import parse
from ttt_lib.ultimate.board.rules import MOVES, start
from ttt_lib.ultimate.solver.solver import NODES, DTWSolver

Found = tuple[dict[str, Any], str]


def perft(
    depth: int, text: str | None, rules: str, most: int, *, begin: Callable[[], None] = lambda: None
) -> Found:
    """Leaf counts of a position (the start unless given), one entry per depth from 0.

    Parameters
    ----------
    most : int
        Maximum number of leaves to count at one depth.
    begin : callable
        Called when position and numbers are read; a depth may still turn out too large.

    Raises
    ------
    ValueError
        If the depth is negative or beyond any game, a depth would have too many leaves, or the
        position or the rules are invalid.
    """
    if most < 1:
        raise ValueError(f"--leaves must be at least 1, not {most}")
    if depth < 0:
        raise ValueError(f"a depth can't be negative: {depth}")
    if depth > MOVES:
        raise ValueError(f"no game has more than {MOVES} plies, so none has a depth of {depth}")
    position = start(rules) if text is None else parse(text, rules)
    begin()
    leaves, empty = [1], position.cells.count(0)
    for plies in range(1, depth + 1):
        expected = _expected(leaves, depth, empty)
        if plies > SURE and expected > most:
            raise ValueError(
                f"depth {depth} has about {expected:.0e} leaves: at most {most:,} (--leaves)"
            )
        leaves.append(game.leaves(position, plies))
        if leaves[-1] > most:
            raise ValueError(
                f"depth {plies} has {leaves[-1]:,} leaves: at most {most:,} (--leaves)"
            )
    return {"leaves": leaves}, "\n".join(f"{d:>3} {count:>15,}" for d, count in enumerate(leaves))


SURE = 5
"""Plies up to which leaves are counted in no time."""


def _expected(leaves: list[int], depth: int, empty: int) -> float:
    """Estimated leaves up to a depth: each ply has as many moves as the last, or as empty cells."""
    growth = leaves[-1] / leaves[-2] if len(leaves) > 1 and leaves[-2] else 1.0
    steps = [min(growth, max(empty - ply, 0)) for ply in range(len(leaves) - 1, depth)]
    return max(accumulate(steps, mul, initial=float(leaves[-1])))


def solve(
    text: str, rules: str, nodes: int | None, *, begin: Callable[[], None] = lambda: None
) -> Found:
    """Result, distance and best move of a position, for the side to move.

    Parameters
    ----------
    begin : callable
        Called when what was given is found to be sound, and the search begins.

    Raises
    ------
    ValueError
        If the position or the rules are invalid, or the node budget runs out.
    """
    position = parse(text, rules)
    solver = DTWSolver(rules, nodes=NODES if nodes is None else nodes)
    begin()
    found = solver.calculate_dtw(position)
    return found._asdict(), _sentence(found.result, found.distance, found.best_move)


def _sentence(result: int, distance: int | None, move: int | None) -> str:
    word = {1: "a win", 0: "a draw", -1: "a loss"}[result]
    if move is None:
        return f"the game is over: {word} for the side that would be to move"
    when = "" if distance is None else f" in {distance} plies"
    row, column = divmod(move, 9)
    return f"{word}{when}; best move {move} (row {row}, column {column})"
