"""Search trees in flat arrays: select, expand, back up, prove; compiled.

A forest holds B trees, one per row.  Node 0 of a tree is its root; the children
of a node are contiguous.  What a node stores is from the view of the player who made
the move into it, so that selection always takes the largest.

Bounds are kept beside the means (score-bounded search, Cazenave and Saffidine,
2010, which adds draws to the MCTS-Solver of Winands et al., 2008): the result
of a finished game is known, and bounds on all children give bounds on the parent.

These kernels are not shared with ``ttt_lib.game.search``.  There a state is an array of
cells with a loop over lines, here it is 24 words with look-up tables; one kernel for both
would have to call the game through function pointers, several times per ply, while a ply
of a playout takes only a few nanoseconds.

Arguments of the kernels
------------------------
Those of :mod:`ttt_lib.ultimate.board.kernels`, and

forest, old, new : Forest
    Changed in place, except ``old``.
tree : Forest
    One tree, as :func:`one_of` gives it: its arrays have shape (nodes,), ``used`` (1,).
row : int64
    A tree's place in the forest.
node : int64 or uint64
    A place in the tree's arrays.
path : ndarray of int64, shape (82,)
    Nodes from the root, 0, down; written by descents.
depth : int64
    Place of the last node on the path.
value : int64 or float64
    A result or an estimate of it, in [-1, 1].
c, fpu : float64
    Exploration constant; how much worse than its parent an untried move is assumed to be.
solve : bool
    Whether wins in one are looked for and proven results are backed up.
simulations : int64
    How many to run.
roots, leaves : ndarray of uint16, shape (B, 24)
    The state at every tree's root; at the end of its path, overwritten.
paths, depths : ndarray of int64, shapes (B, 82), (B,)
    Path and depth in every tree; overwritten by descents.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.jit import INLINE, LEAF, advance, below
from ttt_lib.ultimate.board.kernels import (
    COMPLETES,
    MOVE,
    NTH,
    RESULT,
    SIDE,
    WORDS,
    do,
    playout,
    put,
    targets,
    vacant,
    winnable,
)

MOST = 81
"""Maximum number of children of a node."""

_U = np.uint64

SQRT_LOG = np.array([0.0] + [sqrt(log(n)) for n in range(1, 1 << 14)])
"""sqrt(ln n) for the usual numbers of visits, shape (16384,): a look-up is quicker."""

PATH = 82
"""Nodes on the longest path: a root and 81 moves."""


class Forest(NamedTuple):
    """B trees.

    Attributes
    ----------
    first : ndarray of int32, shape (B, nodes)
        First child, -1 while not expanded.
    size, place : ndarray of uint8, shape (B, nodes)
        Number of children; the move into the node as 9 sub-board + cell.
    visits : ndarray of int32, shape (B, nodes)
    mean : ndarray of float64, shape (B, nodes)
        Mean result for the player who moved into the node; -inf once nothing can be
        gained there, because a sibling is known to be as good.
    width : ndarray of float64, shape (B, nodes)
        1 / sqrt(visits), inf while untried: stored, because selection reads it often.
    prior : ndarray of float32, shape (B, nodes)
    low, high : ndarray of int8, shape (B, nodes)
        Bounds of the result for that player; equal once it is proven.
    used : ndarray of int64, shape (B,)
        Nodes in use.
    """

    first: NDArray[np.int32]
    size: NDArray[np.uint8]
    place: NDArray[np.uint8]
    visits: NDArray[np.int32]
    mean: NDArray[np.float64]
    width: NDArray[np.float64]
    prior: NDArray[np.float32]
    low: NDArray[np.int8]
    high: NDArray[np.int8]
    used: NDArray[np.int64]

    @property
    def capacity(self) -> int:
        """Nodes a tree has room for."""
        return int(self.first.shape[1])


_TYPES: dict[str, Any] = {
    "first": np.int32, "size": np.uint8, "place": np.uint8, "visits": np.int32,
    "mean": np.float64, "width": np.float64, "prior": np.float32, "low": np.int8, "high": np.int8,
}  # fmt: skip


_FRESH = {
    "first": -1, "size": 0, "place": 0, "visits": 0, "mean": 0.0, "width": np.inf,
    "prior": 0.0, "low": -1, "high": 1,
}  # fmt: skip


def allocate(trees: int, capacity: int) -> Forest:
    """A forest of bare roots; the rest of its memory is touched only when used."""
    arrays = {name: np.empty((trees, capacity), dtype) for name, dtype in _TYPES.items()}
    forest = Forest(**arrays, used=np.ones(trees, dtype=np.int64))
    for row in range(trees):
        clear(forest, row)
    return forest


def clear(forest: Forest, row: int) -> None:
    """Cut one tree back to its root."""
    for name, value in _FRESH.items():
        getattr(forest, name)[row, 0] = value
    forest.used[row] = 1


def enlarge(forest: Forest, capacity: int) -> Forest:
    """The same trees with room for more nodes."""
    larger = {name: np.empty((len(forest.used), capacity), dtype) for name, dtype in _TYPES.items()}
    for name, array in larger.items():
        array[:, : forest.capacity] = getattr(forest, name)
    return Forest(**larger, used=forest.used.copy())


@njit(cache=True)
def one_of(forest, row):  # type: ignore[no-untyped-def]
    """One tree of a forest, a :class:`Forest` of flat views, which kernels index more quickly."""
    return Forest(
        forest.first[row], forest.size[row], forest.place[row], forest.visits[row],
        forest.mean[row], forest.width[row], forest.prior[row], forest.low[row], forest.high[row],
        forest.used[row : row + 1],
    )  # fmt: skip


@njit(**INLINE)
def expand(tree, node, s):  # type: ignore[no-untyped-def]
    """Give a node one child per legal move, lowest sub-board and cell first."""
    child, boards = _U(tree.used[0]), targets(s)
    tree.first[node] = child
    while boards:
        board = np.int64(NTH[boards, 0])
        boards &= boards - 1
        cells = vacant(s, board)
        while cells:
            tree.place[child] = 9 * board + np.int64(NTH[cells, 0])
            cells &= cells - 1
            tree.first[child], tree.visits[child] = -1, 0
            tree.mean[child], tree.width[child] = 0.0, np.inf
            tree.low[child], tree.high[child] = -1, 1
            child += _U(1)
    tree.size[node] = child - _U(tree.used[0])
    tree.used[0] = child


@njit(**INLINE)
def spot_wins(tree, node, s):  # type: ignore[no-untyped-def]
    """Mark the new children that win at once as proven; returns whether there are any."""
    side = np.int64(s[SIDE])
    boards = winnable(s, side) & targets(s)
    if boards == 0:
        return False
    begin = np.int64(tree.first[node])
    for child in range(begin, begin + np.int64(tree.size[node])):
        board, cell = tree.place[child] // 9, tree.place[child] % 9
        if boards >> board & 1 and np.int64(COMPLETES[s[9 * side + board]]) >> cell & 1:
            tree.low[child] = 1
    return True


@njit(**INLINE)
def shuffle(tree, node, bits):  # type: ignore[no-untyped-def]
    """Put new children into random order, so that the first untried one is a random one.

    Returns the generator's state, uint64.
    """
    begin = np.int64(tree.first[node])
    for left in range(np.int64(tree.size[node]), 1, -1):
        bits = advance(bits)
        one, other = begin + left - 1, begin + below(bits, left)
        place = tree.place[one]
        tree.place[one] = tree.place[other]
        tree.place[other] = place
    return bits


@njit(**LEAF)
def sqrt_log(n):  # type: ignore[no-untyped-def]
    """sqrt(ln n), float64; 0 for n = 0.

    Parameters
    ----------
    n : int32
        Not negative.
    """
    number = _U(n)
    return SQRT_LOG[number] if number < _U(len(SQRT_LOG)) else np.sqrt(np.log(np.float64(n)))


@njit(**LEAF)
def uct_child(mean, width, begin, end, scale):  # type: ignore[no-untyped-def]
    """The first child, uint64, with the largest mean + scale * width.

    Parameters
    ----------
    mean, width : ndarray of float64, shape (nodes,)
        Those of the tree.
    begin, end : int64
        Range of the children.
    scale : float64
        Factor of the width.
    """
    chosen, best = _U(begin), -np.inf
    for child in range(_U(begin), _U(end)):  # unsigned: no check for negative indices
        bound = mean[child] + scale * width[child]
        if bound > best:
            chosen, best = child, bound
    return chosen


@njit(**LEAF)
def puct_child(tree, node, c):  # type: ignore[no-untyped-def]
    """The child with the largest Q + c P sqrt(N) / (1 + n), where Q is its mean."""
    begin = np.int64(tree.first[node])
    chosen, best = begin, -np.inf
    scale = c * np.sqrt(tree.visits[node])
    for child in range(begin, begin + np.int64(tree.size[node])):
        bonus = scale * tree.prior[child] / (1 + tree.visits[child])
        if tree.mean[child] + bonus > best:
            chosen, best = child, tree.mean[child] + bonus
    return chosen


@njit(**INLINE)
def back_up(tree, path, depth, value):  # type: ignore[no-untyped-def]
    """Add a result along the path; ``value`` is for the player who moved into its last node."""
    for at in range(depth, -1, -1):
        node = _U(path[_U(at)])
        visits = tree.visits[node] + 1
        tree.visits[node] = visits
        if tree.mean[node] > -np.inf:  # else a proof on this very path put it out of the running
            tree.mean[node] += (value - tree.mean[node]) / visits
            tree.width[node] = 1 / np.sqrt(visits)
        value = -value


@njit(**INLINE)
def prove(tree, path, depth):  # type: ignore[no-untyped-def]
    """Propagate the bounds of the path's last node upwards until they change nothing.

    Children that can't beat what a sibling is known to reach are put out of the running.
    """
    for at in range(depth - 1, -1, -1):
        node = path[at]
        begin = np.int64(tree.first[node])
        end = begin + np.int64(tree.size[node])
        low, high = -1, -1
        for child in range(_U(begin), _U(end)):
            low = max(low, tree.low[child])
            high = max(high, tree.high[child])
        for child in range(_U(begin), _U(end)):
            if tree.high[child] <= low:
                tree.mean[child], tree.width[child] = -np.inf, 0.0
        if tree.low[node] == -high and tree.high[node] == -low:
            return
        tree.low[node], tree.high[node] = -high, -low


@njit(cache=True, inline="always")
def result_for(s, side):  # type: ignore[no-untyped-def]
    """Result of a finished game for side 0 (X) or 1 (O)."""
    return 0 if s[RESULT] == 3 else (1 if s[RESULT] == 1 + side else -1)


@njit(**INLINE)
def uct_descend(tree, s, path, c, solve, rules, bits):  # type: ignore[no-untyped-def]
    """Descend from the root, making the moves in ``s``, to an untried node or a known result.

    Returns the depth, and the generator's state, uint64.
    """
    node, depth = _U(0), 0
    while s[RESULT] == 0 and tree.low[node] < tree.high[node]:
        if tree.first[node] < 0:
            if depth > 0 and tree.visits[node] == 0:
                break
            expand(tree, node, s)
            bits = shuffle(tree, node, bits)
            if solve and spot_wins(tree, node, s):
                prove(tree, path, depth + 1)
                break
        begin = np.int64(tree.first[node])
        # Never 0, so that an untried child (of infinite width) comes first even with c = 0.
        scale = max(c * sqrt_log(tree.visits[node]), 1e-9)
        end = begin + np.int64(tree.size[node])
        node = uct_child(tree.mean, tree.width, begin, end, scale)
        depth += 1
        path[depth] = node
        move = np.int64(tree.place[node])
        do(s, move // 9, move % 9, rules)
    return depth, bits


@njit(**INLINE)
def uct_value(tree, s, path, depth, solve, rules, bits, words):  # type: ignore[no-untyped-def]
    """Result for the player who moved into the path's last node: known, or that of a playout.

    Returns it with the generator's state, uint64.
    """
    node, mover = _U(path[depth]), 1 - np.int64(s[SIDE])
    if tree.low[node] == tree.high[node]:
        return np.int64(tree.low[node]), bits
    if s[RESULT] != 0:
        value = result_for(s, mover)
        if solve:
            tree.low[node] = tree.high[node] = value
            prove(tree, path, depth)
        return value, bits
    result, bits = playout(s, rules, bits, words)
    return (0 if result == 3 else (1 if result == 1 + mover else -1)), bits


@njit(**LEAF)
def uct_grow(tree, root, s, path, words, simulations, c, solve, rules, bits):  # type: ignore[no-untyped-def]
    """The loop of :func:`uct`; returns the same."""
    for done in range(simulations):
        full = tree.used[0] + MOST > len(tree.first)
        if full or tree.low[0] == tree.high[0]:
            return done, bits
        put(s, root)
        depth, bits = uct_descend(tree, s, path, c, solve, rules, bits)
        value, bits = uct_value(tree, s, path, depth, solve, rules, bits, words)
        back_up(tree, path, depth, value)
    return simulations, bits


@njit(cache=True)
def uct(forest, row, root, simulations, c, solve, rules, bits):  # type: ignore[no-untyped-def]
    """Grow a tree by simulations that end in a random playout.

    Stops early when the root is proven or the tree needs more room.  Returns the
    number of simulations made and the generator's state, uint64.
    """
    path, s, words = np.zeros(PATH, np.int64), root.copy(), np.zeros(WORDS, np.uint64)
    return uct_grow(one_of(forest, row), root, s, path, words, simulations, c, solve, rules, bits)


@njit(cache=True)
def descend(forest, roots, c, rules, paths, depths, leaves, asks):  # type: ignore[no-untyped-def]
    """Descend every tree to one node by PUCT and write its state to ``leaves``.

    Finished games and proven nodes are backed up at once, and proven roots are left alone.

    Parameters
    ----------
    asks : ndarray of bool, shape (B,)
        Overwritten: which of the leaves an evaluator must evaluate.
    """
    for row in range(len(roots)):
        asks[row], tree = False, one_of(forest, row)
        if tree.low[0] == tree.high[0]:
            continue
        s, path, node, depth = leaves[row], paths[row], 0, 0
        s[:] = roots[row]
        while tree.first[node] >= 0 and tree.low[node] < tree.high[node]:
            node = puct_child(tree, node, c)
            depth += 1
            path[depth] = node
            move = np.int64(tree.place[node])
            do(s, move // 9, move % 9, rules)
        depths[row] = depth
        if tree.low[node] == tree.high[node]:
            back_up(tree, path, depth, np.int64(tree.low[node]))
        elif s[RESULT] != 0:
            value = result_for(s, 1 - np.int64(s[SIDE]))
            tree.low[node] = tree.high[node] = value
            prove(tree, path, depth)
            back_up(tree, path, depth, value)
        else:
            asks[row] = True


@njit(cache=True)
def attach(forest, rows, paths, depths, leaves, priors, values, fpu):  # type: ignore[no-untyped-def]
    """Expand the evaluated leaves with their priors, and back up their values.

    Parameters
    ----------
    rows : ndarray of int64, shape (A,)
        The trees whose leaves were evaluated.
    priors : ndarray of float64, shape (A, 81)
        By move, 9 row + column; only the legal ones count.
    values : ndarray of float64, shape (A,)
        For the side to move at the leaf.
    fpu : float64
        Until it is tried, a move there is valued this much below the leaf itself, or at 0 if nan.
    """
    for i in range(len(rows)):
        row = rows[i]
        tree = one_of(forest, row)
        node = paths[row, depths[row]]
        expand(tree, node, leaves[row])
        set_priors(tree, node, priors[i])
        if not np.isnan(fpu):
            begin = np.int64(tree.first[node])
            tree.mean[begin : begin + np.int64(tree.size[node])] = values[i] - fpu
        value = -values[i]
        if spot_wins(tree, node, leaves[row]):
            prove(tree, paths[row], depths[row] + 1)
            value = -1.0
        back_up(tree, paths[row], depths[row], value)


@njit(**LEAF)
def set_priors(tree, node, chances):  # type: ignore[no-untyped-def]
    """Give the children of a node their share of ``chances``; uniform if these sum to 0.

    Parameters
    ----------
    chances : ndarray of float64, shape (81,)
        By move, 9 row + column.
    """
    begin = np.int64(tree.first[node])
    end = begin + np.int64(tree.size[node])
    total = 0.0
    for child in range(begin, end):
        total += chances[MOVE[tree.place[child]]]
    for child in range(begin, end):
        chance = chances[MOVE[tree.place[child]]]
        tree.prior[child] = chance / total if total > 0 else 1.0 / (end - begin)


@njit(cache=True)
def re_root(old, new, row, root):  # type: ignore[no-untyped-def]
    """Copy the branch below a node into a bare tree of another forest, breadth first.

    Parameters
    ----------
    root : int64
        The node.
    """
    origin = np.empty(new.first.shape[1], np.int64)
    origin[0], used, node = root, 1, 0
    while node < used:
        source = origin[node]
        new.first[row, node], new.size[row, node] = old.first[row, source], old.size[row, source]
        new.place[row, node], new.prior[row, node] = old.place[row, source], old.prior[row, source]
        new.visits[row, node], new.mean[row, node] = old.visits[row, source], old.mean[row, source]
        new.width[row, node] = old.width[row, source]
        new.low[row, node], new.high[row, node] = old.low[row, source], old.high[row, source]
        if old.first[row, source] >= 0:
            new.first[row, node] = used
            for child in range(np.int64(old.size[row, source])):
                origin[used] = np.int64(old.first[row, source]) + child
                used += 1
        node += 1
    new.used[row] = used
