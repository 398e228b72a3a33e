"""What follows for n^d boards from their lines alone: counts, symmetries, criteria of a draw."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid
from ttt_lib.game.pairing import pairing


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
