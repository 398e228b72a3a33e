"""Boards for hypothesis, and the rules once more in plain Python, written from their definition."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
from hypothesis import strategies as st

from ttt_lib.game import reference
from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.reference import Cells

GRIDS = (Grid(2), Grid(3), Grid(4), Grid(3, 1), Grid(3, 3), Grid(2, 4))


@st.composite
def played(draw: st.DrawFn, grid: Grid, *, running: bool = False) -> Boards:
    """One board that play reaches, shape (1, cells)."""
    board = grid.initial()
    for _ in range(draw(st.integers(0, grid.cells))):
        moves = np.flatnonzero(grid.legal(board)[0])
        if not len(moves):
            break
        after = grid.play(board, np.array([draw(st.sampled_from(moves.tolist()))]))
        if running and grid.finished(after)[0]:
            break
        board = after
    return board


@st.composite
def grid_and_board(draw: st.DrawFn, *, running: bool = False) -> tuple[Grid, Boards]:
    grid = draw(st.sampled_from(GRIDS))
    return grid, draw(played(grid, running=running))


def plain_lines(n: int, d: int) -> set[frozenset[int]]:
    """Every straight walk of n cells that stays on the board."""
    found = set()
    for start, step in product(product(range(n), repeat=d), product((-1, 0, 1), repeat=d)):
        walk = [[s + i * t for s, t in zip(start, step, strict=True)] for i in range(n)]
        if any(step) and all(0 <= place < n for cell in walk for place in cell):
            found.add(frozenset(_index(cell, n) for cell in walk))
    return found


def _index(cell: list[int], n: int) -> int:
    index = 0
    for place in cell:
        index = index * n + place
    return index


def plain_winners(board: list[int], lines: set[frozenset[int]]) -> set[int]:
    """Who owns a full line: both may, on a board that no play reaches."""
    return {side for side in (1, -1) for line in lines if all(board[cell] == side for cell in line)}


@cache
def plain_value(board: Cells) -> tuple[int, int]:
    """Minimax result from X's side and plies to the end: quickest win, latest loss."""
    after = [plain_value(child) for child in reference.successors(board).values()]
    if not after:
        return reference.winner(board), 0
    side = 1 - 2 * sum(board)
    result = side * max(side * value for value, _ in after)
    lengths = [plies for value, plies in after if value == result]
    return result, 1 + (min if result == side else max)(lengths)
