"""Compiled steps of the exhaustive search for a player that counts stones on lines.

A state is a board with the opponent to move, as the player sees it: a cell holds 0 (empty), 1 (the
player's stone), 2 (the opponent's) or 3 (*dead*: every line through it holds stones of both, so
that neither its stone nor its emptiness matters any more).  Two bits a cell, 32 cells a word, make
a key; the least key among the images under the automorphisms of the lines stands for all of them.

A layer is all states after so many stones.  :func:`expand` makes the next one from a stretch of a
layer, in steps so short that the caller can show progress and be interrupted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Floats = NDArray[np.float64]

DEAD = 3
FULL, FOUND = -1, -2


class Geometry(NamedTuple):
    """A board as the kernel reads it.

    Attributes
    ----------
    lines : ndarray of int64, shape (L, n)
    first, through : ndarray of int64, shapes (cells + 1,), (L * n,)
        Lines through cell i are ``through[first[i]:first[i + 1]]``.
    masks : ndarray of uint64, shape (4, cells, words, G)
        What a cell's code adds to the key of every image of the board.
    own, other : ndarray of int64, shape (n,)
        What a line with k stones of the player, or of the opponent, is worth to a move on it.
    """

    lines: Ints
    first: Ints
    through: Ints
    masks: Words
    own: Ints
    other: Ints


class Layer(NamedTuple):
    """States with as many stones, in the order in which they were found.

    Attributes
    ----------
    keys : ndarray of uint64, shape (room, words)
    span : ndarray of float64, shape (room, 2) or (1, 2)
        The stretch of b for which a state can be reached (its hull); one row if all share it.
    parent : ndarray of int32, shape (room,)
        The state of the layer before that led there first.
    score : ndarray of float32, shape (room,) or (1,)
        How close the opponent is to his goal, for a search that keeps only the best.
    table : ndarray of int32, shape (power of two,)
        Places in ``keys`` by hash, -1 where free.
    """

    keys: Words
    span: Floats
    parent: NDArray[np.int32]
    score: NDArray[np.float32]
    table: NDArray[np.int32]


@njit(cache=True, inline="always")
def _hash(key, words):  # type: ignore[no-untyped-def]
    bits = np.uint64(0x9E3779B97F4A7C15)
    for w in range(words):
        bits ^= key[w]
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
    return bits


@njit(cache=True)
def insert(layer, count, key, low, high, parent, score):  # type: ignore[no-untyped-def]
    """Add a state unless it is there, widening its stretch of b; returns the new count."""
    keys, span, parents, scores, table = layer
    words, mask = keys.shape[1], np.uint64(len(table) - 1)
    place = _hash(key, words) & mask
    while True:
        found = table[place]
        if found < 0:
            break
        same = True
        for w in range(words):
            same &= keys[found, w] == key[w]
        if same:
            if len(span) > 1:
                span[found, 0] = min(span[found, 0], low)
                span[found, 1] = max(span[found, 1], high)
            return count
        place = (place + np.uint64(1)) & mask
    table[place] = count
    for w in range(words):
        keys[count, w] = key[w]
    parents[count] = parent
    if len(span) > 1:
        span[count, 0], span[count, 1] = low, high
    if len(scores) > 1:
        scores[count] = score
    return count + 1


@njit(cache=True)
def rehash(keys, count, table):  # type: ignore[no-untyped-def]
    """Fill an empty table with the first ``count`` keys."""
    words, mask = keys.shape[1], np.uint64(len(table) - 1)
    for i in range(count):
        place = _hash(keys[i], words) & mask
        while table[place] >= 0:
            place = (place + np.uint64(1)) & mask
        table[place] = i


@njit(cache=True)
def least(images, key):  # type: ignore[no-untyped-def]
    """The lexicographically least of the images' keys, shape (words, G) -> (words,)."""
    words, many = images.shape
    top = images[0, 0]
    for g in range(many):
        top = min(top, images[0, g])
    key[0] = top
    if words == 1:
        return
    best = -1
    for g in range(many):
        if images[0, g] == top:
            if best < 0:
                best = g
                continue
            for w in range(1, words):
                if images[w, g] != images[w, best]:
                    if images[w, g] < images[w, best]:
                        best = g
                    break
    for w in range(1, words):
        key[w] = images[w, best]


