"""Whole matches of the energy players, compiled.

Two loops share one idea: values of moves that are kept up to date.

*Counted* energies (``equation``, potentials) depend only on how many stones each line
holds.  Every line carries one number, own + (n + 1) * other; a stone changes it
on the few lines through its cell, and with it the worth of those lines' cells.

*Walked* energies (``published`` and its parts) look along walks that stop at gaps
and cross lines.  There the number of a walk is its pattern in base 3, and a table
says what each pattern adds to each of its cells.

Random numbers come from splitmix64, one state per match.

The loops keep up with C++ for reasons that an innocent-looking change could undo:

- indices are unsigned, since for signed ones numba adds a check for negative indices; they are
  combined only with unsigned numbers, since mixing signs would give floats;
- functions called at every move are inlined, and no loop creates a view of an array;
- worths are kept only for the sides that read them, a tuple of length known to the compiler, and
  are scanned in blocks of constant length.

Arguments of the kernels
------------------------
Whole numbers are returned as uint64, truth values as bool, unless a docstring says otherwise.

state : uint64
    State of the generator.
games : int64
    Games to play.
n : uint64
    Cells of a line.
length : int64
    Own stones that win.
board : ndarray of int8, shape (cells,)
    0 for an empty cell, 1 for X, 2 for O; counted matches write 1 for both.
cell, side : uint64
    A cell; who moves, 0 for X, 1 for O.
order, left : ndarray of uint64, shape (cells,); uint64
    A list of all cells, those not yet drawn in the first ``left`` entries; changed in place.
smart : ndarray of bool, shape (2,)
    Whether each side plays by its energy, not at random.
sides : tuple of uint64
    The sides whose worths are kept.
worth : ndarray of int64, shape (2, blocks * BLOCK)
    Worth of every cell to a move of each side, in the units of ``values``; kept up to date in
    place, ``TAKEN`` where there is a stone and behind the last cell.
start : ndarray of int64, shape (2, blocks * BLOCK)
    The worths on the empty board.
slack : int64
    Largest difference between worths that is still a tie.
tops, ties : ndarray of int64, shape (blocks,); of uint64, shape (blocks * BLOCK + 1,)
    Scratch memory.
first, through, place : ndarray of uint64 or, for walks, int64, shapes (cells + 1,), (E,), (E,)
    Lines or walks that contain cell i, ``through[first[i]:first[i + 1]]``, and its place on each.
lines : ndarray of uint64, shape (L, n)
    Cells of every line.
stones : ndarray of uint64, shape (L,)
    X + (n + 1) O for the stones on every line; changed in place.
change : ndarray of int64, shape (2, 2, (n + 1)**2)
    What a stone of X or O changes in a line's worth to each side, by the line's number before.
rows : ndarray of int64, shape (W, longest)
    Cells of every walk, padded with -1.
codes : ndarray of int64, shape (W,)
    Pattern on every walk in base 3, the first place lowest, with digits as on the board; changed
    in place.
values : ndarray of int64, shape (2, 3**longest, longest)
    Worth of a walk's places to a move of each side, by pattern; see ``pattern_values``.
walks, rules : Walks, Rules
    Walks of the energy; how the match ends.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Ints
from ttt_lib.game.jit import mix
from ttt_lib.ising.energy import Energy
from ttt_lib.ising.tables import (
    Player,
    Rules,
    Walks,
    line_tables,
    pattern_gains,
    pattern_values,
    true_rules,
    unit_values,
    walks_of,
)

TAKEN = -(1 << 62)

BLOCK = 16
"""Cells scanned at a time for the largest worth."""

_U = np.uint64
_ZERO, _ONE, _HALF, _BLOCK = _U(0), _U(1), _U(32), _U(BLOCK)


def seed(rng: np.random.Generator | int) -> np.uint64:
    """State of the kernels' own generator, seeded from a numpy one."""
    return np.random.default_rng(rng).integers(0, 2**64, dtype=np.uint64)


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
        If games < 0 or not whole, a player's energy belongs to another board, or its range is
        too wide for whole-number worths (from n = 11 on: play an ordinary match).
    """
    if not (games >= 0 and games % 1 == 0):
        raise ValueError(f"the number of games must be whole and not negative: {games}")
    for player in (x, o):
        if player.energy is not None and player.energy.grid != grid:
            raise ValueError(f"an energy of {player.energy.grid.name} can't play {grid.name}")
    if any(player.energy is not None and not player.energy.counted for player in (x, o)):
        return play_walks(x, o, true_rules(grid), games, rng=rng)
    values, held = unit_values(grid, (x, o)), np.diff(line_tables(grid).first)
    lines, first, through = (table.astype(_U) for table in line_tables(grid))
    start, change = _in_blocks(np.outer(values[:, 0], held)), _changes(values, grid.n)
    who, slack = np.array([x.energy is not None, o.energy is not None]), int(held.max())
    counts = _play_counts(
        games, _U(grid.n), lines, first, through, change, who, _sides(who), start, slack, seed(rng)
    )
    return np.asarray(counts)


def _in_blocks(worths: Ints) -> Ints:
    """Worths of all cells, shape (2, cells), with ``TAKEN`` behind them up to whole blocks."""
    return np.pad(worths, ((0, 0), (0, -worths.shape[1] % BLOCK)), constant_values=TAKEN)


def _sides(smart: NDArray[np.bool_]) -> tuple[np.uint64, ...]:
    """The sides whose worths are kept; if both play at random, one that is never read."""
    return tuple(_U(side) for side in np.flatnonzero(smart)) or (_ZERO,)


def _changes(values: Ints, n: int) -> Ints:
    """How a stone of either side changes a line's worth to either, shape (2, 2, (n + 1)**2)."""
    change = np.zeros((2, *values.shape), dtype=np.int64)
    for side, step in enumerate((1, n + 1)):
        change[side, :, :-step] = values[:, step:] - values[:, :-step]
    return change


