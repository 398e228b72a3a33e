"""Ridge regression without intercept (Hoerl and Kennard, 1970), in floats and without rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from sklearn.linear_model import Ridge

from ttt_lib.game import rational
from ttt_lib.game.board import Floats


def check_penalty(lam: float) -> float:
    """Return the penalty.

    Raises
    ------
    ValueError
        If it is not a finite number >= 0.
    """
    if not (np.isfinite(lam) and lam >= 0):
        raise ValueError(f"lam must be a finite number >= 0, not {lam}")
    return float(lam)


def ridge(features: Floats, target: Floats, lam: float) -> Floats:
    """The minimiser of ``|features w - target|^2 + lam |w|^2``, shape (features,).

    Its last digits depend on the processor; :func:`exact_ridge` has none that do.

    Raises
    ------
    ValueError
        If lam is not a finite number >= 0.
    """
    if check_penalty(lam) == 0:  # averaged features are linearly dependent: the smallest solution
        return np.asarray(np.linalg.lstsq(features, target, rcond=1e-10)[0])
    found = Ridge(alpha=lam, fit_intercept=False, solver="cholesky").fit(features, target)
    return np.asarray(found.coef_)


def exact_ridge(features: Floats, target: Floats, lam: float) -> list[Fraction]:
    """The same minimiser as fractions; lam is the decimal number that it is written as.

    Meant for features that are whole, or nearly (stones on cells, averaged over symmetries:
    eighths): the normal equations are then whole numbers, and small ones.

    Raises
    ------
    ValueError
        If lam is not a finite number >= 0.
    """
    penalty = Fraction(repr(check_penalty(lam)))
    (x, scale), (y, unit) = rational.whole(features), rational.whole(target)
    x = x.astype(np.int64)  # eighths at most: the products stay far below 2**63
    gram = (x.T @ x).astype(object) * penalty.denominator
    right = (x.T.astype(object) @ y) * penalty.denominator
    gram[np.diag_indices(len(gram))] += penalty.numerator * scale**2
    found = rational.solve(gram, right) if penalty else smallest(gram, right)
    return [weight * scale / unit for weight in found]


def smallest(gram: rational.Whole, right: rational.Whole) -> list[Fraction]:
    """The smallest solution of consistent normal equations whose matrix may be singular.

    It is a combination ``R^T z`` of independent rows ``R`` of the matrix, and there is only one.
    """
    rows = rational.independent_rows(gram)
    if not rows:
        return [Fraction(0)] * len(gram)
    kept = gram[rows]
    z = rational.solve(kept @ kept.T, right[rows])
    return [Fraction(sum(a * b for a, b in zip(column, z, strict=True))) for column in kept.T]
