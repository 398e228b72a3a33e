"""Won positions proved by threats alone, and a check of such proofs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Grid
from ttt_lib.game.policy import winning_cells


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
