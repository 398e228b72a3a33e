"""Tests of published samples: a p-value, and which other published values would have passed.

Each answer of :mod:`ttt_lib.evidence.answers` that stands for a distribution or a sample
becomes a :class:`Tested`.  Nothing here draws random numbers: finite distributions are listed in
full; for continuous quantities we use the t distribution, or the ranks, of our own runs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.evidence.answers import (
    Chance,
    Chances,
    Count,
    Counts,
    Distribution,
    Repeats,
    Runs,
    Span,
)
from ttt_lib.game.board import Floats, Ints

SCALES = ("linear", "logit", "fisher")
SPANS: dict[str, Span] = {"logit": (0.0, 1.0), "fisher": (-1.0, 1.0)}
TIE = 1 + 1e-7
"""Chances this close count as equal."""
REACH = 15
"""Standard deviations around the mean within which a large distribution is listed."""
EVERY = 400
"""The distributions of samples up to this size are listed in full."""
RESULTS = ("wins", "draws", "losses")
PROBES = 1001
"""Values tried for each number of a joint test, evenly spaced over its range."""


class Accepted(NamedTuple):
    """The published values that would have passed.

    Attributes
    ----------
    low, high : float
        The least and the greatest; high is None where there is no limit.
    share : float
        Their share of all that the quantity can be.  For a match, the larger of two shares: of
        all its results, and of all numbers of the one that varies most.  For several numbers, the
        mean over them of what each alone could have been, the others being as published.
    """

    low: float
    high: float | None
    share: float


@dataclass(frozen=True)
class Tested:
    """A published value tested against ours.

    Attributes
    ----------
    ours : str or float
        Our chance, share, median or mean.
    interval : [float, float]
        Where 95 of 100 published values would lie; of a match the wins, or the result that the
        note names; of a joint test the distance of a run from the others.
    p_value : float
    accepts : function
        The published values that pass at a significance level, in the same unit as the interval.
    note : str
        What the test adds to the reason.
    sure : bool
        Whether our distribution leaves nothing to chance.
    joint : bool
        Whether several numbers are tested by one distance.
    result : str
        Of a match, the result whose numbers are accepted.
    readings : tuple of (str, Tested)
        Tests in all readings of a match that the document leaves open, this one first.
    """

    ours: str | float
    interval: list[float]
    p_value: float
    accepts: Callable[[float], Accepted]
    note: str = ""
    sure: bool = False
    joint: bool = False
    result: str = ""
    readings: tuple[tuple[str, Tested], ...] = ()


@singledispatch
def test(ours: Any, published: Any, n: int | None) -> Tested:
    """Test a published value (of a sample of size n, where it is counts) against our answer.

    Raises
    ------
    ValueError
        If the published value is not of the kind that our answer describes.
    """
    raise TypeError(f"nothing to test: {type(ours).__name__}")


test.__test__ = False  # type: ignore[attr-defined]  # not a test for pytest


def whole(published: Any) -> int:
    """A published whole number.

    Raises
    ------
    ValueError
        If it is not a whole number.
    """
    if float(published) != int(float(published)):
        raise ValueError(f"published {published} must be a whole number")
    return int(float(published))


def numbers(published: Any) -> list[float]:
    """The numbers of a published text, separated by spaces."""
    return [float(word) for word in str(published).split()]


# ---------------------------------------------------------------------------- finite distributions


class FiniteDistribution(NamedTuple):
    """A distribution over finitely many outcomes.

    Attributes
    ----------
    outcomes : ndarray of int, shape (m, k)
        Outcomes, those of vanishing chance left out if there are too many.
    chances : ndarray of float, shape (m,)
    possible : int
        How many outcomes there could be in all.
    """

    outcomes: Ints
    chances: Floats
    possible: int


def tested(distribution: FiniteDistribution, outcome: Sequence[int], ours: str | float) -> Tested:
    """Test two-sided: the probability of an outcome at most as likely as the published one.

    Parameters
    ----------
    outcome : sequence of int, length k
        The published counts, in the order of the distribution's columns.
    ours : str or float
        Our value, for reading.

    Returns
    -------
    Tested
        Interval and accepted values are those of one column: of a match, the result whose count
        varies most, named in the note unless it is the wins.
    """
    place = most_varied(distribution) if len(outcome) == len(RESULTS) else 0
    order = np.argsort(distribution.chances, kind="stable")
    sums = np.concatenate([[0.0], distribution.chances[order].cumsum()])

    def p_values(likely: Floats) -> Floats:  # of chances (m,), (m,)
        ends = np.searchsorted(distribution.chances[order], likely * TIE, side="right")
        return np.minimum(np.asarray(sums[ends], dtype=np.float64), 1.0)

    here = distribution.chances[(distribution.outcomes == np.asarray(outcome)).all(axis=1)].sum()

    def accepts(level: float) -> Accepted:
        passed = distribution.outcomes[p_values(distribution.chances) >= level, place]
        low, high, share = int(passed.min()), int(passed.max()), len(passed) / distribution.possible
        if len(outcome) > 2:  # results that never occur would make a match look sharp
            share = max(share, (high - low + 1) / (sum(outcome) + 1))
        return Accepted(float(low), float(high), share)

    ends = np.quantile(
        distribution.outcomes[:, place], [0.025, 0.975],
        weights=distribution.chances, method="inverted_cdf",
    )  # fmt: skip
    sure = bool(distribution.chances.max() * TIE >= 1)
    p_value = float(p_values(np.array([here]))[0])
    note = f"The limits are those of the {RESULTS[place]}, which vary most." if place else ""
    result = RESULTS[place] if len(outcome) == len(RESULTS) else ""
    interval = [float(end) for end in ends]
    return Tested(ours, interval, p_value, accepts, note, sure, result=result)


def most_varied(distribution: FiniteDistribution) -> int:
    """The column of the largest variance, the first of several."""
    mean = distribution.chances @ distribution.outcomes / distribution.chances.sum()
    spread = distribution.chances @ (distribution.outcomes - mean) ** 2
    return int((spread * TIE >= spread.max()).argmax())


def sample_distribution(n: int, shares: Floats, strength: float = math.inf) -> FiniteDistribution:
    """Counts in a sample: multinomial, or Dirichlet-multinomial if the shares are uncertain.

    Parameters
    ----------
    n : int
        Size of the sample.
    shares : ndarray of float, shape (groups, k)
        Chances of the k = 2 or 3 results; with several groups each is as likely as the others.
    strength : float
        What the parameters of the Dirichlet distribution add up to.

    Returns
    -------
    FiniteDistribution
        Over counts that add up to n, of shape (m, k).
    """
    outcomes = _outcomes(n, shares, strength)
    logs = np.stack([_log_chances(outcomes, n, row, strength) for row in shares])
    chances = np.exp(logs).mean(axis=0)
    kinds = shares.shape[1]
    return FiniteDistribution(outcomes, chances, math.comb(n + kinds - 1, kinds - 1))


def alternating_distribution(n: int, as_x: Floats, as_o: Floats) -> FiniteDistribution:
    """Counts in a match of n games whose sides alternate, X first; listed in full.

    Parameters
    ----------
    as_x, as_o : ndarray of float, shape (trainings, 3)
        Chances of win, draw and loss on either side; each training is as likely as the others.

    Raises
    ------
    ValueError
        If the two sides don't have equally many trainings.
    """
    from scipy.signal import convolve2d

    if as_x.shape != as_o.shape:
        raise ValueError("each training needs its chances on both sides")
    wins_draws = np.mean([
        convolve2d(_by_wins_and_draws(n - n // 2, x), _by_wins_and_draws(n // 2, o))
        for x, o in zip(as_x, as_o, strict=True)
    ], axis=0)  # fmt: skip
    wins, draws = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
    outcomes = np.stack([wins, draws, n - wins - draws], axis=1)
    return FiniteDistribution(outcomes, wins_draws[wins, draws], len(outcomes))


def _by_wins_and_draws(n: int, chances: Floats) -> Floats:
    """How probable numbers of wins and draws are in n games with these chances: (n+1, n+1)."""
    found = np.zeros((n + 1, n + 1))
    match = sample_distribution(n, chances[None])
    found[match.outcomes[:, 0], match.outcomes[:, 1]] = match.chances
    return found


def _outcomes(n: int, shares: Floats, strength: float) -> Ints:
    """All ways to split n into k counts, (m, k); for large n those within reach of the means.

    ``shares`` is (groups, k); an outcome within reach of any group's means is listed.
    """
    wider = (n + strength) / (1 + strength) if math.isfinite(strength) else 1.0
    reach = REACH * np.sqrt(n * shares * (1 - shares) * wider) + 2
    low = np.maximum(np.floor(n * shares - reach).min(axis=0), 0) if n > EVERY else 0 * shares[0]
    high = np.minimum(np.ceil(n * shares + reach).max(axis=0), n) if n > EVERY else 0 * low + n
    ranges = [np.arange(a, b + 1, dtype=np.int64) for a, b in zip(low[:-1], high[:-1], strict=True)]
    free = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, len(ranges))
    last = n - free.sum(axis=1)
    kept = last >= 0
    return np.asarray(np.column_stack([free, last])[kept], dtype=np.int64)


def _log_chances(outcomes: Ints, n: int, shares: Floats, strength: float) -> Floats:
    """Natural logarithms of the probabilities of outcomes (m, k), given shares (k,): (m,)."""
    from scipy.special import gammaln, xlogy

    ways = gammaln(n + 1) - gammaln(outcomes + 1).sum(axis=1)
    if math.isinf(strength):
        return np.asarray(ways + xlogy(outcomes, shares).sum(axis=1))
    weights = shares * strength
    rising = (gammaln(outcomes + weights) - gammaln(weights)).sum(axis=1)
    return np.asarray(ways + gammaln(strength) - gammaln(n + strength) + rising)


def predictive(n: int, groups: Floats) -> FiniteDistribution:
    """The distribution of the next n games of one of our training runs, chosen at random.

    A training's chances are uncertain: Jeffreys' prior, spread as all training runs together are.

    Parameters
    ----------
    n : int
        How many games are to be predicted.
    groups : ndarray of float, shape (groups, k)
        Our own counts of the k results, one row per training.

    Raises
    ------
    ValueError
        If training runs played unequally many games.
    """
    kinds = groups.shape[1]
    pooled = groups.sum(axis=0) + 0.5
    prior = np.full(kinds, 0.5) if len(groups) == 1 else pooled / pooled.sum() * kinds / 2
    weights = groups + prior
    totals = weights.sum(axis=1)
    if np.ptp(groups.sum(axis=1)):
        raise ValueError("training runs must play equally many games")
    return sample_distribution(n, weights / totals[:, None], float(totals[0]))


def split(published: Any, n: int | None, kinds: int) -> list[int]:
    """A published count out of n, or a match such as ``29-1-0``, as counts that add up to n.

    Raises
    ------
    ValueError
        If n is missing, or the counts do not add up to it.
    """
    if n is None:
        raise ValueError("a published count needs its n")
    if kinds == 2:
        counts = [whole(published), n - whole(published)]
    else:
        counts = [int(part) for part in re.findall(r"\d+", str(published))]
    if len(counts) != kinds or min(counts) < 0 or sum(counts) != n:
        raise ValueError(f"published {published} is no count out of {n}")
    return counts


def in_words(shares: Sequence[Any]) -> str:
    """Chances of win, draw and loss for reading: of 10,000 games, to a tenth of a game."""
    shown = [f"{share:.5g}" if isinstance(share, float) else share for share in shares]
    return ", ".join(f"{w} {s}" for w, s in zip(("win", "draw", "loss"), shown, strict=True))


@test.register
def _(ours: Chance, published: Any, n: int | None) -> Tested:
    chance = float(ours.chance)
    if not 0 <= chance <= 1:
        raise ValueError(f"a chance lies between 0 and 1: not {ours.chance}")
    counts = split(published, n, 2)
    distribution = sample_distribution(sum(counts), np.array([[chance, 1 - chance]]))
    shown = ours.chance if isinstance(ours.chance, float) else str(ours.chance)
    return tested(distribution, counts, shown)


@test.register
def _(ours: Chances, published: Any, n: int | None) -> Tested:
    counts, as_x = split(published, n, 3), _trainings(ours.chances)
    shares, both = as_x.astype(np.float64), as_x
    if ours.as_o is None:
        distribution = sample_distribution(sum(counts), shares)
    else:
        as_o = _trainings(ours.as_o)
        distribution = alternating_distribution(sum(counts), shares, as_o.astype(np.float64))
        both = (as_x + as_o) / 2
    shown = both[0].tolist() if len(both) == 1 else both.astype(np.float64).mean(axis=0).tolist()
    found = tested(distribution, counts, in_words(shown))
    if ours.readings and _chances(ours.readings[0][1]) != _chances(ours):
        raise ValueError("the first reading must be the match itself")
    readings = tuple((name, test(other, published, n)) for name, other in ours.readings)
    return replace(found, readings=readings)


def _trainings(chances: Sequence[Any]) -> NDArray[np.object_]:
    """The chances of a result, one row per training: (trainings, 3)."""
    rows = np.array(chances, dtype=object).reshape(-1, len(RESULTS))
    if not np.allclose(rows.sum(axis=1).astype(np.float64), 1) or rows.min() < 0:
        raise ValueError(f"chances must add up to 1: {chances}")
    return rows


def _chances(ours: Chances) -> tuple[list[Any], list[Any] | None]:
    return list(ours.chances), None if ours.as_o is None else list(ours.as_o)


@test.register
def _(ours: Count, published: Any, n: int | None) -> Tested:
    if not 0 <= ours.count <= ours.total or not ours.total:
        raise ValueError(f"our own {ours.count} is no count out of {ours.total}")
    counts = split(published, n, 2)
    groups = np.array([[ours.count, ours.total - ours.count]], dtype=float)
    return tested(predictive(sum(counts), groups), counts, ours.count / ours.total)


@test.register
def _(ours: Counts, published: Any, n: int | None) -> Tested:
    counts, groups = split(published, n, 3), np.array(ours.groups, dtype=float)
    played = [(ours.against, ours.groups), *([ours.beside] if ours.beside else [])]
    words = "; ".join(f"{name}: {shares_of(rows)}" if name else shares_of(rows)
                      for name, rows in played)  # fmt: skip
    return tested(predictive(sum(counts), groups), counts, words)


def shares_of(groups: Sequence[Sequence[int]]) -> str:
    """The shares of wins, draws and losses in some matches, for reading."""
    found = np.array(groups, dtype=float)
    return in_words((found.sum(axis=0) / found.sum()).tolist())


@test.register
def _(ours: Distribution, published: Any, n: int | None) -> Tested:
    values, chances = np.asarray(ours.values), np.asarray(ours.chances)
    distribution = FiniteDistribution(values[:, None], chances, len(values))
    steps = whole(Fraction(str(published)) / ours.step)
    found = tested(distribution, [steps], float(ours.step * Fraction(float(values @ chances))))
    return found if ours.step == 1 else _in_steps(found, ours.step)


def _in_steps(found: Tested, step: Fraction) -> Tested:
    """A test of a number of steps, told in the published unit."""

    def worth(count: float) -> float:
        return float(step * round(count))

    def accepts(level: float) -> Accepted:
        low, high, share = found.accepts(level)
        return Accepted(worth(low), worth(high or 0), share)

    return replace(found, interval=[worth(end) for end in found.interval], accepts=accepts)


# ---------------------------------------------------------------------------- draws


@test.register
def _(ours: Repeats, published: Any, n: int | None) -> Tested:
    draws = np.asarray(ours.values, dtype=float)
    if ours.scale not in SCALES:
        raise ValueError(f"unknown scale {ours.scale!r}: {', '.join(SCALES)}")
    if len(draws) < 2 or not np.isfinite(draws).all():
        raise ValueError("draws must be at least two finite numbers")
    span = ours.span or SPANS.get(ours.scale)
    if not np.ptp(draws):
        return _all_alike(float(draws[0]), str(published))
    return _t_test(draws, float(published), ours.scale, span)


def _t_test(draws: Floats, published: float, scale: str, span: Span | None) -> Tested:
    """Place the published value by a t prediction interval, on a scale without bounds.

    ``draws`` has shape (runs,); interval and accepted values are in the unit of the draws.
    """
    from scipy.stats import t

    values, mine = rescale(draws, scale), float(rescale(np.array([published]), scale)[0])
    centre, student = values.mean(), t(len(values) - 1)
    spread = values.std(ddof=1) * math.sqrt(1 + 1 / len(values))

    def within(level: float) -> list[float]:
        reach = student.isf(level / 2) * spread
        return [float(x) for x in unscale(np.array([centre - reach, centre + reach]), scale)]

    def accepts(level: float) -> Accepted:
        low, high = within(level)
        return _limited(low, high, span)

    p_value = 2 * student.sf(abs(mine - centre) / spread)
    return Tested(float(np.median(draws)), within(0.05), float(p_value), accepts)


def _all_alike(value: float, published: str) -> Tested:
    """Draws that never vary: whatever rounds to the published value passes."""
    from ttt_lib.evidence.rounding import agrees

    p_value = float(agrees(published, value))
    return Tested(value, [value, value], p_value, lambda level: Accepted(value, value, 0.0))


def _limited(low: float, high: float, span: Span | None) -> Accepted:
    """An interval cut to the span, and its share of the span; 0 of an unlimited one."""
    if span is None:
        return Accepted(low, high, 0.0)
    low, high = max(low, span[0]), min(high, span[1])
    return Accepted(low, high, (high - low) / (span[1] - span[0]))


def rescale(values: Floats, scale: str) -> Floats:
    """Map values of any shape to a scale without bounds; those at a bound move in by 1e-6."""
    if scale == "logit":
        inside = np.clip(values, 1e-6, 1 - 1e-6)
        return np.asarray(np.log(inside / (1 - inside)))
    return np.arctanh(np.clip(values, -1 + 1e-6, 1 - 1e-6)) if scale == "fisher" else values


def unscale(values: Floats, scale: str) -> Floats:
    """The inverse of :func:`rescale`, for values of any shape."""
    if scale == "logit":
        return np.asarray(1 / (1 + np.exp(-values)))
    return np.tanh(values) if scale == "fisher" else values


# ---------------------------------------------------------------------------- joint tests


@test.register
def _(ours: Runs, published: Any, n: int | None) -> Tested:
    """Place the published run by its distance: the root mean square of its z-scores.

    Our runs have shape (runs, numbers); a distance counts in standard deviations.
    """
    values, printed = _runs(ours), np.array(numbers(published))
    if values.shape[1:] != printed.shape:
        raise ValueError(f"{len(printed)} numbers are published, runs have {values.shape[1]}")
    columns = _scaled(values, ours.scales)
    centre, spread = columns.mean(axis=0), columns.std(axis=0, ddof=1)
    wider = spread * math.sqrt(1 + 1 / len(values))

    def distance(points: Floats) -> Floats:  # of (m, numbers), (m,)
        z = (_scaled(points, ours.scales) - centre) / wider
        return np.asarray(np.sqrt((z**2).mean(axis=-1)))

    mine, others = float(distance(printed[None])[0]), np.sort(left_out(columns))
    limit, p_value = (_by_rank if ours.ranks else _by_logarithm)(others, mine)

    def accepts(level: float) -> Accepted:
        far = limit(level)
        if math.isinf(far):
            return Accepted(0.0, None, 1.0)
        alone = [distance(points) <= far for points in one_by_one(printed, ours.spans)]
        return Accepted(0.0, far, float(np.mean(alone)))

    place = _place(int((others < mine).sum()) + 1, len(others) + 1)
    note = f"The published run lies at distance {mine:.2f} from ours, the {place}."
    interval = [float(end) for end in np.quantile(others, [0.025, 0.975])]
    shown = f"distance {np.median(others):.3g} from the others (median)"
    return Tested(shown, interval, p_value, accepts, note, joint=True)


def _place(rank: int, of: int) -> str:
    """A place by distance: the nearest, 2nd nearest, 3rd nearest, ... or farthest of so many."""
    if rank in (1, of):
        return f"{'nearest' if rank == 1 else 'farthest'} of {of}"
    teen = rank // 10 % 10 == 1
    ending = "th" if teen else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"{rank}{ending} nearest of {of}"


def _runs(ours: Runs) -> Floats:
    """Our runs after a check, (runs, numbers)."""
    values = np.array(ours.values, dtype=float)
    unknown = [scale for scale in ours.scales if scale not in SCALES]
    if unknown:
        raise ValueError(f"unknown scale {unknown[0]!r}: {', '.join(SCALES)}")
    # Each run is placed among the others, whose deviation takes at least two of them.
    if len(values) < 3 or not np.isfinite(values).all() or not np.ptp(values, axis=0).all():
        raise ValueError("runs must be at least three, and their numbers finite and not all alike")
    return values


Limit = Callable[[float], float]


def _by_rank(others: Floats, mine: float) -> tuple[Limit, float]:
    """Test one-sided by rank among the distances of our own runs, (runs,), in rising order.

    Returns the largest distance that passes at a level (infinite where too few runs can reject
    at it), and the p-value.
    """
    runs = len(others) + 1

    def limit(level: float) -> float:
        needed = max(math.ceil(level * runs - 1e-9) - 1, 0)
        return float(others[-needed]) if needed else math.inf

    return limit, (int((others >= mine).sum()) + 1) / runs


def _by_logarithm(others: Floats, mine: float) -> tuple[Limit, float]:
    """Test one-sided by t on the logarithms, near to normal where distances are skewed.

    Takes and returns what :func:`_by_rank` does.
    """
    from scipy.stats import t

    logs, student = np.log(others), t(len(others) - 1)
    centre, spread = logs.mean(), logs.std(ddof=1) * math.sqrt(1 + 1 / len(logs))

    def limit(level: float) -> float:
        return float(np.exp(centre + student.isf(level) * spread))

    return limit, float(student.sf((math.log(mine) - centre) / spread))


def left_out(columns: Floats) -> Floats:
    """The distance of each run, (runs, numbers), from all the others: (runs,).

    In standard deviations; means and deviations are those of the other runs.
    """
    runs = len(columns)
    means = (columns.sum(axis=0) - columns) / (runs - 1)
    squares = ((columns**2).sum(axis=0) - columns**2) / (runs - 1) - means**2
    spread = np.sqrt(squares * (runs - 1) / (runs - 2) * (1 + 1 / (runs - 1)))
    return np.asarray(np.sqrt((((columns - means) / spread) ** 2).mean(axis=1)))


def _scaled(values: Floats, scales: Sequence[str]) -> Floats:
    """Rescale each number of runs (..., numbers), which has a scale of its own."""
    columns = zip(np.moveaxis(values, -1, 0), scales, strict=True)
    return np.stack([rescale(column, scale) for column, scale in columns], axis=-1)


def one_by_one(run: Floats, spans: Sequence[Span]) -> Iterator[Floats]:
    """Copies of a run, (numbers,), in which one number takes all its values, (PROBES, numbers)."""
    for place, (low, high) in enumerate(spans):
        points = np.tile(run, (PROBES, 1))
        points[:, place] = np.linspace(low, high, PROBES)
        yield points


# ---------------------------------------------------------------------------- many tests


def levels(p_values: Sequence[float], significance: float) -> list[float]:
    """The level of each test in Holm's procedure, the other p-values being what they are.

    A hypothesis is rejected if and only if its p-value lies below its own level: the significance
    level over the number of tests left once all others that step down first have been rejected.
    """
    return [_level([*p_values[:i], *p_values[i + 1 :]], significance) for i in range(len(p_values))]


def _level(others: Sequence[float], significance: float) -> float:
    tests, before = len(others) + 1, 0
    for p_value in sorted(others):
        if p_value * (tests - before) >= significance:
            break
        before += 1
    return significance / (tests - before)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjustment of p-values (Holm, 1979)."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        highest = max(highest, float(p_values[place]) * (len(p_values) - rank))
        adjusted[place] = min(highest, 1.0)
    return adjusted
