"""What the compiled matches read: lines, walks and worths as arrays.

Worths of moves are integers, in units of 2^-s of the energy: sums of integers
don't drift, so equal worths stay equal however they were computed, and a
tie is a difference of at most one unit per line through a cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.game.kept import read_only
from ttt_lib.ising.energy import Energy, line_gains, padded

COARSEST = 1e-9
"""Largest unit of integer worths; energies that need a larger one can't be played here."""

MAX_WALK = 11
"""Longest walk whose patterns are tabulated."""


@dataclass(frozen=True)
class Player:
    """One side of a compiled match: an energy and its bias, or uniformly random."""

    energy: Energy | None = None
    b: float = 0.0


RANDOM = Player()


class LineTables(NamedTuple):
    """The lines of a board in the form the counted kernel reads.

    Attributes
    ----------
    cells : ndarray of int64, shape (L, n)
    first, through : ndarray of int64, shapes (cells + 1,), (L * n,)
        Lines through cell i are ``through[first[i]:first[i + 1]]``.
    """

    cells: Ints
    first: Ints
    through: Ints


class Walks(NamedTuple):
    """The walks of an energy in the form the walked kernel reads.

    Attributes
    ----------
    cells : ndarray of int64, shape (W, longest)
        Padded with -1.
    first, through, place : ndarray of int64
        Walks that contain a cell, as in :class:`LineTables`, and the cell's place on each.
    """

    cells: Ints
    first: Ints
    through: Ints
    place: Ints


class Rules(NamedTuple):
    """How a walked match ends: by true rules, or by the published program's.

    Attributes
    ----------
    cells, first, through : ndarray of int64
        Walks along which wins are checked.
    length : int
        A win is exactly this many own stones from the start of a walk.
    draw_first : bool
        Whether a full board counts as a draw before wins are checked.
    """

    cells: Ints
    first: Ints
    through: Ints
    length: int
    draw_first: bool


def incidence(rows: Ints, cells: int) -> tuple[Ints, Ints, Ints]:
    """For every cell, the rows that contain it and its place there, as (first, through, place)."""
    row, place = np.nonzero(rows >= 0)
    order = np.argsort(rows[row, place], kind="stable")
    held = rows[row, place][order]
    return np.searchsorted(held, np.arange(cells + 1)), row[order], place[order]


@cache
@read_only
def line_tables(grid: Grid) -> LineTables:
    """The line tables of a grid."""
    return LineTables(grid.lines.astype(np.int64), *incidence(grid.lines, grid.cells)[:2])


@cache
@read_only
def true_rules(grid: Grid) -> Rules:
    """A full line wins, even if completed on the last cell."""
    lines = line_tables(grid)
    return Rules(*lines, grid.n, False)


@cache
@read_only
def walks_of(energy: Energy) -> Walks:
    """The walk tables of an energy.

    Raises
    ------
    ValueError
        If a walk is longer than ``MAX_WALK``.
    """
    rows = padded(energy.walks)
    if rows.shape[1] > MAX_WALK:
        raise ValueError(
            f"walks of {rows.shape[1]} cells on a {energy.grid.name} board are too long to "
            f"table, at most {MAX_WALK}"
        )
    return Walks(rows, *incidence(rows, energy.grid.cells))


def quantise(tables: Floats, most_rows: int) -> Ints:
    """Whole-number worths in the finest unit that can't overflow: int64 of the same shape.

    Parameters
    ----------
    tables : ndarray of float64
        Worths in units of energy.
    most_rows : int
        How many of them are added up at most.

    Raises
    ------
    ValueError
        If that unit is coarser than ``COARSEST``.
    """
    most = np.abs(tables).max() * most_rows
    bits = 60 - int(np.ceil(np.log2(max(most, 1.0))))
    if 2.0**-bits > COARSEST:
        raise ValueError(
            "energies of so wide a range can't be kept in whole numbers: use match (ttt match)"
        )
    return np.rint(tables * 2.0**bits).astype(np.int64)


def unit_values(grid: Grid, players: tuple[Player, Player]) -> Ints:
    """Worth of a line to a move on it, in whole units, by side and stones.

    Returns
    -------
    ndarray of int64, shape (2, (n + 1)**2)
        Column x + (n + 1) o holds a line with x stones of X and o of O.
    """
    tables = np.zeros((2, grid.n + 1, grid.n + 1))
    for side, player in enumerate(players):
        if player.energy is not None:
            table = line_gains(player.energy.weights, grid.n, player.b)
            tables[side] = table.T if side == 0 else table
    return quantise(tables.reshape(2, -1), int(np.diff(line_tables(grid).first).max()))


@cache
@read_only
def pattern_gains(energy: Energy) -> Floats:
    """What a stone adds to a walk's weight, by pattern and place.

    Returns
    -------
    ndarray of float64, shape (2, 3**longest, longest)
        For an own stone (0), and for the other player's stone in that player's energy (1);
        a pattern's code has digit 1 for own, 2 for the other's, first place lowest.

    Raises
    ------
    ValueError
        If a stone's weight depends on its place on the walk, which these tables don't support.
    """
    longest = walks_of(energy).cells.shape[1]
    _check_places(energy, longest)
    codes = np.arange(3**longest)
    digits = codes[:, None] // 3 ** np.arange(longest) % 3
    gains = np.zeros((2, len(codes), longest))
    for player in range(2):
        before = _pattern_weights(energy, digits, player)
        for place in range(longest):
            after = digits.copy()
            after[:, place] = player + 1
            gains[player, :, place] = _pattern_weights(energy, after, player) - before
    return gains


def _check_places(energy: Energy, longest: int) -> None:
    """Raise ValueError unless stones weigh the same at the end of a walk as at its start."""
    if energy.gaps:  # the flag says how far a walk is read; up to there, stones are counted
        return
    for k in range(longest + 1):
        pattern = (1,) * k + (0,) * (longest - k)
        if energy.term(pattern) != energy.term(pattern[::-1]):
            raise ValueError(f"the {energy.name!r} energy weighs stones by place: not tabled here")


def _pattern_weights(energy: Energy, digits: Ints, player: int) -> Floats:
    """What patterns weigh for one player, shape (patterns,)."""
    seen = np.ones(digits.shape, dtype=np.bool_)
    if energy.gaps:
        seen[:, 1:] = np.logical_and.accumulate(digits[:, 1:] != 0, axis=1)
    own = ((digits == player + 1) & seen).sum(axis=1)
    blocked = ((digits == 2 - player) & seen).any(axis=1)
    return np.where(blocked, 0.0, energy.weights[own])


def pattern_values(energy: Energy, bias: tuple[float, float]) -> Ints:
    """Worth of a walk's places to a move there, in whole units, by side, pattern and place.

    Returns
    -------
    ndarray of int64, shape (2, 3**longest, longest)
        Digit 1 of a pattern is X, 2 is O.
    """
    own, other = pattern_gains(energy)
    longest = own.shape[1]
    digits = np.arange(len(own))[:, None] // 3 ** np.arange(longest) % 3
    swapped = (np.array([0, 2, 1])[digits] * 3 ** np.arange(longest)).sum(axis=1)
    tables = np.stack([own + bias[0] * other, (own + bias[1] * other)[swapped]])
    return quantise(tables, int(np.diff(walks_of(energy).first).max()))
