"""What ``ttt perft`` and ``ttt solve`` find, as an object for JSON and as text."""

from __future__ import annotations

from typing import Any

from ttt_lib.ultimate.board import game
from ttt_lib.ultimate.board.notation import parse
from ttt_lib.ultimate.board.rules import start
from ttt_lib.ultimate.solver.solver import NODES, DTWSolver

Found = tuple[dict[str, Any], str]


def perft(depth: int, text: str | None, rules: str) -> Found:
    """Leaf counts of a position (the start unless given), one entry a depth from 0.

    Raises
    ------
    ValueError
        If the depth is negative, or the position or the rules make no sense.
    """
    position = start(rules) if text is None else parse(text, rules)
    leaves = game.perft(position, depth)
    return {"leaves": leaves}, "\n".join(f"{d:>3} {count:>15,}" for d, count in enumerate(leaves))


def solve(text: str, rules: str, nodes: int | None) -> Found:
    """Result, distance and best move of a position, from the side to move.

    Raises
    ------
    ValueError
        If the position or the rules make no sense, or the node budget runs out.
    """
    position = parse(text, rules)
    found = DTWSolver(rules, nodes=NODES if nodes is None else nodes).calculate_dtw(position)
    return found._asdict(), _sentence(found.result, found.distance, found.best_move)


def _sentence(result: int, distance: int | None, move: int | None) -> str:
    word = {1: "a win", 0: "a draw", -1: "a loss"}[result]
    if move is None:
        return f"the game is over: {word} for the side that would be to move"
    when = "" if distance is None else f" in {distance} plies"
    row, column = divmod(move, 9)
    return f"{word}{when}; best move {move} (row {row}, column {column})"
