"""Compiled steps of the exhaustive search that keeps only what still matters in a position.

A player that counts stones on lines, and the rules, depend only on which lines of a board are
still *live* (without stones of both players), how many stones each of them holds and whose, and
which live lines cross in every empty cell.  Where on a line its stones are does not matter.  So a
state, with the opponent to move, is a coloured hypergraph: the live lines, each with its stones,
and for every *crossing* (an empty cell on at least two live lines) the set of the live lines
through it.  Everything else follows:

- a live line with k stones has n - k empty cells; those that are not crossings are all
  equivalent, and their number is n - k minus the line's crossings;
- the empty cells on no live line are all equivalent, and their number is what remains.

A move is then the set of live lines it is made on, and two positions with isomorphic hypergraphs
and the same number of empty cells have the same future: the worth of a cell is a sum over its live
lines, a stone changes only the lines through it, and a line that dies is removed from every
crossing.  This is an equality, not a bound: no game is lost or gained.

States are identified by a key: the stones of the lines, in an order determined by the hypergraph
as far as colour refinement distinguishes lines (and arbitrary where it doesn't), then the
crossings as sets of lines, sorted.  A key describes a state completely, so states with the same
key are always equivalent; occasionally two equivalent states get different keys, which only costs
time.

Arguments of the kernels
------------------------
Integers are returned as int64, truth values as bool, ends of intervals and scores as float64.

rules : Rules
    The board and the player.
w : Work
    Overwritten.
layer, following : Layer
    States with the same number of stones; the next layer, added to in place.
count, state : int64
    States in the next layer, or moves in a list; a state's index in its layer.
plan : Plan
    What to search for.
key, start : ndarray of uint64, shape (words,)
    A state; the empty board.
lines, lines_after : ndarray of int64, shape (L,)
    The stones on every line, as a key encodes them; the same after a stone, overwritten.
cells, cells_after : ndarray of int64, shape (C,) or longer
    The crossings, each as its set of live lines, in bits; the same after a stone, overwritten.
crossings, free : int64
    Number of crossings, C; number of empty cells.
colours, sums : ndarray of uint64, shape (L,)
    Colour of every line; scratch memory.  Both overwritten.
order : ndarray of int64, shape (L,)
    The lines in sorted order; overwritten.
move, tie : int64
    A move as its set of live lines, in bits, or its index in a list; one of the best moves.
moves : ndarray of int64, shape (M,) or longer
    Distinct moves.
alone : ndarray of int64, shape (L,)
    Number of empty cells that lie only on this live line; overwritten.
player, n : int64
    0 for the player, 1 for the opponent; number of cells on a line.
drawing : bool
    Whether the opponent is content with a draw.
p, q : ndarray of int64, shape (M,) or longer
    Worth of every move to the player, p + b q.
span : ndarray of float64, shape (2,)
    Interval of b.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ttt_lib.game.board import Floats, Ints
from ttt_lib.game.jit import LEAF, mix
from ttt_lib.game.worst_kernels import FOUND, FULL, Words, choices, insert

MAX_EDGE = 7
"""Four bits hold a line's stones (0: dead, 1 + k: the player's, 8 + k: the opponent's), and sixteen
the lines through a crossing."""

THROUGH = 4
"""Maximum number of lines through a cell of a square board."""

THEIRS = 8
"""The bit that distinguishes the opponent's stones on a line from the player's."""

PRIME = 19
"""Powers of two below 2^18 are distinct modulo this prime."""


class Rules(NamedTuple):
    """A board and a player in the form the kernels read.

    Attributes
    ----------
    n, lines : int
        Number of cells on a line, and of lines.
    worth : ndarray of int64, shape (2, 16)
        What a line is worth to a move of the player, by its stones: p + b q.
    after : ndarray of int64, shape (2, 16)
        A line's stones after one more of the player's, or of the opponent's.
    place : ndarray of int64, shape (19,)
        The position of a bit, by its value modulo 19.
    """

    n: int
    lines: int
    worth: Ints
    after: Ints
    place: Ints


class Work(NamedTuple):
    """Scratch arrays; rows 0, 1, 2: in the state, after the opponent's move, after the reply."""

    lines: Ints
    cells: Ints
    moves: Ints
    replies: Ints
    p: Ints
    q: Ints
    ties: Ints
    low: Floats
    high: Floats
    alone: Ints
    colours: Words
    sums: Words
    order: Ints
    rank: Ints


