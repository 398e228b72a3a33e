"""The solver's kernels: fail-soft negamax on distances (Knuth and Moore, 1975).

A score is ``WIN - plies`` for the side that wins in that many plies, its
negative for the other, 0 for a draw; so a larger score is a quicker win or
a later loss, and one search finds result and distance together.  Plies are counted
from the root in the search, and from the position itself in the table.

Keys are hashed incrementally (Zobrist, 1970): a key is the XOR of nine parts, one for each
sub-board, and a move changes one of them.  With symmetric keys those of the seven other images are
kept up to date likewise, and the least of the eight is the canonical key.

Arguments of the kernels
------------------------
Those of :mod:`ttt_lib.ultimate.board.kernels` and :mod:`ttt_lib.ultimate.solver.table`, and

word : int64
    What goes into the key.
key : uint64
    Key of a state without its side to move and forced sub-board, see :func:`parts`.
image_keys : ndarray of uint64, shape (DEPTH, 8)
    With ``SYMMETRIC``, row ``ply`` holds the keys of the images of the state at that ply, by
    symmetry; column 0 is unused, as ``key`` is the identity's.  Changed in place.
source, target : int64
    Rows of ``image_keys``: read, written.
mark : uint64
    Key of the whole state, see :func:`position_key`.
turn : int64
    A symmetry, 0 (identity) to 7.
flags : int64
    ``SYMMETRIC``, ``NO_TABLE``, both or 0.
move, first : int64
    9 sub-board + cell or ``NO_MOVE``; the move to try first.
buffer : ndarray of int64, shape (BUFFER,)
    Move lists ply by ply, and counts of cutoffs; changed in place.
at, size, done : int64
    Where a list begins in the buffer; its length; moves already tried.
order : int64
    ``BY_INDEX``, ``BY_PLACE`` or ``BY_THREATS``.
alpha, beta, best, score : int64
    Scores counted from the root: window, and what was found.
ply : int64
    Plies since the root.
nodes : int64
    Nodes that the search below a position took.
work : ndarray of int64, shape (6,)
    Counters and settings, see ``NODES``; changed in place.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

import numpy as np
from numba import njit

from ttt_lib.game.jit import INLINE, LEAF, mix
from ttt_lib.ultimate.board.kernels import (
    CODINGAME,
    COMPLETES,
    COUNT,
    FORCED,
    FREE,
    FULL,
    KEEP,
    META,
    NTH,
    OPEN,
    RESULT,
    SIDE,
    WON,
    do,
    targets,
    undo,
    vacant,
    winnable,
)
from ttt_lib.ultimate.board.symmetry import BITS, INVERSE, PLACES
from ttt_lib.ultimate.solver.table import (
    ABOVE,
    BELOW,
    EMPTY,
    EXACT,
    NO_MOVE,
    pack,
    probe,
    store,
    unpack,
)

WIN = 100
NODES, BUDGET, ABORTED, BEST, FLAGS, ORDER = range(6)
"""Places in the ``work`` array: counters and settings of one search."""

SYMMETRIC, NO_TABLE = 1, 2
"""Flags: use canonical keys; search without a table."""

BY_INDEX, BY_PLACE, BY_THREATS = range(3)
"""Move orders: lowest index; centre, corners, edges; what a move wins, blocks and gives away,
and how often it caused a cutoff elsewhere (the history heuristic, Schaeffer, 1989)."""

DEPTH = 82
"""Rows of move lists and of image keys, one for each ply from 0 to 81."""

HISTORY = DEPTH * 81
"""Where the counts of cutoffs by side and move begin in the ``buffer``; before them: move lists."""

BUFFER = HISTORY + 2 * 81
"""Length of the ``buffer``, int64."""

_TURN = PLACES.astype(np.uint8)
_BACK = INVERSE.astype(np.uint8)
_PLACE_RANK = np.array([1, 0, 1, 0, 2, 0, 1, 0, 1], dtype=np.uint8)
_TAIL = 1 << 26


@njit(cache=True, inline="always")
def _mix(word):  # type: ignore[no-untyped-def]
    """Spread a small number over 64 bits, uint64."""
    return mix(np.uint64(word + 1) * np.uint64(0x9E3779B97F4A7C15))


@njit(cache=True, inline="always")
def part(s, board, turn):  # type: ignore[no-untyped-def]
    """One sub-board's part of the key, uint64: its owner and, while it is in play, its stones."""
    word = (np.int64(s[META]) >> board & 1) << 18 | (np.int64(s[META + 1]) >> board & 1) << 19
    if np.int64(s[OPEN]) >> board & 1:
        stones = np.int64(BITS[turn, s[board]]) | np.int64(BITS[turn, s[9 + board]]) << 9
        word |= 1 << 20 | stones
    return _mix(word | np.int64(_TURN[turn, board]) << 21)


