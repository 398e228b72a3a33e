"""A second number for document 4's energy: what a diagonal counts, beside a row or a column.

With all lines alike no b is safe as second player on 3x3.  With other diagonals some are: lighter
ones for the text's energy, heavier ones for the program's.  This module finds the b exactly for
chosen weights, states what they have in common, and plays by such energies on larger boards.
:mod:`~ttt_lib.ising.plane` proves it for all weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import groupby
from operator import itemgetter, mul
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ttt_lib.evidence.provenance import Sample, beside
from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, from_scores
from ttt_lib.game.response import worst_result
from ttt_lib.ising.curve import Slot, Span, canonical_tree, slots
from ttt_lib.ising.energy import ENERGIES, Energy, energy_of
from ttt_lib.ising.meaning import steps
from ttt_lib.ising.players import scores
from ttt_lib.ising.surd import Surd

SHARES = tuple(
    Fraction(twentieths, 20)
    for twentieths in (*range(2, 19), 20, 30, 35, 40, 50, 60, 70, 80, 90, 100)
)
"""What a diagonal of 3x3 counts, in :func:`make_diagonals`; a row counts 1."""
WIDE: Span = (Fraction(0), Fraction(100))
"""The values of b in :func:`make_diagonals`: above 1 the other's energy counts more."""


def weighted(energy: Energy, counts: tuple[int, ...]) -> Energy:
    """An energy in which walks that move along k axes count ``counts[k - 1]`` times.

    Only the ratios of the counts matter to a player.

    Parameters
    ----------
    counts : tuple of int
        One for each number of axes, 1 to d; at least 0, and not all 0.

    Raises
    ------
    ValueError
        If they are not.
    """
    if (
        len(counts) != energy.grid.d
        or any(isinstance(count, bool) for count in counts)
        or not all(isinstance(count, int | np.integer) and count >= 0 for count in counts)
        or not any(counts)
    ):
        told = f"{energy.grid.d} whole numbers of at least 0, not all 0"
        raise ValueError(f"counts must be {told}: not {counts}")
    places = energy.grid.coordinates

    def axes(walk: tuple[int, ...]) -> int:
        return int((places[walk[0]] != places[walk[1]]).sum())

    walks = tuple(walk for walk in energy.walks for _ in range(counts[axes(walk) - 1]))
    name = f"{energy.name}, counted {':'.join(map(str, counts))}"
    return replace(energy, name=name, walks=walks, counted=False)


