"""The document's alpha-beta search, and the player that moves by it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Grid, Ints
from ttt_lib.game.gametree import GameTree, enumerate_states
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, from_weights

WIN = 100_000
STEP = 10
"""The program's deduction from a value for every ply of depth; a win is worth ``WIN``."""
NEVER = -1
"""A number of positions that no search reaches."""


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
@read_only
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
