"""Pairs of cells with which the second player blocks every line of a board."""

from __future__ import annotations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid


def pairing(grid: Grid) -> NDArray[np.intp] | None:
    """Two cells for each line, no cell twice; with a pairing, the second player never loses.

    Whenever the first player takes one cell of a pair, answer with the other: then
    no line can be completed (Hales and Jewett, 1963).

    Returns
    -------
    ndarray of intp, shape (L, 2), or None if there is no such pairing
    """
    claims = [(line, place) for line in range(len(grid.lines)) for place in (0, 1)]
    graph = nx.Graph([(c, int(cell)) for c in claims for cell in grid.lines[c[0]]])
    matched = nx.bipartite.hopcroft_karp_matching(graph, claims)
    if any(claim not in matched for claim in claims):
        return None
    return np.array([matched[claim] for claim in claims], dtype=np.intp).reshape(-1, 2)
