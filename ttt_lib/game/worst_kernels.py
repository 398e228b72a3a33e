"""Compiled steps of the exhaustive search for a player that counts stones on lines.

A state is a board with the opponent to move, as the player sees it: a cell holds 0 (empty), 1 (the
player's stone), 2 (the opponent's) or 3 (*dead*: every line through it holds stones of both, so
it no longer matters whether or by whom it is occupied).  Two bits per cell, 32 cells per word,
form a key; the least key among the images under the automorphisms of the lines represents all of
them.

A layer is the set of all states with the same number of stones.  :func:`expand` builds the next
one from a slice of a layer, in steps short enough for the caller to show progress and be
interrupted.

Arguments of the kernels
------------------------
Whole numbers are returned as int64, truth values as bool, unless a docstring says otherwise.

geometry : Geometry
    The board.
w : Work
    Overwritten.
layer, following : Layer
    States with the same number of stones; the next layer.  :func:`insert` adds to either, in place.
count, state, parent : int64
    States in the layer being filled; a state's index in its layer; the index of its parent.
score : float64
    How close the opponent is to its goal.
plan : Plan
    What to search for.
key, start : ndarray of uint64, shape (words,)
    A state; the empty board.
words, n : int64
    Number of words in a key; number of cells on a line.
cell, move, tie : int64
    A cell (the last number: all empty cells on dead lines); the opponent's; one of the best moves.
codes : ndarray of int64, shape (cells + 1,), or (cells,) if all are cells
    What is in every cell: 0, ``OWN``, ``OTHER`` or ``DEAD``.
mine, theirs : ndarray of int64, shape (L,)
    Stones of the player, and of the opponent, on every line.
dead, before : ndarray of bool, shape (L,)
    Whether a line is of no more use to either player; whether it was so before.
drawing : bool
    Whether the opponent is content with a draw.
images : ndarray of uint64, shape (G,)
    First word of the key of every image.
masks : ndarray of uint64, shape (4, cells, G)
    See :class:`Geometry`.
p, q : ndarray of int64, shape (cells + 1,), or (M,) of moves alone
    Worth of every cell, or move, to the player, p + b q; overwritten where all cells are meant.
through : int64
    Maximum number of lines through a cell.
empty, passes : int64
    Number of empty cells on open lines, and on dead lines only.
low, high : float64
    Interval of b.
slack, tolerance : float64
    Largest difference of worths that is still a tie; the same relative to the largest worth.
span : ndarray of float64, shape (2,)
    Interval of b, as an array.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.board import Floats, Ints
from ttt_lib.game.jit import LEAF, mix

Words = NDArray[np.uint64]

OWN, OTHER, DEAD = 1, 2, 3
FULL, FOUND = -1, -2
WORD = 32
"""Cells per word of a key."""


class Geometry(NamedTuple):
    """A board in the form the kernel reads.

    Attributes
    ----------
    lines : ndarray of int64, shape (L, n)
    first, through : ndarray of int64, shapes (cells + 1,), (L * n,)
        Lines through cell i are ``through[first[i]:first[i + 1]]``.
    masks : ndarray of uint64, shape (4, cells, G)
        What a cell's code adds to the first word of the key of every image of the board.
    source : ndarray of int64, shape (G, cells)
        The cell at each place of an image.
    own, other : ndarray of int64, shape (n,)
        What a line with k stones of the player, or of the opponent, is worth to a move on it.
    most : int
        Maximum number of lines through a cell.
    """

    lines: Ints
    first: Ints
    through: Ints
    masks: Words
    source: Ints
    own: Ints
    other: Ints
    most: int


class Layer(NamedTuple):
    """States with the same number of stones, in the order in which they were found.

    Attributes
    ----------
    keys : ndarray of uint64, shape (room, words)
    span : ndarray of float64, shape (room, 2) or (1, 2)
        The interval of b for which a state can be reached (its hull); one row if all share it.
    parent : ndarray of int32, shape (room,)
        The state of the previous layer that led there first.
    score : ndarray of float32, shape (room,) or (1,)
        How close the opponent is to its goal, for a search that keeps only the best.
    table : ndarray of int32, shape (power of two,)
        Hash table of indices into ``keys``, -1 where free.
    """

    keys: Words
    span: Floats
    parent: NDArray[np.int32]
    score: NDArray[np.float32]
    table: NDArray[np.int32]


class Plan(NamedTuple):
    """What to search for from one layer onwards.

    Attributes
    ----------
    free : int
        Empty cells in this layer.
    moves : int
        Moves the opponent has left after the next two stones, within the maximum game length.
    drawing : bool
        Whether the opponent is content with a draw.
    tolerance : float
        Relative difference below which two moves of the player are tied.
    rounding : int
        Moves whose worths differ by no more may be tied, too, because gains of both signs cancel.
    """

    free: int
    moves: int
    drawing: bool
    tolerance: float
    rounding: int


class Work(NamedTuple):
    """Scratch arrays; rows 0, 1, 2: in the state, after the opponent's move, after the reply."""

    codes: Ints
    mine: Ints
    theirs: Ints
    dead: NDArray[np.bool_]
    images: Words
    buried: Ints
    p: Ints
    q: Ints
    moves: Ints
    ties: Ints
    low: Floats
    high: Floats
    key: Words


