"""Document 4's players: scores of all moves for whole batches, and agents by name."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from math import inf, isfinite

import numpy as np

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.policy import Agent, Scores, from_scores
from ttt_lib.ising.energy import (
    Energy,
    check_grid,
    energy_of,
    exact_zeros,
    line_gains,
    power_energy,
)


def counted_scores(energy: Energy, b: float) -> Scores:
    """Scores of all moves from the numbers of stones on each line, for any n^d board."""
    return table_scores(energy.grid, line_gains(energy.weights, energy.grid.n, b))


def table_scores(grid: Grid, gain: Floats) -> Scores:
    """Scores of all moves from what a line is worth by its stones (own, other's)."""
    holds = np.zeros((len(grid.lines), grid.cells))
    holds[np.arange(len(grid.lines))[:, None], grid.lines] = 1.0

    def scores(boards: Boards) -> Floats:
        mine = boards * grid.to_move(boards)[:, None]
        stones = mine[:, grid.lines]
        worth = gain[(stones == 1).sum(axis=2), (stones == -1).sum(axis=2)]
        total = exact_zeros(worth @ holds, np.abs(worth) @ holds)
        return np.where(grid.legal(boards), total, -inf)

    return scores


def walked_scores(energy: Energy, b: float) -> Scores:
    """Scores of all moves along the walks, compiled."""
    grid = energy.grid

    def scores(boards: Boards) -> Floats:
        from ttt_lib.ising.kernels import walk_scores  # numba loads only when it is played

        worth = walk_scores(energy, boards, grid.to_move(boards), b)
        return np.where(grid.legal(boards), worth, -inf)

    return scores


def scores(energy: Energy, b: float) -> Scores:
    """What a move is worth, E_own + b E_other minus a constant per board, shape (B, cells)."""
    return counted_scores(energy, b) if energy.counted else walked_scores(energy, b)


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
    one_ply = scores(chosen, b)
    # More than all lines of the board together can contribute.
    win = 4 * (1 + abs(b)) * float(chosen.weights.max()) * len(chosen.walks)

    def deeper(boards: Boards) -> Floats:
        found = one_ply(boards)
        state, move = np.nonzero(grid.legal(boards))
        after = grid.play(boards[state], move)
        replies = np.where(grid.winner(after) != 0, -win, 0.0)
        running = ~grid.finished(after)
        if running.any():
            replies[running] = one_ply(after[running]).max(axis=1)
        found[state, move] -= replies
        return found

    return from_scores(f"two-ply:b={b}", grid, deeper, symmetric=energy == "equation")
