"""Evaluate a compiled table net: look rows up, add them, put a small layer on top; compiled.

The tables hold whole numbers whose sums are exact in single precision.  That is
why the loops may be reordered (``fastmath``) and still give the same on every
processor; the steps that round (:func:`squashed`, the priors) stand outside them.

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

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.ultimate.board.kernels import FORCED, FREE, LEAF, META, MOVE, OPEN, SIDE
from ttt_lib.ultimate.learn.tablenet import (
    CARE_UNIT,
    CASES,
    DRAWN,
    LOST,
    MOST_CARE,
    ROW_UNIT,
    TERNARY,
    TOP,
    WISH_UNIT,
    WON,
    Float32s,
    Int16s,
)

_U = np.uint64
_CUT = round(TOP * ROW_UNIT)
_CARE = float(MOST_CARE)

LOGIT_UNIT = CARE_UNIT * WISH_UNIT
"""How many units a logit of 1 is."""

_STEPS = 64
_PER_STEP = LOGIT_UNIT // _STEPS

LIKING = np.rint(np.exp(-np.arange(20 * _STEPS) / _STEPS) * 2.0**40) / 2.0**40
"""exp(-i / 64), in whole multiples of 2^-40: what a move is worth beside the best one, by how far
its logit lies below."""


class Scratch(NamedTuple):
    """Memory that an evaluation writes to.

    Attributes
    ----------
    case : ndarray of uint16, shape (9,)
        What the side to move sees in each sub-board.
    total : ndarray of int16, shape (R,)
    hidden, inner : ndarray of float32, shapes (R,) and (V,)
        The total cut to [0, TOP]; the layer above.
    care : ndarray of float32, shape (2 K,)
        What the total makes the policy care for.
    send, wish : ndarray of float32, shape (9,)
        Logits of sending the opponent to each sub-board; of the cells of one sub-board.
    """

    case: NDArray[np.uint16]
    total: Int16s
    hidden: Float32s
    inner: Float32s
    care: Float32s
    send: Float32s
    wish: Float32s


@njit(cache=True)
def scratch(tables):  # type: ignore[no-untyped-def]
    """Room, a :class:`Scratch`, for one evaluation after the other."""
    width = len(tables.bias)
    size = len(tables.weights) // width
    return Scratch(
        np.zeros(9, np.uint16), np.zeros(size, np.int16), np.zeros(size, np.float32),
        np.zeros(width, np.float32), np.zeros(len(tables.globe) // size, np.float32),
        np.zeros(9, np.float32), np.zeros(9, np.float32),
    )  # fmt: skip


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


@njit(**LEAF)
def sum_rows(rows, board, meta, case, total, hidden):  # type: ignore[no-untyped-def]
    """Add the nine sub-boards' rows, the forced one's and the meta-board's; cut to [0, TOP].

    Parameters
    ----------
    rows : ndarray of int16
        Those of :class:`Tables`.
    board : int64
        The forced sub-board, or ``FREE``.
    total : ndarray of int16, shape (R,)
        Overwritten.
    hidden : ndarray of float32, shape (R,)
        Overwritten by the total cut to [0, TOP].
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
        hidden[r] = min(max(np.int32(total[r]), np.int32(0)), np.int32(_CUT))


@njit(**LEAF, fastmath=True)
def weigh(table, hidden, found):  # type: ignore[no-untyped-def]
    """Add hidden times a flat table, (R,) x (R, V), to ``found``, four rows at a time."""
    size = _U(len(found))
    for r in range(_U(0), _U(len(hidden)), _U(4)):
        h0, h1, h2, h3 = hidden[r], hidden[r + _U(1)], hidden[r + _U(2)], hidden[r + _U(3)]
        a = r * size
        b, c, d = a + size, a + _U(2) * size, a + _U(3) * size
        for v in range(size):
            found[v] += (
                h0 * table[a + v] + h1 * table[b + v] + (h2 * table[c + v] + h3 * table[d + v])
            )