@njit(cache=True)
def work(geometry, words):  # type: ignore[no-untyped-def]
    """Scratch arrays, a :class:`Work`, for a board."""
    cells, many = geometry.masks.shape[1], len(geometry.lines)
    return Work(
        np.zeros(cells + 1, np.int64),
        np.zeros((3, many), np.int64),
        np.zeros((3, many), np.int64),
        np.zeros((3, many), np.bool_),
        np.zeros((3, geometry.masks.shape[2]), np.uint64),
        np.zeros((cells, 2), np.int64),
        np.zeros(cells + 1, np.int64),
        np.zeros(cells + 1, np.int64),
        np.zeros(cells + 1, np.int64),
        np.zeros(cells + 1, np.int64),
        np.zeros(cells + 1),
        np.zeros(cells + 1),
        np.zeros(words, np.uint64),
    )


# ------------------------------------------------------------------ keys


@njit(**LEAF)
def _hash(key):  # type: ignore[no-untyped-def]
    """Hash of a key, uint64."""
    bits = np.uint64(0x9E3779B97F4A7C15)
    for w in range(len(key)):
        bits = mix(bits ^ key[w])
    return bits


@njit(**LEAF)
def _same(a, b):  # type: ignore[no-untyped-def]
    """Whether two keys are equal.

    Parameters
    ----------
    a, b : ndarray of uint64, shape (words,)
    """
    same = True
    for w in range(len(a)):
        same &= a[w] == b[w]
    return same


@njit(cache=True, inline="always")
def _copy(old, new):  # type: ignore[no-untyped-def]
    """Copy numbers; array assignment would take seconds to compile, because of its shape check.

    Parameters
    ----------
    old, new : ndarray of uint64, int64 or bool, shape (K,)
        Of the same type; ``new`` is overwritten.
    """
    for i in range(len(new)):
        new[i] = old[i]


@njit(**LEAF)
def insert(layer, count, key, low, high, parent, score):  # type: ignore[no-untyped-def]
    """Add a state, or widen the interval of b of an existing one; returns the new count."""
    span, mask = layer.span, np.uint64(len(layer.table) - 1)
    place = _hash(key) & mask
    while layer.table[place] >= 0 and not _same(layer.keys[layer.table[place]], key):
        place = (place + np.uint64(1)) & mask
    found = layer.table[place]
    if found >= 0:
        if len(span) > 1:
            span[found, 0], span[found, 1] = min(span[found, 0], low), max(span[found, 1], high)
        return count
    layer.table[place], layer.parent[count] = count, parent
    _copy(key, layer.keys[count])
    if len(span) > 1:
        span[count, 0], span[count, 1] = low, high
    if len(layer.score) > 1:
        layer.score[count] = score
    return count + 1


@njit(**LEAF)
def rehash(keys, count, table):  # type: ignore[no-untyped-def]
    """Fill an empty table with the first ``count`` keys.

    Parameters
    ----------
    keys : ndarray of uint64, shape (room, words)
    table : ndarray of int32, shape (power of two,)
        As in :class:`Layer`; changed in place.
    """
    mask = np.uint64(len(table) - 1)
    for i in range(count):
        place = _hash(keys[i]) & mask
        while table[place] >= 0:
            place = (place + np.uint64(1)) & mask
        table[place] = i


@njit(**LEAF)
def _toggle(images, masks, cell, code):  # type: ignore[no-untyped-def]
    """Add a cell's content to the first words of all images, in place, or remove it again.

    Parameters
    ----------
    code : int64
        As in ``codes``.
    """
    row = masks[code, cell]
    for g in range(len(images)):
        images[g] ^= row[g]


