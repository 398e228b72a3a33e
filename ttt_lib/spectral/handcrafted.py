"""Features a person would choose: the lines each side can still complete, by their stones.

On their own, with hand-chosen weights, they make the agent ``analytical``; together with the
cosine features, with learned weights, the agent ``hybrid``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent, from_evaluator
from ttt_lib.spectral.features import check_learnable, check_square, raw_features
from ttt_lib.spectral.labels import training_rows
from ttt_lib.spectral.rational import on_grid
from ttt_lib.spectral.ridge import exact_ridge


def line_features(after: Boards, grid: Grid) -> Floats:
    """Count open lines from the side of the player who has just moved, shape (B, 2 n).

    Column ``k - 1`` counts the lines with k stones of the mover and none of the other;
    column ``n + k - 1`` those with k of the other and none of the mover.
    """
    stones = after[:, grid.lines].astype(np.int64)
    mover = -grid.to_move(after).astype(np.int64)[:, None]
    own = (stones == mover[:, :, None]).sum(axis=2)
    other = (stones == -mover[:, :, None]).sum(axis=2)
    counts = [
        ((mine == k) & (theirs == 0)).sum(axis=1)
        for mine, theirs in ((own, other), (other, own))
        for k in range(1, grid.n + 1)
    ]
    return np.stack(counts, axis=1).astype(np.float64)


def hand_weights(n: int) -> Floats:
    """Weights by rule of thumb: complete a line, leave no threat, threaten, keep lines open.

    One of each outweighs one of those after it, and a completed line all that can stand beside it.
    """
    own, other = np.ones(n), -np.ones(n)
    own[-1], own[-2], other[-2], other[-1] = 10_000.0, 10.0, -100.0, 0.0
    return np.concatenate([own, other])


def analytical(grid: Grid) -> Agent:
    """Play by hand-crafted line features and hand-crafted weights; nothing is learned.

    Raises
    ------
    ValueError
        If the board is not a square.
    """
    weights = hand_weights(check_square(grid).n)

    def evaluator(after: Boards) -> Floats:
        return line_features(after, grid) @ weights

    return from_evaluator("analytical", grid, evaluator, ends=False, ties="first")


@dataclass(frozen=True, eq=False)
class Hybrid:
    """A score linear in the cosine features and the open lines together.

    Attributes
    ----------
    grid : Grid
    weights : ndarray of float64, shape (2 n^2 + 2 n,)
        Of the cells (the cosine basis is an orthogonal map of them), then of the open lines.
    """

    grid: Grid
    weights: Floats

    def __call__(self, after: Boards) -> Floats:
        """Score boards after a move, shape (B,)."""
        return hybrid_features(after, self.grid) @ self.weights


def hybrid_features(after: Boards, grid: Grid) -> Floats:
    """Averaged cells (cosine features before their rotation), then open lines, (B, 2 n^2 + 2 n)."""
    return np.hstack([raw_features(after, grid, symmetric=True), line_features(after, grid)])


@cache
@read_only
def train_hybrid(grid: Grid, *, labels: str = "value", lam: float = 0.001, seed: int = 0) -> Hybrid:
    """Ridge regression on both kinds of features, once per process.

    Raises
    ------
    ValueError
        As :func:`training_rows`.
    """
    rows = training_rows(check_learnable(grid), labels, seed=seed)
    weights = exact_ridge(hybrid_features(rows.after, grid), rows.target, lam)
    return Hybrid(grid, on_grid(weights))


def hybrid(grid: Grid) -> Agent:
    """Cosine features and open lines, trained on expected results (playouts beyond 3x3).

    Raises
    ------
    ValueError
        If the board is not a square of at most 8x8.
    """
    model = train_hybrid(grid, labels="value" if check_learnable(grid).cells <= 9 else "mc")
    return from_evaluator("hybrid", grid, model, ends=False, ties="first")
