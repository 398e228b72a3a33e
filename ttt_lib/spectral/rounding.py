"""What rounding does where scores are equal: an exhibit of one fault, the same on every processor.

A program may average the cosine features image by image, add the products of features and weights
as its library likes, and take the largest float.  Cells that symmetry makes alike then differ in
their last bits, and the order of the sum chooses among them.  Which order a library takes is up to
the processor; here it is drawn, one product is added after the other, and each step is IEEE 754.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dctn

from ttt_lib.game.board import Grid
from ttt_lib.game.gametree import solve
from ttt_lib.spectral.features import raw_features
from ttt_lib.spectral.labels import Rows, exact_rows, first, good_moves
from ttt_lib.spectral.policy import trained

Floats = NDArray[np.float64]


@cache
def averaged_afterwards() -> tuple[Rows, Floats]:
    """The rows of 3x3, and their features averaged after the transform, shape (R, 18)."""
    rows = exact_rows(Grid(3), "optimal")
    shape = (len(rows.after), 2, 3, 3)
    images = [raw_features(rows.after[:, image], rows.grid) for image in rows.grid.symmetries]
    total = np.zeros(shape)
    for image in images:
        total += dctn(image.reshape(shape), axes=(2, 3), norm="ortho")
    return rows, (total / len(images)).reshape(len(rows.after), -1)


def rounded_accuracy(*, rng: np.random.Generator | int) -> float:
    """Share of states whose largest float score is the labelled move's, for one order of the sum.

    Parameters
    ----------
    rng : Generator or int
        Draws the order in which the 18 products are added.
    """
    rows, features = averaged_afterwards()
    weights = trained(rows.grid, symmetric=True).weights
    scores = np.zeros(len(features))
    for k in np.random.default_rng(rng).permutation(len(weights)):
        scores += features[:, k] * weights[k]
    tree = solve(rows.grid)
    labelled = first(good_moves(tree))[~tree.finished]
    moves = rows.table(scores).argmax(axis=1)
    return float(labelled[np.arange(len(moves)), moves].mean())
