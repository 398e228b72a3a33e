"""Search trees in flat arrays: select, expand, back up, prove; compiled.

A forest holds B trees, one a row.  Node 0 of a tree is its root; the children
of a node stand together.  What a node stores is seen by the player who made the
move into it, so that selection always takes the largest.

Bounds are kept beside the means (score-bounded search, Cazenave and Saffidine,
2010, which adds draws to the MCTS-Solver of Winands et al., 2008): a finished
game is known, and what is known of all children is known of the parent.

These kernels are not those of ``ttt_lib.mcts``.  There a state is an array of
cells and a loop over lines, here 24 words and tables; one kernel for both would
have to call the game through function pointers, several times a ply, and a ply
of a playout takes only a dozen nanoseconds.
"""
# mypy: no-check-untyped-defs
# Kernels carry no types: numba infers them.

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.ultimate.kernels import (
    COMPLETES,
    MOVE,
    NTH,
    RESULT,
    SIDE,
    do,
    draw,
    playout,
    step,
    targets,
    vacant,
    winnable,
)

MOST = 81
"""Most children of a node."""

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
        Mean result for the player who moved into the node; -inf once nothing is to be
        gained there, because a sibling is known to do as well.
    width : ndarray of float64, shape (B, nodes)
        1 / sqrt(visits), inf while untried: kept, because selection reads it often.
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


def plant(trees: int, capacity: int) -> Forest:
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
def expand(forest, row, node, s):  # type: ignore[no-untyped-def]
    """Give a node one child per legal move, lowest sub-board and cell first."""
    child, boards = forest.used[row], targets(s)
    forest.first[row, node] = child
    while boards:
        board = np.int64(NTH[boards, 0])
        boards &= boards - 1
        cells = vacant(s, board)
        while cells:
            forest.place[row, child] = 9 * board + np.int64(NTH[cells, 0])
            cells &= cells - 1
            forest.first[row, child], forest.visits[row, child] = -1, 0
            forest.mean[row, child], forest.width[row, child] = 0.0, np.inf
            forest.low[row, child], forest.high[row, child] = -1, 1
            child += 1
    forest.size[row, node] = child - forest.used[row]
    forest.used[row] = child


@njit(cache=True)
def spot_wins(forest, row, node, s):  # type: ignore[no-untyped-def]
    """Mark the new children that win at once as proven; whether there are any."""
    side = np.int64(s[SIDE])
    boards = winnable(s, side) & targets(s)
    if boards == 0:
        return False
    begin = np.int64(forest.first[row, node])
    for child in range(begin, begin + np.int64(forest.size[row, node])):
        board, cell = forest.place[row, child] // 9, forest.place[row, child] % 9
        if boards >> board & 1 and np.int64(COMPLETES[s[9 * side + board]]) >> cell & 1:
            forest.low[row, child] = 1
    return True


@njit(cache=True)
def shuffle(forest, row, node, bits):  # type: ignore[no-untyped-def]
    """Put new children into random order, so that the first untried one is a random one."""
    begin = np.int64(forest.first[row, node])
    for left in range(np.int64(forest.size[row, node]), 1, -1):
        bits = step(bits)
        one, other = begin + left - 1, begin + draw(bits, left)
        place = forest.place[row, one]
        forest.place[row, one] = forest.place[row, other]
        forest.place[row, other] = place
    return bits


@njit(cache=True)
def uct_child(mean, width, begin, end, scale):  # type: ignore[no-untyped-def]
    """The first child of the largest mean + scale / sqrt(visits)."""
    chosen, best = begin, -np.inf
    for child in range(begin, end):
        bound = mean[child] + scale * width[child]
        if bound > best:
            chosen, best = child, bound
    return chosen


@njit(cache=True)
def puct_child(forest, row, node, c):  # type: ignore[no-untyped-def]
    """The child of the largest Q + c P sqrt(N) / (1 + n); Q of an untried one is 0."""
    begin = np.int64(forest.first[row, node])
    chosen, best = begin, -np.inf
    scale = c * np.sqrt(forest.visits[row, node])
    for child in range(begin, begin + np.int64(forest.size[row, node])):
        bonus = scale * forest.prior[row, child] / (1 + forest.visits[row, child])
        if forest.mean[row, child] + bonus > best:
            chosen, best = child, forest.mean[row, child] + bonus
    return chosen


@njit(cache=True)
def back_up(forest, row, path, depth, value):  # type: ignore[no-untyped-def]
    """Add a result along the path; ``value`` is seen by the player who moved into its end."""
    for at in range(depth, -1, -1):
        node = path[at]
        visits = forest.visits[row, node] + 1
        forest.visits[row, node] = visits
        forest.mean[row, node] += (value - forest.mean[row, node]) / visits
        forest.width[row, node] = 1 / np.sqrt(visits)
        value = -value


@njit(cache=True)
def prove(forest, row, path, depth):  # type: ignore[no-untyped-def]
    """Carry the bounds of the path's end as far up as they tell something new.

    Children that can't beat what a sibling is known to reach are put out of the running.
    """
    for at in range(depth - 1, -1, -1):
        node = path[at]
        begin = np.int64(forest.first[row, node])
        end = begin + np.int64(forest.size[row, node])
        low, high = -1, -1
        for child in range(begin, end):
            low = max(low, forest.low[row, child])
            high = max(high, forest.high[row, child])
        for child in range(begin, end):
            if forest.high[row, child] <= low:
                forest.mean[row, child], forest.width[row, child] = -np.inf, 0.0
        if forest.low[row, node] == -high and forest.high[row, node] == -low:
            return
        forest.low[row, node], forest.high[row, node] = -high, -low


