"""Ridge regression without intercept (Hoerl and Kennard, 1970), in floats and without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from ttt_lib.game.board import Floats, Ints, Mask
from ttt_lib.game.kept import read_only
from ttt_lib.spectral import rational


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

    Its last digits depend on the processor; those of :func:`exact_ridge` don't.

    Raises
    ------
    ValueError
        If lam is not a finite number >= 0.
    """
    if check_penalty(lam) == 0:  # averaged features are linearly dependent: minimum norm
        return np.asarray(np.linalg.lstsq(features, target, rcond=1e-10)[0])
    from sklearn.linear_model import Ridge  # slow to import, and no player needs it

    found = Ridge(alpha=lam, fit_intercept=False, solver="cholesky").fit(features, target)
    return np.asarray(found.coef_)


def exact_ridge(features: Floats, target: Floats, lam: float) -> list[Fraction]:
    """The same minimiser as fractions; lam is taken as the decimal number that it prints as.

    Meant for features that are integers or nearly so (stones on cells; averaged over symmetries,
    eighths): the normal equations then have small integer coefficients.

    Raises
    ------
    ValueError
        If lam is not a finite number >= 0, or as :meth:`WholeRows.of`.
    """
    rows = WholeRows.of(features, target)
    return rows.solved(*rows.sums, lam)


def smallest(gram: rational.Whole, right: rational.Whole) -> list[Fraction]:
    """The minimum-norm solution of consistent normal equations whose matrix may be singular.

    It is the only solution of the form ``R^T z`` with independent rows ``R`` of the matrix.
    """
    rows = rational.independent_rows(gram)
    if not rows:
        return [Fraction(0)] * len(gram)
    kept = gram[rows]
    z = rational.solve(kept @ kept.T, right[rows])
    return [Fraction(sum(a * b for a, b in zip(column, z, strict=True))) for column in kept.T]


@dataclass(frozen=True, eq=False)
class WholeRows:
    """Features and targets as integers, for many regressions on subsets of the same rows.

    Attributes
    ----------
    x : ndarray of int64, shape (R, features)
    y : ndarray of int (Python's), shape (R,)
    scale, unit : int
        The denominators of the features and of the targets.
    """

    x: Ints
    y: rational.Whole
    scale: int
    unit: int

    @classmethod
    def of(cls, features: Floats, target: Floats) -> WholeRows:
        """Convert features and targets.

        Raises
        ------
        ValueError
            If the features, as integers, are so large that sums of their products may overflow.
        """
        (x, scale), (y, unit) = rational.whole(features), rational.whole(target)
        if len(x) * int(abs(x).max(initial=0)) ** 2 >= 2**63:
            raise ValueError(f"features in units of 1/{scale} are too fine for exact sums")
        return cls(x.astype(np.int64), y, scale, unit)

    @cached_property
    @read_only
    def sums(self) -> tuple[rational.Whole, rational.Whole]:
        """The normal equations of all rows, matrix and right side."""
        return self._sums(np.ones(len(self.y), dtype=np.bool_))

    def _sums(self, rows: Mask) -> tuple[rational.Whole, rational.Whole]:
        x = self.x[rows]
        return (x.T @ x).astype(object), x.T.astype(object) @ self.y[rows]

    def ridge_without(self, rows: Mask, lams: Sequence[float]) -> list[list[Fraction]]:
        """What :func:`exact_ridge` gives for all rows but these, for each lambda.

        Normal equations are sums over rows: those of the rows left out are subtracted.

        Raises
        ------
        ValueError
            If a lambda is not a finite number >= 0.
        """
        (gram, right), (less, fewer) = self.sums, self._sums(rows)
        return [self.solved(gram - less, right - fewer, lam) for lam in lams]

    def solved(self, gram: rational.Whole, right: rational.Whole, lam: float) -> list[Fraction]:
        """The minimiser for a part of the rows, given its normal equations.

        Raises
        ------
        ValueError
            If lambda is not a finite number >= 0.
        """
        penalty = Fraction(repr(check_penalty(lam)))
        gram, right = gram * penalty.denominator, right * penalty.denominator
        gram[np.diag_indices(len(gram))] += penalty.numerator * self.scale**2
        found = rational.solve(gram, right) if penalty else smallest(gram, right)
        return [weight * self.scale / self.unit for weight in found]