@njit(cache=True)
def work(lines, cells):  # type: ignore[no-untyped-def]
    """Scratch arrays, a :class:`Work`, for a board.

    Parameters
    ----------
    lines, cells : int64
        How many there are.
    """
    most = cells + lines + 1
    return Work(
        np.zeros((3, lines), np.int64),
        np.zeros((3, cells), np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most, np.int64),
        np.zeros(most),
        np.zeros(most),
        np.zeros(lines, np.int64),
        np.zeros(lines, np.uint64),
        np.zeros(lines, np.uint64),
        np.zeros(lines, np.int64),
        np.zeros(lines, np.int64),
    )


# ------------------------------------------------------------------ keys


@njit(**LEAF)
def refine(rules, cells, colours, sums):  # type: ignore[no-untyped-def]
    """Recolour every line by its colour and those of the lines it crosses."""
    sums[:] = 0
    for cell in cells:
        bits, total = cell, np.uint64(0)
        while bits:
            total += colours[rules.place[(bits & -bits) % PRIME]]
            bits &= bits - 1
        total, bits = mix(total), cell
        while bits:
            sums[rules.place[(bits & -bits) % PRIME]] += total
            bits &= bits - 1
    for line in range(len(colours)):
        colours[line] = mix(colours[line] + np.uint64(3) * sums[line])


@njit(**LEAF)
def colour(rules, lines, cells, colours, sums):  # type: ignore[no-untyped-def]
    """Colours of the lines that are invariant under relabelling."""
    for line in range(len(lines)):
        colours[line] = mix(np.uint64(lines[line] + 1))
    for _ in range(3):
        refine(rules, cells, colours, sums)


@njit(**LEAF)
def _sort(lines, colours, order):  # type: ignore[no-untyped-def]
    """Order the lines: live ones first, then by colour."""
    for i in range(len(order)):
        line, at = i, i
        while at > 0:
            before = order[at - 1]
            if (lines[before] > 0) > (lines[line] > 0) or (
                (lines[before] > 0) == (lines[line] > 0) and colours[before] <= colours[line]
            ):
                break
            order[at] = before
            at -= 1
        order[at] = line


@njit(**LEAF)
def _tie(w, lines):  # type: ignore[no-untyped-def]
    """A live line on some crossing that has the same colour as another line, or -1."""
    for i in range(1, len(w.order)):
        line = w.order[i]
        if lines[line] == 0:
            return -1
        if w.colours[line] == w.colours[w.order[i - 1]] and w.sums[line]:
            return line
    return -1


@njit(**LEAF)
def _rank(rules, w, lines, cells):  # type: ignore[no-untyped-def]
    """Put the lines in an order determined by the hypergraph, as far as colours differ."""
    colour(rules, lines, cells, w.colours, w.sums)
    _sort(lines, w.colours, w.order)
    line = _tie(w, lines)
    while line >= 0:
        w.colours[line] += np.uint64(1)
        refine(rules, cells, w.colours, w.sums)
        refine(rules, cells, w.colours, w.sums)
        _sort(lines, w.colours, w.order)
        line = _tie(w, lines)
    for at in range(len(lines)):
        w.rank[w.order[at]] = at


