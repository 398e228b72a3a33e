"""Every fixed list of cells as a player, played out against every reply on 3x3.

The 362,880 lists are all the policies that a score linear in the stones can have on one side.
Without the safety rule, symmetric lists play alike, so one list represents its
symmetric images; with the rule (lowest index first) all are tried.

Arguments of the kernels
------------------------
Whole numbers are returned as int64, truth values as bool.

stones, own, other : int64
    Cells as a bit mask: of one side, of the list's player, of the opponent.
lines : ndarray of int64, shape (8,)
    Bit masks.
order, orders : ndarray of int64, shapes (9,), (L, 9)
    A list of the cells, first choice first; several lists.
safe, first : bool
    Whether the player follows the safety rule; whether it moves first.
ways : int64
    How many of the ``total`` ways in which the opponent can choose lead here.
tally, out : ndarray of int64, shapes (3,), (L, 3)
    Wins, losses (both in ways) and worst result; changed in place.
stack : ndarray of int64, shape (64, 3)
    Positions where the opponent is to move, as own, other, ways; changed in place.
top : int64
    Height of the stack.
"""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from numba import njit

from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.jit import LEAF

FULL = 511


class Results(NamedTuple):
    """What each list achieves, one row per list.

    Attributes
    ----------
    orders : ndarray of int64, shape (L, 9)
    wins, losses : ndarray of int64, shape (L,)
        Games won and lost against a random opponent, out of ``total``.
    worst : ndarray of int64, shape (L,)
        Result against the best opponent, -1, 0 or 1.
    total : int
        Number of equally likely ways in which the opponent can choose.
    """

    orders: Ints
    wins: Ints
    losses: Ints
    worst: Ints
    total: int


@njit(**LEAF)
def _won(stones, lines):  # type: ignore[no-untyped-def]
    """Whether the stones hold a line."""
    full = False
    for line in lines:
        full |= stones & line == line
    return full


@njit(**LEAF)
def _urgent(own, other, lines):  # type: ignore[no-untyped-def]
    """Lowest cell that wins, else lowest that blocks, else -1."""
    for stones in (own, other):
        for cell in range(9):
            if (own | other) >> cell & 1 == 0 and _won(stones | 1 << cell, lines):
                return cell
    return -1


@njit(**LEAF)
def _answer(own, other, order, safe, lines):  # type: ignore[no-untyped-def]
    """The cell that the list's player takes, -1 if none is free."""
    if safe:
        cell = _urgent(own, other, lines)
        if cell >= 0:
            return cell
    for cell in order:
        if (own | other) >> cell & 1 == 0:
            return cell
    return -1


@njit(**LEAF)
def _replies(own, other, ways, order, safe, lines, tally, stack, top):  # type: ignore[no-untyped-def]
    """Try every move of the opponent, and the list's answer; returns the new top of the stack."""
    free = 0
    for cell in range(9):
        free += 1 - ((own | other) >> cell & 1)
    for cell in range(9):
        if (own | other) >> cell & 1 == 1:
            continue
        after = other | 1 << cell
        if _won(after, lines):
            tally[1] += ways // free
            tally[2] = -1
            continue
        mine = own
        if own | after != FULL:
            mine = own | 1 << _answer(own, after, order, safe, lines)
        if _won(mine, lines):
            tally[0] += ways // free
        elif mine | after == FULL:
            tally[2] = min(tally[2], 0)
        else:
            stack[top, 0], stack[top, 1], stack[top, 2] = mine, after, ways // free
            top += 1
    return top


@njit(**LEAF)
def _play_out(order, first, safe, ways, lines, tally, stack):  # type: ignore[no-untyped-def]
    """Play a list against all replies."""
    tally[0], tally[1], tally[2] = 0, 0, 1
    stack[0, 0], stack[0, 1], stack[0, 2] = (1 << order[0] if first else 0), 0, ways
    top = 1
    while top > 0:
        top -= 1
        own, other, left = stack[top, 0], stack[top, 1], stack[top, 2]
        top = _replies(own, other, left, order, safe, lines, tally, stack, top)


@njit(cache=True)
def _play_all(orders, first, safe, ways, lines, out):  # type: ignore[no-untyped-def]
    """Play every list against all replies."""
    stack = np.zeros((64, 3), np.int64)
    for row in range(len(orders)):
        _play_out(orders[row], first, safe, ways, lines, out[row], stack)


def all_orders(*, up_to_symmetry: bool) -> Ints:
    """All lists of the nine cells, or the first of each class of symmetric lists, shape (L, 9)."""
    orders = np.array(list(permutations(range(9))), dtype=np.int64)
    if not up_to_symmetry:
        return orders
    images = np.stack([image[orders] for image in Grid(3).symmetries])
    codes = images @ (9 ** np.arange(9)[::-1])
    return np.asarray(orders[codes[0] == codes.min(axis=0)])


def play_lists(orders: Ints, side: int, *, safe: bool) -> Results:
    """Play lists against all replies.

    Parameters
    ----------
    orders : ndarray of int64, shape (L, 9)
    side : int
        +1 if the list plays X, -1 if it plays O.
    safe : bool
        Whether it follows the safety rule.
    """
    total = 8 * 6 * 4 * 2 if side == 1 else 9 * 7 * 5 * 3
    out = np.zeros((len(orders), 3), dtype=np.int64)
    lines = (1 << Grid(3).lines).sum(axis=1)  # as bit masks
    _play_all(orders, side == 1, safe, total, lines, out)
    return Results(orders, out[:, 0], out[:, 1], out[:, 2], total)
