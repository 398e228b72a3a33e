"""Document 4's energy on 3x3 at all d and all b at once: a proof by rectangles.

A line along a diagonal counts d times (see :mod:`~ttt_lib.ising.diagonals`).  A move is then worth
A + B d + C b + D d b, so on a rectangle of the plane the difference of two moves is largest and
smallest at corners.  Where the corners agree, they tell which move is worth more; where they
don't, both may be the best.  Of a rectangle that is not settled so, the halves are tried; where a
border runs through it, both sides of the border are tried.

Inside all borders the edges of a rectangle count, since a tie on an edge might lose: there the
signs must hold on the closed rectangle.  Beyond a border open sets are enough.  A move that is
best at pairs that converge is best at their limit, so the pairs at which somebody beats the player
form a closed set.  It contains the borders, too, since each of their points is a limit of pairs
beyond one of them.  (A border may vanish on all of d = 0 or b = 0 only if another one excludes
that edge.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations
from math import inf
from operator import sub
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats, Grid, Ints, Mask
from ttt_lib.game.exact import least_reached
from ttt_lib.game.gametree import GameTree
from ttt_lib.game.kept import read_only
from ttt_lib.ising.curve import canonical_tree
from ttt_lib.ising.diagonals import CONDITIONS, margin, weighted
from ttt_lib.ising.energy import Energy, energy_of, gains
from ttt_lib.ising.surd import Surd

Function = tuple[Surd, ...]
"""A + B d + C b + D d b, by its four coefficients."""

Signs = NDArray[np.int8]
"""Of every curve: 1 or -1 where it is known, else 0."""

ROUNDING = 1e-12
"""Values that are smaller, relative to the sum of their terms, have no certain sign in floats."""
FINEST = 2.0**-13
"""Smallest side of a rectangle that is halved, with d/(1 + d) and b/(1 + b) as coordinates."""


class Rectangle(NamedTuple):
    """A part of the plane with what was proved about it.

    Attributes
    ----------
    d, b : pairs of float
        From where to where; the end may be infinite.
    found : str
        ``safe``: nobody beats the player inside all borders, and none runs through the rectangle;
        ``beaten``: somebody does, everywhere; ``border``: nobody inside all borders, somebody
        beyond; ``outside``: beyond a border, and not looked at; ``open``: not settled.
    """

    d: tuple[float, float]
    b: tuple[float, float]
    found: str = "open"

    @property
    def corners(self) -> Floats:
        """What 1, d, b and d b are at each corner, in a unit that may be infinite; shape (4, 4)."""
        return np.array([np.kron(_unit(b), _unit(d)) for d in self.d for b in self.b])

    @property
    def far(self) -> Mask:
        """Which corners are at infinity, shape (4,)."""
        return np.array([inf in (d, b) for d in self.d for b in self.b])

    def halves(self) -> tuple[Self, Self]:
        """Cut across the longer side."""
        if _length(*self.d) >= _length(*self.b):
            middle = _middle(*self.d)
            return self._replace(d=(self.d[0], middle)), self._replace(d=(middle, self.d[1]))
        middle = _middle(*self.b)
        return self._replace(b=(self.b[0], middle)), self._replace(b=(middle, self.b[1]))

    @property
    def side(self) -> float:
        """The longer side, with d/(1 + d) and b/(1 + b) as coordinates."""
        return max(_length(*self.d), _length(*self.b))


QUADRANT = Rectangle((0.0, inf), (0.0, inf))


def _unit(x: float) -> tuple[float, float]:
    return (0.0, 1.0) if x == inf else (1.0, x)


def _middle(low: float, high: float) -> float:
    return 2 * low + 1 if high == inf else (low + high) / 2


def _length(low: float, high: float) -> float:
    return (1.0 if high == inf else high / (1 + high)) - low / (1 + low)


@dataclass(frozen=True)
class Plane:
    """How the moves of one side compare, as functions of d and b.

    Attributes
    ----------
    tree : GameTree
        The game, by canonical states.
    side : int
        The player's side, +1 or -1.
    rows : ndarray of intp, shape (R,)
        The running states with that side to move.
    worth : ndarray of int64, shape (R, cells)
        Index of each move's worth, -1 where it is not legal.
    curve, sign : ndarray of int64, shape (W, W)
        Worth i less worth j is ``sign[i, j]`` times a positive number times curve ``curve[i, j]``;
        the sign is 0 where the two are never compared, or equal.
    curves : tuple of Function
        All different ones, scaled so that the first coefficient other than 0 is 1.
    borders : tuple of Function
        Each is positive on the side where the player is said to be safe.
    border, inside : ndarray of int64 and int8, shape (B,)
        The curve of each border, and the curve's sign on that side.
    """

    tree: GameTree
    side: int
    rows: NDArray[np.intp]
    worth: Ints
    curve: Ints
    sign: Ints
    curves: tuple[Function, ...]
    borders: tuple[Function, ...]
    border: Ints
    inside: Signs

    def possible(self, signs: Signs) -> Mask:
        """Legal moves, but of the player's only those not known to be worth less; (S, cells)."""
        own = self.worth >= 0
        more = self.sign * signs[self.curve] > 0
        beaten = more[self.worth[:, :, None], self.worth[:, None, :]] & own[:, :, None]
        found = self.tree.legal.copy()
        found[self.rows] &= ~beaten.any(axis=1)
        return found

    def safe(self, signs: Signs) -> bool:
        """Whether nobody wins even if the player may choose any possible move."""
        results = self.side * self.tree.winner.astype(np.int64)
        return bool(least_reached(self.tree, self.possible(signs), results)[0] >= 0)

    def beaten(self, signs: Signs) -> bool:
        """Whether somebody wins whichever possible move is the best."""
        possible = np.where(self.possible(signs), self.tree.children, -1)
        return bool(self.side * replace(self.tree, children=possible).value[0] < 0)

    @cached_property
    @read_only
    def _terms(self) -> Floats:
        return np.array([[float(a) for a in f] for f in self.curves])

    @cached_property
    @read_only
    def _rational(self) -> Mask:
        return np.array([not any(any(a.coefficients[1:]) for a in f) for f in self.curves])

    def signs(self, part: Rectangle, *, interior: bool = False) -> Signs:
        """The sign of every curve on a rectangle, or only on its interior; 0 if not known.

        In the interior, and towards infinity, a curve may vanish at some of the corners.  Where
        coefficients are rational a 0 in floats is 0: they are small fractions, and corners have
        few bits.
        """
        values, sizes = self._terms @ part.corners.T, np.abs(self._terms) @ part.corners.T
        zero = (values == 0) & self._rational[:, None] & (part.far | interior)
        sure = np.where(np.abs(values) > ROUNDING * sizes, np.sign(values), 0)
        up, down = ((zero | (sure == s)).all(axis=1) & (sure == s).any(axis=1) for s in (1, -1))
        return np.asarray(up.astype(np.int8) - down.astype(np.int8))

    def sides(self, signs: Signs) -> Signs:
        """For every border 1 on the side where the player is said to be safe, -1 beyond, or 0."""
        return np.asarray(signs[self.border] * self.inside)

    def void(self, part: Rectangle, sides: Signs) -> bool:
        """Whether two borders on these sides have a sum that is nowhere positive.

        Then no point lies on both sides.  It depends on how the borders are scaled, and may miss
        sides that exclude each other.
        """
        for i, j in combinations(np.flatnonzero(sides), 2):
            pair = [(int(sides[k]), self.borders[k]) for k in (i, j)]
            if all(_at(pair, corner) <= 0 for corner in part.corners):
                return True
        return False


