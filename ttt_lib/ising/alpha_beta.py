"""The network of all plays, the alpha-beta player, and small proofs by search.

The document lists the states of 3x3 layer by layer, writes them to a CSV file,
and draws them with NetworkX; it then searches them with alpha-beta.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Grid, Ints, notation
from ttt_lib.game.gametree import GameTree, enumerate_states
from ttt_lib.game.policy import Agent, from_weights, winning_cells

WIN = 100_000
STEP = 10
"""The program's deduction from a value for every ply of depth; a win is worth ``WIN``."""
NEVER = -1
"""A number of positions that no search reaches."""


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


@njit(cache=True)
def _owner(lines, board):  # type: ignore[no-untyped-def]
    """Who owns a full line: 1, -1, or 0 for nobody; int64.

    Parameters
    ----------
    lines : ndarray of int64, shape (L, n)
    board : ndarray of int64, shape (cells,)
    """
    for line in lines:
        total = 0
        for cell in line:
            total += board[cell]
        if abs(total) == len(line):
            return total // len(line)
    return 0


@njit(cache=True)
def _alpha_beta(lines, board, player, depth, alpha, beta, step, prune, nodes, most):  # type: ignore[no-untyped-def]
    """Value for O and best cell (-1 at the end of a game), both int64: O maximises, X minimises.

    Parameters
    ----------
    lines : ndarray of int64, shape (L, n)
    board : ndarray of int64, shape (cells,)
        Changed in place and restored.
    player, depth : int64
        To move, 1 for X or -1 for O; plies from the root.
    alpha, beta, step : int64
        Window, and what a ply of depth costs, in units of the value.
    prune : bool
        Whether to prune.
    nodes : ndarray of int64, shape (1,)
        Counts the positions visited.
    most : int64
        Positions after which the search is broken off; what it returns then means nothing.
    """
    if nodes[0] == most:
        return 0, -1
    nodes[0] += 1
    winner = _owner(lines, board)
    if winner != 0 or (board != 0).all():
        return -WIN * winner, -1
    sign = -player
    best, move = -WIN, -1
    for cell in range(len(board)):
        if board[cell] != 0:
            continue
        board[cell] = player
        found, _ = _alpha_beta(
            lines, board, -player, depth + 1, alpha, beta, step, prune, nodes, most
        )
        board[cell] = 0
        if sign * found > best:
            best, move = sign * found - step * depth, cell
            if sign > 0:
                alpha = max(alpha, best)
            else:
                beta = min(beta, -best)
            if prune and beta <= alpha:
                break
    return sign * best, move


@dataclass(frozen=True)
class Searched:
    """What an alpha-beta search found: the value for O, a best move, positions visited."""

    value: int
    move: int
    nodes: int


def alpha_beta(
    grid: Grid, board: NDArray[np.int8], *, prune: bool = True, step: int = STEP
) -> Searched:
    """Search to the end of the game as the document's program does.

    O maximises; a win counts ``WIN``; at every level a new best value loses
    ``step`` for each ply of depth.

    Parameters
    ----------
    prune : bool
        Whether to prune (False: plain minimax).
    step : int
        The program's preference for short games; 0 for none.
    """
    return _searched(grid, board, step, prune, NEVER)


def _searched(grid: Grid, board: NDArray[np.int8], step: int, prune: bool, most: int) -> Searched:
    """Search from a board, and break off after so many positions."""
    nodes, cells = np.zeros(1, dtype=np.int64), board.astype(np.int64)
    player = int(grid.to_move(board[None])[0])
    value, move = _alpha_beta(grid.lines, cells, player, 0, -WIN, WIN, step, prune, nodes, most)
    return Searched(int(value), int(move), int(nodes[0]))


def visited_until(grid: Grid, board: NDArray[np.int8], most: int) -> int:
    """Positions that the document's search visits for a move, or ``most`` if it has not ended then.

    Parameters
    ----------
    most : int
        Positions after which the search is broken off.
    """
    return _searched(grid, board, STEP, True, most).nodes


