"""Whole matches of the energy players, compiled.

Two loops share one idea: values of moves that are kept up to date.

*Counted* energies (``equation``, potentials) depend only on the stones a line
holds.  Every line carries one number, own + (n + 1) * other; a stone changes it
on the few lines through its cell, and with it the worth of those lines' cells.

*Walked* energies (``published`` and its parts) look along walks that stop at gaps
and cross lines.  There the number of a walk is its pattern in base 3, and a table
says what each pattern adds to each of its cells.

Random numbers come from a splitmix64 state, one a match.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.policy import Floats
from ttt_lib.ising.energy import Energy
from ttt_lib.ising.tables import (
    RANDOM,
    Ints,
    Player,
    Rules,
    lines_of,
    pattern_gains,
    pattern_values,
    true_rules,
    unit_values,
    walks_of,
)

__all__ = ["RANDOM", "Player", "Rules", "play", "play_walks", "walk_scores"]

TAKEN = -(1 << 62)


def seed(rng: np.random.Generator | int) -> NDArray[np.uint64]:
    """State of the kernels' own generator, drawn from a numpy one, shape (1,)."""
    return np.random.default_rng(rng).integers(0, 2**64, size=1, dtype=np.uint64)


def play(grid: Grid, x: Player, o: Player, games: int, *, rng: np.random.Generator | int) -> Ints:
    """Play games between energy players, or against random play, from the empty board.

    Parameters
    ----------
    x, o : Player
        X moves first.
    games : int
        Number of games, at least 0.

    Returns
    -------
    ndarray of int64, shape (3,)
        X wins, draws, O wins.

    Raises
    ------
    ValueError
        If games < 0, a player's energy belongs to another board, or its range is
        too wide for whole-number worths (from n = 11 on: play an ordinary match).
    """
    if games < 0:
        raise ValueError(f"the number of games can't be negative: {games}")
    for player in (x, o):
        if player.energy is not None and player.energy.grid != grid:
            raise ValueError(f"an energy of {player.energy.grid.name} can't play {grid.name}")
    if any(player.energy is not None and not player.energy.counted for player in (x, o)):
        return play_walks(grid, x, o, true_rules(grid), games, rng=rng)
    values = unit_values(grid, (x, o))
    smart = np.array([x.energy is not None, o.energy is not None])
    return np.asarray(_play_counts(games, grid.n, *lines_of(grid), values, smart, seed(rng)))


def play_walks(
    grid: Grid, x: Player, o: Player, rules: Rules, games: int, *, rng: np.random.Generator | int
) -> Ints:
    """Play as :func:`play` by the patterns on an energy's walks, ending by the given rules.

    Raises
    ------
    ValueError
        If the players use two different energies, or no energy at all.
    """
    energies = {player.energy for player in (x, o)} - {None}
    if len(energies) != 1:
        raise ValueError("a compiled match along walks needs one energy: use ttt match for two")
    energy = energies.pop()
    assert energy is not None
    values = pattern_values(energy, (x.b, o.b))
    smart = np.array([x.energy is not None, o.energy is not None])
    return np.asarray(_play_walks(games, walks_of(energy), values, smart, rules, seed(rng)))


def walk_scores(energy: Energy, boards: Boards, side: NDArray[np.int8], b: float) -> Floats:
    """Gains of all cells of each board for the side to move, shape (B, cells); taken cells too."""
    own, other = pattern_gains(energy)
    walks = walks_of(energy)
    return np.asarray(_walk_scores(boards, side, walks.cells, own + b * other))


@njit(cache=True)
def _random(state):  # type: ignore[no-untyped-def]
    """Advance splitmix64 and return 32 random bits as int64."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    bits = state[0]
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((bits ^ (bits >> np.uint64(31))) >> np.uint64(32))


@njit(cache=True)
def _draw(order, left, board, state):  # type: ignore[no-untyped-def]
    """Draw an empty cell from what is left of a shuffled order; returns it and what is left.

    Cells the other player has taken are passed over, so each draw is uniform
    among the empty ones.
    """
    while True:
        place = (_random(state) * left) >> 32
        left -= 1
        cell = order[place]
        order[place] = order[left]
        order[left] = cell
        if board[cell] == 0:
            return cell, left


@njit(cache=True)
def _best(worth, slack, state):  # type: ignore[no-untyped-def]
    """A cell of largest worth, uniformly among those within ``slack`` of it."""
    top = worth[0]
    for cell in range(1, len(worth)):
        top = max(top, worth[cell])
    ties, last = 0, 0
    for cell in range(len(worth)):
        if worth[cell] >= top - slack:
            ties += 1
            last = cell
    if ties == 1:
        return last
    skip = (_random(state) * ties) >> 32
    for cell in range(len(worth)):
        if worth[cell] >= top - slack:
            if skip == 0:
                return cell
            skip -= 1
    return last


@njit(cache=True)
def _changes(values, base):  # type: ignore[no-untyped-def]
    """How a stone of either side changes a line's worth to either player, shape (2, 2, codes)."""
    change = np.zeros((2, 2, base * base), np.int64)
    for player in range(2):
        for code in range(base * base - 1):
            change[0, player, code] = values[player, code + 1] - values[player, code]
        for code in range(base * base - base):
            change[1, player, code] = values[player, code + base] - values[player, code]
    return change


