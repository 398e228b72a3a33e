"""Exact facts: how many states and games small boards have, how well one can play, what lines tell.

Of small boards everything is computed from the enumerated game; what can also be counted in a
second, independent way is counted twice, so that the two results can be compared.  What follows
for n^d boards from their lines alone stands last: counts, symmetries, criteria of a draw.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.game.board import Grid, Ints
from ttt_lib.game.exact import random_outcome
from ttt_lib.game.gametree import MAX_CANONICAL_CELLS, GameTree, paths_to
from ttt_lib.game.pairing import pairing

# ---------------------------------------------------------------------------- counting states


def states_by_ply(tree: GameTree) -> pd.DataFrame:
    """Count states and classes of symmetric states, ply by ply.

    Returns
    -------
    DataFrame
        One row per ply; columns ply, states, classes, finished_states, finished_classes.
    """
    # One board of each class is its own canonical form, so counting those counts classes.
    own_form = tree.codes == tree.grid.canonical_codes(tree.boards)
    columns = {
        "states": tree.orbit,
        "classes": own_form,
        "finished_states": tree.orbit * tree.finished,
        "finished_classes": own_form & tree.finished,
    }
    plies = range(tree.grid.cells + 1)
    sums = {n: [int(c[tree.layer(ply)].sum()) for ply in plies] for n, c in columns.items()}
    return pd.DataFrame({"ply": list(plies), **sums})


def fixed_states(tree: GameTree) -> list[int]:
    """How many states each symmetry of the board leaves unchanged, in the order of the symmetries.

    Their mean is the number of classes (the lemma that is not Burnside's).

    Raises
    ------
    ValueError
        If the tree lists canonical forms only.
    """
    _needs_all_states(tree)
    return [int((tree.boards == tree.boards[:, p]).all(axis=1).sum()) for p in tree.grid.symmetries]


def count_states(grid: Grid) -> list[int]:
    """Count the reachable states of each ply without playing a single move.

    A position can be reached if the stone counts fit and either nobody owns a
    line, or the player who moved last does and one stone (the last) lies on all
    of that player's lines.  So it is enough to count pairs of disjoint sets of
    cells, X's and O's.

    Raises
    ------
    ValueError
        If the board has more than 16 cells.
    """
    stones, quiet, won = _sets_of_cells(grid)

    def at(ply: int) -> int:
        x, o = stones == (ply + 1) // 2, stones == ply // 2
        ended = _pairs(x & won, o & quiet) if ply % 2 else _pairs(x & quiet, o & won)
        return _pairs(x & quiet, o & quiet) + ended

    return [at(ply) for ply in range(grid.cells + 1)]


def running_chances(grid: Grid) -> list[Fraction]:
    """How likely a random game is to go on after 0, 1, ... ``grid.cells - 1`` plies.

    It goes on while nobody owns a line.  If play went on at random after its end, every way to
    place the stones of a ply would be equally likely, and a line would stay a line: so it is enough
    to count the placements without one.

    Raises
    ------
    ValueError
        If the board has more than 16 cells.
    """
    stones, quiet, _ = _sets_of_cells(grid)

    def after(ply: int) -> Fraction:
        x, o = (ply + 1) // 2, ply // 2
        without = _pairs(quiet & (stones == x), quiet & (stones == o))
        return Fraction(without, comb(grid.cells, ply) * comb(ply, x))

    return [after(ply) for ply in range(grid.cells)]


def _sets_of_cells(grid: Grid) -> tuple[Ints, NDArray[np.bool_], NDArray[np.bool_]]:
    """Of every set of cells: its size, whether it has no line, whether its lines share a cell."""
    if grid.cells > MAX_CANONICAL_CELLS:
        raise ValueError(f"a {grid.name} board is too large: at most {MAX_CANONICAL_CELLS} cells")
    sets = np.arange(2**grid.cells, dtype=np.int64)
    return np.bitwise_count(sets), *_kinds_of_sets(grid, sets)


def _pairs(x: NDArray[np.bool_], o: NDArray[np.bool_]) -> int:
    """Disjoint pairs: for each X set, the O sets within its complement."""
    cells = len(o).bit_length() - 1
    return int((x * _subsets(o.astype(np.int64), cells)[::-1]).sum())


def _kinds_of_sets(grid: Grid, sets: Ints) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Masks of the sets that contain no line, and of those whose lines all share a cell."""
    full, common = np.zeros(len(sets), dtype=np.bool_), np.full(len(sets), -1, dtype=np.int64)
    for line in grid.lines:
        mask = int((1 << line).sum())
        has = sets & mask == mask
        full |= has
        common[has] &= mask
    return ~full, full & (common != 0)


def _subsets(values: Ints, cells: int) -> Ints:
    """For every set, the sum over its subsets, one cell after the other, shape (2**cells,)."""
    for cell in range(cells):
        halves = values.reshape(-1, 2, 1 << cell)
        halves[:, 1] += halves[:, 0]
    return values


# ---------------------------------------------------------------------------- counting games


def games_from(tree: GameTree, cells: NDArray[np.bool_] | bool = True) -> Ints:
    """Number of games (sequences of moves to the end) from every state, shape (S,).

    Parameters
    ----------
    cells : ndarray of bool, shape (cells,), or bool
        Where one may move; everywhere by default.
    """
    games = tree.finished.astype(np.int64)
    for ply in reversed(range(tree.grid.cells)):
        rows = tree.layer(ply)
        games[rows] += (games[tree.children[rows]] * (tree.legal[rows] & cells)).sum(axis=1)
    return games


def games_by_length(tree: GameTree) -> pd.DataFrame:
    """Count games by their length and winner.

    Returns
    -------
    DataFrame
        One row per length that occurs; columns plies, x_wins, draws, o_wins, games.
    """
    games = paths_to(tree) * tree.finished
    table = [
        [int((games * (tree.winner == w))[tree.layer(ply)].sum()) for w in (1, 0, -1)]
        for ply in range(tree.grid.cells + 1)
    ]
    found = pd.DataFrame(table, columns=["x_wins", "draws", "o_wins"])
    found.insert(0, "plies", range(len(table)))
    found["games"] = found[["x_wins", "draws", "o_wins"]].sum(axis=1)
    return found[found["games"] > 0].reset_index(drop=True)


def games_up_to_one_symmetry(tree: GameTree) -> int:
    """Number of games up to a rotation or reflection of the *whole* game.

    A symmetry leaves a game unchanged only if it fixes every cell played.  So
    with f(p) games inside the fixed cells of p, the answer is the mean of f.

    Raises
    ------
    ValueError
        If the tree lists canonical forms only.
    """
    _needs_all_states(tree)
    fixed = [p == np.arange(len(p)) for p in tree.grid.symmetries]
    return sum(int(games_from(tree, cells)[0]) for cells in fixed) // len(fixed)


def _needs_all_states(tree: GameTree) -> None:
    if tree.canonical:
        raise ValueError("this needs the tree of all states, not of canonical forms")


def games_of_classes(tree: GameTree) -> int:
    """Number of games as paths of classes: symmetric positions count as one *after every move*.

    Parameters
    ----------
    tree : GameTree
        Enumerated with ``canonical=True``; each row is a class.

    Raises
    ------
    ValueError
        If the tree is not canonical.
    """
    if not tree.canonical:
        raise ValueError("paths of classes need the tree of canonical forms: canonical=True")
    games = tree.finished.astype(np.int64)
    for ply in reversed(range(tree.grid.cells)):
        rows = tree.layer(ply)
        next_classes = np.sort(tree.children[rows], axis=1)
        new = (next_classes >= 0) & (np.diff(next_classes, axis=1, prepend=-1) != 0)
        games[rows] += (games[next_classes] * new).sum(axis=1)
    return int(games[0])


# ---------------------------------------------------------------------------- playing well


def first_moves(tree: GameTree) -> pd.DataFrame:
    """What each first move is worth if everything after it is random.

    Returns
    -------
    DataFrame
        One row per kind of move (lowest cell index of its class), best expected
        result first; columns cell, alike, win, draw, loss (fractions), minimax.
    """
    after = tree.children[0]
    _, cell, alike = np.unique(
        tree.grid.canonical_codes(tree.boards[after]), return_index=True, return_counts=True
    )
    rows = [
        {"cell": int(c), "alike": int(k), **random_outcome(tree, int(after[c]))._asdict()}
        | {"minimax": int(tree.value[after[c]])}
        for c, k in zip(cell, alike, strict=True)
    ]
    rows.sort(key=lambda row: row["loss"] - row["win"])
    return pd.DataFrame(rows)


# ---------------------------------------------------------------------------- lines of any board


def walked_lines(grid: Grid) -> int:
    """Count lines by walking: from every cell, in every direction, n - 1 steps if they fit."""
    n, d = grid.n, grid.d
    walks = (
        tuple(tuple(c + k * s for c, s in zip(cell, step, strict=True)) for k in range(n))
        for cell in product(range(n), repeat=d)
        for step in product((-1, 0, 1), repeat=d)
        if any(step) and all(0 <= c + (n - 1) * s < n for c, s in zip(cell, step, strict=True))
    )
    return len({frozenset(walk) for walk in walks})


def line_symmetries(grid: Grid) -> NDArray[np.intp]:
    """All permutations of the cells that map lines to lines, shape (G, cells).

    The symmetries of the square are among them; on some boards there are more.
    """
    graph = nx.Graph([(("line", i), int(c)) for i, line in enumerate(grid.lines) for c in line])
    for node in graph:
        graph.nodes[node]["kind"] = isinstance(node, tuple)
    same = nx.algorithms.isomorphism.categorical_node_match("kind", None)
    found = nx.algorithms.isomorphism.GraphMatcher(graph, graph, node_match=same)
    images = ([image[c] for c in range(grid.cells)] for image in found.isomorphisms_iter())
    return np.array(sorted(images), dtype=np.intp)


def first_move_kinds(grid: Grid, symmetries: NDArray[np.intp]) -> list[list[int]]:
    """Lists of cells that some symmetry maps to each other (the orbits)."""
    orbits = {tuple(np.unique(symmetries[:, cell]).tolist()) for cell in range(grid.cells)}
    return sorted(map(list, orbits))


class DrawCriteria(NamedTuple):
    """What counting alone says about an n^d board.

    Attributes
    ----------
    board : str
        Its name, such as ``3x3``.
    cells, lines : int
        How many it has.
    weights : bool
        Whether it has fewer than 2^(n-1) lines.
    pairs : bool
        Whether it has a pairing, see :func:`~ttt_lib.game.pairing.pairing`.
    """

    board: str
    cells: int
    lines: int
    weights: bool
    pairs: bool


def draw_criteria(grid: Grid) -> DrawCriteria:
    """Whether the second player can force a draw, by either of two counting arguments.

    ``weights``: fewer than 2^(n-1) lines (Erdos and Selfridge, 1973); ``pairs``: a
    pairing exists.  Neither being true says nothing about the game's value.
    """
    lines = len(grid.lines)
    few, paired = lines < 2 ** (grid.n - 1), pairing(grid) is not None
    return DrawCriteria(grid.name, grid.cells, lines, few, paired)
