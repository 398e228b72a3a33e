"""What the model is trained on: one number for every move of every training state."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import factorial

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Ints, Mask
from ttt_lib.game.exact import random_expected
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.kept import once
from ttt_lib.game.policy import first
from ttt_lib.spectral import LABELS


@dataclass(frozen=True, eq=False)
class Rows:
    """Training rows: every legal move of every training state.

    Attributes
    ----------
    grid : Grid
    states : ndarray of int8, shape (S, cells)
        The training states.
    state, move : ndarray of intp, shape (R,)
        Row of ``states`` and the move.
    after : ndarray of int8, shape (R, cells)
        The board after the move.
    target : ndarray of float64, shape (R,)
        What the score of that move should be.
    """

    grid: Grid
    states: Boards
    state: NDArray[np.intp]
    move: NDArray[np.intp]
    after: Boards
    target: Floats

    def table(self, values: Floats) -> Floats:
        """One value per row as a table over moves, shape (S, cells); -inf where not legal."""
        table = np.full(self.states.shape, -np.inf)
        table[self.state, self.move] = values
        return table

    def part(self, states: NDArray[np.intp]) -> Rows:
        """The rows of some of the states."""
        kept = np.isin(self.state, states)
        return replace(
            self,
            state=self.state[kept],
            move=self.move[kept],
            after=self.after[kept],
            target=self.target[kept],
        )


def mover_wins(tree: GameTree) -> Ints:
    """How often the mover wins under random play after each move, shape (S, cells).

    A count out of ``factorial(empty cells after the move)``, so that the moves of one state
    compare as whole numbers; -1 where the move is not legal.
    """
    column = np.where(tree.ply % 2 == 0, 0, 2)[:, None]
    counts = tree.random_play[tree.children, column]
    return np.asarray(np.where(tree.legal, counts, -1))


def mover_chances(tree: GameTree) -> Floats:
    """P(the mover wins) under random play after each move, shape (S, cells); nan if not legal."""
    orders = np.array([factorial(max(tree.grid.cells - ply - 1, 0)) for ply in tree.ply])
    return np.asarray(np.where(tree.legal, mover_wins(tree) / orders[:, None], np.nan))


def good_moves(tree: GameTree) -> Mask:
    """Moves that maximise P(the mover wins) under random play, shape (S, cells)."""
    wins = mover_wins(tree)
    return np.asarray(tree.legal & (wins == wins.max(axis=1, keepdims=True)))


def targets(tree: GameTree, labels: str) -> Floats:
    """The target of each legal move of an enumerated game, shape (S, cells).

    Parameters
    ----------
    labels : {"optimal", "value", "minimax", "probability"}
        1 for the first move that maximises P(win) under random play and 0 for the others;
        the expected result under random play (win 1, draw 0, loss -1); the minimax value;
        or P(win) under random play itself.  All from the mover's side.

    Raises
    ------
    ValueError
        If the labels are none of these.
    """
    if labels == "optimal":
        return first(good_moves(tree)).astype(np.float64)
    if labels == "probability":
        return mover_chances(tree)
    side = np.where(tree.ply % 2 == 0, 1, -1)[:, None]
    if labels == "minimax":
        return np.asarray(side * tree.value[tree.children], dtype=np.float64)
    if labels == "value":
        return np.asarray(side * random_expected(tree)[tree.children])
    raise ValueError(f"no exact labels {labels!r}: optimal, value, minimax or probability")


def exact_rows(grid: Grid, labels: str) -> Rows:
    """Every legal move of every running state, with exact labels.

    Raises
    ------
    ValueError
        If the labels are not exact ones (see :func:`targets`), or the board is too large.
    """
    tree = solve(grid)
    running = np.flatnonzero(~tree.finished)
    place = np.cumsum(~tree.finished) - 1
    state, move = np.nonzero(tree.legal)
    after = tree.boards[tree.children[state, move]]
    target = targets(tree, labels)[state, move]
    return Rows(grid, tree.boards[running], place[state], move, after, target)


def sample_states(grid: Grid, samples: int, *, rng: np.random.Generator | int) -> Boards:
    """Running states from random play, shape (samples, cells).

    The number of stones is drawn uniformly; a game that ends before is drawn again, number and all.
    """
    rng = np.random.default_rng(rng)
    found: list[Boards] = []
    while len(found) < samples:
        board = grid.initial()
        for _ in range(int(rng.integers(grid.cells))):
            board = grid.place(board, rng.choice(np.flatnonzero(board[0] == 0), 1))
            if grid.finished(board)[0]:
                break
        else:
            found.append(board)
    return np.concatenate(found)


def sampled_rows(
    grid: Grid, samples: int, rollouts: int, *, rng: np.random.Generator | int
) -> Rows:
    """Every legal move of sampled states, with the mean result of random playouts.

    Parameters
    ----------
    samples : int
        Training states, at least 1.
    rollouts : int
        Playouts per move, at least 1; results from the mover's side.
    """
    from ttt_lib.game.search import pure_monte_carlo  # numba loads only when playouts are wanted

    rng = np.random.default_rng(rng)
    states = sample_states(grid, samples, rng=rng)
    means = pure_monte_carlo(grid, states, rollouts, rng=rng)
    state, move = np.nonzero(grid.legal(states))
    after = grid.play(states[state], move)
    return Rows(grid, states, state, move, after, means[state, move])


@once
def training_rows(
    grid: Grid, labels: str, *, samples: int = 400, rollouts: int = 6, seed: int = 0
) -> Rows:
    """The training rows of a model, made once per process.

    Parameters
    ----------
    labels : str
        One of ``LABELS``; all but ``mc`` need the enumerated 3x3 game and no random numbers.
    samples, rollouts, seed : int
        For ``mc``: training states, playouts per move, and the seed of both.

    Raises
    ------
    ValueError
        If the labels are unknown, or not available for this board; if a number is below 1 (the
        seed: below 0).
    """
    if labels not in LABELS:
        raise ValueError(f"unknown labels {labels!r}: {', '.join(LABELS)}")
    if labels != "mc" and grid.cells > 9:
        raise ValueError(
            f"labels {labels!r} need a board of at most 9 cells: on {grid.name} use labels=mc"
        )
    for name, number, least in (
        ("samples", samples, 1),
        ("rollouts", rollouts, 1),
        ("seed", seed, 0),
    ):
        if number < least:
            raise ValueError(f"{name} must be at least {least}, not {number}")
    if labels == "mc":
        return sampled_rows(grid, samples, rollouts, rng=seed)
    return exact_rows(grid, labels)
