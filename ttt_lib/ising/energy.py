"""The two energies of document 4, on any n^d board, exactly and by name.

An energy is a sum over *walks*: rows of cells that begin at a border cell.  A
walk with k of a player's stones weighs ``k! c^k`` with c = (n + 1)^(1/n), and a
walk that meets an opposing stone weighs nothing.  The document grows every cell's 3^d - 1
directions like hairs and cuts off those that lead off the board.  The two energies differ in
which walks there are and how far a walk looks:

``equation``
    What the document's text defines: every winning line once, in full.
``published``
    What its program computes: walks that step u, 2u, 4u, ..., stop at the first
    empty cell after the start, and omit diagonals that don't join two corners.

A move i is worth ``E_own(own stone on i) + b E_other(other's stone on i)``.  All
functions here subtract the two energies before the move, which are the same
for every move: what remains is the *gain* of a move.

This module is the readable reference, exact where needed; tests check the
compiled kernels against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Ints
from ttt_lib.game.kept import once, read_only
from ttt_lib.ising.surd import Root, Surd, root_of

# ---------------------------------------------------------------------------- walks

Walk = tuple[int, ...]
"""The cells of a walk in order, start first."""


@cache
def directions(d: int) -> tuple[tuple[int, ...], ...]:
    """All 3^d - 1 steps to a neighbouring cell."""
    return tuple(step for step in product((-1, 0, 1), repeat=d) if any(step))


def inward(grid: Grid, place: Sequence[int], step: Sequence[int]) -> bool:
    """Whether a step leads away from every border that the cell lies on ("hair cut")."""
    return all(0 <= x + s < grid.n for x, s in zip(place, step, strict=True))


def line_starts(grid: Grid) -> list[tuple[int, tuple[int, ...]]]:
    """Every line twice: from each of its two ends, with its direction."""
    return [
        (cell, step)
        for cell, place in enumerate(grid.coordinates.tolist())
        for step in directions(grid.d)
        if inward(grid, place, [s * (grid.n - 1) for s in step])
    ]


def program_starts(grid: Grid) -> list[tuple[int, tuple[int, ...]]]:
    """The starts that the program keeps: all lines from a corner, axes from other border cells."""
    edge = (0, grid.n - 1)
    corner = [all(x in edge for x in place) for place in grid.coordinates.tolist()]
    return [
        (cell, step) for cell, step in line_starts(grid) if corner[cell] or sum(map(abs, step)) == 1
    ]


def walk(grid: Grid, start: int, step: Sequence[int], *, doubling: bool) -> Walk:
    """The cells a walk visits: it ends at the border it moves towards, or off the board.

    With ``doubling``, the distances from the start are 1, 2, 4, 8, ... in units of
    the step, as in the program, so from n = 4 on the walk leaves its line.
    """
    stride = sum(s * grid.n ** (grid.d - 1 - axis) for axis, s in enumerate(step))
    cells, distance = [start], 1
    while 0 <= start + distance * stride < grid.cells:
        cells.append(start + distance * stride)
        if _at_border(grid, cells[-1], step):
            break
        distance = 2 * distance if doubling else distance + 1
    return tuple(cells)


def _at_border(grid: Grid, cell: int, step: Sequence[int]) -> bool:
    place = grid.coordinates[cell].tolist()
    return not all(0 <= x + s < grid.n for x, s in zip(place, step, strict=True))


def padded(values: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """Ragged rows as one array, padded with -1."""
    longest = max(map(len, values))
    return np.array([[*row, *[-1] * (longest - len(row))] for row in values], dtype=np.int64)


# ---------------------------------------------------------------------------- energies

Pattern = tuple[int, ...]
"""Stones along a walk as one player sees them: 1 own, -1 the other's, 0 empty."""

Term = Callable[[Pattern], tuple[int, int]]
"""A walk's weight as (coefficient, power): it weighs coefficient * c^power."""

ENERGIES = ("equation", "published")
MAX_EDGE = 120
"""Longest edge whose energies don't overflow floats."""


