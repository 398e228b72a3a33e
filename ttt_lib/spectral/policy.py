"""Ridge regression on cosine features: fit, cross-validation, and the agents that play by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ttt_lib.game.board import Boards, Floats, Grid, Mask
from ttt_lib.game.kept import once, read_only
from ttt_lib.game.policy import Agent, best_moves, first, from_evaluator
from ttt_lib.game.policy import safety as with_safety
from ttt_lib.spectral.features import (
    check_learnable,
    check_square,
    on_cells,
    on_waves,
    raw_features,
)
from ttt_lib.spectral.labels import Rows, training_rows
from ttt_lib.spectral.rational import on_grid
from ttt_lib.spectral.ridge import WholeRows, exact_ridge

LAMBDAS = (1e-6, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0)


@dataclass(frozen=True, eq=False)
class Model:
    """A score of boards after a move, linear in the cosine features.

    Attributes
    ----------
    grid : Grid
    weights : ndarray of float64, shape (2 n^2,)
        Of X's coefficients, then of O's.
    symmetric : bool
        Whether the features are averaged over the symmetries.
    """

    grid: Grid
    weights: Floats
    symmetric: bool = False

    def __call__(self, after: Boards) -> Floats:
        """Score boards after a move, shape (B,)."""
        # Sums on the grid are exact, so they don't depend on the order of cells or the processor.
        return raw_features(after, self.grid) @ self.cells.ravel()

    @cached_property
    @read_only
    def cells(self) -> Floats:
        """What a stone of X, or of O, on each cell adds to the score, shape (2, n, n)."""
        return on_grid(on_cells(self.weights, self.grid, symmetric=self.symmetric))

    def priorities(self) -> NDArray[np.intp]:
        """The order in which X, and O, prefers the cells, shape (2, cells).

        The score of a board after a move is the score before it plus the weight of the cell
        taken, so the order never depends on the board.  Equal weights: lowest index first.
        """
        return np.array([ranked(channel.ravel()) for channel in self.cells])


def ranked(weights: Floats) -> NDArray[np.intp]:
    """Indices from the largest weight to the smallest, ties (to 1e-9) in index order."""
    left, order = weights.astype(np.float64).copy(), []
    for _ in range(len(left)):
        order.append(int(best_moves(left[None], "first").argmax()))
        left[order[-1]] = -np.inf
    return np.array(order, dtype=np.intp)


def fit(rows: Rows, *, lam: float = 0.001, symmetric: bool = False) -> Model:
    """Ridge regression in closed form without intercept (Hoerl and Kennard, 1970).

    The basis is orthonormal, so the penalty is the same for waves and for cells, and so is the
    optimal score.  On cells the features are rational, so the fit is solved exactly.

    Raises
    ------
    ValueError
        If lam is not a finite number >= 0.
    """
    features = raw_features(rows.after, check_square(rows.grid), symmetric=symmetric)
    cells = on_grid(exact_ridge(features, rows.target, lam))
    return Model(rows.grid, on_waves(cells, rows.grid), symmetric)


def fit_without(
    rows: Rows, states: NDArray[np.intp], lams: Sequence[float], *, symmetric: bool = False
) -> list[Model]:
    """The models that :func:`fit` gives without the rows of some states, one for each lambda.

    Faster for repeated fits to the same rows: what the fits have in common is computed once.

    Raises
    ------
    ValueError
        As :func:`fit`.
    """
    left_out = np.isin(rows.state, states)
    found = [on_grid(cells) for cells in _whole(rows, symmetric).ridge_without(left_out, lams)]
    return [Model(rows.grid, on_waves(cells, rows.grid), symmetric) for cells in found]


@lru_cache(maxsize=2)  # both kinds of features of the rows in hand
@read_only
def _whole(rows: Rows, symmetric: bool) -> WholeRows:
    features = raw_features(rows.after, check_square(rows.grid), symmetric=symmetric)
    return WholeRows.of(features, rows.target)


@once
def trained(
    grid: Grid,
    *,
    symmetric: bool = False,
    labels: str = "optimal",
    lam: float = 0.001,
    seed: int = 0,
    samples: int = 400,
    rollouts: int = 6,
) -> Model:
    """Train a model, once per process.

    Raises
    ------
    ValueError
        As :func:`training_rows` and :func:`fit`.
    """
    check_learnable(grid)
    rows = training_rows(grid, labels, samples=samples, rollouts=rollouts, seed=seed)
    return fit(rows, lam=lam, symmetric=symmetric)


@dataclass(frozen=True)
class Accuracy:
    """How often the best-scored move is the labelled one, and how often it is among the best."""

    single: float
    tie_aware: float


def chosen(table: Floats) -> Mask:
    """The move taken in each state: the best score, lowest index among ties, shape (S, moves)."""
    return best_moves(table, "first").astype(np.bool_)


def accuracy(moves: Mask, good: Mask) -> Accuracy:
    """Compare chosen moves with the sets of good ones, both of shape (S, moves)."""
    single = (moves & first(good)).any(axis=1).mean()
    return Accuracy(float(single), float((moves & good).any(axis=1).mean()))


def good_of(rows: Rows) -> Mask:
    """The moves of largest target in each state, shape (S, moves)."""
    table = rows.table(rows.target)
    return np.asarray(table >= table.max(axis=1, keepdims=True) - 1e-12)


def cross_validate(
    rows: Rows,
    *,
    lams: Sequence[float] = LAMBDAS,
    folds: int = 5,
    symmetric: bool = False,
    rng: np.random.Generator | int = 0,
) -> dict[float, float]:
    """State-level accuracy on held-out states for each lambda.

    All moves of a state are in the same fold; a state counts as a hit when its best-scored
    move has the state's largest target.

    Returns
    -------
    dict
        Mean accuracy over the folds by lambda.

    Raises
    ------
    ValueError
        If there are fewer states than folds.
    """
    parts = list(held_out_hits(rows, lams=lams, folds=folds, symmetric=symmetric, rng=rng))
    return {lam: float(np.mean([float(part[lam].mean()) for part in parts])) for lam in lams}


def held_out_hits(
    rows: Rows,
    *,
    lams: Sequence[float],
    folds: int = 5,
    symmetric: bool,
    rng: np.random.Generator | int,
) -> Iterator[dict[float, Mask]]:
    """The hits behind :func:`cross_validate`, fold by fold.

    Yields
    ------
    dict
        By lambda, whether each held-out state is hit: bool, shape (states of the fold,).

    Raises
    ------
    ValueError
        If there are fewer states than folds.
    """
    from sklearn.model_selection import KFold  # slow to import, and no player needs it

    if len(rows.states) < folds:
        raise ValueError(f"{folds} folds need at least {folds} training states")
    good = good_of(rows)
    seed = int(np.random.default_rng(rng).integers(2**31))
    for _, test in KFold(folds, shuffle=True, random_state=seed).split(rows.states):
        models = fit_without(rows, test, lams, symmetric=symmetric)
        moves = (chosen(rows.table(model(rows.after))) for model in models)
        hits = ((choice & good)[test].any(axis=1) for choice in moves)
        yield dict(zip(lams, hits, strict=True))


def player(model: Model, name: str = "spectral") -> Agent:
    """The agent that plays the best-scored move, ties by lowest index, without the safety rule."""
    return from_evaluator(name, model.grid, model, ends=False, ties="first")


def spectral(
    grid: Grid,
    symmetric: str = "no",
    safety: str = "yes",
    labels: str = "optimal",
    lam: float = 0.001,
    seed: int = 0,
    samples: int = 400,
    rollouts: int = 6,
) -> Agent:
    """The agent of document 2.

    Parameters
    ----------
    symmetric, safety : {"no", "yes"}
        Whether to average the features over the symmetries; whether to win or block first.
    labels : str
        One of ``ttt_lib.spectral.LABELS``; beyond 3x3 only ``mc``.
    lam : float
        Strength of the penalty.
    seed, samples, rollouts : int
        For ``mc``.

    Raises
    ------
    ValueError
        If an option has an invalid value, or the board is not a square of at most 8x8.
    """
    averaged, careful = yes("symmetric", symmetric), yes("safety", safety)
    model = trained(
        grid,
        symmetric=averaged,
        labels=labels,
        lam=lam,
        seed=seed,
        samples=samples,
        rollouts=rollouts,
    )
    return with_safety(player(model)) if careful else player(model)


def check_typed(options: Mapping[str, Any]) -> None:
    """Check that the options of a player that somebody typed are read.

    Raises
    ------
    ValueError
        If a number of samples or rollouts was chosen for labels that are not sampled.
    """
    defaults = signature(spectral).parameters
    for name in ("samples", "rollouts"):
        if options["labels"] != "mc" and options[name] != defaults[name].default:
            raise ValueError(f"{name} of spectral needs labels=mc: no other labels are sampled")


def yes(name: str, value: str) -> bool:
    """Parse a yes/no option.

    Raises
    ------
    ValueError
        If it is anything else.
    """
    if value not in ("yes", "no"):
        raise ValueError(f"option {name} of spectral must be yes or no, not {value!r}")
    return value == "yes"


def choose_move(agent: Agent, board: Sequence[int], player: int) -> int:
    """The document's contract: a legal cell for the side to move.

    Parameters
    ----------
    board : sequence of int
        Cells in index order, 1 (X), -1 (O), 0 (empty).
    player : int
        The side to move, 1 or -1.

    Raises
    ------
    ValueError
        If the board has the wrong size or other values, the stones say that the other side
        is to move, or the game is over.
    """
    cells = np.asarray(board)
    if cells.shape != (agent.game.moves,) or not np.isin(cells, (-1, 0, 1)).all():
        raise ValueError(f"a board is {agent.game.moves} numbers, each 1 (X), -1 (O) or 0 (empty)")
    if int(cells.sum()) not in (0, 1) or player != 1 - 2 * int(cells.sum()):
        raise ValueError(f"player {player} is not to move on this board: X (1) begins")
    states = cells.astype(np.int8)[None]
    if agent.game.finished(states)[0]:
        raise ValueError("a finished game has no move to choose")
    return int(agent.policy(states, np.random.default_rng(0))[0].argmax())
