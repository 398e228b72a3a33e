"""Reading a model: weights by frequency and by cell, and what a move's score is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.spectral.features import CHANNELS, dct_features
from ttt_lib.spectral.policy import Model


def frequency_index(grid: Grid) -> pd.DataFrame:
    """Channel, u and v of each feature: rows of the table, in the order of the features."""
    edge = range(grid.n)
    rows = [(channel, u, v) for channel in CHANNELS for u in edge for v in edge]
    return pd.DataFrame(rows, columns=["channel", "u", "v"])


def weight_table(model: Model) -> pd.DataFrame:
    """All weights, the largest first; columns channel, u, v, weight."""
    table = frequency_index(model.grid).assign(weight=model.weights)
    return by_size(table, "weight")


def by_size(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """The largest absolute values first; rows that differ only by rounding keep their order."""
    return table.sort_values(column, key=lambda values: -values.abs().round(9), kind="stable")


def without_rounding(values: Floats) -> Floats:
    """Values with those below 1e-12 set to zero."""
    return np.where(np.abs(values) < 1e-12, 0.0, values)


def score_grid(model: Model, board: NDArray[np.int8]) -> Floats:
    """Score of every legal move on the board, nan on occupied cells, shape (n, n).

    Raises
    ------
    ValueError
        If the game is over.
    """
    legal = np.flatnonzero(model.grid.legal(board[None])[0])
    if not len(legal):
        raise ValueError("a finished game has no move to score")
    scores = np.full(model.grid.cells, np.nan)
    scores[legal] = model(after_each(model.grid, board, legal))
    return scores.reshape(model.grid.n, model.grid.n)


def after_each(grid: Grid, board: NDArray[np.int8], moves: NDArray[np.intp]) -> Boards:
    """The boards after each of several moves, shape (moves, cells)."""
    return grid.play(np.repeat(board[None], len(moves), axis=0), moves)


def contributions(model: Model, board: NDArray[np.int8], move: int) -> pd.DataFrame:
    """What each coefficient adds to the score of a move, and to its lead over the average move.

    Returns
    -------
    DataFrame
        Columns channel, u, v, weight, feature (after the move), product (weight times
        feature) and lead (product minus its mean over all legal moves), the largest lead
        first.  The products sum to the score.  A coefficient with lead 0 is the same for
        every move: it can't be a reason to choose one.

    Raises
    ------
    ValueError
        If the move is not legal.
    """
    legal = np.flatnonzero(model.grid.legal(board[None])[0])
    if move not in legal:
        raise ValueError(f"move {move} is not legal: {', '.join(map(str, legal))}")
    after = after_each(model.grid, board, legal)
    features = dct_features(after, model.grid, symmetric=model.symmetric)
    products = features * model.weights
    own = int(np.flatnonzero(legal == move)[0])
    table = frequency_index(model.grid).assign(
        weight=model.weights,
        feature=without_rounding(features[own]),
        product=without_rounding(products[own]),
        lead=without_rounding(products[own] - products.mean(axis=0)),
    )
    return by_size(table, "lead")


@dataclass(frozen=True)
class Balance:
    """Which side of the board X's weights favour.

    Attributes
    ----------
    down, right : float
        The weights of the lowest wave down the rows (u = 1, v = 0) and along the columns
        (u = 0, v = 1).
    """

    down: float
    right: float


def balance(model: Model) -> Balance:
    """The weights that the document's guide reads as gradients."""
    x = model.weights[: model.grid.cells].reshape(model.grid.n, model.grid.n)
    return Balance(float(x[1, 0]), float(x[0, 1]))