@njit(**LEAF)
def write(rules, w, lines, cells, key):  # type: ignore[no-untyped-def]
    """Write the key of a state; ``cells`` is left in the key's labels."""
    _rank(rules, w, lines, cells)
    key[:] = 0
    for line in range(len(lines)):
        key[0] |= np.uint64(lines[line]) << np.uint64(4 * w.rank[line])
    for i in range(len(cells)):
        bits, renamed, at = cells[i], 0, i
        while bits:
            renamed |= 1 << w.rank[rules.place[(bits & -bits) % PRIME]]
            bits &= bits - 1
        while at > 0 and cells[at - 1] < renamed:
            cells[at] = cells[at - 1]
            at -= 1
        cells[at] = renamed
    for i in range(len(cells)):
        key[1 + i // 4] |= np.uint64(cells[i]) << np.uint64(16 * (i % 4))


@njit(**LEAF)
def read(key, lines, cells):  # type: ignore[no-untyped-def]
    """Decode the lines and crossings of a key; returns the number of crossings."""
    for line in range(len(lines)):
        lines[line] = np.int64((key[0] >> np.uint64(4 * line)) & np.uint64(15))
    count = 0
    for i in range(4 * (len(key) - 1)):
        cell = np.int64((key[1 + i // 4] >> np.uint64(16 * (i % 4))) & np.uint64(0xFFFF))
        if cell == 0:
            break
        cells[count] = cell
        count += 1
    return count


# ------------------------------------------------------------------ moves


@njit(**LEAF)
def _play(rules, move, player, lines, cells, lines_after, cells_after):  # type: ignore[no-untyped-def]
    """Put a stone on some lines; returns the number of crossings left."""
    live = 0
    for line in range(len(lines)):
        stones = lines[line]
        if move >> line & 1:
            stones = rules.after[player, stones]
        lines_after[line] = stones
        live |= (stones > 0) << line
    count = 0
    for cell in cells:
        left = cell & live
        if cell != move and left & (left - 1):
            cells_after[count] = left
            count += 1
    return count


@njit(**LEAF)
def _moves(rules, lines, cells, free, alone, moves):  # type: ignore[no-untyped-def]
    """Write the distinct moves, as sets of live lines, to ``moves``; returns how many."""
    for line in range(len(lines)):
        stones = lines[line]
        held = stones - THEIRS if stones > THEIRS else stones - 1
        alone[line] = rules.n - held if stones else 0
    count = len(cells)
    for i in range(count):
        moves[i], bits = cells[i], cells[i]
        while bits:
            alone[rules.place[(bits & -bits) % PRIME]] -= 1
            bits &= bits - 1
    free -= count
    for line in range(len(lines)):
        if alone[line] > 0:
            moves[count] = 1 << line
            free -= alone[line]
            count += 1
    if free > 0:
        moves[count] = 0
        count += 1
    return count


@njit(**LEAF)
def _worths(rules, lines, moves, p, q):  # type: ignore[no-untyped-def]
    """Write to p and q what moves are worth to the player."""
    for i in range(len(moves)):
        own, other, bits = 0, 0, moves[i]
        while bits:
            stones = lines[rules.place[(bits & -bits) % PRIME]]
            own += rules.worth[0, stones]
            other += rules.worth[1, stones]
            bits &= bits - 1
        p[i], q[i] = own, other


# ------------------------------------------------------------------ layers


@njit(**LEAF)
def _goal(n, lines, drawing):  # type: ignore[no-untyped-def]
    """Whether the opponent, to move, wins at once or is certain of the draw it is content with."""
    alive = False
    for stones in lines:
        if stones == THEIRS + n - 1:
            return True
        alive |= 0 < stones < THEIRS
    return drawing and not alive


@njit(**LEAF)
def _hope(n, lines, plan):  # type: ignore[no-untyped-def]
    """Whether the opponent can still reach its goal."""
    for stones in lines:
        held = stones - THEIRS if stones > THEIRS else 0
        if (stones == 1 or held) and n - held <= plan.moves:
            return True
    return plan.drawing


@njit(**LEAF)
def _score(rules, lines, cells, drawing):  # type: ignore[no-untyped-def]
    """How close the opponent is to its goal, for a search that keeps only the best states.

    It wins by a stone where two of its lines cross: the sum over crossings of 3^stones on all of
    its lines there.  It draws if the player's lines die.
    """
    score = 0.0
    if drawing:
        for stones in lines:
            if 0 < stones < THEIRS:
                score -= 4.0 ** (stones - 1)
        return score
    for cell in cells:
        bits, product, many = cell, 1.0, 0
        while bits:
            stones = lines[rules.place[(bits & -bits) % PRIME]]
            if stones == 1 or stones > THEIRS:
                product *= 3.0 ** max(stones - THEIRS, 0)
                many += 1
            bits &= bits - 1
        score += product if many > 1 else 0.0
    return score


@njit(**LEAF)
def _reply(rules, w, tie, crossings, plan, key, state, following, count):  # type: ignore[no-untyped-def]
    """Play one of the player's best moves; add the new state if the opponent still has a chance."""
    reply, lines, cells = w.replies[w.ties[tie]], w.lines[2], w.cells[2]
    left = _play(rules, reply, 0, w.lines[1], w.cells[1, :crossings], lines, cells)
    for stones in lines:
        if stones == 1 + rules.n:
            return count
    if not _hope(rules.n, lines, plan):
        return count
    score = 0.0
    if len(following.score) > 1:
        score = _score(rules, lines, cells[:left], plan.drawing)
    write(rules, w, lines, cells[:left], key)
    return insert(following, count, key, w.low[tie], w.high[tie], state, score)


@njit(**LEAF)
def _replies(rules, w, crossings, plan, key, span, state, following, count):  # type: ignore[no-untyped-def]
    """Play all of the player's best moves; FOUND if the board is full before one."""
    cells, free = w.cells[1, :crossings], plan.free - 1
    many = _moves(rules, w.lines[1], cells, free, w.alone, w.replies)
    _worths(rules, w.lines[1], w.replies[:many], w.p, w.q)
    ties = choices(w, many, THROUGH + plan.rounding, span[0], span[1], plan.tolerance)
    for tie in range(ties):
        count = _reply(rules, w, tie, crossings, plan, key, state, following, count)
    return FOUND if ties == 0 and plan.drawing else count


@njit(cache=True)
def expand(rules, layer, begin, end, plan, limit, following, count):  # type: ignore[no-untyped-def]
    """Play one move of the opponent and one of the player from some states of a layer.

    The arguments are those of :func:`ttt_lib.game.worst_kernels.expand`, and so are the results.
    """
    w, key = work(rules.lines, plan.free), following.keys[0].copy()
    for state in range(begin, end):
        if count + plan.free * plan.free > limit:
            return FULL, state, count
        crossings = read(layer.keys[state], w.lines[0], w.cells[0])
        if _goal(rules.n, w.lines[0], plan.drawing):
            return FOUND, state, count
        cells, span = w.cells[0, :crossings], layer.span[state if len(layer.span) > 1 else 0]
        for i in range(_moves(rules, w.lines[0], cells, plan.free, w.alone, w.moves)):
            left = _play(rules, w.moves[i], 1, w.lines[0], cells, w.lines[1], w.cells[1])
            more = _replies(rules, w, left, plan, key, span, state, following, count)
            if more == FOUND:
                return FOUND, state, count
            count = more
    return 0, end, count


@njit(cache=True)
def opening(rules, start, plan, span, following):  # type: ignore[no-untyped-def]
    """The player's first moves from the empty board, as states; returns how many."""
    w, key = work(rules.lines, plan.free), following.keys[0].copy()
    crossings = read(start, w.lines[1], w.cells[1])
    return _replies(rules, w, crossings, plan, key, span, np.int64(0), following, np.int64(0))