def _at(terms: list[tuple[int, Function]], corner: Floats) -> int:
    """The sign of a sum of functions at a corner, exactly."""
    root = terms[0][1][0].root
    total = root.polynomial([0])
    for factor, function in terms:
        for value, a in zip(corner, function, strict=True):
            total += root.polynomial([Fraction(value) * factor]) * a
    return total.sign()


@cache
@read_only
def plane(name: str, side: int) -> Plane:
    """The moves of an energy's player on 3x3, and the borders of its :data:`CONDITIONS`.

    Parameters
    ----------
    name : str
        ``equation`` or ``published``.
    side : int
        +1 to play X, -1 to play O.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    energy, tree = energy_of(name, Grid(3)), canonical_tree(Grid(3))
    rows, worth, worths = _worths(energy, tree, side)
    known: dict[Function, int] = {}
    borders = tuple(margin(one, energy) for one in CONDITIONS[name])
    scaled = [_scaled(border) for border in borders]
    border = np.array([known.setdefault(curve, len(known)) for curve, _ in scaled])
    curve = np.zeros((len(worths), len(worths)), dtype=np.int64)
    sign = np.zeros_like(curve)
    for row in worth:
        for i, j in combinations(np.unique(row[row >= 0]), 2):
            if not sign[i, j]:
                function, way = _scaled(tuple(map(sub, worths[i], worths[j])))
                curve[i, j] = curve[j, i] = known.setdefault(function, len(known))
                sign[i, j], sign[j, i] = way, -way
    inside = np.array([way for _, way in scaled], dtype=np.int8)
    return Plane(tree, side, rows, worth, curve, sign, tuple(known), borders, border, inside)


def _worths(
    energy: Energy, tree: GameTree, side: int
) -> tuple[NDArray[np.intp], Ints, list[Function]]:
    """The states where a side is to move, the index of each move's worth there, and the worths."""
    rows = np.flatnonzero((tree.grid.to_move(tree.boards) == side) & ~tree.finished)
    straight, diagonal = weighted(energy, (1, 0)), weighted(energy, (0, 1))
    worth = np.full((len(rows), tree.grid.cells), -1, dtype=np.int64)
    known: dict[Function, int] = {}
    for state, row in zip(tree.boards[rows].tolist(), worth, strict=True):
        for a, d in zip(gains(straight, state, side), gains(diagonal, state, side), strict=True):
            terms = tuple(map(energy.root.polynomial, (a.own, d.own, a.other, d.other)))
            row[a.move] = known.setdefault(terms, len(known))
    return rows, worth, list(known)


