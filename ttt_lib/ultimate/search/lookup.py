"""Evaluate a compiled table net: look rows up, add them, put a small layer on top; compiled.

Arguments of the kernels
------------------------
Those of :mod:`ttt_lib.ultimate.board.kernels`, and

tables, scratch : Tables, Scratch
    The table net; memory that is overwritten.
case : ndarray of uint16, shape (9,)
    What the side to move sees in each sub-board, below ``CASES``.
meta : int64
    What it sees on the meta-board, below ``ARRANGEMENTS``.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from math import tanh
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.ultimate.board.kernels import FORCED, FREE, LEAF, META, MOVE, OPEN, SIDE
from ttt_lib.ultimate.learn.tablenet import CASES, DRAWN, LOST, TERNARY, WON, Float32s

_U = np.uint64


class Scratch(NamedTuple):
    """Memory that an evaluation writes to.

    Attributes
    ----------
    case : ndarray of uint16, shape (9,)
        What the side to move sees in each sub-board.
    total : ndarray of float32, shape (R,)
    send, wish : ndarray of float32, shape (9,)
        Logits of sending the opponent to each sub-board; of the cells of one sub-board.
    """

    case: NDArray[np.uint16]
    total: Float32s
    send: Float32s
    wish: Float32s


@njit(cache=True)
def scratch(tables):  # type: ignore[no-untyped-def]
    """Room, a :class:`Scratch`, for one evaluation after the other."""
    total = np.zeros(tables.weights.shape[1], np.float32)
    return Scratch(np.zeros(9, np.uint16), total, np.zeros(9, np.float32), np.zeros(9, np.float32))


@njit(**LEAF)
def read(s, case):  # type: ignore[no-untyped-def]
    """Write what the side to move sees in each sub-board to ``case``; returns ``meta``."""
    side = np.int64(s[SIDE])
    mine, yours, playing = np.int64(s[META + side]), np.int64(s[META + 1 - side]), np.int64(s[OPEN])
    for board in range(9):
        if playing >> board & 1:
            own, other = s[9 * side + board], s[9 - 9 * side + board]
            case[board] = np.int64(TERNARY[own]) + 2 * np.int64(TERNARY[other])
        else:
            case[board] = WON if mine >> board & 1 else (LOST if yours >> board & 1 else DRAWN)
    return np.int64(TERNARY[mine]) + 2 * np.int64(TERNARY[yours])


@njit(**LEAF, fastmath=True)
def sum_rows(rows, board, meta, case, total):  # type: ignore[no-untyped-def]
    """Add the nine sub-boards' rows, the forced one's and the meta-board's; ReLU.

    Parameters
    ----------
    rows : ndarray of float32
        Those of :class:`Tables`.
    board : int64
        The forced sub-board, or ``FREE``.
    total : ndarray of float32, shape (R,)
        Overwritten.
    """
    # Flat, unsigned, a few rows at a time: so LLVM turns the sums into vector instructions.
    size = _U(len(total))
    top = 18 * CASES if board == FREE else (9 + board) * CASES + np.int64(case[board])
    a, b = _U(top) * size, _U(18 * CASES + 1 + meta) * size
    for r in range(size):
        total[r] = rows[a + r] + rows[b + r]
    for place in range(0, 9, 3):
        a = _U(place * CASES + np.int64(case[place])) * size
        b = _U((place + 1) * CASES + np.int64(case[place + 1])) * size
        c = _U((place + 2) * CASES + np.int64(case[place + 2])) * size
        for r in range(size):
            total[r] += rows[a + r] + rows[b + r] + rows[c + r]
    for r in range(size):
        total[r] = max(total[r], np.float32(0))


@njit(**LEAF, fastmath=True)
def value_of(tables, s, scratch):  # type: ignore[no-untyped-def]
    """Value for the side to move, float64 in [-1, 1]."""
    meta, total = read(s, scratch.case), scratch.total
    sum_rows(tables.rows, np.int64(s[FORCED]), meta, scratch.case, total)
    width = len(tables.bias)
    value = tables.last[width]
    for unit in range(width):
        inner = tables.bias[unit]
        for r in range(len(total)):
            inner += tables.weights[unit, r] * total[r]
        value += tables.last[unit] * max(inner, np.float32(0))
    return tanh(np.float64(value))


@njit(**LEAF, fastmath=True)
def meta_logits(tables, meta, scratch):  # type: ignore[no-untyped-def]
    """Write logits of sending the opponent to each sub-board; needs the cases there."""
    channels = tables.sends.shape[1]
    for cell in range(9):
        total = np.float32(0)
        for k in range(channels):
            care = tables.care_there[meta, channels * cell + k]
            total += care * tables.sends[np.int64(scratch.case[cell]), k]
        scratch.send[cell] = total


@njit(**LEAF, fastmath=True)
def cell_logits(tables, board, meta, scratch):  # type: ignore[no-untyped-def]
    """Write logits of the nine cells of a sub-board, given those of sending."""
    channels, here, wish = tables.sends.shape[1], np.int64(scratch.case[board]), scratch.wish
    for cell in range(9):
        wish[cell] = tables.place[board, cell] + scratch.send[cell]
    for k in range(channels):
        care = tables.care_here[meta, channels * board + k]
        for cell in range(9):
            wish[cell] += care * tables.cells[here, 9 * k + cell]


@njit(cache=True, nogil=True)
def evaluate(states, tables, logits, values):  # type: ignore[no-untyped-def]
    """Value running states and their moves.

    Parameters
    ----------
    logits : ndarray of float64, shape (B, 81)
        Overwritten, for all moves, 9 row + column.
    values : ndarray of float64, shape (B,)
        Overwritten, for the sides to move.
    """
    room = scratch(tables)
    for i in range(len(states)):
        values[i] = value_of(tables, states[i], room)
        meta = read(states[i], room.case)
        meta_logits(tables, meta, room)
        for board in range(9):
            cell_logits(tables, board, meta, room)
            for cell in range(9):
                logits[i, MOVE[9 * board + cell]] = room.wish[cell]
