"""Learning without labels: TD(0) on afterstates, in games against itself.

The value of the board after each greedy move is pulled towards the value of the
board after the next move, at the end towards the result (Sutton and Barto,
2018; with N-tuples Lucas, 2008, and Szubert and Jaskowski, 2014).  X moves to
the largest value, O to the smallest; with a small chance either plays at
random, and then nothing is learnt from that move.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ttt_lib.mcts import lines_of
from ttt_lib.ntuple.network import Network, Patterns

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


CHUNK = 1000
"""Games at one learning rate."""


@dataclass(frozen=True)
class Schedule:
    """How self-play learns.

    Attributes
    ----------
    rate : float
        Learning rate of the first game, for each weight.
    half : float
        Games after which the rate has halved; it falls as half / (half + games).
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
        """Learning rate after so many games."""
        return self.rate if math.isinf(self.half) else self.rate * self.half / (self.half + games)


@dataclass(frozen=True, eq=False)
class Tables:
    """Patterns as the kernel reads them.

    Attributes
    ----------
    through, powers : ndarray of int64, shape (cells, most)
        The tuples that hold a cell, and what a stone there adds to their code;
        padded with tuple 0 and power 0.
    """

    patterns: Patterns

    @cached_property
    def through(self) -> tuple[Ints, Ints]:
        """See the class."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.patterns.grid.cells)]
        for t, cells in enumerate(self.patterns.tuples):
            for place, cell in enumerate(reversed(cells)):
                found[cell].append((t, 3**place))
        most = max(map(len, found))
        padded = np.array([row + [(0, 0)] * (most - len(row)) for row in found], dtype=np.int64)
        return padded[:, :, 0].copy(), padded[:, :, 1].copy()

    @cached_property
    def halves(self) -> Ints:
        """Where a tuple's entries begin, by side to move, shape (2, T)."""
        lengths = np.array([len(cells) for cells in self.patterns.tuples])
        second = (3**lengths) * (self.patterns.sides - 1)
        return np.stack([self.patterns.starts, self.patterns.starts + second])


class SelfPlay:
    """A network that learns by playing against itself; it starts from zero weights.

    Attributes
    ----------
    games : int
        Games played so far.
    weights, average : ndarray of float64, shape (parameters + 1,)
        The weights as they are, and their mean over all games so far, in which
        a game counts the more the later it was.
    """

    def __init__(
        self,
        patterns: Patterns,
        schedule: Schedule | None = None,
        *,
        rng: np.random.Generator | int = 0,
    ) -> None:
        self.patterns, self.schedule = patterns, schedule or Schedule()
        self.tables, self.lines = Tables(patterns), lines_of(patterns.grid)
        self.rng, self.games = np.random.default_rng(rng), 0
        self.weights = np.zeros(patterns.parameters + 1)
        self.average = self.weights.copy()

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
        """Play games at one rate, then take the weights into the average."""
        rate, epsilon = self.schedule.at(self.games), self.schedule.epsilon
        _self_play(
            games, rate, epsilon, self.weights, self.patterns.shared, self.tables.halves,
            *self.tables.through, *self.lines, self.rng, counts,
        )  # fmt: skip
        self.games += games
        self.average += (self.weights - self.average) * 2 * games / (self.games + games)


@njit(cache=True, inline="always")
def _total(side, codes, weights, shared, halves):  # type: ignore[no-untyped-def]
    """Sum of the weights that the codes pick with ``side`` (0: X) to move, the bias last."""
    total = 0.0
    for t in range(len(codes)):
        total += weights[shared[halves[side, t] + codes[t]]]
    return total + weights[-1]


@njit(cache=True, inline="always")
def _stone(cell, digit, codes, through, powers):  # type: ignore[no-untyped-def]
    """Put a stone (1: X, 2: O) on a cell, or take it away with a negative digit."""
    for i in range(through.shape[1]):
        codes[through[cell, i]] += digit * powers[cell, i]


@njit(cache=True, inline="always")
def _completes(cell, side, stones, of_cell, length):  # type: ignore[no-untyped-def]
    """Whether a stone of this side would complete a line."""
    for i in range(of_cell.shape[1]):
        if stones[side, of_cell[cell, i]] == length - 1:
            return True
    return False


@njit(cache=True)
def _greedy(side, free, empties, codes, stones, weights, shared, halves, through, powers, of_cell, length, rng):  # type: ignore[no-untyped-def]
    """Place in ``empties`` of a best move; ties are broken uniformly."""
    chosen, best, ties = 0, -np.inf, 0
    for place in range(free):
        cell = empties[place]
        if _completes(cell, side, stones, of_cell, length):
            return place
        _stone(cell, 1 + side, codes, through, powers)
        score = 0.0 if free == 1 else (1 - 2 * side) * _total(1 - side, codes, weights, shared, halves)
        _stone(cell, -1 - side, codes, through, powers)
        if score > best:
            chosen, best, ties = place, score, 1
        elif score == best:
            ties += 1
            if rng.random() * ties < 1:
                chosen = place
    return chosen


@njit(cache=True, inline="always")
def _learn(side, codes, target, rate, weights, shared, halves):  # type: ignore[no-untyped-def]
    """Move the value of one afterstate towards a target."""
    value = np.tanh(_total(side, codes, weights, shared, halves))
    step = rate * (target - value) * (1 - value * value)
    for t in range(len(codes)):
        weights[shared[halves[side, t] + codes[t]]] += step
    weights[-1] += step


@njit(cache=True)
def _self_play(  # type: ignore[no-untyped-def]
    games, rate, epsilon, weights, shared, halves, through, powers, of_cell, length, lines, rng, counts
):
    cells, tuples = len(through), halves.shape[1]
    codes, before = np.zeros(tuples, np.int64), np.zeros(tuples, np.int64)
    empties, stones = np.zeros(cells, np.int64), np.zeros((2, lines + 1), np.int64)
    for _ in range(games):
        codes[:] = 0
        stones[:] = 0
        stones[:, lines] = -(1 << 40)  # the padding line never fills
        for cell in range(cells):
            empties[cell] = cell
        side, free, result, over = 0, cells, 0, False
        while not over:
            explore = rng.random() < epsilon
            if explore:
                place = int(rng.random() * free)
            else:
                place = _greedy(
                    side, free, empties, codes, stones, weights, shared, halves, through, powers, of_cell, length, rng
                )
            cell = empties[place]
            won = _completes(cell, side, stones, of_cell, length)
            before[:] = codes
            _stone(cell, 1 + side, codes, through, powers)
            for i in range(of_cell.shape[1]):
                stones[side, of_cell[cell, i]] += 1
            free -= 1
            empties[place] = empties[free]
            result = (1 - 2 * side) if won else 0
            over = won or free == 0
            # The board before this move was the opponent's afterstate; the empty board is nobody's.
            if not explore and free < cells - 1:
                target = float(result) if over else np.tanh(_total(1 - side, codes, weights, shared, halves))
                _learn(side, before, target, rate, weights, shared, halves)
            side = 1 - side
        counts[1 - result] += 1