@njit(cache=True, inline="always")
def result_for(s, side):  # type: ignore[no-untyped-def]
    """Result of a finished game for side 0 (X) or 1 (O)."""
    return 0 if s[RESULT] == 3 else (1 if s[RESULT] == 1 + side else -1)


@njit(cache=True)
def uct(forest, row, root, simulations, c, solve, rules, bits):  # type: ignore[no-untyped-def] # noqa: C901
    """Grow a tree by simulations that end in a random playout.

    Stops early when the root is proven or the tree needs more room.  Returns the
    number of simulations made and the generator's state.
    """
    path, s = np.zeros(PATH, np.int64), root.copy()
    for done in range(simulations):
        if forest.used[row] + MOST > forest.first.shape[1]:
            return done, bits
        if forest.low[row, 0] == forest.high[row, 0]:
            return done, bits
        s[:] = root
        node, depth = 0, 0
        while s[RESULT] == 0 and forest.low[row, node] < forest.high[row, node]:
            if forest.first[row, node] < 0:
                if depth > 0 and forest.visits[row, node] == 0:
                    break
                expand(forest, row, node, s)
                bits = shuffle(forest, row, node, bits)
                if solve and spot_wins(forest, row, node, s):
                    prove(forest, row, path, depth + 1)
                    break
            begin = np.int64(forest.first[row, node])
            # Never 0, so that an untried child (of infinite width) comes first even with c = 0.
            scale = max(c * np.sqrt(np.log(max(forest.visits[row, node], 1))), 1e-9)
            end = begin + np.int64(forest.size[row, node])
            node = uct_child(forest.mean[row], forest.width[row], begin, end, scale)
            depth += 1
            path[depth] = node
            move = np.int64(forest.place[row, node])
            do(s, move // 9, move % 9, rules)
        mover = 1 - np.int64(s[SIDE])
        if forest.low[row, node] == forest.high[row, node]:
            value = np.int64(forest.low[row, node])
        elif s[RESULT] != 0:
            value = result_for(s, mover)
            if solve:
                forest.low[row, node] = forest.high[row, node] = value
                prove(forest, row, path, depth)
        else:
            result, bits = playout(s, rules, bits)
            value = 0 if result == 3 else (1 if result == 1 + mover else -1)
        back_up(forest, row, path, depth, value)
    return simulations, bits


@njit(cache=True)
def descend(forest, roots, c, rules, paths, depths, leaves, asks):  # type: ignore[no-untyped-def]
    """Walk every tree down to one node by PUCT; its state goes to ``leaves``.

    ``asks`` tells which of them an evaluator must value; finished games and
    proven nodes are backed up at once, and proven roots left alone.
    """
    for row in range(len(roots)):
        asks[row] = False
        if forest.low[row, 0] == forest.high[row, 0]:
            continue
        s, path, node, depth = leaves[row], paths[row], 0, 0
        s[:] = roots[row]
        while forest.first[row, node] >= 0 and forest.low[row, node] < forest.high[row, node]:
            node = puct_child(forest, row, node, c)
            depth += 1
            path[depth] = node
            move = np.int64(forest.place[row, node])
            do(s, move // 9, move % 9, rules)
        depths[row] = depth
        if forest.low[row, node] == forest.high[row, node]:
            back_up(forest, row, path, depth, np.int64(forest.low[row, node]))
        elif s[RESULT] != 0:
            value = result_for(s, 1 - np.int64(s[SIDE]))
            forest.low[row, node] = forest.high[row, node] = value
            prove(forest, row, path, depth)
            back_up(forest, row, path, depth, value)
        else:
            asks[row] = True


@njit(cache=True)
def attach(forest, rows, paths, depths, leaves, priors, values, fpu):  # type: ignore[no-untyped-def]
    """Expand the valued leaves with their priors (B, 81), and back their values up.

    ``values`` are seen by the side to move at the leaf.  Until it is tried, a move there
    counts ``fpu`` less than the leaf itself, or 0 if ``fpu`` is nan.
    """
    for i in range(len(rows)):
        row = rows[i]
        node = paths[row, depths[row]]
        expand(forest, row, node, leaves[row])
        set_priors(forest, row, node, priors[i])
        if not np.isnan(fpu):
            begin = np.int64(forest.first[row, node])
            forest.mean[row, begin : begin + np.int64(forest.size[row, node])] = values[i] - fpu
        value = -values[i]
        if spot_wins(forest, row, node, leaves[row]):
            prove(forest, row, paths[row], depths[row] + 1)
            value = -1.0
        back_up(forest, row, paths[row], depths[row], value)


@njit(cache=True)
def set_priors(forest, row, node, chances):  # type: ignore[no-untyped-def]
    """Give the children of a node their share of ``chances``, shape (81,); uniform if that is 0."""
    begin = np.int64(forest.first[row, node])
    end = begin + np.int64(forest.size[row, node])
    total = 0.0
    for child in range(begin, end):
        total += chances[MOVE[forest.place[row, child]]]
    for child in range(begin, end):
        chance = chances[MOVE[forest.place[row, child]]]
        forest.prior[row, child] = chance / total if total > 0 else 1.0 / (end - begin)


@njit(cache=True)
def transplant(old, new, row, root):  # type: ignore[no-untyped-def]
    """Copy the branch below node ``root`` into a bare tree of another forest, breadth first."""
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