def _scaled(function: Function) -> tuple[Function, int]:
    """A function divided by its first coefficient other than 0, and that coefficient's sign."""
    first = next(a for a in function if any(a.coefficients))
    return tuple(a / first for a in function), first.sign()


def prove(plane: Plane, *, beyond: bool = True) -> Iterator[Rectangle]:
    """Cut d >= 0, b >= 0 into rectangles, and settle in each whether somebody beats the player.

    Proved is that inside all borders nobody does and, if ``beyond``, that elsewhere somebody does.

    Yields
    ------
    Rectangle
        If none of them is ``open``, it is proved; an open one proves nothing.
    """
    parts = [QUADRANT]
    while parts:
        part = parts.pop()
        found = _settle(plane, part, plane.signs(part), plane.signs(part, interior=True), beyond)
        if found or part.side <= FINEST:
            yield part._replace(found=found or "open")
        else:
            parts.extend(part.halves())


def _settle(plane: Plane, part: Rectangle, closed: Signs, interior: Signs, beyond: bool) -> str:
    """What is proved about a rectangle, given the signs of curves; empty if nothing is.

    Where the side of a border is not known, each is assumed in turn, which leaves one border fewer.

    Parameters
    ----------
    closed, interior : ndarray of int8, shape (C,)
        Signs on the whole rectangle and on its interior, where more of them are known.
    beyond : bool
        Whether to prove that somebody wins beyond a border, or not to look there.
    """
    sides = plane.sides(interior)
    outside = bool((sides < 0).any())
    if outside and not beyond:
        return "outside"
    if outside and plane.beaten(interior):
        return "beaten"
    # That nobody wins is shown of the edges, too; that somebody does, of the interior alone.
    unknown = np.flatnonzero((sides if outside else plane.sides(closed)) == 0)
    if not len(unknown):
        return "safe" if not outside and plane.safe(closed) else ""
    results = {
        _settle(plane, part, *signs, beyond)
        for signs in _assumed(closed, interior, plane.border[unknown[0]])
        if not plane.void(part, plane.sides(signs[1]))
    }
    if "" in results:
        return ""
    # Different on the two sides, or both assumptions void: either way nothing is left to settle.
    return results.pop() if len(results) == 1 else "border"


def _assumed(closed: Signs, interior: Signs, curve: int) -> Iterator[tuple[Signs, Signs]]:
    """The same signs, but for a curve those that it may have in the interior, one after another."""
    known = interior[curve]
    here = np.arange(len(closed)) == curve
    for sign in (known,) if known else (1, -1):
        yield np.where(here, sign, closed), np.where(here, sign, interior)
