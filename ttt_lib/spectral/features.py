"""The two occupancy grids of a square board in the cosine basis (DCT-II).

The orthonormal DCT-II (Ahmed, Natarajan and Rao, 1974) is an orthogonal map of the cells:
it changes coordinates but not distances.  Index ``u`` counts half waves down
the rows, ``v`` along the columns.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from scipy.fft import dctn, idctn

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.kept import read_only

CHANNELS = ("X", "O")

MAX_EDGE = 8
"""Longest edge to learn on: exact elimination takes n^9 steps, a few seconds here."""


def check_square(grid: Grid) -> Grid:
    """Return the grid.

    Raises
    ------
    ValueError
        If the board is not a square.
    """
    if grid.d != 2:
        raise ValueError(f"document 2 needs a square board such as 4x4, not {grid.name}")
    return grid


def check_learnable(grid: Grid) -> Grid:
    """Return the grid.

    Raises
    ------
    ValueError
        If the board is not a square, or its edge is longer than ``MAX_EDGE``.
    """
    if check_square(grid).n > MAX_EDGE:
        raise ValueError(
            f"learning on {grid.name} would take too long: at most {MAX_EDGE}x{MAX_EDGE}"
        )
    return grid


def occupancy(boards: Boards, grid: Grid, *, symmetric: bool = False) -> Floats:
    """Where the stones of X and of O are, shape (B, 2, n, n).

    Parameters
    ----------
    symmetric : bool
        Average over the board's eight symmetries.
    """
    stones = np.stack([boards == 1, boards == -1], axis=1).astype(np.float64)
    if symmetric:
        stones = np.mean([stones[:, :, image] for image in grid.symmetries], axis=0)
    return stones.reshape(len(boards), 2, grid.n, grid.n)


@cache
@read_only
def basis(n: int = 3) -> Floats:
    """The cosine matrix of the document's formula, each cosine rounded by itself, shape (n, n).

    The transform of scipy rounds mirror images alike, so that equal cells of 4x4 would stay equal.
    """
    rows = [[math.cos(math.pi * (2 * x + 1) * u / (2 * n)) for x in range(n)] for u in range(n)]
    scale = np.sqrt(np.array([1, *[2] * (n - 1)]) / n)
    return np.asarray(scale[:, None] * np.array(rows))


def dct_features(boards: Boards, grid: Grid, *, symmetric: bool = False) -> Floats:
    """Cosine coefficients of both grids, X first, shape (B, 2 n^2).

    Parameters
    ----------
    symmetric : bool
        Average the features over the board's eight symmetries.  The transform is linear, so
        averaging the stones before it gives the same.

    Raises
    ------
    ValueError
        If the board is not a square.
    """
    stones = occupancy(boards, check_square(grid), symmetric=symmetric)
    return np.asarray(dctn(stones, axes=(2, 3), norm="ortho").reshape(len(boards), 2 * grid.n**2))


def raw_features(boards: Boards, grid: Grid, *, symmetric: bool = False) -> Floats:
    """The same information without the transform, shape (B, 2 n^2)."""
    return occupancy(boards, grid, symmetric=symmetric).reshape(len(boards), 2 * grid.n**2)


def on_frequencies(weights: Floats, grid: Grid) -> Floats:
    """Weights on the frequency grid of each channel, (2 n^2,) -> (2, n, n)."""
    return weights.reshape(2, grid.n, grid.n)


def on_cells(weights: Floats, grid: Grid, *, symmetric: bool = False) -> Floats:
    """What a stone on each cell adds to the score, (2 n^2,) -> (2, n, n).

    The score is linear and the basis orthonormal, so this is the inverse transform of the
    weights (averaged over the symmetries where the features are).
    """
    cells = np.asarray(idctn(on_frequencies(weights, grid), axes=(1, 2), norm="ortho"))
    if symmetric:
        flat = cells.reshape(2, -1)
        cells = np.mean([flat[:, image] for image in grid.symmetries], axis=0)
    return cells.reshape(2, grid.n, grid.n)


def on_waves(cells: Floats, grid: Grid) -> Floats:
    """Weights of the coefficients, given those of the cells, both (2 n^2,).

    Rounded to 15 decimals, so that weights that vanish by symmetry are exactly zero.
    """
    waves = np.asarray(dctn(on_frequencies(cells, grid), axes=(1, 2), norm="ortho"))
    return np.round(waves, 15).reshape(-1) + 0.0


def low_pass(weights: Floats, grid: Grid, highest: int) -> Floats:
    """Weights with every frequency above ``highest`` (in u or v) set to zero."""
    kept = on_frequencies(weights, grid).copy()
    kept[:, highest + 1 :, :] = 0
    kept[:, :, highest + 1 :] = 0
    return kept.reshape(-1)


def transfer(weights: Floats, source: Grid, target: Grid) -> Floats:
    """Transfer weights to a larger board: each keeps its frequency, the new ones are zero.

    Raises
    ------
    ValueError
        If the target is smaller than the source.
    """
    if target.n < source.n:
        raise ValueError(f"{source.name} can't be transferred to a smaller board, {target.name}")
    wider = target.n - source.n
    padded = np.pad(on_frequencies(weights, source), ((0, 0), (0, wider), (0, wider)))
    return padded.reshape(-1)
