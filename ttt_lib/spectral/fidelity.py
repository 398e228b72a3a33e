"""How well scores reproduce the exact heatmaps: ranks, squared errors, calibration.

The truth is P(the mover wins) under random play after each of the 16,167 moves of 3x3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import fsum

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata, spearmanr

from ttt_lib.game.board import Floats, Grid, Mask
from ttt_lib.game.gametree import solve
from ttt_lib.game.policy import Evaluator, best_moves, first
from ttt_lib.spectral.labels import good_moves, mover_chances
from ttt_lib.spectral.policy import Accuracy, accuracy, chosen

TIE_DECIMALS = 10
"""Scores equal to this many decimals are tied; exact ones differ by 0 or by at least 1e-8."""

FOLDS, BINS = 5, 10
"""Parts of the states that are held out in turn, and bins of the scores."""


@dataclass(frozen=True, eq=False)
class Heatmaps:
    """A score and the truth for each legal move of each running state.

    Attributes
    ----------
    scores, truth : ndarray of float64, shape (4520, 9)
        nan where a move is not legal.
    ply : ndarray of intp, shape (4520,)
        Stones on the board.
    """

    scores: Floats
    truth: Floats
    ply: NDArray[np.intp]

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Legal moves, shape (4520, 9)."""
        return ~np.isnan(self.truth)


@dataclass(frozen=True)
class Fidelity:
    """Agreement of a score with the exact heatmaps.

    Attributes
    ----------
    spearman : float
        Mean over states of the rank correlation between scores and chances of the legal
        moves; states whose moves are all equal are excluded.
    mse : float
        Mean squared difference of score and chance.
    brier : float
        Expected squared difference of score and result (mover wins or not).
    pooled : float
        The rank correlation over the moves of all states together, which depends on the level of
        the scores in each state, too.
    """

    spearman: float
    mse: float
    brier: float
    pooled: float


def heatmaps(model: Evaluator) -> Heatmaps:
    """Scores of a 3x3 model together with the exact chances."""
    tree = solve(Grid(3))
    running = np.flatnonzero(~tree.finished)
    state, move = np.nonzero(tree.legal)
    scores = np.full(tree.children.shape, np.nan)
    scores[state, move] = model(tree.boards[tree.children[state, move]])
    return Heatmaps(scores[running], mover_chances(tree)[running], tree.ply[running])


def fidelity(maps: Heatmaps) -> Fidelity:
    """Measure the agreement."""
    scores, truth = maps.scores[maps.legal], maps.truth[maps.legal]
    mse = float(((scores - truth) ** 2).mean())
    within = float(np.nanmean(rank_correlations(maps)))
    pooled = spearmanr(np.round(scores, TIE_DECIMALS), np.round(truth, TIE_DECIMALS)).statistic
    return Fidelity(within, mse, mse + irreducible(maps), float(pooled))


def irreducible(maps: Heatmaps) -> float:
    """The Brier score of the truth itself: results are random (Brier, 1950)."""
    truth = maps.truth[maps.legal]
    return float((truth * (1 - truth)).mean())


def rank_correlations(maps: Heatmaps) -> Floats:
    """Spearman's rank correlation in each state, nan where one side is constant, shape (4520,)."""
    # Cells equal by symmetry may differ by rounding errors; ranks must treat them as ties.
    a = rankdata(np.round(maps.scores, TIE_DECIMALS), axis=1, nan_policy="omit")
    b = rankdata(np.round(maps.truth, TIE_DECIMALS), axis=1, nan_policy="omit")
    a -= np.nanmean(a, axis=1, keepdims=True)
    b -= np.nanmean(b, axis=1, keepdims=True)
    spread = np.sqrt(np.nansum(a**2, axis=1) * np.nansum(b**2, axis=1))
    shared = np.nansum(a * b, axis=1)
    blank = np.full(len(a), np.nan)
    return np.asarray(np.divide(shared, spread, out=blank, where=spread > 1e-12))


def calibrate_by_depth(maps: Heatmaps) -> Heatmaps:
    """Fit score -> a + b score by least squares for each number of stones.

    A positive b can't change which move of a state is best; a negative one reverses the order.
    """
    every = np.ones(len(maps.ply), dtype=np.bool_)
    return replace(maps, scores=on_lines(maps, every, every))


def calibrate_held_out(maps: Heatmaps, *, rng: np.random.Generator | int = 0) -> Heatmaps:
    """The same, but each state uses lines fitted to boards of other symmetry classes only."""
    fold = folds_by_class(rng=rng)
    scores = maps.scores.copy()
    for part in np.unique(fold):
        scores[fold == part] = on_lines(maps, fold != part, fold == part)
    return replace(maps, scores=scores)


