"""Positions written down as boards, the least of their images: for any n^d board.

The compiled steps are those of :mod:`ttt_lib.game.worst_kernels`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game import worst_kernels as kernels
from ttt_lib.game.worst import automorphisms
from ttt_lib.game.worst_forms import Form, Question
from ttt_lib.game.worst_kernels import WORD, Geometry, Words


def geometry(question: Question) -> Geometry:
    """The board and the worths as the kernels read them."""
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
