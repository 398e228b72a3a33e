"""The game on bitboards, compiled: moves, random playouts, perft.

A state is a row of 24 small unsigned integers; nine bits stand for nine cells::

    0..8    stones of X, one integer per sub-board      bit c = cell c:  0 1 2
    9..17   stones of O                                                  3 4 5
    18, 19  sub-boards owned by X, by O                                  6 7 8
    20      sub-boards in play
    21      forced sub-board, 9 for a free move
    22      side to move, 0 for X, 1 for O
    23      0 while the game runs, else 1 (X won), 2 (O won), 3 (a draw)

The kernels index with values loaded from unsigned arrays, because the compiler
then knows that they can't be negative and omits the check for negative indices.

Arguments of the kernels
------------------------
Integers are returned as int64 and truth values as bool, unless a docstring says otherwise.

s, state, root, states : ndarray of uint16, shape (24,), of ``states`` (B, 24)
    One state, of which only ``s`` is changed in place; a batch of states.
board, cell : int64
    A sub-board; a cell in it.
side : int64
    0 for X, 1 for O.
rules : int64
    ``STANDARD``, ``KEEP`` or ``CODINGAME``.
bits : uint64
    State of the generator, never 0; see :func:`seed`.
me, you, playing : int64 or uint64
    Sub-boards as bits: owned by the mover, owned by the opponent, in play.
words : ndarray of uint64, shape (WORDS,)
    Four words for each sub-board, overwritten: its empty cells as in ``LISTED`` (0 to 8), their
    number (9 to 17), and the stones of X (18 to 26) and O (27 to 35) as in ``STONES``.
games, depth : int64
    Games to play; depth in plies.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.jit import LEAF, advance, below
from ttt_lib.ultimate.board.rules import BOARD_OF, CELL_OF, LINES, MOVE_OF, RULES

State = NDArray[np.uint16]
"""One packed state, shape (WIDTH,)."""

States = NDArray[np.uint16]
"""Packed states, shape (B, WIDTH)."""

WIDTH = 24
META, OPEN, FORCED, SIDE, RESULT = 18, 20, 21, 22, 23
FREE = 9
FULL = 511
WORDS = 36
STANDARD, KEEP, CODINGAME = range(len(RULES))

_MASKS = np.arange(512)
_LINE_MASKS = np.array([sum(1 << cell for cell in line) for line in LINES])
_PLACES = [[cell for cell in range(9) if mask >> cell & 1] for mask in range(512)]

WON = ((_MASKS[:, None] & _LINE_MASKS) == _LINE_MASKS).any(axis=1).astype(np.uint8)
"""Whether nine bits hold a line, shape (512,)."""

COUNT = np.array([len(places) for places in _PLACES], dtype=np.uint8)
"""Number of set bits, shape (512,)."""

NTH = np.array([places + [0] * (9 - len(places)) for places in _PLACES], dtype=np.uint8)
"""Place of the k-th set bit, shape (512, 9)."""

COMPLETES = np.array(
    [sum(1 << c for c in range(9) if WON[m | 1 << c]) for m in range(512)], dtype=np.uint16
)
"""Cells at which one more stone makes (or leaves) a line, shape (512,)."""

BOARD = np.array(BOARD_OF, dtype=np.uint8)
CELL = np.array(CELL_OF, dtype=np.uint8)
MOVE = np.array(MOVE_OF, dtype=np.uint8).reshape(-1)
"""Move 9 row + column by 9 sub-board + cell, shape (81,)."""


def seed(rng: np.random.Generator | int) -> int:
    """State of the kernels' own generator (xorshift64*), drawn from a numpy one."""
    return int(np.random.default_rng(rng).integers(1, 2**63))


@njit(**LEAF)
def put(s, state):  # type: ignore[no-untyped-def]
    """Copy ``state`` into ``s``; an array assignment might allocate."""
    for word in range(WIDTH):
        s[word] = state[word]


@njit(cache=True, inline="always")
def targets(s):  # type: ignore[no-untyped-def]
    """The sub-boards in which the side to move may play, as bits; 0 once the game is over."""
    if s[RESULT] != 0:
        return 0
    return np.int64(s[OPEN]) if s[FORCED] == FREE else 1 << np.int64(s[FORCED])