@cache
def _program_moves(grid: Grid) -> tuple[GameTree, Ints, Ints]:
    """The move the program's search picks in every state, and how many positions it visits."""
    tree = enumerate_states(grid)
    moves, nodes = np.full(len(tree), -1, dtype=np.int64), np.zeros(len(tree), dtype=np.int64)
    for row in np.flatnonzero(~tree.finished):
        found = alpha_beta(grid, tree.boards[row])
        moves[row], nodes[row] = found.move, found.nodes
    return tree, moves, nodes


def program_minimax(grid: Grid) -> Agent:
    """The program's minimax player: one move in every state, the first best it meets.

    Raises
    ------
    ValueError
        If the board has more than 9 cells.
    """
    tree, moves, _ = _program_moves(grid)

    def weights(boards: Boards) -> Ints:
        chosen = moves[tree.index(boards)]
        if (chosen < 0).any():
            raise ValueError("a finished game has no move to choose")
        return np.asarray(np.eye(grid.cells, dtype=np.int64)[chosen])

    return from_weights("program minimax", grid, weights)


def search_nodes(grid: Grid) -> Ints:
    """Positions the program's search visits from every state, shape (S,)."""
    return _program_moves(grid)[2]


@dataclass(frozen=True)
class Proof:
    """A won position: X's move, and the proof after every answer that does not lose at once.

    ``answers`` is empty where the move completes a line.
    """

    move: int
    answers: dict[int, Proof]

    @property
    def positions(self) -> int:
        """How many positions with X to move the proof holds."""
        return 1 + sum(proof.positions for proof in self.answers.values())

    @property
    def moves(self) -> int:
        """Moves of X until the line is complete, against the longest defence."""
        return 1 + max((proof.moves for proof in self.answers.values()), default=0)


def forced_win(grid: Grid, board: NDArray[np.int8], stones: int = 8) -> Proof | None:
    """Look for a win of X by threats alone: each move threatens a line, O has to block.

    Parameters
    ----------
    board : ndarray of int8, shape (cells,)
        X to move.
    stones : int
        How many more stones X may place.

    Returns
    -------
    Proof or None
        None proves nothing: X may win more slowly.
    """
    own, other = completions(grid, board, 1), completions(grid, board, -1)
    if own:
        return Proof(own[0], {})
    if len(other) > 1 or stones <= 1:
        return None
    for move in other or np.flatnonzero(board == 0).tolist():
        after = board.copy()
        after[move] = 1
        blocks = completions(grid, after, 1)
        if len(blocks) > 1 and not completions(grid, after, -1):
            after[blocks[0]] = -1
            return Proof(move, {blocks[0]: Proof(blocks[1], {})})
        if len(blocks) == 1:
            after[blocks[0]] = -1
            rest = forced_win(grid, after, stones - 1)
            if rest:
                return Proof(move, {blocks[0]: rest})
    return None


def completions(grid: Grid, board: NDArray[np.int8], player: int) -> list[int]:
    """Empty cells that complete a line of a player."""
    wins = winning_cells(grid, board[None], np.array([player], dtype=np.int8))
    return np.flatnonzero(wins[0]).tolist()


def centre_wins(grid: Grid) -> Proof | None:
    """A proof that X wins by opening in the centre: a forced win after every answer of O."""
    centre = (grid.cells - 1) // 2
    answers = {}
    for answer in range(grid.cells):
        if answer != centre:
            board = grid.initial()[0]
            board[centre], board[answer] = 1, -1
            found = forced_win(grid, board)
            if found is None:
                return None
            answers[answer] = found
    return Proof(centre, answers)


def check_proof(grid: Grid, board: NDArray[np.int8], proof: Proof) -> bool:
    """Check a proof move by move, independently of the search."""
    after = board.copy()
    if after[proof.move] != 0:
        return False
    after[proof.move] = 1
    if grid.winner(after[None])[0] == 1:
        return True
    # A block that is missing from the answers must leave X a line to complete.
    for answer in np.flatnonzero(after == 0).tolist():
        reply = after.copy()
        reply[answer] = -1
        if grid.winner(reply[None])[0] != 0:
            return False
        if answer in proof.answers:
            if not check_proof(grid, reply, proof.answers[answer]):
                return False
        elif not completions(grid, reply, 1):
            return False
    return True
