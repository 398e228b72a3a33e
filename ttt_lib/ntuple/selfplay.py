"""Learning without labels: TD(0) on afterstates, in games against itself.

X moves to the largest value, O to the smallest; with a small probability either
plays at random.  At a greedy move the value of the board as the other side left
it is pulled towards the value of the board after the move, or towards the
result if the move ends the game (Sutton and Barto, 2018; with N-tuples Lucas,
2008, and Szubert and Jaskowski, 2014).  A random move changes no value, and
neither does the first move of a game: nobody has left the empty board.

Arguments of the kernels
------------------------
Whole numbers are returned as int64, truth values as bool, unless a docstring says otherwise.

net : Reader
    Its weights are changed in place by learning.
lines : Lines
    See :class:`ttt_lib.game.search.Lines`.
rng : Generator
    Numpy's.
codes, before : ndarray of int64, shape (T,)
    Code of every tuple on the board, changed in place; on the board one move ago.
stones : ndarray of int64, shape (2, lines.total + 1)
    Stones of each side on every line, and on a dummy that never fills; changed in place.
empties : ndarray of int64, shape (cells,)
    The empty cells, in any order, in the first ``free`` entries; changed in place.
free : int64
    Number of empty cells.
cell, side : int64
    A cell; a side, 0 for X, 1 for O.
rate, epsilon, target : float64
    Learning rate; probability of a random move; value to learn, in [-1, 1].
games : int64
    Games to play.
counts : ndarray of int64, shape (3,)
    X wins, draws, O wins; added to in place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numba import njit

from ttt_lib.game.board import Floats, Ints
from ttt_lib.game.search import lines_of
from ttt_lib.ntuple.network import Network, Patterns, squash

CHUNK = 1000
"""Games at one learning rate."""


@dataclass(frozen=True)
class Schedule:
    """How self-play learns.

    Attributes
    ----------
    rate : float
        Learning rate per weight in the first game.
    half : float
        Games after which the rate has halved; it decays as half / (half + games).
        Infinity keeps it constant.
    epsilon : float
        Chance of a random move.

    Raises
    ------
    ValueError
        If the rate or half is not > 0, or epsilon lies outside 0..1.
    """

    rate: float = 0.02
    half: float = math.inf
    epsilon: float = 0.1

    def __post_init__(self) -> None:
        if not (math.isfinite(self.rate) and self.rate > 0 and self.half > 0):
            raise ValueError(f"rate and half must be > 0, not {self.rate} and {self.half}")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must lie in 0..1, not {self.epsilon}")

    def at(self, games: int) -> float:
        """Learning rate after this many games."""
        return self.rate if math.isinf(self.half) else self.rate * self.half / (self.half + games)


class Reader(NamedTuple):
    """Patterns and weights in the form the kernels read.

    Attributes
    ----------
    weights : ndarray of float64, shape (parameters + 1,)
        The bias last.
    shared : ndarray of int64, shape (entries,)
        The weight behind every entry.
    halves : ndarray of int64, shape (2, T)
        Where a tuple's entries begin, by side to move.
    through, powers : ndarray of int64, shape (cells, most)
        The tuples that contain a cell, and what a stone there adds to their codes;
        padded with tuple 0 and power 0.
    """

    weights: Floats
    shared: Ints
    halves: Ints
    through: Ints
    powers: Ints


def reader(patterns: Patterns, weights: Floats) -> Reader:
    """Arrange patterns for the kernels."""
    found: list[list[tuple[int, int]]] = [[] for _ in range(patterns.grid.cells)]
    for t, cells in enumerate(patterns.tuples):
        for place, cell in enumerate(reversed(cells)):
            found[cell].append((t, 3**place))
    most = max(map(len, found))
    padded = np.array([row + [(0, 0)] * (most - len(row)) for row in found], dtype=np.int64)
    lengths = np.array([len(cells) for cells in patterns.tuples], dtype=np.int64)
    halves = np.stack([patterns.starts, patterns.starts + 3**lengths * (patterns.sides - 1)])
    through, powers = (np.ascontiguousarray(padded[:, :, i]) for i in range(2))
    return Reader(weights, patterns.shared, halves, through, powers)


class SelfPlay:
    """A network that learns by playing against itself; it starts from zero weights.

    Attributes
    ----------
    games : int
        Games played so far.
    weights, average : ndarray of float64, shape (parameters + 1,)
        The current weights, and their mean over all games so far, weighted towards
        later games.
    """

    def __init__(
        self,
        patterns: Patterns,
        schedule: Schedule | None = None,
        *,
        rng: np.random.Generator | int = 0,
    ) -> None:
        self.patterns, self.schedule = patterns, schedule or Schedule()
        self.rng, self.games = np.random.default_rng(rng), 0
        self.weights = np.zeros(patterns.parameters + 1)
        self.average = self.weights.copy()
        self._reader, self._lines = reader(patterns, self.weights), lines_of(patterns.grid)

    @property
    def network(self) -> Network:
        """The network as it is now (a copy)."""
        return Network(self.patterns, self.weights.copy())

    @property
    def averaged(self) -> Network:
        """The network with the averaged weights (a copy)."""
        return Network(self.patterns, self.average.copy())

    def play(self, games: int) -> Ints:
        """Play and learn; returns X wins, draws and O wins, shape (3,).

        Raises
        ------
        ValueError
            If games < 0.
        """
        if games < 0:
            raise ValueError(f"the number of games can't be negative: {games}")
        counts = np.zeros(3, dtype=np.int64)
        while games > 0:
            chunk = min(games, CHUNK)
            self._play(chunk, counts)
            games -= chunk
        return counts

    def _play(self, games: int, counts: Ints) -> None:
        """Play games at one rate, then fold the weights into the average."""
        rate, epsilon = self.schedule.at(self.games), self.schedule.epsilon
        _self_play(games, rate, epsilon, self._reader, self._lines, self.rng, counts)
        self.games += games
        self.average += (self.weights - self.average) * 2 * games / (self.games + games)


@njit(cache=True, inline="always")
def _total(side, codes, net):  # type: ignore[no-untyped-def]
    """Sum of the weights, float64, that the codes pick with ``side`` to move, the bias last."""
    total = 0.0
    for t in range(len(codes)):
        total += net.weights[net.shared[net.halves[side, t] + codes[t]]]
    return total + net.weights[-1]


@njit(cache=True, inline="always")
def _stone(cell, digit, codes, net):  # type: ignore[no-untyped-def]
    """Put a stone on a cell, or take it away with a negative digit.

    Parameters
    ----------
    digit : int64
        1 for X, 2 for O.
    """
    for i in range(net.through.shape[1]):
        codes[net.through[cell, i]] += digit * net.powers[cell, i]


@njit(cache=True, inline="always")
def _completes(cell, side, stones, lines):  # type: ignore[no-untyped-def]
    """Whether a stone of this side would complete a line."""
    found = False
    for i in range(lines.of_cell.shape[1]):
        found |= stones[side, lines.of_cell[cell, i]] == lines.length - 1
    return found


@njit(cache=True)
def _greedy(side, free, empties, codes, stones, net, lines, rng):  # type: ignore[no-untyped-def]
    """Index into ``empties`` of a best move; ties are broken uniformly.  ``codes`` are restored."""
    chosen, best, ties, sign = 0, -np.inf, 0, 1 - 2 * side
    for place in range(free):
        cell = empties[place]
        if _completes(cell, side, stones, lines):
            return place
        _stone(cell, 1 + side, codes, net)
        score = 0.0 if free == 1 else sign * _total(1 - side, codes, net)
        _stone(cell, -1 - side, codes, net)
        ties = ties + 1 if score == best else 1 if score > best else ties
        if score > best or (score == best and rng.random() * ties < 1):
            chosen, best = place, score
    return chosen


@njit(cache=True, inline="always")
def _learn(side, codes, target, rate, net):  # type: ignore[no-untyped-def]
    """Move the value of one afterstate towards a target; ``side`` is to move there."""
    value = squash(_total(side, codes, net))
    step = rate * (target - value) * (1 - value * value)
    for t in range(len(codes)):
        net.weights[net.shared[net.halves[side, t] + codes[t]]] += step
    net.weights[-1] += step


@njit(cache=True)
def _one_game(rate, epsilon, codes, before, empties, stones, net, lines, rng):  # type: ignore[no-untyped-def]
    """Play one game from the empty board and learn from it; returns +1 (X), -1 (O) or 0."""
    side, free = np.int64(0), len(empties)
    while free > 0:
        explore = rng.random() < epsilon
        if explore:
            place = int(rng.random() * free)
        else:
            place = _greedy(side, free, empties, codes, stones, net, lines, rng)
        cell = empties[place]
        won = _completes(cell, side, stones, lines)
        for t in range(len(codes)):
            before[t] = codes[t]
        _stone(cell, 1 + side, codes, net)
        for i in range(lines.of_cell.shape[1]):
            stones[side, lines.of_cell[cell, i]] += 1
        free -= 1
        empties[place] = empties[free]
        # The board before this move was the opponent's afterstate; the empty board is nobody's.
        if not explore and free < len(empties) - 1:
            target = squash(_total(1 - side, codes, net))
            if won or free == 0:
                target = 1.0 - 2.0 * side if won else 0.0
            _learn(side, before, target, rate, net)
        if won:
            return 1 - 2 * side
        side = 1 - side
    return 0


@njit(cache=True)
def _self_play(games, rate, epsilon, net, lines, rng, counts):  # type: ignore[no-untyped-def]
    """Play and learn from games at one rate, all from the empty board."""
    cells, tuples = len(net.through), net.halves.shape[1]
    count = lines[2]  # ``Lines.total``
    codes, before = np.zeros(tuples, np.int64), np.zeros(tuples, np.int64)
    empties, stones = np.zeros(cells, np.int64), np.zeros((2, count + 1), np.int64)
    for _ in range(games):
        codes[:] = 0
        stones[:] = 0
        for cell in range(cells):
            empties[cell] = cell
        stones[:, count] = -(1 << 40)  # the padding line never fills
        result = _one_game(rate, epsilon, codes, before, empties, stones, net, lines, rng)
        counts[1 - result] += 1