@njit(cache=True, inline="always")
def vacant(s, board):  # type: ignore[no-untyped-def]
    """Empty cells of a sub-board, as bits."""
    return FULL & ~np.int64(s[board] | s[9 + board])


@njit(cache=True, inline="always")
def winnable(s, side):  # type: ignore[no-untyped-def]
    """Sub-boards in which one stone of ``side`` completes a line of sub-boards, as bits."""
    found = 0
    free = (
        np.int64(s[OPEN]) & ~np.int64(s[META] | s[META + 1]) & np.int64(COMPLETES[s[META + side]])
    )
    while free:
        board = np.int64(NTH[free, 0])
        free &= free - 1
        if np.int64(COMPLETES[s[9 * side + board]]) & vacant(s, board):
            found |= 1 << board
    return found


@njit(cache=True, inline="always")
def ending(s, rules):  # type: ignore[no-untyped-def]
    """Result, as in word 23, once no sub-board is in play and neither side has a line of them."""
    if rules == CODINGAME and COUNT[s[META]] != COUNT[s[META + 1]]:
        return 1 if COUNT[s[META]] > COUNT[s[META + 1]] else 2
    return 3


@njit(cache=True, inline="always")
def do(s, board, cell, rules):  # type: ignore[no-untyped-def]
    """Make a move in place; returns what ``undo`` needs."""
    side, bit = np.int64(s[SIDE]), 1 << board
    owned, playing = np.int64(s[META + side]), np.int64(s[OPEN])
    before = owned | playing << 9 | np.int64(s[FORCED]) << 18
    own = np.int64(s[9 * side + board]) | 1 << cell
    s[9 * side + board] = own
    won = WON[own] != 0 and (s[META] | s[META + 1]) & bit == 0
    if won:
        owned |= bit
        s[META + side] = owned
        if WON[owned]:
            s[RESULT] = 1 + side
    if (won and rules != KEEP) or own | np.int64(s[9 - 9 * side + board]) == FULL:
        playing &= ~bit
        s[OPEN] = playing
        if playing == 0 and s[RESULT] == 0:
            s[RESULT] = ending(s, rules)
    s[FORCED] = cell if playing >> cell & 1 and s[RESULT] == 0 else FREE
    s[SIDE] = 1 - side
    return before


@njit(cache=True, inline="always")
def undo(s, board, cell, before):  # type: ignore[no-untyped-def]
    """Take back a move that ``do`` made.

    Parameters
    ----------
    before : int64
        What ``do`` returned.
    """
    side = 1 - np.int64(s[SIDE])
    s[9 * side + board] = np.int64(s[9 * side + board]) & ~(1 << cell)
    s[META + side] = before & FULL
    s[OPEN] = before >> 9 & FULL
    s[FORCED] = before >> 18
    s[SIDE] = side
    s[RESULT] = 0


@njit(cache=True, inline="always")
def count_playable(s):  # type: ignore[no-untyped-def]
    """Empty cells of the sub-boards in play."""
    total = 0
    for board in range(9):
        total += np.int64(COUNT[vacant(s, board)]) * (np.int64(s[OPEN]) >> board & 1)
    return total


@njit(cache=True, inline="always")
def spread_pick(s, playing, left):  # type: ignore[no-untyped-def]
    """Sub-board and cell of a free move.

    Parameters
    ----------
    left : int64
        Index of the move among all legal ones, ordered by sub-board and cell.
    """
    board = 0
    while True:
        cells = vacant(s, board)
        here = np.int64(COUNT[cells]) * (playing >> board & 1)
        if left < here:
            return board, np.int64(NTH[cells, left])
        left -= here
        board += 1


@njit(cache=True, inline="always")
def pick(s, bits):  # type: ignore[no-untyped-def]
    """Sub-board and cell of a uniformly random legal move."""
    board = np.int64(s[FORCED])
    if board == FREE:
        return spread_pick(s, np.int64(s[OPEN]), below(bits, count_playable(s)))
    cells = vacant(s, board)
    return board, np.int64(NTH[cells, below(bits, np.int64(COUNT[cells]))])


_U = np.uint64
_ONES, _TOPS = _U(0x0101010101010101), _U(0x8080808080808080)

LISTED = np.array([sum(c << 4 * k for k, c in enumerate(p)) for p in _PLACES], dtype=np.uint64)
"""Places of the set bits as a list, four bits each; shape (512,)."""

