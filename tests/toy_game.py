"""A game that is neither an n^d board nor Ultimate: take one, two or three; the last one wins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ttt_lib.game.policy import Agent, from_weights


@dataclass(frozen=True)
class Nim:
    """A heap of ``size`` stones; a state is (stones left, side to move), shape (B, 2)."""

    size: int
    moves = 3

    @property
    def name(self) -> str:
        return f"nim:{self.size}"

    def initial(self, batch: int = 1) -> np.ndarray:
        return np.tile([self.size, 1], (batch, 1))

    def to_move(self, states: np.ndarray) -> np.ndarray:
        return states[:, 1].astype(np.int8)

    def finished(self, states: np.ndarray) -> np.ndarray:
        return states[:, 0] == 0

    def winner(self, states: np.ndarray) -> np.ndarray:
        return np.where(self.finished(states), -states[:, 1], 0).astype(np.int8)

    def legal(self, states: np.ndarray) -> np.ndarray:
        return states[:, :1] >= [1, 2, 3]

    def play(self, states: np.ndarray, moves: np.ndarray) -> np.ndarray:
        if ((moves < 0) | (moves >= np.minimum(states[:, 0], self.moves))).any():
            raise ValueError("a move takes one, two or three of the stones that are left")
        return np.stack([states[:, 0] - moves - 1, -states[:, 1]], axis=1)


def parse(name: str) -> Nim:
    """Read ``nim:21``."""
    return Nim(int(name.partition(":")[2] or 21))


def perfect(game: Nim) -> Agent:
    """Leave a multiple of four, if that can be had."""

    def weights(states: np.ndarray) -> np.ndarray:
        legal = game.legal(states)
        good = legal & ((states[:, :1] - [1, 2, 3]) % 4 == 0)
        return np.where(good.any(axis=1, keepdims=True), good, legal).astype(np.int64)

    return from_weights("perfect", game, weights)
