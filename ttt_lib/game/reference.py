"""Readable, slow versions of the core, against which tests and benchmarks check the fast ones.

Plain Python and one numpy call per rule check, in the style of document 1:
what one would write first, and can verify by reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache

import numpy as np

Cells = tuple[int, ...]
"""One 3x3 board, nine cells of +1 (X), -1 (O) and 0."""

Chances = Mapping[int, Fraction]
"""Chance of every move that may be played."""

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def winner(board: Cells) -> int:
    """Owner of a full line: +1, -1, or 0 for nobody."""
    for a, b, c in LINES:
        if board[a] != 0 and board[a] == board[b] == board[c]:
            return board[a]
    return 0


def successors(board: Cells) -> dict[int, Cells]:
    """Boards after every legal move, by move; none where the game is over."""
    if winner(board):
        return {}
    side = 1 - 2 * sum(board)
    return {
        move: (*board[:move], side, *board[move + 1 :])
        for move, cell in enumerate(board)
        if cell == 0
    }


def states() -> set[Cells]:
    """All boards that play can reach."""
    seen: set[Cells] = set()
    waiting: list[Cells] = [(0,) * 9]
    while waiting:
        board = waiting.pop()
        if board not in seen:
            seen.add(board)
            waiting.extend(successors(board).values())
    return seen


def uniform(board: Cells) -> Chances:
    """The policy of the random player."""
    moves = successors(board)
    return {move: Fraction(1, len(moves)) for move in moves}


def exact_match(
    x: Callable[[Cells], Chances], o: Callable[[Cells], Chances]
) -> tuple[Fraction, Fraction, Fraction]:
    """Exact chances of win, draw and loss from X's side, by plain recursion."""

    @cache
    def value(board: Cells) -> tuple[Fraction, ...]:
        moves = successors(board)
        if not moves:
            return tuple(Fraction(winner(board) == result) for result in (1, 0, -1))
        chances = (x if sum(board) == 0 else o)(board)
        parts = [(chance, value(moves[move])) for move, chance in chances.items()]
        return tuple(sum((c * v[i] for c, v in parts), Fraction(0)) for i in range(3))

    win, draw, loss = value((0,) * 9)
    return win, draw, loss


def playout(rng: np.random.Generator) -> tuple[list[list[int]], int]:
    """One random game, played as in document 1: lists of letters, numpy at every rule check.

    Returns
    -------
    boards : list of list of int
        The boards after X's moves, as numbers.
    result : int
        +1, 0 or -1 from X's side.
    """
    board, player, boards = [" "] * 9, "x", []
    while (ending := _ending(board)) is None:
        empty = np.where(np.array(board) == " ")[0].tolist()
        board = board.copy()
        board[rng.choice(empty)] = player
        if player == "x":
            boards.append([{" ": 0, "x": 1, "o": -1}[letter] for letter in board])
        player = "o" if player == "x" else "x"
    return boards, ending


def _ending(board: list[str]) -> int | None:
    """Result of a finished game from X's side; None if it is still running."""
    grid = np.array(board).reshape(3, 3)
    diagonals = np.array([[grid[i][i] for i in range(3)], [grid[i][2 - i] for i in range(3)]])
    for block in (grid, np.transpose(grid), diagonals):
        for line in block:
            if len(set(line)) == 1 and line[0] != " ":
                return 1 if line[0] == "x" else -1
    return None if np.any(grid == " ") else 0
