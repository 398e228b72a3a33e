"""What rounding does where scores are equal: one fault, reproduced identically on every processor.

A program may average the cosine features image by image, add the products of features and weights
in whatever order its library uses, and take the largest float.  Cells equal by symmetry then
differ in their last bits, and the summation order chooses among them.  Which order a library uses
depends on the processor; here it is drawn at random, products are added one by one, and each step
after the cosines follows IEEE 754.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn

from ttt_lib.game.board import Boards, Floats, Grid
from ttt_lib.game.gametree import solve
from ttt_lib.game.kept import read_only
from ttt_lib.game.policy import Agent
from ttt_lib.spectral.features import basis, raw_features
from ttt_lib.spectral.labels import Rows, good_moves, training_rows
from ttt_lib.spectral.policy import Accuracy, Model, accuracy, fit_without, trained


@cache
@read_only
def averaged_afterwards() -> tuple[Rows, Floats]:
    """The rows of 3x3, and their features averaged after the transform, shape (R, 18)."""
    rows = training_rows(Grid(3), "optimal")
    shape = (len(rows.after), 2, 3, 3)
    images = [raw_features(rows.after[:, image], rows.grid) for image in rows.grid.symmetries]
    total = np.zeros(shape)
    for image in images:
        total += dctn(image.reshape(shape), axes=(2, 3), norm="ortho")
    return rows, (total / len(images)).reshape(len(rows.after), -1)


def rounded_accuracy(*, rng: np.random.Generator | int, folds: int = 0) -> Accuracy:
    """Shares of states whose largest float score is a move that counts, for one order of the sum.

    Parameters
    ----------
    rng : Generator or int
        Draws the order in which the 18 products are added, and the folds.
    folds : int
        Number of models, each state being scored by one that was not trained on it; 0: one model
        trained on all states.
    """
    rng = np.random.default_rng(rng)
    rows, features = averaged_afterwards()
    order = rng.permutation(features.shape[1])
    moves = np.zeros(rows.states.shape, dtype=np.bool_)
    for weights, test in _models(rows, folds, rng):
        scores = np.zeros(len(features))
        for k in order:
            scores += features[:, k] * weights[k]
        moves[test, rows.table(scores).argmax(axis=1)[test]] = True
    tree = solve(rows.grid)
    return accuracy(moves, good_moves(tree)[~tree.finished])


def _models(
    rows: Rows, folds: int, rng: np.random.Generator
) -> Iterator[tuple[Floats, NDArray[np.intp]]]:
    """Weights, and the states that they are judged on."""
    every = rng.permutation(len(rows.states))
    if not folds:
        yield trained(rows.grid, symmetric=True).weights, every
    for test in np.array_split(every, folds) if folds else ():
        [model] = fit_without(rows, test, (0.001,), symmetric=True)
        yield model.weights, test


def by_rounding(model: Model, *, rng: np.random.Generator | int) -> Agent:
    """The agent that takes the largest float score, whose products are added in an order.

    Its features are the document's ``C A C^T``, product by product, averaged afterwards.

    Parameters
    ----------
    model : Model
        With symmetric features.
    rng : Generator or int
        Draws the order.
    """
    order = np.random.default_rng(rng).permutation(len(model.weights))

    def policy(boards: Boards, _: np.random.Generator) -> Floats:
        chosen = np.zeros(boards.shape)
        for row, board in enumerate(boards):
            legal, features = _after_each(model.grid, board.tobytes())
            scores = np.zeros(len(features))
            for k in order:
                scores += features[:, k] * model.weights[k]
            chosen[row, legal[scores.argmax()]] = 1
        return chosen

    return Agent("rounding", model.grid, policy)


@cache
@read_only
def _after_each(grid: Grid, board: bytes) -> tuple[NDArray[np.intp], Floats]:
    """The legal moves on a board, and the averaged features after each, shape (moves, 2 cells)."""
    cells = np.frombuffer(board, dtype=np.int8)
    legal = np.flatnonzero(cells == 0)
    after = grid.play(np.repeat(cells[None], len(legal), axis=0), legal)
    total = np.zeros((len(legal), 2, grid.n, grid.n))
    for image in grid.symmetries:
        total += _product_by_product(raw_features(after[:, image], grid).reshape(total.shape))
    return legal, (total / len(grid.symmetries)).reshape(len(legal), -1)


def _product_by_product(stones: Floats) -> Floats:
    """``C A C^T`` of grids of shape (..., n, n), the products added in the order of the indices."""
    waves = basis(stones.shape[-1])
    half, whole = np.zeros_like(stones), np.zeros_like(stones)
    for k, column in enumerate(waves.T):
        half += column[:, None] * stones[..., k, None, :]
    for k, column in enumerate(waves.T):
        whole += half[..., k, None] * column
    return whole
