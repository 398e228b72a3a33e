"""The questions an exhaustive search can answer, and the forms in which it encodes positions.

As boards, by the least of their images, for any n^d board (compiled steps in
:mod:`ttt_lib.game.worst_kernels`); as live lines and their crossings, for square boards of up to
7 x 7 (:mod:`ttt_lib.game.worst_lines_kernels`).  The lines take fewer states: 40 times fewer on
5x5, and on 6x6 a tenth after twelve stones and an ever smaller share from there on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game import worst_kernels, worst_lines_kernels
from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.game.policy import TOLERANCE
from ttt_lib.game.worst_kernels import DEAD, OTHER, OWN, WORD, Geometry, Words
from ttt_lib.game.worst_lines_kernels import MAX_EDGE, PRIME, THEIRS, Rules

WHOLE = 2.0**52
"""The largest integer worth of a cell, so that floats hold all of them exactly."""


@dataclass(frozen=True, eq=False)
class Question:
    """What is asked about a player that counts stones on lines.

    Attributes
    ----------
    grid : Grid
        The board.
    own, other : ndarray of float64, shape (n,)
        A line with k stones of the player alone is worth ``own[k]`` to a move on it, one with k
        of the opponent's ``b * other[k]``; an empty line is worth both.
    low, high : float
        The range of b: all of [low, high].
    side : int
        The player's side, +1 or -1.
    goal : int
        -1: it loses, 0: it doesn't win (asked once it is known not to lose).
    last : int
        Maximum length of a game, in plies.
    width : int
        Keep only this many states per layer, the most promising for the opponent; 0: all.
    tolerance : float
        Relative difference below which two moves are tied.
    rounding : int
        Moves whose worths differ by no more may be tied, too, because gains of both signs cancel.
    """

    grid: Grid
    own: Floats
    other: Floats
    low: float
    high: float
    side: int
    goal: int = -1
    last: int = 10_000
    width: int = 0
    tolerance: float = TOLERANCE
    rounding: int = 0

    def worths(self) -> tuple[Ints, Ints]:
        """``own`` and ``other`` as integers, in the same unit."""
        most = int(np.bincount(self.grid.lines.ravel()).max())  # lines through a cell
        largest = most * max(float(np.abs(self.own).max()), float(np.abs(self.other).max()))
        unit = WHOLE / largest if largest else 1.0
        own, other = (np.rint(table * unit).astype(np.int64) for table in (self.own, self.other))
        return own, other


@dataclass(frozen=True, eq=False)
class Form:
    """How positions are encoded, and the compiled steps that read and write them.

    Attributes
    ----------
    known : NamedTuple
        The board and the worths in the form the steps read.
    start : ndarray of uint64, shape (words,)
        The key of the empty board.
    words : callable
        Number of words in a key, by the number of empty cells.
    expand, opening : callable
        One move of each player from the states of a layer; the player's first moves.
    shows : callable
        Whether a board (1 the player's stones, 2 the opponent's, 0 empty) may match a key.
    """

    known: Any
    start: Words
    words: Callable[[int], int]
    expand: Callable[..., tuple[int, int, int]]
    opening: Callable[..., int]
    shows: Callable[[NDArray[np.int64], Words], bool]


# ---------------------------------------------------------------------------- boards

MAX_IMAGES = 2000
"""Largest group of permutations under which positions are compared."""


def automorphisms(grid: Grid) -> NDArray[np.intp]:
    """Permutations of the cells that map lines to lines, shape (G, cells).

    Besides rotations and reflections, these include the permutations of the coordinate
    values 0, ..., n - 1, the same on all axes, that keep opposite values opposite
    (Silver 1967).  If there are more than ``MAX_IMAGES``, only rotations and reflections;
    if there are too many of those as well, only the identity.
    """
    n, d = grid.n, grid.d
    turns = 2**d * factorial(d)
    more = 2 ** max(n // 2 - 1, 0) * factorial(n // 2)
    if turns > MAX_IMAGES:
        return np.arange(grid.cells)[None]
    relabel = _relabellings(n) if turns * more <= MAX_IMAGES else [tuple(range(n))]
    images = set[tuple[int, ...]]()
    for values in relabel:
        moved = np.ravel_multi_index(tuple(np.array(values)[grid.coordinates].T), (n,) * d)
        images |= set(map(tuple, moved[grid.symmetries].tolist()))
    return np.array(sorted(images), dtype=np.intp)


def _relabellings(n: int) -> list[tuple[int, ...]]:
    """Permutations of 0, ..., n - 1 under which opposite values stay opposite; n is at most 9."""
    every = permutations(range(n))
    return [p for p in every if all(p[k] + p[-1 - k] == n - 1 for k in range(n // 2))]


def geometry(question: Question) -> Geometry:
    """The board and the worths in the form the kernels read."""
    grid, images = question.grid, automorphisms(question.grid)
    masks = np.zeros((4, grid.cells, len(images)), dtype=np.uint64)
    for code in range(4):
        shifted = np.uint64(code) << (2 * (images.T % WORD)).astype(np.uint64)
        masks[code] = np.where(images.T < WORD, shifted, np.uint64(0))
    lines = grid.lines.astype(np.int64)
    held = grid.lines_through
    first, through = np.cumsum([0, *map(len, held)]), np.concatenate(held).astype(np.int64)
    source = np.argsort(images, axis=1)
    most = int(np.diff(first).max())
    return Geometry(lines, first, through, masks, source, *question.worths(), most)


def board_form(question: Question) -> Form:
    """Boards as a search reads and writes them."""
    known, words = geometry(question), -(-question.grid.cells // WORD)

    def shows(codes: NDArray[np.int64], key: Words) -> bool:
        return bool((worst_kernels.key_of(known, codes, words) == key).all())

    start = np.zeros(words, dtype=np.uint64)
    return Form(known, start, lambda _: words, worst_kernels.expand, worst_kernels.opening, shows)


# ---------------------------------------------------------------------------- live lines

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
    worst_lines_kernels.colour(known, lines, cells, found, sums)
    return np.sort(found)


def words(free: int) -> int:
    """Words in a key with this many empty cells: one for the lines, and one per four crossings."""
    return 1 + -(-free // 4)


def key_of(known: Rules, grid: Grid, codes: NDArray[np.int64]) -> Words:
    """The key of a board."""
    lines, cells = shape(grid, codes)
    key = np.zeros(words(int((codes == 0).sum())), dtype=np.uint64)
    worst_lines_kernels.write(
        known, worst_lines_kernels.work(known.lines, grid.cells), lines, cells, key
    )
    return key


def line_form(question: Question) -> Form:
    """Live lines and crossings as a search reads and writes them."""
    known, grid = rules(question), question.grid
    start = key_of(known, grid, np.zeros(grid.cells, dtype=np.int64))

    def shows(codes: NDArray[np.int64], key: Words) -> bool:
        lines, cells = np.zeros(known.lines, dtype=np.int64), np.zeros(grid.cells, dtype=np.int64)
        count = worst_lines_kernels.read(key, lines, cells)
        seen = colours(known, *shape(grid, codes))
        return bool((seen == colours(known, lines, cells[:count])).all())

    return Form(known, start, words, worst_lines_kernels.expand, worst_lines_kernels.opening, shows)
