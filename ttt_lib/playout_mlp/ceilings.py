"""Bounds that no classifier of these boards can beat, computed from the whole game as fractions.

Under random play, the joint weight of "this board is in the data" and "the game ends this way" is
an integer over 9!: the number of move orders that reach the board, times the number of ways of
filling the rest that end this way.  Accuracies, errors and probabilities are sums of these
integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats, Ints
from ttt_lib.game.gametree import GameTree, paths_to, solve
from ttt_lib.game.kept import read_only
from ttt_lib.playout_mlp.data import GRID

OUTCOMES = np.array([1, 0, -1], dtype=np.int8)
"""The outcomes, from X's side, in the three columns of every table of chances."""


def tree() -> GameTree:
    """The enumerated game."""
    return solve(GRID)


@dataclass(frozen=True, eq=False)
class Population:
    """All rows that infinitely many playouts would produce, with their weights.

    Attributes
    ----------
    states : ndarray of intp, shape (R,)
        Rows of the game tree.
    joint : ndarray of int64, shape (R, 3)
        Weight of each board together with X win, draw, O win, in units of 1/9! per playout.
    """

    states: NDArray[np.intp]
    joint: Ints

    def where(self, keep: NDArray[np.bool_]) -> Population:
        """The part of the population where a mask of shape (R,) is true."""
        return Population(self.states[keep], self.joint[keep])

    @property
    def boards(self) -> NDArray[np.int8]:
        """Boards, shape (R, 9)."""
        return tree().boards[self.states]

    @property
    def empties(self) -> Ints:
        """Empty cells, shape (R,)."""
        return np.asarray(GRID.cells - tree().ply[self.states], dtype=np.int64)

    @property
    def finished(self) -> NDArray[np.bool_]:
        """Whether the game is over on each board, shape (R,)."""
        return tree().finished[self.states]

    @property
    def weights(self) -> Ints:
        """Expected visits per playout, in units of 1/9!, shape (R,)."""
        return np.asarray(self.joint.sum(axis=1))

    @property
    def rows_per_playout(self) -> Fraction:
        """Expected number of these rows per playout."""
        return Fraction(int(self.joint.sum()), math.factorial(GRID.cells))

    @property
    def chances(self) -> Floats:
        """Chances of X win, draw and O win on each board, shape (R, 3)."""
        return np.asarray(self.joint / self.weights[:, None])

    @property
    def expected(self) -> Floats:
        """Expected outcome on each board, shape (R,)."""
        return np.asarray((self.joint[:, 0] - self.joint[:, 2]) / self.weights)


@cache
@read_only
def population(record: str = "x") -> Population:
    """The boards after the moves of X, of O, or of both, with their exact weights.

    Raises
    ------
    ValueError
        If record is not ``x``, ``o`` or ``both``.
    """
    if record not in ("x", "o", "both"):
        raise ValueError(f"unknown record {record!r}: x, o or both")
    game = tree()
    keep = {"x": game.ply % 2 == 1, "o": (game.ply % 2 == 0) & (game.ply > 0), "both": game.ply > 0}
    states = np.flatnonzero(keep[record])
    return Population(states, (paths_to(game)[:, None] * game.random_play)[states])


def late(people: Population) -> Population:
    """The boards with at most two empty cells."""
    return people.where(people.empties <= 2)


def accuracy(people: Population, classes: NDArray[Any]) -> Fraction:
    """Expected accuracy of predicted outcomes (+1, 0, -1), one per board, over infinite playouts.

    Raises
    ------
    ValueError
        If there is not one prediction per board.
    """
    if len(classes) != len(people.states):
        raise ValueError(f"{len(classes)} predictions for {len(people.states)} boards")
    hits = people.joint[np.arange(len(classes)), 1 - np.asarray(classes, dtype=np.int64)]
    return Fraction(int(hits.sum()), int(people.joint.sum()))


def best_classes(people: Population) -> NDArray[np.int8]:
    """The likeliest outcome of each board: the Bayes-optimal prediction, shape (R,)."""
    return np.asarray(OUTCOMES[people.joint.argmax(axis=1)])


def ceiling(people: Population) -> Fraction:
    """Bayes-optimal accuracy: what the best function of the board reaches on fresh playouts."""
    return accuracy(people, best_classes(people))


def majority(people: Population) -> Fraction:
    """Accuracy of always predicting the most common outcome."""
    return Fraction(int(people.joint.sum(axis=0).max()), int(people.joint.sum()))