@njit(cache=True)
def _toggle(images, masks, cell, code):  # type: ignore[no-untyped-def]
    for w in range(images.shape[0]):
        for g in range(images.shape[1]):
            images[w, g] ^= masks[code, cell, w, g]


@njit(cache=True)
def _read(key, cells, lines, codes, mine, theirs, dead):  # type: ignore[no-untyped-def]
    """Cells and lines of a state: stones of both on every line, and whether it is dead."""
    for cell in range(cells):
        codes[cell] = np.int64((key[cell >> 5] >> np.uint64(2 * (cell & 31))) & np.uint64(3))
    for line in range(len(lines)):
        mine[line], theirs[line], dead[line] = 0, 0, False
        for j in range(lines.shape[1]):
            code = codes[lines[line, j]]
            mine[line] += code == 1
            theirs[line] += code == 2
            dead[line] |= code == DEAD
        dead[line] |= mine[line] > 0 and theirs[line] > 0


@njit(cache=True)
def _choices(p, q, codes, cells, passes, low, high, tolerance, cell_of, lows, highs):  # type: ignore[no-untyped-def]
    """The player's best moves and for which b in [low, high] each is one; ``cells`` is a pass.

    A move is worth p + b q; within ``tolerance`` of the best (relative) it is a tie.
    """
    count, top = 0, 0.0
    first = True
    for cell in range(cells + 1):
        legal = codes[cell] == 0 if cell < cells else passes > 0
        if legal:
            worth = p[cell] + low * q[cell]
            top = worth if first else max(top, worth)
            first = False
    slack = tolerance * abs(top)
    if low == high:
        for cell in range(cells + 1):
            legal = codes[cell] == 0 if cell < cells else passes > 0
            if legal and p[cell] + low * q[cell] >= top - slack:
                cell_of[count], lows[count], highs[count] = cell, low, high
                count += 1
        return count
    for cell in range(cells + 1):
        legal = codes[cell] == 0 if cell < cells else passes > 0
        if not legal:
            continue
        least_b, most_b = low, high
        for j in range(cells + 1):
            if (codes[j] != 0) if j < cells else (passes == 0):
                continue
            ahead, slope = float(p[cell] - p[j]) + slack, float(q[cell] - q[j])
            if slope > 0:
                least_b = max(least_b, -ahead / slope)
            elif slope < 0:
                most_b = min(most_b, -ahead / slope)
            elif ahead < 0:
                most_b = low - 1
            if least_b > most_b:
                break
        if least_b <= most_b:
            cell_of[count], lows[count], highs[count] = cell, least_b, most_b
            count += 1
    return count


@njit(cache=True)
def _stone(cell, own, first, through, n, mine, theirs, dead):  # type: ignore[no-untyped-def]
    """Put a stone of the player (own) or the opponent on its lines; whether it completes one."""
    complete = False
    for i in range(first[cell], first[cell + 1]):
        line = through[i]
        if own:
            mine[line] += 1
        else:
            theirs[line] += 1
        complete |= not dead[line] and (mine[line] == n or theirs[line] == n)
        dead[line] |= mine[line] > 0 and theirs[line] > 0
    return complete


@njit(cache=True)
def _worths(geometry, mine, theirs, dead, p, q):  # type: ignore[no-untyped-def]
    """What every cell is worth to a move of the player, as p + b q."""
    p[:], q[:] = 0, 0
    for line in range(len(mine)):
        if not dead[line]:
            for j in range(geometry.lines.shape[1]):
                cell = geometry.lines[line, j]
                if theirs[line] == 0:
                    p[cell] += geometry.own[mine[line]]
                if mine[line] == 0:
                    q[cell] += geometry.other[theirs[line]]


