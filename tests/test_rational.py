"""Exact linear algebra: against small systems, and blind to the order and size of its input."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ttt_lib.spectral import rational


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_a_solution_solves(seed: int, size: int) -> None:
    """Small entries make singular systems frequent; the determinant in floats says which."""
    rng = np.random.default_rng(seed)
    matrix, right = rng.integers(-3, 4, (size, size)), rng.integers(-9, 10, size)
    if abs(np.linalg.det(matrix)) < 0.5:  # the determinant of whole numbers is whole
        with pytest.raises(ValueError, match="singular"):
            rational.solve(matrix.astype(object), right.astype(object))
        return
    found = rational.solve(matrix.astype(object), right.astype(object))
    for row, value in zip(matrix.tolist(), right.tolist(), strict=True):
        assert sum(Fraction(a) * x for a, x in zip(row, found, strict=True)) == value


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=40, deadline=None)
def test_independent_rows_span_the_rest(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-2, 3, (6, 3)) @ rng.integers(-2, 3, (3, 5))
    kept = rational.independent_rows(matrix.astype(object))
    rank = np.linalg.matrix_rank(matrix)
    assert len(kept) == rank
    assert rank == 0 or np.linalg.matrix_rank(matrix[kept]) == rank
    assert all(np.linalg.matrix_rank(matrix[: row + 1]) > np.linalg.matrix_rank(matrix[:row])
               for row in kept if row)  # fmt: skip


def test_floats_are_taken_as_they_are() -> None:
    values = np.array([[0.1, -3.0], [2.0**-70, 0.0]])
    found, denominator = rational.whole(values)
    assert found.shape == (2, 2)
    assert [Fraction(n, denominator) for n in found.ravel()] == [
        Fraction(v) for v in values.ravel()
    ]


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30, deadline=None)
def test_sums_on_the_grid_are_the_same_in_any_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    raw = rng.normal(size=200)
    values = rational.on_grid(raw)
    assert np.abs(values - raw).max() <= rational.GRAIN / 2
    assert len({float(np.sum(rng.permutation(values))) for _ in range(5)}) == 1
    assert float(np.dot(values, np.ones(200))) == sum(map(Fraction, values.tolist()))
