"""The network of all plays: states layer by layer, as a CSV file, and as a graph.

The document lists the states of 3x3 layer by layer, writes them to a CSV file, and draws them with
NetworkX.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Grid, notation
from ttt_lib.game.gametree import enumerate_states


def layers(grid: Grid) -> list[Boards]:
    """All states ply by ply, in the order in which plays first reach them.

    Raises
    ------
    ValueError
        If the board has more than 9 cells.
    """
    tree = enumerate_states(grid)
    found: list[NDArray[np.integer[Any]]] = [np.zeros(1, dtype=np.int64)]
    for _ in range(grid.cells):
        after = tree.children[found[-1]].ravel()
        unique, first = np.unique(after[after >= 0], return_index=True)
        found.append(unique[np.argsort(first)])
    return [tree.boards[rows] for rows in found]


def csv_text(grid: Grid) -> str:
    """The network as the document's CSV file.

    A row holds the cells as ``X``, ``O`` or ``[ ]`` and, after a semicolon, the
    index in the previous layer of the last state it can come from; a ruled line
    with the move number ends each layer (in its stored file ``mossa`` stands for ``move``).
    """
    lines, before = [], None
    for move, states in enumerate(layers(grid)):
        links = last_parents(states, before)
        names = np.array(["[ ]", "X", "O"])[states]
        lines += [f"{', '.join(row)};{link}" for row, link in zip(names, links, strict=True)]
        lines.append(f"{'-' * 29} move n {move} {'-' * 28}")
        before = states
    return "\n".join(lines) + "\n"


def last_parents(states: Boards, before: Boards | None) -> NDArray[np.intp]:
    """For each state, the index of the last of ``before`` whose stones it contains, shape (B,)."""
    if before is None:
        return np.zeros(len(states), dtype=np.intp)
    fits = ((before[None] == 0) | (before[None] == states[:, None])).all(axis=2)
    return np.asarray(len(before) - 1 - fits[:, ::-1].argmax(axis=1))


def graph(grid: Grid, *, canonical: bool = False) -> nx.DiGraph[str]:
    """The network of states as a NetworkX graph.

    Nodes are boards in one-line notation with attributes ``ply``, ``value``
    (minimax, from X's side) and ``winner``; edges are moves.

    Parameters
    ----------
    canonical : bool
        Keep one state for all its symmetric images.
    """
    tree = enumerate_states(grid, canonical=canonical)
    names = [notation(board) for board in tree.boards]
    network: nx.DiGraph[str] = nx.DiGraph()
    for row, name in enumerate(names):
        network.add_node(
            name, ply=int(tree.ply[row]), value=int(tree.value[row]), winner=int(tree.winner[row])
        )
    for row, children in enumerate(tree.children.tolist()):
        network.add_edges_from((names[row], names[child]) for child in children if child >= 0)
    return network