@njit(cache=True)
def _hope(n, mine, theirs, dead, moves, drawing):  # type: ignore[no-untyped-def]
    """Whether the opponent can still reach his goal in so many own moves, and how close he is."""
    hope, score = drawing, 0.0
    for line in range(len(mine)):
        if dead[line]:
            continue
        if mine[line] == 0 and n - theirs[line] <= moves:
            hope = True
            score += 4.0 ** theirs[line]
        if drawing and theirs[line] == 0:
            score -= 4.0 ** mine[line]
    return hope, score


@njit(cache=True)
def _bury(geometry, codes, before, dead, images, buried):  # type: ignore[no-untyped-def]
    """Mark the cells whose last line has just died, in the keys and in ``codes``; how many."""
    lines, first, through, masks = geometry[:4]
    count = 0
    for line in range(len(dead)):
        if not dead[line] or before[line]:
            continue
        for j in range(lines.shape[1]):
            cell = lines[line, j]
            if codes[cell] == DEAD:
                continue
            alone = True
            for i in range(first[cell], first[cell + 1]):
                alone &= dead[through[i]]
            if alone:
                _toggle(images, masks, cell, codes[cell] ^ DEAD)
                buried[count, 0], buried[count, 1] = cell, codes[cell]
                codes[cell] = DEAD
                count += 1
    return count


@njit(cache=True)
def _goal(n, mine, theirs, dead, drawing):  # type: ignore[no-untyped-def]
    """Whether the opponent, to move, wins at once, or has a draw for certain."""
    alive = False
    for line in range(len(mine)):
        if not dead[line]:
            if theirs[line] == n - 1 and mine[line] == 0:
                return True
            alive |= theirs[line] == 0
    return drawing and not alive


