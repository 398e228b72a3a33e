"""Positions encoded as live lines and their crossings: for square boards of up to 7 x 7.

The compiled steps are those of :mod:`ttt_lib.game.worst_lines_kernels`.  They visit fewer states
than a search over boards: 40 times fewer on 5x5, and on 6x6 a tenth after twelve stones and an
ever smaller share from there on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game import worst_lines_kernels as kernels
from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.worst_forms import Form, Question
from ttt_lib.game.worst_kernels import DEAD, OTHER, OWN, Words
from ttt_lib.game.worst_lines_kernels import MAX_EDGE, PRIME, THEIRS, Rules

OURS = 1
"""The code of an empty line in a key; each of the player's stones adds one."""


def able(grid: Grid) -> bool:
    """Whether a board's positions fit in the keys."""
    return grid.d == 2 and 3 <= grid.n <= MAX_EDGE


def rules(question: Question) -> Rules:
    """The board and the worths in the form the kernels read."""
    n, (own, other) = question.grid.n, question.worths()
    ours, theirs = np.arange(OURS, OURS + n), np.array([OURS, *range(THEIRS + 1, THEIRS + n)])
    worth, after = np.zeros((2, 16), dtype=np.int64), np.zeros((2, 16), dtype=np.int64)
    worth[0, ours], worth[1, theirs] = own, other
    after[0, ours], after[1, theirs] = ours + 1, np.arange(THEIRS + 1, THEIRS + n + 1)
    place = np.zeros(PRIME, dtype=np.int64)
    place[[2**i % PRIME for i in range(PRIME - 1)]] = np.arange(PRIME - 1)
    return Rules(n, len(question.grid.lines), worth, after, place)


def shape(grid: Grid, codes: NDArray[np.int64]) -> tuple[Ints, Ints]:
    """The stones on every line and the crossings of a board, as a key encodes them.

    Parameters
    ----------
    codes : ndarray of int64, shape (cells,)
        1 the player's stones, 2 the opponent's, 0 empty, 3 a cell on dead lines only.
    """
    own, other = ((codes[grid.lines] == code).sum(axis=1) for code in (OWN, OTHER))
    stones = np.where(other > 0, THEIRS + other, OURS + own)
    stones[((own > 0) & (other > 0)) | (codes[grid.lines] == DEAD).any(axis=1)] = 0
    through = (grid.lines[None] == np.arange(grid.cells)[:, None, None]).any(axis=2) & (stones > 0)
    crossing = (codes == 0) & (through.sum(axis=1) > 1)
    bits = np.int64(1) << np.arange(len(grid.lines))
    return stones.astype(np.int64), (through[crossing] * bits).sum(axis=1)


def colours(known: Rules, lines: Ints, cells: Ints) -> Words:
    """The sorted colours of all lines: the same for equivalent positions."""
    found, sums = np.zeros((2, known.lines), dtype=np.uint64)
    kernels.colour(known, lines, cells, found, sums)
    return np.sort(found)


def words(free: int) -> int:
    """Words in a key with this many empty cells: one for the lines, and one per four crossings."""
    return 1 + -(-free // 4)


def key_of(known: Rules, grid: Grid, codes: NDArray[np.int64]) -> Words:
    """The key of a board."""
    lines, cells = shape(grid, codes)
    key = np.zeros(words(int((codes == 0).sum())), dtype=np.uint64)
    kernels.write(known, kernels.work(known.lines, grid.cells), lines, cells, key)
    return key


def form(question: Question) -> Form:
    """Live lines and crossings as a search reads and writes them."""
    known, grid = rules(question), question.grid
    start = key_of(known, grid, np.zeros(grid.cells, dtype=np.int64))

    def shows(codes: NDArray[np.int64], key: Words) -> bool:
        lines, cells = np.zeros(known.lines, dtype=np.int64), np.zeros(grid.cells, dtype=np.int64)
        count = kernels.read(key, lines, cells)
        seen = colours(known, *shape(grid, codes))
        return bool((seen == colours(known, lines, cells[:count])).all())

    return Form(known, start, words, kernels.expand, kernels.opening, shows)