STONES = (_MASKS | COMPLETES.astype(np.int64) << 9).astype(np.uint64)
"""Nine bits, and from bit 9 on their entry of ``COMPLETES``; shape (512,)."""

LANE = np.array([1 << 8 * board for board in range(8)] + [0], dtype=np.uint64)
"""A one in the byte of each sub-board; the ninth needs no byte, as it gets the rest; shape (9,)."""


@njit(cache=True, inline="always")
def without(cells, k):  # type: ignore[no-untyped-def]
    """Remove an entry from a list like those of ``LISTED``; returns the remaining list, uint64.

    Parameters
    ----------
    cells, k : uint64
        The list; four times the entry's place.
    """
    below = (_U(1) << k) - _U(1)
    return (cells & below) | (cells >> _U(4) & ~below)


@njit(cache=True, inline="always")
def free_board(lanes, k):  # type: ignore[no-untyped-def]
    """The sub-board that a free move falls into, and its index there, both uint64.

    One multiplication gives the prefix sums over the sub-boards; those greater than k
    are counted by their top bits.

    Parameters
    ----------
    lanes, k : uint64
        Playable cells by byte, see :func:`lay_out`; index of the move among all legal ones.
    """
    sums = lanes * _ONES
    beyond = (sums + (_U(127) - k) * _ONES) & _TOPS
    board = _U(8) - ((beyond >> _U(7)) * _ONES >> _U(56))
    if board > _U(0):
        k -= sums >> (_U(8) * board - _U(8)) & _U(255)
    return board, k


@njit(cache=True, inline="always")
def lay_out(s, words):  # type: ignore[no-untyped-def]
    """Write ``words``; returns playable cells by byte (but the ninth) and in all, both uint64."""
    lanes, left = _U(0), _U(0)
    for board in range(9):
        cells = vacant(s, board)
        words[board], words[9 + board] = LISTED[cells], COUNT[cells]
        words[18 + board], words[27 + board] = STONES[s[board]], STONES[s[9 + board]]
        here = _U(COUNT[cells]) * _U(s[OPEN] >> board & 1)
        left += here
        lanes += here * LANE[board]
    return lanes, left


@njit(cache=True, inline="always")
def decided(me, you, playing, first, rules):  # type: ignore[no-untyped-def]
    """Result, as in word 23, after ``me`` won or filled a sub-board; 0 if the game goes on.

    Parameters
    ----------
    first : bool
        Whether ``me`` is X.
    """
    if WON[me]:
        return 1 if first else 2
    if playing:
        return 0
    lead = np.int64(COUNT[me]) - np.int64(COUNT[you]) if rules == CODINGAME else 0
    return 3 if lead == 0 else (1 if (lead > 0) == first else 2)


@njit(**LEAF)
def playout(s, rules, bits, words):  # type: ignore[no-untyped-def]
    """Play a running game to its end; returns the result as in word 23, and the bits, uint64.

    It makes the same random draws as ``pick`` and ``do`` in a loop, but on ``words``, so that a
    move waits for as few look-ups as possible: one gives the number of empty cells, one the
    list of them, and which cells would win the sub-board is known before one is drawn.  ``s`` is
    left unchanged.
    """
    side = np.int64(s[SIDE])
    owned = _U(s[META + side]) | _U(s[META + 1 - side]) << _U(32)  # the mover's in the lower half
    playing, cell, mine = _U(s[OPEN]), _U(s[FORCED]), _U(18 + 9 * side)
    lanes, left = lay_out(s, words)
    while True:
        bits = advance(bits)
        k = (bits * _U(0x2545F4914F6CDD1D)) >> _U(32)
        if playing >> cell & _U(1):
            board = cell
            k = (k * words[_U(9) + board]) >> _U(32)
        else:
            board, k = free_board(lanes, (k * left) >> _U(32))
        cells, k = words[board], _U(4) * k
        cell, rest = cells >> k & _U(15), words[_U(9) + board] - _U(1)
        words[board], words[_U(9) + board] = without(cells, k), rest
        stones = words[mine + board]
        words[mine + board] = STONES[(stones | _U(1) << cell) & _U(FULL)]
        left -= _U(1)
        lanes -= LANE[board]
        bit, closes = _U(1) << board, rest == _U(0)
        line = stones >> (_U(9) + cell) & _U(1) != _U(0)
        wins = line and (owned | owned >> _U(32)) & bit == _U(0)
        if wins or closes:
            if wins:
                owned |= bit
            if closes or rules != KEEP:
                playing &= ~bit
                left -= rest
                lanes -= LANE[board] * rest
            me, you = np.int64(owned & _U(FULL)), np.int64(owned >> _U(32))
            result = decided(me, you, playing, mine == _U(18), rules)
            if result:
                return result, bits
        owned = owned >> _U(32) | owned << _U(32)
        mine = _U(45) - mine


