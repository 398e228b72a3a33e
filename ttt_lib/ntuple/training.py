"""Supervised training: gradient descent over all positions of a solved game, one at a time.

The update of document 3: the error times the slope of tanh times the learning
rate, added to each weight that the position picked.  Positions are visited one
after another, so the loop cannot be vectorised; it is one compiled kernel, and
``tests/test_ntuple.py`` says the same in numpy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ttt_lib.game.board import Floats, Grid, Ints
from ttt_lib.game.gametree import GameTree, solve
from ttt_lib.game.kept import read_only
from ttt_lib.ntuple.network import Network, Patterns, squash

RATE = 0.01
EPOCHS = 100


class Positions(NamedTuple):
    """What the network learns from.

    Attributes
    ----------
    features : ndarray of int64, shape (S, tuples + 1)
    targets : ndarray of float64, shape (S,)
        Minimax values from X's side.
    """

    features: Ints
    targets: Floats


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained network and how it came about.

    Attributes
    ----------
    network : Network
        The network after the last epoch.
    errors : ndarray of float64, shape (epochs,)
        Mean squared error over all positions after each epoch.
    history : ndarray of float64, shape (epochs, parameters + 1)
        The weights after each epoch.
    """

    network: Network
    errors: Floats
    history: Floats = field(repr=False)


@cache
@read_only
def positions(patterns: Patterns) -> Positions:
    """All reachable positions of a game of at most 9 cells, finished ones too, in order of ply.

    Raises
    ------
    ValueError
        If the game is larger.
    """
    tree = solve(patterns.grid)
    if tree.canonical:
        raise ValueError(f"{patterns.grid.name} has too many positions to learn from all of them")
    return Positions(patterns.features(tree.boards), tree.value.astype(np.float64))


def train(
    patterns: Patterns | None = None,
    *,
    rng: np.random.Generator | int = 0,
    epochs: int = EPOCHS,
    rate: float = RATE,
    order: str | Ints = "shuffled",
    dtype: type[np.float64] | type[np.float32] = np.float64,
) -> Trained:
    """Train from zero weights on every position of the game.

    Parameters
    ----------
    patterns : Patterns, optional
        The eight lines of the 3x3 board unless given.
    rng : Generator or int
        Generator for the shuffled order, or its seed.
    epochs : int
        How often every position is visited; at least 1.
    rate : float
        Learning rate, a finite number > 0.
    order : {"shuffled"} or ndarray of int64, shape (S,)
        A new random order every epoch, or the given order in all of them.
    dtype : numpy type
        ``float32`` computes as the document's program does.

    Raises
    ------
    ValueError
        If epochs < 1, the rate is not finite and > 0, the dtype is another, or the order is not a
        permutation of the positions.
    """
    patterns = patterns or Patterns(Grid(3))
    if epochs < 1:
        raise ValueError(f"training needs epochs >= 1, not {epochs}")
    if not (math.isfinite(rate) and rate > 0):
        raise ValueError(f"the learning rate must be a finite number > 0, not {rate}")
    real: Any = np.dtype(dtype).type
    if real not in (np.float64, np.float32):
        raise ValueError(f"weights are float64 or float32, not {real.__name__}")
    data = positions(patterns)
    orders = _orders(order, epochs, len(data.targets), np.random.default_rng(rng))
    weights = np.zeros(patterns.parameters + 1, dtype=real)
    history = np.zeros((epochs, len(weights)))
    targets = data.targets.astype(real, copy=False)
    for epoch in range(epochs):
        sgd_epoch(data.features, targets, orders[epoch], weights, real(rate))
        history[epoch] = weights
    errors = np.array([mean_squared_error(data, row) for row in history])
    return Trained(Network(patterns, history[-1]), errors, history)


def _orders(order: str | Ints, epochs: int, size: int, rng: np.random.Generator) -> Ints:
    """The order of positions in each epoch, shape (epochs, size)."""
    if isinstance(order, str):
        if order != "shuffled":
            raise ValueError(f"unknown order {order!r}: shuffled, or an array of positions")
        return np.stack([rng.permutation(size) for _ in range(epochs)])
    if not np.array_equal(np.sort(order), np.arange(size)):
        raise ValueError(f"an order must hold each of 0..{size - 1} once")
    return np.broadcast_to(np.asarray(order, dtype=np.int64), (epochs, size))


def mean_squared_error(data: Positions, weights: Floats) -> float:
    """Mean squared difference between values and targets over all positions."""
    return float(np.mean((data.targets - np.tanh(weights[data.features].sum(axis=1))) ** 2))


@njit(cache=True)
def sgd_epoch(features, targets, order, weights, rate):  # type: ignore[no-untyped-def]
    """Visit every position once and update the weights in place.

    Parameters
    ----------
    features : ndarray of int64, shape (S, F)
    targets : ndarray of float64 or float32, shape (S,)
    order : ndarray of int64, shape (S,)
    weights : ndarray of float64 or float32, shape (P + 1,)
        Changed in place.
    rate : float64 or float32
        Learning rate.
    """
    for position in order:
        total = weights[0] * 0
        for i in range(features.shape[1]):
            total += weights[features[position, i]]
        value = squash(total)
        step = rate * ((targets[position] - value) * (1 - value * value))
        for i in range(features.shape[1]):
            weights[features[position, i]] += step


def named_orders(tree: GameTree) -> dict[str, Ints]:
    """Orders in which a program without a shuffle might list the positions.

    ``by ply`` sorts by stones and then by board code; ``sorted`` sorts by the
    entries that a board picks, table after table; ``depth-first`` is the order
    in which a recursive solver first meets the boards, and ``solved first``
    the order in which it finishes them.
    """
    met, done = depth_first(tree)
    entries = Patterns(tree.grid).features(tree.boards)[:, :-1]
    return {
        "by ply": np.arange(len(tree), dtype=np.int64),
        "sorted": np.lexsort(entries.T[::-1]).astype(np.int64),
        "depth-first": met,
        "solved first": done,
    }


def depth_first(tree: GameTree) -> tuple[Ints, Ints]:
    """Rows of the tree in depth-first preorder and postorder, lowest moves first."""
    met: dict[int, None] = {}
    done: list[int] = []

    def visit(row: int) -> None:
        met[row] = None
        for child in tree.children[row]:
            if child >= 0 and int(child) not in met:
                visit(int(child))
        done.append(row)

    visit(0)
    return np.array(list(met), dtype=np.int64), np.array(done, dtype=np.int64)