def play_walks(
    x: Player, o: Player, rules: Rules, games: int, *, rng: np.random.Generator | int
) -> Ints:
    """Like :func:`play`, by the patterns on an energy's walks, ending by the given rules.

    Raises
    ------
    ValueError
        If the players use two different energies, or no energy at all.
    """
    energies = {player.energy for player in (x, o)} - {None}
    if len(energies) != 1:
        raise ValueError(
            "a compiled match along walks needs one energy: use match (ttt match) for two"
        )
    energy = energies.pop()
    assert energy is not None
    values = pattern_values(energy, (x.b, o.b))
    who, walks = np.array([x.energy is not None, o.energy is not None]), walks_of(energy)
    start, slack = _in_blocks(_fresh(walks, values)), int(np.diff(walks.first).max())
    counts = _play_walks(games, walks, values, who, _sides(who), start, slack, rules, seed(rng))
    return np.asarray(counts)


def _fresh(walks: Walks, values: Ints) -> Ints:
    """Worths on the empty board, shape (2, cells)."""
    held = np.add.reduceat(values[:, 0, walks.place], walks.first[:-1], axis=1)
    return np.where(np.diff(walks.first) > 0, held, 0)


def walk_sums(
    energy: Energy, boards: Boards, side: NDArray[np.int8], b: float
) -> tuple[Floats, Floats]:
    """Gains of all cells of each board for the side to move, taken cells too, and their sizes.

    Returns
    -------
    total, size : ndarray of float64, shape (B, cells)
        Sums of gains, and of their absolute values; one array if no gain is negative.
    """
    own, other = pattern_gains(energy)
    cells, gains = walks_of(energy).cells, own + b * other
    boards = boards.astype(np.int8, copy=False)
    total = np.asarray(_walk_sums(boards, side, cells, gains))
    if (own >= 0).all() and (b * other >= 0).all():
        return total, total
    sizes = np.abs(own) + np.abs(b * other)
    return total, np.asarray(_walk_sums(boards, side, cells, sizes))


@njit(cache=True, inline="always")
def _random(state):  # type: ignore[no-untyped-def]
    """Advance splitmix64; returns 32 random bits and the state."""
    state += _U(0x9E3779B97F4A7C15)
    return mix(state) >> _HALF, state


@njit(cache=True, inline="always")
def _draw(order, left, board, state):  # type: ignore[no-untyped-def]
    """Draw an empty cell from what is left of a shuffled order; returns it, what is left, state.

    Cells the other player has taken are passed over, so each draw is uniform
    among the empty ones.
    """
    while True:
        bits, state = _random(state)
        place = (bits * left) >> _HALF
        left -= _ONE
        cell = order[place]
        order[place] = order[left]
        order[left] = cell
        if board[cell] == 0:
            return cell, left, state


@njit(cache=True, inline="always")
def _best(worth, side, slack, tops, ties, state):  # type: ignore[no-untyped-def]
    """A cell of largest worth, uniformly among those within ``slack`` of it; and the state."""
    top, blocks = TAKEN, _U(len(tops))
    for block in range(blocks):
        high = TAKEN
        for cell in range(_BLOCK * block, _BLOCK * (block + _ONE)):
            high = max(high, worth[side, cell])
        tops[block] = high
        top = max(top, high)
    count, least = _ZERO, top - slack
    for block in range(blocks):
        if tops[block] >= least:
            for cell in range(_BLOCK * block, _BLOCK * (block + _ONE)):
                # Written without a branch: the entry is kept only if the cell is tied.
                ties[count] = cell
                count += _U(worth[side, cell] >= least)
    # A single best cell needs no random number: the state is then not advanced.
    bits, after = _random(state)
    return ties[(bits * count) >> _HALF], after if count > _ONE else state


@njit(cache=True, inline="always")
def _stone(cell, side, n, stones, lines, first, through, change, sides, worth):  # type: ignore[no-untyped-def]
    """Put a stone and bring the worths up to date; True if it completes a line."""
    step, won = n + _ONE if side else _ONE, False
    for i in range(first[cell], first[cell + _ONE]):
        line = through[i]
        code = stones[line]
        stones[line] = code + step
        won |= code + step == n * step
        for player in sides:
            delta = change[side, player, code]
            if delta != 0:
                for j in range(n):
                    worth[player, lines[line, j]] += delta
    for player in sides:
        worth[player, cell] = TAKEN
    return won


