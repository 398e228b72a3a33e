"""The smallest error that the tables can reach, and the sparsest equivalent weights."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Floats
from ttt_lib.ntuple.network import Network, Patterns
from ttt_lib.ntuple.training import Positions, positions


class Optimum(NamedTuple):
    """Where a minimisation of the mean squared error ended.

    Attributes
    ----------
    network : Network
    error : float
        Mean squared error there.
    slope : float
        Largest absolute component of its gradient; near 0 at an optimum.
    """

    network: Network
    error: float
    slope: float


def minimise(patterns: Patterns, start: Floats) -> Optimum:
    """Minimise the mean squared error over all positions by L-BFGS from given weights.

    Some weights belong to patterns that are always won or lost: they would
    grow without bound, for a gain that soon vanishes in rounding errors.

    Parameters
    ----------
    start : ndarray of float64, shape (parameters + 1,)
    """
    from scipy.optimize import minimize

    data = positions(patterns)
    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 50}
    found = minimize(
        error_and_gradient, start, args=(data,), jac=True, method="L-BFGS-B", options=options
    )
    return Optimum(Network(patterns, found.x), float(found.fun), float(np.abs(found.jac).max()))


def error_and_gradient(weights: Floats, data: Positions) -> tuple[float, Floats]:
    """Mean squared error and its gradient with respect to the weights, shape (P + 1,)."""
    values = np.tanh(weights[data.features].sum(axis=1))
    misses = values - data.targets
    slopes = 2 * misses * (1 - values**2) / len(misses)
    picked = np.repeat(slopes, data.features.shape[1])
    gradient = np.bincount(data.features.ravel(), picked, len(weights))
    return float(np.mean(misses**2)), gradient.astype(np.float64)


def random_start(patterns: Patterns, rng: np.random.Generator | int) -> Floats:
    """Normal weights of standard deviation 1/2, shape (parameters + 1,)."""
    return np.random.default_rng(rng).normal(0, 0.5, patterns.parameters + 1)


def design_matrix(patterns: Patterns) -> Floats:
    """How often each position picks each weight, the bias last, shape (S, parameters + 1)."""
    features = positions(patterns).features
    matrix = np.zeros((len(features), patterns.parameters + 1))
    np.add.at(matrix, (np.arange(len(features))[:, None], features), 1)
    return matrix


def plainest(network: Network) -> Network:
    """The same player with the simplest tables: the smallest sum of absolute weights.

    Many tables give the same value to every position: what one line's table loses, others can
    gain.  A linear program minimises the sum of absolute weights.  Many tables still attain that
    minimum, so a second program chooses among them: it prices the k-th weight at sqrt(k), so that
    ties are unlikely.
    """
    matrix = np.unique(design_matrix(network.patterns), axis=0)
    used = matrix.any(axis=0)
    rows, weights = matrix[:, used], network.weights[used]
    least = _cheapest(rows, weights, np.ones(len(weights)), np.ones((2, len(weights)), np.bool_))
    chosen = _cheapest(rows, weights, np.sqrt(np.arange(1, len(weights) + 1)), least.free)
    plain = np.zeros_like(network.weights)
    plain[used] = chosen.weights
    return Network(network.patterns, np.where(np.abs(plain) < 1e-9, 0.0, plain))


class Cheapest(NamedTuple):
    """The optimum of a linear program over weights, and where else it is reached.

    Attributes
    ----------
    weights : ndarray of float64, shape (W,)
    free : ndarray of bool, shape (2, W)
        Which weights may be positive, and which negative, in an optimum.
    """

    weights: Floats
    free: NDArray[np.bool_]


def _cheapest(rows: Floats, weights: Floats, prices: Floats, free: NDArray[np.bool_]) -> Cheapest:
    """Weights with the smallest priced absolute sum and the same ``rows @ weights``.

    A weight is its positive minus its negative part.  A part whose reduced cost is positive is
    zero in every optimum (complementary slackness), so the free parts span all optima.
    """
    from scipy.optimize import linprog

    found = linprog(
        np.concatenate([prices, prices]),
        A_eq=np.hstack([rows, -rows]),
        b_eq=rows @ weights,
        bounds=[(0, None if open_ else 0) for open_ in free.ravel()],
        method="highs-ds",
    )
    above, below = found.x.reshape(2, -1)
    return Cheapest(above - below, free & (found.lower.marginals.reshape(2, -1) < 1e-7))