@njit(**LEAF)
def _word(codes, source, w):  # type: ignore[no-untyped-def]
    """A word of the key of one image, uint64.

    Parameters
    ----------
    source : ndarray of int64, shape (cells,)
        The cell at each place of the image.
    w : int64
        Which word.
    """
    bits = np.uint64(0)
    for at in range(WORD * w, min(WORD * (w + 1), len(source))):
        bits |= np.uint64(codes[source[at]]) << np.uint64(2 * (at - WORD * w))
    return bits


@njit(**LEAF)
def _later_words(codes, source, key, fresh):  # type: ignore[no-untyped-def]
    """Lower the key's words after the first to those of an image, in place, if these are less.

    Parameters
    ----------
    source : ndarray of int64, shape (cells,)
        The cell at each place of the image.
    fresh : bool
        Whether to write them unconditionally.
    """
    less = fresh
    for w in range(1, len(key)):
        bits = _word(codes, source, w)
        if not less and bits > key[w]:
            return
        less |= bits < key[w]
        key[w] = bits


@njit(**LEAF)
def _least(images, codes, source, key):  # type: ignore[no-untyped-def]
    """Write to ``key`` the least key of all images, compared word by word.

    Parameters
    ----------
    source : ndarray of int64, shape (G, cells)
        See :class:`Geometry`.
    """
    top = images[0]
    for g in range(1, len(images)):
        top = min(top, images[g])
    key[0], fresh = top, True
    if len(key) == 1:
        return
    for g in range(len(images)):
        if images[g] == top:
            _later_words(codes, source[g], key, fresh)
            fresh = False


@njit(cache=True)
def key_of(geometry, codes, words):  # type: ignore[no-untyped-def]
    """The key of a board from scratch, uint64 of shape (words,); no cell is marked ``DEAD`` yet."""
    lines, seen = geometry.lines, codes.copy()
    for cell in range(len(codes)):
        alone = True
        for i in range(geometry.first[cell], geometry.first[cell + 1]):
            line = lines[geometry.through[i]]
            alone &= bool(np.any(codes[line] == OWN) and np.any(codes[line] == OTHER))
        if alone:
            seen[cell] = DEAD
    images, key = np.zeros(geometry.masks.shape[2], np.uint64), np.zeros(words, np.uint64)
    for cell in range(len(codes)):
        _toggle(images, geometry.masks, cell, seen[cell])
    _least(images, seen, geometry.source, key)
    return key


# ------------------------------------------------------------------ lines