@njit(cache=True)
def playouts(root, games, rules, bits):  # type: ignore[no-untyped-def]
    """Play random games from a state; returns the X wins, O wins and draws, int64, shape (3,)."""
    words, counts = np.zeros(WORDS, np.uint64), np.zeros(4, np.int64)
    if root[RESULT] != 0:
        counts[root[RESULT]] = games
        return counts[1:]
    for _ in range(games):
        result, bits = playout(root, rules, bits, words)
        counts[result] += 1
    return counts[1:]


@njit(cache=True)
def records(root, games, rules, bits):  # type: ignore[no-untyped-def]
    """Random games in detail: per ply the sums of five quantities, and the results by length.

    Returns
    -------
    sums : ndarray of int64, shape (82, 5)
        Games still running, legal moves, free moves, playable empty cells, and games with at most
        15 playable cells.
    ends : ndarray of int64, shape (82, 3)
        X won, O won, drawn, by length.
    """
    sums, ends = np.zeros((82, 5), np.int64), np.zeros((82, 3), np.int64)
    s = root.copy()
    for _ in range(games):
        put(s, root)
        ply = 0
        while s[RESULT] == 0:
            _record(s, sums[ply])
            bits = advance(bits)
            board, cell = pick(s, bits)
            do(s, board, cell, rules)
            ply += 1
        ends[ply, s[RESULT] - 1] += 1
    return sums, ends


@njit(cache=True)
def _record(s, row):  # type: ignore[no-untyped-def]
    """Add a running state to the sums of its ply.

    Parameters
    ----------
    row : ndarray of int64, shape (5,)
        See :func:`records`; changed in place.
    """
    legal, cells, where = 0, 0, targets(s)
    for board in range(9):
        here = np.int64(COUNT[vacant(s, board)])
        legal += here * (where >> board & 1)
        cells += here * (np.int64(s[OPEN]) >> board & 1)
    row[0] += 1
    row[1] += legal
    row[2] += s[FORCED] == FREE
    row[3] += cells
    row[4] += cells <= 15


@njit(cache=True)
def perft(s, depth, rules):  # type: ignore[no-untyped-def]
    """Number of move sequences of ``depth`` moves, all of them played; ``s`` is restored."""
    if depth == 0:
        return 1
    leaves, boards = 0, targets(s)
    for board in range(9):
        if boards >> board & 1:
            cells = vacant(s, board)
            for k in range(COUNT[cells]):
                cell = np.int64(NTH[cells, k])
                before = do(s, board, cell, rules)
                leaves += perft(s, depth - 1, rules)
                undo(s, board, cell, before)
    return leaves


@njit(cache=True)
def legal(states, out):  # type: ignore[no-untyped-def]
    """Mark the legal moves of a batch.

    Parameters
    ----------
    out : ndarray of bool, shape (B, 81)
        Overwritten.

    Raises
    ------
    ValueError
        If the states are those of another game.
    """
    if states.shape[1] != 24:
        raise ValueError("a state of Ultimate has 24 words, shape (B, 24)")
    for row in range(len(states)):
        boards = targets(states[row])
        for place in range(81):
            open_here = boards >> (place // 9) & vacant(states[row], place // 9) >> (place % 9) & 1
            out[row, MOVE[place]] = open_here != 0


@njit(cache=True)
def play(states, moves, rules):  # type: ignore[no-untyped-def]
    """Make one move in each state of a batch, in place.

    Parameters
    ----------
    moves : ndarray of int64, shape (B,)
        9 row + column.

    Raises
    ------
    ValueError
        If there are more or fewer moves than states.
    """
    if len(moves) != len(states):
        raise ValueError("every state needs one move, shape (B,)")
    for row in range(len(states)):
        do(states[row], np.int64(BOARD[moves[row]]), np.int64(CELL[moves[row]]), rules)
