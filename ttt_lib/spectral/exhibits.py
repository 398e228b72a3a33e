"""Two players to compare with: a network on the same labels, and a search with its sign wrong."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ttt_lib.evidence.faults import with_parts
from ttt_lib.game.board import Boards, Grid
from ttt_lib.game.policy import Agent, best_moves, from_scores, move_scores
from ttt_lib.spectral.features import dct_features
from ttt_lib.spectral.labels import Rows

if TYPE_CHECKING:
    from sklearn.neural_network import MLPRegressor

    from ttt_lib.game.search import SearchResult

Floats = NDArray[np.float64]


@cache
def wrong_sign_search() -> Callable[..., SearchResult]:
    """:func:`ttt_lib.game.search.search`, but every result is credited to the other player."""
    from numba import njit

    from ttt_lib.game import search_kernels
    from ttt_lib.game.search import search

    back_up = search_kernels.back_up

    @njit
    def wrong(tree, path, depth, side, winner):  # type: ignore[no-untyped-def]
        back_up(tree, path, depth, side, -winner)

    return with_parts(search, grow_tree=with_parts(search_kernels.grow_tree, back_up=wrong))


def wrong_sign_uct(grid: Grid, iterations: int = 150, c: float = 1.414) -> Agent:
    """An exhibit, not a player: UCT that adds each result up for the wrong side.

    It looks for the moves that are best for its opponent, as the document's search does.

    Raises
    ------
    ValueError
        As :func:`ttt_lib.game.search.check_search`.
    """
    from ttt_lib.game.search import check_search

    check_search(grid, iterations, c)
    search = wrong_sign_search()

    def policy(boards: Boards, rng: np.random.Generator) -> Floats:
        visits = search(grid, boards, iterations, c, rng=rng).visits
        return best_moves(np.where(grid.legal(boards), visits, -np.inf), "first").astype(np.float64)

    return Agent("uct with the wrong sign", grid, policy)


@dataclass(frozen=True, eq=False)
class Network:
    """A one-hidden-layer network on the cosine features of a board after a move."""

    grid: Grid
    regressor: MLPRegressor

    def __call__(self, after: Boards) -> Floats:
        """Score boards after a move, shape (B,)."""
        return np.asarray(self.regressor.predict(dct_features(after, self.grid)))


def train_network(rows: Rows, *, hidden: int = 100, seed: int = 0) -> Network:
    """Fit a network to the features and labels that the ridge regression gets.

    Parameters
    ----------
    hidden : int
        Neurons in the hidden layer.
    seed : int
        Of the first weights and of the order of the rows.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor

    regressor = MLPRegressor(hidden_layer_sizes=(hidden,), max_iter=100, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", ConvergenceWarning
        )  # the budget of 100 epochs is the design
        regressor.fit(dct_features(rows.after, rows.grid), rows.target)
    return Network(rows.grid, regressor)


def network_player(network: Network) -> Agent:
    """The agent that plays a network's best-scored move, without safety rule."""
    scores = move_scores(network.grid, network, ends=False)
    return from_scores("network", network.grid, scores, ties="first")
