"""Confidence intervals for proportions, scores and means."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd


class Interval(NamedTuple):
    """A confidence interval for a proportion, a score or a mean."""

    low: float
    high: float


def wilson(count: int, total: int, confidence: float = 0.95) -> Interval:
    """Wilson's score interval for a proportion (Wilson, 1927).

    Raises
    ------
    ValueError
        Unless 0 <= count <= total, 0 < total and 0 < confidence < 1.
    """
    if not (0 <= count <= total and total > 0):
        raise ValueError(f"a share needs 0 <= count <= total and total > 0, not {count} of {total}")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, as 0.95 does: not {confidence}")
    from scipy.stats import binomtest  # slow to import, only needed at the end of a match

    found = binomtest(count, total).proportion_ci(confidence, method="wilson")
    return Interval(float(found.low), float(found.high))


def with_intervals(table: pd.DataFrame, result: str) -> pd.DataFrame:
    """Add a result's share of the games with its 95% Wilson interval: columns share, low, high."""
    pairs = [(int(n), int(games)) for n, games in zip(table[result], table["games"], strict=True)]
    known = {pair: wilson(*pair) for pair in set(pairs)}  # many rows lost no game
    low, high = zip(*(known[pair] for pair in pairs), strict=True)
    return table.assign(share=table[result] / table["games"], low=low, high=high)


def score_interval(points: float, squares: float, units: int, confidence: float = 0.95) -> Interval:
    """Interval for the mean score of independent units, each in [0, 1]: games, or pairs of games.

    Wilson's interval with the observed sum of squared deviations in place of n p (1 - p):
    if all units are 0 or 1 it is exactly Wilson's; draws and pairs that even out
    make it narrower; and it never collapses to a point.

    Parameters
    ----------
    points : float
        Sum of the units' scores.
    squares : float
        Sum of the squares of the units' scores.
    units : int

    Raises
    ------
    ValueError
        Unless 0 <= squares <= points <= units, 0 < units, units is finite and 0 < confidence < 1.
    """
    if not (units > 0 and isfinite(units) and 0 <= squares <= points <= units):
        raise ValueError(
            f"a score needs 0 <= squares <= points <= units, units > 0 and finite, "
            f"not {squares}, {points} and {units}"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, as 0.95 does: not {confidence}")
    from statistics import NormalDist

    z = NormalDist().inv_cdf((1 + confidence) / 2)
    mean = points / units
    spread = max(squares - points**2 / units, 0.0)
    middle = (points + z * z / 2) / (units + z * z)
    reach = z * (spread + z * z / 4) ** 0.5 / (units + z * z)
    # The mean always lies inside; at 0 and 1 it is the bound itself, despite rounding.
    return Interval(max(min(middle - reach, mean), 0.0), min(max(middle + reach, mean), 1.0))


def games_interval(win: int, draw: int, games: int) -> Interval:
    """:func:`score_interval` of independent games: a win 1, a draw 1/2."""
    return score_interval(win + draw / 2, win + draw / 4, games)


def pairs_interval(pairs: Sequence[int]) -> Interval:
    """:func:`score_interval` over pairs of games from one opening.

    Parameters
    ----------
    pairs : sequence of int, length 5
        How many pairs yielded 0, 1/2, 1, 3/2 and 2 points.
    """
    scores = [0.0, 0.25, 0.5, 0.75, 1.0]
    points = sum(n * score for n, score in zip(pairs, scores, strict=True))
    squares = sum(n * score**2 for n, score in zip(pairs, scores, strict=True))
    return score_interval(points, squares, sum(pairs))


def mean_interval(values: Iterable[float], confidence: float = 0.95) -> Interval:
    """Interval for the mean of independent values by Student's t (Student, 1908), in their unit.

    Parameters
    ----------
    values : iterable of float, length n
        If all are equal, the interval is a point.

    Raises
    ------
    ValueError
        Unless n >= 2, 0 < confidence < 1 and the values are finite.
    """
    from statistics import fmean, stdev

    from scipy.stats import t  # slow to import

    given = [float(value) for value in values]
    n = len(given)
    if not (n >= 2 and 0 < confidence < 1):
        raise ValueError(f"a mean needs n >= 2 and 0 < confidence < 1, not {n} and {confidence}")
    if not all(map(isfinite, given)):
        raise ValueError("a mean needs finite values")
    reach = float(t.ppf((1 + confidence) / 2, n - 1)) * stdev(given) / n**0.5
    return Interval(fmean(given) - reach, fmean(given) + reach)