@njit(cache=True)
def expand(geometry, layer, begin, end, ply, last, drawing, tolerance, limit, following, count):  # type: ignore[no-untyped-def]
    """Play one move of the opponent and one of the player from some states of a layer.

    Parameters
    ----------
    begin, end : int
        States of ``layer`` to expand.
    ply : int
        Stones on the board in this layer.
    last : int
        Longest game that is looked for.
    drawing : bool
        Whether the opponent is content with a draw.
    tolerance : float
        Relative difference below which two moves are a tie.
    limit : int
        Stop before the next layer could hold more states than this.
    following : Layer
        The next layer, filled from place ``count`` on.

    Returns
    -------
    status, next, count : int
        FOUND: the opponent reaches his goal from state ``next`` without another reply of the
        player; FULL: state ``next`` waits for room; otherwise 0 and ``next == end``.
    """
    lines, first, through, masks = geometry[:4]
    cells, (many, n) = len(first) - 1, lines.shape
    codes, buried = np.zeros(cells + 1, np.int64), np.zeros((cells, 2), np.int64)
    mine, theirs, dead = np.zeros(many, np.int64), np.zeros(many, np.int64), np.zeros(many, np.bool_)
    mine1, theirs1, dead1 = mine.copy(), theirs.copy(), dead.copy()
    mine2, dead2 = mine.copy(), dead.copy()
    p, q = np.zeros(cells + 1, np.int64), np.zeros(cells + 1, np.int64)
    replies, spans = np.zeros(cells + 1, np.int64), np.zeros((2, cells + 1))
    base = np.zeros((masks.shape[2], masks.shape[3]), np.uint64)
    turned, images = base.copy(), base.copy()
    key, free = np.zeros(masks.shape[2], np.uint64), cells - ply
    most = min((free - 1) // 2, (last - ply - 1) // 2)
    for state in range(begin, end):
        if count + free * free > limit:
            return FULL, state, count
        _read(layer.keys[state], cells, lines, codes, mine, theirs, dead)
        if _goal(n, mine, theirs, dead, drawing):
            return FOUND, state, count
        base[:], empty = np.uint64(0), 0
        for cell in range(cells):
            empty += codes[cell] == 0
            if codes[cell]:
                _toggle(base, masks, cell, codes[cell])
        row = state if len(layer.span) > 1 else 0
        low, high = layer.span[row, 0], layer.span[row, 1]
        for move in range(cells + 1):
            # Cells that no open line holds are all alike: number ``cells`` stands for them.
            passes = free - empty
            if (passes == 0) if move == cells else (codes[move] != 0):
                continue
            mine1[:], theirs1[:], dead1[:], turned[:] = mine, theirs, dead, base
            if move < cells:
                _stone(move, False, first, through, n, mine1, theirs1, dead1)
                _toggle(turned, masks, move, 2)
                codes[move] = 2
            else:
                passes -= 1
            _worths(geometry, mine1, theirs1, dead1, p, q)
            ties = _choices(
                p, q, codes, cells, passes, low, high, tolerance, replies, spans[0], spans[1]
            )
            if ties == 0 and drawing:
                return FOUND, state, count
            for tie in range(ties):
                reply = replies[tie]
                mine2[:], dead2[:] = mine1, dead1
                if reply < cells and _stone(reply, True, first, through, n, mine2, theirs1, dead2):
                    continue
                hope, score = _hope(n, mine2, theirs1, dead2, most, drawing)
                if not hope:
                    continue
                images[:] = turned
                if reply < cells:
                    _toggle(images, masks, reply, 1)
                    codes[reply] = 1
                marked = _bury(geometry, codes, dead, dead2, images, buried)
                least(images, key)
                low2, high2 = spans[0, tie], spans[1, tie]
                count = insert(following, count, key, low2, high2, state, score)
                for i in range(marked):
                    codes[buried[i, 0]] = buried[i, 1]
                if reply < cells:
                    codes[reply] = 0
            if move < cells:
                codes[move] = 0
    return 0, end, count


@njit(cache=True)
def opening(geometry, low, high, tolerance, following):  # type: ignore[no-untyped-def]
    """The player's first moves on the empty board, as states; returns how many."""
    lines, first, through, masks = geometry[:4]
    cells, many = len(first) - 1, len(lines)
    codes, zeros = np.zeros(cells + 1, np.int64), np.zeros(many, np.int64)
    p, q = np.zeros(cells + 1, np.int64), np.zeros(cells + 1, np.int64)
    replies, spans = np.zeros(cells + 1, np.int64), np.zeros((2, cells + 1))
    _worths(geometry, zeros, zeros, np.zeros(many, np.bool_), p, q)
    ties = _choices(p, q, codes, cells, 0, low, high, tolerance, replies, spans[0], spans[1])
    images = np.zeros((masks.shape[2], masks.shape[3]), np.uint64)
    key, count = np.zeros(masks.shape[2], np.uint64), 0
    for tie in range(ties):
        images[:] = np.uint64(0)
        _toggle(images, masks, replies[tie], 1)
        least(images, key)
        count = insert(following, count, key, spans[0, tie], spans[1, tie], 0, 0.0)
    return count


@njit(cache=True)
def key_of(geometry, codes):  # type: ignore[no-untyped-def]
    """The key of a board from scratch: 1 for the player's stones, 2 for the opponent's, 0 empty."""
    lines, first, through, masks = geometry[:4]
    dead = np.zeros(len(lines), np.bool_)
    for line in range(len(lines)):
        own = other = False
        for j in range(lines.shape[1]):
            own |= codes[lines[line, j]] == 1
            other |= codes[lines[line, j]] == 2
        dead[line] = own and other
    images = np.zeros((masks.shape[2], masks.shape[3]), np.uint64)
    for cell in range(len(codes)):
        alone = True
        for i in range(first[cell], first[cell + 1]):
            alone &= dead[through[i]]
        _toggle(images, masks, cell, DEAD if alone else codes[cell])
    key = np.zeros(masks.shape[2], np.uint64)
    least(images, key)
    return key