@dataclass(frozen=True, eq=False)
class Energy:
    """An energy of one board: walks, and what a pattern on a walk weighs.

    Attributes
    ----------
    name : str
        ``equation``, ``published``, or another reading's name.
    grid : Grid
        The board.
    root : Root
        The number c.
    walks : tuple of tuples
        The walks as cell indices, start first.
    term : callable
        What a walk weighs, see :data:`Term`.
    gaps : bool
        Whether a walk stops at the first empty cell after its start (so that
        X.X counts as one stone); for the kernels, which don't call ``term``.
    counted : bool
        Whether only the number of stones on each line matters.
    """

    name: str
    grid: Grid
    root: Root
    walks: tuple[Walk, ...]
    term: Term
    gaps: bool = False
    counted: bool = True

    @cached_property
    def through(self) -> list[list[int]]:
        """For every cell, the walks that contain it."""
        found: list[list[int]] = [[] for _ in range(self.grid.cells)]
        for index, cells in enumerate(self.walks):
            for cell in cells:
                found[cell].append(index)
        return found

    @cached_property
    @read_only
    def weights(self) -> Floats:
        """What k own stones weigh, k = 0, 1, ..., as floats, shape (longest + 1,)."""
        longest = max(map(len, self.walks))
        terms = [self.term((1,) * k + (0,) * (longest - k)) for k in range(longest + 1)]
        c = float(self.root.polynomial([0, 1]))
        return np.array([coefficient * c**power for coefficient, power in terms])


def factorial_term(pattern: Pattern) -> tuple[int, int]:
    """The weight k! c^k for k own stones anywhere on a line without opposing stones, else 0."""
    stones = sum(pattern)
    return (0, 0) if -1 in pattern else (factorial(stones), stones)


def prefix_term(pattern: Pattern) -> tuple[int, int]:
    """The program's count: only up to the first empty cell after the start."""
    stop = next((i for i in range(1, len(pattern)) if pattern[i] == 0), len(pattern))
    return factorial_term(pattern[:stop])


def power_term(pattern: Pattern) -> tuple[int, int]:
    """The weight base^k of Erdos and Selfridge's potential."""
    return (0, 0) if -1 in pattern else (1, sum(pattern))


def position_term(pattern: Pattern) -> tuple[int, int]:
    """Another reading: each own stone weighs c times its place on the line, 1 to n."""
    places = [place for place, stone in enumerate(pattern, start=1) if stone == 1]
    return (0, 0) if -1 in pattern else (prod(places), len(places))


def literal_term(pattern: Pattern) -> tuple[int, int]:
    """Another reading: empty cells add their factor too, so every open line weighs n! c^n."""
    size = len(pattern)
    return (0, 0) if -1 in pattern else (factorial(size), size)


def nonempty_term(pattern: Pattern) -> tuple[int, int]:
    """Another reading: an empty line weighs nothing instead of 1."""
    return factorial_term(pattern) if any(pattern) else (0, 0)


def others_term(pattern: Pattern) -> tuple[int, int]:
    """Another reading: ord starts with 2 and runs over the other own stones, k! c^(k - 1)."""
    factor, stones = factorial_term(pattern)
    return factor, max(stones - 1, 0)


def from_two_term(pattern: Pattern) -> tuple[int, int]:
    """Another reading: ord starts with 2 and runs over all own stones, (k + 1)! c^k."""
    factor, stones = factorial_term(pattern)
    return factor * (stones + 1), stones


def energy_of(name: str, grid: Grid) -> Energy:
    """One of the two energies by name.

    Raises
    ------
    ValueError
        If the name is unknown, or the board's edge is too long for floats.
    """
    if name not in ENERGIES:
        raise ValueError(f"unknown energy {name!r}: {' or '.join(ENERGIES)}")
    check_grid(grid)
    return _equation(grid) if name == "equation" else program_energy(grid)


def check_grid(grid: object) -> None:
    """Raise ValueError unless the game is an n^d board whose energies fit in floats."""
    if not isinstance(grid, Grid):
        raise ValueError(f"this agent plays n^d boards, not {getattr(grid, 'name', grid)}")
    if grid.n > MAX_EDGE:
        raise ValueError(f"an edge of {grid.n} is too long for energies: at most {MAX_EDGE} cells")


@cache
def _equation(grid: Grid) -> Energy:
    return Energy("equation", grid, root_of(grid.n + 1, grid.n), _lines(grid), factorial_term)


