"""Evaluate a compiled table net in kernels: look up rows, add them, apply a small layer.

The tables hold whole numbers whose sums are exact in single precision.  That is
why the loops may be reordered (``fastmath``) and still give the same result on every
processor; the steps that round (:func:`squashed`, the priors) are outside these loops.

Arguments of the kernels
------------------------
Those of :mod:`ttt_lib.ultimate.board.kernels`, and

tables, scratch : Tables, Scratch
    The table net; memory that is overwritten.
case : ndarray of uint16, shape (9,)
    What the side to move sees in each sub-board, below ``CASES``.
meta : int64
    What it sees on the meta-board, below ``ARRANGEMENTS``.
rows, total : ndarray of int16, the latter of shape (R,)
    Those of the tables; their sum, overwritten.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.jit import INLINE, LEAF
from ttt_lib.ultimate.board.kernels import FORCED, FREE, META, MOVE, OPEN, SIDE
from ttt_lib.ultimate.network.tablenet import (
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
"""Number of units in a logit of 1."""

_STEPS = 64
_PER_STEP = LOGIT_UNIT // _STEPS

LIKING = np.rint(np.exp(-np.arange(20 * _STEPS) / _STEPS) * 2.0**40) / 2.0**40
"""exp(-i / 64), in whole multiples of 2^-40: the weight of a move relative to the best one, by how
far its logit lies below."""


class Scratch(NamedTuple):
    """Memory that an evaluation writes to.

    Attributes
    ----------
    case : ndarray of uint16, shape (9,)
        What the side to move sees in each sub-board.
    total : ndarray of int16, shape (R,)
    unit : ndarray of uint16, shape (R + 3,)
        Where the total is above 0.
    hidden, inner : ndarray of float32, shapes (R + 3,) and (V,)
        The total there, cut to TOP; the layer above.
    care : ndarray of float32, shape (2 K,)
        Care that the total adds to the policy.
    send, wish : ndarray of float32, shape (9,)
        Logits of sending the opponent to each sub-board; of the cells of one sub-board.
    """

    case: NDArray[np.uint16]
    total: Int16s
    unit: NDArray[np.uint16]
    hidden: Float32s
    inner: Float32s
    care: Float32s
    send: Float32s
    wish: Float32s


@njit(cache=True)
def scratch(tables):  # type: ignore[no-untyped-def]
    """Working memory, a :class:`Scratch`, that successive evaluations reuse."""
    width = len(tables.bias)
    size = len(tables.weights) // width
    return Scratch(
        np.zeros(9, np.uint16), np.zeros(size, np.int16), np.zeros(size + 3, np.uint16),
        np.zeros(size + 3, np.float32),
        np.zeros(width, np.float32), np.zeros(len(tables.globe) // size, np.float32),
        np.zeros(9, np.float32), np.zeros(9, np.float32),
    )  # fmt: skip


@njit(**INLINE)
def case_of(s, board, side):  # type: ignore[no-untyped-def]
    """What a side, 0 (X) or 1 (O), sees in a sub-board, below ``CASES``, int64."""
    if np.int64(s[OPEN]) >> board & 1:
        own, other = s[9 * side + board], s[9 - 9 * side + board]
        return np.int64(TERNARY[own]) + 2 * np.int64(TERNARY[other])
    if np.int64(s[META + side]) >> board & 1:
        return WON
    return LOST if np.int64(s[META + 1 - side]) >> board & 1 else DRAWN


@njit(**INLINE)
def meta_of(s):  # type: ignore[no-untyped-def]
    """What the side to move sees on the meta-board, ``meta``."""
    side = np.int64(s[SIDE])
    return np.int64(TERNARY[s[META + side]]) + 2 * np.int64(TERNARY[s[META + 1 - side]])


@njit(**INLINE)
def read(s, case):  # type: ignore[no-untyped-def]
    """Write what the side to move sees in each sub-board to ``case``; returns ``meta``."""
    side = np.int64(s[SIDE])
    for board in range(9):
        case[board] = case_of(s, board, side)
    return meta_of(s)


@njit(**INLINE)
def forced_row(s):  # type: ignore[no-untyped-def]
    """Number of the row that the forced sub-board, or a free move, adds."""
    board = np.int64(s[FORCED])
    if board == FREE:
        return 18 * CASES
    return (9 + board) * CASES + case_of(s, board, np.int64(s[SIDE]))


@njit(**INLINE)
def sum_rows(rows, case, total):  # type: ignore[no-untyped-def]
    """Write the sum of the nine sub-boards' rows to ``total``."""
    # Flat, unsigned, a few rows at a time, so that LLVM turns the sums into vector instructions.
    size = _U(len(total))
    for r in range(size):
        total[r] = 0
    for place in range(0, 9, 3):
        a = _U(place * CASES + np.int64(case[place])) * size
        b = _U((place + 1) * CASES + np.int64(case[place + 1])) * size
        c = _U((place + 2) * CASES + np.int64(case[place + 2])) * size
        for r in range(size):
            total[r] += rows[a + r] + rows[b + r] + rows[c + r]


@njit(**INLINE)
def add_two(rows, s, total):  # type: ignore[no-untyped-def]
    """Add the forced sub-board's row and the meta-board's to ``total``."""
    size = _U(len(total))
    a, b = _U(forced_row(s)) * size, _U(18 * CASES + 1 + meta_of(s)) * size
    for r in range(size):
        total[r] += rows[a + r] + rows[b + r]