@njit(cache=True)
def _stone(cell, side, n, stones, lines, first, through, change, smart, worth):  # type: ignore[no-untyped-def]
    """Put a stone and bring the worths up to date; True if it completes a line."""
    step, won = (n + 1 if side else 1), False
    for i in range(first[cell], first[cell + 1]):
        line = through[i]
        code = stones[line]
        stones[line] = code + step
        won |= code + step == n * step
        for player in range(2):
            delta = change[side, player, code]
            if smart[player] and delta != 0:
                for j in range(n):
                    worth[player, lines[line, j]] += delta
    worth[0, cell], worth[1, cell] = TAKEN, TAKEN
    return won


@njit(cache=True)
def _play_counts(games, n, lines, first, through, values, smart, state):  # type: ignore[no-untyped-def]
    cells = len(first) - 1
    board, stones = np.zeros(cells, np.int8), np.zeros(len(lines), np.int64)
    order, counts = np.arange(cells), np.zeros(3, np.int64)
    held, change = np.diff(first), _changes(values, n + 1)
    start, slack = np.outer(values[:, 0], held), held.max()
    worth = np.empty_like(start)
    for _ in range(games):
        board[:], stones[:], worth[:] = 0, 0, start
        left, winner = cells, 0
        for ply in range(cells):
            side = ply & 1
            if smart[side]:
                cell = _best(worth[side], slack, state)
            else:
                cell, left = _draw(order, left, board, state)
            board[cell] = 1
            if _stone(cell, side, n, stones, lines, first, through, change, smart, worth):
                winner = 1 - 2 * side
                break
        counts[1 - winner] += 1
    return counts


@njit(cache=True)
def _walk_scores(boards, side, rows, gains):  # type: ignore[no-untyped-def]
    out = np.zeros(boards.shape)
    for b in range(len(boards)):
        for row in range(len(rows)):
            code, power = 0, 1
            for j in range(rows.shape[1]):
                if rows[row, j] >= 0:
                    stone = side[b] * boards[b, rows[row, j]]
                    code += power * (stone if stone >= 0 else 2)
                power *= 3
            for j in range(rows.shape[1]):
                if rows[row, j] >= 0:
                    out[b, rows[row, j]] += gains[code, j]
    return out


@njit(cache=True)
def _wins(rows, first, through, length, board, cell, player):  # type: ignore[no-untyped-def]
    """Whether some walk through the cell begins with exactly ``length`` own stones."""
    for i in range(first[cell], first[cell + 1]):
        row, own = through[i], 0
        for j in range(rows.shape[1]):
            if rows[row, j] < 0 or board[rows[row, j]] != player:
                break
            own += 1
        if own == length:
            return True
    return False


@njit(cache=True)
def _mark(cell, digit, codes, rows, first, through, place, values, smart, worth):  # type: ignore[no-untyped-def]
    """Write a stone into the patterns through its cell and bring the worths up to date."""
    for i in range(first[cell], first[cell + 1]):
        row, code = through[i], codes[through[i]]
        after = code + 3 ** place[i] * digit
        codes[row] = after
        for player in range(2):
            if smart[player]:
                for j in range(rows.shape[1]):
                    if rows[row, j] < 0:
                        break
                    delta = values[player, after, j] - values[player, code, j]
                    worth[player, rows[row, j]] += delta
    worth[0, cell], worth[1, cell] = TAKEN, TAKEN


@njit(cache=True)
def _fresh(first, through, place, values):  # type: ignore[no-untyped-def]
    """Worths on the empty board, shape (2, cells)."""
    start = np.zeros((2, len(first) - 1), np.int64)
    for cell in range(len(first) - 1):
        for i in range(first[cell], first[cell + 1]):
            for player in range(2):
                start[player, cell] += values[player, 0, place[i]]
    return start


@njit(cache=True)
def _play_walks(games, walks, values, smart, rules, state):  # type: ignore[no-untyped-def]
    rows, first, through, place = walks
    win_rows, win_first, win_through, length, draw_first = rules
    cells = len(first) - 1
    board, codes, order = np.zeros(cells, np.int8), np.zeros(len(rows), np.int64), np.arange(cells)
    start, counts = _fresh(first, through, place, values), np.zeros(3, np.int64)
    worth, slack = np.empty_like(start), np.diff(first).max()
    for _ in range(games):
        board[:], codes[:], worth[:] = 0, 0, start
        left, winner = cells, 0
        for ply in range(cells):
            side = ply & 1
            if smart[side]:
                cell = _best(worth[side], slack, state)
            else:
                cell, left = _draw(order, left, board, state)
            board[cell] = 1 + side
            if draw_first and ply == cells - 1:
                break
            if _wins(win_rows, win_first, win_through, length, board, cell, 1 + side):
                winner = 1 - 2 * side
                break
            _mark(cell, 1 + side, codes, rows, first, through, place, values, smart, worth)
        counts[1 - winner] += 1
    return counts