@once
def program_energy(
    grid: Grid, *, stepping: bool = True, diagonals: bool = True, gaps: bool = True
) -> Energy:
    """The program's energy, with a switch for each of its three departures from the text.

    Parameters
    ----------
    stepping : bool
        The walk doubles its step (u, 2u, 4u, ...) instead of repeating it.
    diagonals : bool
        Diagonals that don't join two corners are omitted (they exist from d = 3 on).
    gaps : bool
        The walk stops at the first empty cell after its start.
    """
    name = "published" if stepping and diagonals and gaps else "program"
    starts = program_starts(grid) if diagonals else line_starts(grid)
    walks = tuple(walk(grid, start, step, doubling=stepping) for start, step in starts)
    term = prefix_term if gaps else factorial_term
    root = root_of(grid.n + 1, grid.n)
    return Energy(name, grid, root, walks, term, gaps=gaps, counted=False)


@cache
def reading(name: str, grid: Grid) -> Energy:
    """Other readings of the document's equation, for comparison on small boards.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    terms = {
        "position": position_term,
        "literal": literal_term,
        "nonempty": nonempty_term,
        "others": others_term,
        "from two": from_two_term,
    }
    if name not in terms:
        raise ValueError(f"unknown reading {name!r}: {', '.join(terms)}")
    walks = tuple(walk(grid, start, step, doubling=False) for start, step in line_starts(grid))
    counted = name != "position"
    return Energy(name, grid, root_of(grid.n + 1, grid.n), walks, terms[name], counted=counted)


@cache
def power_energy(grid: Grid, base: Fraction) -> Energy:
    """The potential of Erdos and Selfridge (1973): base^k for an open line with k stones."""
    return Energy(f"{base}^k", grid, Root(1, base), _lines(grid), power_term)


def _lines(grid: Grid) -> tuple[Walk, ...]:
    return tuple(map(tuple, grid.lines.tolist()))


@dataclass(frozen=True)
class Gain:
    """What one move changes: the mover's energy, and the other's if the other moved there instead.

    Attributes
    ----------
    move : int
        The cell.
    own, other : tuple of int
        Coefficients of 1, c, c^2, ...: the move is worth own + b * other.
    """

    move: int
    own: tuple[int, ...]
    other: tuple[int, ...]


def gains(energy: Energy, board: Sequence[int], side: int) -> list[Gain]:
    """The exact gain of every legal move, from the definition.

    Parameters
    ----------
    board : sequence of int
        Cells, +1, -1 or 0.
    side : int
        The player to move, +1 or -1.
    """
    empty = [cell for cell, stone in enumerate(board) if stone == 0]
    return [
        Gain(cell, _change(energy, board, cell, side), _change(energy, board, cell, -side))
        for cell in empty
    ]


def _change(energy: Energy, board: Sequence[int], cell: int, player: int) -> tuple[int, ...]:
    """How a player's stone on a cell changes that player's energy; coefficients of powers of c."""
    longest = max(map(len, energy.walks))
    total = [0] * (longest + 1)
    for index in energy.through[cell]:
        before = tuple(player * board[i] for i in energy.walks[index])
        after = tuple(1 if i == cell else player * board[i] for i in energy.walks[index])
        for sign, pattern in ((1, after), (-1, before)):
            coefficient, power = energy.term(pattern)
            total[power] += sign * coefficient
    return tuple(total)


def powers(energy: Energy, boards: Boards) -> Ints:
    """How often each power of c counts in the energy of +1 on whole boards, (B, longest + 1).

    Many boards at once, in 64 bits, so for lines of up to 20 cells; :func:`total` is exact on any.
    """
    found = np.zeros((len(boards), max(map(len, energy.walks)) + 1), dtype=np.int64)
    for cells in energy.walks:
        patterns, place = np.unique(boards[:, cells], axis=0, return_inverse=True)
        terms = [energy.term(tuple(pattern)) for pattern in patterns.tolist()]
        coefficient, power = np.array(terms, dtype=np.int64).reshape(-1, 2)[place.ravel()].T
        found[np.arange(len(boards)), power] += coefficient
    return found


def total(energy: Energy, board: Sequence[int], player: int) -> Surd:
    """A player's energy of a whole board, from the definition, exactly."""
    coefficients = [0] * (max(map(len, energy.walks)) + 1)
    for cells in energy.walks:
        coefficient, power = energy.term(tuple(player * board[i] for i in cells))
        coefficients[power] += coefficient
    return energy.root.polynomial(coefficients)


def line_gains(weights: Floats, n: int, b: float) -> Floats:
    """Worth of a line to a move on it, by (own, other's) stones, shape (n + 1, n + 1)."""
    steps = np.append(np.diff(weights[: n + 1]), 0.0)
    table = np.zeros((n + 1, n + 1))
    table[:, 0] += steps
    table[0, :] += b * steps
    return table
