"""The eight symmetries of the square, acting alike on the sub-boards and on the cells within them.

Turning the whole 9 x 9 grid turns the meta-board and every sub-board in the
same way, so that the cell of a move still determines the sub-board of the reply.
Turning them independently would break that link.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid
from ttt_lib.ultimate.board.kernels import FORCED, FREE, META, OPEN, States
from ttt_lib.ultimate.board.rules import BOARD_OF, CELL_OF, MOVE_OF

PLACES: NDArray[np.intp] = np.argsort(Grid(3).symmetries, axis=1)
"""Where each of nine places goes, shape (8, 9); the first row is the identity."""

INVERSE: NDArray[np.intp] = np.array(
    [int(np.flatnonzero((PLACES[:, p] == np.arange(9)).all(axis=1))[0]) for p in PLACES]
)
"""The symmetry that undoes each one, shape (8,)."""

MOVE_IMAGES: NDArray[np.intp] = np.array(
    [[MOVE_OF[p[b]][p[c]] for b, c in zip(BOARD_OF, CELL_OF, strict=True)] for p in PLACES]
)
"""Where each move 9 row + column goes, shape (8, 81)."""

BITS: NDArray[np.uint16] = np.array(
    [
        [sum(1 << int(p[c]) for c in range(9) if mask >> c & 1) for mask in range(512)]
        for p in PLACES
    ],
    dtype=np.uint16,
)
"""Nine bits with their places moved, shape (8, 512)."""


def transform(states: States, symmetry: int) -> States:
    """Turn or reflect packed states, shape (B, 24)."""
    place, turned = PLACES[symmetry], states.copy()
    for side in (0, 9):
        turned[:, side + place] = BITS[symmetry][states[:, side : side + 9]]
    for word in (META, META + 1, OPEN):
        turned[:, word] = BITS[symmetry][states[:, word]]
    turned[:, FORCED] = np.append(place, FREE)[states[:, FORCED]]
    return turned


def canonical(states: States) -> States:
    """The lexicographically smallest of each state's eight images, shape (B, 24)."""
    images = np.stack([transform(states, symmetry) for symmetry in range(8)])
    order = np.lexsort([images[..., word] for word in reversed(range(images.shape[2]))], axis=0)
    return np.asarray(images[order[0], np.arange(len(states))])
