"""Positions encoded as boards, by the least of their images: for any n^d board.

The compiled steps are those of :mod:`ttt_lib.game.worst_kernels`.
"""

from __future__ import annotations

from itertools import permutations, product
from math import factorial

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game import worst_kernels as kernels
from ttt_lib.game.board import Grid
from ttt_lib.game.worst_forms import Form, Question
from ttt_lib.game.worst_kernels import WORD, Geometry, Words

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
    relabel = _relabellings(n) if turns * more <= MAX_IMAGES else [list(range(n))]
    images = set()
    for values in relabel:
        turned = np.array(values)[grid.coordinates]
        for order in permutations(range(d)):
            for flips in product((False, True), repeat=d):
                axes = [
                    n - 1 - turned[:, a] if f else turned[:, a]
                    for a, f in zip(order, flips, strict=True)
                ]
                images.add(tuple(np.ravel_multi_index(axes, (n,) * d).tolist()))
    return np.array(sorted(images), dtype=np.intp)


def _relabellings(n: int) -> list[list[int]]:
    """Permutations of 0, ..., n - 1 under which opposite values stay opposite."""
    found = []
    for order in permutations(range(n // 2)):
        for flips in product((False, True), repeat=n // 2):
            values = list(range(n))
            for place, (target, flip) in enumerate(zip(order, flips, strict=True)):
                low, high = (n - 1 - target, target) if flip else (target, n - 1 - target)
                values[place], values[n - 1 - place] = low, high
            found.append(values)
    return found


def geometry(question: Question) -> Geometry:
    """The board and the worths in the form the kernels read."""
    grid, images = question.grid, automorphisms(question.grid)
    masks = np.zeros((4, grid.cells, len(images)), dtype=np.uint64)
    for code in range(4):
        shifted = np.uint64(code) << (2 * (images.T % WORD)).astype(np.uint64)
        masks[code] = np.where(images.T < WORD, shifted, np.uint64(0))
    lines = grid.lines.astype(np.int64)
    held = [np.flatnonzero((lines == cell).any(axis=1)) for cell in range(grid.cells)]
    first, through = np.cumsum([0, *map(len, held)]), np.concatenate(held).astype(np.int64)
    source = np.argsort(images, axis=1)
    most = int(np.diff(first).max())
    return Geometry(lines, first, through, masks, source, *question.worths(), most)


def form(question: Question) -> Form:
    """Boards as a search reads and writes them."""
    known, words = geometry(question), -(-question.grid.cells // WORD)

    def shows(codes: NDArray[np.int64], key: Words) -> bool:
        return bool((kernels.key_of(known, codes, words) == key).all())

    start = np.zeros(words, dtype=np.uint64)
    return Form(known, start, lambda _: words, kernels.expand, kernels.opening, shows)
