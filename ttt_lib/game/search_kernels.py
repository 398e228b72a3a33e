"""The compiled loops of playouts and tree search, all in this one file.

Search = select, expand, play out, back up (Kocsis and Szepesvari, 2006), over a
tree in flat arrays.  Values are stored for the player who made the move into a
node, so that selection always takes the largest: a wrong sign is the classic
bug in two-player search, and the tests look for it.

All kernels share one state: the cells, and per line and player the number of
stones on it, so that checking a move for a win takes one step per line through
its cell.

Arguments of the kernels
------------------------
Whole numbers are returned as int64, truth values as bool, unless a docstring says otherwise.

root : ndarray of int8, shape (cells,)
    The board to start from: +1 for X, -1 for O, 0 for empty.
board : ndarray of int8, shape (cells,)
    The board in play: 1 for X, 2 for O, 0 for empty; changed in place.
empties : ndarray of int64, shape (cells,)
    Its empty cells, in any order, in the first ``free`` entries; changed in place.
free : int64
    Number of empty cells.
stones : ndarray of int64, shape (2, lines + 1)
    Stones of each side on every line, and on a dummy that never fills; changed in place.
side : int64
    Side to move: 0 for X, 1 for O.
cell : int64
    Where a stone is put.
of_cell : ndarray of int64, shape (cells, most)
    The lines through every cell, padded with the dummy that never fills.
length, lines : int64
    Stones that complete a line; number of lines.
steps : ndarray of float64, shape (3**cells, cells), or None
    Cumulative probabilities of the moves, by board code (first cell the highest digit); if None,
    all moves are equally likely.
state : ndarray of uint64, shape (1,)
    State of the generator, never 0; advanced in place.
limit, games, iterations : int64
    Numbers to draw from; playouts from one board; playouts of one search.
tree : _Tree
    Changed in place.
node, nodes, used : int64
    A node; nodes to allocate; nodes in use.
c : float64
    Exploration constant.
path : ndarray of int64, shape (cells + 1,)
    Nodes from the root down, the root's 0 first.
depth : int64
    Index of the last node on the path.
winner : int64
    +1 for X, -1 for O, 0 for nobody.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from ttt_lib.game.board import Floats, Ints
from ttt_lib.game.jit import LEAF, advance, below

NEVER = 1 << 40
"""More stones than any line can hold."""


@njit(cache=True, inline="always")
def _random(state, limit):  # type: ignore[no-untyped-def]
    """Advance the generator and draw a uniform integer in 0..limit-1."""
    state[0] = advance(state[0])
    return below(state[0], limit)


@njit(cache=True, inline="always")
def _place(cell, side, board, stones, of_cell, length):  # type: ignore[no-untyped-def]
    """Put a stone of side 0 (X) or 1 (O); True if it completes a line."""
    board[cell] = 1 + side
    won = False
    for i in range(of_cell.shape[1]):
        line = of_cell[cell, i]
        stones[side, line] += 1
        won |= stones[side, line] == length
    return won


@njit(cache=True, inline="always")
def _load(root, board, stones, of_cell, empties):  # type: ignore[no-untyped-def]
    """Load a root board into the arrays; returns the side to move and the number of empty cells."""
    stones[:] = 0
    stones[0, -1] = stones[1, -1] = -NEVER
    free = np.int64(0)
    for cell in range(len(root)):
        board[cell] = 0
        if root[cell] == 0:
            empties[free] = cell
            free += 1
        else:
            _place(cell, 0 if root[cell] > 0 else 1, board, stones, of_cell, NEVER)
    return (len(root) - free) & 1, free


@njit(**LEAF)
def _pick_by_table(board, empties, free, steps, state):  # type: ignore[no-untyped-def]
    """Index into ``empties`` of a move drawn from a playout table."""
    code = 0
    for cell in range(len(board)):
        code = 3 * code + board[cell]
    draw = _random(state, 1 << 30) * steps[code, -1] / 2.0**30
    for place in range(free):
        cell = empties[place]
        low = steps[code, cell - 1] if cell > 0 else 0.0
        if low <= draw < steps[code, cell]:
            return place
    return 0


@njit(**LEAF)
def _finish_by_table(side, free, board, stones, empties, of_cell, length, steps, state):  # type: ignore[no-untyped-def]
    """Play a running game to its end by a playout table; returns +1 (X), -1 (O) or 0."""
    while free > 0:
        place = _pick_by_table(board, empties, free, steps, state)
        cell = empties[place]
        free -= 1
        empties[place] = empties[free]
        if _place(cell, side, board, stones, of_cell, length):
            return 1 - 2 * side
        side = 1 - side
    return 0


@njit(cache=True, inline="always")
def _finish(side, free, board, stones, empties, of_cell, length, steps, state):  # type: ignore[no-untyped-def]
    """Play a running game to its end, uniformly unless there is a table."""
    if steps is not None:
        return _finish_by_table(side, free, board, stones, empties, of_cell, length, steps, state)
    # The generator's state stays in a register here: this is the innermost loop.
    bits, winner = state[0], 0
    while free > 0 and winner == 0:
        bits = advance(bits)
        place = below(bits, free)
        cell = empties[place]
        free -= 1
        empties[place] = empties[free]
        if _place(cell, side, board, stones, of_cell, length):
            winner = 1 - 2 * side
        side = 1 - side
    state[0] = bits
    return winner


@njit(cache=True, inline="always")
def _winner(stones, length):  # type: ignore[no-untyped-def]
    """Owner of a full line: +1 (X), -1 (O), or 0 for nobody."""
    for line in range(stones.shape[1] - 1):
        if stones[0, line] == length:
            return 1
        if stones[1, line] == length:
            return -1
    return 0


@njit(cache=True, inline="always")
def count_playouts(root, games, of_cell, length, lines, steps, state):  # type: ignore[no-untyped-def]
    """Play games out from one board; returns X wins, draws, O wins, int64 of shape (3,)."""
    board, empties = np.zeros(len(root), np.int8), np.zeros(len(root), np.int64)
    stones, counts = np.zeros((2, lines + 1), np.int64), np.zeros(3, np.int64)
    for _ in range(games):
        side, free = _load(root, board, stones, of_cell, empties)
        winner = _winner(stones, length)
        if winner == 0:
            winner = _finish(side, free, board, stones, empties, of_cell, length, steps, state)
        counts[1 - winner] += 1
    return counts


class _Tree(NamedTuple):
    """Search nodes in flat arrays; node 0 is the root, children of a node are contiguous.

    Attributes
    ----------
    first, size : ndarray of int64, shape (nodes,)
        First child (-1: not expanded) and number of children.
    cell : ndarray of int64, shape (nodes,)
        The move that leads into the node.
    visits, sums : ndarray of float64, shape (nodes,)
        Playouts through the node, and their results for the player who made that move.
    """

    first: Ints
    size: Ints
    cell: Ints
    visits: Floats
    sums: Floats


@njit(cache=True)
def _new_tree(nodes):  # type: ignore[no-untyped-def]
    """A :class:`_Tree` with an unexpanded root, and room for more nodes."""
    numbers = np.zeros((2, nodes), np.int64)
    return _Tree(np.full(nodes, -1), numbers[0], numbers[1], np.zeros(nodes), np.zeros(nodes))


@njit(**LEAF)
def _expand(tree, node, board, used):  # type: ignore[no-untyped-def]
    """Give a node one child per empty cell; returns the number of nodes in use."""
    tree.first[node] = used
    for cell in range(len(board)):
        if board[cell] == 0:
            tree.first[used], tree.visits[used], tree.sums[used] = -1, 0.0, 0.0
            tree.cell[used] = cell
            used += 1
    tree.size[node] = used - tree.first[node]
    return used


@njit(**LEAF)
def _untried(tree, node, state):  # type: ignore[no-untyped-def]
    """A child without visits, chosen uniformly; -1 if all were tried."""
    chosen, seen = -1, 0
    for child in range(tree.first[node], tree.first[node] + tree.size[node]):
        if tree.visits[child] == 0:
            seen += 1
            if _random(state, seen) == 0:
                chosen = child
    return chosen


@njit(**LEAF)
def _select(tree, node, c, state):  # type: ignore[no-untyped-def]
    """The child to descend to: an untried one, else the best upper confidence bound."""
    chosen, best = _untried(tree, node, state), -np.inf
    if chosen >= 0:
        return chosen
    log_visits = np.log(tree.visits[node])
    for child in range(tree.first[node], tree.first[node] + tree.size[node]):
        visits = tree.visits[child]
        bound = tree.sums[child] / visits + c * np.sqrt(log_visits / visits)
        if bound > best:
            chosen, best = child, bound
    return chosen


@njit(**LEAF)
def _free_cells(board, empties):  # type: ignore[no-untyped-def]
    """List the empty cells in ``empties``; returns how many there are."""
    free = 0
    for cell in range(len(board)):
        if board[cell] == 0:
            empties[free] = cell
            free += 1
    return free


@njit(**LEAF)
def back_up(tree, path, depth, side, winner):  # type: ignore[no-untyped-def]
    """Credit a result along the path, in place; ``side`` is to move at the root."""
    for step in range(depth + 1):
        mover = 2 * side - 1 if step % 2 == 0 else 1 - 2 * side
        tree.visits[path[step]] += 1
        tree.sums[path[step]] += mover * winner


@njit(**LEAF)
def _simulate(  # type: ignore[no-untyped-def]
    tree, used, c, path, side, free, board, stones, empties, of_cell, length, steps, state
):
    """Descend to a new or a terminal node and play out; returns (depth, winner, used)."""
    node, depth = 0, 0
    while True:
        if tree.first[node] < 0:
            used = _expand(tree, node, board, used)
        node = _select(tree, node, c, state)
        depth += 1
        path[depth] = node
        if _place(tree.cell[node], side, board, stones, of_cell, length):
            return depth, 1 - 2 * side, used
        side = 1 - side
        if depth == free:
            return depth, 0, used
        if tree.visits[node] == 0:
            left = _free_cells(board, empties)
            winner = _finish(side, left, board, stones, empties, of_cell, length, steps, state)
            return depth, winner, used


@njit(cache=True)
def grow_tree(root, iterations, c, of_cell, length, lines, steps, state, out):  # type: ignore[no-untyped-def]
    """Search one board.

    Parameters
    ----------
    out : ndarray of float64, shape (2, cells)
        Filled with visits and summed results, for legal moves only.
    """
    cells = len(root)
    board, stones = np.zeros(cells, np.int8), np.zeros((2, lines + 1), np.int64)
    empties, path = np.zeros(cells, np.int64), np.zeros(cells + 1, np.int64)
    tree = _new_tree(1 + iterations * cells)
    used = np.int64(1)
    for _ in range(iterations):
        side, free = _load(root, board, stones, of_cell, empties)
        depth, winner, used = _simulate(
            tree, used, c, path, side, free, board, stones, empties, of_cell, length, steps, state
        )
        back_up(tree, path, depth, side, winner)
    for child in range(tree.first[0], tree.first[0] + tree.size[0]):
        out[0, tree.cell[child]] = tree.visits[child]
        out[1, tree.cell[child]] = tree.sums[child]