def by_empties(people: Population, measure: Callable[[Population], Any]) -> dict[int, Any]:
    """A measure of the population for each number of empty cells, most empty first."""
    counts = sorted(set(people.empties.tolist()), reverse=True)
    return {count: measure(people.where(people.empties == count)) for count in counts}


def error_shares(people: Population) -> dict[int, Fraction]:
    """Share of the irreducible errors that falls on each number of empty cells."""
    total = int((people.weights - people.joint.max(axis=1)).sum())

    def errors(part: Population) -> Fraction:
        return Fraction(int((part.weights - part.joint.max(axis=1)).sum()), total)

    return by_empties(people, errors)


def finished_share(people: Population) -> Fraction:
    """Share of the rows whose game is already over."""
    done = people.where(people.finished)
    return Fraction(int(done.joint.sum()), int(people.joint.sum()))


def brier_floor(people: Population) -> Fraction:
    """Smallest expected Brier score (sum over the three outcomes; Brier, 1950)."""
    squares: list[int] = [sum(int(n) ** 2 for n in row) for row in people.joint]
    weights = people.weights.tolist()
    kept = sum((Fraction(s, w) for s, w in zip(squares, weights, strict=True)), Fraction(0))
    return Fraction(1 - kept / sum(weights))


def log_loss_floor(people: Population) -> float:
    """Smallest expected log loss in nats: the mean entropy of the outcome given the board."""
    return log_loss(people, people.chances)


def log_loss(people: Population, chances: Floats) -> float:
    """Expected log loss (nats) of predicted chances, shape (R, 3)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(people.joint > 0, people.joint * np.log(chances), 0.0)
    return float(-terms.sum() / people.joint.sum())


def brier(people: Population, chances: Floats) -> float:
    """Expected Brier score of predicted chances, shape (R, 3)."""
    truth = people.chances
    floor = (truth * (1 - truth)).sum(axis=1)
    return _mean(people, floor + ((chances - truth) ** 2).sum(axis=1))


def class_shares(people: Population) -> Floats:
    """The shares of the three outcomes in the whole population, for each board, shape (R, 3)."""
    shares = people.joint.sum(axis=0) / people.joint.sum()
    return np.broadcast_to(shares, people.joint.shape)


def variance_floor(people: Population) -> Fraction:
    """Smallest mean squared error of a regression on the outcome."""
    joint = people.joint.tolist()
    explained = sum((Fraction((x - o) ** 2, x + d + o) for x, d, o in joint), Fraction(0))
    squares = sum(x + o for x, _, o in joint)
    return Fraction((squares - explained) / int(people.joint.sum()))


def rmse_floor(people: Population) -> float:
    """Irreducible root mean squared error of a regression on the outcome."""
    return math.sqrt(variance_floor(people))


def rmse(people: Population, values: Floats) -> float:
    """Visit-weighted RMSE of predicted values, shape (R,), against the exact expected outcome."""
    return math.sqrt(_mean(people, (values - people.expected) ** 2))


def correlation(people: Population, values: Floats) -> float:
    """Visit-weighted correlation of predicted values with the exact expected outcome."""
    cov = np.cov(values, people.expected, aweights=people.weights.astype(np.float64))
    return float(cov[0, 1] / math.sqrt(cov[0, 0] * cov[1, 1]))


def _mean(people: Population, values: Floats) -> float:
    return float(np.average(values, weights=people.weights))


def moves_of_x() -> dict[int, Fraction]:
    """Probability of each number of rows (moves of X) in a random game."""
    game, total = tree(), math.factorial(GRID.cells)
    weight = paths_to(game) * game.random_play.sum(axis=1) * game.finished
    rows = (game.ply + 1) // 2
    return {count: Fraction(int(weight[rows == count].sum()), total) for count in (3, 4, 5)}


def distribution_of_rows(playouts: int) -> tuple[Ints, Floats]:
    """The distribution of the number of rows that this many playouts produce.

    Returns
    -------
    counts, chances : ndarray, shape (2 playouts + 1,)
        Possible numbers of rows (3 to 5 per playout), and their chances.

    Raises
    ------
    ValueError
        If playouts < 1.
    """
    if playouts < 1:
        raise ValueError(f"a data set needs at least 1 playout, not {playouts}")
    one = np.array([float(chance) for chance in moves_of_x().values()])
    chances = np.polynomial.polynomial.polypow(one, playouts)
    return 3 * playouts + np.arange(len(chances)), chances