def on_lines(maps: Heatmaps, fitted: Mask, chosen: Mask) -> Floats:
    """Scores of the chosen states on lines fitted to some states, shape (chosen, 9).

    Scores of a state stay as they are if no fitted one has as many stones (the empty board).

    Parameters
    ----------
    fitted, chosen : ndarray of bool, shape (4520,)
    """
    scores = maps.scores.copy()
    for ply in np.unique(maps.ply[chosen]):
        here = maps.legal & (maps.ply == ply)[:, None]
        known, test = (here & mask[:, None] for mask in (fitted, chosen))
        if known.any():
            line = slope_and_shift(maps.scores[known], maps.truth[known])
            scores[test] = np.polyval(line, maps.scores[test])
    return np.asarray(scores[chosen])


def folds_by_class(*, rng: np.random.Generator | int = 0) -> NDArray[np.intp]:
    """The part of each running state, the same for symmetric ones, shape (4520,)."""
    tree = solve(Grid(3))
    codes = tree.grid.canonical_codes(tree.boards[~tree.finished])
    _, classes = np.unique(codes, return_inverse=True)
    order = np.random.default_rng(rng).permutation(classes.max() + 1)
    return np.asarray(order[classes] % FOLDS, dtype=np.intp)


def slope_and_shift(scores: Floats, truth: Floats) -> Floats:
    """Least-squares line of truth on scores, (slope, shift); slope 0 where scores are constant."""
    middle, level = fsum(scores) / len(scores), fsum(truth) / len(truth)
    if np.ptp(scores) < 1e-12:
        return np.array([0.0, level])
    away = scores - middle
    slope = fsum(away * (truth - level)) / fsum(away**2)
    return np.array([slope, level - slope * middle])


def slopes(maps: Heatmaps) -> dict[int, float]:
    """The slope of the calibration line by number of stones."""
    found = {}
    for ply in np.unique(maps.ply):
        cells = maps.legal & (maps.ply == ply)[:, None]
        found[int(ply)] = float(slope_and_shift(maps.scores[cells], maps.truth[cells])[0])
    return found


def reliability(maps: Heatmaps) -> pd.DataFrame:
    """Mean truth of the moves in each bin of the score.

    The moves are split into deciles, but equal scores stay together: they go to the bin of
    their mean rank.  So the bins depend on the scores alone, not on the order of moves or on
    how a score was rounded.

    Returns
    -------
    DataFrame
        Columns score (mean), truth (mean), moves (count), one row per non-empty bin.
    """
    scores, truth = maps.scores[maps.legal], maps.truth[maps.legal]
    place = np.ceil(rankdata(np.round(scores, TIE_DECIMALS)) * BINS / len(scores))
    table = pd.DataFrame({"score": scores, "truth": truth, "bin": place.clip(1, BINS)})
    found = table.groupby("bin").agg(
        score=("score", exact_mean), truth=("truth", exact_mean), moves=("truth", "size")
    )
    return found.reset_index(drop=True)


def exact_mean(values: pd.Series) -> float:
    """The mean, with a sum that is rounded only once, so that the order doesn't matter."""
    return fsum(values) / len(values)


def best_move_accuracy(maps: Heatmaps) -> Accuracy:
    """How often the best-scored move is the labelled one, and how often it is among the best."""
    tree = solve(Grid(3))
    moves = chosen(np.where(maps.legal, maps.scores, -np.inf))
    return accuracy(moves, good_moves(tree)[~tree.finished])


def best_scored(maps: Heatmaps) -> Mask:
    """The moves of best score in each state, tied ones together, shape (S, moves)."""
    return best_moves(np.where(maps.legal, maps.scores, -np.inf)).astype(np.bool_)


def uniform_ties(maps: Heatmaps) -> Fraction:
    """Exact expected share of labelled moves if all best-scored moves are equally likely."""
    best = best_scored(maps)
    tree = solve(Grid(3))
    hit = (best & first(good_moves(tree))[~tree.finished]).any(axis=1)
    return sum(Fraction(1, int(n)) for n in best.sum(axis=1)[hit]) / Fraction(len(best))


def chance_accuracy() -> Accuracy:
    """The same for a move chosen at random: the mean of 1/moves and of good/moves."""
    tree = solve(Grid(3))
    running = ~tree.finished
    moves = tree.legal[running].sum(axis=1)
    good = good_moves(tree)[running].sum(axis=1)
    return Accuracy(float((1 / moves).mean()), float((good / moves).mean()))
