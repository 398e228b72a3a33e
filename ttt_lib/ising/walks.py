"""Rows of cells on an n^d board: which directions a cell keeps, and what a walk visits.

The document grows every cell's 3^d - 1 directions like hairs and cuts off those that
lead off the board.  A *walk* starts at a border cell and runs inwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid

Walk = tuple[int, ...]
"""The cells of a walk in order, start first."""


@cache
def directions(d: int) -> tuple[tuple[int, ...], ...]:
    """All 3^d - 1 steps to a neighbouring cell."""
    return tuple(step for step in product((-1, 0, 1), repeat=d) if any(step))


def inward(grid: Grid, place: Sequence[int], step: Sequence[int]) -> bool:
    """Whether a step leads away from every border that the cell lies on ("hair cut")."""
    return all(0 <= x + s < grid.n for x, s in zip(place, step, strict=True))


def line_starts(grid: Grid) -> list[tuple[int, tuple[int, ...]]]:
    """Every line twice: from each of its two ends, with its direction."""
    return [
        (cell, step)
        for cell, place in enumerate(grid.coordinates.tolist())
        for step in directions(grid.d)
        if inward(grid, place, [s * (grid.n - 1) for s in step])
    ]


def program_starts(grid: Grid) -> list[tuple[int, tuple[int, ...]]]:
    """The starts that the program keeps: all lines from a corner, axes from other border cells."""
    edge = (0, grid.n - 1)
    corner = [all(x in edge for x in place) for place in grid.coordinates.tolist()]
    return [
        (cell, step) for cell, step in line_starts(grid) if corner[cell] or sum(map(abs, step)) == 1
    ]


def walk(grid: Grid, start: int, step: Sequence[int], *, doubling: bool) -> Walk:
    """The cells a walk visits: it ends at the border it moves towards, or off the board.

    With ``doubling``, the distances from the start are 1, 2, 4, 8, ... in units of
    the step, as in the program, so from n = 4 on the walk leaves its line.
    """
    stride = sum(s * grid.n ** (grid.d - 1 - axis) for axis, s in enumerate(step))
    cells, distance = [start], 1
    while 0 <= start + distance * stride < grid.cells:
        cells.append(start + distance * stride)
        if _at_border(grid, cells[-1], step):
            break
        distance = 2 * distance if doubling else distance + 1
    return tuple(cells)


def _at_border(grid: Grid, cell: int, step: Sequence[int]) -> bool:
    place = grid.coordinates[cell].tolist()
    return not all(0 <= x + s < grid.n for x, s in zip(place, step, strict=True))


def padded(values: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Ragged rows as one array, padded with -1."""
    longest = max(map(len, values))
    return np.array([[*row, *[-1] * (longest - len(row))] for row in values], dtype=np.int64)