@njit(**INLINE)
def cut(scratch):  # type: ignore[no-untyped-def]
    """List the units whose total is above 0 in ``unit``, and these totals cut to TOP in ``hidden``.

    Three zeros follow as padding, so that :func:`weigh` can take four at a time.  Returns the
    number of units listed, uint64.
    """
    count, total = _U(0), scratch.total
    for r in range(_U(len(total))):
        scratch.unit[count], scratch.hidden[count] = r, min(np.int32(total[r]), np.int32(_CUT))
        count += _U(total[r] > 0)
    for spare in range(_U(3)):
        scratch.unit[count + spare], scratch.hidden[count + spare] = 0, 0
    return count


@njit(**INLINE, fastmath=True)
def weigh(table, scratch, count, found):  # type: ignore[no-untyped-def]
    """Add the listed units times their rows of a flat table to ``found``, four at once.

    Parameters
    ----------
    table : ndarray of float32, shape (R V,)
    count : uint64
        How many units are listed.
    found : ndarray of float32, shape (V,)
    """
    size, hidden, unit = _U(len(found)), scratch.hidden, scratch.unit
    for i in range(_U(0), count, _U(4)):
        h0, h1, h2, h3 = hidden[i], hidden[i + _U(1)], hidden[i + _U(2)], hidden[i + _U(3)]
        a, b = _U(unit[i]) * size, _U(unit[i + _U(1)]) * size
        c, d = _U(unit[i + _U(2)]) * size, _U(unit[i + _U(3)]) * size
        for v in range(size):
            found[v] += (
                h0 * table[a + v] + h1 * table[b + v] + (h2 * table[c + v] + h3 * table[d + v])
            )


@njit(**INLINE, fastmath=True)
def last_sum(last, inner):  # type: ignore[no-untyped-def]
    """The last layer, exact in double precision.

    Parameters
    ----------
    last : ndarray of float64, shape (V + 1,)
    inner : ndarray of float32, shape (V,)
    """
    width = len(inner)
    value = last[width]
    for unit in range(width):
        value += last[unit] * max(inner[unit], np.float32(0))
    return value


@njit(**LEAF)
def squashed(x):  # type: ignore[no-untyped-def]
    """A float64 mapped into [-1, 1].

    Parameters
    ----------
    x : float64
    """
    return x / sqrt(1 + x * x)


@njit(**INLINE)
def add_up(tables, s, scratch):  # type: ignore[no-untyped-def]
    """Write the total of a state; returns ``meta``."""
    meta = read(s, scratch.case)
    sum_rows(tables.rows, scratch.case, scratch.total)
    add_two(tables.rows, s, scratch.total)
    return meta


@njit(**INLINE)
def value_of(tables, s, scratch):  # type: ignore[no-untyped-def]
    """Value for the side to move, float64 in [-1, 1]."""
    add_up(tables, s, scratch)
    inner = scratch.inner
    for v in range(len(inner)):
        inner[v] = tables.bias[v]
    weigh(tables.weights, scratch, cut(scratch), inner)
    return squashed(last_sum(tables.last, inner) * tables.scale)


@njit(**INLINE)
def look(tables, s, scratch):  # type: ignore[no-untyped-def]
    """Prepare for the policy: write the care that the total adds; returns ``meta``."""
    meta, care = add_up(tables, s, scratch), scratch.care
    for k in range(len(care)):
        care[k] = 0
    weigh(tables.globe, scratch, cut(scratch), care)
    for k in range(len(care)):
        care[k] = round_off(care[k] * tables.globe_scale)
    return meta


@njit(**LEAF)
def round_off(x):  # type: ignore[no-untyped-def]
    """The nearest whole number, float32, at most MOST_CARE in absolute value.

    Parameters
    ----------
    x : float32
    """
    return np.float32(np.int64(min(max(x, -_CARE), _CARE) + (0.5 + MOST_CARE)) - MOST_CARE)


@njit(**INLINE, fastmath=True)
def meta_logits(tables, meta, scratch):  # type: ignore[no-untyped-def]
    """Write logits of sending the opponent to each sub-board; ``scratch.case`` must be set."""
    channels = _U(tables.sends.shape[1])
    for cell in range(_U(9)):
        total, case, first = np.float32(0), _U(scratch.case[cell]), channels * (_U(9) + cell)
        for k in range(channels):
            care = tables.care[_U(meta), first + k] + scratch.care[channels + k]
            total += care * tables.sends[case, k]
        scratch.send[cell] = total


@njit(**INLINE, fastmath=True)
def cell_logits(tables, board, meta, scratch):  # type: ignore[no-untyped-def]
    """Write logits of the nine cells of a sub-board, given the logits of sending."""
    channels, here, wish = _U(tables.sends.shape[1]), _U(scratch.case[board]), scratch.wish
    for cell in range(_U(9)):
        wish[cell] = tables.place[_U(board), cell] + scratch.send[cell]
    for k in range(channels):
        care = tables.care[_U(meta), channels * _U(board) + k] + scratch.care[k]
        for cell in range(_U(9)):
            wish[cell] += care * tables.cells[here, _U(9) * k + cell]


@njit(**LEAF)
def liking(below):  # type: ignore[no-untyped-def]
    """exp(-below), float64, for a distance between logits.

    Parameters
    ----------
    below : float32
        In 1/LOGIT_UNIT, not negative.
    """
    return LIKING[min(np.uint64(below) // np.uint64(_PER_STEP), np.uint64(len(LIKING) - 1))]


@njit(cache=True, nogil=True)
def evaluate(states, tables, logits, values):  # type: ignore[no-untyped-def]
    """Evaluate running states and their moves.

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
