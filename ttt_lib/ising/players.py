"""Document 4's players: scores of all moves for whole batches, and agents by name."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import isfinite

import numpy as np

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.policy import Agent, Scores, from_scores, settled
from ttt_lib.ising.energy import Energy, check_grid, energy_of, line_gains, power_energy

Sums = Callable[[Boards], tuple[Floats, Floats]]
"""Sums of the gains of all moves of boards, and of their absolute values, each (B, cells).

One and the same array if no gain is negative.
"""


def scores(energy: Energy, b: float) -> Scores:
    """What a move is worth, E_own + b E_other minus a constant per board, shape (B, cells)."""
    sums = _sums(energy, b)
    return lambda boards: settled(*sums(boards), energy.grid.legal(boards))


def _sums(energy: Energy, b: float) -> Sums:
    """From the numbers of stones on each line if they decide, else along the walks, compiled."""
    if energy.counted:
        return _table_sums(energy.grid, line_gains(energy.weights, energy.grid.n, b))

    def sums(boards: Boards) -> tuple[Floats, Floats]:
        from ttt_lib.ising.kernels import walk_sums  # numba loads only when it is played

        return walk_sums(energy, boards, energy.grid.to_move(boards), b)

    return sums


def _table_sums(grid: Grid, gain: Floats) -> Sums:
    """From what a line is worth by its stones (own, other's), for any n^d board."""
    positive = bool((gain >= 0).all())
    holds = np.zeros((len(grid.lines), grid.cells))
    holds[np.arange(len(grid.lines))[:, None], grid.lines] = 1.0

    def sums(boards: Boards) -> tuple[Floats, Floats]:
        mine = boards * grid.to_move(boards)[:, None]
        stones = mine[:, grid.lines]
        worth = gain[(stones == 1).sum(axis=2), (stones == -1).sum(axis=2)]
        total = worth @ holds
        return total, total if positive else np.abs(worth) @ holds

    return sums


def check_bias(b: float) -> float:
    """Return b; ValueError unless it is a finite number."""
    if not isfinite(b):
        raise ValueError(f"the bias b must be a finite number, not {b}")
    return b


def ising(grid: Grid, b: float = 0.647, energy: str = "equation") -> Agent:
    """Play a move of largest game energy, ties uniform.

    Parameters
    ----------
    b : float
        Weight of the other's energy relative to one's own.
    energy : str
        ``equation`` or ``published``.

    Raises
    ------
    ValueError
        If b is not finite, the energy is unknown, or the board is too large.
    """
    check_bias(b)
    chosen = energy_of(energy, grid)
    # Doubled steps run along the numbering of the cells, so mirror images are valued differently.
    symmetric = energy == "equation" or grid.n <= 3
    name = f"ising:b={b},energy={energy}"
    built = from_scores(name, grid, scores(chosen, b), symmetric=symmetric)
    return (
        replace(built, counted=line_gains(chosen.weights, grid.n, b)) if chosen.counted else built
    )


def potential(grid: Grid, base: float = 2, b: float = 1) -> Agent:
    """Play by the potential sum of base^k over open lines with k own stones.

    Parameters
    ----------
    base : float
        Factor by which each further stone multiplies a line's worth; positive.
    b : float
        Weight of the other's potential relative to one's own.

    Raises
    ------
    ValueError
        If base is not positive and finite, or its powers are not, b is not finite, or the board is
        too large.
    """
    check_bias(b)
    check_grid(grid)
    if not (isfinite(base) and base > 0):
        raise ValueError(f"the base of a potential must be a positive number, not {base}")
    chosen = power_energy(grid, Fraction(base))
    try:
        counted = line_gains(chosen.weights, grid.n, b)
    except OverflowError:
        raise ValueError(f"base {base} is too large for an edge of {grid.n}") from None
    if chosen.weights[grid.n] < sys.float_info.min:
        raise ValueError(f"base {base} is too small for an edge of {grid.n}")
    built = from_scores(f"potential:base={base},b={b}", grid, scores(chosen, b), symmetric=True)
    return replace(built, counted=counted)


def two_ply(grid: Grid, b: float = 0.647, energy: str = "equation") -> Agent:
    """Look one reply further: the gain of a move minus the best gain it leaves the other.

    The document suggests such a deeper version.  A move that completes a line
    counts more than any other.

    Raises
    ------
    ValueError
        As :func:`ising`.
    """
    check_bias(b)
    chosen = energy_of(energy, grid)
    sums = _sums(chosen, b)
    # More than all lines of the board together can contribute.
    win = 4 * (1 + abs(b)) * float(chosen.weights.max()) * len(chosen.walks)

    def deeper(boards: Boards) -> Floats:
        total, size = (values.copy() for values in sums(boards))
        state, move = np.nonzero(grid.legal(boards))
        after = grid.play(boards[state], move)
        won = grid.winner(after) != 0
        total[state[won], move[won]] += win
        running = ~grid.finished(after)
        state, move, after = state[running], move[running], after[running]
        replies, sizes = sums(after)
        legal = grid.legal(after)
        total[state, move] -= settled(replies, sizes, legal).max(axis=1)
        size[state, move] += np.where(legal, sizes, 0.0).max(axis=1)
        return settled(total, size, grid.legal(boards))

    return from_scores(f"two-ply:b={b}", grid, deeper, symmetric=energy == "equation")