@njit(**LEAF)
def _read(key, geometry, codes, mine, theirs, dead):  # type: ignore[no-untyped-def]
    """Decode the cells and lines of a state; returns the number of empty cells on open lines."""
    empty = 0
    for cell in range(len(codes) - 1):
        bits = key[cell // WORD] >> np.uint64(2 * (cell % WORD))
        codes[cell] = np.int64(bits & np.uint64(3))
        empty += codes[cell] == 0
    for line in range(len(mine)):
        own = other = 0
        gone = False
        for cell in geometry.lines[line]:
            own += codes[cell] == OWN
            other += codes[cell] == OTHER
            gone |= codes[cell] == DEAD
        mine[line], theirs[line], dead[line] = own, other, gone or (own > 0 and other > 0)
    return empty


@njit(**LEAF)
def _stone(geometry, cell, count, against, dead):  # type: ignore[no-untyped-def]
    """Put a stone on the lines through a cell and update ``dead``; True if it completes one.

    Parameters
    ----------
    count, against : ndarray of int64, shape (L,)
        Stones on every line: of the side that moves (changed in place), and of the other.
    """
    n, complete = geometry.lines.shape[1], False
    for i in range(geometry.first[cell], geometry.first[cell + 1]):
        line = geometry.through[i]
        count[line] += 1
        complete |= not dead[line] and count[line] == n
        dead[line] |= against[line] > 0
    return complete


@njit(**LEAF)
def _worths(geometry, mine, theirs, dead, p, q):  # type: ignore[no-untyped-def]
    """What every cell is worth to a move of the player, as p + b q."""
    p[:], q[:] = 0, 0
    for line in range(len(mine)):
        if dead[line]:
            continue
        own = geometry.own[mine[line]] if theirs[line] == 0 else 0
        other = geometry.other[theirs[line]] if mine[line] == 0 else 0
        for cell in geometry.lines[line]:
            p[cell] += own
            q[cell] += other


@njit(**LEAF)
def _goal(n, mine, theirs, dead, drawing):  # type: ignore[no-untyped-def]
    """Whether the opponent, to move, wins at once or is certain of the draw it is content with."""
    alive = False
    for line in range(len(mine)):
        if not dead[line]:
            if theirs[line] == n - 1 and mine[line] == 0:
                return True
            alive |= theirs[line] == 0
    return drawing and not alive


@njit(**LEAF)
def _hope(n, mine, theirs, dead, plan):  # type: ignore[no-untyped-def]
    """Whether the opponent can still reach its goal, and how close it is, float64."""
    hope, score = plan.drawing, 0.0
    for line in range(len(mine)):
        if dead[line]:
            continue
        if mine[line] == 0 and n - theirs[line] <= plan.moves:
            hope = True
            score += 4.0 ** theirs[line]
        if plan.drawing and theirs[line] == 0:
            score -= 4.0 ** mine[line]
    return hope, score


@njit(**LEAF)
def _alone(geometry, cell, dead):  # type: ignore[no-untyped-def]
    """Whether every line through a cell is dead."""
    for i in range(geometry.first[cell], geometry.first[cell + 1]):
        if not dead[geometry.through[i]]:
            return False
    return True


@njit(**LEAF)
def _bury(geometry, codes, before, dead, images, buried):  # type: ignore[no-untyped-def]
    """Mark the cells whose last open line has just died, in codes and images; returns how many.

    Parameters
    ----------
    buried : ndarray of int64, shape (cells, 2)
        Overwritten: these cells, and what was in them.
    """
    count = 0
    for line in range(len(dead)):
        if not dead[line] or before[line]:
            continue
        for cell in geometry.lines[line]:
            if codes[cell] != DEAD and _alone(geometry, cell, dead):
                _toggle(images, geometry.masks, cell, codes[cell] ^ DEAD)
                buried[count, 0], buried[count, 1] = cell, codes[cell]
                codes[cell] = DEAD
                count += 1
    return count


# ------------------------------------------------------------------ the player's choice


@njit(**LEAF)
def _free(codes, cell, passes):  # type: ignore[no-untyped-def]
    """Whether a cell is empty; the last index represents all empty cells on dead lines."""
    return passes > 0 if cell == len(codes) - 1 else codes[cell] == 0


@njit(**LEAF)
def _moves(w, passes):  # type: ignore[no-untyped-def]
    """List the player's moves and their worths, replacing those of all cells; returns how many."""
    count = 0
    for cell in range(len(w.codes)):
        if _free(w.codes, cell, passes):
            w.moves[count], w.p[count], w.q[count] = cell, w.p[cell], w.q[cell]
            count += 1
    return count


@njit(**LEAF)
def _stretch(p, q, move, through, slack, low, high):  # type: ignore[no-untyped-def]
    """The interval of b in [low, high] where a move is best: two ends, float64; empty if reversed.

    A worth is rounded by up to half a unit per line, so a difference between two cells is off by
    at most ``through`` units in p and in q: a move within that of the best counts as best.
    """
    for other in range(len(p)):
        ahead = float(p[move] - p[other] + through) + slack
        slope = float(q[move] - q[other] + through)
        if slope > 0:
            low = max(low, -ahead / slope)
        elif slope < 0:
            high = min(high, -ahead / slope)
        elif ahead < 0:
            high = low - 1.0
        if low > high:
            break
    return low, high


@njit(**LEAF)
def choices(w, count, through, low, high, tolerance):  # type: ignore[no-untyped-def]
    """The player's best moves, and the b in [low, high] for which each is best; returns how many.

    If low < high, low must be at least 0.

    Parameters
    ----------
    w : Work
        Of this form or of that of live lines: the first ``count`` worths ``p`` and ``q`` are read;
        the indices of the best and the ends of their intervals are written to ``ties``, ``low``
        and ``high``.
    """
    p, q, ties = w.p[:count], w.q[:count], 0
    top = -np.inf
    for i in range(count):
        top = max(top, p[i] + low * q[i])
    slack = tolerance * abs(top)
    for i in range(count):
        if low < high:
            start, end = _stretch(p, q, i, through, slack, low, high)
        else:
            good = p[i] + low * q[i] >= top - slack - through * (1.0 + abs(low))
            start, end = low, high if good else low - 1.0
        if start <= end:
            w.ties[ties], w.low[ties], w.high[ties] = i, start, end
            ties += 1
    return ties


# ------------------------------------------------------------------ layers


@njit(**LEAF)
def _reply(geometry, w, tie, plan, state, following, count):  # type: ignore[no-untyped-def]
    """Play one of the player's best moves; add the new state if the opponent still has a chance."""
    reply, cells, n = w.moves[w.ties[tie]], len(w.codes) - 1, geometry.lines.shape[1]
    _copy(w.mine[1], w.mine[2])
    _copy(w.dead[1], w.dead[2])
    if reply < cells and _stone(geometry, reply, w.mine[2], w.theirs[1], w.dead[2]):
        return count
    hope, score = _hope(n, w.mine[2], w.theirs[1], w.dead[2], plan)
    if not hope:
        return count
    images = w.images[2]
    _copy(w.images[1], images)
    if reply < cells:
        _toggle(images, geometry.masks, reply, OWN)
        w.codes[reply] = OWN
    marked = _bury(geometry, w.codes, w.dead[0], w.dead[2], images, w.buried)
    _least(images, w.codes, geometry.source, w.key)
    for i in range(marked):
        w.codes[w.buried[i, 0]] = w.buried[i, 1]
    if reply < cells:
        w.codes[reply] = 0
    return insert(following, count, w.key, w.low[tie], w.high[tie], state, score)


@njit(**LEAF)
def _move(geometry, w, move, empty, low, high, plan, state, following, count):  # type: ignore[no-untyped-def]
    """Play a move of the opponent and all replies to it; FOUND if the board is full before one."""
    cells, passes = len(w.codes) - 1, plan.free - empty
    _copy(w.mine[0], w.mine[1])
    _copy(w.theirs[0], w.theirs[1])
    _copy(w.dead[0], w.dead[1])
    _copy(w.images[0], w.images[1])
    if move < cells:
        _stone(geometry, move, w.theirs[1], w.mine[1], w.dead[1])
        _toggle(w.images[1], geometry.masks, move, OTHER)
        w.codes[move] = OTHER
    else:
        passes -= 1
    _worths(geometry, w.mine[1], w.theirs[1], w.dead[1], w.p, w.q)
    ties = choices(w, _moves(w, passes), geometry.most + plan.rounding, low, high, plan.tolerance)
    for tie in range(ties):
        count = _reply(geometry, w, tie, plan, state, following, count)
    if move < cells:
        w.codes[move] = 0
    return FOUND if ties == 0 and plan.drawing else count


@njit(cache=True)
def expand(geometry, layer, begin, end, plan, limit, following, count):  # type: ignore[no-untyped-def]
    """Play one move of the opponent and one of the player from some states of a layer.

    Parameters
    ----------
    begin, end : int64
        States of ``layer`` to expand.
    plan : Plan
        What to search for.
    limit : int64
        Stop before the next layer could hold more states than this.
    following : Layer
        The next layer, filled from index ``count`` on.

    Returns
    -------
    status, next, count : int64
        FOUND: the opponent reaches its goal from state ``next`` without another reply by the
        player; FULL: state ``next`` still needs room; otherwise 0 and ``next == end``.
    """
    n, w = geometry.lines.shape[1], work(geometry, layer.keys.shape[1])
    for state in range(begin, end):
        if count + plan.free * plan.free > limit:
            return FULL, state, count
        empty = _read(layer.keys[state], geometry, w.codes, w.mine[0], w.theirs[0], w.dead[0])
        if _goal(n, w.mine[0], w.theirs[0], w.dead[0], plan.drawing):
            return FOUND, state, count
        w.images[0] = np.uint64(0)
        for cell in range(len(w.codes) - 1):
            _toggle(w.images[0], geometry.masks, cell, w.codes[cell])
        low, high = layer.span[state if len(layer.span) > 1 else 0]
        for move in range(len(w.codes)):
            if _free(w.codes, move, plan.free - empty):
                more = _move(geometry, w, move, empty, low, high, plan, state, following, count)
                if more == FOUND:
                    return FOUND, state, count
                count = more
    return 0, end, count


@njit(cache=True)
def opening(geometry, start, plan, span, following):  # type: ignore[no-untyped-def]
    """The player's first moves on the empty board, as states; returns how many."""
    w, count = work(geometry, len(start)), 0
    _worths(geometry, w.mine[0], w.theirs[0], w.dead[0], w.p, w.q)
    ties = choices(w, _moves(w, 0), geometry.most + plan.rounding, span[0], span[1], plan.tolerance)
    for tie in range(ties):
        cell = w.moves[w.ties[tie]]
        w.images[0] = np.uint64(0)
        w.codes[cell] = OWN
        _toggle(w.images[0], geometry.masks, cell, OWN)
        _least(w.images[0], w.codes, geometry.source, w.key)
        w.codes[cell] = 0
        count = insert(following, count, w.key, w.low[tie], w.high[tie], np.int64(0), 0.0)
    return count