@njit(**LEAF)
def parts(s, turn):  # type: ignore[no-untyped-def]
    """Key of a state without side to move and forced sub-board, uint64, under one symmetry."""
    key = np.uint64(0)
    for board in range(9):
        key ^= part(s, board, turn)
    return key


@njit(cache=True)
def root_keys(s, image_keys, flags):  # type: ignore[no-untyped-def]
    """Key of a state, uint64; with ``SYMMETRIC``, its images' keys are written to row 0."""
    if flags & SYMMETRIC:
        for turn in range(1, 8):
            image_keys[0, turn] = parts(s, turn)
    return parts(s, 0)


@njit(**INLINE)
def toggle_part(s, board, key, image_keys, source, target, flags):  # type: ignore[no-untyped-def]
    """A key with one sub-board's part XORed out or in, uint64; its images' keys likewise."""
    if flags == SYMMETRIC:  # Without a table, no key is looked up.
        for turn in range(1, 8):
            image_keys[target, turn] = image_keys[source, turn] ^ part(s, board, turn)
    return key ^ part(s, board, 0)


@njit(cache=True, inline="always")
def tail(s, turn):  # type: ignore[no-untyped-def]
    """The part of the key for the side to move and the forced sub-board, uint64."""
    forced = np.int64(s[FORCED])
    if forced < FREE:
        forced = np.int64(_TURN[turn, forced])
    return _mix(_TAIL | forced << 1 | np.int64(s[SIDE]))


@njit(**INLINE)
def position_key(s, key, image_keys, ply, flags):  # type: ignore[no-untyped-def]
    """The full key, uint64, and its symmetry: that of the least of eight keys, or the identity."""
    best, turned = key ^ tail(s, 0), 0
    if flags & SYMMETRIC:
        for turn in range(1, 8):
            other = image_keys[ply, turn] ^ tail(s, turn)
            if other < best:
                best, turned = other, turn
    return best, turned