def by_distance(grid: Grid) -> Energy:
    """The text's energy, with lines that count as the inverse square of their cells' distance.

    Neighbours on a line along k axes are sqrt(k) apart, so it counts 1/k.
    """
    whole = math.lcm(*range(1, grid.d + 1))
    counts = tuple(whole // k for k in range(1, grid.d + 1))
    return weighted(energy_of("equation", grid), counts)


def player(energy: Energy, b: float) -> Agent:
    """Play a move of largest energy, ties uniform.

    Parameters
    ----------
    energy : Energy
        One that gives symmetric boards the same energy.
    b : float
        Weight of the other's energy relative to one's own.
    """
    return from_scores(
        f"{energy.name}, b={b}", energy.grid, scores(energy, float(b)), symmetric=True
    )


def safe_ranges(energy: Energy, side: int) -> Iterator[tuple[Slot, Slot]]:
    """The first and last slot of every stretch of :data:`WIDE` in which no opponent wins, on 3x3.

    Parameters
    ----------
    side : int
        +1 if the energy plays X, -1 if O.
    """
    tree = canonical_tree(energy.grid)
    judged = (
        (worst_result(tree, slot.weights, side) >= 0, replace(slot, weights=NOT_KEPT))
        for slot in slots(energy, tree, side, WIDE)
    )
    for safe, stretch in groupby(judged, key=itemgetter(0)):
        if safe:
            found = [slot for _, slot in stretch]
            yield found[0], found[-1]


NOT_KEPT: Ints = np.empty((0, 0), dtype=np.int64)
"""In place of a table that has been judged."""


class Condition(NamedTuple):
    """What a safe pair of d and b fulfils on 3x3, d being what a diagonal counts.

    Attributes
    ----------
    formula : str
        In the steps w0, w1, w2 of the energy, see :func:`~ttt_lib.ising.meaning.steps`.
    reading : str
        What O then does.
    game : tuple of int
        The cells of a game that O can lose where this condition alone fails: just outside, except
        for the program's b > 1, whose border hardly any safe pair comes near.
    margin : tuple of four tuples of int
        The same as a number that must be positive: what 1, d, b and d b are multiplied with, each
        as factors of 1, w0, w1 and w2.  For positive b it is positive where the condition holds.
    """

    formula: str
    reading: str
    game: tuple[int, ...]
    margin: tuple[tuple[int, int, int, int], ...]


NONE = (0, 0, 0, 0)

CONDITIONS = {
    "equation": (
        Condition(
            "d w2 > w1",
            "stops a win on a diagonal rather than a row that holds one stone",
            (4, 0, 1, 7, 6, 5, 2),
            (NONE, NONE, (0, 0, -1, 0), (0, 0, 0, 1)),
        ),
        Condition(
            "b < 1 - d",
            "takes an edge in the corner trap, not a corner",
            (0, 4, 8, 2, 6, 3, 7),
            ((1, 0, 0, 0), (-1, 0, 0, 0), (-1, 0, 0, 0), NONE),
        ),
        Condition(
            "b w1 > (1 + b) w0",
            "stops two lines that hold one stone rather than enter two empty ones",
            (1, 4, 3, 8, 0, 2, 6),
            ((0, -1, 0, 0), NONE, (0, -1, 1, 0), NONE),
        ),
        Condition(
            "b (w2 - d w1) > w1",
            "stops a win rather than lengthen a row of its own and stop a diagonal",
            (4, 0, 1, 6, 7),
            ((0, 0, -1, 0), NONE, (0, 0, 0, 1), (0, 0, -1, 0)),
        ),
        Condition(
            "b ((1 - d) w1 - w0) < w0",
            "answers a corner with the centre, not with another corner",
            (0, 2, 3, 6, 4, 5, 8),
            ((0, 1, 0, 0), NONE, (0, 1, -1, 0), (0, 0, 1, 0)),
        ),
    ),
    "published": (
        Condition(
            "b (4 w1 - w0 - 2 d w1) < 1 + 2 w0",
            "takes a corner, not an edge, against X in the centre and the far corner",
            (4, 0, 8, 5, 6, 2, 7),
            ((1, 2, 0, 0), NONE, (0, 1, -4, 0), (0, 0, 2, 0)),
        ),
        Condition(
            "2 d w1 < 2 w1 - 2 w0 - 1 + b (2 w1 - w0)",
            "takes an edge in the corner trap, not a corner",
            (0, 4, 8, 2, 6, 3, 7),
            ((-1, -2, 2, 0), (0, 0, -2, 0), (0, -1, 2, 0), NONE),
        ),
        Condition(
            "b (1 + w0 + 2 w1 - 2 w2 + 2 d w1) < 2 w1",
            "stops a win rather than lengthen a row of its own and stop a diagonal",
            (4, 0, 5, 2, 3),
            ((0, 0, 2, 0), NONE, (-1, -1, -2, 2), (0, 0, -2, 0)),
        ),
        Condition(
            "b w0 < 2 w1 + 2 w2 - w0",
            "wins rather than only stop a win",
            (4, 0, 2, 6, 5, 8, 3),
            ((0, -1, 2, 2), NONE, (0, -1, 0, 0), NONE),
        ),
        Condition(
            "b > 1",
            "answers the centre with a corner, not an edge: with the first two, it means d > 1",
            (4, 1, 0, 8, 3, 5, 6),
            ((-1, 0, 0, 0), NONE, (1, 0, 0, 0), NONE),
        ),
    ),
}
"""By energy: for which d and b nobody beats its player as O, see :mod:`ttt_lib.ising.plane`."""


def margin(condition: Condition, energy: Energy) -> tuple[Surd, ...]:
    """What 1, d, b and d b are multiplied with in a condition's margin, exactly."""
    numbers = [energy.root.polynomial([1]), *steps(energy)]
    factors = [[energy.root.polynomial([n]) for n in row] for row in condition.margin]
    none = energy.root.polynomial([0])
    return tuple(sum(map(mul, row, numbers), start=none) for row in factors)


LOWER, UPPER = ("w0/(w1 - w0)", "w1/(w2 - d w1)"), ("1 - d", "w0/((1 - d) w1 - w0)")
"""The formulas of :func:`edges`: a safe b is above the first two, and below the others."""


def edges(share: Fraction) -> dict[str, Surd]:
    """The b at which each condition but the first turns, by formula.

    Parameters
    ----------
    share : Fraction
        What a diagonal counts, called d in the formulas; below 1 - w0/w1.
    """
    energy = energy_of("equation", Grid(3))
    w, whole = steps(energy), energy.root.polynomial
    d, rest = whole([share]), whole([1 - share])
    low = w[0] / (w[1] - w[0]), w[1] / (w[2] - d * w[1])
    high = rest, w[0] / (rest * w[1] - w[0])
    return dict(zip((*LOWER, *UPPER), (*low, *high), strict=True))


def shares_between() -> tuple[float, float]:
    """Between which d the conditions leave some b: w1/w2, and where w1/(w2 - d w1) meets 1 - d."""
    _, one, two = map(float, steps(energy_of("equation", Grid(3))))
    ratio = two / one  # with rest = 1 - d: rest^2 + (ratio - 1) rest = 1
    return 1 / ratio, 1 - (math.sqrt((ratio - 1) ** 2 + 4) - (ratio - 1)) / 2


@cache
@read_only
def margins(name: str) -> Floats:
    """The :func:`margin` of each of an energy's conditions as floats, shape (C, 4)."""
    energy = energy_of(name, Grid(3))
    return np.array([[float(a) for a in margin(one, energy)] for one in CONDITIONS[name]])


def conditions(share: float, b: float, name: str = "equation") -> list[bool]:
    """Which of an energy's :data:`CONDITIONS` a pair with positive b fulfils, in their order."""
    return [bool(value > 0) for value in margins(name) @ [1, share, b, share * b]]


def make_diagonals() -> pd.DataFrame:
    """For which b nobody beats the second player on 3x3, by what a diagonal counts."""
    return pd.DataFrame([row for name in ENERGIES for row in ranges(name, SHARES)])


def ranges(name: str, shares: Iterable[Fraction]) -> Iterator[dict[str, Any]]:
    """One row per stretch of safe b, and one without ends where there is none."""
    for share in shares:
        energy = weighted(energy_of(name, Grid(3)), (share.denominator, share.numerator))
        row: dict[str, Any] = {"energy": name, "diagonal": str(share)}
        found = list(safe_ranges(energy, -1))
        for first, last in found:
            low, high = first.at, last.end
            forms = [_formula(end, share) if name == "equation" else "" for end in (low, high)]
            ends = {
                "from": float(low),
                "to": float(high),
                "from_form": forms[0],
                "to_form": forms[1],
            }
            yield {**row, **ends, "from_closed": first.point, "to_closed": last.point}
        if not found:
            yield row


def _formula(end: Surd, share: Fraction) -> str:
    """The formula of :func:`edges` that gives an end of a stretch exactly; empty if none does."""
    return next((form for form, at in edges(share).items() if at == end), "")


def sample_diagonals() -> Sample:
    """Both energies with diagonals at half weight."""
    found = pd.DataFrame([row for name in ENERGIES for row in ranges(name, [Fraction(1, 2)])])
    return beside("ising_diagonals.csv", found, "energy", "diagonal")
