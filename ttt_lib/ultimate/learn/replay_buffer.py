"""The replay buffer: the newest positions, drawn by the weight of their phase."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.ultimate.board import kernels, symmetry
from ttt_lib.ultimate.board.game import playable
from ttt_lib.ultimate.board.kernels import States
from ttt_lib.ultimate.board.rules import MOVES
from ttt_lib.ultimate.config import PUBLISHED_WEIGHTS


class Samples(NamedTuple):
    """Positions to learn from.

    Attributes
    ----------
    states : ndarray of uint16, shape (B, 24)
    visits : ndarray of uint16, shape (B, 81)
        Policy targets up to a factor, by move.
    values : ndarray of float32, shape (B,)
        Value targets for the side to move.
    """

    states: States
    visits: NDArray[np.uint16]
    values: NDArray[np.float32]

    def take(self, rows: Any) -> Samples:
        """Some of the samples, by a slice or an array of rows; copies."""
        return Samples(self.states[rows].copy(), self.visits[rows].copy(), self.values[rows].copy())


def no_samples(size: int = 0) -> Samples:
    """Samples of zeros."""
    return Samples(
        np.zeros((size, kernels.WIDTH), dtype=np.uint16),
        np.zeros((size, MOVES), dtype=np.uint16),
        np.zeros(size, dtype=np.float32),
    )


def joined(parts: list[Samples]) -> Samples:
    """Samples one after the other."""
    parts = [no_samples(), *parts]
    return Samples(
        np.concatenate([part.states for part in parts]),
        np.concatenate([part.visits for part in parts]),
        np.concatenate([part.values for part in parts]),
    )


def transformed(samples: Samples, which: NDArray[np.intp]) -> Samples:
    """Turn or reflect each sample by its own symmetry, shape (B,); the game looks the same."""
    states, visits = samples.states.copy(), samples.visits.copy()
    for number in range(8):
        rows = np.flatnonzero(which == number)
        states[rows] = symmetry.transform(samples.states[rows], number)
        visits[rows[:, None], symmetry.MOVE_IMAGES[number]] = samples.visits[rows]
    return Samples(states, visits, samples.values)


def phase_weights(
    states: States, table: tuple[tuple[int, float], ...] = PUBLISHED_WEIGHTS
) -> NDArray[np.float64]:
    """The weight of each state's phase, shape (B,), by its playable empty cells.

    Empty cells of decided sub-boards are left out: nobody plays there any more, and
    counting them would give the wrong phase.
    """
    return weights_of(playable(states), table)


def weights_of(
    cells: NDArray[np.int64], table: tuple[tuple[int, float], ...] = PUBLISHED_WEIGHTS
) -> NDArray[np.float64]:
    """The weight that belongs to each number of empty cells."""
    starts = np.array([start for start, _ in reversed(table)])
    weights = np.array([weight for _, weight in reversed(table)])
    return np.asarray(weights[np.searchsorted(starts, cells, side="right") - 1])


class Replay:
    """The replay buffer: a sliding window of samples.

    Parameters
    ----------
    capacity : int
        Samples kept; beyond that the oldest are overwritten.
    weights : tuple of (int, float)
        Weight of each phase, see :func:`phase_weights`.

    Raises
    ------
    ValueError
        If the capacity is < 1.
    """

    def __init__(
        self, capacity: int, weights: tuple[tuple[int, float], ...] = PUBLISHED_WEIGHTS
    ) -> None:
        if capacity < 1:
            raise ValueError(f"a replay window needs room for a sample, not {capacity}")
        self.capacity, self.phases = capacity, weights
        self.samples, self.weights = no_samples(capacity), np.zeros(capacity)
        self.size = self.begin = 0

    def add(self, new: Samples) -> None:
        """Add samples; beyond the capacity the oldest are overwritten."""
        new = new.take(slice(-self.capacity, None))
        count = len(new.states)
        places = (self.begin + np.arange(count)) % self.capacity
        kept = self.samples
        kept.states[places], kept.visits[places] = new.states, new.visits
        kept.values[places] = new.values
        self.weights[places] = phase_weights(new.states, self.phases)
        self.begin = (self.begin + count) % self.capacity
        self.size = min(self.size + count, self.capacity)

    def draw(self, count: int, rng: np.random.Generator) -> NDArray[np.intp]:
        """Draw places with probabilities proportional to their weights, with replacement.

        Rejection sampling: propose uniformly, accept with probability weight / largest
        weight.  The mean number of proposals per sample is at most the ratio of the
        extreme weights, whatever the size of the window, and no running sums are kept.

        Raises
        ------
        ValueError
            If the window is empty.
        """
        if not self.size:
            raise ValueError("an empty replay window has no samples to draw")
        most = max(weight for _, weight in self.phases)
        found = np.zeros(0, dtype=np.intp)
        while len(found) < count:
            proposed = rng.integers(self.size, size=2 * count)
            accepted = proposed[rng.random(2 * count) * most < self.weights[proposed]]
            found = np.concatenate([found, accepted])
        return found[:count]

    def batch(self, count: int, rng: np.random.Generator, *, augment: bool) -> Samples:
        """Draw samples, each in a random one of its eight symmetries if ``augment`` is set."""
        rows = self.draw(count, rng)
        samples = self.samples.take(rows)
        return transformed(samples, rng.integers(8, size=count)) if augment else samples

    def state(self) -> dict[str, NDArray[Any]]:
        """What must be stored to resume later: the samples, oldest first."""
        order = (self.begin - self.size + np.arange(self.size)) % self.capacity
        return self.samples.take(order)._asdict()

    def restore(self, state: dict[str, NDArray[Any]], begin: int) -> None:
        """Return to a stored state, or to what of it there is room for.

        In a full window of the same capacity the next sample takes the place ``begin``; a window
        that is not full has its samples at its first places.
        """
        count = len(state["states"])
        first = begin - count if count >= self.capacity else 0
        self.size, self.begin = 0, first % self.capacity
        self.add(Samples(**state))
