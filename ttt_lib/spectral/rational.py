"""Linear algebra over the rational numbers, with Python integers.

A floating-point solution differs in its last bits between processors (a different kernel of the
linear algebra library, a different order of summation), and scores that should be equal come out
unequal.  So whatever a decision depends on is solved here, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats

Whole = NDArray[np.object_]

GRAIN = 2.0**-40
"""Grid of :func:`on_grid`.  Sums of numbers below 2**12 on it are exact in float64."""


def whole(values: Floats) -> tuple[Whole, int]:
    """Finite floats as integers over their least common denominator.

    Nothing is rounded: a float is a fraction whose denominator is a power of two.

    Returns
    -------
    ndarray of int (Python's), the shape of ``values``
    int
        The denominator.

    Examples
    --------
    >>> whole(np.array([0.5, -2.0, 0.125]))
    (array([4, -16, 1], dtype=object), 8)
    """
    distinct, place = np.unique(values, return_inverse=True)
    ratios = [value.as_integer_ratio() for value in distinct.tolist()]
    denominator = lcm(*(below for _, below in ratios))
    table = np.array([above * (denominator // below) for above, below in ratios], dtype=object)
    return table[place].reshape(np.shape(values)), denominator


def solve(matrix: Whole, right: Whole) -> list[Fraction]:
    """Solve a nonsingular integer system by fraction-free elimination (Bareiss, 1968).

    Parameters
    ----------
    matrix : ndarray of int, shape (n, n)
    right : ndarray of int, shape (n,)

    Raises
    ------
    ValueError
        If the matrix is singular.
    """
    size = len(matrix)
    table = np.concatenate([matrix, right[:, None]], axis=1).astype(object)
    pivot = 1
    for k in range(size):
        rows = k + np.flatnonzero(table[k:, k])
        if not len(rows):
            raise ValueError("the matrix is singular")
        table[[k, rows[0]]] = table[[rows[0], k]]
        rest = table[k + 1 :, k + 1 :] * table[k, k]
        rest -= np.outer(table[k + 1 :, k], table[k, k + 1 :])
        table[k + 1 :, k + 1 :] = rest // pivot  # leaves no remainder (Bareiss)
        pivot = table[k, k]
    return _back(table)


def independent_rows(matrix: Whole) -> list[int]:
    """Indices of the rows of an integer matrix that are not linear combinations of earlier ones."""
    reduced: list[tuple[int, list[Fraction]]] = []
    kept = []
    for index, row in enumerate(matrix.tolist()):
        left = [Fraction(value) for value in row]
        for place, basis in reduced:
            factor = left[place]
            if factor:
                left = [a - factor * b for a, b in zip(left, basis, strict=True)]
        place = next((k for k, value in enumerate(left) if value), -1)
        if place >= 0:
            reduced.append((place, [value / left[place] for value in left]))
            kept.append(index)
    return kept


def _back(table: Whole) -> list[Fraction]:
    """Back substitution in a triangular system whose last column is the right-hand side."""
    found: list[Fraction] = []
    for k in reversed(range(len(table))):
        known = zip(table[k, k + 1 : -1].tolist(), found, strict=True)
        found.insert(0, Fraction(table[k, -1] - sum(a * x for a, x in known)) / int(table[k, k]))
    return found


def on_grid(values: Sequence[Fraction] | Floats) -> Floats:
    """Round to multiples of 2**-40 (about 1e-12), float64.

    Sums of such numbers need no rounding, so they are the same in any order and on any
    processor, and sums that should be equal are.
    """
    exact = np.asarray(values, dtype=np.object_)
    steps = [round(Fraction(value) * 2**40) for value in exact.ravel()]
    return np.asarray(steps, dtype=np.float64).reshape(exact.shape) * GRAIN