@njit(cache=True, inline="always")
def _clear(board, lines):  # type: ignore[no-untyped-def]
    """Remove all stones; in loops, since assigning to a slice takes as long as a move.

    Parameters
    ----------
    lines : ndarray of uint64 or int64, shape (L,) or (W,)
        What is on every line or walk; changed in place, like the board.
    """
    for cell in range(_U(len(board))):
        board[cell] = 0
    for line in range(_U(len(lines))):
        lines[line] = 0


@njit(cache=True)
def _play_counts(  # type: ignore[no-untyped-def]
    games, n, lines, first, through, change, smart, sides, start, slack, state
):
    """Play a match by the stones on lines; returns X wins, draws, O wins, int64 of shape (3,)."""
    cells = _U(len(first) - 1)
    board, order = np.zeros(len(first) - 1, np.int8), np.arange(len(first) - 1).astype(np.uint64)
    stones, worth, counts = np.zeros(len(lines), np.uint64), start.copy(), np.zeros(3, np.int64)
    tops = np.zeros(start.shape[1] // BLOCK, np.int64)
    ties = np.zeros(start.shape[1] + 1, np.uint64)
    for _ in range(games):
        _clear(board, stones)
        for player in sides:
            for cell in range(_U(start.shape[1])):
                worth[player, cell] = start[player, cell]
        left, result = cells, _ONE
        for ply in range(cells):
            side = ply & _ONE
            if smart[side]:
                cell, state = _best(worth, side, slack, tops, ties, state)
            else:
                cell, left, state = _draw(order, left, board, state)
            board[cell] = 1
            if _stone(cell, side, n, stones, lines, first, through, change, sides, worth):
                result = side + side
                break
        counts[result] += 1
    return counts


@njit(cache=True)
def _walk_sums(boards, side, rows, gains):  # type: ignore[no-untyped-def]
    """Gains of all cells for the side to move, float64 of shape (B, cells); taken cells too.

    Parameters
    ----------
    boards : ndarray of int8, shape (B, cells)
        +1 for X, -1 for O.
    side : ndarray of int8, shape (B,)
        To move: +1 or -1.
    gains : ndarray of float64, shape (3**longest, longest)
        By pattern (1 own, 2 the other's) and place.
    """
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
    """Whether some walk through the cell begins with exactly ``length`` own stones.

    Parameters
    ----------
    player : int64
        1 for X, 2 for O.
    """
    for i in range(first[cell], first[cell + _ONE]):
        row, own = through[i], 0
        for j in range(rows.shape[1]):
            if rows[row, j] < 0 or board[rows[row, j]] != player:
                break
            own += 1
        if own == length:
            return True
    return False


@njit(cache=True)
def _mark(cell, digit, codes, rows, first, through, place, values, sides, worth):  # type: ignore[no-untyped-def]
    """Write a stone into the patterns through its cell and bring the worths up to date.

    Parameters
    ----------
    digit : int64
        1 for X, 2 for O.
    """
    for i in range(first[cell], first[cell + _ONE]):
        row, code = through[i], codes[through[i]]
        after = code + 3 ** place[i] * digit
        codes[row] = after
        for player in sides:
            for j in range(rows.shape[1]):
                if rows[row, j] < 0:
                    break
                delta = values[player, after, j] - values[player, code, j]
                worth[player, rows[row, j]] += delta
    for player in sides:
        worth[player, cell] = TAKEN


@njit(cache=True)
def _play_walks(games, walks, values, smart, sides, start, slack, rules, state):  # type: ignore[no-untyped-def]
    """Play a match by the patterns on walks; returns X wins, draws, O wins, int64 of shape (3,)."""
    rows, first, through, place = walks
    win_rows, win_first, win_through, length, draw_first = rules
    cells = _U(len(first) - 1)
    board, order = np.zeros(len(first) - 1, np.int8), np.arange(len(first) - 1).astype(np.uint64)
    codes, worth, counts = np.zeros(len(rows), np.int64), start.copy(), np.zeros(3, np.int64)
    tops = np.zeros(start.shape[1] // BLOCK, np.int64)
    ties = np.zeros(start.shape[1] + 1, np.uint64)
    for _ in range(games):
        _clear(board, codes)
        for player in sides:
            for cell in range(_U(start.shape[1])):
                worth[player, cell] = start[player, cell]
        left, result = cells, _ONE
        for ply in range(cells):
            side = ply & _ONE
            if smart[side]:
                cell, state = _best(worth, side, slack, tops, ties, state)
            else:
                cell, left, state = _draw(order, left, board, state)
            player = 1 + np.int64(side)
            board[cell] = player
            if draw_first and ply == cells - _ONE:
                break
            if _wins(win_rows, win_first, win_through, length, board, cell, player):
                result = side + side
                break
            _mark(cell, player, codes, rows, first, through, place, values, sides, worth)
        counts[result] += 1
    return counts
