"""The degree-four policy that accompanies document 2 in its repository, rebuilt from the README.

There, all products of up to four of the eighteen cosine coefficients are features, every best move
is labelled 1, best moves that block count twice, and ridge regression does the rest.  Labels and
rows are the same for all eight symmetric images of a board, so the fit is too, and it lies in the
products that symmetries leave unchanged: reflections negate odd waves, the diagonal one
swaps u and v.  The 7314 products leave 1130 such sums, with the same predictions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, from_evaluator, winning_cells
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.labels import good_moves
from ttt_lib.spectral.ridge import ridge

Term = tuple[int, ...]

GRID = Grid(3)
DEGREE = 4
PENALTY = 1e-4


@dataclass(frozen=True, eq=False)
class Lessons:
    """Every move of every running state.

    Attributes
    ----------
    after : ndarray of int8, shape (moves, 9)
        Boards after the move.
    best : ndarray of bool, shape (moves,)
        Whether the move is among those that win most often under random play.
    times : ndarray of int64, shape (moves,)
        How often it counts: twice if it is best and blocks a line.
    """

    after: Boards
    best: NDArray[np.bool_]
    times: NDArray[np.int64]


@cache
@read_only
def lessons() -> Lessons:
    """The training data of the README."""
    tree = solve(GRID)
    states, moves = np.nonzero(tree.legal & ~tree.finished[:, None])
    best = good_moves(tree)[states, moves]
    blocks = winning_cells(GRID, tree.boards, -GRID.to_move(tree.boards))[states, moves]
    return Lessons(tree.boards[tree.children[states, moves]], best, 1 + (best & blocks))


def terms(degree: int = DEGREE) -> list[Term]:
    """All products of one to ``degree`` coefficients, as ascending tuples of their indices."""
    return [
        term
        for length in range(1, degree + 1)
        for term in combinations_with_replacement(range(2 * GRID.cells), length)
    ]


def swapped(term: Term) -> Term:
    """The image of a product when the board is reflected in its diagonal."""
    return tuple(sorted(i // 9 * 9 + i % 3 * 3 + i % 9 // 3 for i in term))


@cache
def kept_terms(degree: int = DEGREE) -> tuple[Term, ...]:
    """One product of each pair of mirror images, among those that no reflection negates."""

    def even(term: Term) -> bool:
        return not sum(i % 9 // 3 for i in term) % 2 and not sum(i % 3 for i in term) % 2

    return tuple(term for term in terms(degree) if even(term) and term <= swapped(term))


def expanded(boards: Boards, degree: int = DEGREE) -> Floats:
    """The sums of products of boards (B, 9), each scaled to the norm of one product: (B, sums)."""
    waves = dct_features(boards, GRID)

    def column(term: Term) -> Floats:
        other = swapped(term)
        product = waves[:, term].prod(axis=1)
        if other == term:
            return np.asarray(product)
        return np.asarray((product + waves[:, other].prod(axis=1)) / np.sqrt(2))

    return np.stack([column(term) for term in kept_terms(degree)], axis=1)


@cache
@read_only
def weights(degree: int = DEGREE) -> Floats:
    """The fitted weights of the sums, shape (sums,)."""
    data = lessons()
    root = np.sqrt(data.times)
    return ridge(
        expanded(data.after, degree) * root[:, None], data.best.astype(np.float64) * root, PENALTY
    )


def weight_of(place: int) -> float:
    """The weight of one coefficient alone, as the README prints it."""
    term = min((place,), swapped((place,)))
    if term not in kept_terms():
        return 0.0
    share = 1.0 if swapped(term) == term else 1 / np.sqrt(2)
    return float(weights()[kept_terms().index(term)] * share)


def quartic() -> Agent:
    """The player: best score, lowest index among equals, without the safety rule."""
    tree = solve(GRID)
    scores = expanded(tree.boards) @ weights()

    def after(boards: Boards) -> Floats:
        return np.asarray(scores[tree.index(boards)])

    return from_evaluator("degree 4", GRID, after, ends=False, ties="first")