@njit(cache=True, inline="always")
def turn_move(move, turn):  # type: ignore[no-untyped-def]
    """Image of a move, 9 sub-board + cell, under a symmetry."""
    if move == NO_MOVE:
        return move
    return 9 * np.int64(_TURN[turn, move // 9]) + np.int64(_TURN[turn, move % 9])


@njit(**LEAF)
def immediate(s, side):  # type: ignore[no-untyped-def]
    """A move that wins the game, 9 sub-board + cell, or ``NO_MOVE``."""
    boards = winnable(s, side) & targets(s)
    if boards == 0:
        return NO_MOVE
    board = np.int64(NTH[boards, 0])
    return 9 * board + np.int64(NTH[np.int64(COMPLETES[s[9 * side + board]]) & vacant(s, board), 0])


@njit(**LEAF)
def hopeless(s, side):  # type: ignore[no-untyped-def]
    """Whether a side can no longer complete a line of sub-boards, whatever both sides do."""
    able, unowned = np.int64(s[META + side]), np.int64(s[OPEN]) & ~np.int64(s[META] | s[META + 1])
    for board in range(9):
        if unowned >> board & 1 and WON[FULL & ~np.int64(s[9 - 9 * side + board])]:
            able |= 1 << board
    return WON[able] == 0


@njit(cache=True, inline="always")
def ordering_score(s, side, board, cell, gives_free):  # type: ignore[no-untyped-def]
    """Move-ordering score: moves with larger ones are tried earlier.

    Parameters
    ----------
    gives_free : bool
        Whether the opponent gets a free move.
    """
    other, bit = 1 - side, 1 << cell
    mine, theirs = np.int64(s[9 * side + board]), np.int64(s[9 * other + board])
    owned, lost = np.int64(s[META + side]), np.int64(s[META + other])
    rank = np.int64(_PLACE_RANK[cell])
    if (owned | lost) >> board & 1 == 0:
        if np.int64(COMPLETES[mine]) & bit:
            threats = np.int64(COMPLETES[owned | 1 << board]) & ~(owned | lost)
            rank += 400 + 40 * np.int64(COUNT[threats])
        elif np.int64(COMPLETES[theirs]) & bit:
            rank += 150 + 300 * (np.int64(COMPLETES[lost]) >> board & 1)
        else:
            rank += 10 * np.int64(COUNT[np.int64(COMPLETES[mine | bit]) & ~(mine | theirs | bit)])
    if gives_free:
        return rank - 300
    there = vacant(s, cell) & ~(bit if cell == board else 0)
    if (owned | lost) >> cell & 1 == 0 and np.int64(COMPLETES[s[9 * other + cell]]) & there:
        rank -= 200
    return rank


@njit(**LEAF)
def list_moves(s, side, first, buffer, at, order, rules):  # type: ignore[no-untyped-def]
    """Write the legal moves with their rank from ``buffer[at]`` on; returns their number.

    Rank 0 means that the opponent wins at once after that move.
    """
    size, boards, danger = 0, targets(s), winnable(s, 1 - side)
    playing, taken = np.int64(s[OPEN]), np.int64(s[META] | s[META + 1])
    while boards:
        board = np.int64(NTH[boards, 0])
        boards &= boards - 1
        cells = vacant(s, board)
        theirs = np.int64(COMPLETES[s[9 - 9 * side + board]])
        wins = np.int64(COMPLETES[s[9 * side + board]]) if taken >> board & 1 == 0 else 0
        left = cells
        while left:
            cell = np.int64(NTH[left, 0])
            left &= left - 1
            bit, move = 1 << cell, 9 * board + cell
            won = wins & bit != 0
            after = danger
            if won or theirs & cells & ~bit == 0:
                after &= ~(1 << board)
            closed = cells == bit or (won and rules != KEEP)
            gives_free = playing >> cell & 1 == 0 or (cell == board and closed)
            if after != 0 and (gives_free or after >> cell & 1):
                rank = 0
            elif move == first:
                rank = 9000
            elif order == BY_THREATS:
                learned = min(buffer[HISTORY + 81 * side + move] >> 2, 1000)
                rank = 4000 + ordering_score(s, side, board, cell, gives_free) + learned
            else:
                rank = 1 + (np.int64(_PLACE_RANK[cell]) if order == BY_PLACE else 0)
            buffer[at + size] = rank << 14 | (127 - move) << 7 | move
            size += 1
    return size


@njit(cache=True, inline="always")
def _next(buffer, at, size, done):  # type: ignore[no-untyped-def]
    """Bring the most promising of the moves left to the front of the list, and return its entry."""
    best = at + done
    for i in range(at + done + 1, at + size):
        if buffer[i] > buffer[best]:
            best = i
    buffer[at + done], buffer[best] = buffer[best], buffer[at + done]
    return buffer[at + done]


@njit(cache=True, inline="always")
def _from_root(score, ply):  # type: ignore[no-untyped-def]
    """A position's score, converted to plies counted from the root, ``ply`` plies earlier."""
    return score - ply if score > 0 else (score + ply if score < 0 else 0)


@njit(cache=True, inline="always")
def limits(s, side, ply, rules):  # type: ignore[no-untyped-def]
    """Least and greatest score, from the root, possible if the side to move can't win at once."""
    if rules == CODINGAME:
        # Filling the last sub-board may win or lose at once, by the count of sub-boards.
        return ply + 1 - WIN, WIN - (ply + 1)
    floor = 0 if hopeless(s, 1 - side) else ply + 2 - WIN
    return floor, 0 if hopeless(s, side) else WIN - (ply + 3)


@njit(cache=True, inline="always")
def probe_entry(s, key, image_keys, ply, hot, cold, flags):  # type: ignore[no-untyped-def]
    """The full key, uint64, its symmetry, and what is stored: score from the root, bound, move."""
    mark, turn = position_key(s, key, image_keys, ply, flags)
    entry = probe(hot, cold, mark)
    if entry == 0:
        return mark, turn, 0, EMPTY, NO_MOVE
    score, bound, move = unpack(entry)
    return mark, turn, _from_root(score, ply), bound, turn_move(move, np.int64(_BACK[turn]))


@njit(cache=True, inline="always")
def store_entry(mark, turn, best, bound, move, nodes, ply, hot, cold):  # type: ignore[no-untyped-def]
    """Store what a search of ``nodes`` nodes found."""
    effort, spent = 0, nodes >> 2
    while spent > 0 and effort < 7:
        spent >>= 2
        effort += 1
    entry = pack(_from_root(best, -ply), bound, turn_move(move, turn), effort)
    store(hot, cold, mark, entry)


@njit(**LEAF)
def negamax(s, key, image_keys, alpha, beta, ply, hot, cold, buffer, work, rules):  # type: ignore[no-untyped-def] # noqa: C901, PLR0912
    """Score of a running game for the side to move, exact if inside (alpha, beta).

    A score of at most alpha is an upper bound, one of at least beta a lower bound.
    ``work[BEST]`` is the best move at the root (``ply`` 0), where no bound may end
    the search before a move is known.
    """
    work[NODES] += 1
    if work[NODES] > work[BUDGET]:
        work[ABORTED] = 1
        return 0
    side, began, flags = np.int64(s[SIDE]), work[NODES], work[FLAGS]
    if ply == 0:  # Further down, the parent's ``list_moves`` has ruled this out.
        winner = immediate(s, side)
        if winner != NO_MOVE:
            work[BEST] = winner
            return WIN - 1
    floor, ceiling = limits(s, side, ply, rules)
    if ply > 0:
        if ceiling <= alpha or ceiling == floor:
            return ceiling
        if floor >= beta:
            return floor
    mark, turn, first = key, 0, NO_MOVE
    if not flags & NO_TABLE:
        mark, turn, score, bound, first = probe_entry(s, key, image_keys, ply, hot, cold, flags)
        if ply == 0 and bound == EXACT and first != NO_MOVE:
            work[BEST] = first
            return score
        if ply > 0 and (
            bound == EXACT
            or (bound == ABOVE and score >= beta)
            or (bound == BELOW and score <= alpha)
        ):
            return score
    at = 81 * ply
    size = list_moves(s, side, first, buffer, at, work[ORDER], rules)
    best, chosen, low = -WIN, NO_MOVE, alpha
    for done in range(size):
        listed = _next(buffer, at, size, done)
        move = listed & 127
        if listed >> 14 == 0:  # This move and all that follow lose at once.
            if ply + 2 - WIN > best:
                best, chosen = ply + 2 - WIN, move
            break
        board, cell = move // 9, move % 9
        rest = toggle_part(s, board, key, image_keys, ply, ply + 1, flags)
        before = do(s, board, cell, rules)
        if s[RESULT] == 0:
            after = toggle_part(s, board, rest, image_keys, ply + 1, ply + 1, flags)
            score = -negamax(
                s, after, image_keys, -beta, -low, ply + 1, hot, cold, buffer, work, rules
            )
        elif s[RESULT] == 3:
            score = 0
        else:
            score = WIN - (ply + 1) if s[RESULT] == 1 + side else ply + 1 - WIN
        undo(s, board, cell, before)
        if work[ABORTED]:
            return 0
        if score > best:
            best, chosen, low = score, move, max(low, score)
            if best >= beta or best >= ceiling:
                buffer[HISTORY + 81 * side + move] += 1
                break
    if ply == 0:
        work[BEST] = chosen
    if not flags & NO_TABLE:
        bound = ABOVE if best >= beta and best < ceiling else (BELOW if best <= alpha else EXACT)
        store_entry(mark, turn, best, bound, chosen, work[NODES] - began, ply, hot, cold)
    return best


@njit(cache=True)
def remembered(root, image_keys, hot, cold, flags):  # type: ignore[no-untyped-def]
    """What the table says about a state: its 20 bits with the move turned back, or 0."""
    key = root_keys(root, image_keys, flags)
    mark, turn = position_key(root, key, image_keys, np.int64(0), flags)
    entry = probe(hot, cold, mark)
    if entry == 0:
        return np.int64(0)
    score, bound, move = unpack(entry)
    return np.int64(pack(score, bound, turn_move(move, np.int64(_BACK[turn])), 0))
