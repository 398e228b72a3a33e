"""Confidence intervals of shares."""

from __future__ import annotations

from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval of a proportion."""

    low: float
    high: float


def wilson(count: int, total: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval of a proportion (Wilson, 1927).

    Raises
    ------
    ValueError
        Unless 0 <= count <= total, 0 < total and 0 < confidence < 1.
    """
    if not (0 <= count <= total and total > 0):
        raise ValueError(f"a share needs 0 <= count <= total and total > 0, not {count} of {total}")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, as 0.95 does: not {confidence}")
    from scipy.stats import binomtest  # slow to import, needed at the end of a match only

    found = binomtest(count, total).proportion_ci(confidence, method="wilson")
    return Interval(float(found.low), float(found.high))