@njit(**LEAF, fastmath=True)
def ask(table, hidden, found):  # type: ignore[no-untyped-def]
    """Write a flat table times hidden, (2 K, R) x (R,): quicker than ``weigh`` for few sums."""
    size = _U(len(hidden))
    for k in range(_U(len(found))):
        total, first = np.float32(0), k * size
        for r in range(size):
            total += hidden[r] * table[first + r]
        found[k] = total


@njit(**LEAF, fastmath=True)
def last_sum(last, inner):  # type: ignore[no-untyped-def]
    """The last layer, exact in double precision."""
    width = len(inner)
    value = last[width]
    for unit in range(width):
        value += last[unit] * max(inner[unit], np.float32(0))
    return value


@njit(**LEAF)
def squashed(x):  # type: ignore[no-untyped-def]
    """Into [-1, 1]."""
    return x / sqrt(1 + x * x)


@njit(**LEAF)
def value_of(tables, s, scratch):  # type: ignore[no-untyped-def]
    """Value for the side to move, float64 in [-1, 1]."""
    meta, inner = read(s, scratch.case), scratch.inner
    sum_rows(tables.rows, np.int64(s[FORCED]), meta, scratch.case, scratch.total, scratch.hidden)
    for v in range(len(inner)):
        inner[v] = tables.bias[v]
    weigh(tables.weights, scratch.hidden, inner)
    return squashed(last_sum(tables.last, inner) * tables.scale)


@njit(**LEAF)
def look(tables, s, scratch):  # type: ignore[no-untyped-def]
    """Make ready for the policy: what the total cares for; returns the meta-board's case."""
    meta, care = read(s, scratch.case), scratch.care
    sum_rows(tables.rows, np.int64(s[FORCED]), meta, scratch.case, scratch.total, scratch.hidden)
    ask(tables.globe, scratch.hidden, care)
    for k in range(len(care)):
        care[k] = round_off(care[k] * tables.globe_scale)
    return meta


@njit(**LEAF)
def round_off(x):  # type: ignore[no-untyped-def]
    """The nearest whole number, at most MOST_CARE in size."""
    return np.float32(np.int64(min(max(x, -_CARE), _CARE) + (0.5 + MOST_CARE)) - MOST_CARE)


@njit(**LEAF, fastmath=True)
def meta_logits(tables, meta, scratch):  # type: ignore[no-untyped-def]
    """Write logits of sending the opponent to each sub-board; needs the cases there."""
    channels = _U(tables.sends.shape[1])
    for cell in range(_U(9)):
        total, case, first = np.float32(0), _U(scratch.case[cell]), channels * (_U(9) + cell)
        for k in range(channels):
            care = tables.care[_U(meta), first + k] + scratch.care[channels + k]
            total += care * tables.sends[case, k]
        scratch.send[cell] = total


@njit(**LEAF, fastmath=True)
def cell_logits(tables, board, meta, scratch):  # type: ignore[no-untyped-def]
    """Write logits of the nine cells of a sub-board, given those of sending."""
    channels, here, wish = _U(tables.sends.shape[1]), _U(scratch.case[board]), scratch.wish
    for cell in range(_U(9)):
        wish[cell] = tables.place[_U(board), cell] + scratch.send[cell]
    for k in range(channels):
        care = tables.care[_U(meta), channels * _U(board) + k] + scratch.care[k]
        for cell in range(_U(9)):
            wish[cell] += care * tables.cells[here, _U(9) * k + cell]


@njit(**LEAF)
def liking(below):  # type: ignore[no-untyped-def]
    """exp(-below), for a distance between logits in 1/LOGIT_UNIT."""
    return LIKING[min(np.uint64(below) // np.uint64(_PER_STEP), np.uint64(len(LIKING) - 1))]


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
        meta = look(tables, states[i], room)
        meta_logits(tables, meta, room)
        for board in range(9):
            cell_logits(tables, board, meta, room)
            for cell in range(9):
                logits[i, MOVE[9 * board + cell]] = np.float64(room.wish[cell]) / LOGIT_UNIT
