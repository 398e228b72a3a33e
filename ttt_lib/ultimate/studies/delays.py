"""Can X win sooner than :mod:`~ttt_lib.ultimate.studies.keep_playing` does?  Not after its opening.

From the position in which the centre board has just been filled, X may now play *any* move, and
so may O.  A depth-first search with a table of settled positions asks whether X can force the win
within a number of plies.  It says no for every number below the longest game of the strategy,
whether O's last stone sends X to a corner or to an edge board; the other six boards are images
of these two.  So given its first phase, the strategy is as quick as any.  Whether another opening
wins sooner remains open.

Arguments of the kernels
------------------------
Integers are returned as int64 and truth values as bool, unless a docstring says otherwise.

s : ndarray of uint16, shape (24,)
    One state, changed in place and restored.
plies : int64
    The bound, counted from the state.
short : ndarray of uint8, shape (512, 512)
    What :func:`stones_short` returns.
keys : ndarray of uint64, shape (2**k, 3)
    The table: the position, and in the lowest bit of the last word the answer.
used : ndarray of int64, shape (1,)
    Rows in use; incremented.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd
from numba import njit
from numpy.typing import NDArray
from tqdm import tqdm

from ttt_lib.evidence import store
from ttt_lib.game.jit import mix
from ttt_lib.ultimate.board.kernels import (
    COUNT,
    KEEP,
    META,
    RESULT,
    SIDE,
    States,
    do,
    targets,
    undo,
    vacant,
)
from ttt_lib.ultimate.board.rules import LINES
from ttt_lib.ultimate.solver.solver import BudgetExceededError
from ttt_lib.ultimate.studies.keep_playing import CENTRE, filled

FILE = "ultimate_delays.csv"
LASTS = {"corner": 0, "edge": 1}
"""Where O's last stone of the first phase sends X, up to symmetry."""

OPENING = 16
"""Plies of the first phase."""

PLIES = tuple(range(29, 42, 2))
"""Bounds to test, in plies of the whole game; X moves last, so all are odd."""

HOPELESS = 50
"""Stands for more stones than X has moves in a game."""

_ONE = np.uint64(1)
_MASKS = np.array([sum(1 << cell for cell in line) for line in LINES])


ORDER = np.array(
    [(board, cell) for board in range(9) for cell in range(9) if cell != CENTRE]
    + [(board, CENTRE) for board in range(9)]
)
"""All sub-boards and cells; those that send to the full centre board, a free move, come last."""


@cache
def stones_short() -> NDArray[np.uint8]:
    """Own stones missing from a line, by the nine bits of own and of other stones, (512, 512)."""
    own, other = np.arange(512)[:, None, None], np.arange(512)[None, :, None]
    short = np.where(other & _MASKS, HOPELESS, 3 - COUNT[own & _MASKS].astype(np.int64))
    return np.asarray(short.min(axis=2), dtype=np.uint8)


@njit(cache=True)
def stones_needed(s, short):  # type: ignore[no-untyped-def]
    """Fewest stones that X needs to win, wherever players are sent; HOPELESS or more if none do."""
    best = 3 * HOPELESS
    for line in LINES:
        need = 0
        for board in line:
            if s[META + 1] >> board & 1:
                need += HOPELESS
            elif not s[META] >> board & 1:
                need += np.int64(short[s[board], s[9 + board]])
        best = min(best, need)
    return best


@njit(cache=True)
def hopeless(s, plies, short):  # type: ignore[no-untyped-def]
    """Whether X has fewer moves left than stones to place, in a running state.

    X lacks at least one stone, so this is true once no plies are left.
    """
    return 2 * stones_needed(s, short) - (1 - np.int64(s[SIDE])) > plies


@njit(cache=True)
def place(s, keys):  # type: ignore[no-untyped-def]
    """The row of a position in the table, or the empty one where it belongs, and its key.

    The key, three uint64, is the whole position, so that no two positions are confused.
    """
    a = b = np.uint64(0)
    for board in range(7):
        a = a << np.uint64(9) | np.uint64(s[board])
        b = b << np.uint64(9) | np.uint64(s[9 + board])
    c = np.uint64(1)
    for word in (7, 8, 16, 17, 18, 19):
        c = c << np.uint64(9) | np.uint64(s[word])
    c = (c << np.uint64(4) | np.uint64(s[21])) << np.uint64(1)
    last = np.uint64(len(keys) - 1)
    row = mix(mix(mix(a) ^ b) ^ c) & last
    while keys[row, 2] and (
        keys[row, 0] != a or keys[row, 1] != b or keys[row, 2] | _ONE != c | _ONE
    ):
        row = (row + np.uint64(1)) & last
    return row, a, b, c


@njit(cache=True)
def forces(s, plies, short, keys, used):  # type: ignore[no-untyped-def]
    """Whether X can force a win within ``plies`` plies: 1 yes, 0 no, -1 if the table is too full.

    The side to move and the plies left follow from the number of stones, so a table is for one
    starting position and one bound.
    """
    if s[RESULT] != 0 or hopeless(s, plies, short):
        return 1 if s[RESULT] == 1 else 0
    row, a, b, c = place(s, keys)
    if keys[row, 2]:
        return np.int64(keys[row, 2] & _ONE)
    if 4 * used[0] >= 3 * len(keys):
        return -1
    mine, boards = s[SIDE] == 0, targets(s)
    found = 0 if mine else 1
    for board, cell in ORDER:
        if boards >> board & 1 and vacant(s, board) >> cell & 1:
            before = do(s, board, cell, KEEP)
            found = forces(s, plies - 1, short, keys, used)
            undo(s, board, cell, before)
            if found < 0 or found == mine:
                break
    if found < 0:
        return -1
    row, a, b, c = place(s, keys)
    keys[row, 0], keys[row, 1], keys[row, 2] = a, b, c | np.uint64(found)
    used[0] += 1
    return found


class Answer(NamedTuple):
    """Whether X can force the win within the bound, and how many positions had to be settled."""

    forced: bool
    positions: int


def within(state: States, plies: int, rows: int = 2**20) -> Answer:
    """Ask about one running state, shape (24,), with any moves of both under ``keep-playing``.

    Parameters
    ----------
    plies : int
        The bound, counted from this state.
    rows : int
        Rows of the table, 24 bytes each; a power of two.

    Raises
    ------
    BudgetExceededError
        If the table is too small.
    """
    keys, used = np.zeros((rows, 3), np.uint64), np.zeros(1, np.int64)
    found = forces(state.copy(), plies, stones_short(), keys, used)
    if found < 0:
        raise BudgetExceededError(f"{rows} rows are not enough for a bound of {plies} plies")
    return Answer(bool(found), int(used[0]))


def ask(kind: str, plies: int) -> dict[str, object]:
    """One row of the table: whether X can win within ``plies`` of the whole game."""
    rows = 2**20 if plies < 37 else 2**24
    forced, positions = within(filled(LASTS[kind])[0], plies - OPENING, rows)
    return {"last": kind, "plies": plies, "forced": forced, "positions": positions}


def make_delays() -> pd.DataFrame:
    """Regenerate the stored table; some two CPU-minutes and 400 MB of memory."""
    asked = [(kind, plies) for kind in LASTS for plies in PLIES]
    return pd.DataFrame([ask(*pair) for pair in tqdm(asked, unit="bound")])


def read() -> pd.DataFrame:
    """The stored table: columns last, plies, forced, positions."""
    return store.read_table(FILE)
